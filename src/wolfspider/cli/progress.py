"""How far long work has come: a bar on a terminal, plain lines elsewhere, silence if asked."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn


class Meter:
    """Shows `done` of `total` with a remark on standard error; with `rate`, units per second, too.

    Cheap to call for every page: it looks at the clock only, and draws a few times a second.
    When standard error is not a terminal it writes a line every few seconds and one at the end.
    """

    def __init__(
        self,
        what: str,
        total: float | None,
        *,
        unit: str,
        rate: bool = True,
        quiet: bool = False,
        before: int = 0,
    ) -> None:
        self.what = what
        self.total = total
        self.unit = unit
        self._console = Console(stderr=True)
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._rate = rate
        self._quiet = quiet
        self._before = before  # units that were done before, and make no rate
        self._begin = self._shown = time.monotonic()
        self._last = (0, "")  # count and remark
        self._every = 0.1 if self._console.is_terminal else 5.0

    def __enter__(self) -> Self:
        if not self._quiet and self._console.is_terminal:
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f} %" if self.total else ""),
                TextColumn("{task.fields[remark]}"),
                TimeRemainingColumn(),
                console=self._console,
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(self.what, total=self.total, remark="")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        elif not self._quiet and error is None and self._last[0]:
            seconds = time.monotonic() - self._begin
            print(f"{self.what}: {self._text(*self._last)}, {seconds:.1f} s", file=sys.stderr)

    def show(self, done: float, count: int, remark: str = "") -> None:
        """`done` moves the bar, `count` (of units) makes the rate."""
        self._last = (count, remark)
        now = time.monotonic()
        if self._quiet or now - self._shown < self._every:
            return
        self._shown = now
        text = self._text(count, remark)
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, remark=text)
        else:
            share = f" {min(100, 100 * done / self.total):.0f} %," if self.total else ""
            print(f"{self.what}:{share} {text}{self._left(done)}", file=sys.stderr, flush=True)

    def _text(self, count: int, remark: str) -> str:
        rate = (count - self._before) / max(time.monotonic() - self._begin, 1e-9)
        parts = [f"{count:,} {self.unit}", f"{rate:,.0f}/s" if self._rate else "", remark]
        return ", ".join(filter(None, parts))

    def _left(self, done: float) -> str:
        if not self.total or done <= self._before:
            return ""
        pace = (time.monotonic() - self._begin) / (done - self._before)
        seconds = max(0.0, pace * (self.total - done))
        return f", {seconds:.0f} s left"
