"""Bars lying down, as SVG in percentages: as wide as there is room, text of one size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from wolfspider.drawing.looks import Look, short

_ROW = 42  # the name, and the bar below it
_ROOM = 78  # per cent; the rest is for the value


@dataclass(frozen=True)
class Bar:
    name: str
    look: Look
    value: float
    error: float
    text: str


def bar_chart(title: str, rows: Sequence[Bar]) -> Markup:
    """One bar for each row, with ± 1 standard error."""
    high = max((row.value + row.error for row in rows), default=0) or 1.0
    parts = [_bar(row, number * _ROW, high) for number, row in enumerate(rows)]
    svg = Markup('<svg class="bars" width="100%" height="{}" role="img" aria-label="{}">{}</svg>')
    return svg.format(len(rows) * _ROW, title, Markup("").join(parts))


def _bar(row: Bar, top: int, high: float) -> Markup:
    low_end, end, high_end = (
        f"{_ROOM * max(0.0, value) / high:.2f}%"
        for value in (row.value - row.error, row.value, row.value + row.error)
    )
    return (
        Markup('<text class="name" x="0" y="{}"><title>{}</title>{}</text>').format(
            top + 13, row.name, short(row.name, 250) + " (oracle)" * row.look.oracle
        )
        + Markup('<rect class="bar {}" x="0" y="{}" width="{}" height="14" rx="2"/>').format(
            row.look.css, top + 19, end
        )
        + Markup('<line class="whisker" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(
            low_end, high_end, top + 26, top + 26
        )
        + Markup('<text class="value" x="{}" dx="8" y="{}">{}</text>').format(
            high_end, top + 31, row.text
        )
    )
