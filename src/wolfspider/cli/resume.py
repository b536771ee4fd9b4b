"""wolfspider resume"""

from __future__ import annotations

from pathlib import Path

import click

from wolfspider.asked import Asked
from wolfspider.cli.hunt import Size
from wolfspider.cli.hunting import run_hunt
from wolfspider.cli.interrupts import cleaning_up
from wolfspider.cli.opened import opened
from wolfspider.cli.output import FIRST_HUNT, example, note, result_options
from wolfspider.cli.progress import Meter
from wolfspider.errors import BadInput
from wolfspider.hunt import Hunt
from wolfspider.judges import CorrectedJudge
from wolfspider.store import read_asked
from wolfspider.store.feedback import all_feedback
from wolfspider.store.opening import demand_web
from wolfspider.store.rebuilding import Rebuilt, rebuild
from wolfspider.tally import Tally
from wolfspider.topics import Topic
from wolfspider.wording import several

_COUNTED = {"pages": "pages", "relevant": "relevant pages", "bytes": "bytes"}


@click.command(epilog=example("wolfspider resume hunts/stars --pages 200", FIRST_HUNT))
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--pages", type=int, help="Another budget of pages, those of before included.")
@click.option("--relevant", type=int, help="Another budget of relevant pages, likewise.")
@click.option("--bytes", type=Size(), help="Another budget of bytes, likewise.")
@click.option("--minutes", type=float, help="Stop after so many minutes from now.")
@click.option(
    "--stop",
    multiple=True,
    help="Stop by these rules, and no longer by those of before; repeatable. none: by no rule.",
)
@click.option(
    "--rebuild", is_flag=True, help="First make a damaged hunt.db anew from the WARC files."
)
@result_options
def resume(
    folder: Path,
    pages: int | None,
    relevant: int | None,
    bytes: int | None,
    minutes: float | None,
    stop: tuple[str, ...],
    rebuild: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Go on with a hunt that was stopped, killed or ran out of something."""
    before = Asked.of(read_asked(folder))
    demand_web(folder, before.web)
    asked = before.with_budgets(stop, pages=pages, relevant=relevant, bytes=bytes, minutes=minutes)
    if rebuild:
        _rebuild(folder, asked, quiet)
    _demand_more_than_there_is(folder, before, asked)
    run_hunt(Hunt.resume(asked, folder), resumed=True, as_json=as_json, quiet=quiet)


def _demand_more_than_there_is(folder: Path, before: Asked, asked: Asked) -> None:
    """A new budget that was used up before would end the hunt at once, and stay."""
    given = {name: getattr(asked, name) for name in _COUNTED}
    new = [name for name, most in given.items() if most and most != getattr(before, name)]
    if not new:
        return
    with opened(folder) as reader:
        tally = Tally.of(reader)
    for name in new:
        if (there := getattr(tally, name)) > given[name]:
            raise BadInput(
                f"the hunt in {folder} has {there:,} {_COUNTED[name]} already, and these count; "
                f"give --{name} more than {there}"
            )


def _rebuild(folder: Path, asked: Asked, quiet: bool) -> None:
    corrections = {url: each.verdict for url, each in all_feedback(folder).items()}
    judge = CorrectedJudge(asked.judge(Topic.of(asked.topic)), corrections).judge
    with cleaning_up(), Meter("making hunt.db anew", None, unit="visits", quiet=quiet) as meter:
        so_far = Rebuilt()
        for so_far in rebuild(folder, judge):
            meter.show(so_far.visits, so_far.visits)
    if so_far.damaged and not quiet:
        note(
            f"what stood at {several(so_far.damaged, 'place')} of the WARC files is damaged and "
            "lost: the visits there are not among those brought back"
        )
