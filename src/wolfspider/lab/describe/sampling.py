"""Distances from a sample of pages, one source after the other."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from wolfspider.lab.describe.content import Pairs
from wolfspider.lab.describe.reach import Reach, Walks, drawn
from wolfspider.lab.describe.targets import nearest
from wolfspider.webs.graph import Graph, Numbers, distances

_COMPARED = 1000  # sources of which the words are compared; each brings about 35 pages


@dataclass(frozen=True)
class Sampling:
    """At most `most` sources of each kind. Its methods yield the share of their work done."""

    graph: Graph
    targets: Numbers
    most: int
    seed: int

    def from_pages(self) -> Generator[float, None, tuple[Reach, Reach, Pairs]]:
        """From any page to all others and to the targets; and pairs at every distance."""
        to_all, to_targets, pairs = Walks(), Walks(), Pairs(self.seed)
        pages = np.arange(self.graph.size)
        compared = set(drawn(drawn(pages, self.most, self.seed), _COMPARED, self.seed).tolist())
        for share, source in self._each(pages):
            yield share
            found = self.graph.distances_from(np.array([source]))
            to_all.add(found)
            to_targets.add(found[self.targets])
            if source in compared:
                pairs.add(source, found)
        return self._reach(to_all), self._reach(to_targets), pairs

    def both_ways(self, neighbours: csr_array) -> Generator[float, None, Reach]:
        """From any page to all others, where links may be followed backwards, too."""
        walks = Walks()
        for share, source in self._each(np.arange(self.graph.size)):
            yield share
            walks.add(distances(neighbours, np.array([source])))
        return self._reach(walks)

    def from_targets(self) -> Generator[float, None, tuple[Reach, Reach, Reach]]:
        """From a target to the other targets, to all other pages, to the nearest target."""
        to_targets, to_all, near = Walks(), Walks(), Walks()
        for share, source in self._each(self.targets):
            yield share
            found = self.graph.distances_from(np.array([source]))
            to_targets.add(found[self.targets])
            to_all.add(found)
            near.add(nearest(found[self.targets]))
        exact = len(self.targets) <= self.most
        first, second, third = (
            walks.reach(seed=self.seed, exact=exact) for walks in (to_targets, to_all, near)
        )
        return first, second, third

    def _each(self, pages: Numbers) -> Generator[tuple[float, int]]:
        sources = drawn(pages, self.most, self.seed).tolist()
        for done, source in enumerate(sources):
            yield done / len(sources), source

    def _reach(self, walks: Walks) -> Reach:
        return walks.reach(seed=self.seed, exact=self.graph.size <= self.most)
