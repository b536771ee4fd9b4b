"""wolfspider lab run, for watches"""

from __future__ import annotations

import csv
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from wolfspider.cli.lab_runs import run_missing
from wolfspider.cli.output import note, print_json
from wolfspider.lab.watches import Watches, WatchSummary, read_watches
from wolfspider.policies import Spec

COLUMNS = (
    *("downloaded", "sent", "relevant", "found_urls", "download_efficiency", "sent_efficiency"),
    *("relative_found_urls", "freshness", "age_hours", "delay_hours"),
)


def run_watches(
    files: Sequence[Path],
    policies: Sequence[Spec],
    repeat: int,
    jobs: int,
    web: Path | None,
    out: Path,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Run watchers on the watches of task files, and print what came of it."""
    begin = time.perf_counter()
    watches = Watches(out)
    tasks = [task for file in files for task in read_watches(file, web)]
    watches.ask(tasks, policies, repeat, shlex.join(["wolfspider", *sys.argv[1:]]))
    run_missing(watches, jobs, quiet)
    summary = WatchSummary(tuple(watches.watched()))
    write_curves(summary, out / "curves.csv")
    table = summary.table()
    if as_json:
        from wolfspider.cli.lab import strict  # here, since that module knows this one

        seconds = round(time.perf_counter() - begin, 3)
        print_json({"runs": len(summary.runs), "seconds": seconds, "watches": strict(table)})
        return
    print_table(summary)
    if not quiet:
        note(f"{len(summary.runs):,} runs in {out}; every three hours: {out / 'curves.csv'}")


def print_table(summary: WatchSummary) -> None:
    """Means over repeats, ± standard deviation, a table for each watch."""
    for task, rows in summary.table().items():
        print(task)
        width = max(map(len, rows))
        print(" ".join([f"{'policy':<{width}}", *(f"{name:>22}" for name in COLUMNS)]))
        for policy, cells in rows.items():
            shown = (_cell(cells[name], cells[f"{name} std"]) for name in COLUMNS)
            print(" ".join([f"{policy:<{width}}", *(f"{each:>22}" for each in shown)]))


def _cell(mean: float, std: float) -> str:
    digits = 0 if abs(mean) >= 100 else 2 if abs(mean) >= 1 else 4
    return f"{mean:,.{digits}f} ± {std:,.{digits}f}"


def write_curves(summary: WatchSummary, path: Path) -> None:
    """A row for each watch, policy, measure and window."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["watch", "policy", "measure", "days", "mean", "std"])
        for task in summary.names:
            for policy in summary.policies:
                runs = summary.of(task, policy)
                for metric in runs[0].curves if runs else ():
                    days, mean, std = summary.curve(task, policy, metric)
                    for row in zip(days.tolist(), mean.tolist(), std.tolist(), strict=True):
                        writer.writerow([task, policy, metric, *row])
