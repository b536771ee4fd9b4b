"""`wolfspider lab …`: what scripts rely on, and sentences for what cannot be."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from checks import Recording
from wolfspider.cli import wolfspider
from wolfspider.errors import BadInput
from wolfspider.lab.experiment import Experiment
from wolfspider.lab.tasks import Away, TaskFile, read_tasks, write_tasks
from wolfspider.webs.recorded import RecordedWeb


def lab(*arguments: object) -> Result:
    return CliRunner().invoke(wolfspider, ["lab", *map(str, arguments)])


def good(*arguments: object) -> Result:
    result = lab(*arguments)
    assert result.exit_code == 0, result.output + repr(result.exception)
    return result


def sentence(*arguments: object) -> str:
    """What a person is told; the command line prints it and exits with 2."""
    result = lab(*arguments)
    assert isinstance(result.exception, BadInput), repr(result.exception) + result.output
    return str(result.exception)


def strictly(text: str) -> Any:
    """JSON as the standard has it, without NaN and Infinity."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.fixture
def task_file(tmp_path: Path, small_tasks: TaskFile) -> Path:
    path = tmp_path / "tasks.toml"
    write_tasks(path, small_tasks.web, small_tasks.tasks)
    return path


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory, small_tasks: TaskFile) -> Path:
    """Runs of three policies, from which commands can be asked for numbers."""
    folder = tmp_path_factory.mktemp("commands")
    tasks, out = folder / "tasks.toml", folder / "out"
    write_tasks(tasks, small_tasks.web, small_tasks.tasks)
    good("run", tasks, "--policies", "breadth-first,best-first", "--repeat", 3, "-o", out, "-q")
    return out


# -- lab run -------------------------------------------------------------------------------


def test_run_prints_json_that_scripts_rely_on(tmp_path: Path, task_file: Path) -> None:
    policies = "breadth-first,random,oracle"
    found = strictly(
        good(
            *("run", task_file, "--policies", policies, "--repeat", 2, "--json", "-q"),
            *("-o", tmp_path / "out"),
        ).stdout
    )
    assert found.keys() == {"runs", "failed", "seconds", "policies"}
    assert found["runs"] == 1 + 2 + 1 + 3 * 2
    assert found["failed"] == 0
    assert found["seconds"] > 0
    assert list(found["policies"]) == policies.split(",")
    at = [
        f"{kind}@{n}" for kind in ("targets", "recall", "harvest", "similarity") for n in (50, 60)
    ]
    plain = "first_target to25 to50 to75 to90 auc gap gap20 worst cpu_ms_per_page"
    wanted = {*at, *plain.split(), "reward:0.5", "reward:0.9", "reward:0.99"}
    for row in found["policies"].values():
        assert wanted <= row.keys()
        assert all(cell.keys() == {"mean", "se", "median"} for cell in row.values())
    gaps = {name: row["gap"]["mean"] for name, row in found["policies"].items()}
    assert (gaps["breadth-first"], gaps["oracle"]) == (0, 1)


def test_run_twice_gives_the_same_numbers_and_runs_nothing_again(
    tmp_path: Path, task_file: Path
) -> None:
    arguments = ("run", task_file, "--policies", "best-first", "--json", "-o", tmp_path / "out")
    first, second = (strictly(good(*arguments).stdout) for _ in range(2))
    assert first["policies"] == second["policies"]  # even the times: they are read, not measured
    assert len(Experiment(tmp_path / "out").about["commands"]) == 2


def test_run_prints_a_table_best_policy_first(tmp_path: Path, task_file: Path) -> None:
    result = good("run", task_file, "--policies", "breadth-first", "-o", tmp_path / "out")
    lines = result.stdout.splitlines()
    assert lines[0].split()[:3] == ["policy", "targets@60", "auc"]
    assert [line.split()[0] for line in lines[1:]] == ["optimal", "breadth-first"]
    assert "4 runs in" in result.stderr


@pytest.mark.usefixtures("rogue_site")
@pytest.mark.parametrize("option", ["--json", "--quiet"])
def test_a_policy_that_crashes_is_told_and_the_exit_code_is_0(
    tmp_path: Path, task_file: Path, option: str
) -> None:
    out = tmp_path / "out"
    result = good("run", task_file, "--policies", "crashing,breadth-first", "-o", out, option)
    assert "failed: crashing on listed: ZeroDivisionError: a mistake" in result.stderr
    assert "failed: crashing on drawn" in result.stderr
    if option == "--json":
        found = strictly(result.stdout)
        assert (found["runs"], found["failed"]) == (6, 2)
        assert list(found["policies"]) == ["breadth-first", "optimal"]
    compared = good("compare", out)
    assert "2 failed runs are left out" in compared.stderr


