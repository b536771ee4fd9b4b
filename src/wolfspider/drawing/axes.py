"""Axes, and the frame that they make around a drawing.

Text goes through `Markup.format`, which escapes it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from wolfspider.drawing.looks import few
from wolfspider.records import Floats

_LEFT, _TOP, _NAME = 52.0, 12.0, 22.0  # margins; the name of the upright axis lies on top of it


@dataclass(frozen=True)
class Axis:
    """From `low` to `high`, evenly or (`log`) by powers; a logarithmic axis has a low above 0."""

    label: str
    high: float
    percent: bool = False
    low: float = 0.0
    log: bool = False

    def text(self, value: float) -> str:
        return f"{100 * value:.3g} %" if self.percent else f"{value:,.10g}"

    def shares(self, values: Floats | Iterable[float]) -> Floats:
        """How far along the axis these values are, from 0 to 1."""
        places, low, high = np.asarray(values, float), self.low, self.high
        if self.log:
            places, low, high = np.log10(places), math.log10(low), math.log10(high)
        return (places - low) / ((high - low) or 1.0)

    def ticks(self, about: int) -> list[float]:
        return log_ticks(self.low, self.high, about) if self.log else ticks(self.high, about)


def ticks(high: float, about: int = 5) -> list[float]:
    """Round numbers from 0 up to `high`: 1, 2 or 5 times a power of ten apart."""
    if not high > 0:
        return [0.0]
    rough = high / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * (1 - 1e-9))
    return [round(k * step, 12) for k in range(math.floor(high / step * (1 + 1e-9)) + 1)]


def log_ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Powers of ten from `low` to `high`; where there are but two, also 2 and 5 times them."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    factors = (1, 2, 5) if last - first <= 2 else (1,)
    every = max(1, round((last - first) / about))
    values = [float(f"{f}e{k}") for k in range(first, last + 1, every) for f in factors]
    return [value for value in values if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]


@dataclass(frozen=True)
class Frame:
    """The room between two axes, in pixels of the drawing."""

    x: Axis
    y: Axis
    width: int
    height: int
    right_margin: float = 20.0

    @property
    def left(self) -> float:
        return _LEFT

    @property
    def right(self) -> float:
        return self.width - self.right_margin

    @property
    def top(self) -> float:
        return _TOP + (_NAME if self.y.label else 0.0)

    @property
    def bottom(self) -> float:
        return self.height - (44.0 if self.x.label else 26.0)

    def at(self, xs: Floats, ys: Floats) -> list[tuple[float, float]]:
        across = self.left + self.x.shares(xs) * (self.right - self.left)
        down = self.bottom - self.y.shares(ys) * (self.bottom - self.top)
        return list(zip(across.tolist(), down.tolist(), strict=True))

    def grid(self, about: tuple[int, int]) -> Markup:
        """Rules across with their values, marks below with theirs, and the names of both."""
        places = [(value, self.x.text(value)) for value in self.x.ticks(about[0])]
        return self.rules(about[1]) + self.marks(places) + self.names()

    def rules(self, about: int) -> Markup:
        rule = Markup('<path class="grid" d="M{} {}H{}"/><text x="{}" y="{}" class="end">{}</text>')
        drawn = []
        for value in self.y.ticks(about):
            down = self.at(np.array([self.x.low]), np.array([value]))[0][1]
            place, right = few(down + 4), few(self.right)
            text = self.y.text(value)
            drawn.append(rule.format(self.left, few(down), right, self.left - 7, place, text))
        return Markup("").join(drawn)

    def marks(self, places: Iterable[tuple[float, str]]) -> Markup:
        mark = Markup('<path class="tick" d="M{} {}v5"/><text x="{}" y="{}" class="mid">{}</text>')
        drawn = []
        for value, text in places:
            across = few(self.at(np.array([value]), np.array([self.y.high]))[0][0])
            drawn.append(mark.format(across, self.bottom, across, self.bottom + 19, text))
        return Markup("").join(drawn)

    def names(self) -> Markup:
        below = Markup('<text class="mid axis" x="{}" y="{}">{}</text>')
        drawn = below.format(few((self.left + self.right) / 2), self.bottom + 39, self.x.label)
        if self.y.label:
            drawn += Markup('<text class="axis" x="2" y="15">{}</text>').format(self.y.label)
        return drawn

    def svg(self, title: str, parts: Iterable[Markup]) -> Markup:
        """The drawing; its `data-` attributes are what a script needs to read values off."""
        box = {"left": self.left, "right": self.right, "top": self.top, "bottom": self.bottom}
        box |= {"x": self.x.high, "y": self.y.high}
        data = [Markup('data-{}="{}"').format(key, few(value, 6)) for key, value in box.items()]
        return Markup(
            '<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}" {}>{}</svg>'
        ).format(self.width, self.height, title, Markup(" ").join(data), Markup("").join(parts))
