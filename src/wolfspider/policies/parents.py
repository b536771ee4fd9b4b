"""What is known of a link from the pages it was found on, its parents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wolfspider.fingerprint_map import FingerprintMap
from wolfspider.records import Fingerprints, Floats, State

FARTHEST = 9  # links from a relevant page; more are not told apart (Han et al. 2018)

_COUNT, _SUM, _RELEVANT, _RELEVANT_SUM, _SMOOTHED, _DISTANCE = range(6)


@dataclass(frozen=True, slots=True)
class Parent:
    """A page with links: what its children are to remember of it."""

    relevance: float
    relevant: bool
    smoothed: float  # over it and its ancestors
    distance: int  # from the last relevant page, itself included


class Parents:
    """For each link, by fingerprint: how relevant its parents are, and how far from relevant pages.

    It is brought up to date as more parents are visited.
    """

    def __init__(self) -> None:
        self._rows = FingerprintMap()
        self._values = np.zeros((256, 6), np.float32)
        self._size = 0

    def add(self, links: Fingerprints, parent: Parent) -> Floats:
        """The page has been visited and has these links; returns their rows as `of` does."""
        rows = self._rows.get(links)
        new = np.flatnonzero(rows < 0)
        if len(new):
            rows[new] = np.arange(self._size, self._size + len(new))
            self._rows.set(links[new], rows[new])
            self._size += len(new)
            while len(self._values) < self._size:
                self._values = np.concatenate([self._values, np.zeros_like(self._values)])
            self._values[rows[new]] = [0, 0, 0, 0, -np.inf, FARTHEST]
        values = self._values[rows]
        values[:, _COUNT] += 1
        values[:, _SUM] += parent.relevance
        values[:, _RELEVANT] += parent.relevant
        values[:, _RELEVANT_SUM] += parent.relevance if parent.relevant else 0.0
        np.maximum(values[:, _SMOOTHED], parent.smoothed, out=values[:, _SMOOTHED])
        np.minimum(values[:, _DISTANCE], parent.distance, out=values[:, _DISTANCE])
        self._values[rows] = values
        return _averages(values)

    def averages(self, link: int) -> Floats:
        """The mean relevance of all parents, and of the relevant ones; 0 where there are none."""
        row = self._rows.get_one(link)
        return np.zeros(2) if row < 0 else _averages(self._values[row : row + 1])[0]

    def smoothed(self, link: int) -> float | None:
        """The largest smoothed relevance of a parent; None without parents."""
        row = self._rows.get_one(link)
        return None if row < 0 else self._values.item(row, _SMOOTHED)

    def distance(self, link: int) -> int:
        """The distance of the parent that is nearest to a relevant page."""
        row = self._rows.get_one(link)
        return FARTHEST if row < 0 else int(self._values.item(row, _DISTANCE))

    def state(self) -> State:
        return {"rows": self._rows.state(), "values": self._values[: self._size].copy()}

    def restore(self, state: State) -> None:
        self._rows.restore(state["rows"])
        self._size = len(state["values"])
        self._values = np.concatenate([state["values"], np.zeros((256, 6), np.float32)])


def _averages(values: Floats | np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> Floats:
    sums = values[:, [_SUM, _RELEVANT_SUM]].astype(np.float64)
    counts: Floats = np.maximum(values[:, [_COUNT, _RELEVANT]], 1)
    return sums / counts
