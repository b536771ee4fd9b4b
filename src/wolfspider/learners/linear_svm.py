"""Linear support vector machines over term counts: learned by liblinear, applied by NumPy.

Learned machines are plain arrays, so a model needs neither scikit-learn nor pickle. Young 2005
used SVMlight; the objective is the same, ½|w|² + C · Σ loss, with hinge loss for classes and the
ε-insensitive loss for values. liblinear counts the bias into |w|² and SVMlight does not. Two
things make up for that: values are measured from their median, which is their bias before
anything is learned, and the bias is a term that occurs as often as an average page is long.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from wolfspider.records import Bag, Floats, State, TermIds, Terms, find_terms

Weights = NDArray[np.float32]

_ROUNDS = 10_000  # of liblinear; machines that have not converged by then are taken as they are


@dataclass(frozen=True)
class LinearSvm:
    """Machines side by side: w · x + b of each for documents and for links."""

    ids: TermIds  # sorted; there is at least one
    weights: Weights  # terms × machines
    bias: Weights  # one for each machine

    def of_terms(self, terms: Terms) -> Floats:
        """w · x + b of each machine, for one document."""
        rows, known = find_terms(self.ids, terms.ids)
        return np.asarray((terms.counts * known) @ self.weights[rows] + self.bias, np.float64)

    def of_bag(self, bag: Bag) -> Floats:
        """w · x of each machine (columns) for each row of a bag, without the bias."""
        bag = bag.packed()
        rows, known = find_terms(self.ids, bag.ids)
        return bag.totals(self.weights[rows] * known[:, None])

    def state(self) -> State:
        return {"ids": self.ids, "weights": self.weights, "bias": self.bias}

    @classmethod
    def of(cls, state: State) -> LinearSvm:
        return cls(state["ids"], state["weights"], state["bias"])


def fit_classes(
    ids: TermIds, counts: csr_array, classes: NDArray[np.int64], cost: float, seed: int = 0
) -> LinearSvm:
    """One machine for each class that occurs, in rising order: this one against all others."""
    from sklearn.svm import LinearSVC

    scale = _typical_length(counts)
    machines = [
        _fitted(
            LinearSVC(
                C=cost, loss="hinge", intercept_scaling=scale, random_state=seed, max_iter=_ROUNDS
            ),
            counts,
            np.where(classes == each, 1, -1),
        )
        for each in np.unique(classes)
    ]
    return _joined(ids, machines)


def fit_values(
    ids: TermIds,
    counts: csr_array,
    values: Floats,
    cost: float,
    tube: float = 1e-6,
    seed: int = 0,
) -> LinearSvm:
    """One machine that tells a value; errors below `tube` do not count."""
    from sklearn.svm import LinearSVR

    middle = float(np.median(values))
    machine = LinearSVR(
        C=cost,
        epsilon=tube,
        intercept_scaling=_typical_length(counts),
        random_state=seed,
        max_iter=_ROUNDS,
    )
    weights, bias = _fitted(machine, counts, values - middle)
    return _joined(ids, [(weights, bias + middle)])


def usual_cost(counts: csr_array) -> float:
    """The default of SVMlight: 1 / mean of x · x."""
    return 1 / max(_typical_length(counts) ** 2, 1.0)


def _typical_length(counts: csr_array) -> float:
    """Root of the mean of x · x; 1 if there are no words."""
    return float(np.sqrt(counts.multiply(counts).sum() / counts.shape[0])) or 1.0


def _fitted(machine: Any, counts: csr_array, wanted: NDArray[Any]) -> tuple[Floats, float]:
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(_narrow(counts), wanted)
    return machine.coef_.ravel(), float(np.ravel(machine.intercept_)[0])


def _narrow(counts: csr_array) -> csr_array:
    """The same with 32-bit indices: liblinear takes no others."""
    starts, columns = counts.indptr.astype(np.int32), counts.indices.astype(np.int32)
    return csr_array((counts.data, columns, starts), shape=counts.shape)


def _joined(ids: TermIds, machines: list[tuple[Floats, float]]) -> LinearSvm:
    weights = np.stack([each for each, _ in machines], 1).astype(np.float32)
    return LinearSvm(ids, weights, np.array([bias for _, bias in machines], np.float32))
