"""Line charts as SVG, with error bands and a name at the end of each line.

Text goes through `Markup.format`, which escapes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from scipy.optimize import isotonic_regression

from wolfspider.drawing.axes import Axis, Frame
from wolfspider.drawing.looks import Look, few, short, wide
from wolfspider.records import Floats

_FEW = 40  # points for which there is room to mark each


@dataclass(frozen=True)
class Series:
    name: str
    look: Look
    x: Floats
    y: Floats
    error: Floats | None = None
    dots: bool = False  # points, and no line between them

    def thinned(self, most: int) -> Series:
        """At most so many points, evenly, with the first and the last."""
        if len(self.x) <= most:
            return self
        kept = np.unique(np.linspace(0, len(self.x) - 1, most).round().astype(int))
        error = None if self.error is None else self.error[kept]
        return Series(self.name, self.look, self.x[kept], self.y[kept], error, self.dots)


def spread(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places at least `gap` apart, moved little; those that nearly agree keep their order."""
    order = np.argsort(np.round(np.asarray(places, float) / gap), kind="stable")
    steps = min(gap, (high - low) / max(1, len(order) - 1)) * np.arange(len(order))
    moved = np.empty(len(order))
    if len(order):
        free = isotonic_regression(np.asarray(places, float)[order] - steps).x
        moved[order] = np.clip(free, low, high - steps[-1]) + steps
    return [float(place) for place in moved]


def line_chart(
    title: str,
    series: Sequence[Series],
    x: Axis,
    y: Axis,
    *,
    size: tuple[int, int],
    labels: bool = True,
    marks: int = 6,
    about: tuple[int, int] = (6, 5),
) -> Markup:
    """Lines with their bands and some marks; with `labels` each is named at its right end."""
    width, height = size
    names = [short(each.name) + " (oracle)" * each.look.oracle for each in series if labels]
    margin = max(map(wide, names), default=0) + 40 if labels else 20
    frame = Frame(x, y, width, height, margin)
    at, right = frame.at, frame.right
    parts = [frame.grid(about)]
    for each in series:
        if each.error is not None:
            edge = at(each.x, np.minimum(each.y + each.error, y.high))
            edge += at(each.x, np.maximum(each.y - each.error, y.low))[::-1]
            parts.append(_points("polygon", "band " + each.look.css, edge))
    # Oracles first, so that what a policy did lies over what was possible.
    for each in sorted(series, key=lambda one: not one.look.oracle):
        line = at(each.x, each.y)
        if each.dots:
            mark = each.look.marker if len(line) <= _FEW else each.look.dot
            parts += [mark(*place) for place in line]
            continue
        parts.append(_points("polyline", "line " + each.look.css, line, each.name))
        # Beginning at different places, so that the markers do not make a column.
        places = (np.arange(marks) + 0.3 + each.look.number % 5 / 6) / marks * (len(line) - 1)
        parts += [each.look.marker(*line[int(place)]) for place in places if place < len(line)]
    if labels:
        ends = [at(each.x[-1:], each.y[-1:])[0][1] for each in series]
        for each, name, end, place in zip(
            series, names, ends, spread(ends, 17, frame.top + 4, frame.bottom - 4), strict=True
        ):
            parts.append(_label(each.look, name, right, end, place))
    return frame.svg(title, parts)


def _points(kind: str, css: str, points: list[tuple[float, float]], name: str = "") -> Markup:
    named = Markup(' data-name="{}"').format(name) if name else ""
    text = " ".join(f"{few(x)},{few(y)}" for x, y in points)
    return Markup('<{} class="{}"{} points="{}"/>').format(kind, css, named, text)


def _label(look: Look, name: str, right: float, end: float, place: float) -> Markup:
    lead = Markup('<path class="lead {}" d="M{} {}L{} {}"/>')
    text = Markup('<text class="label {}" x="{}" y="{}">{}</text>')
    drawn = lead.format(look.css, few(right + 2), few(end), few(right + 12), few(place))
    return (
        drawn
        + look.marker(right + 18, place)
        + text.format(look.css, few(right + 27), few(place + 4.5), name)
    )
