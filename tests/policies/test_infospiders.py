"""InfoSpiders does what Menczer, Pant & Srinivasan (2004) say, section 3.1.5 and section 5."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
import pytest
from scipy.stats import chisquare

from checks import (
    JUDGE,
    Recording,
    choice,
    digest,
    drain,
    follow,
    visit_of,
)
from wolfspider.crawl import replay
from wolfspider.policies.agents import Keywords, Perceptron, network_inputs, sigmoid
from wolfspider.policies.infospiders import InfoSpiders, move_probability
from wolfspider.policies.notes import Notes
from wolfspider.records import Link, Page, Verdict, Visit
from wolfspider.text import term_ids, terms
from wolfspider.topics import Topic
from wolfspider.urls import seed_link
from wolfspider.webs.recorded import RecordedWeb
from wordy import Words, wordy

TOPIC = Topic.of("solar eclipse")
TEXT = "solar solar eclipse moon"  # cosine with the topic: (2 + 1) / √(2 · 6)
SIMILAR = 3 / math.sqrt(12)
HOME = "http://a.example/"


def visit(url: str, text: str = "", links: Words | Sequence[str] = (), source: str = "") -> Visit:
    """Of a page with a text and links, which have words or none."""
    rows = links if isinstance(links, Mapping) else {link: {} for link in links}
    found = (
        Page(url, terms=terms(text), links=wordy(rows)) if rows else Page(url, terms=terms(text))
    )
    seed = seed_link(url)
    link = Link(seed.url, seed.fingerprint, seed.host, source=source)
    return Visit(link, found, Verdict(0.25, False))


def numbered(count: int, at: str = HOME) -> list[str]:
    return [f"{at}{number}" for number in range(count)]


def urls(links: Sequence[Link]) -> list[str]:
    return sorted(link.url for link in links)


# -- the net -------------------------------------------------------------------------------

ROWS = {
    f"{HOME}0": {"anchor": "solar", "context": "eclipse"},
    f"{HOME}1": {"anchor": "moon", "context": "solar tide solar"},
    **{f"{HOME}{number}": {"anchor": "tide"} for number in range(2, 7)},
    f"{HOME}7": {"anchor": "solar", "url": "solar", "heading": "eclipse"},
}


def test_inputs_are_keywords_near_the_link_weighted_by_distance() -> None:
    inputs = network_inputs(wordy(ROWS), term_ids("solar eclipse"))
    solar = [
        1 + 1 / 2,  # its own anchor; one link on, two words beside the anchor, half each
        1 + 1 / 2,  # the words beside its own anchor; the anchor before
        1 / 3 + 1 / 2 + 1 / 6,  # two back, one back, five on
        1 / 4 + 1 / 3 + 1 / 5,
        1 / 5 + 1 / 4 + 1 / 4,
        1 / 6 + 1 / 5 + 1 / 3,
        1 / 6 + 1 / 2,  # six back is too far
        1.0,  # words of the heading and the URL do not count
    ]
    assert inputs[:, 0] == pytest.approx(solar)
    assert inputs[:, 1] == pytest.approx([0.5 / (1 + n) if n <= 5 else 0 for n in range(8)])


def test_a_keyword_weighs_most_in_the_anchor_of_the_link_itself() -> None:
    for bag, other in (("anchor", "context"), ("context", "anchor")):
        rows = {f"{HOME}{n}": {bag: "tide", other: "tide"} for n in range(9)}
        rows[f"{HOME}4"] = {bag: "solar"}
        inputs = network_inputs(wordy(rows), term_ids("solar"))[:, 0]
        assert inputs.argmax() == 4
        assert inputs[4] == (1.0 if bag == "anchor" else 0.5)


def test_inputs_of_a_page_of_one_link_or_none() -> None:
    one = wordy({HOME: {"anchor": "solar solar"}})
    assert network_inputs(one, term_ids("solar moon")).tolist() == [[2.0, 0.0]]
    assert network_inputs(Page(HOME).links, term_ids("solar moon")).shape == (0, 2)


def test_one_step_of_back_propagation() -> None:
    """o = 1/(1 + e^-1.5) = 0.817574; step = 0.5 · (0.3 - o) · o · (1 - o) = -0.0385972."""
    net = Perceptron(np.array([1.0, 1.0]), 0.0)
    inputs = np.array([1.0, 0.5], np.float32)
    assert float(net(inputs)) == pytest.approx(0.8175744762)
    net.learn(inputs, 0.3, rate=0.5)
    assert net.weights == pytest.approx([1 - 0.0385972, 1 - 0.0192986], abs=1e-7)
    assert net.bias == pytest.approx(-0.0385972, abs=1e-7)


def test_the_step_goes_down_the_gradient() -> None:
    def error(weights: Sequence[float], bias: float) -> float:
        return 0.5 * (0.2 - float(Perceptron(np.array(weights), bias)(inputs))) ** 2

    inputs = np.array([0.7, 1.3], np.float32)
    net = Perceptron(np.array([0.4, -0.3]), 0.1)
    net.learn(inputs, 0.2, rate=1.0)
    small = 1e-6
    slopes = [
        (error((0.4 + small, -0.3), 0.1) - error((0.4 - small, -0.3), 0.1)) / (2 * small),
        (error((0.4, -0.3 + small), 0.1) - error((0.4, -0.3 - small), 0.1)) / (2 * small),
    ]
    assert net.weights == pytest.approx([0.4 - slopes[0], -0.3 - slopes[1]], abs=1e-7)


def test_sigmoid_of_anything() -> None:
    values = sigmoid(np.array([-1e9, -2.0, 0.0, 2.0, 1e9]))
    assert values == pytest.approx([0, 1 / (1 + math.e**2), 0.5, 1 / (1 + math.e**-2), 1])


# -- scores, and who is followed -----------------------------------------------------------


def test_a_link_is_worth_what_its_page_and_its_words_say() -> None:
    policy = InfoSpiders(topic=TOPIC, alpha=0.3, theta=99)
    policy.learn(visit(HOME, TEXT, {f"{HOME}1": {"anchor": "solar eclipse"}}))
    link = choice(policy)
    assert link.score == pytest.approx(0.3 * SIMILAR + 0.7 / (1 + math.e**-2))
    assert (link.source, link.depth, link.relevance) == (HOME, 1, 0.25)


def test_a_link_found_again_keeps_its_score() -> None:
    policy = InfoSpiders(topic=TOPIC, theta=99)
    policy.learn(visit(HOME, "moon", [f"{HOME}1"]))
    policy.learn(visit(f"{HOME}rich", TEXT, {f"{HOME}1": {"anchor": "solar eclipse"}}))
    assert [link.score for link in drain(policy)] == [0.25]  # (1 - α) · sigmoid(0)


FIRST = {
    f"{HOME}{name}": {"anchor": words} for name, words in zip("abc", ("solar", "", ""), strict=True)
}
LATER = {
    f"{HOME}{name}": {"anchor": words}
    for name, words in zip("de", ("", "eclipse solar"), strict=True)
}


@lru_cache
def pages() -> tuple[Visit, Visit]:
    return visit(HOME, "moon", FIRST), visit(f"{HOME}later", "moon", LATER)


def scores(found: Visit) -> dict[str, float]:
    """With α = 0 and a net that does not learn: all weights 1, bias 0."""
    inputs = network_inputs(found.page.links, TOPIC.terms.ids)
    values = 1 / (1 + np.exp(-inputs.sum(axis=1)))
    return dict(zip(found.page.links.urls(), values.tolist(), strict=True))


def test_links_leave_with_the_probabilities_of_equation_6_late_comers_too() -> None:
    runs, beta = 2500, 5.0
    counts: Counter[tuple[str, str]] = Counter()
    for seed in range(runs):
        policy = InfoSpiders(topic=TOPIC, alpha=0, beta=beta, learning=False, theta=99, seed=seed)
        policy.learn(pages()[0])
        one = choice(policy).url
        policy.learn(pages()[1])
        counts[one, choice(policy).url] += 1
    early, late = scores(pages()[0]), scores(pages()[1])
    expected = {}
    for one, value in early.items():
        chance = math.exp(beta * value) / sum(math.exp(beta * each) for each in early.values())
        others = {url: math.exp(beta * each) for url, each in (early | late).items() if url != one}
        for two, weight in others.items():
            expected[one, two] = runs * chance * weight / sum(others.values())
    assert counts.keys() <= expected.keys()
    assert min(expected.values()) > 20
    seen = [counts[pair] for pair in expected]
    assert chisquare(seen, list(expected.values())).pvalue > 0.001
    assert chisquare(seen, [runs / len(seen)] * len(seen)).pvalue < 1e-9  # not just any links


def test_beta_0_is_a_fair_choice() -> None:
    def first(seed: int) -> str:
        policy = InfoSpiders(topic=TOPIC, beta=0, theta=99, seed=seed)
        policy.learn(pages()[0])
        return choice(policy).url

    counts = Counter(first(seed) for seed in range(900))
    assert chisquare(list(counts.values())).pvalue > 0.001
    assert len(counts) == 3


def test_a_full_frontier_drops_the_lowest_scores_not_the_latest_times() -> None:
    rows = {f"{HOME}{n}": {"anchor": "solar " * (n // 20)} for n in range(0, 120, 20)}
    far_apart = {f"{HOME}{n}": rows.get(f"{HOME}{n}", {"anchor": "tide"}) for n in range(120)}
    for seed in range(20):
        policy = InfoSpiders(topic=TOPIC, beta=0, buffer=2, population=1, seed=seed)
        policy.learn(visit(HOME, "moon", far_apart))
        assert len(policy) == 2
        assert urls(drain(policy)) == [f"{HOME}100", f"{HOME}80"]


def test_what_was_dropped_is_welcome_again_and_what_has_left_is_not() -> None:
    policy = InfoSpiders(topic=TOPIC, buffer=1, population=1)
    policy.learn(visit(HOME, "moon", numbered(2)))
    kept = choice(policy)
    assert kept.url == f"{HOME}0"  # of equals the latest is dropped
    policy.learn(visit(f"{HOME}x", "moon", numbered(2)))
    assert urls(drain(policy)) == [f"{HOME}1"]


def test_a_better_link_takes_the_place_of_a_worse_one() -> None:
    policy = InfoSpiders(topic=TOPIC, buffer=2, population=1)
    policy.learn(visit(HOME, "moon", numbered(2)))
    policy.learn(visit(f"{HOME}x", "moon", {f"{HOME}new": {"anchor": "solar"}}))
    assert urls(drain(policy)) == [f"{HOME}0", f"{HOME}new"]


# -- learning ------------------------------------------------------------------------------


def taught(*, learning: bool) -> InfoSpiders:
    """After a visit to a link with inputs (1, 1) that led to a page of similarity 1/2."""
    policy = InfoSpiders(topic=TOPIC, learning=learning, theta=99)
    policy.learn(visit(HOME, "moon", {f"{HOME}1": {"anchor": "solar eclipse"}}))
    link = choice(policy)
    policy.learn(Visit(link, Page(link.url, terms=terms("solar moon"))))
    return policy


def test_the_net_learns_how_similar_the_page_behind_a_link_was() -> None:
    net = taught(learning=True).agents[0].net
    output = 1 / (1 + math.e**-2)
    step = 0.5 * (0.5 - output) * output * (1 - output)
    assert net.weights == pytest.approx([1 + step, 1 + step])
    assert net.bias == pytest.approx(step)


def test_without_learning_the_net_stays_as_it_is() -> None:
    policy = taught(learning=False)
    assert policy.agents[0].net.weights.tolist() == [1.0, 1.0]
    assert policy.agents[0].net.bias == 0.0
    assert policy.agents[0].energy == pytest.approx(0.5)


def test_nothing_is_learned_from_seeds_and_failures() -> None:
    policy = InfoSpiders(topic=TOPIC, theta=99)
    policy.start([seed_link(HOME)])
    policy.learn(Visit(choice(policy), visit(HOME, TEXT, numbered(1)).page))
    policy.learn(visit_of(choice(policy)))
    assert policy.agents[0].net.weights.tolist() == [1.0, 1.0]
    assert policy.agents[0].net.bias == 0.0
    assert policy.agents[0].document is not None


# -- where an agent stands -----------------------------------------------------------------


def test_probability_of_moving_is_equation_7() -> None:
    assert move_probability(0.0, 0.1) == 0.5
    assert move_probability(0.1, 0.1) == pytest.approx(0.7310585786)
    assert move_probability(-0.2, 0.1) == pytest.approx(0.1192029220)
    assert move_probability(1.0, 1e-300) == 1.0
    assert move_probability(-1.0, 1e-300) == 0.0


def test_an_agent_moves_with_that_probability() -> None:
    similar = visit(HOME, TEXT)
    other = visit(f"{HOME}x", "solar moon tide sea sun star planet comet")
    better = TOPIC.similarity(other.page.terms) - SIMILAR
    expected, runs = move_probability(better, 0.5), 1000

    def moved(seed: int) -> bool:
        policy = InfoSpiders(topic=TOPIC, temperature=0.5, theta=99, seed=seed)
        policy.learn(similar)
        assert policy.agents[0].document is similar.page.terms
        policy.learn(other)
        return policy.agents[0].document is other.page.terms

    count = sum(map(moved, range(runs)))
    assert 0.1 < expected < 0.4
    assert abs(count - runs * expected) < 4 * math.sqrt(runs * expected * (1 - expected))


# -- offspring -----------------------------------------------------------------------------


def parent_and_child(buffer: int | None = None, seed: int = 0) -> InfoSpiders:
    """After a page of 9 links from which the first agent has its offspring."""
    policy = InfoSpiders(topic=TOPIC, theta=0.6, buffer=buffer, seed=seed)
    policy.learn(visit(HOME, "solar solar eclipse moon moon tide", numbered(9)))
    return policy


def test_an_offspring_takes_half_of_the_links() -> None:
    policy = parent_and_child()
    parent, child = (drain_of(policy, number) for number in (0, 1))
    assert len(parent) == 5
    assert len(child) == 4
    assert urls([*parent, *child]) == numbered(9)
    for link in child:
        assert (link.source, link.depth, link.relevance) == (HOME, 1, 0.25)
        assert link.url == f"{HOME}{link.position}"


def drain_of(policy: InfoSpiders, number: int) -> list[Link]:
    return list(iter(policy.agents[number].frontier.pop, None))


def test_any_half_of_the_links_can_go() -> None:
    given = Counter(
        link.url for seed in range(200) for link in drain_of(parent_and_child(seed=seed), 1)
    )
    assert len(given) == 9
    assert all(50 < count < 130 for count in given.values())  # 89 ± 41: six deviations


def test_the_chances_of_equation_6_outlive_a_split() -> None:
    """α = 0, β = 2, scores by hand as above; whatever half an agent has, it softly chooses."""
    runs, seen, expected = 1500, 0, 0.0
    beta = 2.0
    for seed in range(runs):
        policy = InfoSpiders(topic=TOPIC, alpha=0, beta=beta, theta=0.5, learning=False, seed=seed)
        policy.learn(visit_rich())
        values = scores(visit_rich())
        agent = policy.agents[1]
        links = {link.url: values[link.url] for link in agent.frontier.best(9)}
        best = max(links, key=links.__getitem__)
        weights = {url: math.exp(beta * value) for url, value in links.items()}
        expected += weights[best] / sum(weights.values())
        seen += agent.frontier.best(1)[0].url == best
    assert abs(seen - expected) < 4 * math.sqrt(runs * 0.25)
    assert abs(seen - runs / 3) > 4 * math.sqrt(runs * 0.25)


@lru_cache
def visit_rich() -> Visit:
    words = ["solar eclipse solar", *[""] * 5]
    return visit(HOME, TEXT, {f"{HOME}{n}": {"anchor": each} for n, each in enumerate(words)})


def test_an_offspring_learns_the_most_frequent_new_word() -> None:
    parent, child = parent_and_child().agents
    assert parent.keywords.ids.tolist() == TOPIC.terms.ids.tolist()
    assert child.keywords.ids.tolist() == [*TOPIC.terms.ids.tolist(), *term_ids("moon").tolist()]
    assert child.keywords.counts.tolist() == [1.0, 1.0, 1.0]
    assert child.keywords.similarity(terms("moon solar")) == pytest.approx(2 / math.sqrt(3 * 2))
    assert child.net.weights.tolist() == [1.0, 1.0, 1.0]
    assert child.document is parent.document


def test_keywords_grow_only_by_what_is_new() -> None:
    keywords = Keywords.of_topic(TOPIC)
    assert keywords.expanded(None) is keywords
    assert keywords.expanded(terms("solar eclipse eclipse")) is keywords
    assert keywords.expanded(terms("")) is keywords


def test_both_begin_without_energy_and_share_the_buffer() -> None:
    parent, child = parent_and_child(buffer=11).agents
    assert (parent.energy, child.energy) == (0.0, 0.0)
    assert (parent.share, child.share) == (6, 5)


def test_the_clock_of_an_offspring_shows_the_time_of_its_parent() -> None:
    policy = InfoSpiders(topic=TOPIC, theta=0.6)
    policy.learn(visit(HOME, "moon", numbered(9)))
    last = [choice(policy) for _ in range(5)][-1]
    policy.learn(Visit(last, Page(last.url, terms=terms(TEXT))))
    parent, child = policy.agents
    assert child.now == parent.now > 0


def test_parent_and_child_learn_apart() -> None:
    policy = parent_and_child()
    parent, child = policy.agents
    weights = parent.net.weights.tolist()
    child.net.learn(np.ones(3, np.float32), 0.0, 0.5)
    assert parent.net.weights.tolist() == weights
    assert child.net.weights.tolist() != [1.0, 1.0, 1.0]


def test_agents_take_turns() -> None:
    policy = parent_and_child()
    owners = {link.fingerprint: n for n in (0, 1) for link in policy.agents[n].frontier.best(9)}
    order = [owners[link.fingerprint] for link in drain(policy)]
    assert order == [0, 1, 0, 1, 0, 1, 0, 1, 0]


def test_a_visit_goes_to_the_agent_that_chose_the_link() -> None:
    policy = parent_and_child()
    first, second = choice(policy), choice(policy)
    policy.learn(Visit(second, Page(second.url, terms=terms("moon"))))
    assert policy.agents[0].energy == 0.0
    assert policy.agents[1].energy == pytest.approx(1 / math.sqrt(3))
    policy.learn(Visit(first, Page(first.url, terms=terms("solar moon"))))
    assert policy.agents[0].energy == pytest.approx(0.5)


def test_a_visit_that_nobody_asked_for_goes_to_the_most_similar_agent() -> None:
    policy = parent_and_child()
    policy.learn(visit(f"{HOME}stranger", "moon moon", [f"{HOME}new"]))
    assert policy.agents[0].energy == 0.0
    assert policy.agents[1].energy == pytest.approx(1 / math.sqrt(3))
    assert f"{HOME}new" in urls(policy.agents[1].frontier.best(20))


def test_a_visit_of_a_link_that_still_waits_goes_to_its_agent() -> None:
    """As after a crash, when visits are told again."""
    policy = parent_and_child()
    [link] = policy.agents[0].frontier.best(1)
    policy.learn(Visit(link, Page(link.url, terms=terms("moon"))))
    assert policy.agents[0].net.bias < 0  # learned that such a link leads nowhere
    assert policy.agents[1].energy == 0.0
    assert len(policy) == 9


def test_no_offspring_without_energy_links_and_room() -> None:
    def agents(links: int, **settings: float | int | bool | None) -> int:
        policy = InfoSpiders(topic=TOPIC, **{"theta": 0.5, **settings})  # type: ignore[arg-type]
        policy.learn(visit(HOME, TEXT, numbered(links)))
        return len(policy.agents)

    assert agents(9) == 2
    assert agents(9, theta=0.9) == 1
    assert agents(1) == 1
    assert agents(9, population=1) == 1
    assert agents(9, evolution=False) == 1
    assert agents(9, buffer=1, population=1) == 1


def test_no_link_is_lost_or_doubled_while_agents_multiply(
    recorded_web: RecordedWeb, recording: Recording, seeds: list[Link]
) -> None:
    policy = InfoSpiders(topic=recording.topic, theta=0.05, seed=3)
    found = {seed.fingerprint for seed in seeds}
    left = set()
    for each in replay(recorded_web, policy, JUDGE, seeds):
        left.add(each.link.fingerprint)
        found.update(each.page.links.fingerprints.tolist())
        waiting = [n for agent in policy.agents for n in agent.frontier.waiting().tolist()]
        assert len(set(waiting)) == len(waiting) == len(policy)
        assert set(waiting) == found - left
        assert len(policy.agents) <= 8
    assert len(policy.agents) == 8
    assert left == found


def test_the_buffer_is_shared_and_never_exceeded(
    recorded_web: RecordedWeb, recording: Recording, seeds: list[Link]
) -> None:
    policy = InfoSpiders(topic=recording.topic, theta=0.05, buffer=37, seed=3)
    most = 0
    for _ in replay(recorded_web, policy, JUDGE, seeds):
        shares = [agent.share or 0 for agent in policy.agents]
        assert sum(shares) == 37
        assert min(shares) >= 1
        assert all(len(agent.frontier) <= (agent.share or 0) for agent in policy.agents)
        most = max(most, len(policy))
    assert most > 20
    assert len(policy.agents) > 3


def test_evolution_off_is_a_population_of_one(
    recorded_web: RecordedWeb, recording: Recording, seeds: list[Link]
) -> None:
    def trace(**settings: bool | int) -> str:
        policy = InfoSpiders(topic=recording.topic, theta=0.05, seed=1, **settings)  # type: ignore[arg-type]
        policy.start(seeds)
        return digest(follow(policy, recorded_web, 150))

    assert trace(evolution=False) == trace(population=1)
    assert trace(evolution=False) != trace()
    assert trace(learning=False) != trace()
    assert trace(learning=False, evolution=False) != trace(evolution=False)


# -- memory, states, busy hosts ------------------------------------------------------------


def test_a_state_does_not_change_with_the_policy(
    recorded_web: RecordedWeb, recording: Recording, seeds: list[Link]
) -> None:
    def crawl(*, disturb: bool) -> str:
        policy = InfoSpiders(topic=recording.topic, theta=0.05, seed=1)
        policy.start(seeds)
        follow(policy, recorded_web, 20)
        state = policy.state()
        if disturb:
            follow(policy, recorded_web, 40)
        other = InfoSpiders(topic=recording.topic, theta=0.05, seed=1)
        other.restore(state)
        return digest(follow(other, recorded_web, 40))

    assert crawl(disturb=True) == crawl(disturb=False)


def test_what_is_noted_of_links_goes_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Notes, "clear_above", 16)
    policy = InfoSpiders(topic=TOPIC, buffer=10, population=1)
    for number in range(200):
        at = f"{HOME}{number}/"
        policy.learn(
            visit(at, "moon", {url: {"anchor": "solar " * (number % 7)} for url in numbered(5, at)})
        )
        if len(policy) > 6:
            choice(policy)
        assert policy._notes._end <= 2 * 10 + 16
    assert len(policy.state()["notes"]["scores"]) == len(policy)


class Resting:
    """Busy hosts that tell only once who was freed, as those of the live web do."""

    def __init__(self) -> None:
        self.hosts = {"a.example"}
        self.news: list[str] = []

    def __contains__(self, name: object) -> bool:
        return name in self.hosts

    def freed(self) -> list[str]:
        news, self.news = self.news, []
        return news


def test_every_agent_hears_that_a_host_is_free_again() -> None:
    policy, busy = parent_and_child(), Resting()
    for _ in range(3):
        assert policy.next(busy) is None
    busy.hosts, busy.news = set(), ["a.example"]
    left = [link.url for link in iter(lambda: policy.next(busy), None)]
    assert sorted(left) == numbered(9)


def test_an_agent_without_a_link_of_a_free_host_is_passed_over() -> None:
    policy = parent_and_child()
    policy.learn(visit("http://b.example/", "moon", ["http://b.example/1", "http://b.example/2"]))
    free = [policy.next({"a.example"}) for _ in range(3)]
    assert [link and link.host for link in free] == ["b.example", "b.example", None]
    assert len(policy) == 9


def test_one_agent_alone_may_have_a_small_buffer() -> None:
    policy = InfoSpiders(topic=TOPIC, buffer=1, evolution=False)
    policy.learn(visit(HOME, TEXT, numbered(3)))
    assert len(policy) == 1


def test_bad_settings_are_refused() -> None:
    for settings, sentence in (
        ({"alpha": 1.5}, "alpha lies between 0 and 1, not 1.5"),
        ({"beta": 31.0}, "beta lies between 0 and 30, not 31.0"),
        ({"beta": math.nan}, "beta lies between"),
        ({"temperature": 0.0}, "temperature is above 0, not 0.0"),
        ({"theta": -1.0}, "theta is an energy, 0 or more, not -1.0"),
        ({"rate": math.inf}, "rate is 0 or more, not inf"),
        ({"population": 0}, "population is the most agents"),
        ({"buffer": 7}, "8 agents cannot share a buffer of 7 links"),
        ({"buffer": 0, "population": 1}, "1 agents cannot share"),
    ):
        with pytest.raises(ValueError, match=sentence):
            InfoSpiders(topic=TOPIC, **settings)


def test_a_correction_moves_energy_and_net() -> None:
    policy = InfoSpiders(topic=TOPIC, seed=0)
    policy.start([seed_link(HOME)])
    first = choice(policy)
    links = wordy({"http://a.example/1": {"anchor": "eclipse"}})
    policy.learn(Visit(first, Page(HOME, terms=terms(TEXT), links=links)))
    second = choice(policy)
    page = Page(second.url, terms=terms("moon"))
    policy.learn(Visit(second, page))
    (agent,) = policy.agents
    energy, inputs = agent.energy, network_inputs(links, agent.keywords.ids)
    before = agent.net(inputs).item(0)
    policy.correct(Visit(second, page, Verdict(1.0, True)))
    assert agent.energy == pytest.approx(energy + 1)  # the page has none of the topic's words
    assert agent.net(inputs).item(0) > before
    policy.correct(Visit(second, page, Verdict(0.0, False)))
    assert agent.energy == pytest.approx(energy + 1)
