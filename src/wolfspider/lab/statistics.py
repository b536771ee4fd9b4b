"""Statistics for paired comparisons: differences, intervals, significance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from wolfspider.records import Floats

_FEW = 13  # pairs, of which all 2ⁿ ways to set the signs are looked at


@dataclass(frozen=True)
class Comparison:
    """A policy against the baseline, over pairs of runs that started alike."""

    difference: float  # mean of policy − baseline
    median: float
    interval: tuple[float, float]  # 95 %, of the mean
    p: float
    p_holm: float
    wins: int
    losses: int
    pairs: int


def compare(differences: Floats, *, low_is_good: bool = False, seed: int = 0) -> Comparison:
    """Mean and median difference, bootstrap interval and Wilcoxon signed-rank test."""
    signs = -differences if low_is_good else differences
    with np.errstate(invalid="ignore"):  # −inf + inf, where only one of two found a target
        mean, median = float(differences.mean()), float(np.median(differences))
    return Comparison(
        mean,
        median,
        bootstrap_interval(differences, seed=seed),
        wilcoxon(differences),
        np.nan,
        int((signs > 0).sum()),
        int((signs < 0).sum()),
        len(differences),
    )


def wilcoxon(differences: Floats) -> float:
    """Two-sided p of the signed-rank test; 1 where nothing differs.

    Differences of 0 are left out, as Wilcoxon did. Exact for up to 50 pairs without ties and
    up to 13 with ties, otherwise by the normal approximation: the same p as SciPy's, which
    takes a second for a dozen pairs with ties.
    """
    sizes = np.abs(differences[np.isfinite(differences)])
    scale = sizes.max() if sizes.any() else 1.0
    rounded = np.round(differences / scale, 12)  # 0.3 − 0.2 and 0.2 − 0.1 are a tie
    if not np.any(rounded):
        return 1.0
    if len(rounded) <= _FEW:
        return _exact(rounded[rounded != 0])
    return float(stats.wilcoxon(rounded).pvalue)


def _exact(differences: Floats) -> float:
    """The share of all ways to set the signs that are as extreme as what was seen."""
    ranks = stats.rankdata(np.abs(differences))
    numbers = np.arange(2 ** len(ranks))[:, None]
    sums = (numbers >> np.arange(len(ranks)) & 1) @ ranks
    middle = ranks.sum() / 2
    seen = abs(ranks[differences > 0].sum() - middle)
    return float(np.mean(np.abs(sums - middle) >= seen - 1e-9))


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values corrected for how many there are (Holm 1979), in the order given."""
    order = np.argsort(p_values, kind="stable")
    count = len(p_values)
    corrected = np.empty(count)
    largest = 0.0
    for rank, index in enumerate(order):
        largest = max(largest, (count - rank) * p_values[index])
        corrected[index] = min(1.0, largest)
    return [float(p) for p in corrected]


def bootstrap_interval(
    values: Floats, *, level: float = 0.95, resamples: int = 4000, seed: int = 0
) -> tuple[float, float]:
    """Percentile interval of the mean; the value itself where there is but one.

    Not a number where a value is infinite.
    """
    if not np.isfinite(values).all():
        return np.nan, np.nan
    if len(values) < 2 or np.all(values == values[0]):
        return float(values[0]), float(values[0])
    result = stats.bootstrap(
        (values,),
        np.mean,
        confidence_level=level,
        n_resamples=resamples,
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    return float(result.confidence_interval.low), float(result.confidence_interval.high)


def standard_error(values: Floats) -> float:
    """Of the mean; 0 for a single value."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
