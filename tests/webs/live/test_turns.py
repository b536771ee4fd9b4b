"""Whose turn it is: the best link of a host that may be asked, at any moment."""

from __future__ import annotations

import asyncio
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import ByAddress
from wolfspider.crawl import crawl
from wolfspider.frontier import Frontier
from wolfspider.policies.breadth_first import BreadthFirst
from wolfspider.records import Links, Page, Response
from wolfspider.urls import seed_link
from wolfspider.webs.live.names import Answer
from wolfspider.webs.live.pace import Pace
from wolfspider.webs.live.politeness import Politeness
from wolfspider.webs.live.turns import GivenUp, Turns

HOSTS = [f"h{number}.test" for number in range(6)]


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["pop", "pop", "pass", "end", "fail", "leave", "push", "robots"]),
            st.integers(0, 5),
        ),
        min_size=20,
        max_size=120,
    ),
    st.sampled_from([0.0, 1.0]),
    st.sampled_from([0.0, 0.25]),
    st.integers(1, 2),
)
def test_parked_hosts_come_back_when_they_are_free(
    steps: list[tuple[str, int]], delay: float, shared: float, connections: int
) -> None:
    """A frontier that is only told who was freed chooses as one that looks at every host."""
    clock, chance = Clock(), Random(1)
    pace = Pace(delay, shared, connections, give_up_after=2, try_again_after=7.0, jitter=0.0)
    turns = Turns(Politeness(pace, clock=clock, wall=clock), None, 8)
    told, looking = Frontier(), Frontier()
    flying: list[str] = []
    landed: list[str] = []
    pushed = 0
    for number, host in enumerate(HOSTS):
        turns.politeness.met(host, f"10.0.0.{number // 3}")

    def push() -> None:
        nonlocal pushed
        links = Links.of([seed_link(f"http://{chance.choice(HOSTS)}/{pushed}")])
        score = chance.random()
        pushed += 1
        for frontier in (told, looking):
            frontier.push(links, score)

    def pop() -> None:
        everyone = [host for host in HOSTS if host in turns.busy]
        expected = looking.pop(set(everyone))
        link = told.pop(turns.busy)
        assert link == expected
        if link is not None:
            turns.enter(link.host)
            turns.politeness.began(link.host)
            flying.append(link.host)

    def end(status: int) -> None:
        if flying:
            host = flying.pop(0)
            turns.politeness.ended(host, status)
            landed.append(host)

    def leave() -> None:
        if landed:
            turns.leave(landed.pop(0))

    for _ in range(12):
        push()
    for step, value in steps:
        if step == "pop":
            pop()
        elif step == "pass":
            clock.now += value / 3
            if value == 5:
                turns.politeness.next_ready()
        elif step == "push":
            push()
        elif step == "leave":
            leave()
        elif step == "robots":
            turns.politeness.slow_down(HOSTS[value], value)
        else:
            end(200 if step == "end" else 503)
    while flying or landed:
        end(200)
        leave()
    for _ in range(len(told) * 8):
        clock.now += 8.0
        pop()
        end(200)
        leave()
    assert len(told) == len(looking) == 0


def test_thousands_of_resting_hosts_cost_a_pop_nothing() -> None:
    asked = 0

    class Busy:
        def __contains__(self, host: object) -> bool:
            nonlocal asked
            asked += 1
            return host != "free.test"

        def freed(self) -> list[str]:
            return []

    frontier, busy = Frontier(), Busy()
    links = [seed_link(f"http://h{number}.test/") for number in range(2000)]
    frontier.push(Links.of(links), 1.0)
    frontier.push(Links.of([seed_link(f"http://free.test/{number}") for number in range(50)]), 0.5)
    first = frontier.pop(busy)
    assert first is not None
    assert asked == 2001
    asked = 0
    for _ in range(49):
        assert frontier.pop(busy) is not None
    assert asked == 49


def run_turns(pace: Pace, hosts: list[str], at_once: int) -> tuple[int, int, int]:
    """All these requests at once; gives the most under way, of one host, and those asleep."""
    most = most_of_one = most_asleep = 0

    async def ask(turns: Turns, host: str, under_way: list[str]) -> None:
        nonlocal most, most_of_one, most_asleep
        turns.enter(host)
        async with turns.turn(host, host):
            under_way.append(host)
            most = max(most, len(under_way))
            most_of_one = max(most_of_one, under_way.count(host))
            most_asleep = max(most_asleep, turns.asleep)
            await asyncio.sleep(0.01)
            under_way.remove(host)
            turns.politeness.ended(host, 200)
        turns.leave(host)

    async def run() -> None:
        turns = Turns(Politeness(pace), None, at_once)
        under_way: list[str] = []
        await asyncio.wait_for(
            asyncio.gather(*(ask(turns, host, under_way) for host in hosts)), timeout=30
        )
        assert (turns.inside, turns.asleep, turns.room) == (0, 0, at_once)

    asyncio.run(run())
    return most, most_of_one, most_asleep


