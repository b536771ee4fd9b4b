"""What is to come, by the verdicts of a hunt: rules that end it, and forecasts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wolfspider.forecasting import HORIZONS, Forecast, Forecaster
from wolfspider.stopping import Rules
from wolfspider.store import HuntReader


class Outlook:
    """Shows every verdict to the rules and to a forecaster for each horizon."""

    def __init__(self, rules: Rules) -> None:
        self._forecasters = [Forecaster(horizon) for horizon in HORIZONS]
        self._all: list[Rules | Forecaster] = [rules, *self._forecasters]

    def add(self, relevant: bool) -> None:
        for each in self._all:
            each.add(relevant)

    def extend(self, relevant: NDArray[np.bool_]) -> None:
        """What earlier processes saw; corrected verdicts as they are now."""
        for each in self._all:
            each.extend(relevant)

    def forecasts(self) -> list[Forecast]:
        return [each.forecast() for each in self._forecasters]


def verdicts_of(reader: HuntReader) -> NDArray[np.bool_]:
    """Whether each fetch of a hunt brought a relevant page, in order; refused links are none."""
    refused = "NOT refused" if reader.version > 1 else "1"
    query = f"SELECT relevance >= 0.5 FROM pages WHERE {refused} ORDER BY step"
    return np.fromiter((row[0] for row in reader.db.execute(query)), np.bool_)
