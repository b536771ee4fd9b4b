"""Means and cosines by hand; links in a batch are as alike as one by one; the English table."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from wolfspider.errors import BadInput
from wolfspider.records import NO_TERMS, Bag
from wolfspider.text import count_terms, term_ids, terms
from wolfspider.vectors import Likeness, WordVectors, nearest
from wolfspider.vectors.nearest import akin

TABLE = """\
sun 3 4 0
moon 0 5 0
tide 1 0 0
sea 0 0 -2
"""


@pytest.fixture
def table(tmp_path: Path) -> WordVectors:
    (tmp_path / "table.txt").write_text(TABLE)
    return WordVectors.open(tmp_path / "table.txt")


def test_a_page_is_the_mean_of_its_words(table: WordVectors) -> None:
    likeness = Likeness(table, ["moon", "tide", "sun sea"])
    # 2 · (3, 4, 0) + (1, 0, 0) = (7, 8, 0), of length √113; comets have no vector
    found = likeness.of_terms(terms("sun sun tide comet"))
    length = math.sqrt(113)
    sun_and_sea = (7 * 3 + 8 * 4) / length / math.sqrt(29)
    assert found == pytest.approx([8 / length, 7 / length, sun_and_sea], abs=1e-6)


def test_lengths_of_word_vectors_count_and_those_of_texts_do_not(table: WordVectors) -> None:
    likeness = Likeness(table, ["moon", "moon moon"])
    one, two = likeness.of_terms(terms("moon tide"))  # (1, 5, 0)
    assert one == two == pytest.approx(5 / math.sqrt(26), abs=1e-6)


def test_opposite_and_unknown(table: WordVectors) -> None:
    likeness = Likeness(table, ["sea"])
    assert likeness.of_terms(terms("sea")) == [1.0]
    assert likeness.of_terms(terms("comet")) == [0.0]
    assert likeness.of_terms(NO_TERMS) == [0.0]


def bag(texts: list[str]) -> Bag:
    parts = [term_ids(text) for text in texts]
    ends = np.cumsum([len(part) for part in parts]).astype(np.uint32)
    starts = ends - np.array([len(part) for part in parts], np.uint32)
    return Bag(starts, ends, np.concatenate(parts))


def test_the_bags_of_a_link_are_taken_together(table: WordVectors) -> None:
    likeness = Likeness(table, ["moon", "tide"])
    anchors, contexts = bag(["sun", "", "comet"]), bag(["sun tide", "", "comet"])
    found = likeness.of_bags(anchors, contexts)
    length = math.sqrt(113)
    assert found == pytest.approx(np.array([[8 / length, 7 / length], [0, 0], [0, 0]]), abs=1e-6)
    assert likeness.of_bags(bag([""])).shape == (1, 2)
    none = Bag(np.empty(0, np.uint32), np.empty(0, np.uint32), np.empty(0, np.uint32))
    assert likeness.of_bags(none, none).shape == (0, 2)


@pytest.mark.parametrize("seed", range(5))
def test_a_batch_is_as_alike_as_one_by_one(english: WordVectors, seed: int) -> None:
    random = np.random.default_rng(seed)
    ids = np.concatenate([random.choice(english.ids, 60), random.integers(4, 99, 40)])
    words = random.choice(ids.astype(np.uint32), 4000)
    # overlapping rows, empty rows, and words of `ids` that belong to no row
    starts = np.sort(random.integers(0, 3900, 150)).astype(np.uint32)
    bags = [
        Bag(starts, starts + random.integers(0, 30, 150).astype(np.uint32), words) for _ in range(3)
    ]
    likeness = Likeness(english, ["solar eclipse", "poetry", "railway"])
    together = likeness.of_bags(*bags)
    apart = np.array(
        [
            likeness.of_terms(count_terms(np.concatenate([bag[row] for bag in bags])))
            for row in range(150)
        ]
    )
    assert together == pytest.approx(apart, abs=3e-6)
    assert np.abs(together).max() > 0.1


def test_equal_links_are_equally_alike(english: WordVectors) -> None:
    likeness = Likeness(english, ["astronomy"])
    found = likeness.of_bags(bag(["the planets around a distant star"] * 101))
    assert len(set(found[:, 0].tolist())) == 1


def test_a_text_without_a_vector_is_a_sentence(table: WordVectors) -> None:
    with pytest.raises(BadInput, match=r"no word of 'comet dust' has a vector in .*table\.txt"):
        Likeness(table, ["sun", "comet dust"])
    Likeness(table, ["comet sun"])  # one word is enough


def test_half_precision_is_summed_in_single(table: WordVectors) -> None:
    half = WordVectors(
        table.ids,
        table.rows,
        table.vectors.astype(np.float16),
        "half",
        4,
    )
    page = terms("sun " * 5000 + "tide")
    expected = Likeness(table, ["tide"]).of_terms(page)
    assert Likeness(half, ["tide"]).of_terms(page) == pytest.approx(expected, abs=1e-6)


# -- the English table ---------------------------------------------------------------------


def alike(english: WordVectors, text: str, *others: str) -> NDArray[np.float64]:
    return Likeness(english, [text]).of_bags(bag(list(others)))[:, 0]


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("solar", "eclipse", "poetry"),
        ("poetry", "verse", "railway"),
        ("cancer", "disease", "camera"),
        ("geology", "rocks", "film"),
        ("olympics", "sport athletes", "chemistry"),
    ],
)
def test_the_english_table_knows_what_belongs_together(
    english: WordVectors, text: str, near: str, far: str
) -> None:
    close, distant = alike(english, text, near, far)
    assert close > distant + 0.05


@pytest.mark.parametrize(
    ("topic", "near", "far"),
    [
        ("physics", "science", "body"),
        ("engineering", "technology", "car"),
        ("Critics", "film", "urgent"),
    ],
)
@pytest.mark.parametrize("mapped", [True, False])
def test_a_stem_means_the_word_of_the_topic_as_well(
    english: WordVectors, topic: str, near: str, far: str, mapped: bool
) -> None:
    plain = english if mapped else replace(english, path=None, _words=english.words)
    before, own = plain.vectors.copy(), plain._read_for(topic)
    gain = alike(own, topic, near, far) - alike(plain, topic, near, far)
    assert gain[0] > 0.03 > -0.03 > gain[1]
    assert alike(own, topic, topic) == pytest.approx([1.0])
    assert (own.vectors != before).any(axis=1).sum() == 1
    assert np.array_equal(plain.vectors, before)


def test_a_topic_whose_words_are_the_most_frequent_of_their_stems_changes_nothing(
    english: WordVectors,
) -> None:
    assert english._read_for("astronomy hobby-horse qwxzj the") is english


def test_a_word_of_the_topic_counts_once_beside_the_one_its_stem_has(english: WordVectors) -> None:
    once, more = english._read_for("critics"), english._read_for("critics critical Critics")
    assert np.array_equal(once.vectors, more.vectors)


def test_who_opens_the_table_for_a_topic_waits_for_no_tokenizer(
    english: WordVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes a tenth of a second to read, and every hunt would begin with it."""
    assert english.path is not None
    monkeypatch.setenv("XDG_CACHE_HOME", str(english.path.parents[2]))
    english._read_for("physics")  # compiled by now, if not before
    code = (
        "import sys; from wolfspider.vectors import WordVectors; "
        "WordVectors.open(topic='physics'); sys.exit('tokenizers' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_the_english_table_is_whole(english: WordVectors) -> None:
    assert english.width == 64
    assert len(english) > 60_000
    assert 4_000 < english.whole < len(english)
    assert len(english.words) == len(english) == len(english.vectors)
    assert np.isfinite(english.vectors).all()
    _, here = english.find(term_ids("astronomy telescopes photosynthesis Paris oncology"))
    assert here.all()
    assert not english.find(term_ids("1987 qwxzj"))[1].any()


# -- nearest -------------------------------------------------------------------------------


def test_nearest_words_are_the_nearest(table: WordVectors) -> None:
    assert nearest(table, "sun", 2) == ["moon", "tide"]  # 0.8, 0.6; "sea" is too short
    assert nearest(table, "sun", 9) == ["moon", "tide"]


@pytest.mark.parametrize("topic", ["cancer", "fiction", "cameras", "poetry", "astronomy"])
def test_nearest_words_are_no_forms_of_the_topic(english: WordVectors, topic: str) -> None:
    found = nearest(english, topic, 8)
    assert len(found) == 8
    everything = [topic, *found]
    for at, word in enumerate(everything):
        assert not any(akin(word, other) for other in everything[:at]), word


def test_forms_of_one_word_are_akin() -> None:
    assert akin("geology", "geological")
    assert akin("poetry", "poet")
    assert akin("planet", "exoplanets")
    assert not akin("geology", "geography")
    assert not akin("computer", "company")
    assert not akin("sun", "sunk")  # three letters say nothing
