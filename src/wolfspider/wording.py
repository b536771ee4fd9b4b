"""Numbers and places as people say them."""

from __future__ import annotations

from pathlib import Path


def several(count: int, one: str, many: str = "") -> str:
    """A number of things: 1 page, 2 pages."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def percent(share: float) -> str:
    """A share that is never rounded to nothing, nor to all."""
    text = f"{100 * share:.1f}".removesuffix(".0")
    if text == "0" and share > 0:
        return "< 0.1 %"
    return "> 99.9 %" if text == "100" and share < 1 else f"{text} %"


def lasting(seconds: float) -> str:
    """A time in the largest unit of which there are two: 90 minutes, 3 days."""
    for unit, size in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return several(round(seconds), "second")


def near(path: Path) -> str:
    """A path as it is seen from here, if it is below."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
