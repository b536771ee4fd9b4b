"""wolfspider report"""

from __future__ import annotations

from pathlib import Path

import click

from wolfspider.cli.opened import opened
from wolfspider.cli.output import FIRST_HUNT, example, note, plain, print_json, result_options
from wolfspider.drawing.html import demand_free, write_page
from wolfspider.hunt_report import NAME, Account, html_of
from wolfspider.hunt_report.saying import what_came
from wolfspider.store.opening import writer_of

_NUMBERS = ("state", "stopped", "topic", "pages", "relevant", "harvest_rate", "forecast")


@click.command(epilog=example("wolfspider report hunts/stars", FIRST_HUNT))
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), help=f"Page to write.  [default: FOLDER/{NAME}]"
)
@result_options
def report(folder: Path, out: Path | None, as_json: bool, quiet: bool) -> None:
    """Write a page about a hunt: its finds, the clues that paid, what is to come.

    One file that opens anywhere, without a network. Works while the hunt runs.
    """
    path = out or folder / NAME
    demand_free(path)
    account = _account_of(folder)
    write_page(html_of(account), path)
    if as_json:
        numbers = {name: account.standing[name] for name in _NUMBERS}
        print_json({"page": str(path)} | numbers | {"finds": account.found})
        return
    print(path)
    if not quiet:
        note(plain(what_came(account.standing)))


def _account_of(folder: Path) -> Account:
    writer = writer_of(folder)  # first: one that ends while we read was running, and not killed
    with opened(folder) as reader:
        return Account.of(reader, writer)
