"""wolfspider feedback"""

from __future__ import annotations

from pathlib import Path

import click

from wolfspider.cli.output import FIRST_HUNT, example, note, plain, print_json, result_options
from wolfspider.errors import BadInput
from wolfspider.records import Verdict
from wolfspider.store import HuntStore
from wolfspider.store.feedback import say
from wolfspider.store.opening import open_hunt, writer_of
from wolfspider.urls import canonical


@click.command(
    epilog=example(
        "wolfspider feedback hunts/stars https://www.nithom.org.example/ --irrelevant", FIRST_HUNT
    )
)
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("url")
@click.option("--relevant", is_flag=True, help="The page is relevant.")
@click.option("--irrelevant", is_flag=True, help="The page is not relevant.")
@result_options
def feedback(
    folder: Path, url: str, relevant: bool, irrelevant: bool, as_json: bool, quiet: bool
) -> None:
    """Correct the judge of a hunt: say that a page is relevant, or that it is not.

    A hunt that is under way learns from it at once, one that has ended when it is resumed. Status
    and export count the page by your word.
    """
    if relevant == irrelevant:
        raise BadInput("say what the page is: --relevant or --irrelevant")
    address = canonical(url)
    with open_hunt(folder) as reader:
        which = "url IN (?, ?) OR link IN (?, ?) ORDER BY error != '', step LIMIT 1"
        query = f"SELECT url, step FROM pages WHERE {which}"
        row = reader.db.execute(query, (url, address) * 2).fetchone()
        if row is None:
            raise BadInput(f"the hunt in {folder} has not visited {plain(url)}")
        page, step = str(row["url"]), int(row["step"])
        if not reader.count("count(*) FROM pages WHERE url = ? AND error = ''", page):
            raise BadInput(f"{plain(page)} could not be fetched: there is nothing to judge")
    said = say(folder, page, relevant=relevant)
    running = writer_of(folder) is not None
    if not running:
        running = not _counted(folder, step, said.verdict)
    if as_json:
        print_json({"url": page, "relevant": relevant, "hunt_under_way": running})
        return
    what = "relevant" if relevant else "not relevant"
    print(f"{plain(page)} is {what}")
    if not quiet:
        note(
            "the hunt under way learns from it"
            if running
            else f"wolfspider resume {folder} learns from it"
        )


def _counted(folder: Path, step: int, verdict: Verdict) -> bool:
    """Count a word at once; False if a hunt has begun meanwhile, which will."""
    try:
        store = HuntStore.open(folder)
    except BadInput:
        if writer_of(folder) is None:
            raise
        return False
    try:
        store.correct(step, verdict)
        store.flush()
    finally:
        store.close()
    return True
