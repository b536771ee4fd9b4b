"""Runs under way: a bar for them, and a sentence when they are interrupted."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from wolfspider.cli.output import note
from wolfspider.cli.progress import Meter
from wolfspider.lab.trace import RunKey


class _Run(Protocol):
    @property
    def key(self) -> RunKey: ...

    def __len__(self) -> int: ...


class Runs(Protocol):
    """A results folder: of crawls, or of watches."""

    folder: Path

    @property
    def jobs(self) -> Sequence[object]: ...

    def missing(self) -> Sequence[object]: ...

    def run(self, processes: int) -> Iterator[_Run]: ...


def run_missing(experiment: Runs, jobs: int, quiet: bool) -> None:
    """Do the runs of an experiment that are not there yet."""
    missing = len(experiment.missing())
    try:
        with Meter("running", missing or None, unit="runs", quiet=quiet) as meter:
            pages = 0
            for done, trace in enumerate(experiment.run(jobs), 1):
                pages += len(trace)
                meter.show(done, done, f"{pages:,} pages, {trace.key.policy} on {trace.key.task}")
    except KeyboardInterrupt:
        left, total = len(experiment.missing()), len(experiment.jobs)
        note(
            f"wolfspider: interrupted; {total - left:,} of {total:,} runs are in "
            f"{experiment.folder}, the same command goes on from there"
        )
        sys.exit(130)
