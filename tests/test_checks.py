"""Our own webs keep the contract, and the contract finds those who do not."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import count
from typing import Any

import numpy as np
import pytest

from checks import (
    HandMade,
    PolicyCheck,
    WebCheck,
    check_policy,
    check_web,
    linking,
    policy_checks,
    through_disk,
    web_checks,
)
from wolfspider.frontier import Frontier
from wolfspider.policies.breadth_first import BreadthFirst
from wolfspider.protocols import Policy
from wolfspider.records import Link, Links, Page, Response, State, Terms, Visit
from wolfspider.urls import seed_link
from wolfspider.webs.recorded import RecordedWeb

WEB = HandMade(
    {
        "http://a.example/": '<a href="/1">1</a> <a href="http://b.example/">b</a> <a href="/2">2',
        "http://a.example/1": '<a href="/3">3</a> <a href="/">home</a> <a href="/gone">gone</a>',
        "http://b.example/": '<a href="http://a.example/2">2</a> <a href="http://c.example/">c',
        "http://c.example/": "".join(f'<a href="/{n}">{n}</a>' for n in range(200)),
    }
)
SEEDS = [seed_link("http://a.example/"), seed_link("http://d.example/")]
KNOWN = ["http://a.example/", "http://a.example/1"]
UNKNOWN = "http://nowhere.example/"


POLICY_CHECKS = {check.__name__.removeprefix("check_"): check for check in policy_checks()}
WEB_CHECKS = {check.__name__.removeprefix("check_"): check for check in web_checks()}


def fails(check: PolicyCheck | WebCheck, *arguments: Any) -> bool:
    try:
        check(*arguments)
    except Exception:
        return True
    return False


def run_at_once(work: Any) -> Response:
    try:
        work.send(None)
    except StopIteration as done:
        response: Response = done.value
        return response
    raise AssertionError("these webs do not wait")


def test_a_recorded_web_keeps_the_contract(recorded_web: RecordedWeb) -> None:
    known = [recorded_web.url(number) for number in (0, 1, 7, 50, len(recorded_web) - 1)]
    check_web(recorded_web, [*known, known[0] + "#top"], UNKNOWN)


def test_a_hand_made_web_keeps_the_contract() -> None:
    check_web(WEB, KNOWN, UNKNOWN)


def test_a_good_policy_passes_on_a_hand_made_web() -> None:
    check_policy(BreadthFirst, WEB, SEEDS)


# -- policies that break the contract ------------------------------------------------------


class Forgetful(BreadthFirst):
    """Follows links that it has followed before."""

    def learn(self, visit: Visit) -> None:
        known = self.frontier
        if len(known._map) < 40:
            self.frontier = Frontier()
            for link in iter(known.pop, None):
                self.frontier.push(Links.of([link]), 0.0)
        super().learn(visit)


class Inventive(BreadthFirst):
    """Guesses addresses."""

    def learn(self, visit: Visit) -> None:
        super().learn(visit)
        if visit.link.depth == 0:
            self.frontier.push(Links.of([seed_link("http://a.example/guess")]), 9.0)


class Impatient(BreadthFirst):
    """Does not care who is busy."""

    def next(self, busy: Container[str] = ()) -> Link | None:
        return super().next()


class Careless(BreadthFirst):
    """Throws the link of a busy host away."""

    def next(self, busy: Container[str] = ()) -> Link | None:
        link = super().next()
        return None if link is None or link.host in busy else link


class Greedy(BreadthFirst):
    """Takes more links than its buffer holds."""

    def __init__(self) -> None:
        super().__init__(buffer=3)

    def learn(self, visit: Visit) -> None:
        self.frontier.bound, bound = None, self.frontier.bound
        super().learn(visit)
        self.frontier.bound = bound


class Boastful(BreadthFirst):
    """Counts the links of all times."""

    def __len__(self) -> int:
        return len(self.frontier._map)


_calls = count()


class Moody(BreadthFirst):
    """Decides by something else than its inputs."""

    def score(self, links: Links, visit: Visit) -> float:
        return float(next(_calls) * 7 % 5)


class Amnesiac(BreadthFirst):
    """Its state lacks half of what it knows."""

    def __init__(self) -> None:
        super().__init__()
        self._visits = 0

    def score(self, links: Links, visit: Visit) -> float:
        self._visits += 1
        return float(self._visits % 3)


class Secretive(BreadthFirst):
    """Its state is no data."""

    def state(self) -> State:
        return {"me": self}


class Fragile(BreadthFirst):
    """Expects every page to have links and words."""

    def learn(self, visit: Visit) -> None:
        assert len(visit.page.links) / visit.page.terms.length < 100
        super().learn(visit)


class Lazy(BreadthFirst):
    """Leaves pages out."""

    def learn(self, visit: Visit) -> None:
        if visit.link.depth < 1:
            super().learn(visit)


class Homesick(BreadthFirst):
    """Has a seed of its own."""

    def start(self, seeds: Sequence[Link]) -> None:
        super().start([*seeds, SEEDS[0]])


class Repetitive(BreadthFirst):
    """Takes seeds in as often as they are given."""

    def __init__(self) -> None:
        super().__init__()
        self._seeds: list[Link] = []

    def start(self, seeds: Sequence[Link]) -> None:
        self._seeds += seeds

    def next(self, busy: Container[str] = ()) -> Link | None:
        return self._seeds.pop() if self._seeds else super().next(busy)


@pytest.mark.parametrize(
    ("policy", "broken"),
    [
        (Forgetful, "a_link_leaves_at_most_once"),
        (Repetitive, "a_seed_given_twice_leaves_once"),
        (Inventive, "no_link_is_invented"),
        (Impatient, "busy_hosts_are_left_alone"),
        (Careless, "no_link_is_lost_while_all_hosts_are_busy"),
        (Greedy, "the_buffer_is_never_exceeded"),
        (Boastful, "length_counts_the_waiting_links"),
        (Boastful, "an_exhausted_policy_is_empty"),
        (Homesick, "a_policy_without_seeds_is_exhausted"),
        (Forgetful, "a_page_of_known_links_adds_none"),
        (Moody, "two_crawls_are_alike"),
        (Amnesiac, "a_restored_policy_goes_on_alike"),
        (Secretive, "a_new_policy_has_a_state"),
        (Fragile, "a_page_without_links_is_survived"),
        (Fragile, "an_empty_page_is_survived"),
        (Fragile, "a_failed_fetch_is_survived"),
        (Fragile, "a_huge_page_is_survived"),
        (Lazy, "every_page_within_reach_is_visited"),
    ],
)
def test_the_contract_finds_a_bad_policy(policy: type[Policy], broken: str) -> None:
    assert fails(POLICY_CHECKS[broken], policy, WEB, SEEDS)


# -- webs that break the contract ----------------------------------------------------------


class Raises:
    async def fetch(self, url: str) -> Response:
        return await WEB.fetch(url.encode().decode("ascii"))


class KnowsAll:
    async def fetch(self, url: str) -> Response:
        return Response(url, 200, page=Page(url))


class Sloppy:
    async def fetch(self, url: str) -> Response:
        found = await WEB.fetch(url)
        return found if found.error else Response(url, 200, page=linking(url + "#top", ()))


class Changes:
    def __init__(self) -> None:
        self._answers = count()

    async def fetch(self, url: str) -> Response:
        return Response(url, 200, page=Page(url, title=str(next(self._answers))))


class Leaks:
    """Hands out views of all it has."""

    def __init__(self) -> None:
        self._ids = np.arange(100_000, dtype=np.uint32)
        self._counts = np.ones(100_000, np.float32)

    async def fetch(self, url: str) -> Response:
        return Response(url, 200, page=Page(url, terms=Terms.of(self._ids[:3], self._counts[:3])))


class Tells:
    """Its errors remember who made them."""

    async def fetch(self, url: str) -> Response:
        class Message(str):
            web = None

        message = Message("not found")
        message.__dict__["web"] = self.fetch
        return Response(url, 404, error=message)


@pytest.mark.parametrize(
    ("web", "broken"),
    [
        (Raises(), "no_address_raises"),
        (KnowsAll(), "an_unknown_address_is_an_error"),
        (Sloppy(), "a_known_address_is_a_page_with_a_canonical_url"),
        (Changes(), "the_same_answer_comes_twice"),
        (Leaks(), "no_record_leads_back_to_the_web"),
        (Tells(), "no_record_leads_back_to_the_web"),
    ],
)
def test_the_contract_finds_a_bad_web(web: Any, broken: str) -> None:
    assert fails(WEB_CHECKS[broken], web, KNOWN, UNKNOWN, run_at_once)


def test_a_web_folder_handed_out_is_found(recorded_web: RecordedWeb) -> None:
    class Mapped:
        async def fetch(self, url: str) -> Response:
            response = await recorded_web.fetch(recorded_web.url(0))
            return Response(
                url,
                error="",
                headers=(("x", recorded_web.folder.name),),
                page=Page(
                    response.url, terms=Terms(recorded_web._addresses, recorded_web._pages_of, 1, 1)
                ),
            )

    check = WEB_CHECKS["no_record_leads_back_to_the_web"]
    assert fails(check, Mapped(), KNOWN, UNKNOWN, run_at_once)


# -- states --------------------------------------------------------------------------------


def test_a_state_comes_back_from_disk() -> None:
    state = {
        "number": 2**127,
        "nothing": None,
        "nested": {"rows": np.arange(3, dtype=np.uint64), "list": [1.5, "a", [True]]},
        "empty": np.empty((0, 2), np.float32),
        "matrix": np.eye(2),
    }
    found = through_disk(state)
    assert found.keys() == state.keys()
    assert (found["number"], found["nothing"]) == (2**127, None)
    assert found["nested"]["list"] == [1.5, "a", [True]]
    assert found["nested"]["rows"].dtype == np.uint64
    assert found["nested"]["rows"].tolist() == [0, 1, 2]
    assert found["empty"].shape == (0, 2)
    assert found["matrix"].tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("value", [object(), {1, 2}, b"bytes", np.array([object()])])
def test_a_state_that_is_no_data_is_refused(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        through_disk({"value": value})


def test_every_check_has_been_seen_to_fail() -> None:
    """A check that nothing fails proves nothing."""
    marks = [
        mark
        for test in (test_the_contract_finds_a_bad_policy, test_the_contract_finds_a_bad_web)
        for mark in getattr(test, "pytestmark")  # noqa: B009
    ]
    seen = {name for mark in marks for _, name in mark.args[1]}
    assert seen == {*POLICY_CHECKS, *WEB_CHECKS}
