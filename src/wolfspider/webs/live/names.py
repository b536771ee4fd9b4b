"""Addresses of host names, asked for by threads of our own.

libcurl has twenty threads for this, and waits for them when it closes: a few dozen names whose
server does not answer would hold up all others, and the end of a crawl. Here nobody waits
longer than he wants, and a name that failed is not asked for again at once.
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue

MOST_ADDRESSES = 8  # of one name
_NO_FILES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


@dataclass(frozen=True, slots=True)
class Answer:
    """Addresses in the order they should be tried; or none, and why."""

    addresses: tuple[str, ...] = ()
    error: str = ""  # a kind: "dns", "timeout", "no files" or "failed"
    detail: str = ""


class Names:
    """Looks names up, each once at a time, and remembers the answers.

    Good answers are kept for `keep` seconds and bad ones for `keep_bad`; of `most` names, those
    asked for longest ago are forgotten first. To be used on one running event loop.
    """

    def __init__(
        self,
        threads: int = 64,
        keep: float = 300.0,
        keep_bad: float = 60.0,
        most: int = 100_000,
    ) -> None:
        self._pool = _Threads(threads)
        self._keep = keep
        self._keep_bad = keep_bad
        self._most = most
        self._known: dict[str, tuple[float, Answer]] = {}  # name → good until, answer
        self._asked: dict[str, asyncio.Future[Answer]] = {}

    def known(self, name: str) -> Answer | None:
        """The answer, if it is still good."""
        until, answer = self._known.get(name, (0.0, None))
        return answer if answer and until > asyncio.get_running_loop().time() else None

    async def look_up(self, name: str, patience: float) -> Answer:
        """The addresses of a name, waiting no longer than `patience` seconds."""
        answer = self.known(name)
        if answer is not None:
            return answer
        try:
            async with asyncio.timeout(patience):
                return await asyncio.shield(self._asked.get(name) or self._ask(name))
        except TimeoutError:
            late = Answer(error="timeout", detail=f"no address of {name} in {patience:g} s")
            self._remember(name, late)
            return late

    def close(self) -> None:
        """Wait for nothing: threads that still look something up end when they have found it."""
        self._pool.close()
        for future in self._asked.values():
            if not future.done():
                future.set_result(Answer(error="failed", detail="the client was closed"))
        self._asked.clear()

    def _ask(self, name: str) -> asyncio.Future[Answer]:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Answer] = loop.create_future()
        self._asked[name] = future

        def work() -> None:
            answer = found(name)
            with suppress(RuntimeError):  # the loop may be closed by now
                loop.call_soon_threadsafe(self._on_answer, name, future, answer)

        self._pool.start(work)
        return future

    def _on_answer(self, name: str, future: asyncio.Future[Answer], answer: Answer) -> None:
        if self._asked.get(name) is future:
            del self._asked[name]
        self._remember(name, answer)
        if not future.done():
            future.set_result(answer)

    def _remember(self, name: str, answer: Answer) -> None:
        if answer.error == "no files":
            return  # that says nothing about the name
        keep = self._keep_bad if answer.error else self._keep
        self._known.pop(name, None)
        self._known[name] = (asyncio.get_running_loop().time() + keep, answer)
        if len(self._known) > self._most:
            del self._known[next(iter(self._known))]


def found(name: str) -> Answer:
    """What the system's resolver says, however long it takes."""
    try:
        rows = socket.getaddrinfo(name.encode(), None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        if no_files_left():  # resolvers need some too, and report it as a name without address
            return Answer(error="no files", detail="no more files for a look-up")
        reason = getattr(error, "strerror", None) or str(error)
        return Answer(error="dns", detail=f"{name}: {reason}")
    addresses = dict.fromkeys(str(row[4][0]) for row in rows)
    return Answer(tuple(addresses)[:MOST_ADDRESSES])


def no_files_left() -> bool:
    """Whether this process cannot open a file just now."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
    except OSError as error:
        return is_exhaustion(error.errno)
    return False


def is_exhaustion(number: int | None) -> bool:
    return number in _NO_FILES


class _Threads:
    """Threads that nobody waits for, started when there is work and none is free.

    Those of `concurrent.futures` are waited for when Python ends.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._started = 0
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._free = threading.Semaphore(0)

    def start(self, job: Callable[[], None]) -> None:
        self._jobs.put(job)
        if not self._free.acquire(blocking=False) and self._started < self._most:
            self._started += 1
            threading.Thread(target=self._run, name="names", daemon=True).start()

    def close(self) -> None:
        for _ in range(self._started):
            self._jobs.put(None)
        self._started = 0

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()
            self._free.release()
