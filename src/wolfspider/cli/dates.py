"""Dates on the command line."""

from __future__ import annotations

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
        except ValueError:
            self.fail(f"{value!r} is no date; write 2005-02-01 or 2005-02-01T12:30", param, context)
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()


def day(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"


def minute(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"
