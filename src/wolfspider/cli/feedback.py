"""wolfspider feedback"""

from __future__ import annotations

from pathlib import Path

import click

from wolfspider.cli.opened import opened
from wolfspider.cli.output import FIRST_HUNT, example, note, plain, print_json, result_options
from wolfspider.errors import BadInput
from wolfspider.records import PageFlag, Verdict
from wolfspider.store import HuntReader, HuntStore
from wolfspider.store.feedback import say
from wolfspider.store.opening import writer_of
from wolfspider.urls import canonical, readings
from wolfspider.why.addresses import close_to


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
    if not url.strip():
        raise BadInput("the URL is empty; give that of a page that the hunt has visited")
    with opened(folder) as reader:
        page, step = _page(reader, url)
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


def _page(reader: HuntReader, url: str) -> tuple[str, int]:
    """Address and step of the page that a person means, if there is something to judge."""
    which = "(url = ?1 OR link = ?1) ORDER BY error != '', step LIMIT 1"
    query = f"SELECT url, step, error, copy_of, flags FROM pages WHERE {which}"
    found = (reader.db.execute(query, (each,)).fetchone() for each in readings(url))
    row = next((row for row in found if row is not None), None)
    if row is None:
        close = " or ".join(map(plain, close_to(reader, url)))
        unknown = f"the hunt in {reader.folder} has not visited {plain(url)}"
        what = unknown if canonical(readings(url)[-1]) else f"{plain(url)} is not a web address"
        raise BadInput(what + (f"; did you mean {close}?" if close else ""))
    page = plain(row["url"])
    if row["error"]:
        raise BadInput(f"{page} could not be fetched: there is nothing to judge")
    if row["copy_of"]:
        raise BadInput(
            f"{page} is a copy of {plain(row['copy_of'])}, and copies do not count; "
            "give your word on that page"
        )
    if row["flags"] & PageFlag.NOINDEX:
        raise BadInput(f"{page} asks not to be indexed, and so does not count as a find")
    return str(row["url"]), int(row["step"])


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
