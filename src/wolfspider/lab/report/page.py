"""The page: what the template is given."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

from markupsafe import Markup

from wolfspider.drawing.axes import Axis
from wolfspider.drawing.bars import Bar, bar_chart
from wolfspider.drawing.charts import Series, line_chart
from wolfspider.drawing.html import environment, shown
from wolfspider.drawing.looks import Look
from wolfspider.lab.experiment import Experiment
from wolfspider.lab.report.curves import FETCHES, Curve, Curves
from wolfspider.lab.report.findings import Findings, is_oracle, number
from wolfspider.lab.report.glossary import glossary, meaning, title
from wolfspider.lab.report.tasks import in_words
from wolfspider.lab.summary import Summary, Unit
from wolfspider.lab.trace import Trace

_WIDE, _NARROW, _SMALL = (1000, 430), (390, 300), (300, 190)
_POINTS, _FEW_POINTS = 300, 120
_SMALL_POINTS = 20_000  # of all small charts together


@dataclass(frozen=True)
class Page:
    """One report page."""

    findings: Findings
    curves: Curves
    experiment: Experiment
    command: str

    def html(self) -> str:
        made = environment("wolfspider.lab.report")
        made.filters |= {"breakable": breakable, "meaning": meaning, "title": title}
        return made.get_template("report.html.j2").render(page=self, of=self.findings)

    @property
    def summary(self) -> Summary:
        return self.findings.summary

    @cached_property
    def looks(self) -> dict[str, Look]:
        """By the order in which policies were asked for: another sort keeps the colours."""
        policies, oracles = count(), count()
        return {
            policy: Look(next(oracles), True) if is_oracle(policy) else Look(next(policies))
            for policy in self.summary.policies
        }

    @property
    def tasks(self) -> list[str]:
        return list(dict.fromkeys(unit[0] for unit in self.summary.units))

    @property
    def facts(self) -> list[tuple[str, str]]:
        traces = [*self.summary.traces, *self.summary.failed]
        return [
            ("policies", f"{len(self.summary.policies):,}"),
            ("tasks", f"{len(self.tasks):,}"),
            ("starts", f"{len(self.summary.units):,}"),
            ("runs", f"{len(traces):,}"),
            ("pages fetched", f"{sum(map(len, traces)):,}"),
            ("failed runs", f"{len(self.summary.failed):,}"),
        ]

    @cached_property
    def incomplete(self) -> str:
        return self.experiment.incomplete()

    # -- charts ----------------------------------------------------------------------------

    def names(self) -> list[str]:
        return self.curves.names()

    def wide(self, name: str) -> Markup:
        height = max(_WIDE[1], 60 + 17 * len(self.looks))
        return self._lines(name, _POINTS, size=(_WIDE[0], height))

    def narrow(self, name: str) -> Markup:
        return self._lines(name, _FEW_POINTS, size=_NARROW, labels=False, marks=4, about=(4, 5))

    def _lines(self, name: str, points: int, **how: Any) -> Markup:
        series = self._series(name)
        high = 1.0 if name == "recall" else max(each.y.max() for each in series)
        y = Axis("", 1.05 * high if name != "recall" else high, percent=name == "recall")
        words = f"{name} by {self.curves.axis}: " + ", ".join(
            f"{policy} {text}" for policy, _, text in self.ends(name)
        )
        lines = [each.thinned(points) for each in series]
        return line_chart(shown(words), lines, self._x(self.curves.axis), y, **how)

    def _x(self, label: str) -> Axis:
        return Axis(label, float(self.curves.x[-1]), percent=self.curves.axis != FETCHES)

    def _series(self, name: str, units: list[Unit] | None = None) -> list[Series]:
        found = []
        for policy, look in self.looks.items():
            curve = (
                self._curve(policy, name) if units is None else self.curves.of(policy, name, units)
            )
            if curve is not None:
                error = curve.error if units is None and curve.error.any() else None
                found.append(Series(shown(policy), look, curve.x, curve.mean, error))
        # Lines that end together are named in the order in which they lie, most area on top.
        return sorted(found, key=lambda each: -each.y.mean())

    @cached_property
    def _means(self) -> dict[tuple[str, str], Curve | None]:
        names = self.curves.names()
        return {(p, name): self.curves.of(p, name) for p in self.looks for name in names}

    def _curve(self, policy: str, name: str) -> Curve | None:
        return self._means[policy, name]

    def ends(self, name: str) -> list[tuple[str, Look, str]]:
        """Policies with the value at the end of their curve, highest first."""
        ends = []
        for policy, look in self.looks.items():
            curve = self._curve(policy, name)
            if curve is not None:
                ends.append((float(curve.mean[-1]), policy, look))
        ends.sort(key=lambda end: -end[0])
        return [(policy, look, _written(value, name)) for value, policy, look in ends]

    def legend(self) -> list[tuple[str, Look, str]]:
        return [(policy, self.looks[policy], "") for policy in self.findings.order]

    def steps(self, name: str) -> tuple[list[str], list[tuple[str, Look, list[str]]]]:
        """The curves as a table: ten places on the axis, and the value of each policy there."""
        x = self._x("")
        places = [round(tenth * (len(self.curves.x) - 1) / 10) for tenth in range(1, 11)]
        first = 0 if name == "recall" else 1
        rows = []
        for policy in self.findings.order:
            curve = self._curve(policy, name)
            if curve is not None:
                values = [_written(float(curve.mean[place - first]), name) for place in places]
                rows.append((policy, self.looks[policy], values))
        return [x.text(float(self.curves.x[place])) for place in places], rows

    def costs(self, name: str) -> Markup:
        """A bar for each policy, the cheapest on top."""
        cells = {policy: self.findings.table[policy][name] for policy in self.looks}
        rows = []
        for policy, cell in sorted(cells.items(), key=lambda item: item[1]["mean"] or 0.0):
            mean, error = cell["mean"] or 0.0, cell["se"] or 0.0
            text = self.findings.shown(policy, name)
            rows.append(Bar(shown(policy), self.looks[policy], mean, error, text))
        words = ", ".join(f"{row.name} {row.text}" for row in rows)
        return bar_chart(f"{title(name)}: {words}", rows)

    def multiples(self) -> list[tuple[str, str, Markup]]:
        """Task, what there was to find, and a small chart with the axes of all."""
        units: dict[str, list[Unit]] = defaultdict(list)
        for unit in self.summary.units:
            units[unit[0]].append(unit)
        points = _SMALL_POINTS // max(1, len(units) * len(self.looks))
        x, y = self._x(""), Axis("", 1.0, percent=True)
        charts = []
        for task, of_task in units.items():
            lines = [s.thinned(max(24, min(90, points))) for s in self._series("recall", of_task)]
            words = f"recall of each policy on {task}"
            drawn = line_chart(
                shown(words), lines, x, y, size=_SMALL, labels=False, marks=2, about=(4, 2)
            )
            charts.append((task, self._size(of_task), drawn))
        return charts

    def _size(self, units: list[Unit]) -> str:
        grounds = [self.summary.grounds[unit] for unit in units]
        wanted = _range(int(ground.wanted.sum()) for ground in grounds)
        pages = _range(int(ground.reachable.sum()) for ground in grounds)
        return f"{wanted} targets in {pages} pages"

    # -- how to repeat it ------------------------------------------------------------------

    @property
    def commands(self) -> list[str]:
        return list(dict.fromkeys([*self.experiment.about["commands"], self.command]))

    @property
    def versions(self) -> str:
        names = ("wolfspider", "python", "numpy", "scipy", "machine")
        return ", ".join(f"{name} {self.experiment.about[name]}" for name in names)

    @property
    def webs(self) -> dict[str, str]:
        return dict(self.experiment.about["webs"])

    def asked(self) -> list[dict[str, str]]:
        return in_words(self.experiment)

    def failures(self) -> list[tuple[str, list[Trace], str, str]]:
        """Policy, its runs that failed alike, the last line of the traceback, and all of it."""
        alike: dict[tuple[str, str], list[Trace]] = defaultdict(list)
        for trace in self.summary.failed:
            alike[trace.key.policy, trace.error.strip()].append(trace)
        return [
            (policy, traces, error.splitlines()[-1], error)
            for (policy, error), traces in alike.items()
        ]

    def glossary(self) -> list[tuple[str, str, str]]:
        return glossary([*self.findings.columns, *self.names(), "cost"])


def breakable(text: str) -> Markup:
    """A name that may go on in the next line after a colon or an underscore."""
    after_colons = Markup(":<wbr>").join(text.split(":"))
    return Markup("_<wbr>").join(map(Markup, after_colons.split("_")))


def _written(value: float, name: str) -> str:
    return f"{100 * value:.1f} %" if name == "recall" else number(value, 0.5)


def _range(numbers: Iterable[int]) -> str:
    found = sorted(set(numbers))
    return f"{found[0]:,}" if len(found) == 1 else f"{found[0]:,}–{found[-1]:,}"
