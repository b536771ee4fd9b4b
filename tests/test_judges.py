"""Judges: from 0 to 1, and relevant from 0.5 on."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.errors import BadInput
from wolfspider.judges import CosineJudge, KeywordJudge, PatternJudge, TargetJudge
from wolfspider.protocols import Judge
from wolfspider.records import Page
from wolfspider.text import terms
from wolfspider.topics import Topic

TOPIC = Topic.of("solar eclipse")
HOME = "http://a.example/"


def page(text: str, *, title: str = "", url: str = HOME) -> Page:
    return Page(url, title, text.encode(), terms(f"{title} {text}"))


JUDGES: dict[str, Judge] = {
    "keywords": KeywordJudge(TOPIC),
    "easy keywords": KeywordJudge(TOPIC, pace=1.0, level=0.01),
    "cosine": CosineJudge.of(["the moon hides the sun", "a solar eclipse"]),
    "easy cosine": CosineJudge.of(["solar"], level=0.01),
    "pattern": PatternJudge.of("solar|moon"),
    "targets": TargetJudge.of(["http://b.example/"]),
}

words = st.sampled_from(["solar", "eclipse", "moon", "the", "tide", "2026", "ü", "\ud800"])


@pytest.mark.parametrize("name", JUDGES)
@given(found=st.lists(words, max_size=60).map(" ".join))
def test_relevance_lies_between_nothing_and_all(name: str, found: str) -> None:
    text = found.encode("utf-8", "replace")
    verdict = JUDGES[name].judge(Page(HOME, "", text, terms(found)))
    assert 0.0 <= verdict.relevance <= 1.0
    assert verdict.target == verdict.relevant


@pytest.mark.parametrize("name", JUDGES)
def test_an_empty_page_is_not_relevant(name: str) -> None:
    verdict = JUDGES[name].judge(Page(HOME))
    assert (verdict.relevance, verdict.target) == (0.0, False)


def test_keywords_count_by_how_often_they_stand_for_the_length() -> None:
    verdict = KeywordJudge(TOPIC).judge(page("solar solar eclipse moon"))
    half = 1 + 4 / 200
    mean = (2 / (2 + half) + 1 / (1 + half)) / 2
    assert verdict.relevance == pytest.approx(0.5 * mean / 0.3)
    assert verdict.target


def test_a_keyword_that_is_missing_counts_as_nothing() -> None:
    verdict = KeywordJudge(TOPIC).judge(page("solar moon"))
    assert verdict.relevance == pytest.approx(0.5 * (1 / 2.01) / 2 / 0.3)
    assert not verdict.target


def test_every_keyword_counts_alike() -> None:
    verdict = KeywordJudge(Topic.of("solar eclipse moon")).judge(page("solar"))
    assert verdict.relevance == pytest.approx(0.5 * (1 / 2.005) / 3 / 0.3)


def test_a_long_page_has_to_mean_it() -> None:
    verdict = KeywordJudge(TOPIC).judge(page("solar eclipse " + "moon " * 1998))
    assert verdict.relevance == pytest.approx(0.5 * (1 / (1 + 11)) / 0.3)
    assert not verdict.target


def test_a_judge_needs_keywords() -> None:
    with pytest.raises(BadInput, match="no keywords"):
        KeywordJudge(Topic(("the",)))


def test_cosine_is_that_of_damped_counts() -> None:
    verdict = CosineJudge.of(["solar eclipse"], level=0.9).judge(page("solar " * 9 + "moon"))
    nine, one = math.log(1 + 9), math.log(1 + 1)
    cosine = nine / (math.sqrt(2) * math.hypot(nine, one))
    assert verdict.relevance == pytest.approx(0.5 * cosine / 0.9)
    assert not verdict.target


def test_the_nearest_example_counts() -> None:
    judge = CosineJudge.of(["tide and sea", "solar eclipse", "the"])
    assert len(judge.examples) == 2  # "the" says nothing
    assert judge.judge(page("solar eclipse")).relevance == 1.0
    assert judge.judge(page("sea tide")).target
    assert judge.judge(page("moon")).relevance == 0.0


def test_examples_without_words_are_refused() -> None:
    with pytest.raises(BadInput, match="no words to compare with"):
        CosineJudge.of(["", "the"])


def test_a_pattern_is_looked_for_in_title_and_text() -> None:
    judge = PatternJudge.of(r"wolf\s+spider")
    assert judge.judge(page("The Wolf  Spider hunts")).target
    assert judge.judge(page("", title="Wolf spider")).target
    assert judge.judge(page("wolf and spider")).relevance == 0.0


def test_a_pattern_is_not_looked_for_at_the_end_of_a_huge_page() -> None:
    judge = PatternJudge.of("needle")
    assert judge.judge(page("x" * 199_994 + "needle")).target
    assert not judge.judge(page("x" * 199_995 + "needle")).target


def test_a_bad_pattern_is_refused() -> None:
    with pytest.raises(BadInput, match="not a regular expression: '\\('"):
        PatternJudge.of("(")


def test_targets_are_found_by_any_spelling_of_their_address() -> None:
    judge = TargetJudge.of(["HTTP://A.Example:80/x/../y#top"])
    assert judge.judge(page("", url="http://a.example/y")).relevance == 1.0
    assert judge.judge(page("", url="http://a.example/x")).relevance == 0.0


def test_a_target_that_is_no_address_is_refused() -> None:
    with pytest.raises(BadInput, match="not a web address in the list of targets: 'nowhere'"):
        TargetJudge.of(["http://a.example/", "nowhere"])
