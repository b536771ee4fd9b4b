"""Numbers from a sample, with how far off they may be.

Samples here are of source pages, and what one source sees hangs together. So an interval comes
from drawing the sources again, all of a source's pairs at once (a cluster bootstrap).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from wolfspider.records import Floats

_RESAMPLES = 2000
_FEW_RESAMPLES = 400  # where each of them takes a while


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval; none where it is exact, or from one source."""

    value: float
    low: float | None = None
    high: float | None = None
    exact: bool = False


def ratio(tops: Floats, bottoms: Floats, *, seed: int, exact: bool = False) -> Estimate | None:
    """Σ tops / Σ bottoms over the sources; None where there is nothing to divide by.

    The bottoms are counts.
    """
    if not bottoms.sum() > 0:
        return None
    value = float(tops.sum() / bottoms.sum())
    if exact or len(tops) < 2:
        return Estimate(value, exact=exact)
    found = stats.bootstrap(
        (tops, bottoms),
        _ratio,
        paired=True,
        vectorized=True,
        n_resamples=_RESAMPLES,
        method="percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return Estimate(value, float(found.low), float(found.high))


def _ratio(tops: Floats, bottoms: Floats, axis: int) -> Floats:
    # A draw of nothing but sources that see nothing counts as 0.
    quotient: Floats = tops.sum(axis=axis) / np.maximum(bottoms.sum(axis=axis), 1)
    return quotient


def by_source(
    statistic: Callable[[NDArray[np.int64]], float | None], sources: NDArray[np.int64], *, seed: int
) -> Estimate | None:
    """A statistic of rows, each of which belongs to a source; sources are numbered from 0."""
    value = statistic(np.arange(len(sources)))
    if value is None:
        return None
    order = np.argsort(sources, kind="stable")
    rows = np.split(order, np.cumsum(np.bincount(sources))[:-1])
    generator = np.random.default_rng(seed)
    drawn = []
    for _ in range(_FEW_RESAMPLES if len(rows) > 1 else 0):
        again = [rows[k] for k in generator.integers(0, len(rows), len(rows))]
        if (found := statistic(np.concatenate(again))) is not None:
            drawn.append(found)
    if not drawn:
        return Estimate(value)
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Estimate(value, float(low), float(high))