@pytest.mark.parametrize("connections", [1, 3])
def test_a_host_has_no_more_connections_than_it_may(connections: int) -> None:
    pace = Pace(delay=0.0, address_delay=0.0, connections_per_host=connections)
    most, of_one, asleep = run_turns(pace, ["a.test"] * 12 + ["b.test"] * 12, 16)
    assert of_one == connections
    assert most == 2 * connections
    assert asleep >= 20 - 2 * connections


def test_all_together_are_never_more_than_at_once() -> None:
    pace = Pace(delay=0.0, address_delay=0.0)
    most, _, _ = run_turns(pace, [f"h{number}.test" for number in range(40)], 5)
    assert most == 5


def test_who_waits_for_a_host_that_is_given_up_does_not_wait_for_ever() -> None:
    async def run() -> None:
        turns = Turns(Politeness(Pace(delay=0.0, give_up_after=1)), None, 4)
        turns.politeness.began("a.test")
        turns.politeness.ended("a.test", 503)
        with pytest.raises(GivenUp, match="1 failures in a row"):
            async with turns.turn("a.test", "a.test"):
                pass

    asyncio.run(asyncio.wait_for(run(), 10))


def test_one_who_is_cancelled_while_waiting_leaves_the_way_free() -> None:
    async def run() -> None:
        turns = Turns(Politeness(Pace(delay=0.0, address_delay=0.0)), None, 1)

        async def ask(host: str) -> None:
            async with turns.turn(host, host):
                try:
                    await asyncio.sleep(0.02)
                finally:
                    turns.politeness.let_go(host)

        tasks = [asyncio.ensure_future(ask(host)) for host in ("a", "a", "b", "b", "a")]
        await asyncio.sleep(0.01)
        tasks[1].cancel()
        tasks[2].cancel()
        done = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 10)
        assert [type(each) for each in done] == [
            type(None),
            asyncio.CancelledError,
            asyncio.CancelledError,
            type(None),
            type(None),
        ]
        assert turns.asleep == 0
        assert not turns._queues

    asyncio.run(run())


class _Paced:
    """A web that answers at once, whose clock goes on whenever somebody looks at it."""

    def __init__(self, delay: float) -> None:
        self._now = 0.0
        pace = Pace(delay, 0.0)
        self.politeness = Politeness(pace, clock=self._clock, wall=self._clock)
        self._turns = Turns(self.politeness, None, 4)

    def _clock(self) -> float:
        self._now += 0.0004
        return self._now

    busy = property(lambda self: self._turns.busy)
    stirred = property(lambda self: self._turns.stirred)
    room = property(lambda self: self._turns.room)
    asleep = property(lambda self: self._turns.asleep)

    def next_ready(self) -> float | None:
        rest = self.politeness.next_ready()
        return None if rest is None else 0.0  # the clock is ours

    async def fetch(self, url: str) -> Response:
        self._turns.enter("a.test")
        self.politeness.began("a.test")
        self.politeness.ended("a.test", 200)
        self._turns.leave("a.test")
        return Response(url, 200, page=Page(url))


@pytest.mark.parametrize("delay", [0.0005, 0.001, 0.0015, 0.002, 0.003])
def test_a_rest_that_ends_between_two_looks_at_the_clock_is_not_slept_over(delay: float) -> None:
    async def run() -> int:
        seeds = [seed_link(f"http://a.test/{number}") for number in range(200)]
        visits = crawl(_Paced(delay), BreadthFirst(), ByAddress(), seeds)
        return len([visit async for visit in visits])

    assert asyncio.run(asyncio.wait_for(run(), 20)) == 200


class _OneAddress:
    """Names that all are at one address."""

    def known(self, name: str) -> Answer:
        return Answer(("93.184.216.34",))


def test_new_hosts_at_an_address_do_not_keep_a_known_one_waiting_for_long() -> None:
    async def run() -> float:
        pace = Pace(delay=0.0, address_delay=1.0)
        turns = Turns(Politeness(pace), _OneAddress(), 500)  # type: ignore[arg-type]

        async def ask(host: str) -> None:
            turns.enter(host)
            async with turns.turn(host, host):
                turns.politeness.ended(host, 200)
            turns.leave(host)

        await ask("known.test")
        new = [asyncio.ensure_future(ask(f"h{number}.test")) for number in range(300)]
        await asyncio.sleep(0.1)
        wait = turns.politeness.wait("known.test")
        for task in new:
            task.cancel()
        await asyncio.gather(*new, return_exceptions=True)
        return wait

    assert 0 < asyncio.run(run()) <= 6  # and not 300
