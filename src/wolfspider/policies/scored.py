"""What most policies share: a frontier, and a score for each link when it is found."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Sequence

import numpy as np

from wolfspider.frontier import Frontier, Origin
from wolfspider.protocols import Scores
from wolfspider.records import Link, Links, State, Visit

SEEDS = 1 << 16  # taken in at once: one record of links can tell so many hosts apart


class ScoredPolicy(ABC):
    """Follows the waiting link with the highest score; a subclass says how to score.

    With a `buffer` no more links than that wait at any time, the worst are dropped.
    """

    raise_scores = False  # whether a link that is found again may take a higher score
    seed_score = 1.0

    def __init__(self, *, buffer: int | None = None) -> None:
        self.frontier = Frontier(buffer)

    @abstractmethod
    def score(self, links: Links, visit: Visit) -> Scores:
        """The value of each link of a page just visited, or one value for all."""

    def start(self, seeds: Sequence[Link]) -> None:
        for at in range(0, len(seeds), SEEDS):
            self.frontier.push(Links.of(seeds[at : at + SEEDS]), self.seed_score)

    def next(self, busy: Container[str] = ()) -> Link | None:
        return self.frontier.pop(busy)

    def learn(self, visit: Visit) -> None:
        links = visit.page.links
        if len(links):
            scores = self.score(links, visit)
            origin = Origin(visit.page.url, visit.link.depth + 1, visit.verdict.relevance)
            self.frontier.push(links, scores, origin, raise_scores=self.raise_scores)

    def __len__(self) -> int:
        return len(self.frontier)

    def state(self) -> State:
        return {"frontier": self.frontier.state()}

    def restore(self, state: State) -> None:
        self.frontier.restore(state["frontier"])


class RandomPart:
    """A seeded generator whose state can be kept."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def state(self) -> State:
        return dict(self.random.bit_generator.state)

    def restore(self, state: State) -> None:
        self.random.bit_generator.state = state
