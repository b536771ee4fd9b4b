"""Logistic regression that begins with an opinion, and gives it up as evidence comes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.records import Floats, State

_STEPS = 6
_LONGEST = 3.0  # step in any weight
_ENOUGH = 1e-3
# Rows at a time: few enough that the linear algebra library shares no product among threads. Its
# last digits, and so a hunt, would depend on how many there are; and threads that wait cost more.
_BLOCK = 128


class PriorLogistic:
    """p = σ(w · x) with a normal prior on w, fitted by Newton's method.

    `prior` are the weights to begin with, `firmness` their precisions: a weight with firmness f
    moves when examples that speak for another one weigh more than f together. Of weights that are
    not in doubt each for itself it is a matrix. Labels may be any share in [0, 1].
    """

    def __init__(self, prior: Floats, firmness: Floats) -> None:
        self.prior = prior
        self.firmness = np.diag(firmness) if firmness.ndim == 1 else firmness
        self._set(prior.copy(), _root_of_inverse(self.firmness))

    def fit(self, examples: Floats, labels: Floats) -> None:
        weights, limit = self.weights, _LONGEST
        before: NDArray[np.floating[Any]] = np.zeros(len(weights))
        for _ in range(_STEPS):
            gradient = self.firmness @ (weights - self.prior)
            curvature = self.firmness.copy()
            for at in range(0, len(examples), _BLOCK):
                some, label = examples[at : at + _BLOCK], labels[at : at + _BLOCK]
                p = 1 / (1 + np.exp(-np.clip(some @ weights, -15, 15)))
                gradient += (p - label) @ some
                curvature += (some * (p * (1 - p))[:, None]).T @ some
            step = np.linalg.solve(curvature, gradient)
            longest = float(np.abs(step).max())
            if step @ before < 0:  # the last went too far, and they may go to and fro for ever
                limit /= 2
            weights, before = weights - step * min(1.0, limit / max(longest, 1e-12)), step
            if longest < _ENOUGH:
                break
        self._set(weights, _root_of_inverse(curvature))

    def learned(self) -> Floats:
        """How much firmer than the prior the examples have made the weights."""
        return np.linalg.inv(self._spread @ self._spread.T) - self.firmness

    def weights_of(self, row: NDArray[np.float32]) -> Floats:
        """What each clue of a row counts for."""
        return self.weights

    def expect(self, rows: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """w · x for each row, and its standard deviation: how much the weights are in doubt."""
        means, doubts = np.empty((2, len(rows)), np.float32)
        for at in range(0, len(rows), _BLOCK):
            some = rows[at : at + _BLOCK] @ self._at_once
            means[at : at + _BLOCK], spread = some[:, 0], some[:, 1:]
            doubts[at : at + _BLOCK] = np.vecdot(spread, spread)
        return means, np.sqrt(doubts, out=doubts)

    def _set(self, weights: Floats, spread: Floats) -> None:
        """Weights, and a root of their covariance."""
        self.weights, self._spread = weights, spread
        self._at_once = np.column_stack([weights, spread]).astype(np.float32)

    def state(self) -> State:
        return {"prior": self.prior, "weights": self.weights, "spread": self._spread}

    def restore(self, state: State) -> None:
        prior, weights, spread = (np.array(state[name]) for name in ("prior", "weights", "spread"))
        if not prior.shape == weights.shape == self.prior.shape or spread.shape != 2 * prior.shape:
            raise ValueError(f"{weights.shape} weights, and not {self.prior.shape}")
        self.prior = prior
        self._set(weights, spread)


def _root_of_inverse(matrix: Floats) -> Floats:
    return np.linalg.inv(np.linalg.cholesky(matrix)).T
