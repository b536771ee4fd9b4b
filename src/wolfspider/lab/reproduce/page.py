"""A reproduction as one page: the findings, then the paper's figures as our curves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from markupsafe import Markup

from wolfspider.drawing import html
from wolfspider.drawing.axes import Axis
from wolfspider.drawing.charts import Series, line_chart
from wolfspider.drawing.html import shown
from wolfspider.drawing.looks import Look
from wolfspider.lab.experiment import Experiment
from wolfspider.lab.report.curves import Curves
from wolfspider.lab.reproduce.findings import Figure, Plot, Reproduction, only
from wolfspider.lab.summary import Summary
from wolfspider.lab.watches import Watches

NAME = "reproduction.html"


def write_page(found: Reproduction, experiment: Experiment | Watches, folder: Path) -> Path:
    """Write the page into the folder; it opens without a network."""
    summary = Summary.of(experiment) if isinstance(experiment, Experiment) else None
    template = html.environment("wolfspider.lab.reproduce").get_template("reproduction.html.j2")
    page = template.render(
        found=found,
        agreeing=sum(finding.agrees is True for finding in found.findings),
        charts=[(figure.title, *_chart(figure, summary)) for figure in found.figures],
        about=experiment.about,
    )
    html.write_page(page, folder / NAME)
    return folder / NAME


def _chart(figure: Figure | Plot, summary: Summary | None) -> tuple[Markup, list[tuple[str, Look]]]:
    if isinstance(figure, Plot):
        return _plotted(figure)
    assert summary is not None
    return _charts(figure, summary)


def _plotted(plot: Plot) -> tuple[Markup, list[tuple[str, Look]]]:
    series, legend = [], []
    for number, (name, (x, mean, error)) in enumerate(plot.curves.items()):
        known = ~np.isnan(mean)
        if known.any():
            look = Look(number)
            series.append(Series(shown(name), look, x[known], mean[known], error[known]))
            legend.append((shown(name), look))
    high = 1.05 * max((float(each.y.max()) for each in series), default=1.0) or 1.0
    last = max((float(each.x[-1]) for each in series), default=1.0)
    words = f"{plot.title}: " + ", ".join(f"{s.name} {s.y[-1]:.3g}" for s in series)
    axes = Axis(plot.axis, last), Axis("", high)
    chart = line_chart(words, series, *axes, size=(430, 300), labels=False, marks=4, about=(4, 5))
    return chart, legend


def _charts(figure: Figure, summary: Summary) -> tuple[Markup, list[tuple[str, Look]]]:
    curves = Curves(only(summary, figure.tasks) if figure.tasks else summary)
    series, legend = [], []
    for number, policy in enumerate(figure.policies):
        curve = curves.of(policy, figure.metric)
        if curve is not None:
            name = shown(policy.split(":buffer")[0])
            series.append(Series(name, Look(number), curve.x, curve.mean, curve.error).thinned(150))
            legend.append((name, Look(number)))
    high = 1.0 if figure.metric == "recall" else 1.05 * max(each.y.max() for each in series)
    y = Axis("", high, percent=figure.metric == "recall")
    x = Axis(curves.axis, float(curves.x[-1]))
    words = f"{figure.title}: " + ", ".join(f"{s.name} {y.text(s.y[-1])}" for s in series)
    chart = line_chart(words, series, x, y, size=(430, 300), labels=False, marks=4, about=(4, 5))
    return chart, legend
