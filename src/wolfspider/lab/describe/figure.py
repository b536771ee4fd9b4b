"""A figure: a drawing, a caption, and the same numbers as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from wolfspider.drawing.axes import Axis
from wolfspider.drawing.bars import Bar, bar_chart
from wolfspider.drawing.charts import Series, line_chart
from wolfspider.drawing.columns import Columns, column_chart

_SIZE = (430, 310)
_ROWS = 400  # of a table; what is longer is in the JSON


@dataclass(frozen=True)
class Table:
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Figure:
    title: str
    drawing: Markup
    table: Table
    caption: str = ""
    legend: Sequence[tuple[str, Markup]] = ()

    @property
    def rows(self) -> Sequence[Sequence[str]]:
        return self.table.rows[:_ROWS]

    @property
    def rest(self) -> int:
        """Rows of the table that are not shown."""
        return max(0, len(self.table.rows) - _ROWS)


def lines(
    title: str,
    series: Sequence[Series],
    x: Axis,
    y: Axis,
    table: Table,
    caption: str = "",
) -> Figure:
    drawing = line_chart(title, series, x, y, size=_SIZE, labels=False, marks=0, about=(5, 5))
    legend = {each.name: each.look.swatch() for each in series}
    return Figure(title, drawing, table, caption, _told_apart(legend))


def columns(
    title: str,
    names: Sequence[str],
    groups: Sequence[Columns],
    x_label: str,
    y: Axis,
    table: Table,
    caption: str = "",
) -> Figure:
    drawing = column_chart(title, names, groups, x_label, y, size=_SIZE)
    legend = {each.name: each.look.block() for each in groups}
    return Figure(title, drawing, table, caption, _told_apart(legend))


def bars(title: str, drawn: Sequence[Bar], table: Table, caption: str = "") -> Figure:
    return Figure(title, bar_chart(title, drawn), table, caption)


def _told_apart(legend: dict[str, Markup]) -> Sequence[tuple[str, Markup]]:
    """No legend where there is but one thing, which the axis names."""
    return list(legend.items()) if len(legend) > 1 else ()
