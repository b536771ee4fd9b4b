"""Algorithms 1 to 12 of Palotai, Farkas & Lőrincz, each on a tiny web made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import pytest

from checks import through_disk
from tiny_news import DAY, HOUR, page
from wolfspider.errors import BadInput
from wolfspider.watching.forager import Abilities, Forager
from wolfspider.watching.records import Snapshot
from wolfspider.watching.reinforcing_agent import (
    INIT_SCORE,
    MAX_SCORE,
    PENALTY,
    REWARD,
    Foragers,
)
from wolfspider.watching.url_ordering import UrlOrdering
from wolfspider.watching.weblog import Weblog

WL = Abilities(weblog_update=True, ordering_update=False)
RL = Abilities(weblog_update=False, ordering_update=True)
BOTH = Abilities(weblog_update=True, ordering_update=True)

Web = Mapping[int, Snapshot]


def forager(
    abilities: Abilities = BOTH, *, starts: tuple[int, ...] = (1,), max_step: int = 100
) -> Forager:
    ordering = UrlOrdering(np.array([1.0, 0.0]))
    weblog = Weblog(dict.fromkeys(starts, 0.0))
    return Forager(weblog, ordering, abilities, 0, max_step=max_step)


def step(walker: Forager, web: Web, now: float = 0.0, reward: float = 0.0) -> list[int]:
    """A whole step: which addresses were downloaded."""
    asked, sent = [], None
    while sent is None:
        asked.append(walker.next_download())
        sent = walker.receive(web.get(asked[-1]), now)
    walker.reinforce(reward)
    return asked


# -- 1: weblog update ------------------------------------------------------------------------


def test_algorithm_1_values_are_the_rewards_of_the_rest_of_the_path() -> None:
    weblog = Weblog({7: 10.0, 9: 1.0})
    weblog.update([5, 7, 6], [1.0, 2.0, 4.0])
    # 5 and 6 are new: 1 + 2 + 4 and 4; 7 was known: 0.7 · 10 + 0.3 · (2 + 4)
    assert weblog.values == pytest.approx({7: 8.8, 5: 7.0, 6: 4.0, 9: 1.0})
    assert list(weblog.values) == [7, 5, 6, 9]


def test_algorithm_1_the_weblog_is_truncated_and_its_first_ten_are_starts() -> None:
    weblog = Weblog({}, size=12)
    weblog.update(list(range(20)), [1.0] * 20)  # the first steps have most before them
    assert list(weblog.values) == list(range(12))
    assert weblog.starting_urls == list(range(10))


# -- 2 to 4: URL ordering --------------------------------------------------------------------


def test_algorithm_2_states_are_stored_and_replaced() -> None:
    ordering = UrlOrdering(np.array([1.0, 2.0]))
    ordering.store([page(1, state=(0.5, 0.0)), page(2, state=(0.0, 0.5))])
    assert (ordering.value(1), ordering.value(2)) == (0.5, 1.0)
    ordering.store([page(1, state=(1.0, 1.0))])
    assert ordering.value(1) == 3.0
    assert ordering.value(3) == 0.0


def test_algorithm_3_the_best_of_the_frontier() -> None:
    ordering = UrlOrdering(np.array([1.0, -1.0]))
    ordering.store([page(1, state=(0.2, 0.0)), page(2, state=(0.9, 0.1)), page(3, state=(1, 1))])
    assert ordering.best([1, 2, 3]) == 2
    assert ordering.best([3, 4]) == 3  # equal: the first


def test_algorithm_4_weights_move_by_the_error_of_the_value() -> None:
    ordering = UrlOrdering(np.array([1.0, 0.0]))
    ordering.store([page(1, state=(0.5, 0.2)), page(2, state=(0.1, 0.4))])
    # δ = 10 + 0.9 · 0.1 − 0.5 = 9.59; w + 0.1 · 9.59 · (0.5, 0.2)
    ordering.update(1, 2, 10.0)
    assert np.allclose(ordering.weights, [1 + 0.4795, 0.1918])


def test_algorithm_4_says_when_it_diverges() -> None:
    ordering = UrlOrdering(np.array([1e10, 0.0]), alpha=50.0)
    ordering.store([page(1, state=(1.0, 1.0))])
    with pytest.raises(BadInput, match="values diverge"):
        ordering.update(1, 2, 1.0)


# -- 5: document relevancy -------------------------------------------------------------------


def test_algorithm_5_new_and_not_sent_before() -> None:
    walker, now = forager(), 100 * DAY
    young, old = page(1, published=now - 23 * HOUR), page(2, published=now - 25 * HOUR)
    assert walker.relevant_pages([young, old], now) == [young]
    assert walker.relevant_pages([young], now) == []
    changed = page(1, document=5, published=now)
    assert walker.relevant_pages([changed, changed], now) == [changed]


# -- 6: multiplication -----------------------------------------------------------------------


def test_algorithm_6_the_weblog_is_divided() -> None:
    walker = forager(WL, starts=tuple(range(1, 11)))
    child = walker.multiply(seed=3)
    mine, theirs = set(walker.weblog.values), set(child.weblog.values)
    assert (len(mine), len(theirs)) == (5, 5)
    assert mine | theirs == set(range(1, 11))
    # Without an ordering update the weights are new ones at random …
    assert not np.array_equal(child.ordering.weights, walker.ordering.weights)


def test_algorithm_6_a_single_address_is_shared() -> None:
    walker = forager(WL, starts=(7,))
    child = walker.multiply(seed=3)
    assert list(child.weblog.values) == list(walker.weblog.values) == [7]


def test_algorithm_6_weights_that_are_learned_are_copied() -> None:
    walker = forager(RL, starts=(1, 2))
    child = walker.multiply(seed=3)
    assert np.array_equal(child.ordering.weights, walker.ordering.weights)
    child.ordering.weights += 1
    assert not np.array_equal(child.ordering.weights, walker.ordering.weights)
    assert list(child.weblog.values) == list(walker.weblog.values) == [1, 2]  # it stays as it is


# -- 7 to 9: the reinforcing agent -----------------------------------------------------------


def test_algorithm_7_only_the_first_is_paid_for_a_document() -> None:
    agent, now = Foragers(seeds=[1], clusters=2), 50 * DAY
    first, second = agent.foragers
    news = page(4, published=now - HOUR)
    assert agent.manage_received_url(first, news, now).relevant
    assert first.score == pytest.approx(INIT_SCORE - 0.05 + 1)
    assert not agent.manage_received_url(second, news, now).relevant
    assert second.score == pytest.approx(INIT_SCORE - 0.05)
    assert not agent.manage_received_url(second, page(5, published=now - 2 * DAY), now).relevant


def test_algorithm_8_foragers_multiply_and_are_deleted() -> None:
    agent = Foragers(seeds=[1, 2, 3, 4], clusters=2, most=3)
    rich, poor = agent.foragers
    rich.score = MAX_SCORE
    assert agent.manage_forager(rich)
    assert len(agent.foragers) == 3
    assert rich.score == agent.foragers[2].score == INIT_SCORE
    rich.score = MAX_SCORE
    agent.manage_forager(rich)
    assert len(agent.foragers) == 3  # no more than most
    poor.score = 0.0
    assert not agent.manage_forager(poor)
    assert poor not in agent.foragers
    rich.score = -1.0
    assert agent.manage_forager(rich)
    assert len(agent.foragers) == 2  # no fewer than least


def test_algorithm_9_foragers_work_in_slices_of_time() -> None:
    agent = Foragers(seeds=[1], clusters=2, slice=10.0, least=3)
    web, turns = {1: page(1, (2, 3)), 2: page(2), 3: page(3)}, []
    for second in range(60):
        address = agent.next(float(second))
        assert address is not None
        turns.append(agent._turn)
        agent.learn(address, web.get(address), float(second))
    changes = [n for n in range(1, 60) if turns[n] != turns[n - 1]]
    assert sorted(set(turns)) == [0, 1, 2]
    # Each goes on after ten seconds, when the step that was begun is over.
    assert all(10 <= b - a <= 13 for a, b in pairwise(changes))


def test_algorithm_9_a_step_earns_what_its_documents_do() -> None:
    agent, now = Foragers(seeds=[1], clusters=2, fleet="wlrl"), 50 * DAY
    web = {1: page(1, (2, 3)), 2: page(2, published=now), 3: page(3, published=now)}
    agent.relevants[web[3].document] = None  # somebody was faster
    sent = []
    for _ in range(3):
        address = agent.next(now)
        assert address is not None
        sent += agent.learn(address, web[address], now)
    assert [(each.address, each.relevant) for each in sent] == [(2, True), (3, False)]
    assert agent.foragers[0]._rewards == [REWARD + PENALTY]


# -- 10 to 12: the forager -------------------------------------------------------------------


def test_algorithm_10_a_forager_begins_with_a_new_path() -> None:
    walker = forager(starts=(4,))
    assert walker.between_steps
    assert walker.next_download() == 4
    assert walker.weblog.values == {4: 0.0}


def test_algorithm_11_the_best_is_selected_and_paths_end() -> None:
    web = {
        1: page(1, (2, 3)),
        2: page(2, (1,), state=(0.1, 0.0)),
        3: page(3, (4,), state=(0.9, 0.0)),
        4: page(4, state=(0.5, 0.0)),
    }
    walker = forager(max_step=2)
    assert step(walker, web, reward=1.0)[0] == 1
    assert step(walker, web, reward=2.0)[0] == 3
    assert step(walker, web, reward=4.0)[0] == 4  # 0.5 against 0.1; the second that was selected
    step(walker, web)  # a new path, from any of the weblog
    assert walker.weblog.values == pytest.approx({1: 0.3 * 7.0, 3: 6.0, 4: 4.0})
    assert walker._visited != [1, 3, 4, 2]


def test_algorithm_11_a_path_without_a_way_on_ends_early() -> None:
    walker = forager()
    assert [step(walker, {1: page(1)})[0] for _ in range(3)] == [1, 1, 1]


def test_algorithm_12_a_step_downloads_a_page_and_all_its_links() -> None:
    web = {1: page(1, (2, 3, 9)), 2: page(2, (1, 4)), 3: page(3), 4: page(4)}
    walker = forager()
    assert step(walker, web) == [1, 2, 3, 9]  # 9 is not there, and is passed over
    assert list(walker._frontier) == [2, 3, 9]
    assert step(walker, web)[0] == 2
    assert list(walker._frontier) == [3, 9, 4]  # 1 has been visited on this path


def test_algorithm_12_a_page_that_is_not_there_ends_the_step() -> None:
    walker = forager()
    assert step(walker, {}) == [1]


def test_without_a_weblog_update_the_first_addresses_stay_the_starts() -> None:
    web = {n: page(n, (n + 1,)) for n in range(1, 30)}
    walker = forager(RL)
    for _ in range(25):
        step(walker, web, reward=float(REWARD))
    assert walker.weblog.starting_urls == list(range(1, 11))


@pytest.mark.parametrize("fleet", ["wl", "rl", "wlrl"])
def test_a_fleet_goes_on_alike_from_its_state(fleet: str) -> None:
    random = np.random.default_rng(0)
    web = {
        n: page(
            n,
            tuple(random.integers(1, 40, 5).tolist()),
            published=n * HOUR,
            state=tuple(random.uniform(-1, 1, 2)),
        )
        for n in range(1, 40)
    }

    def walk(agent: Foragers, begin: int, end: int) -> list[int]:
        asked = []
        for number in range(begin, end):
            address = agent.next(number * 60.0)
            assert address is not None
            asked.append(address)
            agent.learn(address, web.get(address), number * 60.0)
        return asked

    def new() -> Foragers:
        return Foragers(seeds=[1, 2], clusters=2, seed=4, fleet=fleet)  # type: ignore[arg-type]

    agent, under_way = new(), 0
    for number in range(0, 500, 7):
        walk(agent, number, number + 7)
        again = new()
        again.restore(through_disk(agent.state()))
        under_way += not agent.foragers[agent._turn].between_steps
        agent = again
    assert under_way > 20
    straight = new()
    walk(straight, 0, 504)
    assert walk(agent, 504, 800) == walk(straight, 504, 800)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"fleet": "none"}, "fleet is 'none'; it is one of wl, rl, wlrl"),
        ({"least": 5, "most": 4}, "least is 5 and most 4; 1 ≤ least ≤ most is needed"),
        ({"steps": 0}, "steps is 0 and slice 180; both must be above 0"),
        ({"gamma": 1.0}, "gamma 1.0; alpha > 0 and 0 ≤ gamma < 1"),
        ({"seeds": []}, "a fleet needs at least one address"),
    ],
)
def test_settings_out_of_range(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Foragers(**{"seeds": [1], "clusters": 2} | settings)  # type: ignore[arg-type]
