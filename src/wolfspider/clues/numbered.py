"""Rows of links in a frontier, by the numbers that a book has given them anyway."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.clues.book import Book
from wolfspider.clues.tokens import grown
from wolfspider.fingerprint_map import ABSENT, Slots
from wolfspider.records import Fingerprints, State


class Numbered:
    """A map from fingerprints to small integers that leaves the fingerprints to a book.

    A link's slot is its number. Four bytes a link instead of twenty, and nobody has to look twice.
    """

    def __init__(self, book: Book) -> None:
        self._book = book
        self._values = np.full(1 << 10, ABSENT, np.int32)

    def __len__(self) -> int:
        return int(np.count_nonzero(self._values != ABSENT))

    def find(self, keys: Fingerprints, *, new: bool = True) -> Slots:
        """The number of each; a new one is given the next."""
        if new:
            return np.array([self._book.number(key) for key in keys.tolist()], np.int32)
        return self._book.numbers(keys)

    def at(self, slots: Slots, keys: Fingerprints) -> NDArray[np.int32]:
        values = self.held(slots)
        values[slots == ABSENT] = ABSENT
        return values

    def held(self, slots: Slots) -> NDArray[np.int32]:
        self._make_room()
        return self._values.take(slots)

    def hold(self, slots: Slots, values: NDArray[Any] | int) -> None:
        self._make_room()
        self._values[slots] = values

    def get(self, keys: Fingerprints) -> NDArray[np.int32]:
        return self.at(self._book.numbers(keys), keys)

    def set(
        self, keys: Fingerprints, values: NDArray[Any] | int, slots: Slots | None = None
    ) -> None:
        self.hold(self.find(keys) if slots is None else slots, values)

    def get_one(self, key: int) -> int:
        number = self._book.find(key)
        self._make_room()
        return ABSENT if number == ABSENT else self._values.item(number)

    def set_one(self, key: int, value: int) -> None:
        number = self._book.number(key)
        self._make_room()
        self._values[number] = value

    def translate(self, new: NDArray[np.int32]) -> None:
        changed = self._values >= 0
        self._values[changed] = new[self._values[changed]]

    def state(self) -> State:
        self._make_room()
        return {"values": self._values[: self._book.size].copy()}

    def restore(self, state: State) -> None:
        self._values = np.array(state["values"], np.int32)

    def _make_room(self) -> None:
        size, wanted = len(self._values), self._book.size
        if wanted > size:
            self._values = grown(self._values, wanted)
            self._values[size:] = ABSENT
