"""How good forecasts are: coverage and width of their intervals, over recorded runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wolfspider.forecasting import HORIZONS, Forecaster
from wolfspider.lab.oracles import ORACLES
from wolfspider.lab.trace import Trace
from wolfspider.policies import Spec

ALL = "all"  # policies but oracles


@dataclass(frozen=True)
class Checked:
    """Forecasts and what came, of one run and horizon."""

    expected: np.ndarray[Any, np.dtype[np.float64]]
    low: np.ndarray[Any, np.dtype[np.int64]]
    high: np.ndarray[Any, np.dtype[np.int64]]
    came: np.ndarray[Any, np.dtype[np.int64]]

    def __len__(self) -> int:
        return len(self.came)

    @classmethod
    def of(cls, trace: Trace, horizon: int) -> Checked:
        """Ten forecasts in each horizon, as a hunt would have made them; those that fell due."""
        forecaster = Forecaster(horizon)
        found = np.concatenate([[0], np.cumsum(trace.judged, dtype=np.int64)])
        starts = np.arange(0, len(trace) - horizon + 1, forecaster.step)
        made = []
        for start in starts:
            forecaster.extend(trace.judged[forecaster.seen : start], trace.promised)
            made.append((forecaster.last.expected, forecaster.last.low, forecaster.last.high))
        expected, low, high = zip(*made, strict=True) if made else ((), (), ())
        return cls(
            np.array(expected, np.float64),
            np.array(low, np.int64),
            np.array(high, np.int64),
            found[starts + horizon] - found[starts],
        )

    @classmethod
    def together(cls, parts: Sequence[Checked]) -> Checked:
        names = ("expected", "low", "high", "came")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    def row(self) -> dict[str, float]:
        """What is known of all of them: shares of outcomes, and means."""
        below, above = self.came < self.low, self.came > self.high
        return {
            "forecasts": len(self),
            "coverage": float(np.mean(~below & ~above)),
            "below": float(np.mean(below)),
            "above": float(np.mean(above)),
            "width": float(np.mean(self.high - self.low)),
            "expected": float(np.mean(self.expected)),
            "came": float(np.mean(self.came)),
            "error": float(np.mean(np.abs(self.expected - self.came))),
        }


def forecast_table(
    traces: Iterable[Trace], horizons: Sequence[int] = HORIZONS
) -> list[dict[str, Any]]:
    """A row for each policy and horizon, with the number of its runs; all policies last.

    Runs that are shorter than a horizon say nothing about it. Oracles have rows of their own and
    are not among all: nobody can hunt with them.
    """
    by_policy: dict[str, list[Trace]] = {}
    for trace in traces:
        by_policy.setdefault(trace.key.policy, []).append(trace)
    rows = []
    for horizon in horizons:
        honest: list[Checked] = []
        for policy, runs in by_policy.items():
            checked = [c for c in (Checked.of(run, horizon) for run in runs) if len(c)]
            rows += _row(policy, horizon, checked)
            honest += [] if Spec.parse(policy).name in ORACLES else checked
        rows += _row(ALL, horizon, honest)
    return rows


def _row(policy: str, horizon: int, checked: Sequence[Checked]) -> list[dict[str, Any]]:
    if not checked:
        return []
    numbers = Checked.together(checked).row()
    return [{"policy": policy, "horizon": horizon, "runs": len(checked)} | numbers]
