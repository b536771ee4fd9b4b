"""Raw answers → pages, in child processes whose time and memory are bounded.

    parse → waiting → child with the shortest queue → payload → pages.parse → Parsed

A hostile page can make a parser run wild or crash; that costs one child, and the page at fault
comes back empty with a `problem`. Bytes go both ways over a socket pair, framed by lengths:
nothing that comes from the web is ever unpickled. `parser_child` is the program of the children.
"""

from __future__ import annotations

import asyncio
import math
import os
import socket
import struct
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from wolfspider.records import Exchange, Links, Page
from wolfspider.webs.folder import unpack_page
from wolfspider.webs.live.parser_child import REPLY, REQUEST, ROOM, written

DEPTH = 4  # requests in the queue of a child, so that it never waits for the next
START_SECONDS = 60.0  # for a child to come up, on a machine that is busy
CLOSE_SECONDS = 1.0

_CRASHED = "the parser crashed"
NOT_STARTED = "the parser did not start"
_CLOSED = "the parsers were closed"

_MOST_REPLY = 256 << 20  # bytes; no honest child comes near
_PIECES = 8  # byte strings for one system call


@dataclass(frozen=True, slots=True, eq=False)
class Parsed:
    """The page of an answer; empty if there was a `problem`, smaller if there was `damage`."""

    page: Page
    problem: str = ""  # what the parser could not do
    damage: str = ""  # what was wrong with the encoding of the body


@dataclass(frozen=True, slots=True, eq=False)
class _Request:
    url: str
    exchange: Exchange
    answer: asyncio.Future[Parsed]

    def settle(self, parsed: Parsed) -> None:
        if not self.answer.done():  # who asked may have been cancelled
            self.answer.set_result(parsed)

    def fail(self, problem: str) -> None:
        self.settle(Parsed(Page(self.url), problem))


class Parsers:
    """Child processes that turn raw answers into pages; a page that costs too much costs one child.

    Each call of `parse` is answered once, whatever becomes of the children: the first page in the
    queue of a child that dies or takes longer than `seconds` is given back with a problem, the
    others go to another child. `memory` bounds the address space of a child, `inflated` the bytes
    of a decoded body. Children start when they are needed and end with this process.
    To be used and closed on one running event loop.
    """

    def __init__(
        self,
        processes: int = 1,
        *,
        seconds: float = 10.0,
        memory: int = 2 << 30,
        inflated: int = 16 << 20,
    ) -> None:
        self.processes = processes
        self.seconds = seconds
        self.memory = memory
        self.inflated = inflated
        self._waiting: deque[_Request] = deque()
        self._children: list[_Child] = []
        self._dying: list[subprocess.Popen[bytes]] = []
        self._closed = False

    @property
    def pids(self) -> list[int]:
        """The children that there are now."""
        return [child.process.pid for child in self._children]

    def start(self) -> None:
        """Have a child ready, if one can be had now."""
        with suppress(OSError):
            self._freest()

    async def parse(self, url: str, exchange: Exchange) -> Parsed:
        """The page in an answer that came from `url`. Raises nothing."""
        if exchange.error or exchange.status >= 300:
            return Parsed(Page(url))
        if self._closed:
            return Parsed(Page(url), _CLOSED)
        request = _Request(url, exchange, asyncio.get_running_loop().create_future())
        self._waiting.append(request)
        self._feed()
        return await request.answer

    async def aclose(self) -> None:
        """Give up what is under way and end the children: those that are busy after a second."""
        self._closed = True
        processes = [*self._dying, *(child.process for child in self._children)]
        for child in self._children:
            child.close()
            self._waiting.extend(child.queue)
        self._children.clear()
        while self._waiting:
            self._waiting.popleft().fail(_CLOSED)
        try:
            await _ended(processes, CLOSE_SECONDS)
        finally:
            for process in processes:
                process.kill()
                process.wait()

    def _feed(self) -> None:
        """Hand out what waits, as far as the children have room."""
        while self._waiting:
            if self._waiting[0].answer.done():
                self._waiting.popleft()
                continue
            try:
                child = self._freest()
            except OSError as error:
                self._waiting.popleft().fail(f"{NOT_STARTED}: {error.strerror}")
                continue
            if len(child.queue) >= DEPTH:
                return
            child.send(self._waiting.popleft())

    def _freest(self) -> _Child:
        """The child with the shortest queue; a new one, if all are busy and it may be."""
        child = min(self._children, key=lambda child: len(child.queue), default=None)
        if child is not None and (not child.queue or len(self._children) >= self.processes):
            return child
        try:
            self._children.append(_Child(self._command(), self.seconds, self._feed, self._lost))
        except OSError:
            if child is None:
                raise
            return child
        return self._children[-1]

    def _command(self) -> list[str]:
        # -P: a file that happens to lie in the current folder is not taken for a module
        program = [sys.executable, "-P", "-m", "wolfspider.webs.live.parser_child"]
        return [*program, str(math.ceil(self.seconds)), str(self.memory), str(self.inflated)]

    def _lost(self, child: _Child, problem: str) -> None:
        """Replace a child that ended or must end; its first request is the one to blame."""
        self._children.remove(child)
        child.close()
        child.process.kill()
        self._dying = [each for each in (*self._dying, child.process) if each.poll() is None]
        if child.queue:
            child.queue.popleft().fail(problem)
        self._waiting.extendleft(reversed(child.queue))
        self._feed()


