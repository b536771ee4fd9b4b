"""wolfspider web …"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

import click

from wolfspider.cli.interrupts import cleaning_up
from wolfspider.cli.output import example, note, print_facts, print_json, result_options
from wolfspider.cli.progress import Meter
from wolfspider.cli.web_serve import serve
from wolfspider.errors import BadInput, DamagedFile
from wolfspider.store.as_web import HuntRecording, as_web
from wolfspider.store.opening import is_hunt
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.importers.warc import WarcFile
from wolfspider.webs.labels import read_labels
from wolfspider.webs.recorded import RecordedWeb
from wolfspider.webs.synthetic import Record, Synthetic, save

_GENERATE = "wolfspider web generate -o webs/generated --pages 2000 --keep-warc"
Labels = list[tuple[str, str]]


@click.group(epilog=example(_GENERATE))
def web() -> None:
    """Recorded and generated webs."""


web.add_command(serve)


@web.command(
    "import",
    epilog=example(
        "wolfspider web import webs/generated.warc.gz \\\n"
        "      --labels webs/generated.labels.tsv -o webs/imported",
        first=_GENERATE,
    ),
)
@click.argument("recordings", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o", "--out", required=True, type=click.Path(path_type=Path), help="Web folder to write."
)
@click.option(
    "--labels", type=click.Path(path_type=Path), help="TSV file with the columns url and label."
)
@click.option("--skip-unknown-labels", is_flag=True, help="Pass over labels of unknown pages.")
@click.option("--truncated-ok", is_flag=True, help="Import what a cut-off file holds.")
@result_options
def import_(
    recordings: tuple[Path, ...],
    out: Path,
    labels: Path | None,
    skip_unknown_labels: bool,
    truncated_ok: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Compile WARC files into a web folder that replays at once.

    The files may be plain or compressed with gzip or zstd. Of several captures of a page the
    latest counts. The folder of a live hunt is a recording, too: its pages are labelled relevant
    and target as the hunt judged them.
    """
    for recording in recordings:
        if not (recording.is_file() or is_hunt(recording)):
            raise BadInput(f"there is no file {recording}; give a WARC file or a hunt folder")
    rows = list(read_labels(labels)) if labels else []
    with cleaning_up(), Compiler(out, [path.name for path in recordings]) as compiler:
        for recording in recordings:
            if is_hunt(recording):
                with HuntRecording(recording) as hunt:
                    _read(compiler, hunt, truncated_ok, quiet)
                    rows += hunt.labels()
            else:
                _read(compiler, WarcFile(recording), truncated_ok, quiet)
        _finish(compiler, rows, skip_unknown_labels or any(map(is_hunt, recordings)), quiet)
    _print_info(out, as_json)


def _read(
    compiler: Compiler, file: WarcFile | HuntRecording, truncated_ok: bool, quiet: bool
) -> None:
    with Meter(f"reading {file.path.name}", file.size, unit="records", quiet=quiet) as meter:
        for capture in file:
            compiler.add(capture)
            meter.show(file.position, file.records)
    compiler.left_out["damaged record"] += file.damaged
    compiler.left_out["record that is too large"] += file.too_large
    compiler.left_out["record that is cut off"] += file.truncated
    if file.truncated and not truncated_ok:
        raise DamagedFile(
            f"{file.path} is cut off in its last record, after {file.records:,} whole ones; "
            "get a whole copy, or give --truncated-ok to import what is there"
        )


def _finish(compiler: Compiler, labels: Labels, skip_unknown: bool, quiet: bool) -> None:
    with Meter("resolving links", 1.0, unit="pages", quiet=quiet) as meter:
        for done, total in compiler.finishing(labels, skip_unknown=skip_unknown):
            meter.show(done / total, done)
    if not quiet:
        for reason, count in compiler.left_out.items():
            note(f"left out: {count:,} × {reason}")


@web.command(epilog=example("wolfspider web info webs/generated --json", first=_GENERATE))
@click.argument("folder", type=click.Path(path_type=Path))
@result_options
def info(folder: Path, as_json: bool, quiet: bool) -> None:
    """Say what a web folder holds."""
    _print_info(folder, as_json)


def _print_info(folder: Path, as_json: bool) -> None:
    web = RecordedWeb(as_web(folder))
    about = web.about | {"start": web.url(0)}
    if as_json:
        keys = ("pages", "links", "hosts", "labels", "digest", "start", "sources", "left_out")
        print_json({key: about[key] for key in keys})
        return
    print_facts({key: about[key] for key in ("pages", "links", "hosts", "digest", "start")})
    labels = sorted(about["labels"].items(), key=lambda item: -item[1])
    if labels:
        print(f"labels  {len(labels):,}, by pages:")
        print_facts({f"  {name}": count for name, count in labels[:12]})
        if len(labels) > 12:
            print(f"  … and {len(labels) - 12:,} more; --json lists all")


@web.command(epilog=example(_GENERATE))
@click.option(
    "-o", "--out", required=True, type=click.Path(path_type=Path), help="Web folder to write."
)
@click.option("--pages", default=2000, show_default=True, help="How many pages.")
@click.option("--hosts", default=40, show_default=True, help="How many hosts.")
@click.option("--topics", default=12, show_default=True, help="How many topics.")
@click.option("--random-seed", default=0, show_default=True, help="Same seed, same web.")
@click.option("--plain-http", is_flag=True, help="No https: all addresses begin with http://.")
@click.option("--keep-warc", is_flag=True, help="Write it as WARC and labels, too.")
@result_options
def generate(
    out: Path,
    pages: int,
    hosts: int,
    topics: int,
    random_seed: int,
    plain_http: bool,
    keep_warc: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Generate a web to hunt on.

    It has many hosts, topics, hubs, tunnels, traps, moved and lost pages. Every page can be
    reached from the start page that is printed. The WARC also has a robots.txt for most hosts.
    """
    try:
        made = Synthetic(
            pages=pages, hosts=hosts, topics=topics, seed=random_seed, plain_http=plain_http
        )
    except ValueError as error:
        raise BadInput(str(error)) from error
    kept = [out.with_name(out.name + end) for end in (".warc.gz", ".labels.tsv") if keep_warc]
    for path in kept:
        if path.exists():
            raise BadInput(f"{path} exists already; choose another folder or remove it")
    with cleaning_up(), Compiler(out, [repr(made)]) as compiler:
        try:
            _generate(made, compiler, kept, quiet)
        except BaseException:
            for path in kept:
                with suppress(FileNotFoundError):
                    path.unlink()
            raise
    _print_info(out, as_json)


def _generate(made: Synthetic, compiler: Compiler, kept: list[Path], quiet: bool) -> None:
    labels: Labels = []
    with Meter("generating", made.pages, unit="pages", quiet=quiet) as meter:
        records = _taken(made.records(), compiler, labels, meter)
        if kept:
            warc, table = kept
            save(chain(records, made.robots()), warc, table, repr(made))
        else:
            for _ in records:
                pass
    _finish(compiler, labels, False, quiet)


def _taken(
    records: Iterator[Record], compiler: Compiler, labels: Labels, meter: Meter
) -> Iterator[Record]:
    """The records, each of them also given to the compiler."""
    for done, record in enumerate(records, 1):
        fields = {name.lower(): value for name, value in record.headers}
        kind, location = fields.get("content-type", ""), fields.get("location", "")
        compiler.add(
            Capture(record.url, 0.0, record.status, kind, body=record.body, location=location)
        )
        labels += [(record.url, label) for label in record.labels]
        meter.show(done, done)
        yield record
