"""Han, Wuillemin & Senellart 2018 run again, on a small encyclopedia made by hand."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from checks import Recording
from command_line import Outcome, run_here
from lab.tiny import summary_of, task_of, trace_of, web_of
from recordings import compile_web, page
from wolfspider.errors import BadInput
from wolfspider.lab.experiment import Experiment, ground_of
from wolfspider.lab.ground import Ground
from wolfspider.lab.reproduce import PAPERS, han_2018, han_2018_topics
from wolfspider.lab.reproduce.findings import Finding
from wolfspider.lab.reproduce.han_2018 import beats_all
from wolfspider.lab.reproduce.han_2018_runs import (
    BLIND,
    POLICIES,
    UPDATES,
    Runs,
    crawler,
    times_as_many,
)
from wolfspider.lab.run import run_lesson
from wolfspider.lab.statistics import compare
from wolfspider.lab.summary import Summary
from wolfspider.lab.trace import Trace
from wolfspider.states import load_state
from wolfspider.webs.recorded import RecordedWeb

SITE = "http://wiki.test/"
SIZE = 120
TITLES = ("Apple", "Bridge", "Castle", "Desert", "Engine", "Forest", "Garden")


def article(word: str) -> str:
    return f"{SITE}{word.lower()}"


def encyclopedia() -> dict[str, str]:
    """Poetry and seven other articles of one word; each of the other pages has one such word.

    From every page there are links to the next three: all can be reached from everywhere.
    """
    words = ("Poetry", *TITLES)
    names = [word.lower() for word in words]
    names += [f"page{number}" for number in range(SIZE - len(words))]
    bodies = {}
    for at, name in enumerate(names):
        word = words[at % len(words)] if at >= len(words) else name.title()
        title = word if at < len(words) else f"About {name}"
        text = f"<p>Here something is said of {word.lower()}."
        ends = [names[(at + step) % SIZE] for step in (1, 7, 8)]
        links = "".join(f"<p><a href='/{end}'>Read on</a>" for end in ends)
        bodies[f"{SITE}{name}"] = f"<title>{title}</title>{text}{links}"
    return bodies


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> RecordedWeb:
    records = [page(url, body) for url, body in encyclopedia().items()]
    records += [page(f"{SITE}rare", "<title>Rare</title><p>Nobody else says so.")]
    return compile_web(tmp_path_factory.mktemp("web") / "wiki", records)


def prepared(web: RecordedWeb, folder: Path, *words: str, lessons: int = 2) -> Experiment:
    return han_2018.prepare(web.folder, folder, words=words or None, lessons=lessons)


def tasks_of(experiment: Experiment) -> dict[str, dict[str, object]]:
    return {entry["task"]["name"]: entry["task"] for entry in experiment.about["tasks"]}


# -- topics --------------------------------------------------------------------------------


def test_a_topic_is_an_article_and_relevant_is_what_has_its_word(
    web: RecordedWeb, tmp_path: Path
) -> None:
    tasks = tasks_of(prepared(web, tmp_path / "r", "poetry", "castles"))
    assert list(tasks) == ["poetry", "castles"]  # of one stem with the title
    for word, title in (("poetry", "poetry"), ("castles", "castle")):
        assert tasks[word]["seeds"] == [article(title)]
        having = [url for url, body in encyclopedia().items() if f"of {title}." in body]
        assert len(having) == 15
        assert sorted(tasks[word]["targets"]) == sorted({*having} - {article(title)})  # type: ignore[call-overload]
        assert tasks[word]["keywords"] == [word]
        assert tasks[word]["budget"] == int(0.4 * len(web))


def test_without_words_the_papers_are_taken_and_titles_of_one_word_make_up_for_the_rest(
    tmp_path: Path,
) -> None:
    """Of its six words the web has one; five are taken evenly from seven titles, without the ends.

    A title counts if its word is on 1 to 10 % of the pages, 1.39 to 13.9 of 139 here.
    """
    records = [page(f"{SITE}{n}", f"<title>Nr. {n}</title><p>Nothing.") for n in range(62)]
    for word in TITLES:
        records += [page(article(word), f"<title>{word}</title><p>An article.")]
        records += [page(f"{article(word)}{n}", f"<p>Of the {word}.") for n in range(5)]
    records += [page(article("poetry"), "<title>Poetry</title><p>Verse.")]
    records += [page(f"{SITE}verse{n}", "<p>Some poetry.") for n in range(15)]
    records += [page(article("frequent"), "<title>Frequent</title><p>Too much.")]
    records += [page(f"{SITE}often{n}", "<p>Frequent words.") for n in range(16)]
    records += [page(article("rare"), "<title>Rare</title><p>Nobody else says so.")]
    records += [page(article("two"), "<title>Two words</title><p>Castle, castle.")]
    web = compile_web(tmp_path / "wiki", records)
    assert len(web) == 139
    found = dict(han_2018_topics.Articles(web).more(5, ["poetry"]))
    assert list(found) == ["bridge", "castle", "desert", "engine", "forest"]
    assert web.url(found["castle"]) == article("castle")
    names = [task.name for task in han_2018_topics.topics_of(web, None)]
    assert names == ["poetry", *found]


def test_words_that_are_no_articles_are_a_sentence(web: RecordedWeb, tmp_path: Path) -> None:
    for words, lacking in (
        (("poetry", "unicorn"), "unicorn"),
        (("poetry", "rare"), "rare"),  # an article, and no other page has the word
        (("poetry", "the"), "the"),
        (("poetry", "castle bridge", "something"), "castle bridge, something"),
    ):
        with pytest.raises(BadInput, match=f"is titled as, and has: {lacking}; give other words"):
            prepared(web, tmp_path / "r", *words)
    assert not (tmp_path / "r").exists()


def test_one_topic_is_not_enough(web: RecordedWeb, tmp_path: Path) -> None:
    for words in (("poetry",), ("poetry", "poetry")):
        with pytest.raises(BadInput, match="has articles for 1 topics; name two or more with --w"):
            prepared(web, tmp_path / "r", *words)


def test_one_lesson_is_no_learning_curve(web: RecordedWeb, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--lessons is 1; a learning curve needs 2 or more"):
        prepared(web, tmp_path / "r", "poetry", "castle", lessons=1)
    assert not (tmp_path / "r").exists()


# -- the command ---------------------------------------------------------------------------


def reproduce(patch: pytest.MonkeyPatch, web: Path, *more: str | Path) -> Outcome:
    fixed = ("lab", "reproduce", "han-2018", "--web", web, "--jobs", "1")
    return run_here(patch, *fixed, *more)


@pytest.fixture(scope="module")
def folder(web: RecordedWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reproduced") / "han"
    asked = ("--words", "poetry,castle,garden", "--lessons", "2", "-o", folder)
    with pytest.MonkeyPatch.context() as patch:
        done = reproduce(patch, web.folder, *asked, "--json", "--quiet")
    assert done.code == 0, done.err
    findings = done.json["findings"]
    assert len(findings) == 9
    assert all(each["seen"] and each["agrees"] in (True, False, None) for each in findings)
    assert all(each["agrees"] or each["reason"] for each in findings)
    return folder


def test_every_crawler_has_its_lessons(folder: Path) -> None:
    """One that does not learn crawls once: it would do the same again."""
    traces = Experiment(folder).traces()
    runs = {(t.key.task, t.key.policy, t.key.repeat) for t in traces if not t.error}
    for task in ("poetry", "castle", "garden"):
        assert (task, BLIND, 0) in runs
        assert (task, BLIND, 1) not in runs
        for update in UPDATES:
            assert {(task, crawler(update), n) for n in (0, 1)} < runs


def test_a_lesson_begins_with_the_weights_of_the_one_before(folder: Path) -> None:
    jobs = [job for job in Experiment(folder).jobs if job.carries]
    assert len(jobs) == 3 * len(UPDATES) * 2
    by_name = {(job.task.name, str(job.policy), job.repeat): job for job in jobs}
    first = by_name["poetry", crawler("async"), 0]
    second = by_name["poetry", crawler("async"), 1]
    ground = ground_of(second.web, second.task, 1)
    kept = load_state(first.carried(folder))
    trace, learned = run_lesson(ground, second.policy, 1, kept)
    assert learned == load_state(second.carried(folder))
    assert np.array_equal(trace.pages, Trace.load(second.path(folder)).pages)
    assert run_lesson(ground, second.policy, 1, None)[1] != learned


def test_again_nothing_is_run(
    folder: Path, web: RecordedWeb, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {path: path.stat().st_mtime_ns for path in (folder / "runs").iterdir()}
    asked = ("--words", "poetry,castle,garden", "--lessons", "2", "-o", folder)
    again = reproduce(monkeypatch, web.folder, *asked)
    assert again.code == 0, again.err
    assert re.search(r"^(agrees|differs|cannot tell) +Crawlers that learn", again.out, re.MULTILINE)
    assert before == {path: path.stat().st_mtime_ns for path in (folder / "runs").iterdir()}


def test_the_page_needs_no_network_and_has_all_findings(folder: Path) -> None:
    html = (folder / "reproduction.html").read_text()
    assert html.count('class="card finding') == 9
    assert not re.search(r'(?:src|href)="(?!data:|#)', html)


def test_mistakes_on_the_command_line_are_sentences(
    recording: Recording, web: RecordedWeb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder, more, sentence in (
        (web.folder, ("--words", "poetry,unicorn"), "is titled as, and has: unicorn"),
        (web.folder, ("--words", " , "), "--words names nothing"),
        (web.folder, ("--words", "poetry,castle", "--lessons", "1"), "--lessons is 1"),
        (web.folder, ("--topics", "3"), "han-2018 has no --topics; it has --words, --lessons"),
        (recording.folder, ("--words", "poetry,castle"), "has: poetry, castle; give other words"),
    ):
        done = reproduce(monkeypatch, folder, *more, "-o", tmp_path / "r")
        assert (done.code, done.out) == (2, "")
        assert sentence in done.err
    assert not (tmp_path / "r").exists()


# -- numbers -------------------------------------------------------------------------------

# a links to all others, so that any order is a crawl. Counted is after 10 of the 20 pages.
STAR = {"a": "bcdefghijklmnopqrst"} | dict.fromkeys("bcdefghijklmnopqrst", "")
MANY, FEW = "bcdefgh", "ijk"

# relevant pages among the first ten, of both topics, lesson by lesson
FOUND = {
    BLIND: [(2, 1)],
    crawler("sync"): [(3, 2), (5, 2)],
    crawler("async"): [(3, 1), (3, 1)],
    crawler("moderated"): [(2, 2), (2, 2)],
    crawler("lazy"): [(4, 2), (4, 2)],
}
SECONDS = {BLIND: 0.1, crawler("sync"): 1.6, crawler("async"): 0.2, crawler("moderated"): 0.2}


def crawl(targets: str, count: int) -> str:
    """20 pages, so many targets among the first ten; the others are at the end."""
    others = [each for each in STAR if each != "a" and each not in targets]
    return "a" + targets[:count] + "".join(others) + targets[count:]


@pytest.fixture(scope="module")
def summary(tmp_path_factory: pytest.TempPathFactory) -> Summary:
    words = dict.fromkeys(MANY, "spider") | dict.fromkeys(FEW, "wolf")
    labels = {"spider": MANY, "wolf": FEW}
    web = web_of(tmp_path_factory.mktemp("star") / "web", STAR, labels, words)
    runs = []
    for name, targets in (("spider", MANY), ("wolf", FEW)):
        task = task_of(name=name, targets=name, keywords=(name,))
        ground = Ground.lay(web, task)
        for policy in POLICIES:
            for repeat, counts in enumerate(FOUND[policy]):
                visited = crawl(targets, counts[name == "wolf"])
                seconds = SECONDS.get(policy, 0.2)
                trace = trace_of(ground, visited, policy, repeat=repeat, cpu_seconds=seconds)
                assert len(set(trace.pages.tolist())) == len(STAR)
                runs.append((ground, trace))
    return summary_of(*runs)


@pytest.fixture(scope="module")
def runs(summary: Summary) -> Runs:
    return Runs(summary)


def test_relevant_pages_are_counted_by_topic_and_averaged_over_lessons(
    runs: Runs,
) -> None:
    assert (runs.lessons, runs.budget) == (2, 20)
    assert runs.counts(BLIND, 0.2).tolist() == [2, 1]
    assert runs.counts(crawler("sync"), 0.2).tolist() == [4, 2]
    assert runs.counts(crawler("sync"), 0.2, None, slice(1)).tolist() == [3, 2]
    assert runs.counts(crawler("sync"), 0.4).tolist() == [7, 3]
    assert [unit[0] for unit in runs.abundant] == ["spider"]
    assert [unit[0] for unit in runs.sparse] == ["wolf"]
    assert [runs.relevant(unit) for unit in runs.summary.units] == [7, 3]


def test_learning_helps_by_hand(runs: Runs) -> None:
    """Their three find (4 + 3 + 2) ÷ 3 = 3 and (2 + 1 + 2) ÷ 3 pages, where words find 2 and 1."""
    found = han_2018._learning_helps(runs)
    assert f"{(3 + 5 / 3) / 3:.2f} [1.50, 1.67] times" in found.seen
    assert "after 20% of the pages sync 2.00 [2.00, 2.00], async 1.33 [1.00, 1.50]" in found.seen
    assert found.agrees is True
    assert found.table[0] == ("crawler", "spider", "wolf")
    assert found.table[1] == (BLIND, "2.0", "1.0")


def test_the_best_of_them_by_hand(runs: Runs) -> None:
    many, few = han_2018._sync_best(runs), han_2018._moderated_best(runs)
    assert "spider, after 20%: sync 4.0, async 3.0, moderated 2.0" in many.seen
    assert many.agrees is None  # one topic is no evidence
    assert "1 topics are few; the best and the worst method differ by 2.0 pages" in many.reason
    assert f"a standard deviation of {2**0.5 / 3:.1f}" in many.reason  # 3 and 5 of sync, else none
    assert "wolf, after 20%: sync 2.0, async 1.0, moderated 2.0" in few.seen
    assert "moderated less sync: +0.000" in few.seen


def test_who_is_beaten_has_another_reason(runs: Runs) -> None:
    assert han_2018._noise(runs, runs.sparse, True) == ""
    reason = han_2018._noise(runs, runs.sparse, False)
    assert "from the first crawl to the last it still gains +0.0 pages" in reason


def test_the_best_beats_all_others_and_is_beaten_by_none() -> None:
    clear, unclear = compare(np.linspace(1, 2, 6)), compare(np.array([1.0, -0.9, 0.8, -0.7]))
    beaten = compare(-np.linspace(1, 2, 6))
    assert beats_all([clear, clear]) is True
    assert beats_all([clear, unclear]) is None
    assert beats_all([clear, beaten]) is False
    assert beats_all([unclear, beaten]) is False
    assert beats_all([compare(np.linspace(1, 2, 5))]) is None  # p is 1/16 at best


def test_lessons_by_hand(runs: Runs) -> None:
    """Only sync finds more in the second: 2 more of the first topic, a third of that together."""
    found = han_2018._lessons_help(runs)
    assert f"{1 / 3:+.3f} [+0.000, +0.667]" in found.seen
    assert found.agrees is None
    assert "the second crawl finds +0.3 pages and the last one +0.3" in found.reason
    assert found.table == (
        ("lesson", *UPDATES),
        ("1", "2.5", "2.0", "2.0", "3.0"),
        ("2", "3.5", "2.0", "2.0", "3.0"),
    )


def test_moderated_less_original_by_hand(runs: Runs) -> None:
    found = han_2018._moderated_beats_original(runs)
    assert "moderated less original: +0.000 [-1.000, +1.000]" in found.seen.replace("−", "-")
    assert found.agrees is None


def test_levels_by_hand(runs: Runs) -> None:
    """A page of the topic's word alone is of the highest level: cosine 1."""
    found = han_2018._middle_levels(runs)
    rows = {row[0]: row[1:] for row in found.table}
    assert rows["0.9 to 1.0"][: len(POLICIES)] == ("3.0", "6.0", "4.0", "4.0", "6.0")
    assert rows["0.9 to 1.0"][-1] == "10"
    assert all(set(row) <= {"0.0", "0"} for name, row in rows.items() if name < "0.9")
    assert f"{(6 + 4 + 4) / 3 - 3:+.1f}, at level 10" in found.seen
    assert found.agrees is False


