"""What a link is worth: the rewards of the best sequence that begins with it.

Rennie & McCallum 1999, section 2.3. Following a link to a page gives that page's reward at once.
From then on the spider knows the links of every page of its sequence and goes to the nearest
target among all that it has not been to. Q = Σ γ^t over the times t at which it finds one. Since
only the page that a link leads to matters, there is one value for each page.

Of several targets that are equally near the one with the lowest number is next, by the way through
the pages of lowest number; so the value is exact and the same on every machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wolfspider.records import Floats
from wolfspider.webs.graph import Graph, Mask, Numbers

_NEGLIGIBLE = 1e-6  # rewards that are worth less are not looked for


def greedy_rewards(graph: Graph, targets: Mask, gamma: float) -> Floats:
    """Q of every page: of a link that leads to it."""
    horizon = 1 + math.ceil(math.log(_NEGLIGIBLE) / math.log(gamma)) if gamma > 0 else 1
    near = nearest_targets(graph, targets, most=horizon + 1, horizon=horizon)
    discounts = (gamma ** np.arange(horizon + 1)).tolist()
    return np.array([_value(near, page, discounts) for page in range(graph.size)])


@dataclass(frozen=True)
class Nearest:
    """The nearest targets of each page, by distance and number, with the first step of the way.

    Row i of the arrays belongs to page p when starts[p] ≤ i < starts[p + 1].
    """

    starts: list[int]
    targets: list[int]
    distances: list[int]
    next: list[int]


def nearest_targets(graph: Graph, targets: Mask, most: int, horizon: int) -> Nearest:
    """At most so many targets for each page, at most `horizon` links away.

    All pages at once, a distance at a time: what is near to a page is near to those that link
    to it. A target that a page leaves out for lack of room is out for those behind it, too, for
    they have the same nearer ones.
    """
    backlinks, size = graph.backlinks, graph.size
    first = np.flatnonzero(targets & graph.within)
    level = _Entries(first, first, first)
    found, counts = [level], np.bincount(first, minlength=size)
    keys = first * size + first
    distances = [np.zeros(len(first), np.int64)]
    for distance in range(1, horizon + 1):
        level = _step_back(level, backlinks.indptr, backlinks.indices)
        level = level.unique(size)
        level = level.take(~np.isin(level.pages * size + level.targets, keys))
        level = level.take(_rank(level.pages) < most - counts[level.pages])
        if not len(level.pages):
            break
        found.append(level)
        distances.append(np.full(len(level.pages), distance))
        counts += np.bincount(level.pages, minlength=size)
        keys = np.concatenate([keys, level.pages * size + level.targets])
    return _sorted(found, np.concatenate(distances), size)


@dataclass(frozen=True)
class _Entries:
    """Pages, targets of theirs, and the first steps of the ways."""

    pages: Numbers
    targets: Numbers
    next: Numbers

    def take(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> _Entries:
        return _Entries(self.pages[rows], self.targets[rows], self.next[rows])

    def unique(self, size: int) -> _Entries:
        """Each pair once, with the lowest next page; sorted by page and target."""
        order = np.lexsort((self.next, self.targets, self.pages))
        pairs = self.pages[order] * size + self.targets[order]
        first = np.ones(len(order), bool)
        first[1:] = pairs[1:] != pairs[:-1]
        return self.take(order[first])


def _step_back(level: _Entries, starts: NDArray[np.int32], sources: NDArray[np.int32]) -> _Entries:
    """What the pages that link to these are near to by one link more."""
    counts = (starts[level.pages + 1] - starts[level.pages]).astype(np.int64)
    offsets = np.repeat(starts[level.pages] - np.cumsum(counts) + counts, counts)
    pages = sources[offsets + np.arange(counts.sum())].astype(np.int64)
    return _Entries(pages, np.repeat(level.targets, counts), np.repeat(level.pages, counts))


def _rank(pages: Numbers) -> Numbers:
    """How many rows of the same page come before; the pages are sorted."""
    begins = np.flatnonzero(np.append(True, pages[1:] != pages[:-1])) if len(pages) else pages
    return np.arange(len(pages)) - np.repeat(begins, np.diff(np.append(begins, len(pages))))


def _sorted(found: list[_Entries], distances: Numbers, size: int) -> Nearest:
    pages, targets, steps = (
        np.concatenate([getattr(level, name) for level in found])
        for name in ("pages", "targets", "next")
    )
    order = np.lexsort((targets, distances, pages))
    starts = np.searchsorted(pages[order], np.arange(size + 1))
    columns = (starts, targets[order], distances[order], steps[order])
    return Nearest(*(column.tolist() for column in columns))


def _value(near: Nearest, page: int, discounts: list[float]) -> float:
    """Q of one page, by the greedy sequence."""
    ends, targets, distances = near.starts, near.targets, near.distances
    time, value = 0, 0.0
    sequence = {page: ends[page]}  # pages on the way, with the first row that may still be new
    been: set[int] = set()
    while True:
        best, row = (math.inf, 0), -1
        for each, at in sequence.items():
            end = ends[each + 1]
            while at < end and targets[at] in been:
                at += 1
            sequence[each] = at
            if at < end and (distances[at], targets[at]) < best:
                best, row = (distances[at], targets[at]), at
        if row < 0 or time + distances[row] >= len(discounts):
            return value
        time += distances[row]
        value += discounts[time]
        been.add(targets[row])
        for step in _way(near, row):
            sequence.setdefault(step, ends[step])


def _way(near: Nearest, row: int) -> list[int]:
    """The pages behind the first one, up to the target of a row."""
    target, way = near.targets[row], []
    while near.distances[row]:
        step = near.next[row]
        way.append(step)
        row = near.targets.index(target, near.starts[step], near.starts[step + 1])
    return way
