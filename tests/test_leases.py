"""Links that are out: none is lost and none goes out twice, whenever the state was taken."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import JUDGE, PolicyCheck, linking, policy_checks
from wolfspider.leases import Leased
from wolfspider.policies.breadth_first import BreadthFirst
from wolfspider.records import Link, Page, Response, Visit
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
    followed = []
    while (link := again.next()) is not None:
        followed.append(link.url)
        again.learn(visit(link))
    done = [each.link.url for each in kept]
    assert sorted(done + followed) == sorted(set(done + followed)), "a link twice"
    assert len(done + followed) == 3 * (1 + 3 + 9 + 27), "a link lost"
