"""Whether the tail of a distribution is a power law: p(k) ∝ k^−α from some k on.

Clauset, Shalizi & Newman, Power-law distributions in empirical data (2009): the tail begins where
the fit is nearest by Kolmogorov–Smirnov distance, α is the most likely one, and what else could
be is compared by likelihood ratio (Vuong's test). Done by the package `powerlaw`.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
import powerlaw  # type: ignore[import-untyped]
from numpy.typing import NDArray

_FEW_TAIL = 50  # Clauset et al.: with fewer, nothing can be told
_FEW_VALUES = 5  # distinct ones
_SIGNIFICANT = 0.1  # as Clauset et al. choose


@dataclass(frozen=True)
class Rival:
    """Log-likelihood ratio of the power law to another distribution: above 0 it fits better."""

    ratio: float | None
    p: float | None  # that the ratio is not 0 by chance

    @property
    def wins(self) -> bool:
        if self.ratio is None or self.p is None:
            return False
        return self.ratio < 0 and self.p < _SIGNIFICANT


@dataclass(frozen=True)
class PowerLaw:
    """The best power law for the tail k ≥ `minimum`."""

    alpha: float
    error: float  # standard error of alpha
    minimum: int
    distance: float  # Kolmogorov–Smirnov
    tail: int  # how many values are in it
    share: float  # of all values, zeros too
    lognormal: Rival
    exponential: Rival
    verdict: str


def fit(values: NDArray[np.int64]) -> PowerLaw | None:
    """The fit to the values above 0; None where there are too few."""
    above = values[values > 0]
    if len(above) < _FEW_TAIL or len(np.unique(above)) < _FEW_VALUES:
        return None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # it warns of every start of a search that fails
        # Its own range for alpha ends at 3, and steep tails are then fitted where they do not fit.
        ranges = {"alpha": [1.0, None]}
        found = powerlaw.Fit(above, discrete=True, verbose=False, parameter_ranges=ranges)
        law = found.power_law
        lognormal, exponential = (_rival(found, name) for name in ("lognormal", "exponential"))
        alpha, error = float(law.alpha), float(law.standard_err)
    tail = int((above >= found.xmin).sum())
    if not (math.isfinite(alpha) and math.isfinite(error)):
        return None
    return PowerLaw(
        alpha,
        error,
        int(found.xmin),
        float(law.D),
        tail,
        tail / len(values),
        lognormal,
        exponential,
        _verdict(tail, lognormal, exponential),
    )


def _rival(found: powerlaw.Fit, name: str) -> Rival:
    ratio, p = map(float, found.distribution_compare("power_law", name))
    return Rival(ratio, p) if math.isfinite(ratio) and math.isfinite(p) else Rival(None, None)


def _verdict(tail: int, lognormal: Rival, exponential: Rival) -> str:
    if tail < _FEW_TAIL:
        return "too few pages in the tail to tell"
    if lognormal.wins:
        return "a lognormal fits better"
    if exponential.wins:
        return "an exponential fits better"
    named = (("a lognormal", lognormal), ("an exponential", exponential))
    open_ = [name for name, rival in named if rival.p is None or rival.p >= _SIGNIFICANT]
    are = "are" if len(open_) > 1 else "is"
    return f"plausible, and so {are} {' and '.join(open_)}" if open_ else "plausible"