def test_costs_by_hand(runs: Runs) -> None:
    found = han_2018._costs(runs)
    assert "word-vector 5.00, sarsa:update=sync 80.00, sarsa:update=async 10.00" in found.seen
    assert "synchronous 8.0 times asynchronous" in found.seen
    assert found.agrees is True


def test_lazy_against_sync_by_hand(runs: Runs) -> None:
    found = han_2018._lazy(runs)
    assert "lazy finds 1.000 [1.000, 1.000] times" in found.seen
    assert found.agrees is True


def test_topics_of_which_nothing_was_found_leave_it_open() -> None:
    """In a quarter of the draws of two topics it is the second one twice: 0 of 0."""
    value, low, high = times_as_many(np.array([3.0, 0.0]), np.array([2.0, 0.0]))
    assert value == 1.5
    assert np.isnan([low, high]).all()


def test_less_than_they_found_differs_and_says_what_there_was_to_find(summary: Summary) -> None:
    """As good as word vectors: 3 of 10 pages, where breadth-first has none."""
    same = [
        replace(t, key=replace(t.key, policy=policy))
        for policy in POLICIES
        for t in _blind(summary)
    ]
    blind = [replace(t, key=replace(t.key, policy="breadth-first")) for t in _blind(summary)]
    found = han_2018._learning_helps(Runs(replace(summary, traces=(*same, *blind))))
    assert "1.00 [1.00, 1.00] times" in found.seen
    assert found.agrees is False
    assert "30% of all relevant pages by word vectors alone, 30% by breadth-first" in found.reason
    assert "1.00 after 10%, 1.00 after 20%, 1.00 after 40%" in found.reason


