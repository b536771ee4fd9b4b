"""What the texts of a watch are about: learned once from its first pages, zeros before."""

from __future__ import annotations

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.records import Floats, Page, State, Terms
from wolfspider.urls import fingerprint
from wolfspider.watching.clusters import Clusters
from wolfspider.watching.registry import CLUSTERS

SAMPLE = 200  # pages to learn from


class Topics:
    """Gathers a sample of pages, and then has clusters."""

    def __init__(self, sample: dict[int, Terms], seed: int = 0) -> None:
        self.clusters: Clusters | None = None
        self._sample, self._seed = sample, seed

    def wants(self, page: Page) -> bool:
        """Whether a page should be part of the sample."""
        room = self.clusters is None and len(self._sample) < SAMPLE
        return room and bool(page.terms.length) and fingerprint(page.url) not in self._sample

    def add(self, address: int, terms: Terms) -> None:
        self._sample[address] = terms

    def about(self, page: Page) -> Floats:
        """What a page is about; nothing, as long as that is not known."""
        return np.zeros(0) if self.clusters is None else self.clusters.of(page.terms)

    def learned(self) -> dict[int, Floats]:
        """Learn, once there are enough pages; gives what those are about."""
        if self.clusters is not None or len(self._sample) < SAMPLE:
            return {}
        try:
            self.clusters = Clusters.fit(list(self._sample.values()), CLUSTERS, self._seed)
        except BadInput:  # no words in common: they are about nothing, for ever
            empty = np.zeros((0, CLUSTERS), np.float32)
            self.clusters = Clusters(np.empty(0, np.uint32), empty)
        sample, self._sample = self._sample, {}
        return {address: self.clusters.of(terms) for address, terms in sample.items()}

    def state(self) -> State:
        return {} if self.clusters is None else self.clusters.state()

    def restore(self, state: State) -> None:
        if state:
            self.clusters = Clusters.restored(state)
            self._sample = {}
