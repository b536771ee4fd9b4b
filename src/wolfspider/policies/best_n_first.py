"""Best-N-first: best-first that follows N links before it looks again.

Menczer, Pant & Srinivasan 2004, section 4.1.1 and figure 16.
"""

from __future__ import annotations

from wolfspider.policies.batched import BatchedPolicy
from wolfspider.records import Links, Visit
from wolfspider.topics import Topic


class BestNFirst(BatchedPolicy):
    """Best-first in batches: the best N links are followed before new ones are considered."""

    raise_scores = True

    def __init__(
        self, *, topic: Topic, n: int = 256, seed: int = 0, buffer: int | None = None
    ) -> None:
        super().__init__(n=n, seed=seed, buffer=buffer)
        self.topic = topic

    def score(self, links: Links, visit: Visit) -> float:
        return self.topic.similarity(visit.page.terms)
