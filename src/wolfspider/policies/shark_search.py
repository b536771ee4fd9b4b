"""Shark-search: fish-search with scores by degree (Hersovici et al. 1998).

Depth, r and the batch of N follow Menczer, Pant & Srinivasan 2004, figures 8 and 17;
the neighbourhood and inherited scores follow Hersovici et al.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wolfspider.policies.batched import BatchedPolicy
from wolfspider.policies.inheritance import Inheritance, fingerprints_of
from wolfspider.records import Floats, Link, Links, State, Visit
from wolfspider.topics import Topic


class SharkSearch(BatchedPolicy):
    """Scores links by anchor, words around it and what their ancestors were worth.

        score = (1 − r) · neighbourhood + r · inherited
        neighbourhood = β · sim(anchor) + (1 − β) · (1 if sim(anchor) > 0 else sim(context))
        inherited = δ · (sim(page) if sim(page) > 0 else what the page inherited)

    A path without a relevant page ends after `depth` links.
    """

    raise_scores = True

    def __init__(
        self,
        *,
        topic: Topic,
        depth: int = 3,
        r: float = 0.1,
        beta: float = 0.8,
        delta: float = 0.5,
        n: int = 1,
        seed: int = 0,
        buffer: int | None = None,
    ) -> None:
        if depth < 0:
            raise ValueError(f"depth is a number of links, 0 or more, not {depth}")
        for name, share in (("r", r), ("beta", beta), ("delta", delta)):
            if not 0 <= share <= 1:
                raise ValueError(f"{name} lies between 0 and 1, not {share}")
        super().__init__(n=n, seed=seed, buffer=buffer)
        self.topic = topic
        self.depth = depth
        self.r = r
        self.beta = beta
        self.delta = delta
        self._inheritance = Inheritance()
        self._passed_on = 0.0  # by the page whose links are being scored

    def start(self, seeds: Sequence[Link]) -> None:
        self._inheritance.give(fingerprints_of(seeds), self.depth, 0.0)
        super().start(seeds)

    def learn(self, visit: Visit) -> None:
        left, inherited = self._inheritance.of(visit.link.fingerprint, (self.depth, 0.0))
        if left <= 0 or not len(visit.page.links):
            return
        similarity = self.topic.similarity(visit.page.terms)
        depth = self.depth if similarity > 0 else left - 1
        passed_on = self.delta * (similarity if similarity > 0 else inherited)
        self._inheritance.give(visit.page.links.fingerprints, depth, passed_on)
        self._passed_on = passed_on
        super().learn(visit)

    def score(self, links: Links, visit: Visit) -> Floats:
        anchor, context = map(self.topic.similarities, links.bags("anchor", "context"))
        around = np.where(anchor > 0, 1.0, context)
        neighbourhood = self.beta * anchor + (1 - self.beta) * around
        return (1 - self.r) * neighbourhood + self.r * self._passed_on

    def state(self) -> State:
        return super().state() | {"inheritance": self._inheritance.state()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self._inheritance.restore(state["inheritance"])
