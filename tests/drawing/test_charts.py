"""Line charts, bars, and the style sheet that colours them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from selectolax.lexbor import LexborHTMLParser

from naughty import naughty_strings
from wolfspider.drawing.axes import Axis, ticks
from wolfspider.drawing.bars import Bar, bar_chart
from wolfspider.drawing.charts import Series, line_chart, spread
from wolfspider.drawing.html import shown
from wolfspider.drawing.looks import COLOURS, Look, short

STYLE = Path(__file__).parents[2] / "src/wolfspider/drawing/templates/style.css"


@pytest.mark.parametrize(
    ("high", "about", "expected"),
    [
        (1.0, 5, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (1.0, 2, [0, 0.5, 1.0]),
        (4601, 6, [0, 1000, 2000, 3000, 4000]),
        (0.237, 5, [0, 0.05, 0.1, 0.15, 0.2]),
        (0.0, 5, [0]),
    ],
)
def test_ticks_are_round_numbers(high: float, about: int, expected: list[float]) -> None:
    assert ticks(high, about) == pytest.approx(expected)


def test_a_point_lies_where_the_axes_say() -> None:
    """The plot is 100 × 100 pixels from (52, 12): x 5 of 10 and y 0.25 of 1 are at (102, 87)."""
    x, y = np.array([0.0, 5.0, 10.0]), np.array([0.0, 0.25, 1.0])
    line = Series("a", Look(0), x, y, np.array([0.0, 0.25, 0.5]))
    svg = line_chart("t", [line], Axis("n", 10), Axis("", 1), size=(172, 156), labels=False)
    assert 'points="52,112 102,87 152,12"' in svg
    band = "52,112 102,62 152,12 152,62 102,112 52,112"  # cut at the top of the axis
    assert f'points="{band}"' in svg


def test_labels_keep_their_distance_and_their_order() -> None:
    placed = spread([50, 10, 52, 51], 17, 0, 200)
    assert placed[1] == 10
    assert sorted(placed)[1:] == pytest.approx([34, 51, 68])
    assert placed[0] < placed[2] < placed[3]


def test_labels_stay_inside_even_where_there_is_no_room() -> None:
    placed = spread([90.0] * 30, 17, 0, 100)
    assert min(placed) >= 0
    assert max(placed) <= 100 + 1e-9
    assert spread([], 17, 0, 100) == []


def test_a_long_curve_is_thinned_and_keeps_its_ends() -> None:
    x = np.arange(10_000.0)
    thin = Series("a", Look(0), x, x, x).thinned(300)
    assert len(thin.x) == 300
    assert (thin.x[0], thin.x[-1]) == (0, 9999)
    assert thin.error is not None
    assert len(thin.error) == 300


def test_looks_differ_by_more_than_colour() -> None:
    markers = {Look(k).marker(0, 0).replace(Look(k).css, "") for k in (0, COLOURS)}
    assert len(markers) == 2
    assert "oracle" in Look(0, oracle=True).swatch()
    assert Look(0, oracle=True).marker(0, 0) == ""


def test_charts_show_any_name_as_text() -> None:
    for name in naughty_strings():
        text = shown(name)
        look, ones = Look(0), np.ones(3)
        line = Series(text, look, ones, ones)
        svg = line_chart(text, [line], Axis(text, 1), Axis(text, 1), size=(500, 300))
        bars = bar_chart(text, [Bar(text, look, 1.0, 0.1, text)])
        page = LexborHTMLParser(f"<body>{svg}{bars}".encode(errors="replace"))
        allowed = {"svg", "path", "text", "title", "polyline", "rect", "line"}
        body = page.css_first("body")
        assert body is not None
        assert {node.tag for node in body.css("*")} - {"body"} <= allowed, name
        assert [node.attributes["aria-label"] for node in page.css("svg")] == [text, text]


def test_long_names_are_cut() -> None:
    assert short("breadth-first") == "breadth-first"
    assert short("W" * 100).endswith("W…")
    assert len(short("漢" * 100)) < 20


def contrast(one: str, other: str) -> float:
    """By the Web Content Accessibility Guidelines."""

    def light(colour: str) -> float:
        parts = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
        linear = np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_every_colour_can_be_read_in_light_and_dark() -> None:
    both = STYLE.read_text().split("@media (prefers-color-scheme: dark)", 1)
    for text in both:
        colours = dict(re.findall(r"--([\w]+): (#[0-9a-f]{6})", text))
        inks = [name for name in colours if name not in ("paper", "card", "rule", "note")]
        assert len(inks) == COLOURS + 6
        for name in inks:
            for ground in ("card", "paper"):
                assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)
