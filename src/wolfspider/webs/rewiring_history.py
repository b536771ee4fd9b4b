"""Rewiring a web that changes: links of all versions, each of them the same link at all times.

A link is an address on the pages of another one, in however many versions. Two links that appeared
at about the same time exchange their ends, again and again, from the web as it is (the switching
of Milo et al. 2003, arXiv:cond-mat/0312028). So

* every version of a page keeps how many links it has, and every address how many others ever
  linked to it, most of them since about the same time;
* a link that stood in several versions leads to the same place in all of them;
* no page links to itself, unless it did, and none twice to another;
* no link leads to what appeared later than both the link and its old end, or to what was gone
  before them, so a reader who follows links finds about as much as before.

A link takes the words along that it had when it first appeared.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wolfspider.records import NO_LINKS, Fingerprints, Links
from wolfspider.webs.folder import HISTORY, Blobs, BlobWriter, GroupWriter
from wolfspider.webs.resolving import GONE, Resolver

_BLOCK = 2000  # links that appeared one after the other, and may exchange ends; at least
_ROUNDS = 100  # in each of which every link is asked once, and agrees half of the time
_BREATH = 256  # versions between two times that memory is given back
_CACHED = 1 << 16  # links kept in memory
_UNCHANGED = """
moment_keys.npy moments.npy page_starts.npy pages.bin redirects.npy text_starts.npy texts.bin
"""

Numbers = NDArray[np.int64]
Dates = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class TimedLinks:
    """Every link once, from one address to another, both by number."""

    source: Numbers
    target: Numbers
    since: Dates  # the date of the first version that has it
    version: Numbers  # that version, and its row there
    row: Numbers
    born: Dates  # of every address: its first answer that is not an error
    died: Dates  # and since when it is gone for good


@dataclass(frozen=True, slots=True, eq=False)
class _Moments:
    """What every address answered when."""

    keys: Fingerprints
    dates: Dates
    answers: Numbers

    @classmethod
    def load(cls, folder: Path) -> _Moments:
        moments = np.load(folder / "moments.npy")
        keys = np.load(folder / "moment_keys.npy")
        return cls(keys, moments["date"].copy(), moments["answer"].copy())

    def last(self) -> tuple[Fingerprints, Numbers, Dates]:
        """All addresses, and their last answers with dates."""
        ends = np.flatnonzero(np.append(self.keys[1:] != self.keys[:-1], True))
        return self.keys[ends], self.answers[ends], self.dates[ends]

    def versions(self, count: int) -> tuple[Fingerprints, Dates]:
        """The address of each version, and when it first appeared."""
        pages = np.flatnonzero(self.answers >= 0)
        pages = pages[np.lexsort((self.dates[pages], self.answers[pages]))]
        rows, first = np.unique(self.answers[pages], return_index=True)
        assert len(rows) == count  # every version was an answer once
        return self.keys[pages[first]], self.dates[pages[first]]


def exchanged(links: TimedLinks, seed: int) -> Numbers:
    """For every link the one whose end and words it gets."""
    random, addresses = np.random.default_rng(seed), len(links.born)
    ends = np.arange(len(links.source))
    latest = np.maximum(links.since, links.born[links.target])
    earliest = np.minimum(links.since, links.died[links.target])
    free = np.flatnonzero(links.source != links.target)
    block = _blocks(links.since[free])
    for _ in range(_ROUNDS):
        order = np.lexsort((random.random(len(free)), block))
        pairs = order[: len(order) // 2 * 2].reshape(-1, 2)
        one, other = free[pairs[block[pairs[:, 0]] == block[pairs[:, 1]]]].T
        good = random.random(len(one)) < 0.5  # or two links alone would always change places
        made = []
        for link, theirs in ((one, other), (other, one)):
            target = links.target[ends[theirs]]
            good &= (links.born[target] <= latest[link]) & (links.died[target] >= earliest[link])
            good &= links.source[link] != target
            made.append(links.source[link] * addresses + target)
        there = links.source * addresses + links.target[ends]
        good &= ~np.isin(made, there).any(0) & _single(np.stack(made))
        one, other = one[good], other[good]
        ends[one], ends[other] = ends[other], ends[one]
    return ends


def _single(made: Numbers) -> NDArray[np.bool_]:
    """Which columns have nothing that stands anywhere else."""
    _, inverse, counts = np.unique(made, return_inverse=True, return_counts=True)
    alone: NDArray[np.bool_] = (counts[inverse.reshape(made.shape)] == 1).all(0)
    return alone


def _blocks(since: Dates) -> Numbers:
    """A number for each link: what appeared at one moment stays together."""
    _, moment, counts = np.unique(since, return_inverse=True, return_counts=True)
    numbers, size, number = np.empty(len(counts), np.int64), 0, 0
    for at, count in enumerate(counts.tolist()):
        numbers[at] = number
        size += count
        if size >= _BLOCK:
            size, number = 0, number + 1
    if size and number:
        numbers[numbers == number] = number - 1  # too few for a block of their own
    blocks: Numbers = numbers[moment]
    return blocks


def rewire_history(web: Path, folder: Path, seed: int) -> Iterator[tuple[int, int]]:
    """Write the history and the last state; yields pages and versions done, and all of them."""
    past = web / HISTORY
    moments, blobs = _Moments.load(past), Blobs(past, "link")
    links, entries, starts = _collect(moments, blobs)
    ends = exchanged(links, seed)
    (folder / HISTORY).mkdir()
    for name in _UNCHANGED.split():
        shutil.copyfile(past / name, folder / HISTORY / name)
    keys, answers, _ = moments.last()
    resolver = Resolver(keys, answers, np.load(past / "redirects.npy"))
    total = len(blobs) + len(resolver.used)

    @lru_cache(maxsize=_CACHED)
    def link(number: int) -> Links:
        version, row = int(links.version[number]), int(links.row[number])
        return Links(blobs[version]).take(np.array([row]))

    writer = BlobWriter(folder / HISTORY, "link")
    try:
        for version in range(len(blobs)):
            mine = ends[entries[starts[version] : starts[version + 1]]]
            parts = [link(number) for number in mine.tolist()]
            writer.append((Links.chain(parts) if parts else NO_LINKS).buffer)
            if version % _BREATH == 0:
                blobs.let_go()
            yield version + 1, total
        writer.close()
    finally:
        writer.abandon()
    for done in _write_state(resolver, folder):
        yield len(blobs) + done, total


def _collect(moments: _Moments, blobs: Blobs) -> tuple[TimedLinks, Numbers, Numbers]:
    """All links; and the links of each version, with where those of a version begin."""
    keys, answers, dates = moments.last()
    origin, since = moments.versions(len(blobs))
    found, counts = [np.empty(0, np.uint64)], []
    for number in range(len(blobs)):
        found.append(Links(blobs[number]).fingerprints.copy())  # or all links stay in memory
        counts.append(len(found[-1]))
    starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    version = np.repeat(np.arange(len(blobs)), counts)
    target = np.searchsorted(keys, np.concatenate(found)).astype(np.int64)
    source = np.searchsorted(keys, origin)[version].astype(np.int64)
    order = np.lexsort((version, since[version]))
    _, first, numbers = np.unique(
        (source * len(keys) + target)[order], return_index=True, return_inverse=True
    )
    first, entries = order[first], np.empty(len(order), np.int64)
    entries[order] = numbers
    links = TimedLinks(
        source[first],
        target[first],
        since[version[first]],
        version[first],
        first - starts[version[first]],
        _births(moments, len(keys)),
        np.where(answers == GONE, dates, np.inf),
    )
    return links, entries, starts


def _births(moments: _Moments, addresses: int) -> Dates:
    number = np.cumsum(np.append(True, moments.keys[1:] != moments.keys[:-1])) - 1
    born = np.full(addresses, np.inf)
    there = moments.answers != GONE
    np.minimum.at(born, number[there], moments.dates[there])
    return born


def _write_state(resolver: Resolver, folder: Path) -> Iterator[int]:
    """The links of the last version of each page, as the compiler would have resolved them."""
    past, pages = Blobs(folder / HISTORY, "link"), Blobs(folder / HISTORY, "page")
    blobs, graph = BlobWriter(folder, "link"), GroupWriter(folder, "graph")
    try:
        for page, version in enumerate(resolver.used.tolist()):
            links, leads_to = resolver.resolve(Links(past[version]), page, pages)
            blobs.append(links.buffer)
            graph.append(leads_to)
            yield page + 1
        blobs.close()
        graph.close()
    finally:
        blobs.abandon()
        graph.abandon()
