"""Mean curves over one axis that all tasks share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wolfspider.lab.summary import Summary, Unit, band
from wolfspider.records import Floats

_SHARES = 200
_FETCHES = 1000  # points at most, so that files stay small however long the crawls were

FETCHES = "fetches"
REACHABLE = "share of the reachable pages fetched"
BUDGET = "share of the budget spent"


@dataclass(frozen=True)
class Curve:
    x: Floats
    mean: Floats
    error: Floats  # standard error of the mean, over units


@dataclass(frozen=True)
class Curves:
    """Recall and similarity of the policies, as means over units.

    The axis counts fetches where all tasks have the same budget (a crawl that could end
    earlier goes on flat); elsewhere it is a share, 0 … 1, so that tasks of any size agree.
    """

    summary: Summary

    @cached_property
    def axis(self) -> str:
        grounds = self.summary.grounds.values()
        asked = {ground.task.budget for ground in grounds}
        if len({ground.budget for ground in grounds}) == 1 or (
            len(asked) == 1 and None not in asked
        ):
            return FETCHES
        whole = all(ground.budget == int(ground.reachable.sum()) for ground in grounds)
        return REACHABLE if whole else BUDGET

    @cached_property
    def x(self) -> Floats:
        if self.axis == FETCHES:
            last = self.summary.budget
            return np.unique(np.linspace(0, last, min(last, _FETCHES) + 1).round())
        return np.linspace(0, 1, _SHARES + 1)

    def names(self) -> list[str]:
        return ["recall", "similarity"] if self.summary.described else ["recall"]

    def of(self, policy: str, name: str, units: Sequence[Unit] | None = None) -> Curve | None:
        """The mean curve of a policy over these units; None where it has finished none."""
        chosen = self.summary.units if units is None else units
        ran = [unit for unit in chosen if (policy, unit) in self.summary.by_unit]
        if not ran:
            return None
        mean, error = band([self._sampled(policy, unit, name) for unit in ran])
        first = 0 if name == "recall" else 1  # before the first page nothing is similar
        return Curve(self.x[first:], mean[first:], error[first:])

    def _sampled(self, policy: str, unit: Unit, name: str) -> Floats:
        curve = np.concatenate([[0.0], self.summary.curve(policy, unit, name)])
        last = len(curve) - 1
        if self.axis == FETCHES:
            places = np.minimum(self.x.astype(np.int64), last)
        else:
            places = np.floor(np.round(self.x * last, 6)).astype(np.int64)
        if name == "similarity":
            places = np.maximum(places, 1)
        sampled: Floats = curve[places]
        return sampled
