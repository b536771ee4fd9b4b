"""Logistic regression that begins with an opinion, and gives it up as evidence comes."""

from __future__ import annotations

import numpy as np

from wolfspider.records import Floats, State

_STEPS = 6
_LONGEST = 3.0  # step in any weight
_ENOUGH = 1e-3


class PriorLogistic:
    """p = σ(w · x) with a normal prior on w, fitted by Newton's method.

    `prior` are the weights to begin with, `firmness` their precisions: a weight with firmness f
    moves when examples that speak for another one weigh more than f together. Labels may be any
    share in [0, 1].
    """

    def __init__(self, prior: Floats, firmness: Floats) -> None:
        self.prior, self.firmness = prior, firmness
        self.weights = prior.copy()
        self._spread = np.diag(1 / np.sqrt(firmness))  # a root of the covariance

    def fit(self, examples: Floats, labels: Floats) -> None:
        weights = self.weights
        for _ in range(_STEPS):
            p = 1 / (1 + np.exp(-np.clip(examples @ weights, -15, 15)))
            gradient = (p - labels) @ examples + self.firmness * (weights - self.prior)
            curvature = (examples * (p * (1 - p))[:, None]).T @ examples
            curvature[np.diag_indices_from(curvature)] += self.firmness
            step = np.linalg.solve(curvature, gradient)
            longest = float(np.abs(step).max())
            weights = weights - step * min(1.0, _LONGEST / max(longest, 1e-12))
            if longest < _ENOUGH:
                break
        self.weights = weights
        self._spread = np.linalg.inv(np.linalg.cholesky(curvature)).T

    def doubt(self, rows: Floats) -> Floats:
        """The standard deviation of w · x for each row."""
        doubt: Floats = np.sqrt(np.square(rows @ self._spread).sum(axis=1))
        return doubt

    def state(self) -> State:
        return {"prior": self.prior, "weights": self.weights, "spread": self._spread}

    def restore(self, state: State) -> None:
        self.prior, self.weights = np.array(state["prior"]), np.array(state["weights"])
        self._spread = np.array(state["spread"])
