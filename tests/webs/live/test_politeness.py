"""Whom we may ask now, and when again: with clocks that the test turns."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from email.utils import formatdate
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.errors import BadInput
from wolfspider.frontier import Frontier
from wolfspider.records import Links
from wolfspider.urls import seed_link
from wolfspider.webs.live import politeness as module
from wolfspider.webs.live.pace import Pace
from wolfspider.webs.live.politeness import Politeness, network_of
from wolfspider.webs.live.retry_after import LONGEST, retry_after

DAY = 86400.0
STEADY = Pace(jitter=0.0)


class _Busy:
    """The hosts that may not be asked now, as a container."""

    def __init__(self, politeness: Politeness) -> None:
        self._politeness = politeness

    def __contains__(self, host: object) -> bool:
        return isinstance(host, str) and not self._politeness.ready(host)


class Crawl(Politeness):
    """Politeness with two clocks to turn, and requests in one word."""

    def __init__(self, pace: Pace = STEADY, seed: int = 0) -> None:
        self.now, self.wall_now = 100.0, 1_800_000_000.0
        super().__init__(pace, seed=seed, clock=lambda: self.now, wall=lambda: self.wall_now)
        self.busy = _Busy(self)

    def pass_(self, seconds: float) -> None:
        self.now += seconds
        self.wall_now += seconds

    def ask(self, host: str, status: int = 200, *, error: str = "", retry_after: str = "") -> float:
        """A request that takes no time; returns how long the host rests then."""
        self.began(host)
        self.ended(host, status, error=error, retry_after=retry_after)
        return self.wait(host)


def test_unknown_host_is_ready() -> None:
    crawl = Crawl()
    assert crawl.ready("a")
    assert "a" not in crawl.busy
    assert crawl.next_ready() is None


def test_host_is_busy_while_asked_and_rests_after_the_answer() -> None:
    crawl = Crawl()
    crawl.began("a")
    crawl.pass_(30)
    assert "a" in crawl.busy
    assert crawl.next_ready() is None  # it comes back with its answer
    crawl.ended("a", 200)
    assert "a" in crawl.busy
    assert crawl.next_ready() == 1.0
    crawl.pass_(1.0)
    assert "a" not in crawl.busy
    assert crawl.next_ready() is None


def test_no_more_than_n_connections_to_a_host() -> None:
    crawl = Crawl(Pace(delay=0.0, connections_per_host=2))
    crawl.began("a")
    assert crawl.ready("a")
    crawl.began("a")
    assert not crawl.ready("a")
    crawl.ended("a", 200)
    assert crawl.ready("a")


def test_connections_to_one_host_begin_a_delay_apart() -> None:
    crawl = Crawl(Pace(delay=2.0, connections_per_host=2))
    crawl.began("a")
    assert (crawl.ready("a"), crawl.next_ready()) == (False, 2.0)
    crawl.pass_(2.0)
    assert crawl.ready("a")


def test_an_end_without_a_beginning_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="never began"):
        Crawl().ended("a", 200)


@pytest.mark.parametrize("status", [200, 204, 301, 304, 401, 403, 404, 410, 451])
def test_a_page_that_is_not_there_is_no_failure_of_the_host(status: int) -> None:
    assert Crawl().ask("a", status) == 1.0


def test_busy_hosts_are_left_out_by_the_frontier() -> None:
    crawl, frontier = Crawl(), Frontier()
    links = [seed_link(f"http://{host}.example/") for host in "ab"]
    frontier.push(Links.of(links), 1.0)
    crawl.began("a.example")
    first = frontier.pop(crawl.busy)
    assert first is not None
    assert first.host == "b.example"
    assert frontier.pop(crawl.busy) is None


# -- FAULTS 20: Crawl-delay


@given(st.floats())
def test_faults_20_the_longer_of_both_delays_counts_and_never_more_than_a_minute(
    asked: float,
) -> None:
    crawl = Crawl()
    crawl.slow_down("a", asked)
    rest = crawl.ask("a")
    assert rest == (1.0 if math.isnan(asked) else pytest.approx(min(max(asked, 1.0), 60.0)))


# -- FAULTS 22: Retry-After


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120.0),
        (" 7 ", 7.0),
        ("0", 0.0),
        ("1.5", 1.5),
        ("99999999999", LONGEST),
        ("9" * 5000, None),
        ("-5", None),
        ("", None),
        ("soon", None),
        ("١٢", None),
        ("1e3", None),
        (formatdate(1_800_000_090, usegmt=True), 90.0),
        (formatdate(1_700_000_000, usegmt=True), 0.0),
        (formatdate(4_000_000_000, usegmt=True), LONGEST),
        ("Friday, 15-Jan-27 08:01:30 GMT", 90.0),
        ("Fri Jan 15 08:01:30 2027", 90.0),
        ("Fri, 99 Foo 2027 08:01:30 GMT", None),
        ("Mon, 01 Jan 0000 00:00:00 GMT", 0.0),
    ],
)
def test_faults_22_retry_after_is_read(header: str, seconds: float | None) -> None:
    assert retry_after(header, 1_800_000_000.0) == seconds


@given(st.text() | st.integers().map(str) | st.floats().map(str), st.floats(0, 1e11))
def test_faults_22_retry_after_is_bounded_whatever_is_sent(header: str, now: float) -> None:
    seconds = retry_after(header, now)
    assert seconds is None or 0 <= seconds <= LONGEST


@given(st.datetimes())
def test_faults_22_any_date_can_be_sent(moment: object) -> None:
    seconds = retry_after(f"{moment:%a, %d %b %Y %H:%M:%S} GMT", 0.0)
    assert seconds is None or 0 <= seconds <= LONGEST


@pytest.mark.parametrize("status", [429, 503])
def test_faults_22_the_host_is_left_alone_as_long_as_it_asks(status: int) -> None:
    crawl = Crawl()
    assert crawl.ask("a", status, retry_after="120") == 120.0
    assert crawl.next_ready() == 120.0
    assert crawl.ready("b")


def test_faults_22_an_endless_retry_after_is_capped() -> None:
    assert Crawl().ask("a", 429, retry_after="999999999") == LONGEST


def test_faults_22_retry_after_zero_for_ever_still_backs_off() -> None:
    crawl = Crawl()
    rests = [crawl.ask("a", 429, retry_after="0") for _ in range(4)]
    assert rests == [1.0, 5.0, 10.0, 20.0]


def test_faults_22_jitter_only_adds_and_depends_on_the_seed() -> None:
    rests = {seed: Crawl(Pace(), seed).ask("a", 429, retry_after="100") for seed in range(20)}
    assert all(100 <= rest <= 110 for rest in rests.values())
    assert len(set(rests.values())) == 20
    assert Crawl(Pace(), 3).ask("a", 429, retry_after="100") == rests[3]


# -- FAULTS 23: 429 without header, 5xx, errors

FAILURES: list[Callable[[Crawl], float]] = [
    lambda crawl: crawl.ask("a", 429),
    lambda crawl: crawl.ask("a", 429, retry_after="whenever"),
    lambda crawl: crawl.ask("a", 500),
    lambda crawl: crawl.ask("a", 503),
    lambda crawl: crawl.ask("a", 0, error="timeout"),
    lambda crawl: crawl.ask("a", 200, error="connection reset"),
    lambda crawl: crawl.ask("a", 0),
]


@pytest.mark.parametrize("fail", FAILURES)
def test_faults_23_rests_double_up_to_a_cap(fail: Callable[[Crawl], float]) -> None:
    crawl = Crawl(Pace(jitter=0.0, longest_backoff=30.0, give_up_after=8))
    rests = []
    for _ in range(5):
        rests.append(fail(crawl))
        crawl.pass_(rests[-1])
        assert crawl.ready("a")
    assert rests == [5.0, 10.0, 20.0, 30.0, 30.0]


def test_faults_23_success_forgives() -> None:
    crawl = Crawl()
    crawl.pass_(crawl.ask("a", 429))
    crawl.pass_(crawl.ask("a", 429))
    assert crawl.ask("a", 200) == 1.0
    crawl.pass_(1.0)
    assert crawl.ask("a", 429) == 5.0


def test_an_answer_in_flight_does_not_shorten_a_rest() -> None:
    crawl = Crawl(Pace(delay=0.0, connections_per_host=2, jitter=0.0))
    crawl.began("a")
    crawl.began("a")
    crawl.ended("a", 429, retry_after="60")
    crawl.ended("a", 200)
    assert crawl.wait("a") == 60.0


def test_host_is_given_up_after_n_failures_with_a_reason_and_tried_again_after_a_day() -> None:
    crawl = Crawl(Pace(give_up_after=3, jitter=0.0))
    for _ in range(2):
        crawl.pass_(crawl.ask("a", error="connection refused"))
        assert not crawl.given_up("a")
    crawl.ask("a", error="connection refused")
    assert crawl.given_up("a") == "3 failures in a row, the last: connection refused"
    assert crawl.left_alone() == {"a": crawl.given_up("a")}
    assert "a" in crawl.busy
    assert crawl.next_ready() is None  # nobody waits a day
    crawl.pass_(DAY)
    assert crawl.ready("a")
    assert not crawl.given_up("a")
    assert not crawl.left_alone()
    crawl.ask("a", 500)
    assert crawl.given_up("a") == "4 failures in a row, the last: status 500"
    crawl.pass_(DAY)
    assert crawl.ask("a", 200) == 1.0
    assert not crawl.given_up("a")
    assert crawl.next_ready() == 1.0


@pytest.mark.parametrize(
    ("status", "error", "failures"),
    [(500, "", 1), (502, "", 1), (503, "", 3), (429, "", 3), (0, "timeout", 3)],
)
def test_a_broken_page_that_is_asked_for_again_is_one_failure_of_its_host(
    status: int, error: str, failures: int
) -> None:
    crawl = Crawl(Pace(jitter=0.0))
    for again in (False, True, True):
        crawl.began("a")
        crawl.ended("a", status, error=error, again=again)
        crawl.pass_(crawl.wait("a"))
    assert crawl.state()["hosts"]["a"]["failures"] == failures


# -- FAULTS 24: many hosts on one address


def test_faults_24_a_hundred_hosts_on_one_address_share_its_pace() -> None:
    crawl = Crawl(Pace(delay=1.0, address_delay=0.5))
    hosts = [f"h{i}" for i in range(100)]
    turns = []
    for host in hosts:  # all at once: nobody knew that they are neighbours
        crawl.began(host)
        turns.append(crawl.met(host, "192.0.2.1"))
    assert turns == [0.5 * i for i in range(100)]
    crawl.pass_(50.0)
    for host in hosts:
        crawl.ended(host, 200)
    times: list[float] = []
    while len(times) < 200:  # now they are known
        wait = crawl.next_ready()
        crawl.pass_(wait or 0.0)
        for host in hosts:
            if host not in crawl.busy:
                times.append(crawl.now)
                crawl.began(host)
                assert crawl.met(host, "192.0.2.1") == 0.0
                crawl.ended(host, 200)
    gaps = [b - a for a, b in pairwise(times)]
    assert min(gaps) >= 0.5 - 1e-9
    assert times[-1] - times[0] == pytest.approx(0.5 * 199)  # and no turn is lost


def test_faults_24_other_addresses_go_on() -> None:
    crawl = Crawl(Pace(delay=0.0, address_delay=10.0))
    crawl.began("a")
    crawl.met("a", "192.0.2.1")
    crawl.began("b")
    assert crawl.met("b", "192.0.2.2") == 0.0


def test_a_host_that_moved_takes_its_turn_at_the_new_address() -> None:
    crawl = Crawl(Pace(delay=0.0, address_delay=4.0))
    crawl.began("a")
    crawl.met("a", "192.0.2.1")
    crawl.began("b")
    crawl.met("b", "192.0.2.2")
    crawl.ended("b", 200)
    crawl.pass_(1.0)
    crawl.began("b")
    assert crawl.met("b", "192.0.2.1") == 3.0


def test_one_machine_has_one_ipv4_address_or_one_ipv6_network() -> None:
    assert network_of("192.0.2.1") == network_of("::ffff:192.0.2.1") != network_of("192.0.2.2")
    assert network_of("2001:db8::1") == network_of("2001:db8:0:0:ffff::2%eth0")
    assert network_of("2001:db8::1") != network_of("2001:db8:0:1::1")
    assert network_of("nonsense") == "nonsense"


# -- the next one


def test_next_ready_names_the_earliest_of_100_000_hosts_without_looking_at_all() -> None:
    crawl = Crawl(Pace(delay=1.0, address_delay=0.001))
    looked = 0
    counts = crawl._counts

    def counting(who: module._Resting) -> bool:
        nonlocal looked
        looked += 1
        return counts(who)

    crawl._counts = counting  # type: ignore[method-assign]
    for i in range(100_000):
        crawl.began(f"h{i}")
        crawl.met(f"h{i}", f"10.{i % 7}.0.1")
        crawl.ended(f"h{i}", 503, retry_after=str(10 + i % 3000))
    for _ in range(1000):
        wait = crawl.next_ready()
        assert wait is not None
        assert wait > 0
        crawl.pass_(wait)
    assert looked < 2_000
    assert len(crawl._queue) <= 100_007


actions = st.lists(
    st.tuples(
        st.sampled_from("abcd"),
        st.sampled_from(["ok", "429", "500", "retry", "slow", "begin"]),
        st.floats(0, 20),
    ),
    max_size=40,
)


@given(actions, st.integers(1, 2), st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 0.7]))
def test_whoever_sleeps_until_next_ready_misses_nobody(
    steps: list[tuple[str, str, float]], connections: int, delay: float, shared: float
) -> None:
    pace = Pace(delay, shared, connections, give_up_after=3, jitter=0.0)
    crawl = Crawl(pace)
    for host, what, pause in steps:
        if host not in crawl.busy:
            crawl.began(host)
            crawl.met(host, "192.0.2.1" if host in "ab" else f"192.0.2.{ord(host)}")
        elif not crawl._host(host).flying:
            continue
        if what == "slow":
            crawl.slow_down(host, pause)
        if what != "begin":
            status = {"429": 429, "500": 500, "retry": 503}.get(what, 200)
            crawl.ended(host, status, retry_after=str(int(pause)) if what == "retry" else "")
        if pause > 10:
            crawl.pass_(pause - 10)
        waits = [
            crawl.wait(h)
            for h in crawl._hosts
            if crawl.wait(h) and not crawl.given_up(h) and crawl._host(h).flying < connections
        ]
        wait = crawl.next_ready()
        if waits:
            assert wait is not None
            assert 0 < wait <= min(waits) + 1e-9
    for _ in range(40):
        wait = crawl.next_ready()
        if wait is None:
            break
        crawl.pass_(wait)
    assert wait is None
    assert all(h not in crawl.busy or h_.flying or h_.given_up for h, h_ in crawl._hosts.items())


def test_memory_is_bounded_but_failures_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_HOSTS", 100)
    crawl = Crawl()
    crawl.ask("bad", 500)
    crawl.ask("slow")
    crawl.slow_down("slow", 9.0)
    for i in range(1000):
        crawl.ask(f"h{i}")
        crawl.pass_(1.0)
    crawl.began("last")
    assert len(crawl._hosts) <= 103
    assert {"bad", "slow", "last"} <= set(crawl._hosts)


# -- clocks and restarts


def restarted(crawl: Crawl) -> Crawl:
    state = json.loads(json.dumps(crawl.state()))
    later = Crawl(crawl.pace)
    later.now, later.wall_now = 3.0, crawl.wall_now
    later.restore(state)
    return later


@pytest.mark.parametrize("jump", [-1e9, 1e9])
def test_faults_11_timers_do_not_look_at_the_wall(jump: float) -> None:
    crawl = Crawl()
    crawl.ask("a", 500)
    crawl.wall_now += jump
    assert crawl.wait("a") == 5.0
    crawl.pass_(5.0)
    assert crawl.ready("a")


def test_faults_22_back_off_survives_a_restart() -> None:
    crawl = Crawl()
    crawl.ask("a", 429, retry_after="100")
    crawl.slow_down("b", 30.0)
    crawl.ask("ordinary")
    crawl.wall_now += 40  # the crawl stands still for 40 s
    crawl.now += 40
    later = restarted(crawl)
    assert later.wait("a") == pytest.approx(60.0)
    assert later.next_ready() == pytest.approx(60.0)
    assert later.ask("b") == 30.0
    assert list(crawl.state()["hosts"]) == ["a", "b"]
    later.pass_(60.0)
    assert later.ask("a", 429) == 10.0  # the second failure in a row


def test_time_between_stop_and_start_counts() -> None:
    crawl = Crawl()
    crawl.ask("a", 429, retry_after="100")
    state = crawl.state()
    later = Crawl()
    later.wall_now = crawl.wall_now + 70
    later.restore(state)
    assert later.wait("a") == pytest.approx(30.0)


@pytest.mark.parametrize(("jump", "wait"), [(-1e9, 100.0), (1e9, 0.0)])
def test_faults_11_a_clock_jump_over_a_restart_does_not_make_a_rest_endless(
    jump: float, wait: float
) -> None:
    crawl = Crawl()
    crawl.ask("a", 429, retry_after="100")
    later = Crawl()
    later.wall_now = crawl.wall_now + jump
    later.restore(crawl.state())
    assert later.wait("a") == pytest.approx(wait)


def test_a_host_given_up_stays_so_over_a_restart() -> None:
    crawl = Crawl(Pace(give_up_after=1))
    crawl.ask("a", 503)
    later = restarted(crawl)
    assert later.given_up("a") == "1 failures in a row, the last: status 503"
    assert "a" in later.busy
    assert later.next_ready() is None


def test_a_host_that_did_not_answer_is_tried_once_more_after_a_restart() -> None:
    crawl = Crawl(Pace(give_up_after=2))
    crawl.pass_(crawl.ask("a", error="refused"))
    crawl.ask("a", error="refused")
    assert crawl.given_up("a")
    later = restarted(crawl)
    assert later.ready("a")
    later.began("a")
    later.ended("a", error="refused")
    assert later.given_up("a") == "3 failures in a row, the last: refused"


def test_the_time_of_a_host_given_up_for_another_reason_passes() -> None:
    crawl = Crawl(Pace(delay=0.0, address_delay=0.0))
    crawl.give_up("a", "no rules", 100.0)
    crawl.pass_(101.0)
    assert crawl.ready("a")
    rest = crawl.ask("a", 503)
    assert not crawl.given_up("a")
    crawl.freed()
    crawl.pass_(rest)
    assert "a" in crawl.freed()


def test_a_crawl_delay_counts_from_robots_txt_on() -> None:
    crawl = Crawl(Pace(delay=0.5))
    crawl.ask("a", 200)
    crawl.slow_down("a", 5.0)
    assert crawl.wait("a") == 5.0


@pytest.mark.parametrize(
    ("pace", "name"),
    [
        ({"delay": -1.0}, "delay"),
        ({"address_delay": math.nan}, "address_delay"),
        ({"longest_backoff": math.inf}, "longest_backoff"),
        ({"connections_per_host": 0}, "connections_per_host"),
        ({"give_up_after": 0}, "give_up_after"),
    ],
)
def test_a_pace_that_cannot_be_is_named(pace: dict[str, float], name: str) -> None:
    with pytest.raises(BadInput, match=f"^--{name.replace('_', '-')} must be"):
        Pace(**pace)  # type: ignore[arg-type]
