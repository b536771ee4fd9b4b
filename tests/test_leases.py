"""Links that are out: none is lost and none goes out twice, whenever the state was taken."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import JUDGE, PolicyCheck, linking, policy_checks
from explaining import Explaining
from wolfspider.leases import Leased
from wolfspider.policies import Spec, make
from wolfspider.policies.breadth_first import BreadthFirst
from wolfspider.records import Clue, Link, Page, Receipt, Response, Visit
from wolfspider.topics import Topic
from wolfspider.urls import seed_link
from wolfspider.webs.recorded import RecordedWeb

SEEDS = [seed_link(f"http://h{number}.test/") for number in range(3)]


def visit(link: Link) -> Visit:
    """Every page leads to three others, until they are deep enough."""
    page = Page(link.url)
    if link.depth < 3:
        page = linking(link.url, tuple(f"{link.url}{number}/" for number in range(3)))
    return Visit(link, page, JUDGE.judge(page), Response(link.url, 200))


@pytest.mark.parametrize("check", list(policy_checks()), ids=lambda check: check.__name__)
def test_a_leased_policy_keeps_the_contract(
    check: PolicyCheck, recorded_web: RecordedWeb, seeds: list[Link]
) -> None:
    check(lambda: Leased(BreadthFirst()), recorded_web, seeds)


@given(
    st.lists(st.sampled_from(["take", "learn"]), max_size=60),
    st.lists(st.sampled_from(["take", "learn"]), max_size=60),
    st.randoms(use_true_random=False),
)
def test_a_restart_at_any_moment_loses_nothing_and_repeats_only_what_was_out(
    before: list[str], after: list[str], choose: Random
) -> None:
    """State, some more visits, a kill; then the visits are told again and the rest is followed."""
    policy = Leased(BreadthFirst())
    policy.start(SEEDS)
    out: list[Link] = []
    kept: list[Visit] = []

    def work(steps: list[str]) -> None:
        for step in steps:
            if step == "take" and (link := policy.next()) is not None:
                out.append(link)
            elif step == "learn" and out:
                kept.append(visit(out.pop(choose.randrange(len(out)))))
                policy.learn(kept[-1])

    work(before)
    state, known = policy.state(), len(kept)
    work(after)
    again = Leased(BreadthFirst())
    again.restore(state)
    for each in kept[known:]:
        again.relearn(each)
    left = len(policy) + len(out)
    assert len(again) == left or (left == 0 and len(again) == 1)  # who knows if those done wait
    followed = []
    while (link := again.next()) is not None:
        followed.append(link.url)
        again.learn(visit(link))
    done = [each.link.url for each in kept]
    assert sorted(done + followed) == sorted(set(done + followed)), "a link twice"
    assert len(done + followed) == 3 * (1 + 3 + 9 + 27), "a link lost"


def test_links_say_why_they_were_chosen_if_they_are_asked_to() -> None:
    for receipts, clues in ((False, 0), (True, 1)):
        policy = Leased(Explaining(topic=Topic.of("wolf")))
        policy.receipts = receipts
        policy.start(SEEDS[:1])
        [seed] = [policy.next()]
        assert seed is not None
        assert seed.receipt is None  # nothing led to it
        policy.learn(visit(seed))
        link = policy.next()
        assert link is not None
        found = () if link.receipt is None else link.receipt.clues
        assert len(found) == clues, "the tag path, for there are no words"


def test_a_policy_that_cannot_explain_itself_gives_no_receipts() -> None:
    policy = Leased(BreadthFirst())
    policy.receipts = True
    policy.start(SEEDS)
    link = policy.next()
    assert link is not None
    assert link.receipt is None


def test_links_that_are_out_keep_their_receipts_over_a_restart() -> None:
    policy = Leased(BreadthFirst())
    policy.start(SEEDS)
    out = [policy.next(), policy.next()]
    assert out[0]
    assert out[1]
    weight: Any = np.float32(0.5)  # as a policy with arrays may give it
    clues = (Clue("anchor", 2**32 - 1, weight), Clue("host", 0, -1.0))
    receipt = Receipt(0.25, 4, 10, True, clues)
    policy._out[out[0].fingerprint] = replace(out[0], receipt=receipt)
    rows = json.loads(json.dumps(policy.state()["out"]))
    again = Leased(BreadthFirst())
    again.restore(policy.state() | {"out": rows})
    assert [again.next(), again.next()] == [replace(out[0], receipt=receipt), out[1]]


def test_links_that_were_dropped_do_not_hide_those_that_wait() -> None:
    policy = Leased(make(Spec.parse("best-first:buffer=3"), topic=Topic.of("wolf")))
    policy.start(SEEDS[:1])
    link = policy.next()
    assert link is not None
    policy.learn(visit(link))
    policy.done = {1, 2, 3, 4}  # of links that are not there any more
    assert len(policy) > 0
    assert policy.next() is not None
