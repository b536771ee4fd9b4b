"""The loop.

    seeds → Policy.start
      ┌→ Policy.next(busy hosts) → Link → Web.fetch → Response → parse → Page → Judge → Visit ─┐
      └──────────────────────────── Policy.learn(visit) ←──────────────────────────────────────┘

`crawl()` is an async iterator of visits. Stores, progress bars and metrics iterate over it;
there are no signals and no callbacks.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing

from wolfspider.pages import parse
from wolfspider.protocols import Judge, Policy, Web
from wolfspider.records import Link, Visit


async def crawl(
    web: Web,
    policy: Policy,
    judge: Judge,
    seeds: Sequence[Link] = (),
    *,
    pages: int | None = None,
    workers: int = 1,
) -> AsyncGenerator[Visit]:
    """Visit up to `pages` links, best first as the policy sees it, and learn from each.

    With one worker a crawl depends on nothing but its inputs. With more, up to `workers`
    fetches are in flight, at most one for each host, and visits come in the order of arrival.
    Failed fetches are visits too. Without `seeds` the policy goes on from where it is.
    Closing the iterator ends the fetches in flight before it returns.
    """
    if workers < 1:
        raise ValueError(f"workers is the number of fetches in flight, at least 1, not {workers}")
    if seeds:
        policy.start(seeds)
    if workers == 1:
        left = pages
        while (left is None or left > 0) and (link := policy.next()) is not None:
            visit = await _visit(web, judge, link)
            policy.learn(visit)
            yield visit
            left = None if left is None else left - 1
        return
    async with aclosing(_crawl_many(web, policy, judge, pages, workers)) as visits:
        async for visit in visits:
            yield visit


async def _crawl_many(
    web: Web, policy: Policy, judge: Judge, pages: int | None, workers: int
) -> AsyncGenerator[Visit]:
    flying: dict[asyncio.Task[Visit], str] = {}
    busy: set[str] = set()
    started = 0
    try:
        while True:
            while len(flying) < workers and (pages is None or started < pages):
                link = policy.next(busy)
                if link is None:
                    break
                flying[asyncio.ensure_future(_visit(web, judge, link))] = link.host
                busy.add(link.host)
                started += 1
            if not flying:
                return
            done, _ = await asyncio.wait(flying, return_when=asyncio.FIRST_COMPLETED)
            # In the order they started: asyncio.wait returns a set, and crawls must not
            # depend on hashing.
            for task in [task for task in flying if task in done]:
                host = flying.pop(task)
                busy.remove(host)
                visit = task.result()
                policy.learn(visit)
                yield visit
    finally:
        for task in flying:
            task.cancel()
        await asyncio.gather(*flying, return_exceptions=True)


async def _visit(web: Web, judge: Judge, link: Link) -> Visit:
    response = await web.fetch(link.url)
    page = parse(response)
    if response.error:
        return Visit(link, page, response=response)
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
