"""Distances: the fewest links to follow from one page to another, from a sample of sources."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wolfspider.lab.describe.estimates import Estimate, ratio
from wolfspider.records import Floats
from wolfspider.webs.graph import Numbers

_MOST = 0.9  # of the pairs are within the effective diameter


@dataclass(frozen=True)
class Reach:
    """How far pages are from each other. Pairs are ordered, and never a page with itself."""

    sources: int
    exact: bool  # no page was left out as a source
    mean: Estimate | None  # distance of the pairs with a way
    reachable: Estimate | None  # share of the pairs with a way
    effective_diameter: float | None
    longest: int | None  # the diameter if exact, otherwise no more than it
    pairs: tuple[int, ...]  # how many are 1, 2, … links apart


class Walks:
    """Gathers the distances from one source after the other."""

    def __init__(self) -> None:
        self._rows: list[Numbers] = []
        self._possible: list[int] = []

    def add(self, distances: Floats) -> None:
        """Of the pages that count, from one source: 0 for itself, inf where there is no way."""
        steps = distances[np.isfinite(distances)].astype(np.int64)
        self._rows.append(np.bincount(steps[steps > 0]))
        self._possible.append(len(distances) - int((distances == 0).sum()))

    def reach(self, *, seed: int, exact: bool = False) -> Reach:
        reached = np.array([row.sum() for row in self._rows], float)
        steps = np.array([row @ np.arange(len(row)) for row in self._rows], float)
        possible = np.array(self._possible, float)
        pairs = np.zeros(max((len(row) for row in self._rows), default=0), np.int64)
        for row in self._rows:
            pairs[: len(row)] += row
        return Reach(
            len(self._rows),
            exact,
            ratio(steps, reached, seed=seed, exact=exact),
            ratio(reached, possible, seed=seed, exact=exact),
            effective_diameter(pairs),
            len(pairs) - 1 if len(pairs) else None,
            tuple(pairs[1:].tolist()),
        )


def effective_diameter(pairs: Numbers) -> float | None:
    """Links within which 90 % of the pairs with a way are. `pairs[d]` are d links apart.

    Between whole numbers by a straight line: Leskovec, Kleinberg & Faloutsos (2005).
    """
    if not pairs.sum():
        return None
    shares = np.cumsum(pairs) / pairs.sum()
    at = int(np.argmax(shares >= _MOST))
    before = shares[at - 1] if at else 0.0
    return float(at - 1 + (_MOST - before) / (shares[at] - before))


def drawn(pages: Numbers, most: int, seed: int) -> Numbers:
    """At most so many of the pages, sorted; which ones, the seed decides."""
    if len(pages) <= most:
        return pages
    chosen = np.random.default_rng(seed).choice(pages, most, replace=False)
    return np.sort(chosen)


def by_depth(depths: Floats) -> tuple[tuple[int, ...], int]:
    """How many pages are 0, 1, … links away, and how many cannot be reached."""
    known = depths[np.isfinite(depths)].astype(np.int64)
    return tuple(np.bincount(known).tolist()), len(depths) - len(known)
