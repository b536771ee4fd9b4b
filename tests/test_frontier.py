"""The frontier does what a list of waiting links would do, only faster."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from checks import through_disk
from wolfspider.frontier import Frontier, Origin
from wolfspider.records import Link, Links
from wolfspider.urls import fingerprint

HOSTS = ("a.example", "b.example", "c.example")


def link(number: int) -> Link:
    host = HOSTS[number % len(HOSTS)]
    url = f"http://{host}/{number}"
    return Link(url, fingerprint(url), host, f"link № {number}")


UNIVERSE = tuple(link(number) for number in range(24))

choices = st.sampled_from([UNIVERSE, UNIVERSE[:: len(HOSTS)]]).flatmap(  # or of one host only
    lambda links: st.lists(st.sampled_from(links), max_size=15)
)
# Few different scores, so that there are many ties; some are not numbers.
numbers = st.sampled_from([0.0, 0.5, 1.0]) | st.sampled_from([-1.0, math.inf, -math.inf, math.nan])
busy_hosts = st.sets(st.sampled_from(HOSTS))


@dataclass
class Naive:
    """The reference: every waiting link with its score and when it came, in a dict."""

    bound: int | None
    waiting: dict[int, tuple[Link, tuple[int, int]]] = field(default_factory=dict)
    left: set[int] = field(default_factory=set)
    batches: int = 0

    def push(
        self,
        links: list[Link],
        scores: Sequence[float],
        origin: Origin,
        *,
        up: bool = False,
        change: bool = False,
    ) -> None:
        self.batches += 1
        seen = set()
        for position, (each, score) in enumerate(zip(links, scores, strict=True)):
            key = each.fingerprint
            if key in self.left or key in seen:
                continue
            seen.add(key)
            score = 0.0 if math.isnan(score) else score
            if key in self.waiting and change:
                self.rescore([each], [score])
                continue
            if key in self.waiting and not (up and score > self.waiting[key][0].score):
                continue
            here = replace(
                each,
                source=origin.source,
                depth=origin.depth,
                relevance=origin.relevance,
                position=position,
                score=score,
            )
            self.waiting[key] = here, (self.batches, position)
        while self.bound is not None and len(self.waiting) > self.bound:
            worst = min(self.waiting.values(), key=lambda w: (w[0].score, [-n for n in w[1]]))
            del self.waiting[worst[0].fingerprint]

    def pop(self, busy: set[str]) -> Link | None:
        free = [w for w in self.waiting.values() if w[0].host not in busy]
        if not free:
            return None
        best, _ = min(free, key=lambda w: (-w[0].score, w[1]))
        del self.waiting[best.fingerprint]
        self.left.add(best.fingerprint)
        return best

    def best(self, count: int) -> list[Link]:
        found = sorted(self.waiting.values(), key=lambda w: (-w[0].score, w[1]))
        return [each for each, _ in found[:count]]

    def rescore(self, links: list[Link], scores: list[float]) -> None:
        for each, score in zip(links, scores, strict=True):
            if each.fingerprint in self.waiting:
                old, came = self.waiting[each.fingerprint]
                score = 0.0 if math.isnan(score) else score
                self.waiting[each.fingerprint] = replace(old, score=score), came


class Eager(Frontier):
    """Clears dead rows away all the time, as a large frontier does now and then."""

    compact_above = 6


class Machine(RuleBasedStateMachine):
    """Any operations in any order, on the frontier and on the reference."""

    @initialize(bound=st.none() | st.integers(1, 12), eager=st.booleans())
    def begin(self, bound: int | None, eager: bool) -> None:
        self.kind = Eager if eager else Frontier
        self.frontier = self.kind(bound)
        self.naive = Naive(bound)

    @rule(
        links=choices,
        one=st.none() | numbers,
        many=st.lists(numbers, min_size=15, max_size=15),
        how=st.sampled_from(["keep", "raise", "change"]),
        depth=st.integers(0, 9),
        unique=st.booleans(),
    )
    def push(
        self,
        links: list[Link],
        one: float | None,
        many: list[float],
        how: str,
        depth: int,
        unique: bool,
    ) -> None:
        up, change = how == "raise", how == "change" and one is None
        links = list(dict.fromkeys(links)) if unique else links
        scores = many[: len(links)] if one is None else [one] * len(links)
        origin = Origin(f"http://source.example/{depth}", depth, depth / 9)
        before = len(self.naive.waiting)
        if unique:
            self.naive.push(links, scores, origin, up=up, change=change)
        else:  # the positions are then those among the first of each
            firsts = {each.fingerprint: n for n, each in reversed(list(enumerate(links)))}
            rows = sorted(firsts.values())
            firsts_only = [links[n] for n in rows], [scores[n] for n in rows]
            self.naive.push(*firsts_only, origin, up=up, change=change)
        given = np.array(scores) if one is None else one
        came = self.frontier.push(
            Links.of(links), given, origin, raise_scores=up, change_scores=change
        )
        assert self.frontier.bound is not None or up or came == len(self.naive.waiting) - before

    @rule(busy=busy_hosts)
    def pop(self, busy: set[str]) -> None:
        assert self.frontier.pop(busy) == self.naive.pop(busy)

    @rule()
    def pop_any(self) -> None:
        assert self.frontier.pop() == self.naive.pop(set())

    @rule(count=st.integers(0, 6))
    def look(self, count: int) -> None:
        assert self.frontier.best(count) == self.naive.best(count)

    @rule(links=choices, scores=st.lists(numbers, min_size=15, max_size=15))
    def rescore(self, links: list[Link], scores: list[float]) -> None:
        links = list(dict.fromkeys(links))
        self.naive.rescore(links, scores[: len(links)])
        keys = np.array([each.fingerprint for each in links], np.uint64)
        self.frontier.rescore(keys, np.array(scores[: len(links)]))

    @rule(fresh=st.booleans())
    def keep_and_restore(self, fresh: bool) -> None:
        state = through_disk(self.frontier.state())
        if fresh:
            self.frontier = self.kind(self.frontier.bound)
        self.frontier.restore(state)

    @invariant()
    def they_hold_the_same_links(self) -> None:
        assert len(self.frontier) == len(self.naive.waiting)
        assert set(self.frontier.waiting().tolist()) == set(self.naive.waiting)
        for each in UNIVERSE:
            assert (each.fingerprint in self.frontier) == (each.fingerprint in self.naive.waiting)

    def teardown(self) -> None:
        if hasattr(self, "frontier"):
            while (expected := self.naive.pop(set())) is not None:
                assert self.frontier.pop() == expected
            assert self.frontier.pop() is None


Machine.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestFrontierAgainstNaive = Machine.TestCase


def push(frontier: Frontier, numbers: Sequence[int], scores: Sequence[float] | float) -> int:
    given = scores if isinstance(scores, float) else np.array(scores, np.float64)
    return frontier.push(Links.of([link(n) for n in numbers]), given)


def pop(frontier: Frontier, busy: Container[str] = ()) -> Link:
    found = frontier.pop(busy)
    assert found is not None
    return found


def left(frontier: Frontier) -> list[int]:
    """The numbers of all links in the order in which they leave."""
    return [int(each.url.rsplit("/", 1)[1]) for each in iter(frontier.pop, None)]


def test_the_best_link_leaves_first_and_ties_in_order_of_arrival() -> None:
    frontier = Frontier()
    push(frontier, [1, 2, 3, 4], [0.5, 0.9, 0.5, 0.1])
    push(frontier, [5, 6], [0.9, 0.5])
    assert left(frontier) == [2, 5, 1, 3, 6, 4]


def test_the_best_link_of_a_single_host_leaves_first() -> None:
    frontier = Frontier()
    push(frontier, [0, 3, 6], [0.1, 0.9, 0.5])
    assert left(frontier) == [3, 6, 0]


def test_a_link_leaves_exactly_once() -> None:
    frontier = Frontier()
    assert push(frontier, [1, 2], 1.0) == 2
    assert left(frontier) == [1, 2]
    assert push(frontier, [1, 2], 2.0) == 0
    assert left(frontier) == []


def test_a_dropped_link_is_welcome_again() -> None:
    frontier = Frontier(2)
    assert push(frontier, [1, 2, 3], [0.3, 0.2, 0.1]) == 2
    assert left(frontier) == [1, 2]
    assert push(frontier, [3], 0.1) == 1
    assert left(frontier) == [3]


def test_of_equals_the_latest_is_dropped() -> None:
    frontier = Frontier(3)
    for number in range(6):
        push(frontier, [number], 0.5)
    assert left(frontier) == [0, 1, 2]


@pytest.mark.parametrize("bound", [None, 1, 2])
def test_a_score_that_is_not_a_number_counts_as_zero(bound: int | None) -> None:
    for scores in (math.nan, [math.nan, math.nan]):
        frontier = Frontier(bound)
        push(frontier, [1, 2], scores)
        expected = [1, 2][:bound]
        assert [frontier.pop() is not None for _ in expected] == [True] * len(expected)
        assert len(frontier) == 0
    frontier = Frontier()
    push(frontier, [1, 2, 3], [-0.1, math.nan, 0.1])
    assert left(frontier) == [3, 2, 1]


def test_rescored_links_that_tie_leave_in_order_of_arrival() -> None:
    frontier = Frontier()
    push(frontier, [0, 3, 6, 9], [0.1, 0.2, 0.3, 0.4])  # all of one host
    keys = np.array([link(n).fingerprint for n in (9, 3, 0)], np.uint64)
    frontier.rescore(keys, np.array([0.5, 0.5, 0.5]))
    assert left(frontier) == [0, 3, 9, 6]


def test_a_push_may_change_the_scores_of_links_that_wait() -> None:
    """Up and down; who has left stays away, and where a link was found first is kept."""
    frontier = Frontier()
    first, second = Origin("http://first.example/", 1, 0.25), Origin("http://second.example/", 5)
    frontier.push(Links.of([link(n) for n in range(4)]), np.array([0.9, 0.5, 0.4, 0.3]), first)
    assert pop(frontier).url == link(0).url
    batch = Links.of([link(n) for n in (0, 1, 2, 7)])
    came = frontier.push(batch, np.array([2.0, 0.1, 0.8, 0.2]), second, change_scores=True)
    assert came == 1
    looked = [(each.url, each.score, each.source) for each in frontier.best(9)]
    assert looked == [
        (link(2).url, 0.8, first.source),
        (link(3).url, 0.3, first.source),
        (link(7).url, 0.2, second.source),
        (link(1).url, 0.1, first.source),
    ]
    assert left(frontier) == [2, 3, 7, 1]


def test_one_score_for_all_changes_nobodys() -> None:
    frontier = Frontier()
    push(frontier, [1, 2], [0.5, 0.4])
    assert frontier.push(Links.of([link(2), link(3)]), 0.9, change_scores=True) == 1
    assert left(frontier) == [3, 1, 2]


def test_a_busy_host_is_skipped_and_its_links_wait() -> None:
    frontier = Frontier()
    push(frontier, [0, 3, 1], [0.9, 0.8, 0.1])  # 0 and 3 share a host
    assert pop(frontier, {HOSTS[0]}).url.endswith("/1")
    assert frontier.pop({HOSTS[0], HOSTS[1]}) is None
    assert left(frontier) == [0, 3]


def test_the_best_links_can_be_looked_at_and_still_wait() -> None:
    frontier = Frontier()
    push(frontier, range(6), [0.1, 0.5, 0.3, 0.9, 0.5, 0.2])
    assert pop(frontier, {HOSTS[0]}).url == link(1).url  # the best host, of 0 and 3, is parked
    looked = [(each.url, each.score) for each in frontier.best(3)]
    assert looked == [(link(3).url, 0.9), (link(4).url, 0.5), (link(2).url, 0.3)]
    assert [each.url for each in frontier.best(99)] == [link(n).url for n in (3, 4, 2, 5, 0)]
    assert len(frontier) == 5
    assert left(frontier) == [3, 4, 2, 5, 0]
    assert frontier.best(3) == []


def test_a_link_keeps_what_its_source_said() -> None:
    frontier = Frontier()
    frontier.push(
        Links.of([link(7), link(8)]),
        np.array([0.1, 0.75]),
        Origin("http://source.example/", 3, 0.5),
    )
    expected = replace(
        link(8), source="http://source.example/", depth=3, position=1, relevance=0.5, score=0.75
    )
    assert frontier.pop() == expected


def test_long_texts_are_kept_whole() -> None:
    long = replace(link(1), anchor="word " * 30_000)
    frontier = Frontier()
    frontier.push(Links.of([long, link(2)]), 1.0)
    assert pop(frontier).anchor == long.anchor
    assert pop(frontier).anchor == link(2).anchor


def test_a_large_frontier_forgets_what_has_left() -> None:
    """Twenty times as many links pass through as ever wait; memory follows what waits."""
    frontier = Frontier(bound=500)
    generator = np.random.default_rng(1)
    gone: set[int] = set()
    for batch in range(100):
        rows = [link(number) for number in range(100 * batch, 100 * batch + 100)]
        frontier.push(Links.of(rows), generator.random(100))
        gone.update(pop(frontier).fingerprint for _ in range(50))
    assert len(gone) == 100 * 50
    assert len(frontier) == 500 - 50
    assert len(frontier._rows["score"]) <= 2 * Frontier.compact_above
    best = [each.score for each in iter(frontier.pop, None)]
    assert best == sorted(best, reverse=True)


def test_an_empty_frontier_has_nothing() -> None:
    frontier = Frontier()
    assert frontier.push(Links.of([]), 1.0) == 0
    assert frontier.pop() is None
    frontier.rescore(frontier.waiting(), np.empty(0))
    frontier.restore(through_disk(frontier.state()))
    assert len(frontier) == 0
    assert push(frontier, [1], 1.0) == 1
    assert left(frontier) == [1]


def test_links_can_be_taken_out_and_given_to_another_frontier() -> None:
    ours, theirs = Frontier(), Frontier()
    ours.push(Links.of(UNIVERSE[:6]), np.arange(6.0), Origin("http://a.example/", 2, 0.5))
    some = np.array([UNIVERSE[n].fingerprint for n in (1, 4, 9)], np.uint64)  # 9 does not wait
    expected = [each for each in ours.best(6) if each.fingerprint in some.tolist()]
    taken = ours.remove(some)
    assert sorted(taken, key=lambda each: -each.score) == expected
    theirs.add(taken)
    assert theirs.best(6) == expected  # source, depth, position, relevance and score come along
    assert ours.knows(some).tolist() == [False, False, False]
    assert theirs.knows(some).tolist() == [True, True, False]
    assert (len(ours), len(theirs)) == (4, 2)
    left = theirs.pop()
    assert left is not None
    theirs.add([left])
    assert left.fingerprint not in theirs
    assert theirs.knows(np.array([left.fingerprint], np.uint64)).all()


def test_what_is_added_keeps_the_bound() -> None:
    frontier = Frontier(bound=2)
    frontier.add([replace(each, score=float(n)) for n, each in enumerate(UNIVERSE[:5])])
    assert [each.score for each in frontier.best(5)] == [4.0, 3.0]
