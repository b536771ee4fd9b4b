"""A topic knows how near a page or a link is to it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.errors import BadInput
from wolfspider.records import BAGS, NO_TERMS, Bag
from wolfspider.text import cosine, term_ids, terms
from wolfspider.topics import Topic
from wordy import wordy

TOPIC = Topic.of("solar eclipse")
WORDS = ["solar", "eclipse", "moon", "tide", "sea", "star"]


def bag_of(texts: list[str]) -> Bag:
    rows = [term_ids(text) for text in texts]
    ends = np.cumsum([0, *map(len, rows)]).astype(np.uint32)
    return Bag(ends[:-1], ends[1:], np.concatenate([np.empty(0, np.uint32), *rows]))


def test_a_phrase_becomes_keywords() -> None:
    topic = Topic.of("  solar   eclipses ")
    assert topic.keywords == ("solar", "eclipses")
    assert topic.terms.ids.tolist() == TOPIC.terms.ids.tolist()  # by their stems


@pytest.mark.parametrize("words", ["", "  ", "the of and", "!!! ?"])
def test_a_phrase_without_words_is_refused(words: str) -> None:
    with pytest.raises(BadInput, match="has no words to look for"):
        Topic.of(words)


def test_keywords_without_a_word_that_counts_are_known() -> None:
    topic = Topic.of("c++ the templates R")
    assert topic.ignored == ("c++", "the", "R")
    assert topic.terms.length == 1


def test_similarity_is_the_cosine_of_raw_counts() -> None:
    """Menczer et al. 2004, eq. 4: (1·2 + 1·1) / √(2 · (4 + 1 + 1))."""
    assert TOPIC.similarity(terms("solar solar eclipse moon")) == pytest.approx(3 / math.sqrt(12))


def test_a_keyword_given_twice_weighs_twice() -> None:
    topic = Topic.of("solar solar eclipse")
    assert topic.similarity(terms("solar")) == pytest.approx(2 / math.sqrt(5))
    assert topic.similarities(bag_of(["solar"])) == pytest.approx([2 / math.sqrt(5)])


def test_a_page_without_words_is_not_similar() -> None:
    assert TOPIC.similarity(NO_TERMS) == 0.0


@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join))
def test_similarity_lies_between_nothing_and_all(text: str) -> None:
    similarity = TOPIC.similarity(terms(text))
    assert 0.0 <= similarity <= 1.0
    assert (similarity > 0) == ("solar" in text or "eclipse" in text)


texts = st.lists(st.sampled_from(WORDS), unique=True, max_size=6).map(" ".join)


@given(st.lists(texts, max_size=6))
def test_links_are_as_similar_as_pages_with_their_words(rows: list[str]) -> None:
    expected = [cosine(TOPIC.terms, terms(row)) for row in rows]
    assert TOPIC.similarities(bag_of(rows)) == pytest.approx(expected, abs=1e-6)


@given(st.lists(st.tuples(texts, texts, texts, texts), min_size=1, max_size=6))
def test_each_bag_of_a_link_is_as_similar_as_alone(rows: list[tuple[str, ...]]) -> None:
    topic = Topic.of("solar solar eclipse")
    links = wordy(
        {f"http://a.test/{n}": dict(zip(BAGS, bags, strict=True)) for n, bags in enumerate(rows)}
    )
    found = topic.similarities_of(links)
    each = [topic.similarities(links.bag(name)) for name in BAGS]
    assert (found is None) == (not np.any(each))
    if found is not None:
        assert found == pytest.approx(np.column_stack(each))


@given(st.lists(st.tuples(texts, texts), max_size=6))
def test_several_bags_are_taken_together(rows: list[tuple[str, str]]) -> None:
    together = TOPIC.similarities(bag_of([f"{a} {b}" for a, b in rows]))
    apart = TOPIC.similarities(bag_of([a for a, _ in rows]), bag_of([b for _, b in rows]))
    assert apart == pytest.approx(together)
    assert (apart <= 1.0).all()
    zero = [not {"solar", "eclipse"} & set(f"{a} {b}".split()) for a, b in rows]
    assert (apart == 0.0).tolist() == zero
