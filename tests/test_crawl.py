"""The loop: who is fetched when, and what is left when it ends."""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from collections.abc import Awaitable, Callable, Container, Sequence
from itertools import islice
from typing import Any, TypeVar

import pytest

from checks import JUDGE, HandMade, digest, linking
from wolfspider.crawl import crawl, replay
from wolfspider.pages import parse
from wolfspider.policies.breadth_first import BreadthFirst
from wolfspider.protocols import Web
from wolfspider.records import Link, Page, Response, Verdict, Visit
from wolfspider.urls import host, seed_link
from wolfspider.webs.recorded import RecordedWeb

T = TypeVar("T")


def patiently(work: Awaitable[T]) -> T:
    """Run to the end; a loop that waits for ever fails instead."""

    async def limited() -> T:
        return await asyncio.wait_for(work, 30)

    return asyncio.run(limited())


async def visits_of(web: Web, seeds: Sequence[Link], **settings: Any) -> list[Visit]:
    return [visit async for visit in crawl(web, BreadthFirst(), JUDGE, seeds, **settings)]


class Slow:
    """A web that takes its time: some answers come before others that were asked for earlier."""

    def __init__(self, web: Web) -> None:
        self._web = web
        self.flying: Counter[str] = Counter()
        self.most_at_once = 0
        self.most_per_host = 0
        self.asked: list[str] = []
        self.cancelled = 0

    async def fetch(self, url: str) -> Response:
        self.asked.append(url)
        self.flying[host(url)] += 1
        self.most_at_once = max(self.most_at_once, self.flying.total())
        self.most_per_host = max(self.most_per_host, *self.flying.values())
        try:
            for _ in range(len(url) % 5 + 1):
                await asyncio.sleep(0)
            return await self._web.fetch(url)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.flying[host(url)] -= 1


class Endless:
    """Every page links to eight hosts; a fetch never ends unless it is of the start."""

    def __init__(self) -> None:
        self.started: list[str] = []
        self.ended: list[str] = []

    async def fetch(self, url: str) -> Response:
        self.started.append(url)
        try:
            if not url.endswith("/start"):
                await asyncio.Event().wait()
            targets = tuple(f"http://host{n}.example/" for n in range(8))
            return Response(url, 200, page=linking(url, targets))
        finally:
            self.ended.append(url)


START = seed_link("http://host.example/start")


def test_one_worker_gives_the_same_crawl_every_time(
    recorded_web: RecordedWeb, seeds: list[Link]
) -> None:
    one = patiently(visits_of(recorded_web, seeds))
    other = patiently(visits_of(Slow(recorded_web), seeds))
    assert len(one) == len(recorded_web)
    assert digest(one) == digest(other)


def test_replay_is_crawl(recorded_web: RecordedWeb, seeds: list[Link]) -> None:
    crawled = patiently(visits_of(recorded_web, seeds, pages=100))
    replayed = list(replay(recorded_web, BreadthFirst(), JUDGE, seeds, pages=100))
    assert digest(replayed) == digest(crawled)
    assert [v.verdict for v in replayed] == [v.verdict for v in crawled]
    assert [v.page.raw_text for v in replayed] == [v.page.raw_text for v in crawled]


def test_many_workers_visit_the_same_pages(recorded_web: RecordedWeb, seeds: list[Link]) -> None:
    web = Slow(recorded_web)
    visits = patiently(visits_of(web, seeds, workers=8))
    expected = {visit.link.url for visit in replay(recorded_web, BreadthFirst(), JUDGE, seeds)}
    assert len(visits) == len(expected)
    assert {visit.link.url for visit in visits} == expected


def test_many_workers_fetch_at_once_but_one_at_a_time_from_a_host(
    recorded_web: RecordedWeb, seeds: list[Link]
) -> None:
    web = Slow(recorded_web)
    patiently(visits_of(web, seeds, workers=8))
    assert web.most_per_host == 1
    assert 4 <= web.most_at_once <= 8


