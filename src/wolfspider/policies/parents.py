"""What is known of a link from the pages it was found on, its parents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wolfspider.fingerprint_map import FingerprintMap
from wolfspider.records import Fingerprints, Floats, State

FARTHEST = 9  # links from a relevant page; more are not told apart (Han et al. 2018)

_COUNT, _RELEVANT, _SUM, _RELEVANT_SUM, _SMOOTHED, _DISTANCE = range(6)


@dataclass(frozen=True, slots=True)
class Parent:
    """A page with links: what its children are to remember of it."""

    relevance: float
    relevant: bool
    smoothed: float  # over it and its ancestors
    distance: int  # from the last relevant page, itself included


@dataclass(frozen=True, slots=True)
class Ancestry:
    """What a link has from its parents."""

    mean: float  # relevance of all of them
    relevant_mean: float  # of the relevant ones; 0 where there are none
    smoothed: float | None  # the largest of them; None without parents
    distance: int  # of the one that is nearest to a relevant page


NOBODY = Ancestry(0.0, 0.0, None, FARTHEST)


class Parents:
    """For each link, by fingerprint: how relevant its parents are, and how far from relevant pages.

    It is brought up to date as more parents are visited.
    """

    def __init__(self) -> None:
        self._rows = FingerprintMap()
        self._values = np.zeros((256, 6), np.float32)
        self._size = 0

    def add(self, links: Fingerprints, parent: Parent) -> Floats:
        """The page has been visited and has these links; gives the two means of each."""
        slots = self._rows.find(links)
        rows = self._rows.at(slots, links)
        new = np.flatnonzero(rows < 0)
        if len(new):
            rows[new] = np.arange(self._size, self._size + len(new))
            self._rows.set(links[new], rows[new], slots[new])
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

    def of(self, link: int) -> Ancestry:
        """What is known of one link."""
        row = self._rows.get_one(link)
        if row < 0:
            return NOBODY
        count, relevant, total, relevant_total, smoothed, distance = self._values[row].tolist()
        return Ancestry(total / count, relevant_total / max(relevant, 1), smoothed, int(distance))

    def state(self) -> State:
        return {"rows": self._rows.state(), "values": self._values[: self._size].copy()}

    def restore(self, state: State) -> None:
        self._rows.restore(state["rows"])
        self._size = len(state["values"])
        self._values = np.concatenate([state["values"], np.zeros((256, 6), np.float32)])


def _averages(values: Floats | np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> Floats:
    counts = np.maximum(values[:, _COUNT:_SUM], 1)
    means: Floats = values[:, _SUM:_SMOOTHED].astype(np.float64) / counts
    return means
