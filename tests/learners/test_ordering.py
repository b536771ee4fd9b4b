"""Weights of ordering functions by hand, and the composite against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.learners.ordering import (
    Composite,
    draw_pairs,
    learn_weights,
    losses,
    preferences,
    similarities,
)
from wolfspider.records import NO_TERMS, Bag, Floats, Rows, Terms
from wolfspider.text import cosine, count_terms

BAGS = st.lists(st.integers(4, 12), min_size=1, max_size=8)


def bag(*ids: int) -> Terms:
    return count_terms(np.array(ids, np.uint32))


def anchors(*rows: list[int]) -> Bag:
    edges = np.cumsum([0, *map(len, rows)]).astype(np.uint32)
    return Bag(edges[:-1], edges[1:], np.array([each for row in rows for each in row], np.uint32))


def rows(*numbers: int) -> Rows:
    return np.array(numbers, np.intp)


# Items 0, 1, 2, in this order by distance. The first function has it right, the second reversed,
# the third cannot tell 0 and 1 apart.
VALUES = np.array([[0.9, 0.5, 0.1], [0.1, 0.5, 0.9], [0.4, 0.4, 0.1]])
PAIRS = rows(0, 0, 1), rows(1, 2, 2)


def test_a_function_prefers_the_higher_value_and_takes_no_side_between_equals() -> None:
    near, far = np.array([2.0, 1.0, 1.0]), np.array([1.0, 2.0, 1.0])
    assert preferences(near, far).tolist() == [1.0, 0.0, 0.5]


def test_the_loss_is_the_share_of_pairs_in_the_wrong_order() -> None:
    assert losses(VALUES, PAIRS) == pytest.approx([0, 1, 0.5 / 3])


def test_weights_after_one_and_two_rounds_by_hand() -> None:
    """w ← w · β^Loss / Z from (½, ½) with losses 0 and 1: β = ½ gives 1 : ½, then 1 : ¼."""
    two = VALUES[:2]
    assert learn_weights(two, [], 0.5).tolist() == [0.5, 0.5]
    assert learn_weights(two, [PAIRS], 0.5) == pytest.approx([2 / 3, 1 / 3])
    assert learn_weights(two, [PAIRS, PAIRS], 0.5) == pytest.approx([4 / 5, 1 / 5])


def test_weights_by_hand_when_both_functions_err() -> None:
    """Pairs (0, 1), (0, 2), (2, 1): losses ⅓ and ⅔; so 1 : β^⅓ after a round."""
    pairs = rows(0, 0, 2), rows(1, 2, 1)
    odds = 0.3 ** (1 / 3)
    expected = [1 / (1 + odds), odds / (1 + odds)]
    assert learn_weights(VALUES[:2], [pairs], 0.3) == pytest.approx(expected)


def test_a_perfect_function_gets_all_the_weight_and_a_reversed_one_loses_it() -> None:
    weights = learn_weights(VALUES[:2], [PAIRS] * 15, 0.5)
    assert weights == pytest.approx([1 / (1 + 2**-15), 2**-15 / (1 + 2**-15)])
    first, last, tied = learn_weights(VALUES, [PAIRS] * 15, 0.5).tolist()
    assert first > tied > last


def test_a_function_that_never_takes_sides_gains_on_a_reversed_one() -> None:
    values = np.array([[0.0, 0.0, 0.0], [0.1, 0.5, 0.9]])
    assert learn_weights(values, [PAIRS], 0.25) == pytest.approx([2 / 3, 1 / 3])  # ½ : ¼


@given(st.lists(st.integers(0, 4), min_size=2, max_size=30), st.integers(0, 99))
def test_pairs_are_of_a_closer_and_a_farther_item(distances: list[int], seed: int) -> None:
    array = np.array(distances, np.float64)
    if len(set(distances)) < 2:
        with pytest.raises(ValueError, match="no item is closer than another"):
            draw_pairs(array, 5, np.random.default_rng(seed))
        return
    closer, farther = draw_pairs(array, 50, np.random.default_rng(seed))
    assert (array[closer] < array[farther]).all()


def test_every_pair_has_the_same_chance() -> None:
    """Distances 0, 1, 1, 2: five pairs, each a fifth."""
    pairs = draw_pairs(np.array([1.0, 0.0, 2.0, 1.0]), 20_000, np.random.default_rng(0))
    found, counts = np.unique(np.transpose(pairs), axis=0, return_counts=True)
    assert found.tolist() == [[0, 2], [1, 0], [1, 2], [1, 3], [3, 2]]
    assert counts / 20_000 == pytest.approx([0.2] * 5, abs=0.015)


@given(st.lists(BAGS, min_size=1, max_size=4), st.lists(BAGS, min_size=1, max_size=4))
def test_ordering_functions_are_cosines(targets: list[list[int]], items: list[list[int]]) -> None:
    known, others = [bag(*each) for each in targets], [bag(*each) for each in items]
    expected = [[cosine(target, item) for item in others] for target in known]
    assert similarities(known, others) == pytest.approx(np.array(expected))


@given(st.lists(BAGS, min_size=1, max_size=4), BAGS, st.lists(BAGS, max_size=4))
def test_a_composite_is_the_weighted_sum_of_its_functions(
    targets: list[list[int]], page: list[int], links: list[list[int]]
) -> None:
    known = [bag(*each) for each in targets]
    weights = np.arange(1.0, len(known) + 1) / sum(range(len(known) + 1))
    composite = Composite.of_targets(known, weights)
    assert composite.value(bag(*page)) == pytest.approx(_slow(known, weights, bag(*page)))
    values = composite.link_values(bag(*page), anchors(*links), 3)
    vectors = [bag(*page, *link, *link, *link) for link in links]
    assert values == pytest.approx([_slow(known, weights, vector) for vector in vectors])


def _slow(targets: list[Terms], weights: Floats, item: Terms) -> float:
    return float(weights @ [cosine(target, item) for target in targets])


def test_links_with_equal_anchors_have_equal_values() -> None:
    composite = Composite.of_targets([bag(5, 6, 6, 7)], np.ones(1))
    links = anchors([5, 9], [6, 7, 11], [9, 5], [], [7, 11, 6], [])
    values = composite.link_values(bag(5, 8, 8), links, 10.0).tolist()
    assert (values[0], values[1], values[3]) == (values[2], values[4], values[5])
    order = np.argsort(-np.array(values), kind="stable").tolist()
    assert order == [1, 4, 0, 2, 3, 5]


def test_nothing_is_worth_nothing() -> None:
    composite = Composite.of_targets([bag(5)], np.ones(1))
    assert composite.value(NO_TERMS) == 0.0
    assert composite.link_values(NO_TERMS, anchors([], [5]), 10.0).tolist() == [0.0, 1.0]
    assert composite.link_values(NO_TERMS, anchors(), 10.0).tolist() == []


@given(st.lists(BAGS, min_size=2, max_size=5))
def test_a_target_that_is_added_weighs_as_much_as_the_others_on_average(
    targets: list[list[int]],
) -> None:
    known = [bag(*each) for each in targets]
    grown = Composite.of_targets(known[:1], np.ones(1))
    for target in known[1:]:
        grown = grown.add(target)
    even = np.full(len(known), 1 / len(known))
    at_once = Composite.of_targets(known, even)
    assert grown.ids.tolist() == at_once.ids.tolist()
    assert grown.terms == pytest.approx(at_once.terms)
    assert grown.weights == pytest.approx(even)


def test_a_target_without_words_adds_nothing() -> None:
    composite = Composite.of_targets([bag(5)], np.ones(1))
    assert composite.add(NO_TERMS) is composite


def test_adding_leaves_the_former_composite_as_it_was() -> None:
    composite = Composite.of_targets([bag(5)], np.ones(1))
    assert composite.add(bag(5, 6)).value(bag(6)) > 0
    assert composite.value(bag(6)) == 0
    assert composite.terms.tolist() == [1.0]


def test_a_state_is_arrays_and_comes_back() -> None:
    composite = Composite.of_targets([bag(5, 6), bag(7)], np.array([0.25, 0.75]))
    state = composite.state()
    assert all(isinstance(each, np.ndarray) for each in state.values())
    assert Composite.of(state).value(bag(5, 7)) == composite.value(bag(5, 7))
