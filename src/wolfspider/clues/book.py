"""A book on links: what the pages that have them say, and what became of links near them.

Every link that was ever found has a number and a row. A page that was fetched tells three times:
its links learn what it is, and it learns what is known of them; the links beside the one that led
to it, and those at the same tag path of the same page, learn what one of them was worth; and so do
the pages on the way to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.clues.tokens import TokenPool, grown
from wolfspider.fingerprint_map import ABSENT, FingerprintMap
from wolfspider.records import Fingerprints, Floats, State

Numbers = NDArray[np.int32]
Halves = NDArray[np.float16]

FAR = 15.0  # a depth or distance beyond is as good as this
_PLACES = 3  # where a link stands that are remembered with it
_TRIP = 8  # pages on the way to a page that are told what became of it
_BESIDE = np.array([0.5, 1.0, 0.0, 1.0, 0.5], np.float32)  # weight of places −2 … 2
_BESIDE_HALF = _BESIDE.astype(np.float16)


class Said(IntEnum):
    """What pages say about a link: of several the most counts."""

    ANCHOR = 0  # likeness to the topic, of its anchor words …
    CONTEXT = 1
    HEADING = 2
    URL = 3
    PAGE = 4  # … of the source page, of the anchor and URL of the link that led there, of its title
    LED_BY = 5
    SOURCE_URL = 6
    TITLE = 7
    MEANS_ANCHOR = 8  # the same by meaning
    MEANS_CONTEXT = 9
    MEANS_HEADING = 10
    MEANS_URL = 11
    SAME_HOST = 12  # as the source page
    SAME_FOLDER = 13
    UPWARD = 14
    NEAR = 15  # −links since the last relevant page
    SHALLOW = 16  # −links since the seeds
    ALONE = 17  # −log(1 + links of the page)


class Count(IntEnum):
    """What was counted for a link: the first three of the next three were relevant."""

    PAID = 0
    ALIKE_PAID = 1
    BESIDE_PAID = 2
    SOURCES = 3  # pages with this link
    ALIKE = 4  # fetched links at the same tag path of the same pages
    BESIDE = 5  # fetched links close by on the same pages, weighted
    TALK = 6  # sum over its pages of how much they talk as relevant pages do


class Book:
    """Rows for all links that were ever found, by number."""

    def __init__(self) -> None:
        self._numbers = FingerprintMap()
        self.size = 0
        self.fingerprints = np.zeros(1 << 10, np.uint64)
        self.said = np.zeros((1 << 10, len(Said)), np.float16)
        self.counts = np.zeros((1 << 10, len(Count)), np.float16)
        self.parent = np.zeros(1 << 10, np.int32)  # the page on which it was found first
        self.page = np.zeros(1 << 10, np.int32)  # when it was fetched, from 1 on; 0: not yet
        self.tokens = TokenPool()
        self._places = np.zeros((1 << 10, _PLACES), np.int32)  # from 1 on; 0: none
        # of fetched pages, by when
        self.pages = 1
        self.paid = np.zeros(1 << 10, np.float32)  # by itself
        self.value = np.zeros(1 << 10, np.float32)  # the best yield of a trip that begins with it
        self._trip = np.zeros((1 << 10, 2), np.float32)  # paid, and fetched, from it on
        # of places, page after page
        self._starts = np.zeros(1 << 8, np.int32)
        self._written = 0  # pages with places
        self._links = np.zeros(1 << 12, np.int32)  # number of the link at each place
        self._paths = np.zeros(1 << 12, np.uint16)
        self._end = 0

    # -- numbers ---------------------------------------------------------------------------

    def number(self, fingerprint: int) -> int:
        """The number of a link; a new one is given the next."""
        number = self._numbers.get_one(fingerprint)
        return self.add(np.array([fingerprint], np.uint64)) if number == ABSENT else number

    def find(self, fingerprint: int) -> int:
        """The same, but ABSENT for one that was never found."""
        return self._numbers.get_one(fingerprint)

    def numbers(self, fingerprints: Fingerprints) -> Numbers:
        """Numbers of links, ABSENT for new ones."""
        return self._numbers.get(fingerprints)

    def add(self, fingerprints: Fingerprints) -> int:
        """Give new links the next numbers; returns the first."""
        first, self.size = self.size, self.size + len(fingerprints)
        if self.size > len(self.parent):
            for name in _ROWS:
                setattr(self, name, grown(getattr(self, name), self.size))
        self.fingerprints[first : self.size] = fingerprints
        self._numbers.set(fingerprints, np.arange(first, self.size, dtype=np.int32))
        self.said[first : self.size] = -FAR
        self.parent[first : self.size] = ABSENT
        return first

    def fetched(self, number: int) -> bool:
        return self.page.item(number) > 0

    def paid_by(self, number: int) -> float:
        """What a page that was fetched paid by itself."""
        return self.paid.item(self.page.item(number))

    # -- what a fetched page tells ---------------------------------------------------------

    def fetch(self, number: int, paid: float) -> list[tuple[int, float]]:
        """A page came; returns those on the way to it whose value has risen, and by how much."""
        at, self.pages = self.pages, self.pages + 1
        if self.pages > len(self.paid):
            for name in _PAGES:
                setattr(self, name, grown(getattr(self, name), self.pages))
        self.page[number] = at
        self.paid[at] = self.value[at] = paid
        self._trip[at] = paid, 1.0
        return self._tell_the_way(number, paid)

    def _tell_the_way(self, number: int, paid: float) -> list[tuple[int, float]]:
        risen, trip = [], self._trip
        for each in self._way(number):
            at = self.page.item(each)
            trip[at, 1] += 1
            if paid:
                trip[at, 0] += paid
                value = trip.item(at, 0) / trip.item(at, 1)
                if (more := value - self.value.item(at)) > 0:
                    self.value[at] = value
                    risen.append((each, more))
        return risen

    def lead(self, number: int, to: Numbers) -> float:
        """A fetched page has links to these; returns by how much that raises its value.

        Relevant pages among them that were fetched before are a trip, too: whoever found the page
        first would have found them there. Those on the way to it are not, for they came before.
        """
        paid = to[self.paid[self.page[to]] > 0]
        if not len(paid):
            return 0.0
        found = len(set(paid.tolist()).difference((number, *self._way(number))))
        at = self.page.item(number)
        more = found / (found + 1) - self.value.item(at)
        if more <= 0:
            return 0.0
        self.value[at] += np.float32(more)
        return more

    def tell_neighbours(self, number: int, paid: float) -> Numbers:
        """Tell the links that stand near a fetched one what it was; returns who was told."""
        told = []
        for beside, weights, alike in self._near(number):
            self.counts[beside, Count.BESIDE] += weights
            self.counts[alike, Count.ALIKE] += np.float16(1)
            self._tell_pay(beside, weights, alike, paid)
            told += [beside, alike]
        return np.concatenate(told) if told else np.empty(0, np.int32)

    def _tell_pay(self, beside: Numbers, weights: Halves, alike: Numbers, paid: float) -> None:
        if paid:
            self.counts[beside, Count.BESIDE_PAID] += weights * np.float16(paid)
            self.counts[alike, Count.ALIKE_PAID] += np.float16(paid)

    def _near(self, number: int) -> Iterator[tuple[Numbers, Halves, Numbers]]:
        """Where a link stands: the links beside it with their weights, and those alike."""
        for place in self._places[number].tolist():
            if not place:
                break
            at = place - 1
            page = int(self._starts[: self._written].searchsorted(at, "right")) - 1
            begin = self._starts.item(page)
            end = self._end if page + 1 == self._written else self._starts.item(page + 1)
            low, high = max(begin, at - 2), min(end, at + 3)
            alike = self._links[begin:end][self._paths[begin:end] == self._paths[at]]
            yield self._links[low:high], _BESIDE_HALF[low - at + 2 : high - at + 2], alike

    def tell_links(
        self, numbers: Numbers, said: Floats, paths: NDArray[np.uint32], paid: float, talk: float
    ) -> None:
        """What a fetched page tells its links; they learn of one another, too."""
        self._write_places(numbers, paths)
        self.said[numbers] = np.maximum(self.said.take(numbers, axis=0), said.astype(np.float16))
        counts = self.counts.take(numbers, axis=0).astype(np.float32)
        counts[:, Count.SOURCES] += 1
        counts[:, Count.PAID] += paid
        counts[:, Count.TALK] += talk
        known = self.page[numbers]
        here = known > 0
        if here.any():
            paids = self.paid[known]
            group = _groups(paths)
            counts[:, Count.ALIKE] += np.bincount(group, here)[group]
            counts[:, Count.ALIKE_PAID] += np.bincount(group, paids)[group]
            counts[:, Count.BESIDE] += np.convolve(here, _BESIDE)[2:-2]
            if paids.any():
                counts[:, Count.BESIDE_PAID] += np.convolve(paids, _BESIDE)[2:-2]
        self.counts[numbers] = counts

    # -- another verdict -------------------------------------------------------------------

    def correct(self, number: int, paid: float) -> list[tuple[int, float]]:
        """A fetched page was something else; returns whose value has changed, and by how much.

        Counts of trips are then as if it had been so from the beginning. Which of them was the
        best is not kept, so the value of a page on the way falls by the share of pay that is lost.
        """
        more = paid - self.paid_by(number)
        self.paid[self.page.item(number)] = paid
        changed = []
        for each in (number, *self._way(number)):
            at = self.page.item(each)
            before, old = self._trip.item(at, 0), self.value.item(at)
            self._trip[at, 0] += more
            now = self._trip.item(at, 0)
            value = max(self.paid.item(at), now / self._trip.item(at, 1))
            if more > 0:
                value = max(value, old)
            elif each != number:
                value = max(value, old * now / before)
            self.value[at] = value
            changed.append((each, value - old))
        return changed

    def correct_neighbours(self, number: int, more: float) -> Numbers:
        """The links near a fetched one learn how much more it paid; returns who was told."""
        told = []
        for beside, weights, alike in self._near(number):
            self._tell_pay(beside, weights, alike, more)
            told += [beside, alike]
        return np.concatenate(told) if told else np.empty(0, np.int32)

    def correct_links(self, numbers: Numbers, more: float, near: float) -> None:
        """The links of a page learn how much more it paid, and how near a relevant one is."""
        self.counts[numbers, Count.PAID] += np.float16(more)
        if more > 0:
            self.said[numbers, Said.NEAR] = np.maximum(self.said[numbers, Said.NEAR], near)
        else:
            lost = numbers[self.counts[numbers, Count.PAID] <= 0]
            self.said[lost, Said.NEAR] = np.minimum(self.said[lost, Said.NEAR], near)

    def _way(self, number: int) -> Iterator[int]:
        """The pages on the way to a page, the last first."""
        for _ in range(_TRIP):
            number = self.parent.item(number)
            if number < 0:
                return
            yield number

    def _write_places(self, numbers: Numbers, paths: NDArray[np.uint32]) -> None:
        start, end = self._end, self._end + len(numbers)
        self._starts = grown(self._starts, self._written + 1)
        self._links, self._paths = grown(self._links, end), grown(self._paths, end)
        self._starts[self._written] = start
        self._links[start:end] = numbers
        self._paths[start:end] = paths
        self._written, self._end = self._written + 1, end
        sources = self.counts[numbers, Count.SOURCES].astype(np.intp)
        room = (sources < _PLACES).nonzero()[0]
        self._places[numbers[room], sources[room]] = room + (start + 1)

    # -- on disk ---------------------------------------------------------------------------

    def state(self) -> State:
        rows = {name: getattr(self, name)[: self.size].copy() for name in _ROWS}
        pages = {name: getattr(self, name)[: self.pages].copy() for name in _PAGES}
        return {
            "rows": rows,
            "pages": pages,
            "tokens": self.tokens.state(self.size),
            "starts": self._starts[: self._written].copy(),
            "links": self._links[: self._end].copy(),
            "paths": self._paths[: self._end].copy(),
        }

    def restore(self, state: State) -> None:
        kept: Any
        for name, kept in [*state["rows"].items(), *state["pages"].items()]:
            setattr(self, name, np.array(kept))
        self.size, self.pages = len(self.parent), len(self.paid)
        self._numbers.restore(
            {"keys": self.fingerprints, "values": np.arange(self.size, dtype=np.int32)}
        )
        self.tokens.restore(state["tokens"])
        self._starts = np.array(state["starts"], np.int32)
        self._links = np.array(state["links"], np.int32)
        self._paths = np.array(state["paths"], np.uint16)
        self._written, self._end = len(self._starts), len(self._links)


def _groups(paths: NDArray[np.uint32]) -> NDArray[np.intp]:
    """The same small number for equal paths; faster than sorting them, for a page's few links."""
    known: dict[int, int] = {}
    return np.array([known.setdefault(path, len(known)) for path in paths.tolist()], np.intp)


_ROWS = ("fingerprints", "said", "counts", "parent", "page", "_places")
_PAGES = ("paid", "value", "_trip")
