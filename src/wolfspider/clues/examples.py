"""Links that were followed: the rows by which they were chosen, and what they were worth."""

from __future__ import annotations

import numpy as np

from wolfspider.clues.book import Book
from wolfspider.clues.evidence import FEATURES
from wolfspider.clues.rates import Singles
from wolfspider.clues.tokens import grown
from wolfspider.records import Floats, State

_MOST = 20_000  # the latest that are kept


class Examples:
    """The latest rows. What links were worth is asked of the book, and may rise as long as it does.

    `count` is of all that there ever were.
    """

    def __init__(self, book: Book) -> None:
        self._book = book
        self._rows = np.zeros((1 << 10, len(FEATURES)), np.float32)
        self._numbers = np.zeros(1 << 10, np.int32)
        self.count = 0

    def add(self, number: int, row: Singles) -> None:
        at, self.count = self.count % _MOST, self.count + 1
        self._rows = grown(self._rows, at + 1)
        self._numbers = grown(self._numbers, at + 1)
        self._rows[at], self._numbers[at] = row, number

    def both(self) -> tuple[Floats, Floats]:
        """The rows, and what the links were worth as far as is known."""
        kept = min(self.count, _MOST)
        values = self._book.values(self._numbers[:kept])
        return self._rows[:kept].astype(np.float64), values.astype(np.float64)

    def state(self) -> State:
        kept = min(self.count, _MOST)
        rows, numbers = self._rows[:kept].copy(), self._numbers[:kept].copy()
        return {"rows": rows, "numbers": numbers, "count": self.count}

    def restore(self, state: State) -> None:
        self._rows = np.array(state["rows"], np.float32).reshape(-1, len(FEATURES))
        self._numbers = np.array(state["numbers"], np.int32)
        self.count = int(state["count"])
