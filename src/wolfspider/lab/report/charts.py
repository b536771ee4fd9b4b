"""Small charts as SVG: lines with error bands, and bars. Colours are CSS variables of the page.

A `Look` tells a series from the others twice: by colour and by marker; an oracle is a dashed
grey line without markers. Text goes through `Markup.format`, which escapes it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from scipy.optimize import isotonic_regression

from wolfspider.records import Floats

COLOURS = 10
_MARKERS = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",  # circle
    "M-3.5-3.5h7v7h-7z",  # square
    "M0-4.6L4.4 3.4H-4.4z",  # triangle
    "M0-5L5 0L0 5L-5 0z",  # diamond
    "M0 4.6L4.4-3.4H-4.4z",  # triangle, upside down
    "M-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",  # plus
    "M-4.5-4.5h2.6L0-2 1.9-4.5h2.6L1.8 0l2.7 4.5H1.9L0 2l-1.9 2.5h-2.6L-1.8 0z",  # cross
)
_CHARACTER = 7.3  # width of one at the size of labels, about


@dataclass(frozen=True)
class Look:
    """How a policy is drawn, everywhere on the page."""

    number: int  # among the policies, or among the oracles
    oracle: bool = False

    @property
    def css(self) -> str:
        return f"oracle o{self.number % 3}" if self.oracle else f"p{self.number % COLOURS}"

    def marker(self, x: float, y: float) -> Markup:
        if self.oracle:
            return Markup("")
        shape = Markup('<path class="mark {}" d="{}" transform="translate({} {})"/>')
        return shape.format(self.css, _MARKERS[self.number % len(_MARKERS)], _n(x), _n(y))

    def swatch(self) -> Markup:
        """A bit of the line, for legends and tables."""
        drawn = Markup('<svg class="swatch" width="30" height="12" aria-hidden="true">{}{}</svg>')
        line = Markup('<path class="line {}" d="M1 6H29"/>').format(self.css)
        return drawn.format(line, self.marker(15, 6))


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
    """Places at least `gap` apart between low and high, moved as little as can be."""
    order = np.argsort(places, kind="stable")
    steps = min(gap, (high - low) / max(1, len(order) - 1)) * np.arange(len(order))
    moved = np.empty(len(order))
    if len(order):
        free = isotonic_regression(np.asarray(places, float)[order] - steps).x
        moved[order] = np.clip(free, low, high - steps[-1]) + steps
    return [float(place) for place in moved]


def short(name: str, most: int = 26) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def line_chart(
    title: str,
    series: Sequence[Series],
    x: Axis,
    y: Axis,
    *,
    size: tuple[int, int],
    labels: bool = True,
    about: tuple[int, int] = (6, 5),
) -> Markup:
    """Lines with their bands; with `labels` each is named at its right end."""
    width, height = size
    names = [short(each.name) for each in series] if labels else []
    right = width - (max(map(len, names), default=0) * _CHARACTER + 34 if labels else 12)
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
        first = (1 + each.look.number % 5) * len(line) // 30  # not all markers in one column
        marks = range(first, len(line), max(1, len(line) // 6)) if labels else [len(line) - 1]
        parts += [each.look.marker(*line[mark]) for mark in marks]
    if labels:
        ends = [at(each.x[-1:], each.y[-1:])[0][1] for each in series]
        for each, name, end, place in zip(
            series, names, ends, spread(ends, 17, top + 4, bottom - 4), strict=True
        ):
            parts.append(_label(each.look, name, right, end, place))
    box = {"left": left, "right": right, "top": top, "bottom": bottom, "x": x.high, "y": y.high}
    data = [Markup('data-{}="{}"').format(key, _n(value, 6)) for key, value in box.items()]
    return Markup(
        '<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}" {}>{}</svg>'
    ).format(width, height, title, Markup(" ").join(data), Markup("").join(parts))


def bars(rows: Sequence[tuple[str, Look, float, float, str]], title: str) -> Markup:
    """Bars lying down: name, look, value, error, value as text. As wide as there is room."""
    high = max((value + error for _, _, value, error, _ in rows), default=0) or 1.0
    parts = []
    for row, (name, look, value, error, text) in enumerate(rows):
        ends = [f"{78 * max(0.0, part) / high:.2f}%" for part in (value - error, value + error)]
        parts.append(
            Markup(
                '<text class="name" x="0" y="{}"><title>{}</title>{}</text>'
                '<rect class="bar {}" x="0" y="{}" width="{}" height="14" rx="2"/>'
                '<line class="whisker" x1="{}" x2="{}" y1="{}" y2="{}"/>'
                '<text class="value" x="{}" dx="8" y="{}">{}</text>'
            ).format(
                *(row * 42 + 13, name, short(name, 40)),
                *(look.css, row * 42 + 19, f"{78 * value / high:.2f}%"),
                *(*ends, row * 42 + 26, row * 42 + 26, ends[1], row * 42 + 31, text),
            )
        )
    svg = Markup('<svg class="bars" width="100%" height="{}" role="img" aria-label="{}">{}</svg>')
    return svg.format(len(rows) * 42, title, Markup("").join(parts))


def _grid(
    x: Axis, y: Axis, box: tuple[float, float, float, float], about: tuple[int, int]
) -> Markup:
    left, top, right, bottom = box
    rule = Markup('<path class="grid" d="M{} {}H{}"/><text x="{}" y="{}" class="end">{}</text>')
    mark = Markup('<path class="tick" d="M{} {}v5"/><text x="{}" y="{}" class="mid">{}</text>')
    parts = []
    for value in ticks(y.high, about[1]):
        place = bottom - value / y.high * (bottom - top)
        parts.append(rule.format(left, _n(place), _n(right), left - 7, _n(place + 4), y.text(value)))
    for value in ticks(x.high, about[0]):
        place = left + value / x.high * (right - left)
        parts.append(mark.format(_n(place), bottom, _n(place), bottom + 19, x.text(value)))
    name = Markup('<text class="mid axis" x="{}" y="{}">{}</text>')
    parts.append(name.format(_n((left + right) / 2), bottom + 39, x.label) if x.label else "")
    return Markup("").join(parts)


def _points(kind: str, css: str, points: list[tuple[float, float]], name: str = "") -> Markup:
    named = Markup(' data-name="{}"').format(name) if name else ""
    text = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
    return Markup('<{} class="{}"{} points="{}"/>').format(kind, css, named, text)


def _label(look: Look, name: str, right: float, end: float, place: float) -> Markup:
    lead = Markup('<path class="lead {}" d="M{} {}L{} {}"/>')
    text = Markup('<text class="label {}" x="{}" y="{}">{}</text>')
    drawn = lead.format(look.css, _n(right + 2), _n(end), _n(right + 12), _n(place))
    return drawn + look.marker(right + 18, place) + text.format(
        look.css, _n(right + 27), _n(place + 4.5), name
    )


def _n(value: float, digits: int = 1) -> str:
    """A number in few characters."""
    return f"{value:.{digits}f}".rstrip("0").rstrip(".") if digits else f"{value:.0f}"
