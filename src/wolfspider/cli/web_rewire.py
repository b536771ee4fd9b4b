"""wolfspider web rewire …"""

from __future__ import annotations

from pathlib import Path

import click

from wolfspider.cli.compiling import new_web
from wolfspider.cli.interrupts import cleaning_up
from wolfspider.cli.output import GENERATE, example, result_options
from wolfspider.cli.progress import Meter
from wolfspider.cli.web_info import print_info
from wolfspider.store.as_web import as_web
from wolfspider.webs.recorded import RecordedWeb
from wolfspider.webs.rewiring import rewire as rewiring


@click.command(
    epilog=example(
        "wolfspider web rewire webs/generated -o webs/rewired",
        GENERATE,
    )
)
@click.argument("folder", type=click.Path(path_type=Path))
@new_web
@click.option("--random-seed", default=0, show_default=True, help="Same seed, same web.")
@result_options
def rewire(folder: Path, out: Path, random_seed: int, as_json: bool, quiet: bool) -> None:
    """Make a web of the same pages whose links lead elsewhere.

    Origins and ends of all links are put into random order and joined anew: every page keeps how
    many links it has and how many lead to it, but neighbours are neighbours no more. Of a changing
    web the links of all versions are rewired: those that appeared at about the same time change
    places, and a link that stays from version to version stays the same link.
    """
    web = RecordedWeb(as_web(folder))
    with cleaning_up(), Meter("rewiring", 1.0, unit="pages", quiet=quiet) as meter:
        for done, total in rewiring(web, out, random_seed):
            meter.show(done / total, done)
    print_info(out, as_json)
