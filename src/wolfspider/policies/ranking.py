"""What the links that wait score, by the numbers that a book has given them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wolfspider.clues.book import Book, Numbers
from wolfspider.clues.numbered import Numbered
from wolfspider.clues.rates import Singles
from wolfspider.clues.tokens import grown
from wolfspider.frontier import Frontier, Origin
from wolfspider.policies.scored import SEEDS
from wolfspider.records import Link, Links, State

TURN = 1e5  # score of a link whose turn has come
_SEED = 1e6  # of seeds, which go before all others
NONE = -np.inf  # of links that were chosen; and of seeds, as nothing is known of them
_LEAST = -1e9
_MOVED = 0.02  # a score that changed less is left alone


class Ranking:
    """A frontier, and beside it the score of every link by its number.

    A link that waits has the same score in both, but for seeds, which go first. With a `buffer` the
    worst are dropped from the frontier; what they score is remembered until they are found again.
    `peak` is the score of the best link in sight, as far as is known.
    """

    def __init__(self, book: Book, buffer: int | None) -> None:
        self._book = book
        self._scores = np.zeros(1 << 10, np.float32)
        self.frontier = Frontier(buffer, lambda: Numbered(book))
        self.peak = _LEAST

    def __len__(self) -> int:
        return len(self.frontier)

    # -- what changes ----------------------------------------------------------------------

    def sow(self, seeds: Sequence[Link]) -> None:
        for at in range(0, len(seeds), SEEDS):
            self.frontier.push(Links.of(seeds[at : at + SEEDS]), _SEED)

    def strike(self, number: int) -> bool:
        """A link was chosen, or came without that; or it is a seed. Whether it had a score."""
        self.make_room()
        had = self._scores.item(number) > NONE
        self._scores[number] = NONE
        return had

    def make_room(self) -> None:
        """For the links that the book has come to know."""
        self._scores = grown(self._scores, self._book.size)

    def enter(
        self,
        links: Links,
        numbers: Numbers,
        here: Numbers,
        scores: Singles,
        origin: Origin,
        *,
        again: bool,
    ) -> None:
        """Of the links of a page those `here` have these scores, and wait if they are new.

        Of those that waited before the frontier hears only if it is told `again`.
        """
        self._write(here, np.where(self._moved(here, scores), scores, self._scores[here]))
        of_page = self._scores.take(numbers)
        of_page[of_page == NONE] = _SEED  # a seed that waits stays where it is
        self.frontier.push(links, of_page, origin, change_scores=again, slots=numbers)

    def change(self, here: Numbers, scores: Singles) -> None:
        """Links that wait have other scores."""
        moved = self._moved(here, scores)
        here, scores = here[moved], scores[moved]
        self._write(here, scores)
        self.frontier.rescore_at(here, scores)

    def _moved(self, here: Numbers, scores: Singles) -> NDArray[np.bool_]:
        moved: NDArray[np.bool_] = np.abs(scores - self._scores[here]) > _MOVED
        return moved

    def _write(self, here: Numbers, scores: Singles) -> None:
        self._scores[here] = scores
        self.peak = max(self.peak, float(scores.max(initial=_LEAST)))

    def give_turn(self, number: int) -> None:
        """A link goes before all others but seeds."""
        self._scores[number] = TURN
        here = np.array([number])
        self.frontier.rescore_at(here, self._scores[here])

    # -- what is known ---------------------------------------------------------------------

    def score_of(self, number: int) -> float:
        """Of a link that waits, or −∞."""
        score = self._scores.item(number)
        return score if len(self._held(np.array([number]))) else NONE

    def scores_of(self, numbers: Numbers) -> Singles:
        return self._scores.take(numbers)

    def waiting(self) -> Numbers:
        """Numbers of the links that wait, without seeds."""
        return self._held(self._above(NONE))

    def are_waiting(self, numbers: Numbers) -> NDArray[np.bool_]:
        """Which of some links wait, or were dropped, without seeds."""
        waiting: NDArray[np.bool_] = self._scores.take(numbers) > NONE
        return waiting

    def were_dropped(self, numbers: Numbers) -> NDArray[np.bool_]:
        """Which of some links were pushed out of a full frontier."""
        if self.frontier.bound is None:
            return np.zeros(len(numbers), np.bool_)
        return self.are_waiting(numbers) & ~self.frontier.holds_at(numbers)

    def still_waiting(self, numbers: Numbers) -> Numbers:
        """Those of some links that wait, without seeds."""
        return self._held(numbers[self.are_waiting(numbers)])

    def better(self, score: float) -> Numbers:
        """Numbers of the links that wait and score more."""
        return self._held(self._above(score))

    def count_better(self, score: float) -> int:
        if self.frontier.bound is None:
            return int(np.count_nonzero(self._scores[: self._book.size] > score))
        return len(self.better(score))

    def best(self, numbers: Numbers, most: int) -> Numbers:
        """Those with the highest scores, in no order."""
        last = len(numbers) - most
        if last <= 0:
            return numbers
        return numbers[np.argpartition(self._scores[numbers], last)[last:]]

    def _above(self, score: float) -> Numbers:
        return (self._scores[: self._book.size] > score).nonzero()[0]

    def _held(self, numbers: Numbers) -> Numbers:
        """Those of links with a score that were not dropped."""
        if self.frontier.bound is None:
            return numbers
        return numbers[self.frontier.holds_at(numbers)]

    # -- on disk ---------------------------------------------------------------------------

    def state(self) -> State:
        scores = self._scores[: self._book.size].copy()
        return {"frontier": self.frontier.state(), "scores": scores, "peak": self.peak}

    def restore(self, state: State) -> None:
        self.frontier.restore(state["frontier"])
        self._scores = np.array(state["scores"], np.float32)
        self.peak = float(state["peak"])
