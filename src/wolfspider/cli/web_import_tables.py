"""wolfspider web import-tables …"""

from __future__ import annotations

from pathlib import Path

import click

from wolfspider.cli.compiling import finish, import_options, read
from wolfspider.cli.interrupts import cleaning_up
from wolfspider.cli.output import GENERATE, example, result_options
from wolfspider.cli.web_info import print_info
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.importers.tables import TableWeb
from wolfspider.webs.labels import read_labels


@click.command(
    epilog=example(
        "wolfspider web import-tables tables/pages.tsv tables/links.tsv -o webs/tables",
        GENERATE,
        "wolfspider web export-tables webs/generated -o tables",
    )
)
@click.argument("pages", type=click.Path(path_type=Path))
@click.argument("links", type=click.Path(path_type=Path))
@click.option(
    "--at",
    default="",
    metavar="URL",
    help="Where pages stand that have names instead of addresses.",
)
@import_options
@result_options
def import_tables(
    pages: Path,
    links: Path,
    at: str,
    out: Path,
    labels: Path | None,
    skip_unknown_labels: bool,
    pages_only: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Compile a table of pages and one of links into a web folder.

    For datasets that have no HTML. PAGES has the columns url and text, and maybe title and label;
    LINKS has source and target, and maybe anchor. Both are TSV or Parquet.
    """
    rows = list(read_labels(labels)) if labels else []
    with cleaning_up(), Compiler(out, [pages.name, links.name], keep=not pages_only) as compiler:
        read(compiler, TableWeb(pages, links, at, compiler.scratch), quiet)
        finish(compiler, rows, skip_unknown_labels, quiet)
    print_info(out, as_json)
