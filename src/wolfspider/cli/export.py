"""wolfspider export"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import click

from wolfspider.cli.interrupts import cleaning_up
from wolfspider.cli.opened import opened
from wolfspider.cli.output import FIRST_HUNT, example, note, print_json, result_options
from wolfspider.cli.progress import Meter
from wolfspider.errors import BadInput
from wolfspider.store import HuntReader
from wolfspider.store.exporting import COLUMNS, Rows, WarcCopy
from wolfspider.store.row_formats import Csv, JsonLines, Parquet, RowWriter

_WRITERS: dict[str, Callable[[BinaryIO, Sequence[str]], RowWriter]] = {
    "jsonl": JsonLines,
    "csv": Csv,
    "parquet": Parquet,
}
_FORMATS = (*_WRITERS, "warc")
_BINARY = ("parquet", "warc")


@click.command(
    epilog=example("wolfspider export hunts/stars --relevant --format csv -o found.csv", FIRST_HUNT)
)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--format", "kind", type=click.Choice(_FORMATS), default="jsonl", show_default=True)
@click.option("--relevant", is_flag=True, help="Only relevant pages; no copies, nothing noindex.")
@click.option("--all", "everything", is_flag=True, help="Failed and refused visits, too.")
@click.option("--text", is_flag=True, help="The visible text in CSV, too.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    help="File to write.  [default: standard output]",
)
@click.option("--force", is_flag=True, help="Write over a file that exists.")
@result_options
def export(
    folder: Path,
    kind: str,
    relevant: bool,
    everything: bool,
    text: bool,
    out: Path | None,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Hand what a hunt found to other programs; also while it runs.

    Without --relevant or --all: every page that was fetched. In WARC come the answers as they
    were received, with the redirects on the way; compressed if the file's name ends with .gz.
    """
    if relevant and everything:
        raise BadInput("--relevant and --all exclude each other; give one of them")
    _check_output(out, kind, force, as_json)
    choice = "relevant" if relevant else "all" if everything else "answered"
    with cleaning_up(), opened(folder) as reader:
        if kind == "warc":
            plain = out is not None and out.suffix.lower() != ".gz"
            result = _export_warc(WarcCopy(reader, choice, plain=plain), out, quiet)
        else:
            result = _export_rows(reader, choice, kind, text, out, quiet)
    if as_json:
        print_json({"file": str(out), "format": kind} | result)
    elif out is not None:
        print(f"{result.get('rows', result.get('records')):,} {_what(kind)} in {out}")


def _check_output(out: Path | None, kind: str, force: bool, as_json: bool) -> None:
    if out is None and as_json:
        raise BadInput("--json tells about the file that -o names; without -o there is none")
    if out is None and kind in _BINARY and sys.stdout.isatty():
        raise BadInput(
            f"{kind} is nothing to read on a terminal; name a file with -o, or send it to a "
            "program with |"
        )
    if out is not None and out.is_dir():
        raise BadInput(f"{out} is a folder; name a file with -o")
    if out is not None and out.exists() and not force:
        raise BadInput(f"{out} exists already; choose another file or give --force")


def _what(kind: str) -> str:
    return "records" if kind == "warc" else "rows"


def _export_rows(
    reader: HuntReader, choice: str, kind: str, text: bool, out: Path | None, quiet: bool
) -> dict[str, Any]:
    text = text or kind != "csv"
    rows = Rows(reader, choice, text=text)
    columns = COLUMNS if text else [name for name in COLUMNS if name != "text"]
    count = 0
    with (
        _opened(out) as file,
        Meter("exporting", len(rows.visits) or None, unit="rows", quiet=quiet) as meter,
    ):
        writer = _WRITERS[kind](file, columns)
        for count, row in enumerate(rows, 1):
            writer.write(row)
            meter.show(count, count)
        writer.close()
    _tell_damage(rows.damaged, "they have no text", reader.folder)
    if rows.note:
        note(rows.note)
    return {"rows": count, "damaged": rows.damaged}


def _export_warc(copy: WarcCopy, out: Path | None, quiet: bool) -> dict[str, Any]:
    with (
        _opened(out) as file,
        Meter("exporting", len(copy.visits) or None, unit="records", quiet=quiet) as meter,
    ):
        for done in copy.write(file):
            meter.show(done, copy.records)
        file.flush()
    _tell_damage(copy.damaged, "they are left out", copy.folder)
    return {"records": copy.records, "damaged": copy.damaged}


def _tell_damage(damaged: int, so: str, folder: Path) -> None:
    if damaged:
        note(f"damaged records in the WARC files of {folder}: {damaged:,}; {so}")


@contextmanager
def _opened(out: Path | None) -> Iterator[BinaryIO]:
    """Standard output; or a file that appears under its name when all of it is written."""
    if out is None:
        yield sys.stdout.buffer
        return
    beside = out.with_name(f".{out.name}.{os.getpid()}.partial")
    try:
        file = beside.open("xb")
    except OSError as error:
        raise BadInput(
            f"cannot write to {out}: {error.strerror}; choose another file with -o"
        ) from error
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(out)
    except BaseException as error:
        with suppress(OSError):
            beside.unlink()
        if isinstance(error, OSError):
            raise BadInput(f"cannot write to {out}: {error.strerror}; nothing was kept") from error
        raise
