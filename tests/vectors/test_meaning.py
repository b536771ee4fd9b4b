"""Cosines of word vectors to the topic, by hand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from wolfspider.text import term_ids, terms
from wolfspider.topics import Topic
from wolfspider.vectors import WordVectors
from wolfspider.vectors.meaning import Meaning

TABLE = "sun 3 4 0\nmoon 0 5 0\ntide 1 0 0\nsea 0 0 -2\n"


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three dimensions instead of the usual table."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = tmp_path / "table.txt"
    file.write_text(TABLE)
    vectors = WordVectors.open(file)
    monkeypatch.setattr(WordVectors, "open", lambda **_: vectors)


def cosines(topic: Topic, *bags: str) -> list[float]:
    ids = [term_ids(bag) for bag in bags]
    counts = np.array([len(each) for each in ids], np.uint8)
    return [float(each) for each in Meaning(topic).of_bags(np.concatenate(ids), counts)]


@pytest.mark.usefixtures("table")
def test_cosines_of_sums_by_hand() -> None:
    found = cosines(Topic.of("moon"), "sun", "moon", "sun tide", "", "sea", "comet", "moon comet")
    expected = [0.8, 1.0, 4 / math.sqrt(32), 0.0, 0.0, 0.0, 1.0]
    assert found == pytest.approx(expected, abs=5e-5)


@pytest.mark.usefixtures("table")
def test_last_digits_that_depend_on_the_processor_are_cut() -> None:
    assert cosines(Topic.of("moon"), "sun tide") == [float(np.float32(0.7071))]


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("topic", [Topic.of("comet"), Topic(())])
def test_without_a_keyword_that_has_a_vector_nothing_is_near(topic: Topic) -> None:
    assert cosines(topic, "sun", "moon") == [0.0, 0.0]


def test_in_the_usual_table_a_planet_is_nearer_to_the_moon_than_a_recipe() -> None:
    planet, recipe = cosines(Topic.of("moon"), "planet", "recipe")
    assert planet > recipe + 0.1


@pytest.mark.usefixtures("table")
def test_what_a_page_means_by_hand() -> None:
    found = Meaning(Topic.of("moon")).of_page(terms("sun tide tide tide comet"))
    sun, tide = math.log(2), math.log(4)  # damped counts; a comet has no vector
    assert found == pytest.approx(4 * sun / math.hypot(3 * sun + tide, 4 * sun), abs=5e-5)


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("often", [3, 100_000])
def test_of_a_long_page_the_most_frequent_words_count(often: int) -> None:
    once = [f"word{number}" for number in range(500)]
    text = " ".join(["sun", *["tide"] * often, *["moon"] * often, *once * 2])
    expected = 5 / math.hypot(1, 5)  # without the sun, which stands there once
    assert Meaning(Topic.of("moon")).of_page(terms(text)) == pytest.approx(expected, abs=5e-5)


@pytest.mark.usefixtures("table")
def test_a_page_without_vectors_means_nothing() -> None:
    assert Meaning(Topic.of("moon")).of_page(terms("comet")) == 0.0
    assert Meaning(Topic.of("comet")).of_page(terms("moon")) == 0.0
    assert not Meaning(Topic.of("comet")).is_known
