"""Logarithmic axes and columns."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from wolfspider.drawing.axes import Axis, Frame, log_ticks
from wolfspider.drawing.columns import Columns, column_chart
from wolfspider.drawing.looks import Look

SIZE = (172, 178)  # leaves 100 pixels each way


def test_a_logarithmic_axis_goes_by_powers() -> None:
    axis = Axis("k", 1000, low=1, log=True)
    assert axis.shares([1, 10, 1000]).tolist() == pytest.approx([0, 1 / 3, 1])
    assert Axis("k", 10).shares([0, 5, 10]).tolist() == [0, 0.5, 1]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (1, 4654, [1, 10, 100, 1000]),
        (0.0002, 1, [0.001, 0.01, 0.1, 1]),
        (1, 8, [1, 2, 5]),
        (1, 2, [1, 2]),
        (1, 1e10, [1, 100, 1e4, 1e6, 1e8, 1e10]),
    ],
)
def test_ticks_are_powers_of_ten(low: float, high: float, expected: list[float]) -> None:
    assert log_ticks(low, high) == expected


def test_an_axis_without_a_name_takes_no_room() -> None:
    named, nameless = (Frame(Axis("x", 1), Axis(name, 1), *SIZE) for name in ("y", ""))
    assert named.top > nameless.top
    assert ">y</text>" in named.names()


def test_columns_are_as_high_as_their_values() -> None:
    groups = [Columns("a", Look(0), [1.0, 0.5, None], [0.8, None, None], [1.0, None, None])]
    svg = column_chart("t", ["1", "2", "none"], groups, "x", Axis("y", 1), size=SIZE)
    drawn = LexborHTMLParser(str(svg))
    heights = [float(bar.attributes["height"] or 0) for bar in drawn.css("rect.bar")]
    assert heights == [100, 50]
    assert len(drawn.css(".whisker")) == 1
    assert [text.text() for text in drawn.css("text.mid")][-1] == "x"


def test_names_of_many_columns_are_thinned_but_for_the_last() -> None:
    names = [*map(str, range(60)), "none"]
    groups = [Columns("a", Look(0), [1.0] * 61)]
    svg = column_chart("t", names, groups, "", Axis("y", 1), size=(430, 300))
    shown = [text.text() for text in LexborHTMLParser(str(svg)).css("text.mid") if text.text()]
    assert shown[0] == "0"
    assert shown[-1] == "none"
    assert 3 < len(shown) < 20


def test_columns_escape_their_names() -> None:
    evil = "<script>"
    groups = [Columns(evil, Look(0), [1.0])]
    svg = column_chart(evil, [evil], groups, evil, Axis(evil, 1), size=SIZE)
    assert "<script" not in svg
    assert svg.count("&lt;script&gt;") == 4
