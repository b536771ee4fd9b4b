"""wolfspider feedback"""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import Generated, Run
from wolfspider.store import HuntReader


@pytest.fixture
def hunt(run: Run, generated: Generated, tmp_path: Path) -> Path:
    folder = tmp_path / "hunt"
    done = run(
        *("hunt", "--web", generated.folder, "--topic", "sailing", "--seed", generated.start),
        *("--pages", "30", "-o", folder, "-q"),
    )
    assert done.code == 0, done.err
    return folder


def test_a_word_counts_at_once(run: Run, hunt: Path, generated: Generated) -> None:
    before = run("status", hunt, "--json").json["relevant"]
    with HuntReader(hunt) as reader:
        query = "count(*) FROM pages WHERE url = ? AND relevance >= 0.5"
        start_was_relevant = reader.count(query, generated.start)
    for word, expected in (("--relevant", True), ("--irrelevant", False)):
        done = run("feedback", hunt, generated.start, word, "--json")
        assert done.json == {
            "url": generated.start,
            "relevant": expected,
            "hunt_under_way": False,
        }
        after = run("status", hunt, "--json").json["relevant"]
        assert after == before + expected - start_was_relevant
    shown = run("feedback", hunt, generated.start, "--relevant")
    assert shown.out == f"{generated.start} is relevant\n"
    assert f"wolfspider resume {hunt} learns from it" in shown.err


def test_what_is_wrong_is_said_and_nothing_written(
    run: Run, hunt: Path, generated: Generated, tmp_path: Path
) -> None:
    for arguments, message in (
        ((hunt, generated.start), "say what the page is: --relevant or --irrelevant"),
        ((hunt, generated.start, "--relevant", "--irrelevant"), "say what the page is: --relevant"),
        ((hunt, "http://nowhere.test/", "--relevant"), "has not visited http://nowhere.test/"),
        ((hunt, "not a url", "--relevant"), ": not a url is not a web address\n"),
        ((hunt, "mailto:x@a.test", "--relevant"), ": mailto:x@a.test is not a web address\n"),
        ((hunt, " ", "--relevant"), ": the URL is empty; give that of a page that the hunt has"),
        ((tmp_path / "none", generated.start, "--relevant"), "none"),
    ):
        done = run("feedback", *arguments)
        assert done.code == 2
        assert message in done.err
    assert not (hunt / "feedback.jsonl").exists()
