"""wolfspider web export-tables …"""

from __future__ import annotations

from pathlib import Path

import click

from wolfspider.cli.interrupts import cleaning_up
from wolfspider.cli.output import GENERATE, example, print_facts, print_json, result_options
from wolfspider.cli.progress import Meter
from wolfspider.store.as_web import as_web
from wolfspider.webs.recorded import RecordedWeb
from wolfspider.webs.tabulating import tabulate


@click.command(
    epilog=example(
        "wolfspider web export-tables webs/generated -o tables",
        GENERATE,
    )
)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "-o", "--out", required=True, type=click.Path(path_type=Path), help="Folder to write."
)
@result_options
def export_tables(folder: Path, out: Path, as_json: bool, quiet: bool) -> None:
    """Write a web as two TSV tables: pages.tsv and links.tsv.

    For graph tools, spreadsheets and databases; `web import-tables` reads them again.
    """
    web = RecordedWeb(as_web(folder))
    with cleaning_up(), Meter("writing", len(web), unit="pages", quiet=quiet) as meter:
        for done in tabulate(web, out):
            meter.show(done, done)
    facts = {
        "pages": len(web),
        "links": web.about["links"],
        "files": [str(out / "pages.tsv"), str(out / "links.tsv")],
    }
    if as_json:
        print_json(facts)
    else:
        print_facts(facts | {"files": ", ".join(facts["files"])})
