"""Runs under way: a bar for them, and a sentence when they are interrupted."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from wolfspider.cli.output import note
from wolfspider.cli.progress import Meter
from wolfspider.lab.experiment import Experiment
from wolfspider.lab.trace import Trace
from wolfspider.lab.watches import Watched, Watches


def run_missing(experiment: Experiment | Watches, jobs: int, quiet: bool) -> None:
    """Do the runs of an experiment that are not there yet."""
    missing = len(experiment.missing())
    try:
        with Meter("running", missing or None, unit="runs", quiet=quiet) as meter:
            pages = 0
            runs: Iterator[Trace] | Iterator[Watched] = experiment.run(jobs)
            for done, trace in enumerate(runs, 1):
                pages += len(trace)
                meter.show(done, done, f"{pages:,} pages, {trace.key.policy} on {trace.key.task}")
    except KeyboardInterrupt:
        left, total = len(experiment.missing()), len(experiment.jobs)
        note(
            f"wolfspider: interrupted; {total - left:,} of {total:,} runs are in "
            f"{experiment.folder}, the same command goes on from there"
        )
        sys.exit(130)
