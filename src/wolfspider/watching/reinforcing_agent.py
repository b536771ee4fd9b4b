"""Algorithms 7 to 9 of Palotai, Farkas & Lőrincz: who pays foragers, and ends their lives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from wolfspider.records import State
from wolfspider.watching.forager import MAX_STEP, Abilities, Forager
from wolfspider.watching.records import Sent, Snapshot
from wolfspider.watching.url_ordering import ALPHA, GAMMA, UrlOrdering
from wolfspider.watching.weblog import Weblog

Fleet = Literal["wl", "rl", "wlrl"]

REWARD = 100.0
PENALTY = -1.0
SCORE_PLUS = 1.0
SCORE_MINUS = 0.05
INIT_SCORE = 100.0
MAX_SCORE = 200.0
MIN_SCORE = 0.0
SLICE = 180.0  # seconds that a forager works before the next one's turn

_ABILITIES = {
    "wl": Abilities(weblog_update=True, ordering_update=False),
    "rl": Abilities(weblog_update=False, ordering_update=True),
    "wlrl": Abilities(weblog_update=True, ordering_update=True),
}


class Foragers:
    """A fleet of foragers that compete for news, and the agent that pays for it."""

    def __init__(
        self,
        *,
        seeds: Sequence[int],
        clusters: int,
        seed: int = 0,
        fleet: Fleet = "wl",
        least: int = 2,
        most: int = 16,
        steps: int = MAX_STEP,
        slice: float = SLICE,
        alpha: float = ALPHA,
        gamma: float = GAMMA,
    ) -> None:
        """`least` and `most` foragers; each works for a `slice` of time, in paths of `steps`."""
        if fleet not in get_args(Fleet):
            raise ValueError(f"fleet is {fleet!r}; it is one of {', '.join(get_args(Fleet))}")
        if not 1 <= least <= most:
            raise ValueError(f"least is {least} and most {most}; 1 ≤ least ≤ most is needed")
        if steps < 1 or not slice > 0:
            raise ValueError(f"steps is {steps} and slice {slice:g}; both must be above 0")
        if not 0 < alpha < np.inf or not 0 <= gamma < 1:
            raise ValueError(f"alpha is {alpha} and gamma {gamma}; alpha > 0 and 0 ≤ gamma < 1")
        if not seeds:
            raise ValueError("a fleet needs at least one address to begin at")
        self.most, self.least, self.slice = most, least, slice
        self._steps, self._more = steps, {"alpha": alpha, "gamma": gamma}
        self._clusters, self._abilities = clusters, _ABILITIES[fleet]
        self._random = np.random.default_rng(seed)
        self.relevants: dict[int, None] = {}  # documents that were news to us
        self.foragers = [self._first(seeds) for _ in range(least)]
        self._turn = 0
        self._slice_ends: float | None = None

    def _first(self, seeds: Sequence[int]) -> Forager:
        ordering = UrlOrdering.at_random(self._clusters, self._random, **self._more)
        return self._scored(self._forager(Weblog(dict.fromkeys(seeds, 0.0)), ordering))

    def _forager(self, weblog: Weblog, ordering: UrlOrdering) -> Forager:
        number = int(self._random.integers(2**32))
        return Forager(weblog, ordering, self._abilities, number, max_step=self._steps)

    def _scored(self, forager: Forager) -> Forager:
        forager.score = INIT_SCORE
        return forager

    # -- watching ----------------------------------------------------------------------------

    def next(self, now: float) -> int | None:
        """Reinforcing agent: foragers work one after the other, each for its slice of time."""
        if self._slice_ends is None:
            self._slice_ends = now + self.slice
        if now >= self._slice_ends and self.foragers[self._turn].between_steps:
            self._next_forager(now)
        return self.foragers[self._turn].next_download()

    def learn(self, address: int, page: Snapshot | None, now: float) -> list[Sent]:
        forager = self.foragers[self._turn]
        pages = forager.receive(page, now)
        if pages is None:
            return []
        sent = [self.manage_received_url(forager, each, now) for each in pages]
        forager.reinforce(sum(REWARD if each.relevant else PENALTY for each in sent))
        return sent

    def manage_received_url(self, forager: Forager, page: Snapshot, now: float) -> Sent:
        """A document is relevant that nobody has sent before, and that is not older than a day."""
        forager.score -= SCORE_MINUS
        relevant = page.document not in self.relevants and page.new_at(now)
        if relevant:
            self.relevants[page.document] = None
            forager.score += SCORE_PLUS
        return Sent(page.document, page.address, relevant)

    def _next_forager(self, now: float) -> None:
        stayed = self.manage_forager(self.foragers[self._turn])
        self._turn = (self._turn + stayed) % len(self.foragers)
        self._slice_ends = now + self.slice

    def manage_forager(self, forager: Forager) -> bool:
        """One that earned enough multiplies, one that earned too little is deleted."""
        if forager.score >= MAX_SCORE and len(self.foragers) < self.most:
            self.foragers.append(self._scored(forager.multiply(int(self._random.integers(2**32)))))
            self._scored(forager)
        elif forager.score <= MIN_SCORE and len(self.foragers) > self.least:
            self.foragers.remove(forager)
            return False
        return True

    # -- what is kept ------------------------------------------------------------------------

    def state(self) -> State:
        return {
            "foragers": {str(n): each.state() for n, each in enumerate(self.foragers)},
            "relevants": np.array(list(self.relevants), np.uint64),
            "turn": self._turn,
            "slice_ends": self._slice_ends,
            "random": dict(self._random.bit_generator.state),
        }

    def restore(self, state: State) -> None:
        self.foragers = []
        for kept in state["foragers"].values():
            ordering = UrlOrdering(np.zeros(self._clusters), **self._more)
            forager = self._forager(Weblog({}), ordering)
            forager.restore(kept)
            self.foragers.append(forager)
        self.relevants = dict.fromkeys(np.asarray(state["relevants"]).tolist())
        self._turn, self._slice_ends = int(state["turn"]), state["slice_ends"]
        self._random.bit_generator.state = state["random"]
