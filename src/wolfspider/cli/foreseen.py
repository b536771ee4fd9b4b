"""Forecasts in lines for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from wolfspider.forecasting import Forecast


def forecast_lines(found: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Names and values for `print_facts`, of forecasts as they stand in results."""
    return {f"next {each['next']:,}": f"{Forecast.of(each)} relevant" for each in found}


def forecast_line(forecasts: Iterable[Forecast]) -> str:
    """All in one line: `100 fetches: 12 (6–19), 1,000 fetches: 90 (20–210)`."""
    return ", ".join(f"{each.horizon:,} fetches: {each}" for each in forecasts)