def test_many_workers_give_the_same_crawl_when_answers_come_in_the_same_order(
    recorded_web: RecordedWeb, seeds: list[Link]
) -> None:
    one, other = (patiently(visits_of(Slow(recorded_web), seeds, workers=8)) for _ in range(2))
    assert digest(one) == digest(other)


@pytest.mark.parametrize("workers", [1, 8])
@pytest.mark.parametrize("pages", [0, 1, 17, 100])
def test_the_budget_is_spent_exactly(
    pages: int, workers: int, recorded_web: RecordedWeb, seeds: list[Link]
) -> None:
    web = Slow(recorded_web)
    visits = patiently(visits_of(web, seeds, pages=pages, workers=workers))
    assert len(visits) == len(web.asked) == pages


@pytest.mark.parametrize("workers", [1, 3])
def test_a_crawl_ends_when_nothing_is_left(workers: int) -> None:
    web = HandMade(
        {
            "http://a.example/": '<a href="/1">1</a> <a href="http://b.example/">b</a>',
            "http://b.example/": '<a href="http://a.example/">a</a>',
        }
    )
    visits = patiently(visits_of(web, [seed_link("http://a.example/")], pages=100, workers=workers))
    assert sorted(visit.link.url for visit in visits) == [
        "http://a.example/",
        "http://a.example/1",
        "http://b.example/",
    ]


@pytest.mark.parametrize("workers", [1, 3])
def test_a_failed_fetch_is_a_visit_that_nobody_judges(workers: int) -> None:
    judged: list[str] = []

    class Remembers:
        def judge(self, page: Page) -> Verdict:
            judged.append(page.url)
            return Verdict(1.0, True)

    async def run() -> list[Visit]:
        web = HandMade({"http://a.example/": '<a href="/gone">x</a>'})
        seeds = [seed_link("http://a.example/")]
        found = crawl(web, BreadthFirst(), Remembers(), seeds, workers=workers)
        return [visit async for visit in found]

    good, bad = patiently(run())
    assert (good.failed, good.verdict) == (False, Verdict(1.0, True))
    assert (bad.failed, bad.verdict) == (True, Verdict(0.0, False))
    assert bad.link.url == bad.page.url == "http://a.example/gone"
    assert bad.response.error == "not found"
    assert judged == ["http://a.example/"]


@pytest.mark.parametrize("workers", [1, 3])
def test_a_response_without_a_page_is_parsed(workers: int) -> None:
    class Raw:
        async def fetch(self, url: str) -> Response:
            return Response(url, 200, (("Content-Type", "text/html"),), b"<p>Wolf spiders hunt")

    [visit] = patiently(visits_of(Raw(), [START], workers=workers))
    assert visit.page.text == "Wolf spiders hunt"
    assert visit.page.raw_text == parse(visit.response).raw_text


@pytest.mark.parametrize("workers", [1, 8])
def test_without_seeds_the_policy_goes_on(
    workers: int, recorded_web: RecordedWeb, seeds: list[Link]
) -> None:
    async def run() -> tuple[list[Visit], list[Visit]]:
        policy = BreadthFirst()
        first = crawl(recorded_web, policy, JUDGE, seeds, pages=50, workers=workers)
        one = [visit async for visit in first]
        return one, [v async for v in crawl(recorded_web, policy, JUDGE, workers=workers)]

    one, other = patiently(run())
    assert len(one) == 50
    assert len({visit.link.url for visit in [*one, *other]}) == len(recorded_web)
    assert len(one) + len(other) == len(recorded_web)


def test_cancelling_ends_the_fetches_in_flight() -> None:
    async def run(web: Endless) -> None:
        before = asyncio.all_tasks()
        visits = crawl(web, BreadthFirst(), JUDGE, [START], workers=8)
        await anext(visits)
        waiting = asyncio.ensure_future(anext(visits))
        while len(web.started) < 9:
            await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert asyncio.all_tasks() == before
        assert sorted(web.ended) == sorted(web.started)

    patiently(run(Endless()))
    gc.collect()  # a task destroyed while pending would complain now


