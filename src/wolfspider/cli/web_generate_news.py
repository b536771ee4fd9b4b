"""wolfspider web generate-news …"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

import click

from wolfspider.cli.compiling import finish, new_web
from wolfspider.cli.interrupts import cleaning_up
from wolfspider.cli.output import example, note, result_options
from wolfspider.cli.progress import Meter
from wolfspider.cli.web_info import print_info
from wolfspider.errors import BadInput
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.synthetic.news import NewsSite
from wolfspider.webs.synthetic.news_warc import save_captures


@click.command(
    epilog=example("wolfspider web generate-news -o webs/news --days 2 --articles 40 --sections 4")
)
@new_web
@click.option("--days", default=10, show_default=True, help="How many days are recorded.")
@click.option("--articles", default=300, show_default=True, help="New articles on a usual day.")
@click.option("--sections", default=12, show_default=True, help="How many sections.")
@click.option(
    "--start",
    type=click.DateTime(["%Y-%m-%d"]),
    default="2026-01-05",
    show_default=True,
    help="The first day.",
)
@click.option(
    "--every", default=10, show_default=True, help="Minutes between captures of a front, at least."
)
@click.option("--random-seed", default=0, show_default=True, help="Same seed, same web.")
@click.option("--keep-warc", is_flag=True, help="Write it as WARC and labels, too.")
@result_options
def generate_news(
    out: Path,
    days: int,
    articles: int,
    sections: int,
    start: datetime.datetime,
    every: int,
    random_seed: int,
    keep_warc: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Generate a news site that changes with time.

    Articles appear, are updated and vanish; fronts, archives, topics and feeds follow. The folder
    has every version of every page. Labels are the sections, front, article and static.
    """
    site = NewsSite(
        days=days,
        articles_per_day=articles,
        sections=sections,
        seed=random_seed,
        start=start.date(),
        every=every,
    )
    kept = [out.with_name(out.name + end) for end in (".warc.gz", ".labels.tsv") if keep_warc]
    for path in kept:
        if path.exists():
            raise BadInput(f"{path} exists already; choose another folder or remove it")
    with cleaning_up(), Compiler(out, [repr(site)], changing=True) as compiler:
        try:
            _generate(site, compiler, kept, quiet)
        except BaseException:
            for path in kept:
                with suppress(FileNotFoundError):
                    path.unlink()
            raise
    if not quiet:
        note(f"front page: {site.front}")
    print_info(out, as_json)


def _generate(site: NewsSite, compiler: Compiler, kept: list[Path], quiet: bool) -> None:
    with Meter("generating", site.days * 86400.0, unit="captures", quiet=quiet) as meter:
        captures = chain(_pages(site, compiler, meter), _robots(site, compiler))
        if kept:
            warc, table = kept
            save_captures(captures, warc, table, repr(site))
        else:
            for _ in captures:
                pass
    finish(compiler, (), False, quiet)


def _pages(site: NewsSite, compiler: Compiler, meter: Meter) -> Iterator[Capture]:
    """The captures, each of them also given to the compiler."""
    for done, capture in enumerate(site.captures(), 1):
        compiler.add(capture)
        meter.show(capture.date - site.begin, done)
        yield capture


def _robots(site: NewsSite, compiler: Compiler) -> Iterator[Capture]:
    """No page, but it is served."""
    capture = site.robots()
    compiler.keep_answer(capture, capture.url)
    yield capture
