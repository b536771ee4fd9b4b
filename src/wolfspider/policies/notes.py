"""What a population of agents remembers of the links that wait with one of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wolfspider.fingerprint_map import ABSENT, FingerprintMap
from wolfspider.policies.agents import Inputs
from wolfspider.records import Fingerprints, Floats, State

_LEFT = -2  # the link has left; it will not come again
_DROPPED = -3  # pushed out of a full frontier; welcome when it is found again


class Notes:
    """What is remembered of each waiting link: whose it is, its score, its inputs to the net.

    Knows the links that have left, too. Rows of links that no longer wait are cleared away
    once they are more than half of all; the others keep their order.
    """

    clear_above = 4096  # rows

    def __init__(self, width: int) -> None:
        self.width = width
        self._map = FingerprintMap()
        self._fingerprints = np.zeros(0, np.uint64)
        self._owners = np.zeros(0, np.int32)  # -1 for a link that no longer waits
        self._scores = np.zeros(0)
        self._inputs = np.zeros((0, width), np.float32)
        self._end = 0
        self._waiting = 0

    def knows(self, links: Fingerprints) -> NDArray[np.bool_]:
        """Which of them wait, or have left."""
        rows = self._map.get(links)
        known: NDArray[np.bool_] = (rows != ABSENT) & (rows != _DROPPED)
        return known

    def of(self, owner: int) -> tuple[Fingerprints, Floats]:
        """An agent's waiting links and their scores, as they came."""
        rows = np.flatnonzero(self._owners[: self._end] == owner)
        return self._fingerprints[rows], self._scores[rows]

    def look_up(self, link: int) -> tuple[int, Inputs] | None:
        """Whose a waiting link is, and its inputs."""
        row = self._map.get_one(link)
        return (self._owners.item(row), self._inputs[row].copy()) if row >= 0 else None

    def write(self, links: Fingerprints, owner: int, scores: Floats, inputs: Inputs) -> None:
        """Note links that no agent knows."""
        start, end = self._end, self._end + len(links)
        self._reserve(end)
        self._fingerprints[start:end] = links
        self._owners[start:end] = owner
        self._scores[start:end] = scores
        self._inputs[start:end, : inputs.shape[1]] = inputs
        self._inputs[start:end, inputs.shape[1] :] = 0
        self._map.set(links, np.arange(start, end, dtype=np.int32))
        self._end = end
        self._waiting += len(links)

    def leave(self, link: int) -> tuple[float, Inputs]:
        """The score and the inputs of a waiting link, which now has left."""
        row = self._map.get_one(link)
        found = self._scores.item(row), self._inputs[row].copy()
        self._owners[row] = -1
        self._map.set_one(link, _LEFT)
        self._waiting -= 1
        self._clear_if_sparse()
        return found

    def drop(self, links: Fingerprints) -> None:
        self._owners[self._map.get(links)] = -1
        self._map.set(links, _DROPPED)
        self._waiting -= len(links)
        self._clear_if_sparse()

    def hand_over(self, links: Fingerprints, owner: int, width: int) -> None:
        """Waiting links go to another agent, whose net may have more inputs: 0 for these links."""
        self._owners[self._map.get(links)] = owner
        if width > self.width:
            more = np.zeros((len(self._inputs), width - self.width), np.float32)
            self._inputs = np.hstack([self._inputs, more])
            self.width = width

    def state(self) -> State:
        self._clear()
        return {
            "known": self._map.state(),
            "fingerprints": self._fingerprints.copy(),
            "owners": self._owners.copy(),
            "scores": self._scores.copy(),
            "inputs": self._inputs.copy(),
        }

    def restore(self, state: State) -> None:
        self._map.restore(state["known"])
        self._fingerprints = np.array(state["fingerprints"], np.uint64)
        self._owners = np.array(state["owners"], np.int32)
        self._scores = np.array(state["scores"], np.float64)
        self._inputs = np.array(state["inputs"], np.float32)
        self.width = self._inputs.shape[1]
        self._end = self._waiting = len(self._owners)

    def _reserve(self, end: int) -> None:
        more = max(len(self._owners), end - len(self._owners), 256)
        if end > len(self._owners):
            self._fingerprints = np.concatenate([self._fingerprints, np.zeros(more, np.uint64)])
            self._owners = np.concatenate([self._owners, np.full(more, -1, np.int32)])
            self._scores = np.concatenate([self._scores, np.zeros(more)])
            empty = np.zeros((more, self.width), np.float32)
            self._inputs = np.concatenate([self._inputs, empty])

    def _clear_if_sparse(self) -> None:
        if self._end > self.clear_above and self._end > 2 * self._waiting:
            self._clear()

    def _clear(self) -> None:
        waits = self._owners[: self._end] >= 0
        self._map.translate((np.cumsum(waits) - 1).astype(np.int32))
        self._fingerprints = self._fingerprints[: self._end][waits]
        self._owners = self._owners[: self._end][waits]
        self._scores = self._scores[: self._end][waits]
        self._inputs = self._inputs[: self._end][waits]
        self._end = len(self._owners)
