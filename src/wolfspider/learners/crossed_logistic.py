"""Logistic regression with a prior, in which some clues count otherwise where another one holds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.learners.prior_logistic import PriorLogistic
from wolfspider.records import Floats, Rows


class CrossedLogistic(PriorLogistic):
    """p = σ(w · x + v · x[crossed] · x[gate]), fitted as its parent is.

    Weights, prior and firmness are those of w and then of v. Where the gate is 0 it is its parent;
    where it is 1 the weights of the crossed clues are w + v.
    """

    def __init__(self, prior: Floats, firmness: Floats, crossed: Rows, gate: int) -> None:
        self._crossed, self._gate = crossed, gate
        super().__init__(prior, firmness)

    def fit(self, examples: Floats, labels: Floats) -> None:
        super().fit(self._widened(examples), labels)

    def expect(self, rows: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return super().expect(self._widened(rows))

    def weights_of(self, row: NDArray[np.float32]) -> Floats:
        plain = len(self.weights) - len(self._crossed)
        weights: Floats = self.weights[:plain].copy()
        weights[self._crossed] += row.item(self._gate) * self.weights[plain:]
        return weights

    def _widened(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Rows with the crossed clues at their end."""
        more = rows.take(self._crossed, axis=1) * rows[:, self._gate, None]
        return np.concatenate([rows, more], axis=1)
