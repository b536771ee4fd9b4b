"""What all populations of agents do: the contract, and going on after a restart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from checks import (
    PolicyCheck,
    Recording,
    choice,
    copied,
    digest,
    follow,
    policy_checks,
    through_disk,
)
from wolfspider.policies.arachnid import Arachnid
from wolfspider.policies.infospiders import InfoSpiders
from wolfspider.protocols import Policy
from wolfspider.records import Link, Page, Verdict, Visit
from wolfspider.text import terms
from wolfspider.topics import Topic
from wolfspider.urls import seed_link
from wolfspider.webs.recorded import RecordedWeb
from wordy import wordy

Population = Arachnid | InfoSpiders
Settings = dict[str, Any]

MANY: Settings = {"theta": 0.05}
VARIANTS: dict[str, tuple[type[Population], Settings]] = {
    "arachnid, short lives": (Arachnid, {"energy": 0.3, "cost": 0.4, "theta": 0.6}),
    "arachnid, little room": (Arachnid, {"buffer": 25}),
    "arachnid, naive": (Arachnid, {"learning": False}),
    "infospiders, many agents": (InfoSpiders, MANY),
    "infospiders, little room": (InfoSpiders, MANY | {"buffer": 30}),
    "infospiders, no learning": (InfoSpiders, MANY | {"learning": False}),
    "infospiders, no evolution": (InfoSpiders, {"evolution": False}),
}
CASES = [
    pytest.param(population, settings, check, id=f"{name}-{check.__name__.removeprefix('check_')}")
    for name, (population, settings) in VARIANTS.items()
    for check in policy_checks(gives_up="buffer" in settings)
]
BOTH = pytest.mark.parametrize(
    ("population", "settings"),
    [(Arachnid, {}), (InfoSpiders, MANY)],
    ids=["arachnid", "infospiders"],
)


def minds(policy: Policy) -> Sequence[tuple[float, ...]]:
    """Bias, energy and weights of each agent."""
    assert isinstance(policy, Population)
    agents = policy.agents.values() if isinstance(policy, Arachnid) else policy.agents
    return [(each.net.bias, each.energy, *each.net.weights.ravel().tolist()) for each in agents]


def biases(policy: Policy) -> list[float]:
    return [bias for bias, *_ in minds(policy)]


@pytest.mark.parametrize(("population", "settings", "check"), CASES)
def test_contract(
    population: type[Population],
    settings: Settings,
    check: PolicyCheck,
    recorded_web: RecordedWeb,
    recording: Recording,
    seeds: list[Link],
) -> None:
    check(lambda: population(topic=recording.topic, seed=1, **settings), recorded_web, seeds)


@BOTH
def test_links_that_are_out_come_back_to_a_restored_policy_as_to_the_old_one(
    population: type[Population],
    settings: Settings,
    recorded_web: RecordedWeb,
    recording: Recording,
    seeds: list[Link],
) -> None:
    def make() -> Policy:
        return population(topic=recording.topic, seed=1, **settings)

    policy = make()
    policy.start(seeds)
    follow(policy, recorded_web, 30)
    out = [choice(policy) for _ in range(6)]
    copy, before = copied(policy, make), biases(policy)
    for each in (policy, copy):
        for link in reversed(out):
            page = Page(link.url, terms=terms("solar moon"))
            each.learn(Visit(link, page, Verdict(0.5, False)))
    assert biases(policy) != before
    assert minds(copy) == minds(policy)
    assert digest(follow(policy, recorded_web, 60)) == digest(follow(copy, recorded_web, 60))


@BOTH
def test_a_correction_teaches_after_a_restart(
    population: type[Population], settings: Settings
) -> None:
    def make() -> Population:
        return population(topic=Topic.of("solar eclipse"), seed=0, **settings)

    policy, again = make(), make()
    policy.start([seed_link("http://a.example/")])
    first = choice(policy)
    links = wordy({"http://a.example/1": {"anchor": "eclipse"}})
    policy.learn(Visit(first, Page(first.url, terms=terms("solar"), links=links)))
    link = choice(policy)
    page = Page(link.url, terms=terms("moon"))
    policy.learn(Visit(link, page))
    again.restore(through_disk(policy.state()))
    before = biases(policy)
    for each in (policy, again):
        each.correct(Visit(link, page, Verdict(1.0, True)))
    assert minds(policy) == minds(again)
    assert biases(policy) != before
