"""Reproductions: every finding is stated beside our numbers, whether they agree or not."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from checks import Recording
from command_line import run_here
from wolfspider.lab.reproduce import PAPERS
from wolfspider.lab.reproduce.findings import better, versus, worse
from wolfspider.lab.reproduce.menczer_2004 import BUFFERS, with_buffer
from wolfspider.lab.statistics import compare
from wolfspider.lab.summary import Summary


@pytest.fixture(scope="module")
def reproduced(recording: Recording, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reproduced") / "menczer"
    arguments = ("lab", "reproduce", "menczer-2004", "--web", recording.folder, "--topics", "2")
    with pytest.MonkeyPatch.context() as patch:
        done = run_here(patch, *arguments, "--jobs", "1", "-o", folder, "--json", "--quiet")
    assert done.code == 0, done.err
    findings = done.json["findings"]
    assert len(findings) == 9
    assert all(isinstance(each["agrees"], bool) and each["seen"] for each in findings)
    assert all(each["agrees"] or each["reason"] for each in findings)
    return folder


def test_every_crawler_runs_with_every_buffer(reproduced: Path) -> None:
    names = {path.name.split("--")[1] for path in (reproduced / "runs").iterdir()}
    for size in BUFFERS:
        assert f"shark-search_n=256_buffer={size}" in names
        assert f"pagerank_buffer={size}" in names


def test_the_page_needs_no_network_and_has_all_figures(reproduced: Path) -> None:
    html = (reproduced / "reproduction.html").read_text()
    assert html.count('role="img"') == 2 * len(BUFFERS) + 4
    assert html.count('class="card finding') == 9
    assert not re.search(r'(?:src|href)="(?!data:|#)', html)


def test_running_it_again_runs_nothing_again(reproduced: Path, recording: Recording) -> None:
    before = {path: path.stat().st_mtime_ns for path in (reproduced / "runs").iterdir()}
    experiment = PAPERS["menczer-2004"].prepare(recording.folder, reproduced, topics=2)
    assert list(experiment.run()) == []
    assert before == {path: path.stat().st_mtime_ns for path in (reproduced / "runs").iterdir()}


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
    assert "unknown paper 'nobody-1999'; known: menczer-2004" in done.err
