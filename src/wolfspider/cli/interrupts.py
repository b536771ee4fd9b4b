"""Ctrl-C, SIGTERM, a closed terminal: a command that is ended leaves nothing half-written.

The exit code is 128 + the signal's number: 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType
from typing import Any, Self

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Terminated(KeyboardInterrupt):
    """Another signal, as an exception that cleans up like Ctrl-C does."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def exit_code(interrupt: BaseException | None) -> int:
    return 128 + (interrupt.number if isinstance(interrupt, Terminated) else signal.SIGINT)


@contextmanager
def cleaning_up() -> Iterator[None]:
    """Let signals run through `with` and `finally` blocks, as Ctrl-C does anyway."""

    def terminate(number: int, frame: FrameType | None) -> None:
        raise Terminated(number)

    before = _handle((signal.SIGTERM, signal.SIGHUP), terminate)
    try:
        yield
    finally:
        _restore(before)


class Interruption:
    """While it is entered, a signal is only noted, for a loop that can stop between two steps.

    A second signal does not wait for the step to end.
    """

    def __init__(self) -> None:
        self.signal = 0

    def __enter__(self) -> Self:
        self._before = _handle(_SIGNALS, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        _restore(self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.signal:
            raise KeyboardInterrupt
        self.signal = number


def _handle(numbers: tuple[signal.Signals, ...], handler: Any) -> dict[signal.Signals, Any]:
    """Set a handler where signals are not ignored; gives the handlers that were there."""
    if current_thread() is not main_thread():
        return {}
    heeded = [number for number in numbers if signal.getsignal(number) != signal.SIG_IGN]
    return {number: signal.signal(number, handler) for number in heeded}


def _restore(handlers: dict[signal.Signals, Any]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)
