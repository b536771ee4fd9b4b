"""wolfspider web generate …"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

import click

from wolfspider.cli.compiling import finish, new_web
from wolfspider.cli.interrupts import cleaning_up
from wolfspider.cli.output import GENERATE, example, result_options
from wolfspider.cli.progress import Meter
from wolfspider.cli.web_info import print_info
from wolfspider.errors import BadInput
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.synthetic import Record, Synthetic, capture_of, save


@click.command(epilog=example(GENERATE))
@new_web
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
    reached from the start page that is printed. Most hosts have a robots.txt.
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
    print_info(out, as_json)


def _generate(made: Synthetic, compiler: Compiler, kept: list[Path], quiet: bool) -> None:
    with Meter("generating", made.pages, unit="pages", quiet=quiet) as meter:
        records = chain(_pages(made, compiler, meter), _robots(made, compiler))
        if kept:
            warc, table = kept
            save(records, warc, table, repr(made))
        else:
            for _ in records:
                pass
    finish(compiler, (), False, quiet)


def _pages(made: Synthetic, compiler: Compiler, meter: Meter) -> Iterator[Record]:
    """The records, each of them also given to the compiler."""
    for done, record in enumerate(made.records(), 1):
        compiler.add(capture_of(record))
        meter.show(done, done)
        yield record


def _robots(made: Synthetic, compiler: Compiler) -> Iterator[Record]:
    """No pages, but they are served."""
    for record in made.robots():
        compiler.keep_answer(capture_of(record), record.url)
        yield record
