"""The link graph of a recorded web, for those who may know it: tasks, oracles, metrics."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from wolfspider.records import Floats
from wolfspider.webs.recorded import RecordedWeb

Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Graph:
    """Pages as numbers, links as a sparse matrix; only the pages of `within` exist."""

    def __init__(self, web: RecordedWeb, within: Mask | None = None) -> None:
        starts, targets = web.graph
        self.size = len(web)
        self.within = np.ones(self.size, bool) if within is None else within
        sources = np.repeat(np.arange(self.size), np.diff(starts))
        kept = self.within[sources] & self.within[targets]
        shape = (self.size, self.size)
        ones = np.ones(int(kept.sum()), np.int8)
        self.links = csr_array((ones, (sources[kept], targets[kept])), shape=shape)

    @cached_property
    def backlinks(self) -> csr_array:
        return self.links.T.tocsr()

    def distances_from(self, pages: Numbers) -> Floats:
        """Links to follow from the nearest of these pages; inf where there is no way."""
        return distances(self.links, pages)

    def distances_to(self, pages: Numbers) -> Floats:
        """Links to follow to the nearest of these pages; inf where there is no way."""
        return distances(self.backlinks, pages)

    def best_reward(self, rewards: Floats, gamma: float, horizon: int) -> Floats:
        """V(p) = r(p) + γ · max V(q) over its links q, for paths of up to `horizon` links.

        A reward counts each time that a path comes to it: two targets that link to each other
        are worth 1 + γ + γ² + …
        """
        starts, ends = self.links.indptr, self.links.indices
        linking = np.flatnonzero(np.diff(starts))
        values = rewards.copy()
        for _ in range(horizon):
            best = np.zeros(self.size)
            if len(linking):
                best[linking] = np.maximum.reduceat(values[ends], starts[linking])
            values = rewards + gamma * best
        return values


def distances(links: csr_array, pages: Numbers) -> Floats:
    """Links to follow from the nearest of these pages; breadth-first, a level at a time."""
    starts, ends = links.indptr, links.indices
    found = np.full(links.shape[0], np.inf)
    found[pages] = 0
    latest = np.empty(links.shape[0], np.int64)
    level = np.unique(pages)
    step = 0
    while len(level):
        step += 1
        counts = starts[level + 1] - starts[level]
        offsets = np.repeat(starts[level] - np.cumsum(counts) + counts, counts)
        reached = ends[offsets + np.arange(counts.sum())]
        reached = reached[np.isinf(found[reached])]
        found[reached] = step
        # Each page once, without sorting: of several rows that name it the last one stays.
        rows = np.arange(len(reached))
        latest[reached] = rows
        level = reached[latest[reached] == rows]
    return found
