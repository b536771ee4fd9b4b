"""Rennie & McCallum 1999 run again, on three small departments made by hand."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from checks import Recording
from command_line import Outcome, run_here
from recordings import compile_web, page
from wolfspider.errors import BadInput
from wolfspider.lab.experiment import Experiment
from wolfspider.lab.reproduce import PAPERS
from wolfspider.lab.reproduce.classifiers import NAME, Told, told
from wolfspider.lab.reproduce.findings import ratio, verdict
from wolfspider.lab.reproduce.rennie_mccallum_1999 import POLICIES, SPIDERS, spider
from wolfspider.lab.reproduce.sites import list_page, many_targets, single_targets, sites_of
from wolfspider.lab.statistics import compare
from wolfspider.lab.training import map_of
from wolfspider.webs.recorded import RecordedWeb

SITES = ("red", "green", "blue")
COURSES = [f"course{number}" for number in range(6)]
PEOPLE = [f"person{number}" for number in range(5)]


def site(name: str) -> dict[str, str]:
    """Bodies by address: / → teaching → courses, / → people → persons; and a gateway to /."""
    home = f"http://{name}.test/"
    bodies = {
        "": _links(people="People here", teaching="All our teaching", news="What is new"),
        "teaching": _links(**dict.fromkeys(COURSES, "Lecture and homework")),
        "people": _links(**{each: f"Our {each}" for each in PEOPLE}),
        "news": _links(people="People again"),
        **dict.fromkeys(COURSES, "<p>Syllabus. <a href='/'>Home</a>"),
        **dict.fromkeys(PEOPLE, "<p>I am me. <a href='/'>Home</a>"),
    }
    pages = {home + path: f"<title>{name} {path}</title>{body}" for path, body in bodies.items()}
    return {f"http://gate.{name}.test/": f"<a href='{home}'>In</a>"} | pages


def _links(**anchors: str) -> str:
    return "".join(f"<p><a href='/{path}'>{words}</a>" for path, words in anchors.items())


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> RecordedWeb:
    sites = {name: site(name) for name in SITES}
    labels = {f"site:{name}": list(pages) for name, pages in sites.items()}
    alone = [f"http://nobody.test/{number}" for number in range(4)]
    labels["site:misc"] = alone
    labels["course"] = [f"http://{name}.test/{path}" for name in SITES for path in COURSES]
    labels["rare"] = ["http://red.test/news", "http://green.test/news"]
    records = [page(url, body) for pages in sites.values() for url, body in pages.items()]
    records += [page(url) for url in alone]
    return compile_web(tmp_path_factory.mktemp("web") / "departments", records, **labels)


# -- sites and tasks -------------------------------------------------------------------------


def test_a_site_is_a_label_whose_pages_hang_together(web: RecordedWeb) -> None:
    assert {found.name for found in sites_of(web)} == set(SITES)


def test_the_root_is_where_the_links_lead_and_not_who_reaches_one_page_more(
    web: RecordedWeb,
) -> None:
    for found in sites_of(web):
        assert web.url(found.root) == f"http://{found.name}.test/"
        assert not found.reachable[web.number(f"http://gate.{found.name}.test/")]
        assert found.reachable.sum() == len(site(found.name)) - 1


def test_the_list_is_the_page_that_links_to_most(web: RecordedWeb) -> None:
    for found in sites_of(web):
        at = list_page(web, found, "course")
        assert at == web.number(f"http://{found.name}.test/teaching")
        assert list_page(web, found, "rare") is None


def test_every_task_leaves_its_site_out_of_the_training(web: RecordedWeb) -> None:
    sites = sites_of(web)
    tasks = many_targets(web, sites, ["course", "rare"])
    assert [task.name for task in tasks] == [f"{found.name}-course" for found in sites]
    for task in tasks + single_targets(web, sites, ["course"]):
        assert task.within not in task.train
        assert len(task.train) == 2
        map_of(web, task)


def test_a_single_target_is_known_of_the_other_sites(web: RecordedWeb) -> None:
    for task in single_targets(web, sites_of(web), ["course"]):
        known = map_of(web, task).known_targets.tolist()
        others = {web.number(f"http://{name}.test/teaching") for name in SITES}
        mine = web.number(f"http://{task.within.partition(':')[2]}.test/teaching")
        assert set(known) == others - {mine}
        assert task.until == 1


# -- the command -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(web: RecordedWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reproduced") / "rennie"
    with pytest.MonkeyPatch.context() as patch:
        done = _reproduce(patch, web.folder, "-o", folder, "--lists", "course", "--json", "--quiet")
    assert done.code == 0, done.err
    findings = done.json["findings"]
    assert len(findings) == 12
    assert all(each["seen"] and each["agrees"] in (True, False, None) for each in findings)
    assert all(each["agrees"] or each["reason"] for each in findings)
    return folder


def _reproduce(patch: pytest.MonkeyPatch, web: Path, *more: str | Path) -> Outcome:
    fixed = ("lab", "reproduce", "rennie-mccallum-1999", "--web", web, "--jobs", "1")
    return run_here(patch, *fixed, "--targets", "course", *more)


def test_every_spider_runs_on_every_task(folder: Path) -> None:
    runs = {path.name.rpartition("--")[0] for path in (folder / "runs").iterdir()}
    tasks = [f"{name}-course{end}" for name in SITES for end in ("", "-list")]
    safe = [policy.replace(":", "_") for policy in POLICIES]
    assert runs == {f"{task}--{policy}" for task in tasks for policy in safe}


def test_the_page_has_findings_and_figures_and_needs_no_network(folder: Path) -> None:
    html = (folder / "reproduction.html").read_text()
    assert html.count('class="card finding') == 12
    assert html.count('role="img"') == 3
    assert "cannot tell" in html  # three sites are too few for most
    assert not re.search(r'(?:src|href)="(?!data:|#)', html)


def test_again_nothing_is_run_or_measured(
    folder: Path, web: RecordedWeb, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = [*(folder / "runs").iterdir(), folder / NAME]
    before = [path.stat().st_mtime_ns for path in kept]
    again = _reproduce(monkeypatch, web.folder, "-o", folder, "--lists", "course")
    assert again.code == 0
    assert [path.stat().st_mtime_ns for path in kept] == before
    assert re.search(r"^(agrees|differs|cannot tell) +Accuracy falls", again.out, re.MULTILINE)


def test_a_measurement_that_was_interrupted_goes_on(
    folder: Path, web: RecordedWeb, tmp_path: Path
) -> None:
    experiment = PAPERS["rennie-mccallum-1999"].prepare(
        web.folder, tmp_path / "half", targets=["course"], lists=["course"]
    )
    measure = PAPERS["rennie-mccallum-1999"].measure
    assert measure is not None
    assert next(measure(experiment)) == (1, 3 * len(SPIDERS))
    first = (tmp_path / "half" / NAME).read_text()
    assert list(measure(experiment))[-1] == (24, 24)
    assert first.rstrip("}") in (tmp_path / "half" / NAME).read_text()
    assert (tmp_path / "half" / NAME).read_text() == (folder / NAME).read_text()


def test_all_links_of_the_tested_site_are_told(folder: Path, web: RecordedWeb) -> None:
    found = told(Experiment(folder), ["red-course"], SPIDERS)
    links = sum(body.count("<a ") for url, body in site("red").items() if "gate" not in url)
    for each in found.values():
        assert each.confusion.sum() == links
        assert each.confusion[0].sum() == len(COURSES)
    words = found["red-course", spider(4, "related")].words
    assert ("lectur", "link") in words or ("lecture", "link") in words


def test_without_lists_the_single_targets_are_left_out(
    web: RecordedWeb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = _reproduce(monkeypatch, web.folder, "-o", tmp_path / "r", "--lists", "rare", "--json")
    assert len(done.json["findings"]) == 10


# -- mistakes --------------------------------------------------------------------------------


def test_a_web_without_labels_of_sites_is_a_sentence(
    recording: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = _reproduce(monkeypatch, recording.folder, "-o", tmp_path / "r")
    assert (done.code, done.out) == (2, "")
    assert "has 0 sites to learn from" in done.err
    assert "--sites" in done.err
    assert not (tmp_path / "r").exists()


def test_labels_that_nobody_has_or_few_are_sentences(web: RecordedWeb, tmp_path: Path) -> None:
    prepare = PAPERS["rennie-mccallum-1999"].prepare
    with pytest.raises(BadInput, match="has the label 'nonsense'; known: "):
        prepare(web.folder, tmp_path / "r", targets=["nonsense"])
    with pytest.raises(BadInput, match="no label of rare has enough pages on two sites"):
        prepare(web.folder, tmp_path / "r", targets=["rare"])


def test_an_option_of_another_paper_is_a_sentence(
    web: RecordedWeb, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = _reproduce(monkeypatch, web.folder, "--topics", "3")
    assert "has no --topics; it has --sites, --targets, --lists" in done.err
    done = _reproduce(monkeypatch, web.folder, "--lists", " , ")
    assert "--lists names nothing" in done.err


# -- numbers ---------------------------------------------------------------------------------


def test_accuracy_and_recall_of_a_confusion_by_hand() -> None:
    found = Told(np.array([[6, 2, 0], [1, 5, 4], [1, 3, 18]]), ())
    assert found.accuracy == 29 / 40
    assert found.recall == 6 / 8
    assert found.commonest == 22 / 40
    assert found.in_two == (6 + 30) / 40


def test_a_ratio_is_of_means_and_paired() -> None:
    value, low, high = ratio(np.array([0.1, 0.2, 0.3]), np.array([0.3, 0.6, 0.9]))
    assert (value, low, high) == pytest.approx((1 / 3, 1 / 3, 1 / 3))


def test_a_verdict_needs_significance() -> None:
    clear = np.linspace(0.1, 1.0, 12)
    assert verdict(compare(clear)) is True
    assert verdict(compare(clear), low_is_good=True) is False
    assert verdict(compare(-clear), low_is_good=True) is True
    assert verdict(compare(np.array([1.0, -0.9, 0.8, -0.7]))) is None
