"""The frontier by kind does what a list of waiting links would do, only faster."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from checks import through_disk
from wolfspider.frontier import FrontierByKind, Origin
from wolfspider.records import Link, Links
from wolfspider.urls import fingerprint

HOSTS = ("a.example", "b.example", "c.example")
KINDS = 4


def link(number: int) -> Link:
    host = HOSTS[number % len(HOSTS)]
    url = f"http://{host}/{number}"
    return Link(url, fingerprint(url), host, f"link № {number}")


UNIVERSE = tuple(link(number) for number in range(20))
pairs = st.lists(
    st.tuples(st.sampled_from(UNIVERSE), st.integers(0, KINDS - 1)),
    max_size=12,
    unique_by=lambda pair: pair[0].url,
)
worths = st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0]), min_size=KINDS, max_size=KINDS)


@dataclass
class Naive:
    """Every waiting link with its kind, in the order they came."""

    waiting: dict[int, tuple[Link, int]] = field(default_factory=dict)
    left: set[int] = field(default_factory=set)

    def push(self, found: list[tuple[Link, int]], worth: list[float], origin: Origin) -> None:
        for position, (each, kind) in enumerate(found):
            key = each.fingerprint
            if key in self.left:
                continue
            if key in self.waiting:
                if worth[kind] <= worth[self.waiting[key][1]]:
                    continue
                del self.waiting[key]
            here = replace(each, source=origin.source, depth=origin.depth, position=position)
            self.waiting[key] = here, kind


class Machine(RuleBasedStateMachine):
    @initialize(worth=worths)
    def begin(self, worth: list[float]) -> None:
        self.frontier, self.naive = FrontierByKind(), Naive()
        self.frontier.compact_above = 4
        self.worth = worth
        self.frontier.worth = np.array(worth)
        self.batches = 0

    @rule(found=pairs)
    def push(self, found: list[tuple[Link, int]]) -> None:
        self.batches += 1
        origin = Origin(f"http://a.example/{self.batches}", self.batches)
        if found:
            kinds = np.array([kind for _, kind in found])
            self.frontier.push(Links.of([each for each, _ in found]), kinds, origin)
        self.naive.push(found, self.worth, origin)

    @rule(worth=worths)
    def value(self, worth: list[float]) -> None:
        self.worth = worth
        self.frontier.worth = np.array(worth)

    @rule(busy=st.sets(st.sampled_from(HOSTS)), chance=st.none() | st.integers(0, 5))
    def pop(self, busy: set[str], chance: int | None) -> None:
        if chance is None:
            found = self.frontier.pop(busy)
        else:
            found = self.frontier.pop_any(np.random.default_rng(chance), busy)
        ready = [pair for pair in self.naive.waiting.values() if pair[0].host not in busy]
        if found is None:
            assert not ready
            return
        here, kind = found
        if chance is None:
            assert self.worth[kind] == max(self.worth[kind] for _, kind in ready)
        same = [each for each, k in ready if k == kind and each.host == here.host]
        assert here == replace(same[0], score=self.worth[kind])  # the oldest
        del self.naive.waiting[here.fingerprint]
        self.naive.left.add(here.fingerprint)

    @rule()
    def restart(self) -> None:
        state = through_disk(self.frontier.state())
        self.frontier = FrontierByKind()
        self.frontier.restore(state)

    @invariant()
    def agree(self) -> None:
        assert len(self.frontier) == len(self.naive.waiting)
        assert self.frontier.kinds().tolist() == sorted({k for _, k in self.naive.waiting.values()})
        for each in UNIVERSE:
            assert (each.fingerprint in self.frontier) == (each.fingerprint in self.naive.waiting)
        best = self.frontier.best(len(UNIVERSE))
        assert {each.url for each in best} == {e.url for e, _ in self.naive.waiting.values()}
        assert [each.score for each in best] == sorted((e.score for e in best), reverse=True)


Machine.TestCase.settings = settings(max_examples=150, stateful_step_count=25, deadline=None)
TestAgainstAList = Machine.TestCase


def test_the_worst_and_latest_are_dropped_and_welcome_again() -> None:
    frontier = FrontierByKind(bound=3)
    frontier.worth = np.array([0.0, 1.0])
    frontier.push(Links.of(UNIVERSE[:4]), np.array([0, 1, 0, 0]), Origin())
    assert [each.url for each in frontier.best(9)] == [UNIVERSE[n].url for n in (1, 0, 2)]
    assert UNIVERSE[3].fingerprint not in frontier
    frontier.push(Links.of([UNIVERSE[3]]), np.array([1]), Origin())
    assert [each.url for each in frontier.best(9)] == [UNIVERSE[n].url for n in (1, 3, 0)]


def test_a_random_choice_is_uniform_over_kinds_not_over_links() -> None:
    random = np.random.default_rng(0)
    chosen = []
    for _ in range(400):
        frontier = FrontierByKind()
        frontier.worth = np.zeros(2)
        kinds = np.array([0] * 9 + [1])
        frontier.push(Links.of(UNIVERSE[:10]), kinds, Origin())
        found = frontier.pop_any(random)
        assert found is not None
        chosen.append(found[1])
    assert 160 < sum(chosen) < 240  # expected 200, standard deviation 10


def test_a_bound_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot hold any"):
        FrontierByKind(bound=0)
