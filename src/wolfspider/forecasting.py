"""How many relevant pages the next fetches will bring.

A forecast sees the verdicts so far, one for each fetch, and what the links that wait promised
then, if the policy can tell; nothing of the web. Five things make it:

- The rate of the past. Two means with exponential discount, L with a long memory and R of lately,
  both longer for a longer horizon, make L^(1−w) · R^w.
- The promise P, the yield that the policy expects of the best links that wait, as many as will be
  fetched. It tells sooner than any past that a rich place has been found, or is empty. Policies
  deceive themselves, too, and hosts may let nobody in, so the rate is past^(1−v) · P^v, with less
  v the longer nothing was found; a drift, past finds ÷ past forecasts, corrects it.
- The spread. The rate to come is uncertain, so finds are beta-binomial: a beta of few finds' worth,
  and however much is known no narrower than rates of crawls have proved to change.
- The end. Nobody knows how many pages there are. That at least n are left is as likely as
  found ÷ (found + n), and that none comes, after so many fetches since the last one, as
  fetches ÷ (fetches + horizon): what has lasted lasts about as long again (Gott, 1993).
- The past. Which quantiles are given as the ends of the interval is learned from the hunt's own
  forecasts that have fallen due, an end moving out with each miss and in with each hit, as in
  adaptive conformal inference (Gibbs and Candès, 2021). Each end by itself.

`docs/lab.md` has the coverage that was measured, and how the constants were found.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wolfspider.records import Floats

HORIZONS = (100, 1000)  # that people are shown
SHARE = 0.8  # of outcomes that the interval is meant to hold
PACE = 10  # fetches, after which it is told anew what waiting links promise
SIZES = (10, 30, 100, 300, 1000)  # of the best of these: what so many promise together

_LOOKS = 10  # at forecasts in each horizon
# From recorded crawls, see docs/lab.md.
_FIRST_RATE, _FIRST_FETCHES = 0.2, 200.0  # as if a hunt had begun before it did
_LONG, _LEAST_LONG = 5.0, 100.0  # memory of the one rate: by fetches of the horizon, plus fetches
_LATELY, _LEAST_LATELY = 0.17, 20.0  # of the other
_WEIGHT = 0.85  # of the other
_BORROWED = 30.0  # fetches of the one rate that the other begins with
_BELIEVED = 0.8  # weight of what links promise, and less of it while nothing comes
_LEAST_PROMISE = 1e-5  # that is believed of a link
_NEVER = 0.02  # finds: a hunt without any is not told that there are none
_DRIFT, _DRIFT_FINDS = 0.85, 100.0  # to begin with, by the past alone; and what this is worth
_DRIFT_MEMORY = 50.0  # horizons
_CHANGE = 0.9  # relative variance of the rate to come, were the rate now known
_FEWEST_FINDS = 0.6  # that a rate is worth
_BOLDNESS = 0.4  # how much narrower high rates are
_FOUND_BEFORE = 100.0  # as if so many pages had been found before the first
_STEP = 0.4  # of the ends, in standard deviations, by horizon
_NORMAL = NormalDist()
_INNERMOST, _OUTERMOST = 0.0, 4.0  # standard deviations

Promised = NDArray[np.float32]  # by `SIZES`
NOTHING: Promised = np.empty((0, len(SIZES)), np.float32)  # was ever promised


@dataclass(frozen=True, slots=True)
class Forecast:
    """Relevant pages in the next `horizon` fetches: the mean, and an interval, ends included."""

    horizon: int
    expected: float
    low: int
    high: int

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Forecast:
        """From what `as_json` gave."""
        return cls(found["next"], found["expected"], found["low"], found["high"])

    def as_json(self) -> dict[str, Any]:
        expected = round(self.expected, 2)
        return {"next": self.horizon, "expected": expected, "low": self.low, "high": self.high}

    def __str__(self) -> str:
        digits = 0 if self.expected >= 10 else 1
        return f"{self.expected:,.{digits}f} ({self.low:,}–{self.high:,})"


class _Due(NamedTuple):
    """A forecast that waits for its outcome."""

    found: int  # before it
    expected: float  # without drift
    cumulative: Floats  # of the number of finds
    below: float  # levels of the ends
    above: float


class _Discounted(NamedTuple):
    """Fetches and finds, of which older ones count less."""

    memory: float  # fetches after which one counts 1/e
    found: float = 0.0
    seen: float = 0.0

    def after(self, found: int, seen: int) -> _Discounted:
        kept = math.exp(-seen / self.memory)
        return _Discounted(self.memory, self.found * kept + found, self.seen * kept + seen)


def together(promises: Floats | Promised) -> Promised:
    """Of what each of some links promises: what so many of the best as `SIZES` say do together.

    Where one of them is unknown, so are all sums.
    """
    sums = np.concatenate([[0.0], np.cumsum(np.sort(promises)[::-1])])
    return sums[np.minimum(SIZES, len(promises))].astype(np.float32)


class Forecaster:
    """Forecasts for one horizon, from verdicts as they come.

    The work is done ten times in each horizon, a vector of the horizon's length each; a verdict in
    between costs two additions. The state follows from the verdicts and promises alone.
    """

    def __init__(self, horizon: int, share: float = SHARE) -> None:
        self.horizon = horizon
        self.step = max(1, horizon // _LOOKS)  # fetches between two looks
        self.seen = self.found = 0
        self._tail = (1.0 - share) / 2
        self._long = _Discounted(
            _LONG * horizon + _LEAST_LONG, _FIRST_RATE * _FIRST_FETCHES, _FIRST_FETCHES
        )
        self._lately = _Discounted(_LATELY * horizon + _LEAST_LATELY)
        self._promise: float | None = None  # of a link that waits, on average
        self._new_found = self._new_seen = 0  # since the last look
        self._dry = 0  # fetches without a find before it, as far as was looked
        self._drift_found = self._drift_expected = 0.0
        self._below = self._above = _NORMAL.inv_cdf(
            1.0 - self._tail
        )  # of the ends, in standard deviations
        self._looks = max(1, round(horizon / self.step))  # until a forecast is due
        self._due: deque[_Due] = deque()
        self.last = self._ask()  # as of the last look

    def add(self, relevant: bool, promised: Promised | None = None) -> None:
        """A verdict, and what is promised since then if that is known anew."""
        self._take(relevant, 1, promised)

    def extend(self, relevant: NDArray[np.bool_], promised: Promised = NOTHING) -> None:
        """Many verdicts, as if one after the other.

        `promised` is of the whole hunt: a row after every `PACE` verdicts, with NaN if unknown.
        """
        if not len(relevant):
            return
        starts = np.append(0, np.arange(self.step - self._new_seen, len(relevant), self.step))
        sizes = np.diff(starts, append=len(relevant)).tolist()
        found = np.add.reduceat(relevant, starts, dtype=np.intp).tolist()
        for hits, size in zip(found, sizes, strict=True):  # from look to look
            self._take(hits, size, _as_of(self.seen + self._new_seen + size, promised))

    def _take(self, found: int, seen: int, promised: Promised | None) -> None:
        """Verdicts up to the next look at most."""
        if promised is not None:
            self._hear(promised)
        self._new_found += found
        self._new_seen += seen
        if self._new_seen == self.step:
            self._look()

    def _hear(self, promised: Promised) -> None:
        ahead = min(self.horizon, SIZES[-1])  # what comes after these is taken to be like them
        share = float(np.interp(ahead, (0, *SIZES), (0.0, *promised))) / ahead
        self._promise = None if math.isnan(share) else share

    def forecast(self) -> Forecast:
        """As of the last verdict."""
        return self._forecast(*self._outcomes(*self._rate()))

    # -- now and then ----------------------------------------------------------------------

    def _look(self) -> None:
        self.seen += self.step
        self.found += self._new_found
        self._long = self._long.after(self._new_found, self.step)
        self._lately = self._lately.after(self._new_found, self.step)
        self._dry = 0 if self._new_found else self._dry + self.step
        self._new_found = self._new_seen = 0
        if len(self._due) == self._looks:
            self._settle(self._due.popleft())
        self.last = self._ask()

    def _ask(self) -> Forecast:
        """A forecast whose outcome will be looked at."""
        cumulative, mean = self._outcomes(*self._rate())
        self._due.append(_Due(self.found, mean / self._drift(), cumulative, *self._levels()))
        return self._forecast(cumulative, mean)

    def _settle(self, due: _Due) -> None:
        """Learn from a forecast whose outcome is known."""
        outcome = self.found - due.found
        kept = math.exp(-1.0 / (self._looks * _DRIFT_MEMORY))
        self._drift_found = self._drift_found * kept + outcome / self._looks
        self._drift_expected = self._drift_expected * kept + due.expected / self._looks
        at_most = float(due.cumulative[min(outcome, self.horizon)])
        fewer = float(due.cumulative[min(outcome, self.horizon) - 1]) if outcome else 0.0
        # What lies on the level itself is inside and outside in part: counts are coarse, and ends
        # that only counted what is beyond would close in on a hunt that finds nothing.
        missed_above = _part(at_most, fewer, due.above)
        missed_below = 1.0 - _part(at_most, fewer, due.below)
        step = _STEP / self._looks
        self._above = _bounded(self._above + step * (missed_above - self._tail))
        self._below = _bounded(self._below + step * (missed_below - self._tail))

    # -- the distribution ------------------------------------------------------------------

    def _rate(self) -> tuple[float, float]:
        """The rate to come, without drift; and how many finds it is known from."""
        long = self._long.after(self._new_found, self._new_seen)
        lately = self._lately.after(self._new_found, self._new_seen)
        one = (long.found + _NEVER) / (long.seen + 1.0)
        other = (lately.found + _BORROWED * one) / (lately.seen + _BORROWED)
        rate = one * (other / one) ** _WEIGHT
        if self._promise is not None:
            believed = _BELIEVED * self._going()
            rate *= (max(self._promise, _LEAST_PROMISE) / rate) ** believed
        return rate, lately.found

    def _outcomes(self, rate: float, finds: float) -> tuple[Floats, float]:
        """The cumulative distribution of the number of finds, and its mean."""
        rate = min(max(rate * self._drift(), 1e-6), 0.98)
        shape = 1.0 / (_CHANGE + 1.0 / (finds + _FEWEST_FINDS))
        first = shape / (1.0 - rate) ** _BOLDNESS
        cumulative = beta_binomial(self.horizon, first, first * (1.0 - rate) / rate)
        found = self.found + self._new_found + _FOUND_BEFORE
        cumulative = unless_it_ends(cumulative, found, self._going())
        return cumulative, float((1.0 - cumulative).sum())

    def _going(self) -> float:
        """The chance that there is anything left to find; nobody gives up before the first."""
        dry = 0 if self._new_found or not self.found else self._dry + self._new_seen
        return self.horizon / (self.horizon + dry)

    def _drift(self) -> float:
        """Past finds ÷ past forecasts; a promise is taken at its word before there are any."""
        first = _DRIFT if self._promise is None else 1.0
        return (_DRIFT_FINDS * first + self._drift_found) / (_DRIFT_FINDS + self._drift_expected)

    def _levels(self) -> tuple[float, float]:
        """Of the ends; the upper one is as high as if it were known that something is left."""
        above = 1.0 - _NORMAL.cdf(self._above)
        return _NORMAL.cdf(-self._below), 1.0 - above * self._going()

    def _forecast(self, cumulative: Floats, mean: float) -> Forecast:
        low, high = (int(np.searchsorted(cumulative, level)) for level in self._levels())
        low, high = min(low, math.floor(mean)), max(high, math.ceil(mean - 0.5))
        return Forecast(self.horizon, mean, low, min(high, self.horizon))


def beta_binomial(count: int, first: float, second: float) -> Floats:
    """The distribution of hits among `count` with a common rate that is beta, cumulative from 0."""
    hits = np.arange(count)
    ratios = (count - hits) * (hits + first) / ((hits + 1) * (count - hits - 1 + second))
    logs = np.concatenate([[0.0], np.cumsum(np.log(ratios))])
    chances = np.exp(logs - logs.max())
    cumulative: Floats = np.cumsum(chances) / chances.sum()
    return cumulative


def unless_it_ends(cumulative: Floats, found: float, going: float) -> Floats:
    """The same number of hits, where they come to an end: after so many, if it is not over yet."""
    more: Floats = (1.0 - cumulative) * found / (found + 1.0 + np.arange(len(cumulative)))
    return 1.0 - more * going


def forecasts(
    relevant: NDArray[np.bool_],
    promised: Promised = NOTHING,
    horizons: Iterable[int] = HORIZONS,
) -> list[Forecast]:
    """After these verdicts."""
    found = []
    for horizon in horizons:
        forecaster = Forecaster(horizon)
        forecaster.extend(relevant, promised)
        found.append(forecaster.forecast())
    return found


def _as_of(fetches: int, promised: Promised) -> Promised | None:
    """What was promised last, of rows after every `PACE` fetches."""
    row = fetches // PACE - 1
    return promised[row] if 0 <= row < len(promised) else None


def _part(at_most: float, fewer: float, level: float) -> float:
    """Which part of an outcome, which stands from `fewer` to `at_most`, is above a level."""
    width = at_most - fewer
    return min(max((at_most - level) / width, 0.0), 1.0) if width > 0 else float(fewer >= level)


def _bounded(deviations: float) -> float:
    return min(max(deviations, _INNERMOST), _OUTERMOST)
