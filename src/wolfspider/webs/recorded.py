"""A recorded web: a compiled folder, memory-mapped, that answers like the live one."""

from __future__ import annotations

import json
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import numpy as np
from numpy.typing import NDArray

from wolfspider.errors import BadInput, DamagedFile, damage
from wolfspider.records import Links, Page, Response
from wolfspider.urls import canonical, fingerprint
from wolfspider.webs.folder import ABOUT, FORMAT, Blobs, Labels, page_url, unpack_page

_NEEDED = ("pages", "links", "hosts", "labels", "digest", "sources", "left_out")
_GONE = -1
_UNKNOWN = -2


class RecordedWeb:
    """The pages of a web folder.

    What `fetch` hands out is copied: no record leads back to the folder, to pages that
    were not fetched, or to how many there are.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self.about = _read_about(self.folder)
        try:
            self._addresses = self._load("addresses")
            self._pages_of = self._load("address_pages")
            self._pages = Blobs(self.folder, "page")
            self._texts = Blobs(self.folder, "text")
            self._links = Blobs(self.folder, "link")
        except (OSError, EOFError, ValueError, DamagedFile) as error:
            raise DamagedFile(
                f"the web folder {self.folder} is damaged ({damage(error)}); "
                "remove it and import again"
            ) from error

    def __len__(self) -> int:
        return int(self.about["pages"])

    @property
    def digest(self) -> str:
        return str(self.about["digest"])

    async def fetch(self, url: str) -> Response:
        page = self.number(url)
        if page < 0:
            what = "gone" if page == _GONE else "not in this web"
            return Response(url, 404, error=what)
        found = self.page(page)
        return Response(found.url, 200, page=found)

    def __contains__(self, url: str) -> bool:
        return self.number(url) >= 0

    def number(self, url: str) -> int:
        """The page's number, −1 for one that is gone, −2 for an unknown address."""
        found = self._look_up(url) if url.isascii() else _UNKNOWN
        if found == _UNKNOWN and (address := canonical(url)) is not None and address != url:
            found = self._look_up(address)
        return found

    def _look_up(self, url: str) -> int:
        key = fingerprint(url)
        at = self._addresses.searchsorted(np.uint64(key)).item()
        if at < len(self._addresses) and self._addresses.item(at) == key:
            return int(self._pages_of[at])
        return _UNKNOWN

    def page(self, number: int) -> Page:
        """A page by its number; for the lab and for importers, not for policies."""
        return unpack_page(self._pages[number], self._texts[number], self.links(number))

    def links(self, number: int) -> Links:
        return Links(self._links[number])

    def url(self, number: int) -> str:
        return page_url(self._pages[number])

    @property
    def start(self) -> str:
        """Where one may begin: the front page of the first page's host, or that page."""
        first = self.url(0)
        front = self.number(urljoin(first, "/"))
        return self.url(front) if front >= 0 else first

    def label(self, name: str) -> NDArray[np.int32]:
        """Numbers of the pages that carry a label."""
        found = self._labels.get(name)
        if found is None:
            names = list(self._labels)
            known = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
            raise BadInput(
                f"no page of {self.folder} has the label {name!r}; known: {known or 'none'}"
            )
        return found

    @cached_property
    def _labels(self) -> Labels:
        starts, pages = self._load("labels_starts"), self._load("labels_pages")
        parts = (pages[starts[at] : starts[at + 1]] for at in range(len(starts) - 1))
        return dict(zip(self.about["labels"], parts, strict=True))

    @cached_property
    def text_lengths(self) -> NDArray[np.int64]:
        """Bytes of visible text of each page; for the lab only."""
        lengths: NDArray[np.int64] = np.diff(self._load("text_starts"))
        return lengths

    @cached_property
    def graph(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Links between page numbers in CSR form; for the lab only."""
        return self._load("graph_starts"), self._load("graph_pages")

    def _load(self, name: str) -> NDArray[Any]:
        # As a plain array: each look into a `memmap` costs a few microseconds.
        return np.asarray(np.load(self.folder / f"{name}.npy", mmap_mode="r"))


def _read_about(folder: Path) -> dict[str, Any]:
    path = folder / ABOUT
    try:
        about = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise BadInput(_not_a_web(folder)) from None
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise DamagedFile(
            f"{path} is damaged ({error}); remove {folder} and import the recording again"
        ) from error
    format_ = about.get("format") if isinstance(about, dict) else None
    if format_ != FORMAT:
        raise BadInput(
            f"{folder} has format {format_}, this version reads {FORMAT}; "
            "import the recording again"
        )
    missing = [key for key in _NEEDED if key not in about]
    if missing:
        raise DamagedFile(
            f"{path} is damaged (no {missing[0]}); remove {folder} and import the recording again"
        )
    return dict(about)


def _not_a_web(folder: Path) -> str:
    make = "make one with: wolfspider web import RECORDING.warc.gz -o FOLDER"
    if folder.exists():
        return f"{folder} is not a web folder; {make}"
    webs = [path.parent.name for path in folder.parent.glob(f"*/{ABOUT}")]
    alike = get_close_matches(folder.name, webs, 1)
    meant = f"did you mean {folder.with_name(alike[0])}? If not, " if alike else ""
    return f"there is no web folder {folder}; {meant}{make}"
