"""A report on a results folder: one page that opens anywhere, and its numbers as files.

report.html                       the page; needs no network, runs without scripts
summary.csv, summary.parquet      policy, metric, mean, se, median
runs.csv, runs.parquet            one row for each run, with every metric
curves.csv, curves.parquet        policy, metric, x, mean, se: what the page draws
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from wolfspider.errors import BadInput
from wolfspider.lab.experiment import Experiment
from wolfspider.lab.report.curves import Curves
from wolfspider.lab.report.export import (
    curve_columns,
    run_columns,
    summary_columns,
    write_csv,
    write_parquet,
)
from wolfspider.lab.report.findings import Findings
from wolfspider.lab.report.page import Page
from wolfspider.lab.summary import Summary

__all__ = ["Findings", "write_report"]

Writer = Callable[[Path], object]


def write_report(
    summary: Summary,
    experiment: Experiment,
    folder: Path,
    *,
    metric: str = "auc",
    baseline: str = "breadth-first",
    command: str = "",
) -> list[Path]:
    """Write the page and the tables into the folder: all of them, or none if something is wrong."""
    findings = Findings(summary, metric, baseline)
    findings.check()
    curves = Curves(summary)
    command = command or f"wolfspider lab report {folder} --metric {metric} --baseline {baseline}"
    page = Page(findings, curves, experiment, command).html()
    files: dict[str, Writer] = {
        "report.html": lambda path: path.write_text(page, encoding="utf-8", errors="replace")
    }
    tables = {
        "summary": summary_columns(findings.table),
        "runs": run_columns(summary),
        "curves": curve_columns(curves),
    }
    for name, columns in tables.items():
        files[f"{name}.csv"] = partial(write_csv, columns)
        files[f"{name}.parquet"] = partial(write_parquet, columns)
    return _write_all(folder, files)


def _write_all(folder: Path, files: dict[str, Writer]) -> list[Path]:
    """Write beside, then rename: a reader never sees half a file."""
    try:
        with TemporaryDirectory(prefix=".report-", dir=folder) as beside:
            for name, write in files.items():
                write(Path(beside) / name)
            for name in files:
                os.replace(Path(beside) / name, folder / name)
    except OSError as error:
        raise BadInput(f"cannot write the report to {folder}: {error.strerror or error}") from error
    return [folder / name for name in files]
