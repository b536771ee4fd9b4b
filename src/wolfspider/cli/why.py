"""wolfspider why"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from wolfspider.cli.opened import opened
from wolfspider.cli.output import (
    FIRST_HUNT,
    example,
    plain,
    print_facts,
    print_json,
    promise,
    result_options,
)
from wolfspider.errors import BadInput
from wolfspider.why import First, NamedClue, Other, Paid, Story, Teller, Totals, clues_that_paid
from wolfspider.why.story import FETCHED, OUT, WAITING
from wolfspider.wording import several

_CLUES, _WORST, _LINKS = 10, 5, 5  # shown when no link is named
_BAR = 16  # columns
_WIDE = 100  # columns of a line
_TITLE = 40


@click.command(
    epilog=example("wolfspider why hunts/stars https://www.nithom.org.example/sailing/", FIRST_HUNT)
)
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("url", required=False)
@click.option("--best", type=int, help=f"Without a URL: so many clues.  [default: {_CLUES}]")
@result_options
def why(folder: Path, url: str | None, best: int | None, as_json: bool, quiet: bool) -> None:
    """Say why a hunt followed a link, or has not followed it yet.

    Which clues spoke for it, when it was found and chosen, and what was fetched before it. Without
    a URL: which clues paid over the whole hunt. Works while the hunt runs.
    """
    if best is not None and best < 1:
        raise BadInput(f"--best is {best}; it says how many clues to list, 1 or more")
    if best is not None and url is not None:
        raise BadInput("--best lists the clues of the whole hunt; leave it out, or the URL")
    if str(folder).startswith(("http:/", "https:/")):
        raise BadInput("the folder of the hunt comes first: wolfspider why FOLDER URL")
    if url is not None and not url.strip():
        raise BadInput("the URL is empty; leave it out to see which clues paid over the whole hunt")
    with opened(folder) as reader:
        if url is not None:
            _tell(Teller(reader).tell(url), as_json, quiet)
        else:
            totals = clues_that_paid(reader, best or _CLUES, _WORST)
            _sum_up(totals, Teller(reader), as_json, quiet)


def _tell(story: Story, as_json: bool, quiet: bool) -> None:
    if as_json:
        print_json(story.as_json())
        return
    if story.title:
        print(plain(story.title))
    print(plain(story.url))
    print()
    print_facts(dict(_facts(story)))
    _print_clues(story.clues)
    if story.first is not None and not quiet:
        _print_first(story, story.first)
    for each in () if quiet else story.notes:
        print()
        print(textwrap.fill(plain(each), _WIDE))


def _facts(story: Story) -> Iterator[tuple[str, Any]]:
    yield "what", story.sentence
    if story.found is not None:
        yield "found", _found(story)
    refused = f", {story.steps_refused:,} of them refused" if story.steps_refused else ""
    steps = f"step {story.step:,} of {story.steps:,}{refused}"
    if story.state in (WAITING, OUT):
        yield "as of", steps
    else:
        yield "fetched" if story.state == FETCHED else "tried", f"at {steps}"
    if story.expected is not None:
        yield "expected", _expected(story)
        yield "rank", _rank(story)
        if story.explored:
            yield "chosen", "to learn something, not for its expected yield alone"
    elif story.score is not None and not story.seed:
        yield "score", f"{story.score:.4g}, by the policy's own measure"


def _found(story: Story) -> str:
    found = story.found
    assert found is not None
    step = "" if found.step is None else f"at step {found.step:,}, "
    title = f" ({_short(plain(found.title), _TITLE)})" if found.title else ""
    anchor = f'by the link "{_short(plain(found.anchor), _TITLE)}" ' if found.anchor else ""
    return f"{step}{anchor}on {found.on}{title}"


def _expected(story: Story) -> str:
    share = f"{100 * (story.expected or 0):.0f} %"
    said = f"yield {share}: relevant pages on the best trip that begins with it"
    if story.relevant is None:
        return said
    return f"{said}; it was {'' if story.relevant else 'not '}relevant itself"


def _rank(story: Story) -> str:
    rank = f"{_ordinal(story.rank or 0)} of {several(story.waiting or 0, 'waiting link')}"
    if story.state != WAITING:
        rank += " when it was chosen"
    return f"{rank}; {story.ahead}" if story.ahead else rank


def _print_clues(clues: Iterable[NamedClue]) -> None:
    clues = list(clues)
    if not clues:
        return
    largest = max(abs(clue.weight) for clue in clues) or 1.0
    print("\nWhat spoke for it (+) and against it (-) most:")
    for clue in clues:
        bar = "█" * math.ceil(_BAR * abs(clue.weight) / largest)
        print(f"  {clue.weight:+8.3f}  {bar:<{_BAR}}  {_short(plain(clue.clue), _WIDE)}")


def _print_first(story: Story, first: First) -> None:
    if not first.pages:
        if story.state not in (WAITING, OUT):
            print("\nNothing was fetched between its being found and its own turn.")
        return
    expected = any(other.expected is not None for other in first.best)
    measure = "expected yield" if expected else "score"
    since = story.state in (WAITING, OUT)
    many = several(first.pages, "page")
    if first.pages > 1:
        which = "the last" if since else f"those with the highest {measure}"
        many = f"{many} came first, {first.relevant:,} of them relevant; {which}"
    else:
        many = f"{many} came first"
    print(f"\n{'Since it was found' if since else 'While it waited'}, {many}:")
    print(f"  {'expected' if expected else 'score':>9}  {'it was':<12}  page")
    for other in first.best:
        print(f"  {_promise(other):>9}  {other.came:<12}  {_page(other.title, other.url)}")


def _promise(other: Other) -> str:
    if other.expected is not None:
        return f"{100 * other.expected:.0f} %"
    return "–" if other.score is None else f"{other.score:.3g}"


def _sum_up(totals: Totals, teller: Teller, as_json: bool, quiet: bool) -> None:
    links = [] if quiet else teller.best_waiting(_LINKS)
    if as_json:
        waiting = [{"url": link.url, "expected": hope} for link, hope in links]
        print_json(totals.as_json() | {"waiting": waiting})
        return
    if not totals.pages:
        print(totals.lacking(teller.can_explain))
    for line in clue_lines(totals):
        print(line)
    if links:
        measure = "scores" if links[0][1] is None else "expected yields"
        print(f"\nThe links that would be followed next, with their {measure}:")
    for link, hope in links:
        print(f"  {promise(link, hope):>9}  {_page(link.anchor, link.url)}")


def clue_lines(totals: Totals) -> Iterator[str]:
    """Clues that paid, and those that did not, as lines."""
    if not totals.pages:
        return
    share = totals.relevant / totals.pages
    yield (
        f"{totals.relevant:,} of {several(totals.pages, 'page')} that clues led to "
        f"{'is' if totals.relevant == 1 else 'are'} relevant ({100 * share:.0f} %)."
    )
    if totals.loss:
        yield totals.loss
    for title, clues in (
        ("Clues that paid", totals.paid),
        ("Clues that promised more than they paid", totals.misled),
    ):
        if clues:
            yield f"\n{title}, with the relevant pages among those they spoke for:"
            yield from map(clue_line, clues)
    if lack := totals.lacking(True):
        yield lack


def clue_line(paid: Paid) -> str:
    counts = f"{paid.relevant:,} of {paid.pages:,}"
    share = f"{100 * paid.relevant / paid.pages:.0f} %"
    return f"  {counts:>14}  {share:>5}  {_short(plain(paid.clue), _WIDE)}"


def _ordinal(rank: int) -> str:
    ending = (
        "th" if rank % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    )
    return f"{rank:,}{ending}"


def _page(title: str, url: str) -> str:
    title = plain(title).strip()
    return f"{_short(title, _TITLE)}  {plain(url)}" if title else plain(url)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
