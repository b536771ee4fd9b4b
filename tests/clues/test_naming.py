"""Clues in words, and that their shares are those of the row."""

from __future__ import annotations

import numpy as np
import pytest

from wolfspider.clues import naming
from wolfspider.clues.book import Count
from wolfspider.clues.evidence import AT, FEATURES, Evidence
from wolfspider.clues.priors import PRIOR
from wolfspider.clues.tokens import BY_ROOT, KINDS
from wolfspider.records import BAGS, Clue, Page, Verdict, Visit
from wolfspider.text import term_ids, terms
from wolfspider.topics import Topic
from wolfspider.urls import seed_link
from wordy import wordy

HOME = "http://a.test/x/home"
NOTHING = np.zeros(len(FEATURES), np.float32)  # is usual
LINKS = wordy(
    {
        "http://a.test/x/1": {"anchor": "solar eclipse", "context": "moon moon sun", "url": "sun"},
        "http://a.test/x/2": {"anchor": "kitchen", "heading": "food"},
        "http://a.test/x/3": {"anchor": "solar", "context": "moon"},
    }
)


@pytest.fixture
def evidence() -> Evidence:
    """A relevant page with three links; the first led to another one, with one link more."""
    evidence = Evidence(Topic.of("solar eclipse"), 2.0)
    evidence.hears_again = True
    evidence.sow(seed_link(HOME).fingerprint)
    for url in (HOME, "http://a.test/x/1"):
        links = LINKS if url == HOME else LINKS.join(wordy({"http://a.test/x/4": {}}))
        page = Page(url, terms=terms("moon sun"), links=links)
        visit = Visit(seed_link(url), page, Verdict(1.0, True))
        number = evidence.book.number(visit.link.fingerprint)
        talk = evidence.fetch(number, visit, 1.0)
        evidence.find(links, number, visit, 1.0, talk)
    return evidence


