"""Information gain: by hand, and against a slow reference."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from wolfspider.records import Terms
from wolfspider.training.terms import Documents, information_gain, informative_terms


def terms_of(**counts: int) -> Terms:
    ids = sorted((ord(letter), count) for letter, count in counts.items())
    return Terms.of(
        np.array([term for term, _ in ids], np.uint32),
        np.array([count for _, count in ids], np.float32),
    )


def test_the_gain_by_hand() -> None:
    """Four documents, two of each class: a term of one class, one of all, one of three."""
    counts = csr_array(np.array([[3, 1, 1], [1, 1, 1], [0, 1, 5], [0, 2, 0]]))
    third = 1 - (3 / 4) * -(2 / 3 * log2(2 / 3) + 1 / 3 * log2(1 / 3)) - (1 / 4) * 0
    assert information_gain(counts, np.array([7, 7, 9, 9])).tolist() == pytest.approx([1, 0, third])


def test_the_best_terms_stay_in_the_order_of_their_ids() -> None:
    counts = csr_array(np.array([[0, 1, 1, 0], [0, 1, 1, 1], [0, 1, 0, 1], [1, 1, 0, 1]]))
    classes = np.array([0, 0, 1, 1])
    assert informative_terms(counts, classes, 1).tolist() == [2]
    assert informative_terms(counts, classes, 2).tolist() == [0, 2]  # 0 and 3 tell equally much
    assert informative_terms(counts, classes).tolist() == [0, 1, 2, 3]


def test_documents_are_rows_of_counts() -> None:
    documents = Documents.of([terms_of(a=2, c=1), terms_of(), terms_of(b=3)])
    assert documents.ids.tolist() == [ord("a"), ord("b"), ord("c")]
    assert documents.counts.toarray().tolist() == [[2, 0, 1], [0, 0, 0], [0, 3, 0]]
    twice = documents.take(np.array([2, 2]))
    assert twice.counts.toarray().tolist() == [[0, 3, 0]] * 2
    few = documents.informative(np.array([0, 1, 1]), 2)
    assert few.ids.tolist() == [ord("a"), ord("c")]
    assert few.counts.toarray().tolist() == [[2, 1], [0, 0], [0, 0]]


@given(
    st.integers(1, 12).flatmap(
        lambda size: st.tuples(
            st.lists(
                st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=size, max_size=size
            ),
            st.lists(st.integers(0, 3), min_size=size, max_size=size),
        )
    )
)
def test_it_agrees_with_a_slow_reference(case: tuple[list[list[int]], list[int]]) -> None:
    rows, classes = case
    expected = [slow([row[term] for row in rows], classes) for term in range(4)]
    found = information_gain(csr_array(np.array(rows)), np.array(classes))
    assert found.tolist() == pytest.approx(expected, abs=1e-9)


def slow(counts: list[int], classes: list[int]) -> float:
    def entropy(members: list[int]) -> float:
        shares = [members.count(each) / len(members) for each in set(members)]
        return -sum(share * log2(share) for share in shares)

    parts = [[c for n, c in zip(counts, classes, strict=True) if (n > 0) == on] for on in (0, 1)]
    return entropy(classes) - sum(len(part) / len(classes) * entropy(part) for part in parts)
