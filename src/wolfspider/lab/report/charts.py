"""Line charts as SVG, with error bands and a name at the end of each line.

Text goes through `Markup.format`, which escapes it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from scipy.optimize import isotonic_regression

from wolfspider.lab.report.looks import Look, few, short, wide
from wolfspider.records import Floats


@dataclass(frozen=True)
class Axis:
    label: str
    high: float
    percent: bool = False

    def text(self, value: float) -> str:
        return f"{100 * value:.3g} %" if self.percent else f"{value:,.10g}"


@dataclass(frozen=True)
class Series:
    name: str
    look: Look
    x: Floats
    y: Floats
    error: Floats | None = None

    def thinned(self, most: int) -> Series:
        """At most so many points, evenly, with the first and the last."""
        if len(self.x) <= most:
            return self
        kept = np.unique(np.linspace(0, len(self.x) - 1, most).round().astype(int))
        error = None if self.error is None else self.error[kept]
        return Series(self.name, self.look, self.x[kept], self.y[kept], error)


def ticks(high: float, about: int = 5) -> list[float]:
    """Round numbers from 0 up to `high`: 1, 2 or 5 times a power of ten apart."""
    if not high > 0:
        return [0.0]
    rough = high / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * (1 - 1e-9))
    return [round(k * step, 12) for k in range(math.floor(high / step * (1 + 1e-9)) + 1)]


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
    right = width - (max(map(wide, names), default=0) + 40 if labels else 20)
    left, top, bottom = 52.0, 12.0, height - (44.0 if x.label else 26.0)

    def at(xs: Floats, ys: Floats) -> list[tuple[float, float]]:
        across = left + np.asarray(xs) / x.high * (right - left)
        down = bottom - np.asarray(ys) / y.high * (bottom - top)
        return list(zip(across.tolist(), down.tolist(), strict=True))

    parts = [_grid(x, y, (left, top, right, bottom), about)]
    for each in series:
        if each.error is not None:
            edge = at(each.x, np.minimum(each.y + each.error, y.high))
            edge += at(each.x, np.maximum(each.y - each.error, 0))[::-1]
            parts.append(_points("polygon", "band " + each.look.css, edge))
    # Oracles first, so that what a policy did lies over what was possible.
    for each in sorted(series, key=lambda one: not one.look.oracle):
        line = at(each.x, each.y)
        parts.append(_points("polyline", "line " + each.look.css, line, each.name))
        # Beginning at different places, so that the markers do not make a column.
        places = (np.arange(marks) + 0.3 + each.look.number % 5 / 6) / marks * (len(line) - 1)
        parts += [each.look.marker(*line[int(place)]) for place in places if place < len(line)]
    if labels:
        ends = [at(each.x[-1:], each.y[-1:])[0][1] for each in series]
        for each, name, end, place in zip(
            series, names, ends, spread(ends, 17, top + 4, bottom - 4), strict=True
        ):
            parts.append(_label(each.look, name, right, end, place))
    box = {"left": left, "right": right, "top": top, "bottom": bottom, "x": x.high, "y": y.high}
    data = [Markup('data-{}="{}"').format(key, few(value, 6)) for key, value in box.items()]
    return Markup(
        '<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}" {}>{}</svg>'
    ).format(width, height, title, Markup(" ").join(data), Markup("").join(parts))


def _grid(
    x: Axis, y: Axis, box: tuple[float, float, float, float], about: tuple[int, int]
) -> Markup:
    left, top, right, bottom = box
    rule = Markup('<path class="grid" d="M{} {}H{}"/><text x="{}" y="{}" class="end">{}</text>')
    mark = Markup('<path class="tick" d="M{} {}v5"/><text x="{}" y="{}" class="mid">{}</text>')
    parts = []
    for value in ticks(y.high, about[1]):
        place = bottom - value / y.high * (bottom - top)
        parts.append(
            rule.format(left, few(place), few(right), left - 7, few(place + 4), y.text(value))
        )
    for value in ticks(x.high, about[0]):
        place = left + value / x.high * (right - left)
        parts.append(mark.format(few(place), bottom, few(place), bottom + 19, x.text(value)))
    name = Markup('<text class="mid axis" x="{}" y="{}">{}</text>')
    parts.append(name.format(few((left + right) / 2), bottom + 39, x.label))
    return Markup("").join(parts)


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
