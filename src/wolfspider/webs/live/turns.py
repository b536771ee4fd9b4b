"""Whose turn it is: requests wait here for their host, their address and a free connection.

A fetch is *inside* from the moment its link was chosen until its answer is there. It may ask
several times (robots.txt, redirects, another try) and each time waits for its turn; while it
waits it takes up no connection, so hosts that are slow or resting hold nobody up.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from wolfspider.webs.live.names import Names
from wolfspider.webs.live.politeness import Politeness

_Queue = tuple[asyncio.Semaphore, list[None]]  # and one entry for each who uses it


_NAP = 4.0  # seconds; who sleeps longer gives up his place


class GivenUp(Exception):
    """The host is not asked any more for now."""


class Turns:
    """Hosts are asked one request after the other, and not more than `at_once` all together.

    `busy` are the hosts of which no other link should be chosen now, and `room` is how many
    links may be. Who waits for a host is served in the order of arrival.
    """

    def __init__(self, politeness: Politeness, names: Names | None, at_once: int) -> None:
        self.politeness = politeness
        self.at_once = at_once
        self.asleep = 0  # fetches that wait for a host
        self.busy = Busy(self)
        self.stirred = asyncio.Event()
        self._names = names  # None: somebody else finds the addresses
        self._inside: Counter[str] = Counter()
        self._left: dict[str, None] = {}
        self._queues: dict[str, _Queue] = {}
        self._slots = asyncio.Semaphore(at_once)
        self._waking: deque[asyncio.Future[None]] = deque()
        self._reserved = 0  # for those that wake up

    @property
    def inside(self) -> int:
        return self._inside.total()

    @property
    def room(self) -> int:
        """How many may begin; those that wake up come first."""
        return self._free - self._reserved

    @property
    def _free(self) -> int:
        return self.at_once - self.inside + self.asleep

    def enter(self, host: str) -> None:
        self._inside[host] += 1

    def leave(self, host: str) -> None:
        self._inside[host] -= 1
        if not self._inside[host]:
            del self._inside[host]
        self._left[host] = None
        self._wake_next()

    def full(self, host: str) -> bool:
        """Whether as many fetches are inside as the host may have connections."""
        return self._inside[host] >= self.politeness.pace.connections_per_host

    def freed(self) -> list[str]:
        left, self._left = self._left, {}
        return [*left, *self.politeness.freed()]

    async def sleep(self, seconds: float) -> None:
        """Wait; if it takes longer than a nap, let another fetch begin meanwhile."""
        if seconds <= _NAP:
            await asyncio.sleep(seconds)
            return
        with self._asleep():
            await asyncio.sleep(seconds)
            await self._place()

    @contextmanager
    def _asleep(self) -> Iterator[None]:
        self.asleep += 1
        self.stirred.set()
        self._wake_next()
        try:
            yield
        finally:
            self.asleep -= 1

    async def _place(self) -> None:
        """Wait until one that wakes up makes no more than `at_once`."""
        self._reserved += 1
        try:
            while self._free <= 0:
                self._waking.append(asyncio.get_running_loop().create_future())
                await self._waking[-1]
        finally:
            self._reserved -= 1

    def _wake_next(self) -> None:
        while self._waking:
            waking = self._waking.popleft()
            if not waking.done():  # not cancelled
                waking.set_result(None)
                return

    @asynccontextmanager
    async def turn(self, host: str, name: str) -> AsyncIterator[None]:
        """The turn of a host (with port), once it has come; `name` is what DNS knows of it.

        Raises `GivenUp`. Inside, `politeness` must be told how the request ended.
        """
        async with self._queue(host):
            await self._rested(host)
            self.politeness.began(host)
            try:
                await self._met(host, name)
                await self._slots.acquire()
            except BaseException:
                self.politeness.let_go(host)
                raise
            try:
                yield
            finally:
                self._slots.release()

    @asynccontextmanager
    async def _queue(self, host: str) -> AsyncIterator[None]:
        made: _Queue = (asyncio.Semaphore(self.politeness.pace.connections_per_host), [])
        semaphore, users = self._queues.setdefault(host, made)
        users.append(None)
        try:
            if semaphore.locked():
                with self._asleep():
                    await semaphore.acquire()
            else:
                await semaphore.acquire()
            try:
                yield
            finally:
                semaphore.release()
        finally:
            users.pop()
            if not users:
                self._queues.pop(host, None)

    async def _rested(self, host: str) -> None:
        while True:
            if reason := self.politeness.given_up(host):
                raise GivenUp(reason)
            if not (wait := self.politeness.wait(host)):
                return
            await self.sleep(wait)

    async def _met(self, host: str, name: str) -> None:
        """Hosts at one address take turns; the address is known when the name is resolved."""
        if self._names is None or not self.politeness.pace.address_delay:
            return
        answer = self._names.known(name) or await self._names.look_up(name, 10.0)
        if not answer.addresses:
            return
        address = answer.addresses[0]
        # New hosts take a turn at once, but not so many that the known ones never have theirs.
        while (queue := self.politeness.queue(host, address)) > _NAP:
            await self.sleep(queue)
        if wait := self.politeness.met(host, address):
            await self.sleep(wait)


class Busy:
    """The hosts of which no link should be chosen now; `freed` are those that left since."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns

    def __contains__(self, host: object) -> bool:
        turns = self._turns
        return isinstance(host, str) and (turns.full(host) or not turns.politeness.ready(host))

    def freed(self) -> list[str]:
        return self._turns.freed()
