"""Algorithms 2 to 4 of Palotai, Farkas & Lőrincz: what a page is worth by what it is about."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.records import Floats, State
from wolfspider.watching.records import Snapshot

GAMMA = 0.9
ALPHA = 0.1
_TOO_MUCH = 1e9  # a value that no rewards can add up to


class UrlOrdering:
    """A linear estimate of the long-term profit of a page, tuned by temporal differences."""

    def __init__(self, weights: Floats, *, alpha: float = ALPHA, gamma: float = GAMMA) -> None:
        self.weights = weights
        self.alpha, self.gamma = alpha, gamma
        self.states: dict[int, Floats] = {}

    @classmethod
    def at_random(cls, size: int, random: np.random.Generator, **more: float) -> UrlOrdering:
        return cls(random.uniform(-1, 1, size), **more)

    def store(self, pages: Iterable[Snapshot]) -> None:
        """Page information storage: what each page is about."""
        for page in pages:
            self.states[page.address] = page.state

    def value(self, address: int) -> float:
        state = self.states.get(address)
        return 0.0 if state is None else float(self.weights @ state)

    def best(self, frontier: Iterable[int]) -> int:
        """URL ordering: the address with the largest value, of equals the first."""
        addresses = list(frontier)
        nothing = np.zeros(len(self.weights))
        states = np.array([self.states.get(address, nothing) for address in addresses])
        return addresses[int((states @ self.weights).argmax())]

    def update(self, before: int, after: int, reward: float) -> None:
        """URL ordering update: the reward of the step from one page to the next."""
        error = reward + self.gamma * self.value(after) - self.value(before)
        state = self.states.get(before)
        if state is not None:
            self.weights = self.weights + self.alpha * error * state
        if not abs(error) < _TOO_MUCH:
            raise BadInput(
                f"the foragers' values diverge (an error of {error:.3g}); give a smaller alpha "
                f"than {self.alpha:g}"
            )

    def forget(self, kept: Iterable[int]) -> None:
        """Keep what these pages are about only."""
        self.states = {a: self.states[a] for a in kept if a in self.states}

    def state(self) -> State:
        rows = list(self.states.values())
        shape = (len(rows), len(self.weights))
        return {
            "weights": self.weights,
            "addresses": np.array(list(self.states), np.uint64),
            "states": np.array(rows).reshape(shape),
        }

    @classmethod
    def of(cls, state: State, **more: float) -> UrlOrdering:
        ordering = cls(np.array(state["weights"], float), **more)
        addresses = np.asarray(state["addresses"]).tolist()
        ordering.states = dict(zip(addresses, np.asarray(state["states"], float), strict=True))
        return ordering
