"""Depth-first: links of the newest page leave first (De Bra & Post 1994)."""

from __future__ import annotations

from wolfspider.policies.scored import ScoredPolicy
from wolfspider.records import Links, State, Visit


class DepthFirst(ScoredPolicy):
    """The links of the page visited last, in their order; then those of the page before."""

    seed_score = 0.0
    raise_scores = True  # a link seen again is a link of the newer page

    def __init__(self, *, buffer: int | None = None) -> None:
        super().__init__(buffer=buffer)
        self._visits = 0

    def score(self, links: Links, visit: Visit) -> float:
        self._visits += 1
        return float(self._visits)

    def state(self) -> State:
        return super().state() | {"visits": self._visits}

    def restore(self, state: State) -> None:
        super().restore(state)
        self._visits = state["visits"]