def _blind(summary: Summary) -> list[Trace]:
    return [trace for trace in summary.traces if trace.key.policy == BLIND]


def test_topics_whose_values_grew_beyond_bounds_are_left_out_and_named(summary: Summary) -> None:
    third = [
        replace(t, key=replace(t.key, task="cat")) for t in summary.traces if t.key.task == "wolf"
    ]
    [*rest, last] = third
    failed = replace(last, error="BadInput: sarsa diverges: after 2 pages")
    units = {unit[0]: ground for unit, ground in summary.grounds.items()}
    grounds = summary.grounds | {("cat", last.starts): units["wolf"]}
    grown = Summary((*summary.traces, *rest), (failed,), grounds)
    assert {unit[0] for unit in han_2018._whole(grown).units} == {"spider", "wolf"}
    found = han_2018._settles(grown, {})
    assert found.agrees is False
    assert "1 of 24 crawls were stopped" in found.seen
    assert "cat (sarsa:update=lazy, crawl 2); these topics are left out above" in found.seen
    with pytest.raises(BadInput, match="1 runs failed: ZeroDivisionError"):
        han_2018._whole(replace(grown, failed=(replace(last, error="ZeroDivisionError"),)))
    alone = Summary(tuple(t for t in summary.traces if t.key.task == "wolf"), (failed,), grounds)
    with pytest.raises(BadInput, match="beyond all bounds on cat, and what is left is too little"):
        han_2018._whole(alone)


