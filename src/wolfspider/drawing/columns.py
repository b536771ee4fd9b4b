"""Columns side by side as SVG, with whiskers for intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from wolfspider.drawing.axes import Axis, Frame
from wolfspider.drawing.looks import Look, few, wide

_GAP = 0.22  # between the columns of two names, where a name has room 1


@dataclass(frozen=True)
class Columns:
    """One column for each name of the chart; None where there is no value."""

    name: str
    look: Look
    values: Sequence[float | None]
    lows: Sequence[float | None] = ()
    highs: Sequence[float | None] = ()


def column_chart(
    title: str,
    names: Sequence[str],
    groups: Sequence[Columns],
    x_label: str,
    y: Axis,
    *,
    size: tuple[int, int],
) -> Markup:
    """The groups stand beside each other over each name."""
    frame = Frame(Axis(x_label, max(1, len(names))), y, *size)
    parts = [frame.rules(5), frame.marks(_fitting(names, frame)), frame.names()]
    width = (1 - _GAP) / max(1, len(groups))
    for number, group in enumerate(groups):
        for place, value in enumerate(group.values):
            left = place + _GAP / 2 + number * width
            if value is not None:
                parts.append(_column(frame, group.look, left, width, value))
        for place, (low, high) in enumerate(zip(group.lows, group.highs, strict=True)):
            middle = place + _GAP / 2 + (number + 0.5) * width
            if low is not None and high is not None:
                parts.append(_whisker(frame, middle, low, high))
    return frame.svg(title, parts)


def _fitting(names: Sequence[str], frame: Frame) -> list[tuple[float, str]]:
    """Names below the middle of their columns, as many as there is room for, and the last."""
    room = (frame.right - frame.left) / max(1, len(names))
    every = max(1, int(np.ceil((max(map(wide, names), default=0) + 6) / room)))
    last = len(names) - 1
    kept = [k for k in range(0, len(names), every) if k == last or last - k >= every]
    return [(k + 0.5, names[k]) for k in dict.fromkeys([*kept, *range(max(0, last), last + 1)])]


def _column(frame: Frame, look: Look, left: float, width: float, value: float) -> Markup:
    (x0, bottom), (x1, top) = frame.at(
        np.array([left, left + width]), np.array([frame.y.low, value])
    )
    return Markup('<rect class="bar {}" x="{}" y="{}" width="{}" height="{}"/>').format(
        look.css, few(x0), few(top), few(x1 - x0), few(max(0.0, bottom - top))
    )


def _whisker(frame: Frame, middle: float, low: float, high: float) -> Markup:
    (x, bottom), (_, top) = frame.at(np.array([middle, middle]), np.array([low, high]))
    return Markup('<path class="whisker" d="M{0} {1}V{2}M{3} {1}h8M{3} {2}h8"/>').format(
        few(x), few(bottom), few(top), few(x - 4)
    )
