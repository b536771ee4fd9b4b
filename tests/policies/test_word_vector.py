"""The policy `word-vector`: links by the meaning of their words."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from checks import drain
from wolfspider.errors import BadInput
from wolfspider.pages import parse_html
from wolfspider.policies import make
from wolfspider.policies.word_vector import WordVector
from wolfspider.records import Verdict, Visit
from wolfspider.topics import Topic
from wolfspider.urls import seed_link

TABLE = "sun 3 4 0\nmoon 0 5 0\ntide 1 0 0\nsea 0 0 -2\n"
HOME = "http://a.example/"


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "table.txt").write_text(TABLE)
    return tmp_path / "table.txt"


def score(table: Path, html: str) -> float:
    """Of the only link of a page, for the topic moon."""
    policy = WordVector(topic=Topic.of("moon"), vectors=table)
    policy.learn(Visit(seed_link(HOME), parse_html(html.encode(), HOME), Verdict(0.0, False)))
    [link] = drain(policy)
    return link.score


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<a href="/1">the sun</a>', 0.8),  # (3, 4, 0)
        ('a tide <a href="/2">moon</a>', 5 / math.sqrt(26)),  # (1, 5, 0)
        ('<a href="/moon">here</a>', 1.0),
        ('<a href="/tide">sun</a> sea', 4 / math.sqrt(16 + 16 + 4)),  # (4, 4, -2)
        ('<a href="/4">comet</a>', 0.0),
        ("<h1>moon</h1><p>sun tide</p>" + "<p>far away</p>" * 20 + '<a href="/4">tide</a>', 0.0),
    ],
)
def test_links_are_scored_by_their_own_words_in_url_anchor_and_around(
    table: Path, html: str, expected: float
) -> None:
    assert score(table, html) == pytest.approx(expected, abs=1e-6)


def test_a_link_found_again_takes_the_higher_score(table: Path) -> None:
    policy = WordVector(topic=Topic.of("moon"), vectors=table)
    for words in ("tide", "moon", "sea"):
        html = f'<a href="/x">{words}</a>'
        page = parse_html(html.encode(), HOME)
        policy.learn(Visit(seed_link(HOME), page, Verdict(0.0, False)))
    assert [link.score for link in drain(policy)] == [1.0]


def test_the_table_is_a_setting(table: Path) -> None:
    policy = make(f"word-vector:vectors={table}", topic=Topic.of("moon"))
    assert isinstance(policy, WordVector)
    assert policy.likeness.vectors.words == ("sun", "moon", "tide", "sea")


def test_a_topic_without_vectors_is_a_sentence(table: Path) -> None:
    with pytest.raises(BadInput, match="no word of 'comet' has a vector"):
        make(f"word-vector:vectors={table}", topic=Topic.of("comet"))
