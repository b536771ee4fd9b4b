"""How a policy is drawn, everywhere on the page.

It is told from the others twice: by colour and by marker. An oracle is a dashed grey line
without markers. Colours are CSS variables of the page.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from markupsafe import Markup

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


@dataclass(frozen=True)
class Look:
    """A colour and a marker, or a dash."""

    number: int  # among the policies, or among the oracles
    oracle: bool = False

    @property
    def css(self) -> str:
        return f"oracle o{self.number % 3}" if self.oracle else f"p{self.number % COLOURS}"

    def marker(self, x: float, y: float) -> Markup:
        if self.oracle:
            return Markup("")
        shape = Markup('<path class="mark {}" d="{}" transform="translate({} {})"/>')
        return shape.format(self.css, _MARKERS[self.number % len(_MARKERS)], few(x), few(y))

    def dot(self, x: float, y: float) -> Markup:
        """A small marker, for where there are many."""
        shape = Markup('<circle class="dot {}" cx="{}" cy="{}" r="2.8"/>')
        return shape.format(self.css, few(x), few(y))

    def block(self) -> Markup:
        """A bit of a column, for legends."""
        drawn = '<svg class="swatch" width="14" height="12" aria-hidden="true">{}</svg>'
        block = Markup('<rect class="bar {}" y="1" width="12" height="11"/>').format(self.css)
        return Markup(drawn).format(block)

    def swatch(self) -> Markup:
        """A bit of the line, for legends and tables."""
        drawn = Markup('<svg class="swatch" width="30" height="12" aria-hidden="true">{}{}</svg>')
        line = Markup('<path class="line {}" d="M1 6H29"/>').format(self.css)
        return drawn.format(line, self.marker(15, 6))


def few(value: float, digits: int = 1) -> str:
    """A number in few characters."""
    return f"{value:.{digits}f}".rstrip("0").rstrip(".") if digits else f"{value:.0f}"


def wide(text: str) -> float:
    """About how many pixels a text takes as a label, rather too many than too few."""
    return sum(map(_advance, text))


def _advance(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return 16.0
    if character in " .,:;|!'ijlt":
        return 5.5
    return 12.0 if character.isupper() or character in "@%mw_=" else 9.0


def short(name: str, most: float = 220) -> str:
    """A name cut to so many pixels."""
    kept = len(name)
    while wide(name[:kept]) > most:
        kept -= 1
    return name if kept == len(name) else name[: kept - 1] + "…"
