"""The loop.

    seeds → Policy.start
      ┌→ Policy.next(busy hosts) → Link → Web.fetch → Response → parse → Page → Judge → Visit ─┐
      └──────────────────────────── Policy.learn(visit) ←──────────────────────────────────────┘

`crawl()` is an async iterator of visits. Stores, progress bars and metrics iterate over it;
there are no signals and no callbacks.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Sequence
from contextlib import aclosing, suppress
from typing import Any

from wolfspider.pages import parse
from wolfspider.protocols import Judge, PacedWeb, Policy, Web
from wolfspider.records import NOTHING, Link, Response, Visit
from wolfspider.urls import host


async def crawl(
    web: Web,
    policy: Policy,
    judge: Judge,
    seeds: Sequence[Link] = (),
    *,
    pages: int | None = None,
    workers: int = 1,
    ended: Callable[[], bool] = lambda: False,
) -> AsyncGenerator[Visit]:
    """Visit up to `pages` links, best first as the policy sees it, and learn from each.

    With one worker a crawl depends on nothing but its inputs. With more, up to `workers`
    fetches are in flight, at most one for each host, and visits come in the order of arrival.
    A paced web says itself how many may be in flight. Failed fetches are visits too; those
    that were refused do not count as pages. Without `seeds` the policy goes on from where it is.
    `ended` is asked before a fetch begins; who makes it true while a paced web waits stirs it.
    Closing the iterator ends the fetches in flight before it returns.
    """
    if workers < 1:
        raise ValueError(f"workers is the number of fetches in flight, at least 1, not {workers}")
    if seeds:
        policy.start(seeds)
    if isinstance(web, PacedWeb) or workers > 1:
        paced = web if isinstance(web, PacedWeb) else _OneEach(web, workers)
        async with aclosing(_crawl_many(paced, policy, judge, pages, ended)) as visits:
            async for visit in visits:
                yield visit
        return
    left = pages
    while (left is None or left > 0) and not ended() and (link := policy.next()) is not None:
        visit = _visit(link, await web.fetch(link.url), judge)
        policy.learn(visit)
        yield visit
        left = None if left is None else left - 1


async def _crawl_many(
    web: PacedWeb, policy: Policy, judge: Judge, pages: int | None, ended: Callable[[], bool]
) -> AsyncGenerator[Visit]:
    flights = _Flights(web)
    done = 0
    try:
        while not ended() and (pages is None or done < pages):
            rest = web.next_ready()  # first: who has rested by the time of `next` is not slept over
            while web.room > flights.landed and (pages is None or done + flights.awake < pages):
                link = policy.next(web.busy)
                if link is None:
                    break
                flights.begin(link)
            if not len(flights) and (not len(policy) or rest is None):
                return  # nothing waits, or only links of hosts that will not be asked again
            can_begin = len(policy) and web.room > flights.landed
            for link, response in await flights.arrivals(rest if can_begin else None):
                visit = _visit(link, response, judge)
                policy.learn(visit)
                done += not response.refused
                yield visit
                if done == pages:
                    return
    finally:
        await flights.cancel()


class _Flights:
    """Fetches that have begun and not ended."""

    def __init__(self, web: PacedWeb) -> None:
        self._web = web
        self._links: dict[asyncio.Future[Response], Link] = {}
        self._arrived: deque[asyncio.Future[Response]] = deque()

    def __len__(self) -> int:
        return len(self._links)

    @property
    def landed(self) -> int:
        """Fetches that have ended and whose visits are still to come."""
        return len(self._arrived)

    @property
    def awake(self) -> int:
        return len(self._links) - self._web.asleep

    def begin(self, link: Link) -> None:
        flight = asyncio.ensure_future(self._web.fetch(link.url))
        self._links[flight] = link
        flight.add_done_callback(self._on_done)

    def _on_done(self, flight: asyncio.Future[Response]) -> None:
        self._arrived.append(flight)
        self._web.stirred.set()

    async def arrivals(self, patience: float | None) -> list[tuple[Link, Response]]:
        """What has arrived, in order, after waiting for it if need be."""
        if not self._arrived:
            with suppress(TimeoutError):
                async with asyncio.timeout(patience):
                    await self._web.stirred.wait()
        self._web.stirred.clear()
        found = []
        while self._arrived:
            flight = self._arrived.popleft()
            found.append((self._links.pop(flight), flight.result()))
        return found

    async def cancel(self) -> None:
        for flight in self._links:
            flight.cancel()
        await asyncio.gather(*self._links, return_exceptions=True)


class _OneEach:
    """Any web as a paced one: so many fetches at once, at most one for each host."""

    def __init__(self, web: Web, workers: int) -> None:
        self._web = web
        self._workers = workers
        self.busy: set[str] = set()
        self.asleep = 0
        self.stirred = asyncio.Event()

    @property
    def room(self) -> int:
        return self._workers - len(self.busy)

    def next_ready(self) -> None:
        return None

    def fetch(self, url: str) -> Coroutine[Any, Any, Response]:
        self.busy.add(host(url))
        return self._fetch(url)

    async def _fetch(self, url: str) -> Response:
        try:
            return await self._web.fetch(url)
        finally:
            self.busy.remove(host(url))


def _visit(link: Link, response: Response, judge: Judge) -> Visit:
    """A page that came before is never a find."""
    page = parse(response)
    if response.error or response.copied:
        return Visit(link, page, NOTHING, response)
    return Visit(link, page, judge.judge(page), response)


def replay(
    web: Web,
    policy: Policy,
    judge: Judge,
    seeds: Sequence[Link] = (),
    *,
    pages: int | None = None,
) -> Iterator[Visit]:
    """`crawl` without a running event loop, for webs that answer at once.

    The same loop, stepped by hand: a recorded web never waits, so neither do we.
    """
    visits = crawl(web, policy, judge, seeds, pages=pages)
    while True:
        step = visits.__anext__()
        try:
            step.send(None)
        except StopIteration as result:
            yield result.value
        except StopAsyncIteration:
            return
        else:
            raise RuntimeError("this web waits for something; iterate over crawl() instead")
