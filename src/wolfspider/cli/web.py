"""wolfspider web …"""

from __future__ import annotations

from pathlib import Path

import click

from wolfspider.cli.output import example, note, print_facts, print_json, result_options
from wolfspider.cli.progress import Meter
from wolfspider.errors import BadInput, DamagedFile
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.importers.warc import WarcFile
from wolfspider.webs.labels import read_labels
from wolfspider.webs.recorded import RecordedWeb
from wolfspider.webs.synthetic import Record, Synthetic, save


@click.group()
def web() -> None:
    """Recorded and generated webs."""


@web.command("import", epilog=example("wolfspider web import crawl.warc.gz -o webs/crawl"))
@click.argument("recordings", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path), help="Web folder.")
@click.option("--labels", type=click.Path(path_type=Path), help="TSV file: url, label.")
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
    """Compile WARC files into a web folder that replays at once."""
    rows = list(read_labels(labels)) if labels else []
    for recording in recordings:
        if not recording.is_file():
            raise BadInput(f"there is no file {recording}")
    with Compiler(out, [path.name for path in recordings]) as compiler:
        for recording in recordings:
            _read(compiler, WarcFile(recording), truncated_ok, quiet)
        with Meter("resolving links", 1.0, unit="pages", quiet=quiet) as meter:
            for done, total in compiler.finishing(rows, skip_unknown=skip_unknown_labels):
                meter.show(done / total, done)
    if not quiet:
        for reason, count in compiler.left_out.items():
            note(f"left out: {count:,} × {reason}")
    _print_info(out, as_json)


def _read(compiler: Compiler, file: WarcFile, truncated_ok: bool, quiet: bool) -> None:
    with Meter(f"reading {file.path.name}", file.size, unit="records", quiet=quiet) as meter:
        for capture in file:
            compiler.add(capture)
            meter.show(file.position, file.records)
    if file.damaged:
        compiler.left_out["damaged record"] += file.damaged
    if file.truncated and not truncated_ok:
        raise DamagedFile(
            f"{file.path} is cut off in its last record, after {file.records:,} records; "
            "get a whole copy, or give --truncated-ok to import what is there"
        )


@web.command(epilog=example("wolfspider web info webs/crawl --json"))
@click.argument("folder", type=click.Path(path_type=Path))
@result_options
def info(folder: Path, as_json: bool, quiet: bool) -> None:
    """Say what a web folder holds."""
    _print_info(folder, as_json)


def _print_info(folder: Path, as_json: bool) -> None:
    about = RecordedWeb(folder).about
    keys = ("pages", "links", "hosts", "labels", "digest", "sources", "left_out")
    if as_json:
        print_json({key: about[key] for key in keys})
        return
    print_facts({key: about[key] for key in ("pages", "links", "hosts", "digest")})
    labels = sorted(about["labels"].items(), key=lambda item: -item[1])
    if labels:
        print(f"labels  {len(labels):,}, by pages:")
        print_facts({f"  {name}": count for name, count in labels[:12]})
        if len(labels) > 12:
            print(f"  … and {len(labels) - 12:,} more; --json lists all")


@web.command(epilog=example("wolfspider web generate -o webs/generated --pages 2000"))
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path), help="Web folder.")
@click.option("--pages", default=2000, show_default=True, help="How many pages.")
@click.option("--hosts", default=40, show_default=True, help="How many hosts.")
@click.option("--topics", default=12, show_default=True, help="How many topics.")
@click.option("--random-seed", default=0, show_default=True, help="Same seed, same web.")
@click.option("--keep-warc", is_flag=True, help="Leave the WARC and labels beside the folder.")
@result_options
def generate(
    out: Path,
    pages: int,
    hosts: int,
    topics: int,
    random_seed: int,
    keep_warc: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Generate a web to hunt on: many hosts, topics, hubs, tunnels and traps."""
    try:
        made = Synthetic(pages=pages, hosts=hosts, topics=topics, seed=random_seed)
    except ValueError as error:
        raise BadInput(str(error)) from error
    warc, labels = out.with_suffix(".warc.gz"), out.with_suffix(".labels.tsv")
    with Compiler(out, [warc.name]) as compiler:
        with Meter("generating", pages, unit="pages", quiet=quiet) as meter:
            records = (_shown(meter, *item) for item in enumerate(made.records(), 1))
            save(records, warc, labels, repr(made))
        _read(compiler, WarcFile(warc), truncated_ok=False, quiet=quiet)
        compiler.finish(read_labels(labels))
    if not keep_warc:
        warc.unlink()
        labels.unlink()
    if not quiet:
        note(f"start page: {made.summary().start}")
    _print_info(out, as_json)


def _shown(meter: Meter, done: int, record: Record) -> Record:
    meter.show(done, done)
    return record
