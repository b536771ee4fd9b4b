"""Judges: from 0 to 1, and relevant from 0.5 on."""

from __future__ import annotations

import math
import sqlite3
import tomllib
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import Recording
from command_line import Outcome, run_here
from wolfspider.errors import BadInput, DamagedFile
from wolfspider.judges import (
    ClassifierJudge,
    CosineJudge,
    KeywordJudge,
    PatternJudge,
    TargetJudge,
    classifier,
)
from wolfspider.lab.ground import COUNTER_EXAMPLES, Ground, draw_examples
from wolfspider.lab.run import run as run_policy
from wolfspider.lab.tasks import Task, read_tasks, write_tasks
from wolfspider.lab.trace import Trace
from wolfspider.policies import Spec
from wolfspider.protocols import Judge
from wolfspider.records import Page, Terms
from wolfspider.text import term_id, term_ids, terms
from wolfspider.topics import Topic
from wolfspider.vectors import WordVectors
from wolfspider.webs.recorded import RecordedWeb

TOPIC = Topic.of("solar eclipse")
HOME = "http://a.example/"


def page(text: str, *, title: str = "", url: str = HOME) -> Page:
    return Page(url, title, text.encode(), terms(f"{title} {text}"))


def named(*texts: str) -> dict[str, Terms]:
    """Pages to learn from: page 1, page 2, …"""
    return {f"page {number}": terms(text) for number, text in enumerate(texts, 1)}


ECLIPSES = named("solar eclipse moon", "the moon and a solar eclipse 2026", "eclipse solar solar")
TIDES = named("tide and sea", "the tide of the moon", "sea tide sea 2026")

