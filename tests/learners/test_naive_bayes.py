"""Naive Bayes by hand: equations 3–5 of Rennie & McCallum 1999 on three documents."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.learners import naive_bayes
from wolfspider.learners.naive_bayes import (
    NaiveBayes,
    Pile,
    Vocabulary,
    Words,
    words_of_bag,
    words_of_page,
)
from wolfspider.records import Bag
from wolfspider.text import count_terms

# Three links; anchors "board team", "team", "sales"; the first leads to a target (class 0).
BOARD, TEAM, SALES, NEW = 11, 22, 33, 44
CLASSES = np.array([0, 1, 1])


def bag_of(*rows: list[int]) -> Bag:
    ends = np.cumsum([len(row) for row in rows]).astype(np.uint32)
    starts = np.concatenate([[0], ends[:-1]]).astype(np.uint32)
    return Bag(starts, ends, np.array([word for row in rows for word in row], np.uint32))


ANCHORS = bag_of([BOARD, TEAM], [TEAM], [SALES])


def fitted() -> NaiveBayes:
    return NaiveBayes.fit(np.array([1, 2]), {"link": words_of_bag(ANCHORS, CLASSES)})


def test_words_are_smoothed_within_their_vocabulary() -> None:
    """Equation 4: |V| = 3; class 0 has two words, class 1 two."""
    vocabulary = fitted().vocabularies["link"]
    assert vocabulary.ids.tolist() == [BOARD, TEAM, SALES]
    expected = [[2 / 5, 1 / 5], [2 / 5, 2 / 5], [1 / 5, 2 / 5]]
    assert np.exp(vocabulary.logs).tolist() == [pytest.approx(row) for row in expected]


def test_classes_are_smoothed() -> None:
    """Equation 5: (1 + 1) / (2 + 3) and (1 + 2) / (2 + 3)."""
    assert np.exp(fitted().priors).tolist() == pytest.approx([2 / 5, 3 / 5])


def test_a_document_is_classified_by_the_product() -> None:
    """Equation 3 for "board team": 2/5 · 2/5 · 2/5 against 3/5 · 1/5 · 2/5."""
    bayes = fitted()
    logs = bayes.vocabularies["link"].of_bag(bag_of([BOARD, TEAM], [], [NEW, NEW]))
    found = bayes.probabilities(logs)
    mine, other = 2 / 5 * 2 / 5 * 2 / 5, 3 / 5 * 1 / 5 * 2 / 5
    assert found[0].tolist() == pytest.approx([mine / (mine + other), other / (mine + other)])
    assert found[1].tolist() == pytest.approx([2 / 5, 3 / 5])  # no words: the prior
    assert found[2].tolist() == pytest.approx([2 / 5, 3 / 5])  # nor do unknown ones speak


def test_bags_have_vocabularies_of_their_own() -> None:
    words = words_of_bag(ANCHORS, CLASSES)
    alone = Words(words.ids[:2], words.classes[:2], words.weights[:2])
    bayes = NaiveBayes.fit(np.array([1, 2]), {"link": words, "url": alone})
    assert len(bayes.vocabularies["link"].ids) == 3
    assert len(bayes.vocabularies["url"].ids) == 2


def test_a_pile_of_words_learns_as_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(naive_bayes, "_PILED", 4)
    words, pile = words_of_bag(ANCHORS, CLASSES), Pile()
    for _ in range(5):
        pile.add(words)
    together = Vocabulary.fit(Words.join([words] * 5), 2)
    piled = Vocabulary.fit(pile.sum(), 2)
    assert piled.ids.tolist() == together.ids.tolist()
    assert piled.logs.tolist() == together.logs.tolist()
    assert len(pile.sum().ids) == 4
    assert len(Pile().sum().ids) == 0


def test_a_page_counts_once_for_each_of_its_links() -> None:
    terms = count_terms(np.array([BOARD, BOARD, TEAM], np.uint32))
    vocabulary = Vocabulary.fit(words_of_page(terms, CLASSES), 2)
    # class 0: BOARD 2, TEAM 1; class 1, with two links: BOARD 4, TEAM 2
    assert np.exp(vocabulary.logs).tolist() == [
        pytest.approx([3 / 5, 5 / 8]),
        pytest.approx([2 / 5, 3 / 8]),
    ]


def test_the_words_that_speak_for_a_class() -> None:
    bayes = fitted()
    odds = bayes.vocabularies["link"].odds(0, bayes.priors)
    assert np.argmax(odds) == 0
    assert odds[0] == pytest.approx(2 / 5 * math.log((2 / 5 * 4 / 5) / (3 / 5 * 1 / 5)))
    assert odds[2] < 0


def test_how_many_words_are_known() -> None:
    vocabulary = fitted().vocabularies["link"]
    assert vocabulary.overlap(np.array([BOARD, NEW], np.uint32)) == 0.5
    assert math.isnan(vocabulary.overlap(np.empty(0, np.uint32)))


def test_a_class_without_documents_is_never_probable() -> None:
    bayes = NaiveBayes.fit(np.array([1, 2, 0]), {"link": words_of_bag(ANCHORS, CLASSES)})
    logs = bayes.vocabularies["link"].of_bag(bag_of([NEW], [BOARD]))
    assert bayes.probabilities(logs)[:, 2].tolist() == [0.0, 0.0]


def test_equal_rows_have_equal_sums() -> None:
    rows = [[BOARD, TEAM, SALES], [TEAM], [BOARD, TEAM, SALES], [SALES] * 7, [BOARD, TEAM, SALES]]
    sums = fitted().vocabularies["link"].of_bag(bag_of(*rows))
    assert sums[0].tolist() == sums[2].tolist() == sums[4].tolist()


ROWS = st.lists(st.lists(st.integers(1, 9), max_size=6), min_size=1, max_size=8)


@given(ROWS, st.data())
def test_rows_of_a_bag_are_as_documents_alone(rows: list[list[int]], data: st.DataObject) -> None:
    classes = np.array([data.draw(st.integers(0, 2)) for _ in rows])
    counts = np.bincount(classes, minlength=3)
    bayes = NaiveBayes.fit(counts, {"x": words_of_bag(bag_of(*rows), classes)})
    together = bayes.vocabularies["x"].of_bag(bag_of(*rows))
    for row, words in enumerate(rows):
        ids = np.array(words, np.uint32)
        alone = bayes.vocabularies["x"].of_terms(ids, np.ones(len(ids)))
        assert together[row].tolist() == pytest.approx(alone.tolist())
    assert bayes.probabilities(together).sum(1).tolist() == pytest.approx([1.0] * len(rows))
    again = NaiveBayes.of(bayes.state())
    assert again.priors.tolist() == bayes.priors.tolist()