def test_shares_add_up_to_the_score_without_the_bias(
    evidence: Evidence, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(naming, "_MOST", 1000)
    monkeypatch.setattr(naming, "_TINY", -1.0)
    monkeypatch.setattr(naming, "_TRIFLE", -1.0)
    weights = np.random.default_rng(1).normal(size=len(FEATURES))
    for number in range(1, evidence.book.size):
        row = evidence.rows(np.array([number]))[0]
        clues = naming.clues_of(evidence, number, row, weights, NOTHING)
        expected = float(row @ weights) - weights[AT["bias"]]
        assert sum(clue.weight for clue in clues) == pytest.approx(expected, abs=1e-5)


def test_words_that_are_passed_over_would_be_no_clues(
    evidence: Evidence, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = np.random.default_rng(2).normal(size=len(FEATURES)) / 50
    rows = [(number, evidence.rows(np.array([number]))[0]) for number in range(1, 5)]

    def told() -> list[tuple[Clue, ...]]:
        return [naming.clues_of(evidence, number, row, weights, NOTHING) for number, row in rows]

    short = told()
    monkeypatch.setattr(naming, "_TRIFLE", -1.0)
    assert told() == short


def test_words_of_another_link_are_a_clue_as_far_as_they_say_more(
    evidence: Evidence, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence, "heard", lambda numbers: np.array([[1.5, -np.inf]]))
    [number] = evidence.book.numbers(LINKS.fingerprints[1:2])
    row = evidence.rows(np.array([number]))[0]
    clues = naming.clues_of(evidence, number, row, np.ones(len(row)), NOTHING)
    own = evidence.book.tokens.get_one(number)
    said = own.pooled((evidence.rates.lift(own.own(), evidence.base)[: len(own.words)], BY_ROOT))
    weights = {clue.kind: clue.weight for clue in clues}
    assert weights["heard_anchor"] == pytest.approx(1.5 - said[0][0, 0], abs=1e-5)
    assert "heard_context" not in weights


def test_the_weightiest_come_first_and_trifles_never(evidence: Evidence) -> None:
    row = evidence.rows(np.array([3]))[0]
    clues = naming.clues_of(evidence, 3, row, PRIOR, NOTHING)
    weights = [abs(clue.weight) for clue in clues]
    assert weights == sorted(weights, reverse=True)
    assert 0 < len(clues) <= 8
    assert min(weights) > 0.005


def test_every_kind_of_clue_has_words(evidence: Evidence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(naming, "_MOST", 1000)
    monkeypatch.setattr(naming, "_TINY", -1.0)
    monkeypatch.setattr(naming, "_TRIFLE", -1.0)
    kinds = set()
    for number in range(1, evidence.book.size):
        row = evidence.rows(np.array([number]))[0]
        for clue in naming.clues_of(evidence, number, row, PRIOR, NOTHING):
            kinds.add(clue.kind)
            said = naming.name_of(clue, {})
            assert said != clue.kind
            assert "{" not in said
    assert kinds == set(naming.KIND_NAMES)


def test_every_feature_but_the_bias_is_told_by_some_clue() -> None:
    told = {name.removeprefix("like_") for name in naming.KIND_NAMES}
    told |= {f"rate_{kind}" for kind in KINDS} | {f"talk_{bag}" for bag in BAGS}
    told |= {"sources_paid", "some_paid", "beside_paid"}  # in shares
    assert set(FEATURES) - told == {"bias"}


def test_clues_in_words() -> None:
    word = int(term_ids("eclipse")[0])
    name_of = naming.name_of
    assert '"eclipse"' in name_of(Clue("anchor", word, 0.5), {word: "eclipse"})
    assert name_of(Clue("anchor", word, 0.5), {}) == "words of the link text"
    assert name_of(Clue("beside_share", 60 << 16, 0.5), {}).endswith("60 % relevant on average")
    assert "12 so far, yielded 46 %" in name_of(Clue("alike_worth", 46 << 16 | 12, 0.5), {})
    for before, what in (
        ("beside_paid", "links"),
        ("alike_paid", "links"),
        ("sources_paid", "pages"),
    ):
        assert f"3 of 5 {what}" in name_of(Clue(before, 3 << 16 | 5, 0.5), {})
    assert "2 links" in name_of(Clue("like_near", 2, 0.5), {})


@pytest.mark.parametrize(
    ("more", "weight", "unusual"),
    [
        (5.0, 1.0, ""),  # more than usual speaks for it: nothing to add
        (-5.0, 1.0, ""),
        (5.0, -1.0, ", more than usual, which speaks against it"),
        (-5.0, -1.0, ", less than usual, which speaks for it"),
    ],
)
def test_how_relevant_sources_are_is_told_in_tens_of_percent(
    evidence: Evidence, more: float, weight: float, unusual: str
) -> None:
    """Two pages link to it; what they paid need not be all or nothing."""
    evidence.book._counts[2, Count.PAID] = 18  # of 64
    row = evidence.rows(np.array([2]))[0]
    weights, usual = np.zeros(len(row)), NOTHING.copy()
    weights[AT["sources_paid"]], usual[AT["sources_paid"]] = weight, row[AT["sources_paid"]] - more
    [clue] = naming.clues_of(evidence, 2, row, weights, usual)
    assert clue.weight == pytest.approx(more * weight)
    assert (
        naming.name_of(clue, {}) == f"pages that link to it were 30 % relevant on average{unusual}"
    )


def test_yields_of_links_at_the_same_place_are_told_in_percent(evidence: Evidence) -> None:
    """The first of the list paid, the third did not."""
    evidence.book.fetch(3, 0.0)
    evidence.book.tell_neighbours()
    worth, seen = (evidence.book.count_of(2, each) for each in (Count.ALIKE_WORTH, Count.ALIKE))
    assert 0 < worth < seen
    row, weights = evidence.rows(np.array([2]))[0], np.zeros(len(FEATURES))
    weights[AT["alike_worth"]] = 1.0
    [clue] = naming.clues_of(evidence, 2, row, weights, NOTHING)
    assert clue.key == round(100 * worth / seen) << 16 | round(seen)


def test_that_a_source_is_relevant_is_one_clue_with_how_many_are(evidence: Evidence) -> None:
    row = evidence.rows(np.array([2]))[0]
    weights = np.zeros(len(row))
    weights[[AT["sources_paid"], AT["some_paid"]]] = 2.0, 3.0
    [clue] = naming.clues_of(evidence, 2, row, weights, NOTHING)
    assert row[AT["some_paid"]] == 1
    assert clue.kind == "sources_share"
    assert clue.weight == pytest.approx(2 * row[AT["sources_paid"]] + 3)


def test_what_is_usual_is_no_clue(evidence: Evidence) -> None:
    """Of places and counts; that words are those of the topic counts whatever others say."""
    row = evidence.rows(np.array([1]))[0]
    told = [naming.clues_of(evidence, 1, row, PRIOR, usual) for usual in (NOTHING, row)]
    before, after = ({clue.kind: clue.weight for clue in clues} for clues in told)
    assert "like_same_folder" in before
    assert "like_same_folder" not in after
    assert before["like_means_anchor"] == after["like_means_anchor"]
    apart = row.copy()
    apart[AT["same_folder"]] = 0
    clues = naming.clues_of(evidence, 1, apart, PRIOR, row)
    [clue] = [clue for clue in clues if clue.kind == "like_same_folder"]
    assert clue.weight == pytest.approx(-PRIOR[AT["same_folder"]])
    assert naming.name_of(clue, {}).startswith("another folder than")


def test_a_word_that_stands_twice_is_one_clue(
    evidence: Evidence, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(naming, "_MOST", 1000)
    row = evidence.rows(np.array([1]))[0]
    keys = [(c.kind, c.key) for c in naming.clues_of(evidence, 1, row, np.ones(len(row)), NOTHING)]
    assert ("context", int(term_ids("moon")[0])) in keys
    assert len(keys) == len(set(keys))