@pytest.mark.usefixtures("rogue_site")
def test_when_every_run_failed_there_is_a_sentence(tmp_path: Path, task_file: Path) -> None:
    out = tmp_path / "out"
    good("run", task_file, "--policies", "crashing", "-o", out)
    for path in (out / "runs").iterdir():
        if not path.name.startswith(("listed--crashing", "drawn--crashing")):
            path.unlink()
    assert "all runs in" in sentence("compare", out)


@pytest.mark.usefixtures("rogue_site")
def test_crawls_without_a_single_page_have_numbers_too(tmp_path: Path, task_file: Path) -> None:
    out = tmp_path / "out"
    found = strictly(good("run", task_file, "--policies", "idle", "-o", out, "--json").stdout)
    row = found["policies"]["idle"]
    assert row["targets@60"]["mean"] == 0
    assert row["similarity@60"]["mean"] == 0
    assert row["log_reward:0.5"]["mean"] is None
    compared = strictly(good("compare", out, "--json", "--metric", "log_reward:0.5").stdout)
    assert compared["idle"]["difference"] is None
    assert compared["idle"]["interval"] == [None, None]


def test_a_buffer_is_for_every_policy_but_oracles(tmp_path: Path, task_file: Path) -> None:
    out = tmp_path / "out"
    good(
        *("run", task_file, "--policies", "breadth-first,oracle,perfect-reward"),
        *("--buffer", 8, "-o", out),
    )
    assert Experiment(out).policies == ["breadth-first:buffer=8", "oracle", "perfect-reward"]
    found = strictly(
        good(
            *("run", task_file, "--policies", "best-first", "--buffer", 8, "-o", out, "--json")
        ).stdout
    )
    assert all(row["gap"]["mean"] is not None for row in found["policies"].values())


def test_another_web_may_be_named(tmp_path: Path, task_file: Path, recording: Recording) -> None:
    text = task_file.read_text().replace(str(recording.folder), "webs/none")
    task_file.write_text(text)
    arguments = ("run", task_file, "--policies", "random", "-o", tmp_path / "out")
    assert "there is no web folder webs/none" in sentence(*arguments)
    good(*arguments, "--web", recording.folder)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--policies", ","], "--policies names no policy; see: wolfspider policies"),
        (["--policies", "bfs"], "unknown policy 'bfs'"),
        (["--policies", "random", "--repeat", 0], "--repeat and --jobs are numbers from 1 on"),
        (["--policies", "random", "--jobs", 0], "--repeat and --jobs are numbers from 1 on"),
        (["--policies", "best-n-first:n"], "cannot read the setting 'n' of policy 'best-n-first'"),
    ],
)
def test_run_refuses_what_cannot_be(
    tmp_path: Path, task_file: Path, options: list[object], told: str
) -> None:
    assert told in sentence("run", task_file, *options, "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()


# -- lab compare ---------------------------------------------------------------------------


def test_compare_prints_json_that_scripts_rely_on(results: Path) -> None:
    found = strictly(good("compare", results, "--metric", "targets@60", "--json").stdout)
    assert list(found) == ["best-first", "optimal"]
    for row in found.values():
        assert {"difference", "interval", "p", "p_holm", "wins", "losses"} <= row.keys()
        assert row["interval"][0] <= row["difference"] <= row["interval"][1]
        assert 0 <= row["p"] <= row["p_holm"] <= 1
    assert found["optimal"]["pairs"] == 1 + 3
    assert found["optimal"]["wins"] + found["optimal"]["losses"] <= 4


def test_compare_prints_sentences_for_people(results: Path) -> None:
    text = good("compare", results, "--baseline", "optimal", "--metric", "to50").stdout
    assert text.startswith("to50, difference to optimal; 95 % interval")
    assert "losses of 4" in text


@pytest.mark.parametrize("metric", ["auc", "first_target"])
def test_compare_shows_the_best_first(results: Path, metric: str) -> None:
    lines = good("compare", results, "--metric", metric).stdout.splitlines()
    assert lines[1].startswith("optimal ")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--baseline", "bfs"], "no runs of 'bfs' in these results; known: breadth-first"),
        (["--metric", "gap"], "gap is one number for all tasks"),
        (["--metric", "target@5"], "unknown metric 'target@5'"),
        (["--metric", "recall@99999"], "no run has 99,999 fetches; the last metric is recall@"),
    ],
)
def test_compare_refuses_what_cannot_be(results: Path, options: list[str], told: str) -> None:
    assert told in sentence("compare", results, *options)


