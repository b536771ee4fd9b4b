"""The web folder: a recording compiled into arrays that open at once and are never parsed again.

    web.json          counts, digest, where it came from, what was left out
    addresses.npy     fingerprints of all addresses, sorted
    address_pages.npy their pages, −1 for what is gone
    pages.bin         url, title, terms of each page; page_starts.npy
    texts.bin         visible text of each page; text_starts.npy
    links.bin         the `Links` record of each page; link_starts.npy
    graph_*.npy       the same links as page numbers, in CSR form; for the lab only
    labels_*.npy      pages of each label of web.json, in CSR form; for the lab only

Links lead to pages of the same web: redirects are resolved, addresses outside are left out.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from wolfspider.records import NO_LINKS, Links, Page, Terms

FORMAT = 1
_HEAD = struct.Struct("<IIIIdd")  # bytes of url and title, terms, flags, length, norm


def pack_page(page: Page) -> bytes:
    """A page without its text and links."""
    url, title, terms = page.url.encode(), page.title.encode(), page.terms
    head = _HEAD.pack(len(url), len(title), len(terms.ids), page.flags, terms.length, terms.norm)
    return b"".join([head, terms.ids.tobytes(), terms.counts.tobytes(), url, title])


def unpack_page(data: bytes, text: bytes = b"", links: Links = NO_LINKS) -> Page:
    url, title, count, flags, length, norm = _HEAD.unpack_from(data)
    at = _HEAD.size
    ids = np.frombuffer(data, np.uint32, count, at)
    counts = np.frombuffer(data, np.float32, count, at + 4 * count)
    at += 8 * count
    name = data[at : at + url].decode()
    return Page(
        name,
        data[at + url : at + url + title].decode("utf-8", "replace"),
        text,
        Terms(ids, counts, length, norm),
        links,
        flags,
    )


def page_url(data: bytes | memoryview) -> str:
    url, _, count, *_ = _HEAD.unpack_from(data)
    at = _HEAD.size + 8 * count
    return bytes(data[at : at + url]).decode()


class Blobs:
    """A file of byte strings written one after the other, with the array of their beginnings."""

    def __init__(self, folder: Path, name: str) -> None:
        self._starts = [0]
        self._file: BinaryIO = (folder / f"{name}s.bin").open("wb")
        self._index = folder / f"{name}_starts.npy"

    def append(self, data: bytes) -> None:
        self._file.write(data)
        self._starts.append(self._starts[-1] + len(data))

    def abandon(self) -> None:
        self._file.close()

    def close(self) -> None:
        self._file.close()
        np.save(self._index, np.array(self._starts, np.int64))


def save_groups(folder: Path, name: str, groups: Iterable[NDArray[np.int32]]) -> None:
    """Lists of page numbers in CSR form: NAME_starts.npy and NAME_pages.npy."""
    lists = list(groups)
    starts = np.zeros(len(lists) + 1, np.int64)
    np.cumsum([len(each) for each in lists], out=starts[1:])
    np.save(folder / f"{name}_starts.npy", starts)
    np.save(
        folder / f"{name}_pages.npy",
        np.concatenate([*lists, np.empty(0, np.int32)]).astype(np.int32),
    )
