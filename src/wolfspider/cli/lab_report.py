"""wolfspider lab report …"""

from __future__ import annotations

from pathlib import Path

import click

from wolfspider.cli.output import example, note, plain, print_json, result_options
from wolfspider.errors import BadInput
from wolfspider.lab.experiment import Experiment
from wolfspider.lab.report import Findings, write_report
from wolfspider.lab.summary import Summary


@click.command(
    epilog=example(
        "wolfspider lab report results/ --metric gap",
        "wolfspider lab run tasks.toml --policies best-first -o results/",
    )
)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--metric", default="auc", show_default=True, help="Sort by this; e.g. gap, to50.")
@click.option("--baseline", default="breadth-first", show_default=True, help="Compare with this.")
@result_options
def report(folder: Path, metric: str, baseline: str, as_json: bool, quiet: bool) -> None:
    """Write a page about results, and their numbers as CSV and Parquet."""
    experiment, summary = opened(folder)
    summary.demand(metric)
    files = write_report(summary, experiment, folder, metric=metric, baseline=baseline)
    findings = Findings(summary, metric, baseline)
    if as_json:
        missing = len(experiment.missing())
        result = {"best": findings.best, "result": findings.headline(), "missing": missing}
        print_json(result | {"files": [str(file) for file in files]})
        return
    print(files[0])
    if not quiet:
        if incomplete := experiment.incomplete():
            note(plain(incomplete))
        note(plain(findings.headline()))
        if summary.failed:
            note(f"{len(summary.failed)} runs failed and are not in the numbers; see the page")
        note(f"the numbers: {', '.join(file.name for file in files[1:])}")


def opened(folder: Path) -> tuple[Experiment, Summary]:
    """The results of a folder, or a sentence."""
    if (folder / "watches.json").exists():
        raise BadInput(
            f"{folder} holds watches: lab run prints their table, and {folder / 'curves.csv'} has "
            "every window"
        )
    if not (folder / "experiment.json").exists():
        raise BadInput(
            f"{folder} holds no results; make some with: wolfspider lab run … -o {folder}"
        )
    experiment = Experiment(folder)
    summary = Summary.of(experiment)
    if not summary.traces and summary.failed:
        raise BadInput(f"all runs in {folder} have failed: {summary.failed[0].error.strip()}")
    if not summary.traces:
        raise BadInput(f"no run in {folder} has finished; run it again to go on")
    return experiment, summary
