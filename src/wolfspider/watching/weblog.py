"""Algorithm 1 of Palotai, Farkas & Lőrincz: where paths begin, and what that was worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from wolfspider.records import State

WEBLOG_SIZE = 100
START_SIZE = 10
BETA = 0.3


class Weblog:
    """Addresses with the rewards to be expected on a path after each, best first."""

    def __init__(self, values: Mapping[int, float], *, size: int = WEBLOG_SIZE) -> None:
        self.size = size
        self.values = _best(values, size)

    @property
    def starting_urls(self) -> list[int]:
        """The starting URL list: the first START_SIZE addresses."""
        return list(self.values)[:START_SIZE]

    def update(self, visited: Sequence[int], rewards: Sequence[float]) -> None:
        """Weblog update: move the value of each step to the sum of rewards from there on."""
        after = np.cumsum(np.asarray(rewards, float)[::-1])[::-1].tolist()
        values = dict(self.values)
        for address, total in zip(visited, after, strict=True):
            known = values.get(address)
            values[address] = total if known is None else (1 - BETA) * known + BETA * total
        self.values = _best(values, self.size)

    def divide(self, random: np.random.Generator) -> Weblog:
        """Give half of the addresses, drawn at random, to another; a single one is shared."""
        addresses = list(self.values)
        if len(addresses) < 2:
            return self.copy()
        given = random.permutation(len(addresses))[: len(addresses) // 2].tolist()
        taken = {addresses[at]: self.values[addresses[at]] for at in given}
        self.values = {a: v for a, v in self.values.items() if a not in taken}
        return Weblog(taken, size=self.size)

    def copy(self) -> Weblog:
        return Weblog(self.values, size=self.size)

    def state(self) -> State:
        return {
            "addresses": np.array(list(self.values), np.uint64),
            "values": np.array(list(self.values.values())),
        }

    @classmethod
    def of(cls, state: State, *, size: int = WEBLOG_SIZE) -> Weblog:
        addresses, values = np.asarray(state["addresses"]).tolist(), state["values"].tolist()
        return cls(dict(zip(addresses, values, strict=True)), size=size)


def _best(values: Mapping[int, float], size: int) -> dict[int, float]:
    """In descending order of values, of equals the older first; the rest falls off."""
    return dict(sorted(values.items(), key=lambda pair: -pair[1])[:size])