def test_weights_that_settle_by_hand(summary: Summary) -> None:
    """No link is worth more than 30 ÷ (1 − 0.9) = 300."""
    largest = {("wolf", crawler("sync")): 301.0, ("wolf", crawler("async")): 299.0}
    found = han_2018._settles(summary, largest)
    assert found.agrees is False
    assert "more than any link can be worth: sync: wolf; 0 of 16 crawls" in found.seen
    assert found.table == (("largest weight", *UPDATES), ("wolf", "301.0", "299.0", "0.0", "0.0"))
    settled = han_2018._settles(summary, {("wolf", crawler("sync")): 2.0})
    assert (settled.agrees, settled.reason) == (True, "")


def test_the_largest_weight_is_that_of_any_lesson(folder: Path) -> None:
    experiment = Experiment(folder)
    jobs = [j for j in experiment.jobs if j.carries and j.task.name == "garden"]
    lessons = [j for j in jobs if str(j.policy) == crawler("lazy")]
    states = [load_state(job.carried(folder))["weights"] for job in lessons]
    expected = max(np.abs(list(state.values())).max() for state in states)
    found = han_2018.largest_weights(experiment)
    assert found["garden", crawler("lazy")] == expected > 0
    assert len(found) == 3 * len(UPDATES)


def test_where_it_differs_a_reason_is_given(runs: Runs) -> None:
    judges = (han_2018._moderated_best, han_2018._lessons_help, han_2018._middle_levels)
    found: list[Finding] = [judge(runs) for judge in judges]
    assert all(finding.reason for finding in found)


def test_it_is_among_the_papers() -> None:
    assert PAPERS["han-2018"].options == ["words", "lessons"]
