"""Reproductions: every finding is stated beside our numbers, whether they agree or not."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from checks import Recording
from command_line import run_here
from lab.tiny import summary_of, task_of, trace_of, web_of
from wolfspider.lab.code import code_digest
from wolfspider.lab.experiment import Experiment
from wolfspider.lab.ground import Ground
from wolfspider.lab.reproduce import PAPERS
from wolfspider.lab.reproduce import menczer_2004_spiders as spiders
from wolfspider.lab.reproduce.findings import better, versus, worse
from wolfspider.lab.reproduce.menczer_2004_spiders import (
    BUFFERS,
    LONG,
    SPIDERS,
    overtaking,
    with_buffer,
)
from wolfspider.lab.statistics import compare
from wolfspider.lab.summary import Summary, unit_of


@pytest.fixture(scope="module")
def reproduced(recording: Recording, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reproduced") / "menczer"
    arguments = ("lab", "reproduce", "menczer-2004", "--web", recording.folder, "--topics", "2")
    with pytest.MonkeyPatch.context() as patch:
        done = run_here(patch, *arguments, "--jobs", "1", "-o", folder, "--json", "--quiet")
    assert done.code == 0, done.err
    findings = done.json["findings"]
    assert len(findings) == 15
    assert all(each["agrees"] in (True, False, None) and each["seen"] for each in findings)
    assert all(each["agrees"] or each["reason"] for each in findings)
    return folder


def test_every_crawler_runs_with_every_buffer(reproduced: Path) -> None:
    names = {path.name.split("--")[1] for path in (reproduced / "runs").iterdir()}
    for size in BUFFERS:
        assert f"shark-search_n=256_buffer={size}" in names
        assert f"pagerank_buffer={size}" in names
        for variant in SPIDERS:
            assert f"{variant.replace(':', '_')}_buffer={size}" in names


def test_the_page_needs_no_network_and_has_all_figures(reproduced: Path) -> None:
    html = (reproduced / "reproduction.html").read_text()
    assert html.count('role="img"') == 2 * len(BUFFERS) + 4 + 2
    assert html.count('class="card finding') == 15
    assert not re.search(r'(?:src|href)="(?!data:|#)', html)


def test_running_it_again_runs_nothing_again(reproduced: Path, recording: Recording) -> None:
    before = {path: path.stat().st_mtime_ns for path in (reproduced / "runs").iterdir()}
    experiment = PAPERS["menczer-2004"].prepare(recording.folder, reproduced, topics=2)
    assert list(experiment.run()) == []
    assert before == {path: path.stat().st_mtime_ns for path in (reproduced / "runs").iterdir()}


def test_long_crawls_are_kept_beside_and_go_to_the_end_of_the_web(reproduced: Path) -> None:
    longer = Experiment(reproduced / "long")
    names = {with_buffer(name, BUFFERS[-1]) for name in LONG}
    assert names < {trace.key.policy for trace in longer.traces()}
    assert {trace.key.task for trace in longer.traces()} == {
        trace.key.task for trace in Experiment(reproduced).traces()
    }
    summary = Summary.of(longer)
    for trace in summary.traces:
        if trace.key.policy in names:  # no link was dropped: the buffer holds all there are
            reachable = summary.grounds[unit_of(trace)].reachable
            assert sorted(trace.pages.tolist()) == np.flatnonzero(reachable).tolist()


def test_long_crawls_that_are_missing_are_done_and_no_others(
    reproduced: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "again"
    shutil.copytree(reproduced, folder)
    measure = PAPERS["menczer-2004"].measure
    assert measure is not None
    assert list(measure(Experiment(folder))) == []
    before = {path: path.stat().st_mtime_ns for path in (folder / "long" / "runs").iterdir()}
    lost = sorted(before)[::3]
    for path in lost:
        path.unlink()
    assert list(measure(Experiment(folder))) == [
        (number + 1, len(lost)) for number in range(len(lost))
    ]
    after = {path: path.stat().st_mtime_ns for path in (folder / "long" / "runs").iterdir()}
    assert after.keys() == before.keys()
    assert {path for path in after if after[path] != before[path]} == set(lost)


def test_an_edited_policy_is_crawled_with_at_length_again(
    reproduced: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "edited"
    shutil.copytree(reproduced, folder)
    monkeypatch.setattr(
        "wolfspider.lab.experiment.code_digest",
        lambda spec: "new" if spec.name == "infospiders" else code_digest(spec),
    )
    measure = PAPERS["menczer-2004"].measure
    assert measure is not None
    assert list(measure(Experiment(folder)))[-1] == (2, 2)  # topics


def test_without_long_crawls_nothing_is_said_of_them(
    reproduced: Path, recording: Recording, tmp_path: Path
) -> None:
    folder = tmp_path / "short"
    shutil.copytree(reproduced, folder, ignore=shutil.ignore_patterns("long"))
    experiment = PAPERS["menczer-2004"].prepare(recording.folder, folder, topics=2)
    found = PAPERS["menczer-2004"].conclude(experiment)
    assert len(found.findings) == 14
    assert not any("long crawls" in finding.claim for finding in found.findings)


@pytest.mark.parametrize(
    ("ours", "theirs", "page"),
    [
        ([0, 0, 2, 3, 3], [0, 1, 1, 2, 3], 3),  # behind at the second, level at the end
        ([1, 1, 1, 2, 2], [0, 1, 2, 1, 1], 4),  # ahead, behind, and ahead again
        ([0, 1, 1, 1, 1], [0, 1, 1, 1, 1], None),
        ([0, 2, 2, 1, 1], [0, 1, 1, 1, 2], None),
        ([1, 1, 1, 1, 1], [0, 1, 1, 1, 1], 1),
    ],
)
def test_who_overtakes_is_ahead_and_not_behind_again(
    ours: list[float], theirs: list[float], page: int | None
) -> None:
    assert overtaking(np.array(ours, float), np.array(theirs, float)) == page


# -- findings about spiders, by hand ---------------------------------------------------------

# a links to all others, so that any order is a crawl; each topic has other targets.
STAR = {"a": "bcdefghijklmnopqrst"} | dict.fromkeys("bcdefghijklmnopqrst", "")
TOPICS = ("bcdefgh", "cdefghij", "defghijkl", "bdfhjlnpr", "efghijklmn", "cegikmoqs")


@pytest.fixture(scope="module")
def star(tmp_path_factory: pytest.TempPathFactory) -> list[Ground]:
    labels = {f"topic{number}": targets for number, targets in enumerate(TOPICS)}
    web = web_of(tmp_path_factory.mktemp("star") / "web", STAR, labels)
    return [Ground.lay(web, task_of(name=name, targets=name)) for name in labels]


def crawls(star: list[Ground], found: dict[str, int]) -> Summary:
    """Each policy finds as many targets of each topic, and the topic's number more, in its crawl.

    The number is that of the topic modulo 3: differences between policies are the same on all.
    """
    runs = []
    for number, (ground, targets) in enumerate(zip(star, TOPICS, strict=True)):
        for policy, count in found.items():
            runs.append((ground, trace_of(ground, "a" + targets[: count + number % 3], policy)))
    return summary_of(*runs)


@pytest.mark.parametrize(("large", "agrees"), [(2, True), (4, None), (5, False)])
def test_a_larger_frontier_by_hand(star: list[Ground], large: int, agrees: bool | None) -> None:
    """4 + 0 to 2 targets with the small one. The paper: fewer with the large one."""
    found = {with_buffer(name, BUFFERS[0]): 4 for name in SPIDERS}
    found |= {with_buffer(name, BUFFERS[-1]): large for name in SPIDERS}
    finding = spiders._large_frontiers(crawls(star, found))
    mean = np.mean([(large - 4) / len(targets) for targets in TOPICS])
    assert f"{mean:+.3f} [" in finding.table[1][1]
    assert finding.agrees is agrees
    assert bool(finding.reason) is (agrees is not True)


@pytest.mark.parametrize(("ours", "theirs", "agrees"), [(3, 4, False), (4, 4, None), (5, 4, False)])
def test_behind_and_level_by_hand(
    star: list[Ground], ours: int, theirs: int, agrees: bool | None
) -> None:
    """Crawls of 8 pages: what is so after 200 is so after 1,000; who is behind stays behind."""
    found = {with_buffer("infospiders", size): ours for size in BUFFERS}
    found |= {with_buffer("best-first", size): theirs for size in BUFFERS}
    finding = spiders._behind_then_level(crawls(star, found))
    behind = len(BUFFERS) if ours < theirs else 0
    assert f"behind with {behind} of 4 buffers after 200 pages, with {behind} after" in finding.seen
    assert finding.agrees is agrees
    assert finding.reason
    assert ("nothing to make up for" in finding.reason) is (behind == 0)


def test_what_learning_and_evolution_do_by_hand(star: list[Ground]) -> None:
    both, no_learning, no_evolution, neither = (with_buffer(n, BUFFERS[0]) for n in SPIDERS)
    found = {both: 3, no_learning: 3, no_evolution: 5, neither: 4}
    finding = spiders._adaptation_hinders(crawls(star, found))
    assert finding.agrees is True
    finding = spiders._adaptation_hinders(crawls(star, found | {both: 5}))
    one = np.mean([1 / len(targets) for targets in TOPICS])
    assert finding.agrees is False
    assert f"taken alone, evolution makes {-one:+.3f} (p = 0.031)" in finding.reason
    assert f"and learning {one:+.3f} (p = 0.031)" in finding.reason


def test_long_crawls_by_hand(star: list[Ground]) -> None:
    """The spiders begin with a page of no topic, and end with three targets more."""
    wide, ours, blind = (
        with_buffer(name, BUFFERS[-1]) for name in (LONG[1], "infospiders", "breadth-first")
    )
    runs = []
    for ground, targets in zip(star, TOPICS, strict=True):
        runs.append((ground, trace_of(ground, "a" + targets[:3], wide)))
        runs.append((ground, trace_of(ground, "at" + targets[:6], ours)))
        runs.append((ground, trace_of(ground, "a", blind)))
    finding = spiders._overtakes(summary_of(*runs))
    mean = np.mean([3 / len(targets) for targets in TOPICS])
    assert "20 pages: InfoSpiders less Best-First halfway " in finding.seen
    assert f", at the end {mean:+.3f}" in finding.seen
    assert "ahead from page 6 on" in finding.seen  # level at the fifth, with three each
    assert finding.agrees is True


def test_a_comparison_is_paired_by_topic(reproduced: Path, recording: Recording) -> None:
    experiment = PAPERS["menczer-2004"].prepare(recording.folder, reproduced, topics=2)
    summary = Summary.of(experiment)
    best, breadth = with_buffer("best-first", 256), with_buffer("breadth-first", 256)
    found = versus(summary, best, breadth, "recall@100")
    ours, theirs = (summary.values(policy, "recall@100") for policy in (best, breadth))
    assert found.pairs == 2
    assert found.difference == pytest.approx(sum(ours[u] - theirs[u] for u in ours) / 2)


def test_better_and_worse_need_significance() -> None:
    clear = compare(np.linspace(0.1, 1.0, 12))
    assert better(clear)
    assert not worse(clear)
    unclear = compare(np.array([1.0, -0.9, 0.8, -0.7]))
    assert not better(unclear)
    assert not worse(unclear)
    assert worse(compare(-np.linspace(0.1, 1.0, 12)))


def test_an_unknown_paper_is_a_sentence(
    recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = run_here(monkeypatch, "lab", "reproduce", "nobody-1999", "--web", recording.folder)
    assert (done.code, done.out) == (2, "")
    assert f"unknown paper 'nobody-1999'; known: {', '.join(PAPERS)}" in done.err
    assert list(PAPERS)[:2] == ["han-2018", "menczer-2004"]
