"""Young 2005 run again, on two chains of pages made by hand, one to learn from and one to test."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from command_line import Outcome, run_here
from recordings import compile_web, page
from wolfspider.errors import BadInput
from wolfspider.lab.experiment import Experiment
from wolfspider.lab.parts import mask_of
from wolfspider.lab.reproduce import PAPERS
from wolfspider.lab.reproduce.young_2005_links import ASKED, NAME, told
from wolfspider.lab.reproduce.young_2005_runs import (
    FIRST,
    FOUND,
    GOLD,
    NAIVE,
    POLICIES,
    RECALL,
    REWARD,
    SVMS,
    Runs,
)
from wolfspider.lab.reproduce.young_2005_starts import (
    CONDITIONS,
    FAR,
    FOUR,
    LEAST,
    TARGETS,
    THREE,
    Split,
    condition_of,
    label_of,
)
from wolfspider.lab.summary import Summary
from wolfspider.webs.recorded import RecordedWeb

PAPER = PAPERS["young-2005"]


def chain(length: int) -> Iterator[tuple[str, list[str]]]:
    """far5 → … → far1 → t → m → u, and every page leads to a dead end before it leads on.

    `t` and `u` are the targets.
    """
    order = [f"far{number}" for number in range(length, 0, -1)] + ["t", "m", "u"]
    for here, there in zip(order, [*order[1:], ""], strict=True):
        yield here, [f"dead-{here}", there] if there else []
        if there:
            yield f"dead-{here}", []


def two_chains(folder: Path, length: int = 5) -> RecordedWeb:
    """Labels that are called like parts are parts, so that it is known where each page is."""
    records = []
    labels: dict[str, list[str]] = {"part:1/2": [], "part:2/2": [], "goal": []}
    for number in (1, 2):
        for name, ends in chain(length):
            url = f"http://{number}.test/{name}"
            links = "".join(f"<p><a href='/{end}'>{end}</a>" for end in ends)
            records.append(page(url, f"<p>Words of {name.replace('-', ' ')}. {links}"))
            labels[f"part:{number}/2"].append(url)
            if name in ("t", "u"):
                labels["goal"].append(url)
    labels["rare"] = ["http://1.test/m"]
    return compile_web(folder, records, **labels)


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> RecordedWeb:
    return two_chains(tmp_path_factory.mktemp("web") / "chains")


@pytest.fixture(scope="module")
def folder(web: RecordedWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reproduced") / "young"
    with pytest.MonkeyPatch.context() as patch:
        done = _reproduce(patch, web.folder, "-o", folder, "--json", "--quiet")
    assert done.code == 0, done.err
    findings = done.json["findings"]
    assert len(findings) == 12
    assert all(each["seen"] and each["where"] for each in findings)
    assert all(each["agrees"] or each["reason"] for each in findings)
    return folder


@pytest.fixture(scope="module")
def runs(folder: Path) -> Runs:
    return Runs.of(Summary.of(Experiment(folder)))


def _reproduce(patch: pytest.MonkeyPatch, web: Path, *more: str | Path) -> Outcome:
    fixed = ("lab", "reproduce", "young-2005", "--web", web, "--jobs", "1", "--parts", "2")
    return run_here(patch, *fixed, "--labels", "goal", *more)


# -- starts ----------------------------------------------------------------------------------


def test_starts_are_exactly_so_far_from_the_nearest_target(web: RecordedWeb) -> None:
    tasks = Split(web, 2).tasks(["goal"], starts=9)
    starts = {condition_of(task.name): task.seeds for task in tasks}
    assert len(tasks) == len(starts) == len(CONDITIONS)
    assert {starts[each.name] for each in THREE} == {("http://1.test/far3",)}
    assert {starts[each.name] for each in FOUR} == {("http://1.test/far4",)}
    assert {starts[each.name] for each in TARGETS} == {("http://1.test/t",)}  # u leads nowhere
    assert starts[FAR.name] == ("http://1.test/far5",)


def test_tasks_of_a_condition_differ_in_the_cone_only(web: RecordedWeb) -> None:
    for task in Split(web, 2).tasks(["goal"], starts=1):
        far = task.name.startswith(FAR.name)
        assert (task.within, task.train, task.targets) == ("part:1/2", ("part:2/2",), "goal")
        assert label_of(task.name) == "goal"
        assert (task.cone is None) == far
        assert task.budget == (1 if far else None)  # a tenth of 15 pages


def test_labels_take_turns(recorded_web: RecordedWeb, topics: list[str]) -> None:
    tasks = Split(recorded_web, 2).tasks(topics, starts=12)
    first = [task for task in tasks if task.name.startswith(TARGETS[0].name)]
    numbers = [int(task.name.rpartition("--")[2]) for task in first]
    assert len({(label_of(task.name), task.seeds) for task in first}) == 12
    assert len({label_of(task.name) for task in first}) > 1
    assert numbers == sorted(numbers)  # no second start of a label before the first of another


def test_topics_are_labels_with_targets_in_both_parts(recorded_web: RecordedWeb) -> None:
    found = Split(recorded_web, 2).topics()
    assert found
    assert found == sorted(found)
    for label in found:
        assert not label.startswith(("site:", "role:"))
        for where in ("part:1/2", "part:2/2"):
            assert (mask_of(recorded_web, label) & mask_of(recorded_web, where)).sum() >= LEAST


def test_chance_draws_the_same_every_time(recorded_web: RecordedWeb, topics: list[str]) -> None:
    once, again = (Split(recorded_web, 2).tasks(topics[:3], starts=5) for _ in range(2))
    assert once == again
    assert len({task.name for task in once}) == len(once)


# -- measures --------------------------------------------------------------------------------


def test_every_spider_runs_from_every_start(folder: Path, runs: Runs) -> None:
    assert runs.conditions == list(CONDITIONS)
    counts = dict.fromkeys(POLICIES, 0)
    for (policy, _), traces in runs.summary.by_unit.items():
        if policy in counts:
            counts[policy] += len(traces)
    assert counts == {policy: 27 if policy == "random" else 9 for policy in POLICIES}


def test_pages_to_the_first_target_by_hand(runs: Runs) -> None:
    # From far3: far3, far2, far1, t; the naive ones go to three dead ends besides.
    for gold in GOLD:
        assert runs.values([gold], FIRST, [THREE[0]]).tolist() == [4]
        assert runs.values([gold], FIRST, [FOUR[0]]).tolist() == [5]
    for naive in ("breadth-first", "depth-first"):
        assert runs.values([naive], FIRST, [THREE[0]]).tolist() == [7]
        assert runs.values([naive], FIRST, [FOUR[0]]).tolist() == [9]
    assert 4 <= runs.values(["random"], FIRST, [THREE[0]])[0] <= 7
    found = runs.versus(GOLD, ["breadth-first"], FIRST, [THREE[0]])
    assert (found.difference, found.median, found.wins, found.pairs) == (-3, -3, 1, 1)


def test_the_target_that_a_spider_starts_at_is_not_found(runs: Runs) -> None:
    # t, m, u; and with two dead ends t, dead-t, m, dead-m, u.
    assert runs.values([GOLD[0]], FIRST, [TARGETS[0]]).tolist() == [3]
    assert runs.values(["breadth-first"], FIRST, [TARGETS[0]]).tolist() == [5]
    assert runs.values(["breadth-first"], FOUND, [TARGETS[0]]).tolist() == [1]
    reward = runs.values(["breadth-first"], REWARD, [TARGETS[0]])
    assert reward == pytest.approx([math.log10(0.5**4)])


def test_the_discounted_reward_counts_all_targets(runs: Runs) -> None:
    # From far3 in a cone of depth 5 both are found: t as the 7th page, u as the 11th.
    reward = runs.values(["breadth-first"], REWARD, [THREE[2]])
    assert reward == pytest.approx([math.log10(0.5**6 + 0.5**10)])
    both = runs.values(["breadth-first", "depth-first"], REWARD, [THREE[2], THREE[0]])
    assert both == pytest.approx([(reward[0] + math.log10(0.5**6)) / 2])


def test_recall_is_that_of_a_tenth_of_the_space(runs: Runs) -> None:
    assert runs.values(GOLD, RECALL, [FAR]).tolist() == [0]  # 1 page of 15
    assert runs.values(SVMS, FOUND, [FAR]).tolist() == [0]


def test_tables_compare_everybody(runs: Runs) -> None:
    table = runs.against_naive(GOLD, THREE)
    assert len(table) == 1 + len(THREE) * len(NAIVE) * 2
    assert table[4] == ("3", "breadth-first", FIRST, "-3 (-3)", "-3 (-3)")
    everybody = runs.everybody(FOUR[1])
    assert {len(row) for row in everybody} == {len(everybody)}
    assert [row[at + 1] for at, row in enumerate(everybody[1:])] == [""] * (len(everybody) - 1)


# -- links -----------------------------------------------------------------------------------


def test_every_learned_spider_is_asked_about_the_links_of_the_tested_part(folder: Path) -> None:
    found = told(Experiment(folder))
    for spider in ASKED:
        assert found.every[spider] == pytest.approx([2 / 14])  # of 14 links two lead to t and u
        assert found.best[spider] in (0, 1)  # the best twentieth is one link
        assert -1 <= found.nearness[spider] <= 1
    assert len(found.table()) == len(ASKED) + 2


def test_what_was_measured_is_not_measured_again(folder: Path, web: RecordedWeb) -> None:
    before = (folder / NAME).stat().st_mtime_ns
    experiment = PAPER.prepare(web.folder, folder, labels=["goal"], parts=2)
    assert PAPER.measure is not None
    assert list(PAPER.measure(experiment))[-1] == (len(ASKED), len(ASKED))
    assert (folder / NAME).stat().st_mtime_ns == before


def test_damaged_measurements_are_a_sentence(web: RecordedWeb, tmp_path: Path) -> None:
    experiment = PAPER.prepare(web.folder, tmp_path / "r", labels=["goal"], parts=2)
    (tmp_path / "r" / NAME).write_text("{")
    assert PAPER.measure is not None
    with pytest.raises(BadInput, match=r"links\.json is damaged"):
        next(PAPER.measure(experiment))


# -- the command -----------------------------------------------------------------------------


def test_the_page_has_findings_and_figures_and_needs_no_network(folder: Path) -> None:
    html = (folder / "reproduction.html").read_text()
    assert html.count('class="card finding') == 12
    assert html.count('role="img"') == 3
    assert "cannot tell" in html  # one start is too few for most
    assert not re.search(r'(?:src|href)="(?!data:|#)', html)


def test_again_nothing_is_run(
    folder: Path, web: RecordedWeb, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {path: path.stat().st_mtime_ns for path in (folder / "runs").iterdir()}
    again = _reproduce(monkeypatch, web.folder, "-o", folder)
    assert again.code == 0
    assert {path: path.stat().st_mtime_ns for path in (folder / "runs").iterdir()} == before
    assert re.search(r"^(agrees|differs|cannot tell) +Augmented delta", again.out, re.MULTILINE)


def test_a_condition_without_starts_is_said_and_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web = two_chains(tmp_path / "short", length=3)
    done = _reproduce(monkeypatch, web.folder, "-o", tmp_path / "r", "--json")
    assert done.code == 0, done.err
    claims = " ".join(each["claim"] for each in done.json["findings"])
    assert "From 3 away" in claims
    assert "From 4 away" not in claims
    assert "From far away" not in claims
    html = (tmp_path / "r" / "reproduction.html").read_text()
    assert "no page here starts: 4 away, depth 4; 4 away, depth 5; 5 or more away" in html


# -- mistakes --------------------------------------------------------------------------------


def test_what_cannot_be_split_is_a_sentence(web: RecordedWeb, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--parts is a number from 2 on"):
        PAPER.prepare(web.folder, tmp_path / "r", parts=1)
    with pytest.raises(BadInput, match=r"no label of .* has 10 pages in each of 2 parts"):
        PAPER.prepare(web.folder, tmp_path / "r", parts=2)
    with pytest.raises(BadInput, match="no page with the label 'rare' is in part:2/2"):
        PAPER.prepare(web.folder, tmp_path / "r", parts=2, labels=["rare"])
    with pytest.raises(BadInput, match="has the label 'nonsense'; known: "):
        PAPER.prepare(web.folder, tmp_path / "r", parts=2, labels=["nonsense"])
    assert not (tmp_path / "r").exists()


def test_options_are_numbers_and_of_this_paper(
    web: RecordedWeb, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (
        "--starts is a number from 1 on" in _reproduce(monkeypatch, web.folder, "--starts", "0").err
    )
    done = _reproduce(monkeypatch, web.folder, "--topics", "3")
    assert "young-2005 has no --topics; it has --labels, --parts, --starts" in done.err
