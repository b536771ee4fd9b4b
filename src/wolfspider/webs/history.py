"""All captures of a changing web: what each address answered, and since when.

    history/pages.bin …      every version of every page, as the web folder keeps its pages
    history/moments.npy      address, date and answer, sorted
    history/redirects.npy    where redirects lead

Links of a version lead to addresses that were a page or a redirect at some time; whether they
are one at a given moment is for whoever follows them to find out.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wolfspider.errors import BadInput
from wolfspider.records import Links, Page, Response
from wolfspider.urls import canonical, fingerprint
from wolfspider.webs.folder import HISTORY, KINDS, Blobs, BlobWriter, unpack_page
from wolfspider.webs.resolving import GONE, HOPS, MOVED

_MOMENT = np.dtype([("date", "<f8"), ("answer", "<i8")])


class HistoryWriter:
    """Notes every answer; `write` makes the folder of it and of the spooled pages."""

    def __init__(self) -> None:
        self._keys = array("Q")
        self._dates = array("d")
        self._answers = array("q")  # as in `resolving`: a page's row, GONE, or from MOVED down

    def note(self, key: int, date: float, answer: int) -> None:
        self._keys.append(key)
        self._dates.append(date)
        self._answers.append(answer)

    def write(self, folder: Path, spool: Path, redirects: array[int]) -> Iterator[tuple[int, int]]:
        """Move the spooled pages here; yields pages done and pages in all."""
        folder.mkdir()
        keys = np.frombuffer(self._keys, np.uint64)
        moments = np.empty(len(keys), _MOMENT)
        moments["date"] = np.frombuffer(self._dates, np.float64)
        moments["answer"] = np.frombuffer(self._answers, np.int64)
        order = np.lexsort((moments["answer"] > MOVED, moments["date"], keys))
        np.save(folder / "moment_keys.npy", keys[order])
        np.save(folder / "moments.npy", moments[order])
        np.save(folder / "redirects.npy", np.frombuffer(redirects, np.uint64))
        known = np.unique(keys[moments["answer"] != GONE])
        yield from _write_links(folder, Blobs(spool, "spooled_link"), known)
        for kind in KINDS:
            if kind != "link":
                (spool / f"spooled_{kind}s.bin").rename(folder / f"{kind}s.bin")
                (spool / f"spooled_{kind}_starts.npy").rename(folder / f"{kind}_starts.npy")


def _write_links(
    folder: Path, spooled: Blobs, known: NDArray[np.uint64]
) -> Iterator[tuple[int, int]]:
    """Each version's links to known addresses, one for each address."""
    writer = BlobWriter(folder, "link")
    for row in range(len(spooled)):
        links = Links(spooled[row])
        keys = links.fingerprints
        at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        rows = np.flatnonzero(known[at] == keys)
        _, first = np.unique(keys[rows], return_index=True)
        writer.append(links.take(rows[np.sort(first)]).buffer)
        if row % 256 == 0:
            spooled.let_go()
        yield row + 1, len(spooled)
    writer.close()


@dataclass(frozen=True, eq=False)
class Documents:
    """What addresses said, each for as long as it stayed: arrays by document, from 1 on."""

    of: NDArray[np.int64]  # the document of each moment; 0 for what is no page or never showed
    versions: NDArray[np.int64]  # the first version of each
    since: NDArray[np.float64]
    until: NDArray[np.float64]  # inf for those that still are there


class History:
    """The past of a web folder that was imported with all its captures."""

    def __init__(self, web: Path) -> None:
        folder = web / HISTORY
        if not folder.is_dir():
            raise BadInput(
                f"{web} has one state only; for a changing web import the recording "
                "again with --all-captures"
            )
        self._keys = np.load(folder / "moment_keys.npy", mmap_mode="r")
        self._moments = np.load(folder / "moments.npy")
        self._redirects = np.load(folder / "redirects.npy")
        self._pages = Blobs(folder, "page")
        self._texts = Blobs(folder, "text")
        self._links = Blobs(folder, "link")

    def __len__(self) -> int:
        """How many versions of pages there are."""
        return len(self._pages)

    @property
    def dates(self) -> NDArray[np.float64]:
        """When something was captured, in order."""
        return np.unique(self._moments["date"])

    def fetch(self, url: str, at: float) -> Response:
        """What an address answered at a moment, redirects followed."""
        address = canonical(url)
        found = self.version(fingerprint(address) if address else 0, at)
        if isinstance(found, str):
            return Response(url, 404, error=found)
        page = self.page(found)
        return Response(page.url, 200, page=page)

    def version(self, address: int, at: float) -> int | str:
        """Which version of a page an address answered with at a moment, or why with none."""
        row = self.moment(address, at)
        return row if isinstance(row, str) else self.answer(row)

    def moment(self, address: int, at: float) -> int | str:
        """The row of the capture of the page that an address led to, or why there is none."""
        for _ in range(HOPS):
            row = self._row(address, at)
            if row is None:
                return "not in this web"
            answer = self.answer(row)
            if answer >= 0:
                return row
            if answer == GONE:
                return "gone"
            address = int(self._redirects[MOVED - answer])
        return "redirects in a circle"

    def answer(self, row: int) -> int:
        """What was answered at a moment: a version, or a negative number, as in `resolving`."""
        return int(self._moments["answer"][row])

    def documents(self) -> Documents:
        """At each address, captures of pages in a row with equal text are one document."""
        ends_date = np.ones(len(self._keys), bool)  # of several captures at one date the last shows
        ends_date[:-1] = self._keys[1:] != self._keys[:-1]
        ends_date[:-1] |= np.diff(self._moments["date"]) != 0
        rows = np.flatnonzero(ends_date)
        keys, moments = self._keys[rows], self._moments[rows]
        dates, answers = moments["date"], moments["answer"]
        same, page = keys[1:] == keys[:-1], answers >= 0
        goes_on = np.zeros(len(rows) + 1, bool)  # the document of the row before; one row more
        goes_on[1:-1] = same & page[1:] & page[:-1]
        for at in np.flatnonzero(goes_on).tolist():
            goes_on[at] = self._say_the_same(int(answers[at - 1]), int(answers[at]))
        first, last = page & ~goes_on[:-1], page & ~goes_on[1:]
        ends = np.full(len(rows), np.inf)
        ends[:-1][same] = dates[1:][same]
        of = np.zeros(len(self._keys), np.int64)
        of[rows] = np.where(page, np.cumsum(first), 0)
        return Documents(of, answers[first], dates[first], ends[last])

    def _say_the_same(self, one: int, other: int) -> bool:
        return one == other or self._texts[one] == self._texts[other]

    def page(self, version: int) -> Page:
        links = Links(self._links[version])
        return unpack_page(self._pages[version], self._texts[version], links)

    def _row(self, key: int, at: float) -> int | None:
        begin, end = (int(self._keys.searchsorted(np.uint64(key), s)) for s in ("left", "right"))
        row = begin + int(self._moments["date"][begin:end].searchsorted(at, "right")) - 1
        return row if row >= begin else None
