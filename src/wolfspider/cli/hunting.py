"""A hunt on the command line: signals, what is shown meanwhile, and what is said at the end."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

from wolfspider.carrying import FOREIGN
from wolfspider.cli.foreseen import forecast_lines
from wolfspider.cli.output import note, plain, print_facts, print_json
from wolfspider.cli.progress import Meter
from wolfspider.cli.view import HuntView
from wolfspider.hunt import INTERRUPTED, Hunt
from wolfspider.judges import KeywordJudge
from wolfspider.policies.trained import Trained
from wolfspider.records import Visit
from wolfspider.text import STOP_WORDS
from wolfspider.topics import NO_WORDS
from wolfspider.webs.live.web import LiveWeb
from wolfspider.wording import near

Watch = Callable[[Visit], None]

FEW_KNOWN = 0.5  # share of words below which a model is doubtful


def run_hunt(
    opening: AbstractAsyncContextManager[Hunt],
    *,
    resumed: bool = False,
    as_json: bool = False,
    quiet: bool = False,
    watch: Watch | None = None,
    more: Callable[[], dict[str, Any]] = dict,
) -> None:
    """Hunt to the end, print the result; exit with 128 + signal after an interruption.

    `watch` sees every visit; `more` are facts of its own for the result.
    """
    result, hunt, number = asyncio.run(_run(opening, resumed, quiet, watch))
    result |= more()
    if as_json:
        print_json(result)
    else:
        if not quiet:
            _print_best(hunt)
        print_facts(_in_words(result))
        if not quiet:
            _print_next(hunt, resumed)
    if number:
        sys.exit(128 + number)
    if hunt.nothing_read:
        sys.exit(1)


async def _run(
    opening: AbstractAsyncContextManager[Hunt], resumed: bool, quiet: bool, watch: Watch | None
) -> tuple[dict[str, Any], Hunt, int]:
    signals = _Signals()
    async with opening as hunt:
        if hunt.began_with and not quiet:
            _print_beginning(hunt)
        if not resumed and not quiet:
            _print_ignored(hunt)
            _print_literal(hunt)
        with signals.stopping(hunt):
            if resumed:
                await _recall(hunt, quiet)
                if hunt.began_without and not quiet:
                    _print_loss(hunt)
            told = hunt.drift is not None  # by an earlier process
            with HuntView(hunt, quiet=quiet) as view:
                async for visit in hunt.visits():
                    if watch is not None:
                        watch(visit)
                    view.show(visit)
                    if not told and hunt.drift is not None:
                        told = True
                        if not quiet:
                            _print_drift(hunt)
        result = hunt.finish()
    return result, hunt, signals.number if hunt.stopped == INTERRUPTED else 0


async def _recall(hunt: Hunt, quiet: bool) -> None:
    with Meter("reading back", None, unit="visits", quiet=quiet) as meter:
        async for done, total in hunt.recall():
            meter.total = total
            meter.show(done, done)
    if hunt.damaged:
        note(
            f"{hunt.damaged:,} records are damaged: links that were found only there are lost; "
            "bring the WARC files back from a copy if you have one"
        )


class _Signals:
    """The first Ctrl-C or SIGTERM ends the hunt in order, a second one at once."""

    def __init__(self) -> None:
        self.number = 0

    def stopping(self, hunt: Hunt) -> _Signals:
        self._hunt = hunt
        return self

    def __enter__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._handled = []
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) == signal.SIG_IGN:
                continue
            with suppress(ValueError, RuntimeError):  # not in the main thread
                self._loop.add_signal_handler(number, self._note, number)
                self._handled.append(number)

    def _note(self, number: int) -> None:
        self.number = number
        for each in self._handled:  # a second one is not asked to wait
            self._loop.remove_signal_handler(each)
        self._hunt.interrupt()

    def __exit__(self, *_: object) -> None:
        for number in self._handled:
            self._loop.remove_signal_handler(number)


def _in_words(result: dict[str, Any]) -> dict[str, Any]:
    """The same with a line for each forecast."""
    return {n: v for n, v in result.items() if n != "forecast"} | forecast_lines(result["forecast"])


def _print_best(hunt: Hunt) -> None:
    if hunt.tally.best:
        print("most relevant pages:")
    for relevance, _, url, title in sorted(hunt.tally.best, reverse=True):
        line = f"  {relevance:.2f}  {plain(title)[:40]:<40}  {plain(url)}"
        print(line[: get_terminal_size().columns] if sys.stdout.isatty() else line)
    if hunt.tally.best:
        print()


def _print_overlap(hunt: Hunt) -> None:
    """A word of warning about a model from somewhere else."""
    policy = hunt.policy.policy
    overlap = policy.overlap() if isinstance(policy, Trained) else None
    if overlap is not None and overlap < FEW_KNOWN:
        note(
            f"only {100 * overlap:.0f} % of the words of links were known from the training: "
            "what was learned may not fit here"
        )


def _print_beginning(hunt: Hunt) -> None:
    source = near(Path(hunt.asked.warm_start))
    note(plain(f"begins with what {source} learned: {hunt.began_with}"))


def _print_literal(hunt: Hunt) -> None:
    """Words that may be misspelt, or of a language of which no meanings are known."""
    judge = hunt.judge.uncorrected
    words = judge.literal if isinstance(judge, KeywordJudge) else ()
    named = _quoted(words)
    if words:
        one = len(words) == 1
        so = "it counts only where it stands" if one else "they count only where they stand"
        note(f"no meaning is known of {named}: {so} on a page itself")


def _print_ignored(hunt: Hunt) -> None:
    """Words of the topic that a person may have meant: not "the" or "of"."""
    words = [each for each in hunt.topic.ignored if each.lower() not in STOP_WORDS]
    if words:
        note(f"{_quoted(words)} will not be looked for: {NO_WORDS}")


def _quoted(words: Iterable[str]) -> str:
    return " and ".join(f'"{plain(word)}"' for word in words)


def _print_never(hunt: Hunt) -> None:
    """Why a hunt that looked for words may have found nothing."""
    looked = isinstance(hunt.judge.uncorrected, KeywordJudge) and not hunt.nothing_read
    if looked and not hunt.tally.highest:
        note("no word of the topic stands on any page that could count; are they spelt right?")


def _print_loss(hunt: Hunt) -> None:
    """A word of warning that what was learned elsewhere is not known any more."""
    source = near(Path(hunt.asked.warm_start))
    note(
        plain(
            f"this hunt began with what {source} learned, and goes on without it: "
            f"{hunt.began_without}"
        )
    )


def _print_drift(hunt: Hunt) -> None:
    """A word of warning about what was learned on a web that looked otherwise."""
    drift = hunt.drift
    if drift is not None and drift > FOREIGN and not isinstance(hunt.policy.policy, Trained):
        note(
            f"this web looks foreign: {100 * drift:.0f} % of what its links are known by was "
            "new to what the hunt began with; it may not fit here"
        )


def _print_next(hunt: Hunt, resumed: bool) -> None:
    """What one may want to do now."""
    _print_overlap(hunt)
    _print_drift(hunt)
    _print_never(hunt)
    if hunt.store is None:
        return
    folder, waiting = hunt.store.folder, len(hunt.policy)
    if hunt.stopped == INTERRUPTED:
        note(f"go on with: wolfspider resume {folder}")
    elif hunt.spent and waiting:
        note(f"for more: wolfspider resume {folder} --{hunt.spent} N, with what there is included")
    elif waiting and hunt.rules.reason():
        note(f"to go on: wolfspider resume {folder} --stop none, or with other rules")
    elif waiting:
        note(f"go on later with: wolfspider resume {folder}")
    if isinstance(hunt.web, LiveWeb) and hunt.tally.relevant and not resumed:
        note(f"next: wolfspider export {folder} --relevant --format jsonl > found.jsonl")
    if hunt.tally.relevant and not resumed:
        note(f"a page about it: wolfspider report {folder}")
