"""Fish-search: fish that find food have many children, others die out (De Bra & Post 1994).

The list of potential scores follows the description in Hersovici et al. 1998.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from wolfspider.policies.inheritance import Inheritance, fingerprints_of
from wolfspider.policies.scored import ScoredPolicy
from wolfspider.records import Floats, Link, Links, State, Visit


class FishSearch(ScoredPolicy):
    """Explores around relevant pages and gives up `depth` links away from the last one.

    The first α·`width` links of a relevant page score 1, the first `width` links of another
    page 0.5, all others 0. A link found on a relevant page may lead `depth` pages on, one
    found elsewhere a page less than its source.
    """

    raise_scores = True

    def __init__(
        self, *, depth: int = 3, width: int = 10, alpha: float = 1.5, buffer: int | None = None
    ) -> None:
        if depth < 0 or width < 0:
            raise ValueError(f"depth and width are 0 or more, not {depth} and {width}")
        if not 0 <= alpha < math.inf:
            raise ValueError(f"alpha is a factor, 0 or more, not {alpha}")
        super().__init__(buffer=buffer)
        self.depth = depth
        self.width = width
        self.alpha = alpha
        self._inheritance = Inheritance()

    def start(self, seeds: Sequence[Link]) -> None:
        self._inheritance.give(fingerprints_of(seeds), self.depth, 0.0)
        super().start(seeds)

    def learn(self, visit: Visit) -> None:
        left, _ = self._inheritance.of(visit.link.fingerprint, (self.depth, 0.0))
        if left > 0 and len(visit.page.links):
            depth = self.depth if visit.verdict.relevant else left - 1
            self._inheritance.give(visit.page.links.fingerprints, depth, 0.0)
            super().learn(visit)

    def score(self, links: Links, visit: Visit) -> Floats:
        scores = np.zeros(len(links))
        if visit.verdict.relevant:
            scores[: int(self.alpha * self.width)] = 1.0
        else:
            scores[: self.width] = 0.5
        return scores

    def state(self) -> State:
        return super().state() | {"inheritance": self._inheritance.state()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self._inheritance.restore(state["inheritance"])
