"""What links inherit from the pages they were found on, until they are followed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wolfspider.fingerprint_map import FingerprintMap
from wolfspider.records import Fingerprints, Floats, Link, State


def fingerprints_of(links: Sequence[Link]) -> Fingerprints:
    return np.array([link.fingerprint for link in links], np.uint64)


class Inheritance:
    """A depth budget and an inherited score for each link, by fingerprint.

    A link that is found again keeps the larger of its depths and of its scores.
    """

    def __init__(self) -> None:
        self._rows = FingerprintMap()
        self._values = np.zeros((256, 2))
        self._size = 0

    def give(self, links: Fingerprints, depth: float, score: Floats | float) -> None:
        rows = self._rows.get(links)
        new = np.flatnonzero(rows < 0)
        if len(new):
            rows[new] = np.arange(self._size, self._size + len(new))
            self._rows.set(links[new], rows[new])
            self._size += len(new)
            while len(self._values) < self._size:
                self._values = np.concatenate([self._values, np.zeros_like(self._values)])
        self._values[rows, 0] = np.maximum(self._values[rows, 0], depth)
        self._values[rows, 1] = np.maximum(self._values[rows, 1], score)

    def of(self, link: int, default: tuple[float, float]) -> tuple[float, float]:
        """Depth and score of one link; seeds, which inherit nothing, have the default."""
        row = self._rows.get_one(link)
        return default if row < 0 else (self._values.item(row, 0), self._values.item(row, 1))

    def state(self) -> State:
        return {"rows": self._rows.state(), "values": self._values[: self._size].copy()}

    def restore(self, state: State) -> None:
        self._rows.restore(state["rows"])
        self._size = len(state["values"])
        self._values = np.concatenate([state["values"], np.zeros((256, 2))])
