"""What the commands that make web folders share: captures in, progress on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from wolfspider.cli.output import note
from wolfspider.cli.progress import Meter
from wolfspider.errors import DamagedFile
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.importers.captures import Recording
from wolfspider.wording import several

Command = TypeVar("Command", bound=Callable[..., Any])

new_web = click.option(
    "-o", "--out", required=True, type=click.Path(path_type=Path), help="Web folder to write."
)


def import_options(command: Command) -> Command:
    """The options of every import."""
    for option in (
        click.option("--pages-only", is_flag=True, help="Keep no answers: smaller, not servable."),
        click.option("--skip-unknown-labels", is_flag=True, help="Pass over labels of no page."),
        click.option(
            "--labels",
            type=click.Path(path_type=Path),
            help="TSV file with the columns url and label.",
        ),
        new_web,
    ):
        command = option(command)
    return command


def read(compiler: Compiler, recording: Recording, quiet: bool, truncated_ok: bool = False) -> None:
    """Give all captures to the compiler. One that is cut off is refused, unless that is fine."""
    path, size = recording.path, recording.size
    name = path if path.is_dir() else path.name
    with Meter(f"reading {name}", size, unit="records", quiet=quiet) as meter:
        for capture in recording:
            compiler.add(capture)
            meter.show(recording.position, recording.records)
    compiler.left_out.update(recording.left_out)
    if recording.truncated and not truncated_ok:
        raise DamagedFile(
            f"{recording.path} is cut off after {several(recording.records, 'whole record')}; "
            "get a whole copy, or give --truncated-ok to import what is there"
        )


def finish(
    compiler: Compiler, labels: Iterable[tuple[str, str]], skip_unknown: bool, quiet: bool
) -> None:
    with Meter("resolving links", 1.0, unit="pages", quiet=quiet) as meter:
        for done, total in compiler.finishing(labels, skip_unknown=skip_unknown):
            meter.show(done / total, done)
    if not quiet:
        for reason, count in compiler.left_out.items():
            note(f"left out: {count:,} × {reason}")
