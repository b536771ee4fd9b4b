"""Q of links: the paper's own small values, and agreement with a slow reference."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.training.values import greedy_rewards
from wolfspider.webs.graph import Graph

Edges = list[tuple[int, int]]


def graph_of(edges: Edges, size: int, within: list[bool] | None = None) -> Graph:
    rows = sorted(set(edges))
    starts = np.searchsorted([source for source, _ in rows], np.arange(size + 1))
    targets = np.array([target for _, target in rows], np.int32)
    graph = starts.astype(np.int64), targets
    made: Any = type("Web", (), {"graph": graph, "__len__": lambda _: size})()
    return Graph(made, None if within is None else np.array(within))


def q(edges: Edges, targets: set[int], size: int, gamma: float = 0.5) -> list[float]:
    mask = np.array([page in targets for page in range(size)])
    return list(map(float, greedy_rewards(graph_of(edges, size), mask, gamma)))


def test_a_single_reward_is_discounted_by_its_distance() -> None:
    path = [(0, 1), (1, 2), (2, 3)]
    assert q(path, {3}, 5) == [0.125, 0.25, 0.5, 1.0, 0.0]


def test_a_page_that_reveals_a_gold_mine() -> None:
    """Link B gives 0 and then 1, 1, …, 1; link A gives 1 and nothing more."""
    mine = [(0, page) for page in range(2, 12)]
    values = q(mine, {1, *range(2, 12)}, 12)
    assert values[1] == 1.0  # A
    assert values[0] == pytest.approx(sum(0.5**t for t in range(1, 11)))  # B
    assert values[0] < values[1]  # "A is the better choice"


def test_the_spider_may_go_back_to_any_page_it_has_seen() -> None:
    """0 → 1 → 2 (target); 0 → 3 (target): after 3 the way to 2 leads through 0 again."""
    assert q([(0, 1), (1, 2), (0, 3)], {2, 3}, 4)[0] == pytest.approx(0.5 + 0.125)


def test_a_target_counts_once() -> None:
    assert q([(0, 1), (1, 0)], {0, 1}, 2) == [1.5, 1.5]


def test_only_known_pages_exist() -> None:
    graph = graph_of([(0, 1), (1, 2)], 3, within=[True, False, True])
    assert greedy_rewards(graph, np.array([False, False, True]), 0.5).tolist() == [0.0, 0.0, 1.0]


@given(
    st.integers(2, 9).flatmap(
        lambda size: st.tuples(
            st.just(size),
            st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), max_size=30),
            st.sets(st.integers(0, size - 1), min_size=1),
            st.sampled_from([0.3, 0.5, 0.9]),
        )
    )
)
def test_it_agrees_with_a_slow_reference(case: tuple[int, Edges, set[int], float]) -> None:
    size, edges, targets, gamma = case
    edges = [(a, b) for a, b in edges if a != b]
    expected = [slow(edges, targets, page, gamma) for page in range(size)]
    assert q(edges, targets, size, gamma) == pytest.approx(expected, abs=1e-5)


def slow(edges: Edges, targets: set[int], page: int, gamma: float) -> float:
    """The sequence as the paper tells it: search the whole graph again for each reward."""
    sequence, left, time, value = [page], set(targets), 0, 0.0
    while True:
        ways = [
            (len(way) - 1, target, at, way)
            for at, source in enumerate(sequence)
            for target in left
            if (way := shortest(edges, source, target)) is not None
        ]
        if not ways:
            return value
        _, target, _, way = min(ways)
        time += len(way) - 1
        value += gamma**time
        left.remove(target)
        sequence += [step for step in way if step not in sequence]


def shortest(edges: Edges, source: int, target: int) -> list[int] | None:
    """The shortest way, through the lowest pages."""
    distances, queue = {target: 0}, deque([target])
    while queue:
        page = queue.popleft()
        for before in [a for a, b in edges if b == page and a not in distances]:
            distances[before] = distances[page] + 1
            queue.append(before)
    if source not in distances:
        return None
    way = [source]
    while way[-1] != target:
        nearer = [b for a, b in edges if a == way[-1] and distances.get(b) == distances[a] - 1]
        way.append(min(nearer))
    return way
