"""Breadth-first: links leave in the order in which they were found (Pinkerton 1994)."""

from __future__ import annotations

from wolfspider.policies.scored import ScoredPolicy
from wolfspider.records import Links, Visit


class BreadthFirst(ScoredPolicy):
    """First found, first followed; the baseline of every comparison."""

    seed_score = 0.0

    def score(self, links: Links, visit: Visit) -> float:
        return 0.0  # ties leave in the order they came
