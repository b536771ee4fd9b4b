"""A watch of the live web on the command line: documents, progress, signals."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, aclosing, contextmanager, suppress
from pathlib import Path
from typing import Any

from wolfspider.cli.output import note, plain, print_json
from wolfspider.cli.progress import Meter
from wolfspider.watching.live import INTERRUPTED, Watch
from wolfspider.wording import several

_HOSTS = 5  # of those left alone that are named


def run_watch(
    opening: AbstractAsyncContextManager[Watch], folder: Path, *, as_json: bool, quiet: bool
) -> None:
    """Watch to the end; exit with 128 + signal after an interruption, 1 if no page came.

    Documents are lines of standard output, unless one JSON object is wanted there.
    """
    result, number, nothing = asyncio.run(_run(opening, as_json, quiet))
    if as_json:
        print_json(result)
    elif not quiet:
        print_end(result)
    if not quiet and not nothing:
        note(f"go on with: wolfspider watch --resume {folder}")
    if nothing:
        if quiet or as_json:
            note(f"wolfspider: {result['stopped']}")
        sys.exit(1)
    if number:
        sys.exit(128 + number)


async def _run(
    opening: AbstractAsyncContextManager[Watch], as_json: bool, quiet: bool
) -> tuple[dict[str, Any], int, bool]:
    caught: list[int] = []
    async with opening as watch:
        before = watch.folder.downloads
        seconds = watch.asked.seconds
        began = time.monotonic()
        meter = Meter("watching", seconds, unit="downloads", rate=False, quiet=quiet)
        with _stopping(watch, caught), meter:
            async with aclosing(watch.downloads()) as downloads:
                async for download in downloads:
                    for document in download.documents:
                        if not as_json:
                            # before it is committed: printed twice rather than never
                            print(document.line(), flush=True)
                    done = watch.folder.downloads + 1 - before
                    meter.show(time.monotonic() - began, done, _remark(watch))
        result = watch.finish()
        interrupted = watch.stopped == INTERRUPTED
        return result, caught[0] if caught and interrupted else 0, watch.nothing_read


def _remark(watch: Watch) -> str:
    new = several(watch.found["new"], "new document")
    if watch.last_find is None:
        return new
    return f"{new}, the last {watch.clock() - watch.last_find:.0f} s ago"


@contextmanager
def _stopping(watch: Watch, caught: list[int]) -> Iterator[None]:
    """The first Ctrl-C or SIGTERM ends the watch in order, a second one at once."""
    loop, handled = asyncio.get_running_loop(), list[signal.Signals]()

    def note_signal(number: int) -> None:
        caught.append(number)
        for each in handled:
            loop.remove_signal_handler(each)
        watch.interrupt()

    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:
            with suppress(ValueError, RuntimeError):  # not in the main thread
                loop.add_signal_handler(number, note_signal, number)
                handled.append(number)
    try:
        yield
    finally:
        for number in handled:
            loop.remove_signal_handler(number)


def print_end(result: dict[str, Any]) -> None:
    """On standard error: standard output is the documents'."""
    facts = [f"{name} {value:,}" for name, value in result.items() if isinstance(value, int)]
    note(f"{', '.join(facts).replace('_', ' ')}; ended: {result['stopped']}")
    for name, why in list(result["left_alone"].items())[:_HOSTS]:
        note(f"{plain(name)} is left alone for now: {plain(why)}")