def test_closing_ends_the_fetches_in_flight(recorded_web: RecordedWeb, seeds: list[Link]) -> None:
    """At once: when `aclose` has returned, no task is left that could still touch the web."""

    async def run(web: Slow) -> None:
        before = asyncio.all_tasks()
        visits = crawl(web, BreadthFirst(), JUDGE, seeds, workers=8)
        count = 0
        async for _ in visits:
            count += 1
            if count == 40 and web.flying.total() > 1:
                break
        assert web.flying.total() > 0
        await visits.aclose()
        assert asyncio.all_tasks() == before
        assert web.flying.total() == 0
        assert web.cancelled > 0

    patiently(run(Slow(recorded_web)))


def test_an_error_of_the_web_ends_the_crawl_and_what_is_in_flight() -> None:
    """Programming mistakes raise; they do not leave tasks behind."""

    class Broken(Endless):
        async def fetch(self, url: str) -> Response:
            if "host3" in url or "host4" in url:
                raise ZeroDivisionError("a mistake")
            return await super().fetch(url)

    async def run() -> None:
        before = asyncio.all_tasks()
        with pytest.raises(ZeroDivisionError):
            await visits_of(Broken(), [START], workers=8)
        assert asyncio.all_tasks() == before

    patiently(run())
    gc.collect()


def test_a_policy_is_told_which_hosts_are_busy() -> None:
    told: list[set[str]] = []
    hosts = {f"host{n}.example" for n in range(8)}

    class Listening(BreadthFirst):
        def next(self, busy: Container[str] = ()) -> Link | None:
            told.append({name for name in hosts if name in busy})
            return super().next(busy)

    async def run() -> None:
        visits = crawl(Slow(Quick()), Listening(), JUDGE, [START], workers=3)
        async for _ in visits:
            pass

    class Quick:
        async def fetch(self, url: str) -> Response:
            targets = tuple(f"http://{name}/" for name in sorted(hosts))
            return Response(url, 200, page=linking(url, targets))

    patiently(run())
    assert max(map(len, told)) == 2
    assert told[-1] == set()


def test_no_workers_are_refused() -> None:
    with pytest.raises(ValueError, match="workers is the number of fetches in flight"):
        patiently(visits_of(HandMade({}), [START], workers=0))


def test_replay_refuses_a_web_that_waits() -> None:
    class Waits:
        async def fetch(self, url: str) -> Response:
            future: asyncio.Future[Response] = asyncio.Future(loop=loop)
            return await future

    loop = asyncio.new_event_loop()
    try:
        with pytest.raises(RuntimeError, match=r"iterate over crawl\(\) instead"):
            list(replay(Waits(), BreadthFirst(), JUDGE, [START]))
    finally:
        loop.close()
    gc.collect()


def test_a_replay_can_be_left_early(recorded_web: RecordedWeb, seeds: list[Link]) -> None:
    policy = BreadthFirst()
    first = list(islice(replay(recorded_web, policy, JUDGE, seeds), 10))
    gc.collect()
    rest = list(replay(recorded_web, policy, JUDGE))
    assert digest([*first, *rest]) == digest(
        list(replay(recorded_web, BreadthFirst(), JUDGE, seeds))
    )


def test_replay_works_inside_a_running_loop(recorded_web: RecordedWeb, seeds: list[Link]) -> None:
    async def run(count: Callable[[], int]) -> int:
        return count()

    def count() -> int:
        return len(list(replay(recorded_web, BreadthFirst(), JUDGE, seeds, pages=20)))

    assert patiently(run(count)) == 20


def test_what_is_relevant_says_the_judge_also_of_pages_that_ask_not_to_be_indexed() -> None:
    """In the lab the targets of a task are the truth; hunts obey, see `CorrectedJudge`."""
    web = HandMade({"http://a.test/": "<meta name=robots content=noindex><p>Wolf"})

    class Yes:
        def judge(self, page: Page) -> Verdict:
            return Verdict(1.0, True)

    [visit] = replay(web, BreadthFirst(), Yes(), [seed_link("http://a.test/")])
    assert visit.verdict.relevant
    assert visit.page.flags
