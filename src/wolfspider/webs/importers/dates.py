"""Dates as recordings write them → seconds since 1970.

What cannot be read is 0, and so is a date outside of the years 1 to 9999 in UTC, which could not
be written again. Dates before 1970 are below 0.
"""

from __future__ import annotations

from datetime import UTC, datetime

_BEGIN = datetime(1, 1, 1, tzinfo=UTC).timestamp()
_END = datetime(9999, 12, 31, tzinfo=UTC).timestamp() + 86_400


def within(seconds: float) -> float:
    """The same date, or 0 if its year is none of 1 to 9999."""
    return seconds if _BEGIN <= seconds < _END else 0.0


def from_iso(text: str) -> float:
    """Of `2020-01-02T03:04:05Z` and whatever else ISO 8601 allows; UTC if it does not say.

    >>> from_iso("1970-01-01T01:00:00+00:30"), from_iso("yesterday")
    (1800.0, 0.0)
    """
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        return 0.0
    return within((date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp())


def from_digits(text: str) -> float:
    """Of YYYYMMDDhhmmss in UTC; what is missing at its end counts as 0.

    >>> from_digits("1970010100"), from_digits("20209902030405")
    (0.0, 0.0)
    """
    try:
        date = datetime.strptime(text[:14].ljust(14, "0"), "%Y%m%d%H%M%S")
    except ValueError:
        return 0.0
    return within(date.replace(tzinfo=UTC).timestamp())
