"""Claims about words, term ids, bags and similarity."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.records import NO_TERMS
from wolfspider.text import (
    TfIdf,
    Words,
    cosine,
    count_terms,
    marked_ids,
    stem,
    term_id,
    term_ids,
    terms,
    word_of,
)


def stems(text: str) -> list[str | None]:
    return [word_of(term) for term in term_ids(text).tolist()]


def test_terms_stand_in_order_with_repeats_and_without_stop_words() -> None:
    assert stems("The spiders and the web: spiders hunting") == ["spider", "web", "spider", "hunt"]


def test_one_letter_long_tokens_and_long_numbers_are_no_terms() -> None:
    assert stems(f"x 1997 12345 {'a' * 41} {'b' * 40} c3po") == ["1997", "b" * 40, "c3po"]


def test_several_texts_are_read_one_after_the_other() -> None:
    assert term_ids(["wolf", "spider web"]).tolist() == term_ids("wolf spider web").tolist()


@pytest.mark.parametrize("sign", ["“", "”", "’", "–", "—", "…", "•", "«", "\xa0", "、", "，", "_"])
def test_signs_outside_ascii_separate_words(sign: str) -> None:
    assert stems(f"wolf{sign}spider{sign}") == ["wolf", "spider"]


def test_letters_outside_ascii_belong_to_words_and_their_case_does_not_matter() -> None:
    assert stems("Áedán ÁEDÁN’s Москва") == ["áedán", "áedán", "москва"]


def test_porter_is_the_default_and_snowball_english_an_option() -> None:
    assert stem("Generously") == "gener"
    assert Words("english").stem("Generously") == "generous"


def test_term_id_is_the_low_half_of_xxh3() -> None:
    assert term_id("") == 0x38D394C2  # XXH3 of nothing is 0x2D06800538D394C2


def test_full_memo_starts_anew_and_answers_the_same() -> None:
    small = Words(limit=3)
    text = "wolf spider web crawl hunt"
    assert term_ids(text, small).tolist() == term_ids(text).tolist()
    assert len(small) == 2
    assert small.word_of(term_id("wolf")) is None
    assert small.word_of(term_id("hunt")) == "hunt"


def test_marks_are_tokens_of_their_own_and_dropped_words_count() -> None:
    found = marked_ids(b"the \x01 wolf \x02 spider")
    assert found.tolist() == [0, 1, term_id("wolf"), 2, term_id("spider")]


def test_marks_mean_nothing_in_ordinary_text() -> None:
    assert stems("\x01 wolf\x02spider \x03") == ["wolf", "spider"]


def test_bag_is_sorted_and_counted() -> None:
    bag = terms("web spider web")
    assert bag.ids.tolist() == sorted([term_id("web"), term_id("spider")])
    assert bag.frequencies(term_ids("web spider wolf")).tolist() == [2, 1, 0]
    assert bag.length == 3
    assert bag.norm == pytest.approx(math.sqrt(5))


def test_cosine_of_raw_counts() -> None:
    # (1, 2, 0) · (2, 0, 1) = 2 and both have length √5
    assert cosine(terms("web wolf wolf"), terms("web web hunt")) == pytest.approx(2 / 5)


def test_cosine_with_nothing_is_zero() -> None:
    assert cosine(NO_TERMS, terms("web")) == 0
    assert TfIdf().cosine(NO_TERMS, NO_TERMS) == 0


@pytest.fixture
def weights() -> TfIdf:
    """Four documents: web in 4 of them, spider in 2, crawl in 1."""
    model = TfIdf()
    for text in ("web spider", "web spider spider", "web crawl", "web"):
        model.add(terms(text))
    return model


def test_weight_is_count_times_ln_of_documents_over_frequency(weights: TfIdf) -> None:
    for text, weight in [("web web", 0.0), ("spider", 0.693147), ("crawl crawl", 2.772589)]:
        assert weights.weights(terms(text)).tolist() == pytest.approx([weight], abs=1e-6)


def test_unseen_term_weighs_like_one_seen_once(weights: TfIdf) -> None:
    assert weights.weights(terms("wolf")).tolist() == pytest.approx([math.log(4)])


def test_cosine_of_weights(weights: TfIdf) -> None:
    # (spider ln 2, crawl 2 ln 2, web 0) and (spider ln 2, web 0): ln²2 / (√5 ln 2 · ln 2) = 1/√5
    assert weights.cosine(terms("spider crawl web"), terms("spider web web")) == pytest.approx(
        0.447214, abs=1e-6
    )


@given(st.text())
def test_any_text_gives_ids_that_are_not_zero(text: str) -> None:
    assert all(term_ids(text).tolist())


@given(st.text(), st.text())
def test_texts_apart_and_together_have_the_same_terms(a: str, b: str) -> None:
    assert term_ids(f"{a} {b}").tolist() == term_ids(a).tolist() + term_ids(b).tolist()


@given(st.lists(st.integers(1, 9)))
def test_counting_agrees_with_counter(ids: list[int]) -> None:
    bag = count_terms(np.array(ids, np.uint32))
    assert dict(zip(bag.ids.tolist(), bag.counts.tolist(), strict=True)) == Counter(ids)
    assert bag.ids.tolist() == sorted(set(ids))


@given(st.lists(st.integers(1, 9), min_size=1), st.lists(st.integers(1, 9), min_size=1))
def test_cosine_agrees_with_the_formula_and_is_symmetric(a: list[int], b: list[int]) -> None:
    left, right = count_terms(np.array(a, np.uint32)), count_terms(np.array(b, np.uint32))
    f, g = Counter(a), Counter(b)
    size = math.sqrt(sum(n * n for n in f.values()) * sum(n * n for n in g.values()))
    assert cosine(left, right) == pytest.approx(sum(f[k] * g[k] for k in f) / size, rel=1e-5)
    assert cosine(left, right) == cosine(right, left)
    assert cosine(left, left) == pytest.approx(1)


def test_long_texts_are_read_like_short_ones() -> None:
    text = "Wolf spiders hunt 1997 the Москва internationalisation’s “web” a 12345 " * 100
    assert term_ids(text).tolist() == term_ids(text[:71]).tolist() * 100
    assert marked_ids(text.encode()).tolist() == marked_ids(text[:71].encode()).tolist() * 100
