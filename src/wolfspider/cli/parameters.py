"""Dates and amounts on the command line."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

import click


class Moment(click.ParamType[float]):
    """A date, or a date and a time, as seconds since 1970; UTC unless it says otherwise."""

    name = "date"

    def convert(
        self, value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> float:
        if isinstance(value, float):
            return value
        try:
            date = datetime.fromisoformat(value)
            date = date.astimezone(UTC) if date.tzinfo else date.replace(tzinfo=UTC)
        except (ValueError, OverflowError):
            self.fail(f"{value!r} is no date; write 2005-02-01 or 2005-02-01T12:30", param, context)
        return date.timestamp()


class Amount(click.FloatRange):
    """A number in a range; `nan` is none."""

    def convert(
        self, value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> float:
        number: float = super().convert(value, param, context)
        if math.isnan(number) or math.isinf(number):
            self.fail(f"{value!r} is not a number to count with", param, context)
        return number


def day(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"


def minute(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"