JUDGES: dict[str, Judge] = {
    "classifier": ClassifierJudge.learn(ECLIPSES),
    "classifier with counter-examples": ClassifierJudge.learn(ECLIPSES, TIDES),
    "keywords": KeywordJudge(TOPIC),
    "keywords without a vector": KeywordJudge(Topic.of("sonnenfinsternis")),
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


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors of four words instead of the usual table; eclipse and solar point the same way."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = tmp_path / "table.txt"
    file.write_text("solar 2 0\neclipse 1 0\nmoon 3 4\ntide 0 1\n")
    vectors = WordVectors.open(file)
    monkeypatch.setattr(WordVectors, "open", lambda **_: vectors)


@pytest.mark.usefixtures("table")
def test_keywords_count_by_how_often_they_stand_for_the_length() -> None:
    verdict = KeywordJudge(TOPIC).judge(page("solar eclipse " + "tide " * 1998))
    assert verdict.relevance == pytest.approx(1 / (1 + 11))  # a long page has to mean it
    assert not verdict.target


@pytest.mark.usefixtures("table")
def test_a_keyword_that_is_missing_counts_as_nothing() -> None:
    verdict = KeywordJudge(Topic.of("solar eclipse comet")).judge(page("eclipse tide tide tide"))
    assert verdict.relevance == pytest.approx((1 / 2.02) / 3 + 1.5 * (1 / math.sqrt(5) - 0.3), 1e-3)


@pytest.mark.usefixtures("table")
def test_what_a_page_means_counts_beside_its_keywords() -> None:
    verdict = KeywordJudge(TOPIC).judge(page("moon"))  # cosine 3/5
    assert verdict.relevance == pytest.approx(1.5 * (0.6 - 0.3))
    assert not verdict.target
    verdict = KeywordJudge(TOPIC).judge(page("moon eclipse"))
    cosine = (3 + 1) / math.hypot(3 + 1, 4)
    assert verdict.relevance == pytest.approx((1 / 2.01) / 2 + 1.5 * (cosine - 0.3), 1e-3)
    assert verdict.target


@pytest.mark.usefixtures("table")
def test_a_page_that_means_something_else_is_none_the_worse() -> None:
    verdict = KeywordJudge(Topic.of("tide")).judge(page("tide " + "solar " * 50))
    assert verdict.relevance == pytest.approx(1 / (2 + 51 / 200))


@pytest.mark.usefixtures("table")
def test_where_no_keyword_has_a_meaning_keywords_decide() -> None:
    judge = KeywordJudge(Topic.of("comet halley"))
    verdict = judge.judge(page("comet solar"))
    assert verdict.relevance == pytest.approx(0.5 * (1 / 2.01) / 2 / 0.3)
    assert not verdict.target
    assert judge.judge(page("comet comet halley")).target


def test_in_the_usual_table_a_page_may_be_on_the_topic_without_its_words() -> None:
    judge = KeywordJudge(Topic.of("astronomy"))
    stars = judge.judge(page("the telescope saw planets, a comet, stars and a galaxy"))
    bread = judge.judge(page("the recipe wants flour, butter, an egg and a spoon of sugar"))
    assert stars.relevance > bread.relevance + 0.2


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


# -- from examples ---------------------------------------------------------------------------


def sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def test_two_examples_by_hand() -> None:
    """Words that no English text has. Each example scores ½ by the other one: 1/√2 · 1/√2.

    So the level is ½; both score alike, so the slope is that of a spread of a tenth of the level.
    """
    judge = ClassifierJudge.learn(named("qwzx vbkt", "qwzx mjfd"))
    assert judge.ids.tolist() == term_ids("qwzx").tolist()
    assert judge.bias == pytest.approx(-10)
    assert judge.weights.tolist() == pytest.approx([20 / math.sqrt(2)])
    for text, score in (("qwzx", 1 / math.sqrt(2)), ("qwzx new", 0.5), ("vbkt", 0.0)):
        expected = sigmoid(20 * (score - 0.5))
        assert judge.judge(page(text)).relevance == pytest.approx(expected, rel=1e-5), text


def test_a_word_that_every_english_text_has_says_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of ten words: the chance that a text of 4 words has one of them is 1 − e^(−4 · 0.2)."""
    ids = np.sort(term_ids("often0 rest0"))
    counts = np.where(ids == term_ids("often0")[0], 2.0, 8.0)
    monkeypatch.setattr(classifier, "_english", lambda: (ids, counts))
    monkeypatch.setattr(classifier, "_UNLISTED", 0.0)
    judge = ClassifierJudge.learn(named("often0 qwzx vbkt mjfd", "often0 qwzx hgpl kkrw"))
    weights = dict(zip(judge.ids.tolist(), judge.weights.tolist(), strict=True))
    often, never = (weights[int(term_ids(word)[0])] for word in ("often0", "qwzx"))
    assert often / never == pytest.approx(math.exp(-0.8))


def test_english_words_are_known_by_how_often_they_stand() -> None:
    ids = np.array([term_id(stem) for stem in ("time", "telescop", "qwzx")], np.uint32)
    common, rare, never = classifier._english_chance(ids, 300.0)
    assert common > 0.2 > rare > never > 0
    assert classifier._english_chance(ids, 3000.0)[1] == pytest.approx(10 * rare, rel=0.05)


def test_where_a_page_begins_to_count_by_hand() -> None:
    assert classifier._level(np.array([1.0, 3.0])) == 1.5  # mean 2, standard deviation 1
    assert classifier._break_even(np.array([0.0, 3.0, 1.0, 2.0]), 2) == 1.5


def test_a_regression_among_pages_is_the_one_among_words() -> None:
    from sklearn.linear_model import LogisticRegression

    rows = np.random.default_rng(3).random((12, 40))
    wanted = np.arange(12) < 4
    factors, bias = classifier._regression(rows @ rows.T, wanted)
    direct = LogisticRegression(C=10.0, class_weight="balanced", tol=1e-8, max_iter=5000)
    direct.fit(rows, wanted)
    assert rows.T @ factors == pytest.approx(direct.coef_[0], abs=1e-3)
    assert bias == pytest.approx(direct.intercept_[0], abs=1e-3)


def test_every_page_is_scored_by_what_others_teach(monkeypatch: pytest.MonkeyPatch) -> None:
    """A regression that knows its pages by heart says nothing about those it was not shown."""

    def by_heart(products: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, float]:
        assert wanted.any()
        assert not wanted.all()
        return np.where(wanted, 1.0, -1.0), 0.0

    monkeypatch.setattr(classifier, "_regression", by_heart)
    for examples, others in ((2, 2), (2, 9), (11, 30), (5, 2)):
        wanted = np.arange(examples + others) < examples
        scores = classifier._left_out_scores(np.eye(len(wanted)), wanted)
        assert not scores.any()


def test_counter_examples_take_away_what_both_speak_of() -> None:
    """All speak of the moon; only with counter-examples can one know that it is not the point."""
    moon = page("moon moon moon rises over field")
    eclipse = page("moon eclipse solar")
    alone, told = ClassifierJudge.learn(ECLIPSES), ClassifierJudge.learn(ECLIPSES, TIDES)
    assert told.judge(eclipse).target
    assert not told.judge(page("tide and sea and moon")).target
    weight = dict(zip(told.ids.tolist(), told.weights.tolist(), strict=True))
    assert weight[term_id("solar")] > 0 > weight[term_id("tide")]
    assert told.judge(moon).relevance < told.judge(eclipse).relevance
    assert alone.judge(moon).relevance < alone.judge(eclipse).relevance


def test_the_same_page_twice_counts_once() -> None:
    once, twice = (
        named("solar eclipse moon", "solar moon"),
        named("solar eclipse moon", "solar moon"),
    )
    twice["copy"] = terms("moon solar ECLIPSE")
    assert ClassifierJudge.learn(twice).packed() == ClassifierJudge.learn(once).packed()


@pytest.mark.parametrize("name", ["classifier", "classifier with counter-examples"])
def test_what_was_learned_survives_as_text(name: str) -> None:
    judge = JUDGES[name]
    assert isinstance(judge, ClassifierJudge)
    again = ClassifierJudge.unpacked(judge.packed())
    assert (again.bias, again.ids.tolist()) == (judge.bias, judge.ids.tolist())
    assert again.weights.tolist() == judge.weights.tolist()
    seen = page("solar tide moon 2026")
    assert again.judge(seen) == judge.judge(seen)


@pytest.mark.parametrize("text", ["", "AAAA", "no base64!", "AAAAAAAAAAAAAAAAAAAA"])
def test_what_cannot_be_read_is_a_sentence(text: str) -> None:
    with pytest.raises(DamagedFile, match="what the judge learned from the examples cannot be"):
        ClassifierJudge.unpacked(text)


MOON, SEA = terms("moon solar"), terms("sea tide")
BAD_EXAMPLES: list[tuple[dict[str, Terms], dict[str, Terms], str]] = [
    ({}, {}, "there is no example page to learn from; give at least 2"),
    ({"a": MOON}, {}, "one example page is too few to learn from; give at least 2 different ones"),
    ({"a": MOON, "b": MOON}, {}, "one example page is too few"),
    ({"a": MOON, "b": terms("the")}, {}, "the example b has no words to learn from"),
    ({"a": MOON, "b": SEA}, {}, "the example pages have no word in common"),
    ({**ECLIPSES}, {"c": SEA}, "one counter-example is too few to learn from"),
    ({**ECLIPSES}, {"c": SEA, "d": terms("")}, "the counter-example d has no words"),
    ({**ECLIPSES, "a": MOON}, {**TIDES, "c": MOON}, "the example a is also a counter-example, c"),
]


@pytest.mark.parametrize(("good", "bad", "sentence"), BAD_EXAMPLES)
def test_bad_examples_are_a_sentence(
    good: dict[str, Terms], bad: dict[str, Terms], sentence: str
) -> None:
    with pytest.raises(BadInput, match=sentence) as caught:
        ClassifierJudge.learn(good, bad)
    assert "\n" not in str(caught.value)


# -- from examples, in the lab ---------------------------------------------------------------


@pytest.fixture(scope="module")
def task(recording: Recording, recorded_web: RecordedWeb) -> Task:
    label = next(name for name in recorded_web.about["labels"] if ":" not in name)
    keywords = (recording.topic.keywords[0],)
    return Task("t", keywords, label, (recording.start,), judge="classifier", examples=5)


def test_examples_are_targets_and_others_are_not(recorded_web: RecordedWeb, task: Task) -> None:
    targets = {recorded_web.url(number) for number in recorded_web.label(str(task.targets))}
    good, bad = draw_examples(recorded_web, task)
    assert len(good) == 5
    assert len(bad) == 5 * COUNTER_EXAMPLES
    assert set(good) <= targets
    assert targets.isdisjoint(bad)
    assert list(draw_examples(recorded_web, task)[0]) == list(good)
    assert list(draw_examples(recorded_web, replace(task, name="other"))[0]) != list(good)
    assert list(draw_examples(recorded_web, task, 1)[0]) != list(good)


def test_examples_come_from_what_may_be_learned_from(recorded_web: RecordedWeb, task: Task) -> None:
    from wolfspider.lab.parts import mask_of

    allowed = mask_of(recorded_web, "part:2/3") | mask_of(recorded_web, "part:3/3")
    halves = replace(task, within="part:1/3", train=("part:2/3", "part:3/3"))
    for part, mask in ((halves, allowed), (replace(halves, train=()), ~allowed)):
        for drawn in draw_examples(recorded_web, part):
            assert drawn
            assert all(mask[recorded_web.number(url)] for url in drawn)


def test_a_task_without_examples_is_a_sentence(recorded_web: RecordedWeb, task: Task) -> None:
    lonely = replace(task, targets=(recorded_web.url(1),))
    with pytest.raises(
        BadInput, match=r"'t': the judge 'classifier' learns from targets on .*, and"
    ):
        Ground.lay(recorded_web, lonely)


def test_a_judge_from_five_examples_knows_the_others(recorded_web: RecordedWeb, task: Task) -> None:
    ground = Ground.lay(recorded_web, task)
    judge = ground.judge()
    assert isinstance(judge, ClassifierJudge)
    assert ground.judge() is judge  # learned once
    learned_from = {url for drawn in draw_examples(recorded_web, task) for url in drawn}
    rest = [page for page in map(recorded_web.page, range(300)) if page.url not in learned_from]
    relevance = np.array([judge.judge(page).relevance for page in rest])
    true = np.array([ground.targets[recorded_web.number(page.url)] for page in rest])
    assert (relevance[true][:, None] > relevance[~true]).mean() > 0.95  # of all pairs
    hits = (true & (relevance >= 0.5)).sum()
    assert hits > 0.8 * (relevance >= 0.5).sum()
    assert hits > 0.4 * true.sum()
    assert true.mean() < 0.1


def test_a_run_is_told_what_the_judge_says(recorded_web: RecordedWeb, task: Task) -> None:
    ground = Ground.lay(recorded_web, replace(task, budget=60))
    trace = run_policy(ground, Spec.parse("best-first"))
    assert trace.error == ""
    judge = ground.judge()
    said = [judge.judge(recorded_web.page(number)).relevant for number in trace.pages.tolist()]
    assert trace.judged.tolist() == said
    assert 0 < sum(said) < 60


TASKS = """
web = "w"
judge = "classifier"
examples = 7
[[task]]
name = "a"
keywords = ["k"]
targets = { label = "l" }
seeds = ["http://a.example/"]
[[task]]
name = "b"
examples = 3
keywords = ["k"]
targets = { label = "l" }
seeds = ["http://a.example/"]
[[task]]
name = "c"
judge = "targets"
keywords = ["k"]
targets = { label = "l" }
seeds = ["http://a.example/"]
"""


def test_a_task_file_says_how_many_examples(tmp_path: Path) -> None:
    path = tmp_path / "tasks.toml"
    path.write_text(TASKS)
    file = read_tasks(path)
    assert [task.examples for task in file.tasks] == [7, 3, 10]
    assert [Task.of_json(task.as_json()) for task in file.tasks] == list(file.tasks)
    write_tasks(tmp_path / "again.toml", file.web, file.tasks)
    assert read_tasks(tmp_path / "again.toml").tasks == file.tasks
    path.write_text(TASKS.replace("examples = 7\n", ""))
    assert read_tasks(path).tasks[0].examples == 10


def test_examples_tell_runs_apart_only_where_a_judge_learns_from_them(task: Task) -> None:
    few, many = replace(task, examples=2), replace(task, examples=20)
    assert few.as_json() != many.as_json()
    assert replace(few, judge="targets").as_json() == replace(many, judge="targets").as_json()


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("examples = 3", "examples = 1", "task 'b': examples is a number, at least 2, not 1"),
        ("examples = 3", "examples = true", "examples is a number, at least 2, not True"),
        ("examples = 7", 'examples = "7"', "examples is a number, at least 2, not '7'"),
        (
            'judge = "targets"',
            'judge = "targets"\nexamples = 3',
            "'c': examples are for the judge 'classifier', and not for 'targets'",
        ),
    ],
)
def test_a_bad_number_of_examples_is_a_sentence(
    tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    path = tmp_path / "tasks.toml"
    path.write_text(TASKS.replace(old, new, 1))
    with pytest.raises(BadInput, match=sentence):
        read_tasks(path)


def test_examples_for_no_task_are_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "tasks.toml"
    text = TASKS.replace('judge = "classifier"', 'judge = "keywords"').replace("examples = 3", "")
    path.write_text(text)
    with pytest.raises(
        BadInput, match="examples are for the judge 'classifier', which no task has"
    ):
        read_tasks(path)


# -- from examples, in hunts -----------------------------------------------------------------


@pytest.fixture
def hunt(
    recording: Recording, task: Task, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Outcome]:
    def hunt(*more: str | Path) -> Outcome:
        begin = ("hunt", "--web", recording.folder, "--topic", task.keywords[0], "--json")
        return run_here(monkeypatch, *begin, "--seed", recording.start, *more)

    return hunt


@pytest.fixture
def urls(recorded_web: RecordedWeb, task: Task, tmp_path: Path) -> tuple[Path, Path]:
    """Lists of example pages and of counter-examples."""
    lists = tmp_path / "good.txt", tmp_path / "bad.txt"
    for path, drawn in zip(lists, draw_examples(recorded_web, task), strict=True):
        path.write_text("# pages\n" + "\n".join(drawn) + "\n")
    return lists


def visits(folder: Path) -> list[tuple[str, float]]:
    with closing(sqlite3.connect(folder / "hunt.db")) as db:
        return db.execute("SELECT url, relevance FROM pages ORDER BY step").fetchall()


def test_a_hunt_learns_from_listed_pages(
    hunt: Callable[..., Outcome],
    urls: tuple[Path, Path],
    recorded_web: RecordedWeb,
    task: Task,
    tmp_path: Path,
) -> None:
    good, bad = urls
    done = hunt(
        "--examples", good, "--counter-examples", bad, "--pages", "150", "-o", tmp_path / "h"
    )
    assert done.code == 0, done.err
    judge = ClassifierJudge.learn(*draw_examples(recorded_web, task))
    found = visits(tmp_path / "h")
    assert len(found) == 150
    for url, relevance in found:
        assert relevance == judge.judge(recorded_web.page(recorded_web.number(url))).relevance
    asked = tomllib.loads((tmp_path / "h" / "hunt.toml").read_text())
    assert asked["examples"] == good.read_text().split("\n")[1:-1]
    assert len(asked["counter_examples"]) == 5 * COUNTER_EXAMPLES
    assert asked["learned"] == judge.packed()


def test_a_resumed_hunt_judges_as_before_though_the_examples_are_gone(
    hunt: Callable[..., Outcome],
    urls: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, pages in (("whole", "120"), ("parts", "50")):
        done = hunt("--examples", urls[0], "--pages", pages, "-o", tmp_path / name)
        assert done.code == 0, done.err
    urls[0].unlink()
    again = run_here(monkeypatch, "resume", tmp_path / "parts", "--pages", "120", "--json")
    assert again.code == 0, again.err
    assert visits(tmp_path / "parts") == visits(tmp_path / "whole")
    assert len({relevance for _, relevance in visits(tmp_path / "whole")}) > 60


def test_saved_pages_are_examples_as_they_were_recorded(
    hunt: Callable[..., Outcome], tmp_path: Path
) -> None:
    """What a browser saves beside a page is not looked at, nor what is no page."""
    folder = tmp_path / "pages"
    (folder / "a_files").mkdir(parents=True)
    (folder / "a_files" / "advert.html").write_text("<p>buy buy buy")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    (folder / "a.html").write_text("<title>wolf</title><script>cats</script><p>qwzx vbkt")
    (folder / "b.HTM").write_text("<p>qwzx <b>mjfd</b> wolf")
    (folder / "c.txt").write_text("wolf qwzx")
    done = hunt("--examples", folder, "--pages", "3", "-o", tmp_path / "h")
    assert done.code == 0, done.err
    asked = tomllib.loads((tmp_path / "h" / "hunt.toml").read_text())
    assert [Path(name).name for name in asked["examples"]] == ["a.html", "b.HTM", "c.txt"]
    judge = ClassifierJudge.unpacked(asked["learned"])
    assert set(judge.ids.tolist()) == set(term_ids("wolf qwzx").tolist())


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--examples", "none"], "cannot read the example none: No such file or directory"),
        (["--examples", "empty"], "there is no saved page in empty; their names end with .html"),
        (["--examples", "one.html"], "one example page is too few to learn from; give at least 2"),
        (["--examples", "blank.html"], "the example blank.html has no words to learn from"),
        (["--examples", "list.txt"], "the example http://nowhere.example/ of list.txt is not in"),
        (["--counter-examples", "two"], "--counter-examples say what is not wanted; say what is"),
        (["--examples", "two", "--like", "x"], "give one of --like and --examples: a hunt has one"),
        (
            ["--examples", "two", "--counter-examples", "two"],
            "the example two/a.html is also a counter-example, two/a.html; take it out of one",
        ),
    ],
)
def test_bad_example_files_are_a_sentence(
    hunt: Callable[..., Outcome],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("empty", "two"):
        (tmp_path / folder).mkdir()
    for name, text in {
        "one.html": "<p>wolf",
        "blank.html": "<p></p>",
        "list.txt": "http://nowhere.example/",
        "two/a.html": "<p>wolf spider",
        "two/b.html": "<p>spider wolf wolf",
    }.items():
        (tmp_path / name).write_text(text)
    done = hunt(*options, "-o", tmp_path / "h")
    assert (done.code, done.out) == (2, "")
    assert sentence in " ".join(done.err.split())
    assert not (tmp_path / "h").exists()


def test_a_live_hunt_needs_saved_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "list.txt"
    path.write_text("https://a.example/\n")
    begin = ("hunt", "--topic", "wolf", "--seed", "https://a.example/", "-o", tmp_path / "h")
    done = run_here(monkeypatch, *begin, "--examples", path)
    assert done.code == 2
    assert "for a live hunt save the pages and give their folder" in " ".join(done.err.split())


def test_the_lab_runs_tasks_with_it(
    recording: Recording, task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the judge differs, so crawls that never listen to it are the same."""
    told = {}
    for judge in ("classifier", "targets"):
        path, out = tmp_path / f"{judge}.toml", tmp_path / judge
        write_tasks(path, recording.folder, [replace(task, judge=judge, budget=100)])
        run = ("lab", "run", path, "--policies", "fish-search", "-o", out, "--jobs", "1", "--json")
        done = run_here(monkeypatch, *run)
        assert done.code == 0, done.err
        told[judge] = {t.key.policy: t for t in map(Trace.load, (out / "runs").glob("*.npz"))}
    for policy, trace in told["classifier"].items():
        assert trace.error == ""
        same = trace.pages.tolist() == told["targets"][policy].pages.tolist()
        assert same == (policy != "fish-search"), policy
    truly, learned = (told[judge]["breadth-first"].judged for judge in ("targets", "classifier"))
    assert truly.tolist() != learned.tolist()
