"""Distances and rewards on a graph, against slow references and by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from lab.tiny import LINKS
from wolfspider.records import Floats
from wolfspider.webs.graph import Graph
from wolfspider.webs.recorded import RecordedWeb

Edges = list[tuple[int, int]]


@dataclass
class Drawn:
    """As much of a web as a graph asks for."""

    size: int
    edges: Edges

    def __len__(self) -> int:
        return self.size

    @property
    def graph(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        edges = sorted(set(self.edges))
        counts = np.bincount([a for a, _ in edges], minlength=self.size)
        return np.cumsum([0, *counts]), np.array([b for _, b in edges], np.int32)


@st.composite
def webs(draw: st.DrawFn) -> tuple[Drawn, list[int], NDArray[np.bool_]]:
    """A graph, some of its pages, and the pages that exist at all."""
    size = draw(st.integers(1, 12))
    page = st.integers(0, size - 1)
    edges = draw(st.lists(st.tuples(page, page), max_size=40))
    pages = draw(st.lists(page, min_size=1, max_size=4))
    within = np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    within[pages] = True
    return Drawn(size, edges), pages, within


def graph_of(web: Drawn, within: NDArray[np.bool_] | None = None) -> Graph:
    return Graph(cast(RecordedWeb, web), within)


def by_dijkstra(web: Drawn, pages: list[int], *, backwards: bool = False) -> Floats:
    matrix = np.zeros((web.size, web.size))
    for a, b in web.edges:
        matrix[a, b] = 1
    matrix = matrix.T if backwards else matrix
    found: Floats = dijkstra(csr_array(matrix), indices=pages, unweighted=True, min_only=True)
    return found


@given(webs())
def test_distances_are_those_of_scipy(drawn: tuple[Drawn, list[int], NDArray[np.bool_]]) -> None:
    web, pages, _ = drawn
    graph = graph_of(web)
    assert graph.distances_from(np.array(pages)).tolist() == by_dijkstra(web, pages).tolist()
    expected = by_dijkstra(web, pages, backwards=True)
    assert graph.distances_to(np.array(pages)).tolist() == expected.tolist()


@given(webs())
def test_pages_outside_do_not_exist(drawn: tuple[Drawn, list[int], NDArray[np.bool_]]) -> None:
    web, pages, within = drawn
    kept = [(a, b) for a, b in web.edges if within[a] and within[b]]
    found = graph_of(web, within).distances_from(np.array(pages))
    assert found.tolist() == by_dijkstra(Drawn(web.size, kept), pages).tolist()


def test_distances_to_no_page_are_infinite() -> None:
    graph = graph_of(Drawn(3, [(0, 1)]))
    assert np.isinf(graph.distances_to(np.array([], np.int64))).all()


def test_a_long_chain_is_walked_to_its_end() -> None:
    size = 3000
    graph = graph_of(Drawn(size, [(n, n + 1) for n in range(size - 1)]))
    assert graph.distances_from(np.array([0])).tolist() == list(range(size))


def test_distances_on_the_tiny_web(tiny: RecordedWeb) -> None:
    graph = Graph(tiny)
    d, g = 3, 6
    found = dict(zip(LINKS, graph.distances_to(np.array([d, g])).tolist(), strict=True))
    never = float("inf")
    assert found == {"a": 2, "b": 1, "c": never, "d": 0, "e": 1, "f": never, "g": 0, "h": 3}


def test_the_best_reward_by_hand(tiny: RecordedWeb) -> None:
    """d and g are worth 1: from b it is γ·1 either way at once, from e γ, from a γ²."""
    rewards = np.zeros(8)
    rewards[[3, 6]] = 1
    found = Graph(tiny).best_reward(rewards, 0.5, 8)
    by_hand = {"a": 0.25, "b": 0.5, "c": 0, "d": 1, "e": 0.5, "f": 0, "g": 1, "h": 0.125}
    assert dict(zip(LINKS, found.tolist(), strict=True)) == by_hand


def test_the_best_reward_adds_up_along_a_path() -> None:
    graph = graph_of(Drawn(4, [(0, 1), (1, 2), (0, 3)]))
    rewards = np.array([0.0, 1.0, 1.0, 1.0])
    assert graph.best_reward(rewards, 0.5, 8).tolist() == [0.75, 1.5, 1, 1]
    assert graph.best_reward(rewards, 0.5, 1).tolist() == [0.5, 1.5, 1, 1]


def test_the_best_reward_on_a_circle_is_the_geometric_sum() -> None:
    graph = graph_of(Drawn(2, [(0, 1), (1, 0)]))
    assert graph.best_reward(np.ones(2), 0.5, 50).tolist() == pytest.approx([2, 2])
    assert graph.best_reward(np.ones(2), 0.5, 2).tolist() == pytest.approx([1.75, 1.75])


@given(webs(), st.floats(0.1, 0.9), st.integers(1, 6))
def test_the_best_reward_is_that_of_the_best_path(
    drawn: tuple[Drawn, list[int], NDArray[np.bool_]], gamma: float, horizon: int
) -> None:
    web, pages, _ = drawn
    rewards = np.zeros(web.size)
    rewards[pages] = 1
    ends: dict[int, set[int]] = {page: set() for page in range(web.size)}
    for a, b in web.edges:
        ends[a].add(b)

    def slow(page: int, left: int) -> float:
        ways = [slow(end, left - 1) for end in ends[page]] if left else []
        return float(rewards[page]) + gamma * max(ways, default=0.0)

    few = range(min(web.size, 3))
    found = graph_of(web).best_reward(rewards, gamma, min(horizon, 4))
    assert found[: len(few)] == pytest.approx([slow(page, min(horizon, 4)) for page in few])
