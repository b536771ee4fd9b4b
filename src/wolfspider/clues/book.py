"""A book on links: what the pages that have them say, and what became of links near them.

Every link that was ever found has a number and a row. A page that was fetched tells three times:
its links learn what it paid; the pages on the way to it, that a trip which began with them paid;
and the links beside each of these learn what it paid, those at the same tag path of the same page
what it was worth, which is more where it led on to something.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wolfspider.clues.rates import Singles
from wolfspider.clues.tokens import TokenPool, grown, ragged
from wolfspider.fingerprint_map import ABSENT, FingerprintMap
from wolfspider.records import Fingerprints, Rows, State

Numbers = NDArray[np.intp]  # as NumPy looks things up: others it has to turn into these each time
Counts = NDArray[Any]

FAR = 15.0  # a depth or distance beyond is as good as this
_PLACES = 3  # where a link stands that are remembered with it
_TRIP = 8  # pages on the way to a page that are told what became of it
ONE = 32  # a page that counts in full; one that is half relevant paid half of it
_BESIDE = np.array([16, 32, 0, 32, 16])  # for who stands 2 places before … after it
_RELEVANT = 0.5  # what a page paid from which on it was relevant
_STEPS = np.arange(-2, 3)
_NEWS = 64  # at most that neighbours wait for, before those of another page come
_LARGEST = 28_000  # a count; it leaves room for as much news as may come at a time
_ENOUGH = 21_000.0  # and what is left of one that is larger


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


LIKENESS = slice(Said.ANCHOR, Said.PAGE)  # to the topic, of a link's own words
MEANING = slice(Said.MEANS_ANCHOR, Said.SAME_HOST)

# What is said is kept in whole numbers of a byte: likeness in hundredths, distances as they are.
_SCALE = np.full(len(Said), 100, np.float32)
_SCALE[[Said.NEAR, Said.SHALLOW]] = 1
_SCALE[Said.ALONE] = 8
_NOTHING = -128  # was said
Bytes = NDArray[np.int8]


def in_bytes(values: NDArray[Any], what: slice = slice(None)) -> Bytes:
    """What is said, or some of it, as it is kept; the last axis is `Said`."""
    scaled: Bytes = np.rint(values * _SCALE[what]).astype(np.int8)
    return scaled


class Count(IntEnum):
    """What was counted for a link: the first three are what the next three paid, or were worth."""

    PAID = 0
    ALIKE_WORTH = 1
    BESIDE_PAID = 2
    SOURCES = 3  # pages with this link
    ALIKE = 4  # fetched links at the same tag path of the same pages
    BESIDE = 5  # fetched links close by on the same pages, weighted


class _News(NamedTuple):
    """Of a place: another trial or none, how much more it paid, and how much more it was worth."""

    place: int
    trials: int
    paid: float
    worth: float


class Book:
    """Rows for all links that were ever found, by number."""

    def __init__(self) -> None:
        self._numbers = FingerprintMap()
        self.size = 0
        self._said = np.zeros((1 << 10, len(Said)), np.int8)
        self._counts = np.zeros((1 << 10, len(Count)), np.int16)
        self._talk = np.zeros(1 << 10, np.float32)  # of all its pages together
        self.parent = np.zeros(1 << 10, np.int32)  # the page on which it was found first
        self.page = np.zeros(1 << 10, np.int32)  # when it was fetched, from 1 on; 0: not yet
        self.tokens = TokenPool()
        self._places = np.zeros((1 << 10, _PLACES), np.int32)  # from 1 on; 0: none
        # of fetched pages, by when
        self.pages = 1
        self.paid = np.zeros(1 << 10, np.float32)  # by itself
        self.value = np.zeros(1 << 10, np.float32)  # the best yield of a trip from it on, so far
        self._trip = np.zeros((1 << 10, 2), np.float32)  # paid, and fetched, from it on
        self._turns = np.zeros(1 << 10, np.int32)  # of its links, see `nearest`
        # of places, page after page
        self._starts = np.zeros(1 << 8, np.int32)  # and where the next one will start
        self._written = 0  # pages with places
        self._links = np.zeros(1 << 12, np.int32)  # number of the link at each place
        self._paths = np.zeros(1 << 12, np.uint16)
        self._news: list[_News] = []  # that neighbours have not been told

    # -- numbers ---------------------------------------------------------------------------

    def number(self, fingerprint: int) -> int:
        """The number of a link; a new one is given the next."""
        number = self._numbers.get_one(fingerprint)
        if number == ABSENT:
            number = self._add(1, ABSENT)
            self._numbers.set_one(fingerprint, number)
        return number

    def find(self, fingerprint: int) -> int:
        """The same, but ABSENT for one that was never found."""
        return self._numbers.get_one(fingerprint)

    def numbers(self, fingerprints: Fingerprints) -> Numbers:
        """Numbers of links, ABSENT for new ones."""
        return self._numbers.get(fingerprints).astype(np.intp)

    def enter(self, fingerprints: Fingerprints, source: int) -> tuple[Numbers, Rows]:
        """Numbers of the links of a page, and which of them are new: these are given the next."""
        slots = self._numbers.find(fingerprints)
        numbers = self._numbers.at(slots, fingerprints).astype(np.intp)
        new = (numbers == ABSENT).nonzero()[0]
        if len(new):
            numbers[new] = np.arange(self._add(len(new), source), self.size)
            self._numbers.set(fingerprints[new], numbers[new], slots[new])
        return numbers, new

    def _add(self, count: int, parent: int) -> int:
        """Rows for links of a page, or of none; returns the number of the first."""
        first, self.size = self.size, self.size + count
        if self.size > len(self.parent):
            for name in _ROWS:
                setattr(self, name, grown(getattr(self, name), self.size))
        self.tokens.make_room(self.size)
        self._said[first : self.size] = _NOTHING
        self.parent[first : self.size] = parent
        return first

    def is_sown(self, number: int) -> bool:
        """Whether a link is a seed, or one that nobody knew of: no page led to it."""
        return self.parent.item(number) < 0

    def fetched(self, number: int) -> bool:
        return self.page.item(number) > 0

    def paid_by(self, number: int) -> float:
        """What a page that was fetched paid by itself."""
        return self.paid.item(self.page.item(number))

    def nearest(self, numbers: Numbers, *, in_turn: bool) -> int:
        """Which of the links is nearest to the seeds; of equals the first.

        Or, `in_turn`, the first of the page that had the fewest turns: one page with a thousand
        links would hide all others that are as near.
        """
        shallow = self._said[numbers, Said.SHALLOW]
        if not in_turn:
            return int(shallow.argmax())
        near = (shallow == shallow.max()).nonzero()[0]
        pages = self.page.take(self.parent.take(numbers.take(near)))
        first = int(self._turns.take(pages).argmin())
        self._turns[pages[first]] += 1
        return int(near[first])

    def most(self, numbers: Numbers, what: slice) -> int:
        """The first of the links of which pages say most of this; ABSENT if of none anything."""
        said = self._said[:, what].take(numbers, axis=0).clip(0).sum(axis=1, dtype=np.int16)
        first = int(said.argmax())
        return numbers.item(first) if said[first] else ABSENT

    def values(self, numbers: NDArray[np.integer[Any]]) -> Singles:
        """What fetched links were worth as far as is known."""
        return self.value.take(self.page.take(numbers))

    # -- what is known of links ------------------------------------------------------------

    def said(self, numbers: Numbers) -> Singles:
        """What pages say about links: links × `Said`."""
        said: Singles = np.divide(self._said.take(numbers, axis=0), _SCALE, dtype=np.float32)
        return said

    def said_of(self, number: int, what: Said) -> float:
        return self._said.item(number, what) / _SCALE.item(what)

    def say(self, number: int, what: Said, value: float) -> None:
        """Say something about a link, whatever was said before."""
        self._said[number, what] = round(value * _SCALE.item(what))

    def counts(self, numbers: Numbers) -> Singles:
        """What was counted for links: links × `Count`."""
        return self._counts.take(numbers, axis=0) * np.float32(1 / ONE)

    def count_of(self, number: int, what: Count) -> float:
        return self._counts.item(number, what) / ONE

    def talk(self, numbers: Numbers) -> Singles:
        """How much the pages of links talk as relevant pages do, all pages together."""
        return self._talk.take(numbers)

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
        if len(self._news) >= _NEWS:
            self.tell_neighbours()
        self._spread(number, 1, paid, paid)
        return self._tell_the_way(number, paid)

    def _spread(self, number: int, trials: int, paid: float, worth: float) -> None:
        """News of a link: those who stand near it will be told."""
        places = self._places[number].tolist()
        self._news += [_News(place, trials, paid, worth) for place in places if place]

    def _tell_the_way(self, number: int, paid: float) -> list[tuple[int, float]]:
        risen, trip = [], self._trip
        for each in self._way(number):
            at = self.page.item(each)
            trip[at, 1] += 1
            if paid:
                trip[at, 0] += paid
                value = trip.item(at, 0) / trip.item(at, 1)
                if (more := value - self.value.item(at)) > 0:
                    self._revalue(each, value)
                    risen.append((each, more))
        return risen

    def foresee(self, number: int, value: float) -> float:
        """A trip from a fetched page on may yield so much; returns how much more than is known."""
        more = value - self.value.item(self.page.item(number))
        if more > 0:
            self._revalue(number, value)
        return max(0.0, more)

    def _revalue(self, number: int, value: float) -> None:
        """A fetched page is worth more, or less, than was known."""
        at = self.page.item(number)
        before, self.value[at] = _counted(self.value.item(at)), value
        if more := _counted(self.value.item(at)) - before:
            self._spread(number, 0, 0.0, more)

    def tell_neighbours(self) -> Numbers:
        """Tell the links that stand near those fetched since the last time what these were.

        Returns who was told, some more than once.
        """
        if not self._news:
            return np.empty(0, np.intp)
        places, trials, paid, worth = (np.array(each) for each in zip(*self._news, strict=True))
        self._news, at = [], places - 1
        page = self._starts[: self._written].searchsorted(at, "right") - 1
        alike, lists, list_of = self._alike(at, page)
        trials_there, worth_there = np.bincount(list_of, trials), np.bincount(list_of, worth)
        self._count(alike, Count.ALIKE, ONE * trials_there[lists], ONE * worth_there[lists])
        beside, which, parts = self._beside(at, page)
        self._count(beside, Count.BESIDE, parts * trials[which], parts * paid[which])
        return np.concatenate([alike, beside])

    def _count(self, links: Numbers, what: Count, seen: Counts, paid: Counts) -> None:
        """Count more of something for links, and what it paid; a link may stand there twice."""
        counts, cells = self._counts.ravel(), links * len(Count) + what
        np.add.at(counts, cells, seen.astype(np.int16))
        changed = counts.take(cells) > _LARGEST
        if paid.any():
            np.add.at(counts, cells - Count.SOURCES, np.rint(paid).astype(np.int16))
            changed |= counts.take(cells - Count.SOURCES) < 0
        if changed.any():
            some = np.unique(links[changed])
            self._counts[some], _ = _within(self._counts[some].astype(np.intp))

    def _alike(self, at: Rows, page: Rows) -> tuple[Numbers, Rows, Rows]:
        """The links at the same tag paths of these pages as some places are.

        Each list of links is told once, however many of them there is news of: the links, of
        which list they are, and of which list each place is.
        """
        lists, first, list_of = np.unique(
            page << 16 | self._paths.take(at), return_index=True, return_inverse=True
        )
        begins = self._starts.take(page[first])
        lengths = self._starts.take(page[first] + 1) - begins
        here, which = ragged(begins, lengths), np.arange(len(lists)).repeat(lengths)
        alike = (self._paths.take(here) == (lists & 0xFFFF)[which]).nonzero()[0]
        return self._links.take(here[alike]).astype(np.intp), which[alike], list_of

    def _beside(self, at: Rows, page: Rows) -> tuple[Numbers, Rows, Counts]:
        """The links close by, beside which place, and how much it counts for them."""
        begins, ends = self._starts.take(page)[:, None], self._starts.take(page + 1)[:, None]
        steps = at[:, None] + _STEPS
        which, step = ((steps >= begins) & (steps < ends)).nonzero()
        beside = self._links.take(steps[which, step]).astype(np.intp)
        return beside, which, _BESIDE[step]

    def tell_links(
        self,
        numbers: Numbers,
        waiting: Rows,
        said: Bytes,
        paths: NDArray[np.uint32],
        paid: float,
        talk: float,
    ) -> None:
        """What a fetched page tells those of its links that wait; `said` has a row for each."""
        told = numbers.take(waiting)
        self._said[told] = np.maximum(self._said.take(told, axis=0), said)
        counts = self._counts.take(told, axis=0).astype(np.intp)
        self._write_places(numbers, paths, waiting, counts[:, Count.SOURCES])
        if len(waiting) < len(numbers):
            self._tell_of_fetched(counts, numbers, waiting, paths)
        counts[:, Count.SOURCES] += ONE
        if paid:
            counts[:, Count.PAID] += round(ONE * paid)
        talks = self._talk.take(told) + np.float32(talk)
        if counts.max(initial=0) > _LARGEST:
            some = np.flatnonzero(counts.max(axis=1) > _LARGEST)
            counts[some], shares = _within(counts[some])
            talks[some] *= shares[:, 0]
        self._counts[told], self._talk[told] = counts, talks

    def _tell_of_fetched(
        self,
        counts: NDArray[np.intp],
        numbers: Numbers,
        waiting: Rows,
        paths: NDArray[np.uint32],
    ) -> None:
        """The links that wait learn where on the page the others are, and what these paid."""
        pages = self.page.take(numbers)
        here, value = pages > 0, self.value.take(pages)
        there = paths[here]
        order = there.argsort()
        there, mine = there.take(order), paths.take(waiting)
        first, last = there.searchsorted(mine), there.searchsorted(mine, "right")
        counts[:, Count.ALIKE] += ONE * (last - first)
        counts[:, Count.BESIDE] += np.correlate(here, _BESIDE, "full")[2:-2].take(waiting)
        if np.count_nonzero(value):
            total = np.zeros(len(there) + 1, np.intp)
            np.rint(ONE * value[here].take(order)).astype(np.intp).cumsum(out=total[1:])
            counts[:, Count.ALIKE_WORTH] += total.take(last) - total.take(first)
            beside_paid = np.correlate(self.paid.take(pages), _BESIDE, "full")[2:-2].take(waiting)
            counts[:, Count.BESIDE_PAID] += np.rint(beside_paid).astype(np.intp)

    def find_again(self, numbers: Numbers, most: int) -> Rows:
        """Another page has links to fetched pages: which of these were on fewer than `most`.

        Of others it is not counted any more how many pages have them.
        """
        sources = self._counts.take(numbers, axis=0)[:, Count.SOURCES]
        few: Rows = (sources < most * ONE).nonzero()[0]
        if len(few):
            self._counts[numbers.take(few), Count.SOURCES] += np.int16(ONE)
        return few

    # -- another verdict -------------------------------------------------------------------

    def correct(self, number: int, paid: float) -> list[tuple[int, float]]:
        """A fetched page was something else; returns whose value has changed, and by how much.

        Counts of trips are then as if it had been so from the beginning. Which of them was the
        best is not kept, so the value of a page on the way falls by the share of pay that is lost;
        what was foreseen of it, and of the page itself, is lost with it.
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
            elif each != number and before > 0:
                value = max(value, old * now / before)
            self._revalue(each, value)
            changed.append((each, value - old))
        self._spread(number, 0, more, 0.0)
        return changed

    def correct_links(self, numbers: Numbers, more: float, near: float) -> None:
        """The links of a page learn how much more it paid, and how near a relevant one is."""
        paid = self._counts[numbers, Count.PAID].astype(np.int32) + round(ONE * more)
        self._counts[numbers, Count.PAID] = paid.clip(0, _LARGEST)
        nearness = np.int8(near * _SCALE[Said.NEAR])
        said = self._said[numbers, Said.NEAR]
        if more > 0:
            self._said[numbers, Said.NEAR] = np.maximum(said, nearness)
        else:
            lost = self._counts[numbers, Count.PAID] < ONE * _RELEVANT  # no other page is
            self._said[numbers[lost], Said.NEAR] = np.minimum(said[lost], nearness)

    def _way(self, number: int) -> Iterator[int]:
        """The pages on the way to a page, the last first."""
        for _ in range(_TRIP):
            number = self.parent.item(number)
            if number < 0:
                return
            yield number

    def _write_places(
        self, numbers: Numbers, paths: NDArray[np.uint32], waiting: Rows, sources: Numbers
    ) -> None:
        room = (sources < _PLACES * ONE).nonzero()[0]
        if not len(room):
            return  # nobody will come back to this page
        start = self._starts.item(self._written)
        end = start + len(numbers)
        self._links, self._paths = grown(self._links, end), grown(self._paths, end)
        self._links[start:end] = numbers
        self._paths[start:end] = paths
        self._written += 1
        self._starts = grown(self._starts, self._written + 1)
        self._starts[self._written] = end
        here = waiting.take(room)
        self._places[numbers.take(here), sources.take(room) // ONE] = here + (start + 1)

    # -- on disk ---------------------------------------------------------------------------

    def state(self) -> State:
        rows = {name: getattr(self, name)[: self.size].copy() for name in _ROWS}
        pages = {name: getattr(self, name)[: self.pages].copy() for name in _PAGES}
        end = self._starts.item(self._written)
        return {
            "numbers": self._numbers.state(),
            "rows": rows,
            "pages": pages,
            "tokens": self.tokens.state(self.size),
            "starts": self._starts[: self._written + 1].copy(),
            "links": self._links[:end].copy(),
            "paths": self._paths[:end].copy(),
            "news": [list(news) for news in self._news],
        }

    def restore(self, state: State) -> None:
        kept: Any
        for name, kept in [*state["rows"].items(), *state["pages"].items()]:
            setattr(self, name, np.array(kept))
        self.size, self.pages = len(self.parent), len(self.paid)
        self._numbers.restore(state["numbers"])
        self.tokens.restore(state["tokens"])
        self._starts = np.array(state["starts"], np.int32)
        self._links = np.array(state["links"], np.int32)
        self._paths = np.array(state["paths"], np.uint16)
        self._written = len(self._starts) - 1
        self._news = [_News(*news) for news in state["news"]]


def _within(counts: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Counts that are not too large, and by which shares they are smaller, links × pairs.

    What is counted and what it paid are made smaller together, so the rate stays; and by more than
    is needed, so that it is not needed every time. Less than nothing was never paid.
    """
    seen = counts[:, Count.SOURCES :]
    shares = np.where(seen > _LARGEST, _ENOUGH / np.maximum(seen, 1), 1).astype(np.float32)
    less = np.rint(counts * np.tile(shares, 2)).astype(np.intp)
    return less.clip(0, _LARGEST), shares


def _counted(value: float) -> float:
    """A worth in the units in which it is counted, so that what it has risen by adds up."""
    return round(ONE * value) / ONE


_ROWS = ("_said", "_counts", "_talk", "parent", "page", "_places")
_PAGES = ("paid", "value", "_trip", "_turns")
