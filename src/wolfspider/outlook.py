"""What is to come, by the verdicts of a hunt and what its policy promises: rules that end it, and
forecasts."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from wolfspider.forecasting import (
    HORIZONS,
    PACE,
    SIZES,
    Forecast,
    Forecaster,
    Promised,
    together,
)
from wolfspider.protocols import Promising
from wolfspider.stopping import Rules
from wolfspider.store import HuntReader


class Past(NamedTuple):
    """Whether each fetch brought a relevant page; and promises, as a `Forecaster` takes them."""

    relevant: NDArray[np.bool_]
    promised: Promised

    @classmethod
    def of(cls, reader: HuntReader) -> Self:
        """All fetches of a hunt, in order; refused links are none, verdicts are as corrected."""
        refused = "NOT refused" if reader.version > 1 else "1"
        query = f"SELECT relevance >= 0.5 FROM pages WHERE {refused} ORDER BY step"
        relevant = np.fromiter((row[0] for row in reader.db.execute(query)), np.bool_)
        return cls(relevant, reader.promised(len(relevant)))


class Outlook:
    """Shows every verdict and promise to the rules and to a forecaster for each horizon."""

    def __init__(self, rules: Rules) -> None:
        self._forecasters = [Forecaster(horizon) for horizon in HORIZONS]
        self._all: list[Rules | Forecaster] = [rules, *self._forecasters]

    def add(self, relevant: bool, promised: Promised | None) -> None:
        for each in self._all:
            each.add(relevant, promised)

    def extend(self, past: Past) -> None:
        """What earlier processes saw."""
        for each in self._all:
            each.extend(past.relevant, past.promised)

    def forecasts(self) -> list[Forecast]:
        return [each.forecast() for each in self._forecasters]


def promised_by(policy: object, fetches: int) -> Promised | None:
    """What the best links that wait promise together, after so many fetches, if it is time to ask
    and the policy can tell."""
    if fetches % PACE or not isinstance(policy, Promising):
        return None
    return together(policy.promises(SIZES[-1]))
