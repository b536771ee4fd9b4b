"""ARACHNID does what Young (2005) says of it, section 2.2."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import chisquare

from checks import (
    JUDGE,
    Recording,
    choice,
    drain,
    visit_of,
)
from wolfspider.crawl import replay
from wolfspider.pages import parse_html
from wolfspider.policies.agents import Perceptron
from wolfspider.policies.arachnid import Arachnid
from wolfspider.records import Link, Page, Verdict, Visit
from wolfspider.text import term_ids, terms
from wolfspider.topics import Topic
from wolfspider.urls import seed_link
from wolfspider.webs.recorded import RecordedWeb

TOPIC = Topic.of("solar eclipse")
HOME = "http://a.example/"


def page(url: str, links: Sequence[str] = (), words: str = "", anchor: str = "") -> Page:
    anchors = "".join(f'<a href="{link}">{anchor}</a> ' for link in links)
    return parse_html(f"<p>{words}</p>{anchors}".encode(), url)


def back(
    link: Link, links: Sequence[str] = (), words: str = "", anchor: str = "", worth: float = 0.0
) -> Visit:
    """The visit of a link, with what the judge says its page is worth."""
    return Visit(link, page(link.url, links, words, anchor), Verdict(worth, worth == 1))


def started(*starts: str, **settings: float | int | bool | None) -> Arachnid:
    policy = Arachnid(topic=TOPIC, **settings)  # type: ignore[arg-type]
    policy.start([seed_link(url) for url in starts or (HOME,)])
    return policy


def energies(policy: Arachnid) -> list[float]:
    return [agent.energy for agent in policy.agents.values()]


# -- no memory -----------------------------------------------------------------------------


def test_an_agent_follows_links_of_the_page_it_stands_on() -> None:
    for seed in range(20):
        policy = started(seed=seed, population=1)
        policy.learn(back(choice(policy), ["/1", "/2", "/3"]))
        link = choice(policy)
        policy.learn(back(link, ["/x", "/y"]))
        assert {choice(policy).url, choice(policy).url} == {f"{HOME}x", f"{HOME}y"}


def test_an_agent_may_follow_a_link_of_its_page_that_was_found_before() -> None:
    policy = started(population=1)
    policy.learn(back(choice(policy), ["/1", "/2", "/3", "/4", "/5", "/6"]))
    here = choice(policy)
    other = next(f"/{n}" for n in range(1, 7) if f"{HOME}{n}" != here.url)
    policy.learn(back(here, [other]))
    assert choice(policy).url == f"http://a.example{other}"


def test_a_lone_agent_leaves_its_page_only_at_a_dead_end(
    recorded_web: RecordedWeb, seeds: list[Link], recording: Recording
) -> None:
    policy = Arachnid(topic=recording.topic, population=1, seed=2)
    here = {seed.fingerprint for seed in seeds}
    left: set[int] = set()
    jumps = 0
    for visit in replay(recorded_web, policy, JUDGE, seeds):
        if here - left:
            assert visit.link.fingerprint in here
        else:
            jumps += 1
        left.add(visit.link.fingerprint)
        here = set(visit.page.links.fingerprints.tolist())
    assert len(left) == len(recorded_web)
    assert jumps > 0


def test_at_a_dead_end_any_link_left_behind_may_follow() -> None:
    def third(seed: int) -> str:
        policy = started(seed=seed, population=1)
        policy.learn(back(choice(policy), ["/1", "/2", "/3", "/4"]))
        policy.learn(back(choice(policy)))
        return choice(policy).url

    counts = Counter(third(seed) for seed in range(400))
    assert len(counts) == 4
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_links_left_behind_are_as_likely_whenever_they_came() -> None:
    def jump(seed: int) -> str:
        policy = started(seed=seed, population=1)
        policy.learn(back(choice(policy), [f"/old{n}" for n in range(6)]))
        policy.learn(back(choice(policy)))
        policy.learn(back(choice(policy), [f"/new{n}" for n in range(3)]))  # after a jump
        policy.learn(back(choice(policy)))
        return choice(policy).url.removeprefix(HOME)[:3]

    counts = Counter(jump(seed) for seed in range(1000))
    assert chisquare([counts["old"], counts["new"]], [1000 * 4 / 6, 1000 * 2 / 6]).pvalue > 0.001


def test_rather_than_wait_for_a_busy_host_a_link_left_behind_is_followed() -> None:
    policy = started(population=1)
    policy.learn(back(choice(policy), ["http://b.example/1", "http://b.example/2"]))
    policy.learn(back(choice(policy), ["http://c.example/1"]))
    link = policy.next({"c.example"})
    assert link is not None
    assert link.host == "b.example"
    assert policy.next({"c.example"}) is None
    assert [each.host for each in drain(policy)] == ["c.example"]


# -- which link ----------------------------------------------------------------------------


def test_links_are_drawn_by_the_keywords_around_them() -> None:
    """Without a net: c keywords are worth c / (1 + c)."""
    html = '<a href="/0">solar</a>' + "<p>tide</p>" * 20 + '<a href="/1">sea</a>'
    found = parse_html(html.encode(), HOME)
    runs, beta = 1000, 3.0

    def first(seed: int) -> Link:
        policy = started(seed=seed, learning=False, beta=beta)
        policy.learn(Visit(choice(policy), found))
        return choice(policy)

    links = [first(seed) for seed in range(runs)]
    values = {"0": 1 / 2, "1": 0.5 / 1.5}  # the anchor itself; one link away
    assert {link.url[-1]: link.score for link in links} == pytest.approx(values)
    weights = {name: math.exp(beta * value) for name, value in values.items()}
    counts = Counter(link.url[-1] for link in links)
    expected = [runs * weight / sum(weights.values()) for weight in weights.values()]
    assert chisquare([counts["0"], counts["1"]], expected).pvalue > 0.001
    assert chisquare([counts["0"], counts["1"]]).pvalue < 0.001


def test_agents_are_chosen_at_random() -> None:
    def first(seed: int) -> str:
        return choice(started(f"{HOME}1", f"{HOME}2", f"{HOME}3", seed=seed)).url

    counts = Counter(first(seed) for seed in range(300))
    assert len(counts) == 3
    assert chisquare(list(counts.values())).pvalue > 0.001


# -- learning ------------------------------------------------------------------------------


def after_one_choice(*, learning: bool, **settings: float) -> tuple[Perceptron, Perceptron]:
    """The net before and after a link with the input 1 for "solar" led to a page worth 0.8."""
    policy = started(learning=learning, theta=99, **settings)
    policy.learn(back(choice(policy), ["/1"], anchor="solar"))
    agent = policy.agents[0]
    before = Perceptron(agent.net.weights.copy(), agent.net.bias)
    policy.learn(back(choice(policy), ["/2"], anchor="tide", worth=0.8))
    return before, agent.net


def test_the_net_learns_from_the_verdict_and_the_best_link_of_the_new_page() -> None:
    before, after = after_one_choice(learning=True, discount=0.25, rate=0.4)
    solar = TOPIC.terms.ids.tolist().index(term_ids("solar").item())
    output = 1 / (1 + math.exp(-before.weights[solar] - before.bias))
    best = 1 / (1 + math.exp(-before.bias))  # the new page has one link, without keywords
    worth = 0.75 * 0.8 + 0.25 * best
    step = 0.4 * (worth - output) * output * (1 - output)
    assert abs(step) > 1e-3
    assert after.bias - before.bias == pytest.approx(step)
    expected = before.weights.copy()
    expected[solar] += step
    assert after.weights == pytest.approx(expected)


def test_without_learning_the_net_stays_as_it_is() -> None:
    before, after = after_one_choice(learning=False)
    assert after.weights.tolist() == before.weights.tolist()
    assert after.bias == before.bias


def test_agents_differ_from_the_beginning() -> None:
    one, other = started(f"{HOME}1", f"{HOME}2").agents.values()
    assert one.net.weights.tolist() != other.net.weights.tolist()
    assert np.abs([*one.net.weights, *other.net.weights]).max() <= 0.5


# -- life and death ------------------------------------------------------------------------


def test_a_fetch_costs_energy_and_relevance_brings_it() -> None:
    policy = started(energy=1.0, cost=0.1)
    policy.learn(back(choice(policy), ["/1"], worth=0.3))
    assert energies(policy) == pytest.approx([1.2])
    policy.learn(visit_of(choice(policy)))
    assert energies(policy) == pytest.approx([1.1])  # a failure costs, too


def test_an_agent_without_energy_dies_but_not_the_last() -> None:
    policy = started(f"{HOME}1", f"{HOME}2", energy=0.1, cost=0.1)
    assert len(policy.agents) == 2
    policy.learn(back(choice(policy), ["/x", "/y"]))
    assert energies(policy) == [0.1]
    for _ in range(3):
        policy.learn(back(choice(policy)))
        assert len(policy.agents) == 1
        assert energies(policy) == [0.0]
    assert policy.next() is None


def test_an_agent_that_starves_is_saved_by_a_relevant_page() -> None:
    policy = started(energy=0.1, cost=0.1)
    policy.learn(back(choice(policy), ["/x"]))
    policy.learn(back(choice(policy), worth=1.0))
    assert energies(policy) == pytest.approx([0.9])


def test_an_agent_with_much_energy_gives_half_of_it_to_an_offspring() -> None:
    policy = started(energy=1.5, cost=0.1, theta=2.0)
    policy.learn(back(choice(policy), ["/1", "/2"], "moon moon solar tide", worth=1.0))
    assert energies(policy) == pytest.approx([1.2, 1.2])
    parent, child = policy.agents.values()
    assert sorted(parent.sight.fingerprints) == sorted(child.sight.fingerprints)
    assert child.keywords.ids.tolist() == [*TOPIC.terms.ids.tolist(), *term_ids("moon").tolist()]
    assert 0 < np.abs(child.net.weights[:2] - parent.net.weights).max() <= 0.25
    assert len(drain(policy)) == 2


def test_no_more_agents_than_the_population() -> None:
    policy = started(*(f"{HOME}{n}" for n in range(5)), population=3, energy=9.0, theta=2.0)
    assert len(policy.agents) == 3
    policy.learn(back(choice(policy), ["/x"], worth=1.0))
    assert len(policy.agents) == 3
    assert len(policy) == 5


def test_energy_is_neither_made_nor_lost_at_birth(
    recorded_web: RecordedWeb, recording: Recording, seeds: list[Link]
) -> None:
    policy = Arachnid(topic=recording.topic, cost=0.0, seed=4, population=5)
    policy.start(seeds)
    total, sizes = sum(energies(policy)), set()
    for visit in replay(recorded_web, policy, JUDGE, pages=150):
        total += visit.verdict.relevance
        sizes.add(len(policy.agents))
        assert sum(energies(policy)) == pytest.approx(total)
    assert sizes == {1, 2, 3, 4, 5}


def test_a_seed_given_twice_has_one_agent() -> None:
    policy = started(HOME, HOME)
    policy.start([seed_link(HOME)])
    assert len(policy.agents) == 1


def test_a_visit_of_a_dead_agent_goes_to_one_that_lives() -> None:
    policy = started(f"{HOME}1", f"{HOME}2", energy=0.3, cost=0.1)
    out = choice(policy)
    del policy.agents[policy._out[out.fingerprint][0]]
    policy.learn(back(out, ["/x"]))
    assert energies(policy) == pytest.approx([0.2])
    assert len(policy) == 2


def test_a_visit_that_nobody_asked_for_is_taken_in() -> None:
    policy = Arachnid(topic=TOPIC)
    policy.learn(back(seed_link(HOME), ["/1", "/2"]))
    assert len(policy.agents) == 1
    assert len(drain(policy)) == 2


# -- settings and corrections --------------------------------------------------------------


def test_bad_settings_are_refused() -> None:
    for settings, sentence in (
        ({"beta": -1.0}, "beta lies between 0 and 30, not -1.0"),
        ({"energy": 0.0}, "energy is what an agent begins with, above 0, not 0.0"),
        ({"cost": -0.1}, "cost is 0 or more, not -0.1"),
        ({"theta": math.nan}, "theta is 0 or more, not nan"),
        ({"rate": math.inf}, "rate is 0 or more, not inf"),
        ({"discount": 2.0}, "discount lies between 0 and 1, not 2.0"),
        ({"population": 0}, "population is the most agents"),
        ({"buffer": 0}, "a frontier of at most 0"),
    ):
        with pytest.raises(ValueError, match=sentence):
            Arachnid(topic=TOPIC, **settings)


def test_a_correction_pays_or_takes_back() -> None:
    policy = Arachnid(topic=Topic.of("solar eclipse"), seed=0)
    policy.start([seed_link("http://a.example/")])
    link = choice(policy)
    page = Page(link.url, terms=terms("moon"))
    policy.learn(Visit(link, page, Verdict(1.0, True)))
    (agent,) = policy.agents.values()
    energy = agent.energy
    policy.correct(Visit(link, page, Verdict(0.0, False)))
    assert agent.energy == pytest.approx(energy - 1)
    policy.correct(Visit(link, page, Verdict(1.0, True)))
    assert agent.energy == pytest.approx(energy)
