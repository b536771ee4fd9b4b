"""Going round: breadth first, and as often as pages change."""

from __future__ import annotations

import numpy as np
import pytest

from checks import through_disk
from tiny_news import DAY, HOUR, page
from wolfspider.watching.records import Snapshot, Watcher
from wolfspider.watching.recrawl import BreadthFirstRecrawl, ChangeRate, change_rates, visit_rates

TREE = {1: page(1, (2, 3)), 2: page(2, (4, 1)), 3: page(3, (4,)), 4: page(4)}


def asked(watcher: Watcher, web: dict[int, Snapshot], count: int, begin: float = 0.0) -> list[int]:
    found = []
    for number in range(count):
        now = begin + number * 60.0
        address = watcher.next(now)
        assert address is not None
        found.append(address)
        watcher.learn(address, web.get(address), now)
    return found


def test_rounds_are_breadth_first_and_begin_again() -> None:
    watcher = BreadthFirstRecrawl(seeds=[1])
    assert asked(watcher, TREE, 9) == [1, 2, 3, 4, 1, 2, 3, 4, 1]
    assert asked(BreadthFirstRecrawl(seeds=[1], pages=2), TREE, 5) == [1, 2, 1, 2, 1]


def test_every_new_document_is_sent_once() -> None:
    watcher, now = BreadthFirstRecrawl(seeds=[1]), 30 * DAY
    fresh = page(1, published=now - HOUR)
    (sent,) = watcher.learn(1, fresh, now)
    assert (sent.document, sent.relevant) == (fresh.document, True)
    assert watcher.learn(1, fresh, now) == []
    assert watcher.learn(2, page(2), now) == []  # old
    assert watcher.learn(3, None, now) == []


def test_the_estimate_of_changes_by_hand() -> None:
    # ten visits in ten hours: 4 changes, 10 changes, none; and a page never visited again
    columns = np.array([[10, 4, 0, 36000], [10, 10, 0, 36000], [10, 0, 0, 36000], [0, 0, 0, 0.0]])
    rates = change_rates(columns)
    hourly = [-np.log(6.5 / 11), -np.log(0.5 / 11), -np.log(10.5 / 11)]
    assert np.allclose(rates[:3], np.array(hourly) / 3600)
    assert rates[3] == 1 / DAY


def test_visits_are_worth_the_same_everywhere() -> None:
    changes = np.array([0.1, 0.5, 1.0, 3.0]) / HOUR
    rates = visit_rates(changes, budget=10 / HOUR)
    assert rates.sum() == pytest.approx(10 / HOUR)
    ratio = changes / rates
    worth = (1 - (1 + ratio) * np.exp(-ratio)) / changes  # of one visit more
    assert np.allclose(worth, worth[0], rtol=0.02)


def test_pages_that_change_too_often_get_no_visits() -> None:
    changes = np.array([0.1, 0.2, 500.0]) / HOUR
    rates = visit_rates(changes, budget=0.2 / HOUR)
    assert rates[2] == 0
    assert (rates[:2] > 0).all()


def test_pages_of_which_nothing_is_known_are_visited_alike() -> None:
    assert np.allclose(visit_rates(np.zeros(4), 2.0), 0.5)


def test_new_pages_come_first_and_changing_ones_more_often() -> None:
    watcher = ChangeRate(seeds=[1], plan=HOUR)
    counts = dict.fromkeys(range(1, 5), 0)
    for number in range(4000):
        now = number * 30.0
        address = watcher.next(now)
        assert address is not None
        counts[address] += 1
        here = TREE[address]
        if address == 2:  # another text every two hours
            here = page(2, (4, 1), document=10_000 + int(now // (2 * HOUR)))
        watcher.learn(address, here, now)
        if number == 3:
            assert set(counts.values()) == {1}
    assert counts[2] > 2 * max(counts[1], counts[3], counts[4])
    assert min(counts.values()) > 10


@pytest.mark.parametrize("kind", [BreadthFirstRecrawl, ChangeRate])
def test_they_go_on_alike_from_their_state(kind: type[BreadthFirstRecrawl | ChangeRate]) -> None:
    random = np.random.default_rng(1)
    web = {n: page(n, tuple(random.integers(1, 60, 4).tolist())) for n in range(1, 60)}
    watcher = kind(seeds=[1])
    asked(watcher, web, 333)
    again = kind(seeds=[1])
    again.restore(through_disk(watcher.state()))
    begin = 333 * 60.0
    assert asked(watcher, web, 300, begin) == asked(again, web, 300, begin)


def test_bad_settings() -> None:
    for make in (
        lambda: BreadthFirstRecrawl(seeds=[]),
        lambda: BreadthFirstRecrawl(seeds=[1], pages=0),
        lambda: ChangeRate(seeds=[1], plan=0),
    ):
        with pytest.raises(ValueError, match=r"1 or more|above 0|at least one"):
            make()