def test_runs_that_are_missing_are_told_with_the_way_on(results: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(results, tmp_path / "results")
    total = len(Experiment(folder).jobs)
    for path in sorted((folder / "runs").glob("*.npz"))[1:3]:
        path.unlink()
    command = Experiment(folder).about["commands"][-1]
    told = f"only {total - 2} of {total} runs are there; go on with: {command}\n"
    for asked in ("report", "compare"):
        assert told not in good(asked, results).stderr
        assert told in good(asked, folder).stderr
    assert strictly(good("report", folder, "--json").stdout)["missing"] == 2


def test_compare_of_nothing_is_a_sentence(tmp_path: Path, small_tasks: TaskFile) -> None:
    assert "holds no results; make some with: wolfspider lab run" in sentence("compare", tmp_path)
    out = tmp_path / "out"
    Experiment(out).ask([small_tasks], [], 1, "")
    assert f"no run in {out} has finished; run it again to go on" in sentence("compare", out)


# -- lab tasks -----------------------------------------------------------------------------


def test_tasks_are_written_for_every_label(
    tmp_path: Path, recording: Recording, recorded_web: RecordedWeb, topics: list[str]
) -> None:
    out = tmp_path / "tasks.toml"
    options = ("--min", 5, "--away", 1, "--seeds", 3, "--budget", 40)
    result = good("tasks", recording.folder, "--all-labels", *options, "-o", out, "--json")
    found = strictly(result.stdout)
    file = read_tasks(out)
    assert found["file"] == str(out)
    assert found["tasks"] == [task.name for task in file.tasks]
    assert file.web == recording.folder
    assert {task.targets for task in file.tasks} <= set(topics)
    for task in file.tasks:
        assert (task.seeds, task.budget, task.judge) == (Away(1, 3), 40, "targets")
        pages = recorded_web.label(str(task.targets))
        assert recorded_web.page(int(pages[0])).title in task.description
    left = [name for name in recorded_web.about["labels"] if ":" in name]
    assert left
    assert len(found["left_out"]) + len(file.tasks) == len(recorded_web.about["labels"])
    good("run", out, "--policies", "breadth-first", "-o", tmp_path / "results", "-q")


def test_tasks_are_written_for_the_labels_that_are_named(
    tmp_path: Path, recording: Recording, topics: list[str]
) -> None:
    out = tmp_path / "tasks.toml"
    result = good(
        *("tasks", recording.folder, "--label", topics[1], "--label", topics[0]),
        *("--away", 1, "-o", out),
    )
    assert f"2 tasks in {out}" in result.stdout
    assert [task.targets for task in read_tasks(out).tasks] == [topics[1], topics[0]]


def test_some_tasks_are_drawn_from_many_and_always_the_same(
    tmp_path: Path, recording: Recording
) -> None:
    drawn = []
    for name in ("a.toml", "b.toml"):
        options = ("--all-labels", "--min", 5, "--away", 1, "--most", 2)
        good("tasks", recording.folder, *options, "-o", tmp_path / name, "-q")
        drawn.append((tmp_path / name).read_text())
    assert drawn[0] == drawn[1]
    assert len(read_tasks(tmp_path / "a.toml").tasks) == 2


def test_tasks_refuses_what_cannot_be(
    tmp_path: Path, recording: Recording, topics: list[str]
) -> None:
    web, out = recording.folder, tmp_path / "tasks.toml"
    assert "say which labels" in sentence("tasks", web, "-o", out)
    assert "say which labels" in sentence(
        "tasks", web, "--all-labels", "--label", topics[0], "-o", out
    )
    assert "has the label 'none'" in sentence("tasks", web, "--label", "none", "-o", out)
    assert "numbers from 1 on" in sentence("tasks", web, "--all-labels", "--budget", 0, "-o", out)
    none = lab("tasks", web, "--label", topics[0], "--away", 99, "-o", out)
    assert none.output.startswith("left out: task")
    assert "is exactly 99 links before a target" in none.output
    assert str(none.exception) == f"no label of {web} makes a task"
    assert "there is no web folder" in sentence("tasks", tmp_path / "w", "--all-labels", "-o", out)
    assert not out.exists()
    out.write_text("mine")
    assert "exists already" in sentence("tasks", web, "--all-labels", "-o", out)
    nowhere = out / "tasks.toml"  # in a file
    told = sentence("tasks", web, "--label", topics[0], "--away", 1, "-o", nowhere)
    assert "cannot write the tasks to" in told
