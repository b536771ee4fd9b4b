"""Measures of webs that are small enough to measure by hand, and against other libraries."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rustworkx
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from lab.described import described
from lab.tiny import url, web_of
from wolfspider.errors import BadInput
from wolfspider.lab.describe.clustering import both_ways, clustering, triangles
from wolfspider.lab.describe.components import Components, bow_tie, strong, weak
from wolfspider.lab.describe.content import Pairs, content
from wolfspider.lab.describe.degrees import Degrees, in_degrees, out_degrees
from wolfspider.lab.describe.estimates import by_source, ratio
from wolfspider.lab.describe.power_law import fit
from wolfspider.lab.describe.reach import Walks, drawn, effective_diameter
from wolfspider.lab.describe.targets import heights
from wolfspider.webs.graph import Graph
from wolfspider.webs.recorded import RecordedWeb

Make = Callable[..., RecordedWeb]

# b ⇄ c is the core; a leads in, d and e lead out; t is a tube, f and g are tendrils, x and y apart.
BOW_TIE = {"a": "btf", "b": "cd", "c": "b", "d": "e", "e": "", "t": "e", "f": "", "g": "d"} | {
    "x": "y",
    "y": "",
}
CHAIN = {"a": "b", "b": "c", "c": "d", "d": ""}


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def make(links: dict[str, str], **given: Any) -> RecordedWeb:
        given = {"labels": {}, "hosts": {}} | given
        return web_of(tmp_path / f"web{len(list(tmp_path.iterdir()))}", links, **given)

    return make


# -- degrees -------------------------------------------------------------------------------


def test_degrees_are_counted(make: Make) -> None:
    graph = Graph(make({"a": "bcd", "b": "c", "c": "", "d": "c"}))
    into, out = Degrees.of(in_degrees(graph)), Degrees.of(out_degrees(graph))
    assert (into.mean, into.median, into.largest, into.zeros) == (1.25, 1, 3, 1)
    assert (out.mean, out.median, out.largest, out.zeros) == (1.25, 1, 3, 1)
    assert into.counts == ((0, 1), (1, 2), (3, 1))
    assert into.power_law is None  # four values tell nothing


def test_a_power_law_is_found_again() -> None:
    """Also a steep one: the package looks no further than α = 3 unless told to."""
    generator = np.random.default_rng(1)
    for alpha in (2.3, 3.6):
        law = fit(generator.zipf(alpha, 20_000).clip(max=10**6))
        assert law is not None
        assert abs(law.alpha - alpha) < 4 * law.error
        assert law.verdict.startswith("plausible")
        assert law.exponential.ratio is not None
        assert law.exponential.ratio > 0


def test_what_is_no_power_law_is_called_so() -> None:
    law = fit(np.random.default_rng(1).geometric(0.1, 5000))
    assert law is not None
    assert law.verdict in ("a lognormal fits better", "an exponential fits better")


@pytest.mark.parametrize("values", [[], [0, 0], [7] * 100, [1, 2] * 50, list(range(1, 40))])
def test_too_few_values_make_no_power_law(values: list[int]) -> None:
    assert fit(np.array(values, np.int64)) is None


# -- components ----------------------------------------------------------------------------


def test_every_part_of_the_bow_tie(make: Make) -> None:
    graph = Graph(make(BOW_TIE))
    assert bow_tie(graph, strong(graph), weak(graph)) == {
        "core": 2,
        "in": 1,
        "out": 2,
        "tubes": 1,
        "tendrils": 2,
        "disconnected": 2,
    }


def test_components_are_counted(make: Make) -> None:
    graph = Graph(make(BOW_TIE))
    assert Components.of(strong(graph)) == Components(9, 2, ((1, 8), (2, 1)))
    assert Components.of(weak(graph)) == Components(2, 8, ((2, 1), (8, 1)))


def test_a_web_without_cycles_has_no_core(make: Make) -> None:
    graph = Graph(make(CHAIN))
    assert bow_tie(graph, strong(graph), weak(graph)) is None


# -- distances -----------------------------------------------------------------------------


def test_distances_on_a_chain(make: Make) -> None:
    """a → b → c → d: three pairs 1 apart, two 2 apart, one 3 apart; six of twelve have no way."""
    found = described(make(CHAIN))
    reach = found.directed
    assert (reach.pairs, reach.longest, reach.exact, reach.sources) == ((3, 2, 1), 3, True, 4)
    assert reach.mean is not None
    assert (reach.mean.value, reach.mean.low, reach.mean.exact) == (10 / 6, None, True)
    assert reach.reachable is not None
    assert reach.reachable.value == 0.5
    assert found.undirected.pairs == (6, 4, 2)


def test_sampled_distances_have_an_interval_around_the_truth(recorded_web: RecordedWeb) -> None:
    exact = described(recorded_web, sources=len(recorded_web)).directed
    sampled = described(recorded_web, sources=60).directed
    assert exact.exact
    assert not sampled.exact
    assert exact.mean is not None
    assert sampled.mean is not None
    assert sampled.mean.low is not None
    assert sampled.mean.high is not None
    assert sampled.mean.low < exact.mean.value < sampled.mean.high
    assert (sampled.longest or 0) <= (exact.longest or 0)


def test_the_effective_diameter_lies_between_whole_numbers() -> None:
    assert effective_diameter(np.array([0, 8, 2])) == pytest.approx(1.5)
    assert effective_diameter(np.array([0, 0, 10])) == pytest.approx(1.9)
    assert effective_diameter(np.zeros(0, np.int64)) is None


def test_no_way_at_all() -> None:
    walks = Walks()
    walks.add(np.array([0.0, np.inf]))
    found = walks.reach(seed=0)
    assert (found.mean, found.longest, found.pairs) == (None, None, ())


def test_a_sample_is_a_sample() -> None:
    pages = np.arange(50)
    assert drawn(pages, 50, 0).tolist() == pages.tolist()
    few = drawn(pages, 10, 3)
    assert len(set(few.tolist())) == 10
    assert few.tolist() == drawn(pages, 10, 3).tolist()


def test_an_interval_is_drawn_by_source() -> None:
    """One source with many pairs is still one source: the interval is wide."""
    tops, bottoms = np.array([1000.0, 1.0, 1.0]), np.array([100.0, 1.0, 1.0])
    found = ratio(tops, bottoms, seed=0)
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert (found.low, found.high) == (1.0, 10.0)
    assert ratio(np.zeros(2), np.zeros(2), seed=0) is None
    single = by_source(lambda rows: float(len(rows)), np.zeros(5, np.int64), seed=0)
    assert single is not None
    assert (single.value, single.low) == (5, None)


# -- clustering ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("links", "average", "transitivity", "count"),
    [
        ({"a": "b", "b": "c", "c": "a"}, 1.0, 1.0, 1),
        ({"a": "bcd", "b": "", "c": "", "d": "a"}, 0.0, 0.0, 0),
        # A triangle with a tail: 1, 1, 1/3 and 0, of one triangle and five pairs of neighbours.
        ({"a": "bc", "b": "c", "c": "d", "d": ""}, (1 + 1 + 1 / 3) / 4, 3 / 5, 1),
    ],
    ids=["triangle", "star", "triangle with a tail"],
)
def test_clustering_by_hand(
    make: Make, links: dict[str, str], average: float, transitivity: float, count: int
) -> None:
    found = clustering(both_ways(Graph(make(links))))
    assert found.average == pytest.approx(average)
    assert found.transitivity == pytest.approx(transitivity)
    assert found.triangles == count


def test_links_there_and_back_are_one_for_clustering(make: Make) -> None:
    neighbours = both_ways(Graph(make({"a": "ab", "b": "ac", "c": ""})))
    assert neighbours.toarray().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40))
def test_triangles_are_those_of_a_slow_count(pairs: list[tuple[int, int]]) -> None:
    edges = sorted({(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]})
    matrix = np.zeros((10, 10), np.int32)
    for a, b in edges:
        matrix[a, b] = matrix[b, a] = 1
    slow = np.zeros(10, int)
    for three in combinations(range(10), 3):
        if all(matrix[a, b] for a, b in combinations(three, 2)):
            slow[list(three)] += 1
    assert triangles(csr_array(matrix)).tolist() == slow.tolist()
    graph = rustworkx.PyGraph()
    graph.add_nodes_from(range(10))
    graph.add_edges_from_no_data(edges)
    found = clustering(csr_array(matrix)).transitivity
    assert (found or 0.0) == pytest.approx(rustworkx.transitivity(graph))


# -- hosts, depths, targets ----------------------------------------------------------------


def test_hosts_and_the_links_between_them(make: Make) -> None:
    hosts = {"a": "x.example", "b": "x.example", "c": "y.example", "d": "z.example"}
    found = described(make(CHAIN, hosts=hosts)).hosts
    assert (found.count, found.links_within, found.links_across) == (3, 1, 2)
    assert found.biggest == (("x.example", 2), ("y.example", 1), ("z.example", 1))
    assert found.sizes == ((1, 2), (2, 1))


def test_depths_from_the_start_page(make: Make) -> None:
    web = make(BOW_TIE)
    found = described(web)
    assert (found.start, found.depths, found.unreachable) == (url("a", {}), (1, 3, 3), 3)
    other = described(web, start=url("x", {}))
    assert (other.depths, other.unreachable) == ((1, 1), 8)


def test_ways_back_by_hand(make: Make) -> None:
    """t → b → c → a → t, and d → a: within 1 link a leads to t, and b is led to."""
    web = make({"a": "t", "t": "b", "b": "c", "c": "a", "d": "a"}, labels={"wanted": "t"})
    target = web.label("wanted").astype(np.int64)
    found = [
        (each.ancestors, each.descendants, each.both, each.both_at_all)
        for each in heights(Graph(web), target, 3)
    ]
    assert found == [(1, 1, 0, 1), (3, 2, 1, 2), (4, 3, 3, 3)]


def test_distances_of_targets(make: Make) -> None:
    """The targets b and d are 2 links apart, one way only."""
    found = described(make(CHAIN, labels={"wanted": "bd"}), label="wanted").targets
    assert found is not None
    assert (found.count, found.hosts) == (2, 1)
    assert found.to_targets.pairs == (0, 1)
    assert found.to_all.pairs == (1, 1)
    assert found.from_all.pairs == (2, 1, 1)  # a → b, c → d; b → d; a → d
    assert found.nearest.pairs == (0, 1)
    assert (found.depths, found.unreachable) == ((0, 1, 0, 1), 0)


# -- content -------------------------------------------------------------------------------


def test_near_pages_that_are_alike_give_a_negative_correlation(make: Make) -> None:
    words = {
        "a": "stars planets moons",
        "b": "stars planets comets",
        "c": "stars engines wheels",
        "d": "soup bread cheese",
    }
    found = described(make(CHAIN, words=words)).content
    means = [each.similarity.value for each in found.by_distance if each.similarity]
    assert means[0] > means[1] > means[2] == 0
    assert found.spearman is not None
    assert found.spearman.value < 0
    assert found.pairs == 6


def test_pages_without_words_are_left_out(make: Make) -> None:
    web = make(CHAIN, words={"a": "stars", "b": "planets"})
    pairs = Pairs(0)
    pairs.add(0, Graph(web).distances_from(np.array([0])))
    found = content(web, pairs, 0)
    assert (found.pairs, found.wordless) == (1, 2)
    assert found.spearman is None


# -- all of it -----------------------------------------------------------------------------


def test_a_single_page_is_described(make: Make) -> None:
    found = described(make({"a": ""}, words={"a": "stars"}))
    assert (found.pages, found.links, found.bow_tie) == (1, 0, None)
    assert found.directed.mean is None
    assert found.clustering.average is None
    assert found.content.pairs == 0


def test_the_same_seed_gives_the_same_numbers(recorded_web: RecordedWeb) -> None:
    first = described(recorded_web, sources=30, random_seed=5)
    assert first == described(recorded_web, sources=30, random_seed=5)
    assert first.directed != described(recorded_web, sources=30, random_seed=6).directed


def test_bad_input_is_a_sentence(make: Make) -> None:
    web = make(CHAIN, labels={"wanted": "b"})
    with pytest.raises(BadInput, match=r"no page of .* has the label 'other'; known: wanted"):
        described(web, label="other")
    with pytest.raises(BadInput, match=r"the start page http://b.example/ is not in"):
        described(web, start="http://b.example/")
