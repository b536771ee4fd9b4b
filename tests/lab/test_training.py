"""Offline policies in the lab: trained for each task, on what it allows and nothing else."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recordings import compile_web, page
from wolfspider.errors import BadInput
from wolfspider.lab.code import code_digest
from wolfspider.lab.experiment import Experiment
from wolfspider.lab.tasks import Task, TaskFile
from wolfspider.lab.training import map_of, trained
from wolfspider.policies import Spec
from wolfspider.webs.recorded import RecordedWeb

SITES = range(4)


def site(number: int) -> list[bytes]:
    base = f"http://c{number}.test/"
    links = {
        "": "<a href='products'>All products</a> <p><a href='about'>About the company</a>",
        "about": "<a href='news'>Old news</a> <p><a href='board'>Board of directors</a>",
        "products": "<a href='widget'>Widget datasheet</a>",
        "widget": "<a href='/'>Home</a>",
        "news": "<a href='/'>Home</a>",
        "board": "<p>Our officers.",
    }
    return [page(f"{base}{path}", body) for path, body in links.items()]


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> RecordedWeb:
    paths = ("", "about", "products", "widget", "news", "board")
    labels = {f"site{n}": [f"http://c{n}.test/{path}" for path in paths] for n in SITES}
    labels["officers"] = [f"http://c{n}.test/board" for n in SITES]
    records = [record for number in SITES for record in site(number)]
    return compile_web(tmp_path_factory.mktemp("web") / "web", records, **labels)


def task(number: int) -> Task:
    return Task(
        name=f"site{number}",
        keywords=("officers",),
        targets="officers",
        seeds=(f"http://c{number}.test/",),
        within=f"site{number}",
        train=tuple(f"site{each}" for each in SITES if each != number),
    )


def test_one_site_is_left_out(web: RecordedWeb) -> None:
    known = map_of(web, task(2))
    assert {web.url(int(page))[:15] for page in np.flatnonzero(known.within)} == {
        *("http://c0.test/", "http://c1.test/", "http://c3.test/")
    }
    assert len(known.known_targets) == 3
    assert known.topic.keywords == ("officers",)
    assert all("c2.test" not in url for each in known for url in each.page.links.urls())


def test_policies_are_trained_for_each_task(web: RecordedWeb, tmp_path: Path) -> None:
    names = ("breadth-first", "rl-immediate", "rl-future:bins=3")
    experiment = Experiment(tmp_path / "results")
    file = TaskFile(web.folder, tuple(task(number) for number in SITES))
    experiment.ask([file], [Spec.parse(name) for name in names], 1, "a test")
    traces = list(experiment.run())
    assert not any(trace.error for trace in traces)
    for trace in traces:
        trained = trace.key.policy.startswith("rl-")
        assert (trace.training_seconds > 0) == trained
    found = {trace.key: trace.pages.tolist() for trace in traces}
    for number in SITES:
        board = web.number(f"http://c{number}.test/board")
        mine = {key.policy: pages for key, pages in found.items() if key.task == f"site{number}"}
        at = {policy: pages.index(board) for policy, pages in mine.items()}
        assert at["rl-future:bins=3"] == 2  # home, about, board
        assert at["breadth-first"] > 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"train": ()}, "does not say what may be learned from"),
        (
            {"train": ("site0", "site1")},
            "would learn from 6 pages of what it is tested on, 'site1'",
        ),
        ({"within": ""}, "of what it is tested on, the whole web, for it has no `within`"),
        ({"train": ("site9",)}, "has the label 'site9'"),
    ],
)
def test_what_may_not_be_learned_from_is_said_before_anything_runs(
    web: RecordedWeb, tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    file = TaskFile(web.folder, (replace(task(1), **changes),))  # type: ignore[arg-type]
    with pytest.raises(BadInput, match=message):
        Experiment(tmp_path / "results").ask([file], [Spec.parse("rl-future")], 1, "a test")
    assert not (tmp_path / "results" / "experiment.json").exists()


def test_settings_are_checked_before_anything_runs(web: RecordedWeb, tmp_path: Path) -> None:
    file = TaskFile(web.folder, (task(1),))
    with pytest.raises(BadInput, match="bins is a whole number, not 'many'"):
        Experiment(tmp_path / "results").ask([file], [Spec.parse("rl-future:bins=many")], 1, "x")


def test_what_it_was_trained_by_is_part_of_a_policy() -> None:
    digests = {code_digest(Spec.parse(name)) for name in ("rl-future", "breadth-first", "ordering")}
    assert len(digests) == 3


@pytest.mark.parametrize("name", ["Graph", "map_of", "mask_of"])
def test_where_training_looks_is_part_of_a_policy(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {each: code_digest(Spec.parse(each)) for each in ("ordering", "breadth-first")}
    monkeypatch.setattr(f"wolfspider.lab.code.{name}", task)  # written in another file
    assert code_digest(Spec.parse("ordering")) != before["ordering"]
    assert code_digest(Spec.parse("breadth-first")) == before["breadth-first"]


def test_tasks_that_allow_the_same_share_a_model(web: RecordedWeb) -> None:
    spec = Spec.parse("rl-immediate")
    model, seconds = trained(web.folder, task(1), spec)
    other = replace(task(1), name="elsewhere", seeds=("http://c1.test/about",))
    assert trained(web.folder, other, spec)[0] is model
    assert trained(web.folder, other, spec)[1] == seconds
    assert trained(web.folder, task(2), spec)[0] is not model
    news = replace(other, targets=("http://c2.test/news",))
    assert trained(web.folder, news, spec)[0] is not model


def test_loading_libraries_is_no_part_of_training(web: RecordedWeb) -> None:
    program = f"""
import sys
from pathlib import Path
from wolfspider.lab import training
from wolfspider.lab.tasks import Task
from wolfspider.policies import Spec
loaded = []
class Clock:
    @staticmethod
    def thread_time():
        loaded.append("sklearn.svm" in sys.modules)
        return 0.0
training.time = Clock
task = Task.of_json({task(1).as_json()!r})
before = "sklearn" in sys.modules
training.trained(Path({str(web.folder)!r}), task, Spec.parse("svm-distance"))
print(before, loaded)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False [True, True]\n", done.stderr
