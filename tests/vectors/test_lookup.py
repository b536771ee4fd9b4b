"""Lookups find what is there, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.vectors.lookup import Lookup

numbers = st.integers(0, 2**32 - 1)


@given(st.sets(numbers, min_size=1, max_size=300), st.lists(numbers, max_size=60))
def test_it_agrees_with_a_dictionary(known: set[int], others: list[int]) -> None:
    ids = np.array(sorted(known), np.uint32)
    asked = np.array([*list(known)[:40], *others], np.uint32)
    places, here = Lookup(ids)(asked)
    assert here.tolist() == [number in known for number in asked.tolist()]
    assert ids[places[here]].tolist() == asked[here].tolist()


@pytest.mark.parametrize("count", [1, 70_000])
def test_many(count: int) -> None:
    random = np.random.default_rng(0)
    ids = np.unique(random.integers(0, 2**32, count, np.uint32))
    places, here = Lookup(ids)(ids[::-1])
    assert here.all()
    assert np.array_equal(places, np.arange(len(ids))[::-1])


def test_those_who_want_the_same_slot() -> None:
    ids = np.array([5, 6, 7, 8], np.uint32)  # the same upper bits
    places, here = Lookup(ids)(np.array([8, 4, 5, 6, 7, 7], np.uint32))
    assert here.tolist() == [True, False, True, True, True, True]
    assert places[here].tolist() == [3, 0, 1, 2, 2]
