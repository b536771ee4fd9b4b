"""The web folder: a recording compiled into arrays that open at once and are never parsed again.

    web.json          counts, digest, where it came from, what was left out
    addresses.npy     fingerprints of all addresses, sorted
    address_pages.npy their pages, −1 for what is gone
    pages.bin         url, title, terms of each page; page_starts.npy
    texts.bin         visible text of each page; text_starts.npy
    links.bin         the `Links` record of each page; link_starts.npy
    graph_*.npy       the same links as page numbers, in CSR form; for the lab only
    labels_*.npy      pages of each label of web.json, in CSR form; for the lab only
    recording.warc.gz what was answered, and answer*: where (archive.py); to be served
    history/          every version of the pages of a changing web (history.py)

Links lead to pages of the same web: redirects are resolved, addresses outside are left out.
"""

from __future__ import annotations

import mmap
import struct
from array import array
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from wolfspider.errors import DamagedFile
from wolfspider.records import NO_LINKS, Links, Page, Terms

FORMAT = 1
ABOUT = "web.json"
KINDS = ("page", "text", "link")
Labels = dict[str, NDArray[np.int32]]  # pages of each label
HISTORY = "history"  # of a changing web; see history.py
_HEAD = struct.Struct("<IIIIdd")  # bytes of url and title, terms, flags, length, norm


def is_web(folder: Path) -> bool:
    return (folder / ABOUT).is_file()


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


class BlobWriter:
    """Writes byte strings into one file, and the array of their beginnings into another."""

    def __init__(self, folder: Path, name: str) -> None:
        self._starts = array("q", [0])
        self._file: BinaryIO = (folder / f"{name}s.bin").open("wb")
        self._index = folder / f"{name}_starts.npy"

    def append(self, data: bytes) -> None:
        self._file.write(data)
        self._starts.append(self._starts[-1] + len(data))

    def abandon(self) -> None:
        with suppress(OSError):  # what is left to write may not find room
            self._file.close()

    def close(self) -> None:
        self._file.close()
        np.save(self._index, np.frombuffer(self._starts, np.int64))


class Blobs:
    """The byte strings of a `BlobWriter`, copied out one by one."""

    def __init__(self, folder: Path, name: str) -> None:
        self._starts = np.asarray(np.load(folder / f"{name}_starts.npy", mmap_mode="r"))
        path = folder / f"{name}s.bin"
        with path.open("rb") as file:
            size = file.seek(0, 2)
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        if size != self._starts[-1]:
            raise DamagedFile(f"{path} has {size} bytes where {self._starts[-1]} should be")

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, row: int) -> bytes:
        return self._data[self._starts.item(row) : self._starts.item(row + 1)]

    def let_go(self) -> None:
        """Give back the memory that what was read so far takes up; it can be read again."""
        if isinstance(self._data, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            self._data.madvise(mmap.MADV_DONTNEED)


class GroupWriter:
    """Writes lists of page numbers in CSR form: NAME_starts.npy and NAME_pages.npy."""

    def __init__(self, folder: Path, name: str) -> None:
        self._starts = array("q", [0])
        self._index = folder / f"{name}_starts.npy"
        self._file: BinaryIO = (folder / f"{name}_pages.npy").open("wb")
        self._write_header()

    def append(self, group: NDArray[np.int32]) -> None:
        self._file.write(np.asarray(group, np.int32).tobytes())
        self._starts.append(self._starts[-1] + len(group))

    def abandon(self) -> None:
        with suppress(OSError):
            self._file.close()

    def close(self) -> int:
        """How many page numbers there are in all."""
        self._file.seek(0)
        self._write_header()
        self._file.close()
        np.save(self._index, np.frombuffer(self._starts, np.int64))
        return self._starts[-1]

    def _write_header(self) -> None:
        """NumPy leaves room in it for a length that grows, so it can be written over."""
        about = {"descr": "<i4", "fortran_order": False, "shape": (self._starts[-1],)}
        np.lib.format.write_array_header_1_0(self._file, about)
