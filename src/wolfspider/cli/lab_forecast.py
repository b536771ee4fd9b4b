"""wolfspider lab forecast …"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wolfspider.cli.lab_report import opened
from wolfspider.cli.output import example, note, print_json, result_options
from wolfspider.errors import BadInput
from wolfspider.forecasting import HORIZONS, SHARE
from wolfspider.lab.forecasts import forecast_table

_COLUMNS = ("runs", "forecasts", "coverage", "below", "above", "width", "expected", "came", "error")


@click.command(
    epilog=example(
        "wolfspider lab forecast results/ --horizon 100 --horizon 300",
        "wolfspider lab run tasks.toml --policies best-first -o results/",
    )
)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--horizon",
    "horizons",
    multiple=True,
    type=click.IntRange(1, 100_000),
    help="Fetches to look ahead; repeatable.  [default: 100 and 1000]",
)
@result_options
def forecast(folder: Path, horizons: tuple[int, ...], as_json: bool, quiet: bool) -> None:
    """Measure how often the forecasts of hunts come true, over the runs of a results folder.

    Every run is forecast as if it were a hunt, ten times in each horizon, and each forecast is
    compared with what came. coverage is the share of outcomes inside the interval, which is meant
    to be 80 %; below and above are those outside. error is that of the expected number.
    """
    _, summary = opened(folder)
    rows = forecast_table(summary.traces, horizons or HORIZONS)
    if not rows:
        raise BadInput(f"all runs in {folder} are shorter than what is to be forecast")
    left_out = sorted(set(horizons or HORIZONS) - {row["horizon"] for row in rows})
    for each in left_out:
        note(f"nothing can be said of the next {each:,} fetches: all runs are shorter")
    if as_json:
        print_json({"share": SHARE, "rows": rows})
        return
    width = max(len(row["policy"]) for row in rows)
    print(f"{'policy':<{width}} {'horizon':>8}" + "".join(f"{name:>10}" for name in _COLUMNS))
    for row in rows:
        cells = "".join(f"{_written(row[name]):>10}" for name in _COLUMNS)
        print(f"{row['policy']:<{width}} {row['horizon']:>8,}{cells}")
    if summary.failed and not quiet:
        note(f"{len(summary.failed)} failed runs are left out")


def _written(value: Any) -> str:
    return (
        f"{value:,}"
        if isinstance(value, int)
        else f"{value:,.3f}"
        if value < 1
        else f"{value:,.1f}"
    )