async def _ended(processes: Sequence[subprocess.Popen[bytes]], seconds: float) -> None:
    """Waits until all have ended, but no longer than this."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    while loop.time() < until and any(process.poll() is None for process in processes):
        await asyncio.sleep(0.01)


class _Child:
    """One child process and what it was asked: replies come in the order of `queue`.

    `more()` is called when the queue has become shorter, `lost(child, problem)` at most once, when
    the child has died, talks nonsense or has been silent for too long with a request before it.
    """

    def __init__(
        self,
        command: list[str],
        seconds: float,
        more: Callable[[], None],
        lost: Callable[[_Child, str], None],
    ) -> None:
        self.queue: deque[_Request] = deque()
        self.process, self._socket = _start(command)
        self._seconds = seconds
        self._more = more
        self._lost = lost
        self._ready = False
        self._outbox: deque[bytes | memoryview] = deque()
        self._writing = False
        self._buffer = memoryview(bytearray(ROOM))
        self._filled = 0
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._socket, self._read)
        self._heard = self._loop.time()
        self._watch = self._loop.call_later(START_SECONDS, self._look)

    def close(self) -> None:
        """Hang up, which ends the child when it is done with its page."""
        self._watch.cancel()
        self._loop.remove_reader(self._socket)
        self._loop.remove_writer(self._socket)
        self._socket.close()

    def send(self, request: _Request) -> None:
        """Put a request at the end of the queue."""
        if not self.queue and self._ready:
            self._heard = self._loop.time()
        self.queue.append(request)
        exchange = request.exchange
        about = written(request.url, exchange.headers)
        head = REQUEST.pack(exchange.status, len(about), len(exchange.body))
        self._outbox.extend((head + about, exchange.body))
        if not self._writing:
            self._write()

    def _write(self) -> None:
        """Write until all is written or the pipe is full; then the loop calls again."""
        full = False
        try:
            while self._outbox and not full:
                self._drop_sent(self._socket.sendmsg(islice(self._outbox, _PIECES)))
        except (BlockingIOError, InterruptedError):
            full = True
        except OSError:
            self._outbox.clear()  # it has died, and `_read` will find out
        if full != self._writing:
            self._writing = full
            if full:
                self._loop.add_writer(self._socket, self._write)
            else:
                self._loop.remove_writer(self._socket)

    def _drop_sent(self, sent: int) -> None:
        while self._outbox and sent >= len(self._outbox[0]):
            sent -= len(self._outbox.popleft())
        if sent:
            self._outbox[0] = memoryview(self._outbox[0])[sent:]

    def _read(self) -> None:
        try:
            count = self._socket.recv_into(self._buffer[self._filled :])
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            count = 0
        self._filled += count
        self._heard = self._loop.time()
        if not count or not self._take_replies():
            self._lost(self, _CRASHED if self._ready else NOT_STARTED)
        else:
            self._more()

    def _take_replies(self) -> bool:
        """Settle the requests whose replies have come whole; False for a reply that is none."""
        at, size = 0, REPLY.size
        while self._filled - at >= REPLY.size:
            lengths = REPLY.unpack_from(self._buffer, at)
            size = REPLY.size + sum(lengths)
            if size > _MOST_REPLY:
                return False
            if self._filled - at < size:
                break
            if not self._take(lengths, at + REPLY.size):
                return False
            at, size = at + size, REPLY.size
        self._make_room(at, size)
        return True

    def _take(self, lengths: tuple[int, ...], at: int) -> bool:
        if not self._ready:
            self._ready = True
            self._watch.cancel()
            self._watch = self._loop.call_later(self._seconds, self._look)
            return not any(lengths)
        if not self.queue:
            return False
        parts = []
        for length in lengths:
            parts.append(bytes(self._buffer[at : at + length]))
            at += length
        try:
            parsed = _parsed(self.queue[0].url, *parts)
        except (ValueError, struct.error):
            return False
        self.queue.popleft().settle(parsed)
        return True

    def _make_room(self, taken: int, needed: int) -> None:
        """Move what is left to the front of a buffer that holds as much as is needed."""
        rest = self._buffer[taken : self._filled]
        if needed > len(self._buffer) or len(self._buffer) > ROOM >= needed:
            self._buffer = memoryview(bytearray(max(needed, ROOM)))
        elif not taken:
            return
        self._buffer[: len(rest)] = rest
        self._filled = len(rest)

    def _look(self) -> None:
        """Whether the child has been silent for too long; looks again when that may be.

        One timer that is set anew from time to time: cheaper than one for each page.
        """
        if self._is_late():
            self._read()  # a loop that was held up may find the reply here
            if self._socket.fileno() < 0:
                return  # and the end of the child, too
        if self._is_late():
            took_long = f"parsing took longer than {self._seconds:g} s"
            self._lost(self, took_long if self._ready else NOT_STARTED)
        else:
            since = self._heard if self.queue else self._loop.time()
            self._watch.cancel()
            self._watch = self._loop.call_at(since + self._seconds, self._look)

    def _is_late(self) -> bool:
        if not self._ready:
            return True  # `_look` gave it START_SECONDS
        return bool(self.queue) and self._loop.time() - self._heard >= self._seconds


def _start(command: list[str]) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """A child that has nothing from us but one end of a socket pair, and the other end."""
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            process = subprocess.Popen(
                [*command, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                process_group=0,  # Ctrl-C in a terminal goes to a whole group: not to this one
                # each thread of BLAS takes address space, and parsing needs none of them
                env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
            )
        except BaseException:
            ours.close()
            raise
    ours.setblocking(False)
    return process, ours


def _parsed(
    url: str, page: bytes, text: bytes, links: bytes, problem: bytes, damage: bytes
) -> Parsed:
    found = unpack_page(page, text, Links(links)) if page else Page(url)
    return Parsed(found, problem.decode(), damage.decode())
