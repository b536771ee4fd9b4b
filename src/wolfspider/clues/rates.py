"""How often a token paid: what came of the links, or pages, that had it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.records import State

BITS = 19
Hashes = NDArray[np.integer[Any]]  # below 2 ** BITS
Singles = NDArray[np.float32]


class Rates:
    """Trials and what they paid, by token; few trials say little.

    A token's lift is log((paid + m·p) / (seen + m) / p) with the base rate p: 0 for a token never
    seen, and log(rate / p) for one that was seen much more often than m times. m is `held_back`, or
    more where pay is rare: as many trials as it takes to expect `pay`. So as long as nothing pays
    anywhere, it says little of a token that it did not pay, unless most of what was tried had it.

    Trials that were carried from elsewhere are an opinion to begin with: m trials of what they
    paid there, in base rates of there. m is then at least as many as were carried.
    """

    def __init__(self, held_back: float, pay: float) -> None:
        self._held_back, self._pay = held_back, pay
        # Side by side, so that one look into memory finds both.
        self._both = np.zeros((1 << BITS, 2), np.float32)
        self._cells = self._both.view(np.float64)[:, 0]
        self._seen, self._paid = self._both[:, 0], self._both[:, 1]
        self._carried: Singles | None = None  # the same, paid in base rates of there
        self._opinions = self._cells  # of it: trials and mean pay with what holds them back

    def learn(self, tokens: Hashes, paid: float | Singles) -> None:
        """A trial of each; a token that stands twice counts twice."""
        np.add.at(self._seen, tokens, np.float32(1))
        if not isinstance(paid, float):
            np.add.at(self._paid, tokens, paid)
        elif paid:
            np.add.at(self._paid, tokens, np.float32(paid))

    def correct(self, tokens: Hashes, more: float) -> None:
        """An earlier trial of each paid more, or less, than was known."""
        np.add.at(self._paid, tokens, np.float32(more))

    def lift(self, tokens: Hashes, base: float) -> Singles:
        both = self._cells.take(tokens).view(np.float32)
        held_back: float | Singles = max(self._held_back, self._pay / base)  # m
        lift = both[1::2] * (1 / base)
        if self._carried is None:
            lift += held_back
        else:
            opinions = self._opinions.take(tokens).view(np.float32)
            held_back = np.maximum(held_back, opinions[::2])
            lift += held_back * opinions[1::2]
        lift /= both[::2] + held_back
        logs: Singles = np.log(lift, out=lift)
        return logs

    def known(self, tokens: Hashes) -> NDArray[np.bool_]:
        """Which of them were carried."""
        if self._carried is None:
            return np.zeros(len(tokens), np.bool_)
        known: NDArray[np.bool_] = self._carried[tokens, 0] > 0
        return known

    def state(self) -> State:
        seen = self._seen if self._carried is None else self._seen + self._carried[:, 0]
        used = np.flatnonzero(seen).astype(np.uint32)
        paid = np.maximum(self._paid[used], 0)  # a correction may leave a trace of less
        state = {"tokens": used, "seen": self._seen[used], "paid": paid}
        return state if self._carried is None else state | {"carried": self._carried[used]}

    def restore(self, state: State) -> None:
        """Go on from a state."""
        used, seen, paid = _counts(state)
        self._both[:], self._carried = 0, None
        self._seen[used], self._paid[used] = seen, paid
        if "carried" in state:
            self._take_up(used, np.asarray(state["carried"], np.float32))

    def told(self, base: float) -> State:
        """What another hunt may begin with: trials, and what they paid where `base` is usual."""
        state = self.state()
        carried = state.pop("carried", np.zeros((len(state["tokens"]), 2), np.float32))
        seen, paid = carried.T
        state["seen"] += seen
        state["paid"] += paid * np.float32(base)
        return state

    def carry(self, told: State, base: float, most: float = np.inf) -> None:
        """Begin with what was told; no token counts as seen more often than `most` times."""
        used, seen, paid = _counts(told)
        share = np.minimum(1, np.float32(most) / np.maximum(seen, 1e-9)).astype(np.float32)
        self._both[:] = 0
        self._take_up(used, np.column_stack([seen * share, paid * share / np.float32(base)]))

    def _take_up(self, used: NDArray[np.int64], carried: Singles) -> None:
        self._carried = np.zeros_like(self._both)
        self._carried[used] = carried
        opinions = self._carried + np.float32(self._held_back)
        opinions[:, 1] /= opinions[:, 0]
        self._opinions = opinions.view(np.float64)[:, 0]


def _counts(state: State) -> tuple[NDArray[np.int64], Singles, Singles]:
    used = np.asarray(state["tokens"], np.int64)
    seen, paid = np.asarray(state["seen"], np.float32), np.asarray(state["paid"], np.float32)
    if not ((seen >= 0) & (paid >= 0)).all():
        raise ValueError("counts below 0")
    return used, seen, paid
