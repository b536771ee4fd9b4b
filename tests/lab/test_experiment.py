"""Experiments: parallel, resumable, repeatable, and patient with policies that fail."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from checks import Recording
from command_line import run_here
from lab.tiny import task_of
from wolfspider.errors import BadInput, DamagedFile
from wolfspider.lab import code
from wolfspider.lab import experiment as experiments
from wolfspider.lab.code import code_digest, judge_digest
from wolfspider.lab.experiment import Experiment, ground_of, takes_seed
from wolfspider.lab.ground import Ground
from wolfspider.lab.run import run_lesson
from wolfspider.lab.summary import Summary
from wolfspider.lab.tasks import TaskFile, write_tasks
from wolfspider.lab.trace import RunKey, Trace
from wolfspider.policies import Spec
from wolfspider.records import State
from wolfspider.states import load_state

TESTS = Path(__file__).resolve().parents[1]
POLICIES = "breadth-first,best-first,best-n-first:n=4,random"

Lesson = tuple[Trace, State | None]
Outcome = tuple[str, str, int, tuple[int, ...], bytes, bytes, bool]


def specs(names: str) -> list[Spec]:
    return [Spec.parse(name) for name in names.split(",")]


def asked(folder: Path, file: TaskFile, names: str = POLICIES, repeats: int = 2) -> Experiment:
    experiment = Experiment(folder)
    experiment.ask([file], specs(names), repeats, "a test")
    return experiment


def done(folder: Path, file: TaskFile, names: str = POLICIES, repeats: int = 2) -> Experiment:
    experiment = asked(folder, file, names, repeats)
    for _ in experiment.run():
        pass
    return experiment


def outcomes(experiment: Experiment) -> list[Outcome]:
    """Everything about the runs but the time they took."""
    return [
        (
            trace.key.task,
            trace.key.policy,
            trace.key.repeat,
            trace.starts,
            trace.pages.tobytes(),
            trace.judged.tobytes(),
            bool(trace.error),
        )
        for trace in experiment.traces()
    ]


def files_of(folder: Path) -> dict[str, int]:
    """Finished runs with the times at which they were written."""
    return {path.name: path.stat().st_mtime_ns for path in (folder / "runs").glob("*.npz")}


# -- what is run ---------------------------------------------------------------------------


def test_every_task_policy_and_repeat_is_run(tmp_path: Path, small_tasks: TaskFile) -> None:
    """Drawn starts make new runs of every policy; a listed start only of those with chance."""
    experiment = done(tmp_path, small_tasks, "breadth-first,random,optimal", 3)
    runs = [(t.key.task, t.key.policy, t.key.repeat) for t in experiment.traces()]
    listed = [("listed", name, 0) for name in ("breadth-first", "random", "optimal")]
    listed += [("listed", "random", 1), ("listed", "random", 2)]
    drawn = [
        ("drawn", name, r) for r in range(3) for name in ("breadth-first", "random", "optimal")
    ]
    assert runs == listed + drawn
    assert all(len(trace) == 60 and not trace.error for trace in experiment.traces())
    assert all(trace.cpu_seconds > 0 for trace in experiment.traces())


def test_references_are_run_unasked(tmp_path: Path, small_tasks: TaskFile) -> None:
    assert asked(tmp_path / "a", small_tasks, "random").policies == [
        "random",
        "breadth-first",
        "optimal",
    ]
    assert asked(tmp_path / "b", small_tasks, "oracle,breadth-first:buffer=9").policies == [
        "oracle",
        "breadth-first:buffer=9",
    ]


def test_a_policy_asked_for_twice_is_run_once(tmp_path: Path, small_tasks: TaskFile) -> None:
    experiment = asked(tmp_path, small_tasks, "random,random,breadth-first,oracle")
    again = asked(tmp_path, small_tasks, "random,depth-first")
    assert experiment.policies == ["random", "breadth-first", "oracle"]
    assert again.policies == ["random", "breadth-first", "oracle", "depth-first"]


def test_who_takes_a_seed() -> None:
    assert takes_seed(Spec.parse("random"))
    assert takes_seed(Spec.parse("best-n-first:n=4"))
    assert not takes_seed(Spec.parse("breadth-first"))
    assert not takes_seed(Spec.parse("oracle"))


def test_repeats_differ_only_by_chance(tmp_path: Path, small_tasks: TaskFile) -> None:
    experiment = done(tmp_path, small_tasks, "random,breadth-first", 3)
    traces = [t for t in experiment.traces() if t.key.task == "listed" and t.key.policy == "random"]
    assert len({trace.pages.tobytes() for trace in traces}) == 3
    assert len({trace.starts for trace in traces}) == 1


def test_a_folder_grows_with_what_is_asked(tmp_path: Path, small_tasks: TaskFile) -> None:
    done(tmp_path, small_tasks, "breadth-first", 1)
    before = files_of(tmp_path)
    grown = done(tmp_path, small_tasks, "breadth-first,random", 2)
    after = files_of(tmp_path)
    assert before.items() < after.items()
    assert grown.about["repeats"] == 2
    assert grown.about["commands"] == ["a test", "a test"]


# -- the same whatever happens -------------------------------------------------------------


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory, small_tasks: TaskFile) -> list[Outcome]:
    """The runs of `POLICIES`, one after the other in this process."""
    return outcomes(done(tmp_path_factory.mktemp("serial"), small_tasks))


def test_parallel_runs_are_the_same_as_serial(
    tmp_path: Path, small_tasks: TaskFile, serial: list[Outcome]
) -> None:
    experiment = asked(tmp_path, small_tasks)
    came = list(experiment.run(processes=2))
    assert len(came) == len(serial) == len(experiment.jobs)
    assert outcomes(experiment) == serial


def test_finished_runs_are_not_run_again(tmp_path: Path, small_tasks: TaskFile) -> None:
    experiment = done(tmp_path, small_tasks)
    before = files_of(tmp_path)
    lost = sorted((tmp_path / "runs").glob("*.npz"))[::3]
    for path in lost:
        path.unlink()
    assert len(list(experiment.run())) == len(lost)
    after = files_of(tmp_path)
    assert before.keys() == after.keys()
    kept = before.keys() - {path.name for path in lost}
    assert all(before[name] == after[name] for name in kept)


def wolfspider(site: Path | None = None, hash_seed: str = "0") -> tuple[list[str], dict[str, str]]:
    """How to start the command line in a process of its own."""
    path = os.pathsep.join(map(str, [TESTS, *([site] if site else [])]))
    code = "from wolfspider.cli import main; main()"
    environment = os.environ | {"PYTHONPATH": path, "PYTHONHASHSEED": hash_seed}
    return [sys.executable, "-c", code], environment


def lab_run(
    tasks: Path,
    out: Path,
    *options: str,
    site: Path | None = None,
    hash_seed: str = "0",
    policies: str = POLICIES,
) -> subprocess.CompletedProcess[str]:
    command, environment = wolfspider(site, hash_seed)
    command += ["lab", "run", str(tasks), "--policies", policies, "-o", str(out), *options]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture
def task_file(tmp_path: Path, small_tasks: TaskFile) -> Path:
    path = tmp_path / "tasks.toml"
    write_tasks(path, small_tasks.web, small_tasks.tasks)
    return path


def test_an_edited_policy_is_run_again(
    tmp_path: Path, small_tasks: TaskFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = Experiment(tmp_path / "results")
    experiment.ask([small_tasks], [Spec.parse("best-first")], 1, "")
    before = len(list(experiment.run()))
    assert before > 0
    monkeypatch.setattr("wolfspider.lab.experiment.code_digest", lambda spec: f"new {spec.name}")
    Experiment(tmp_path / "results").ask([small_tasks], [Spec.parse("best-first")], 1, "")
    again = Experiment(tmp_path / "results")
    assert len(again.missing()) == before
    assert again.traces() == []


def test_the_code_of_a_policy_is_that_of_all_its_classes() -> None:
    digests = {code_digest(Spec.parse(name)) for name in ("best-first", "pagerank", "optimal")}
    assert len(digests) == 3
    assert code_digest(Spec.parse("optimal")) == code_digest(Spec.parse("perfect-distance"))


def edit(module: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a line had been added to a module."""
    file = Path(str(sys.modules[module].__file__))
    (folder / file.name).write_bytes(file.read_bytes() + b"# and more\n")
    monkeypatch.setattr(sys.modules[module], "__file__", str(folder / file.name))


def test_only_what_an_edited_judge_has_judged_is_run_again(
    tmp_path: Path, small_tasks: TaskFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed, drawn = small_tasks.tasks
    file = replace(small_tasks, tasks=(listed, replace(drawn, judge="keywords")))
    before = done(tmp_path / "results", file, "breadth-first,random", 1)
    assert before.missing() == []
    edit("wolfspider.judges.keywords", tmp_path, monkeypatch)
    again = asked(tmp_path / "results", file, "breadth-first,random", 1)
    missing = [(job.task.name, str(job.policy)) for job in again.missing()]
    assert missing == [("drawn", name) for name in ("breadth-first", "random", "optimal")]
    assert {trace.key.task for trace in again.traces()} == {"listed"}


def test_what_a_judge_uses_and_learned_from_is_part_of_it(
    tmp_path: Path, small_tasks: TaskFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("targets", "classifier", "cosine", "keywords")
    tasks = [replace(small_tasks.tasks[0], judge=name) for name in names]

    def digests() -> list[str]:
        return [judge_digest(ground_of(small_tasks.web, each, 0)) for each in tasks]

    before = digests()
    assert len(set(before)) == len(names)
    monkeypatch.setattr(code, "draw_examples", task_of)  # written in another file
    assert [a == b for a, b in zip(before, digests(), strict=True)] == [True, False, True, True]
    monkeypatch.undo()
    assert digests() == before
    edit("wolfspider.vectors.tokens", tmp_path, monkeypatch)
    assert [a == b for a, b in zip(before, digests(), strict=True)] == [True, False, True, True]


def test_results_from_before_judges_counted_are_found(
    tmp_path: Path, small_tasks: TaskFile
) -> None:
    experiment = done(tmp_path, small_tasks, "breadth-first", 1)
    for job in experiment.jobs:
        job.path(tmp_path).rename(replace(job, judge="").path(tmp_path))
    about = json.loads((tmp_path / "experiment.json").read_text())
    del about["judges"]
    (tmp_path / "experiment.json").write_text(json.dumps(about))
    old = Experiment(tmp_path)
    assert old.missing() == []
    assert len(old.traces()) == len(experiment.jobs) == 4
    assert len(asked(tmp_path, small_tasks, "breadth-first", 1).missing()) == 4


def test_tables_in_settings_are_part_of_the_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "folder").mkdir()
    for name in ("folder/vectors.npy", "glove.txt"):
        given = "~/glove.txt" if name == "glove.txt" else str(tmp_path / "folder")
        spec = Spec("best-first", (("vectors", given),))
        digests = [code_digest(spec)]
        for text in ("sun 1", "sun 1 2"):
            (tmp_path / name).write_text(text)
            digests.append(code_digest(spec))
        assert len(set(digests)) == 3, given
        assert code_digest(spec) == digests[-1]


def test_results_of_another_version_are_a_sentence(
    tmp_path: Path, small_tasks: TaskFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    Experiment(tmp_path / "results").ask([small_tasks], [], 1, "")
    monkeypatch.setattr("wolfspider.lab.experiment.__version__", "99")
    with pytest.raises(BadInput, match="runs of both cannot be compared"):
        Experiment(tmp_path / "results").ask([small_tasks], [], 1, "")


def test_runs_do_not_depend_on_hashing(
    tmp_path: Path, task_file: Path, serial: list[Outcome]
) -> None:
    out = tmp_path / "out"
    result = lab_run(task_file, out, "--repeat", "2", "--json", hash_seed="1")
    assert result.returncode == 0, result.stderr
    assert outcomes(Experiment(out)) == serial


# -- what was learned is carried on --------------------------------------------------------

LEARNING = "breadth-first,sarsa:update=sync,infospiders"


def carried(folder: Path, file: TaskFile, processes: int = 1, repeats: int = 3) -> Experiment:
    experiment = Experiment(folder)
    experiment.ask([file], specs(LEARNING), repeats, "a test", carry=True)
    for _ in experiment.run(processes):
        pass
    return experiment


def lessons(folder: Path) -> dict[str, bytes]:
    """What the runs of a folder have left for the next one."""
    return {path.name: path.read_bytes() for path in (folder / "runs").glob("*.carried")}


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory, small_tasks: TaskFile) -> Path:
    """A folder of three repeats, each begun with what the one before has learned."""
    folder = tmp_path_factory.mktemp("school") / "results"
    carried(folder, small_tasks)
    return folder


def by_repeat(experiment: Experiment, policy: str, task: str = "listed") -> list[bytes]:
    found = [t for t in experiment.traces() if (t.key.policy, t.key.task) == (policy, task)]
    return [t.pages.tobytes() for t in sorted(found, key=lambda t: t.key.repeat)]


def test_the_first_repeat_is_as_ever_and_the_later_ones_begin_with_what_was_learned(
    school: Path, tmp_path: Path, small_tasks: TaskFile
) -> None:
    alone = by_repeat(done(tmp_path, small_tasks, LEARNING, 3), "sarsa:update=sync")
    together = by_repeat(Experiment(school), "sarsa:update=sync")
    assert together[0] == alone[0]
    assert together[1] != alone[1]
    assert together[2] != alone[2]


def test_a_repeat_begins_with_the_weights_that_the_one_before_has_left(
    school: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Done again, the last repeat is handed the weights of the second, and leaves its own."""
    folder = copied(school, tmp_path / "results")
    jobs = {
        job.repeat: job
        for job in Experiment(folder).jobs
        if job.carries and job.task.name == "listed"
    }
    assert sorted(jobs) == [0, 1, 2]
    left = jobs[2].carried(folder).read_bytes()
    jobs[2].path(folder).unlink()
    jobs[2].carried(folder).unlink()
    handed = []

    def watched(ground: Ground, spec: Spec, repeat: int, before: State | None) -> Lesson:
        handed.append((repeat, before))
        return run_lesson(ground, spec, repeat, before)

    monkeypatch.setattr(experiments, "run_lesson", watched)
    list(Experiment(folder).run())
    assert handed == [(2, load_state(jobs[1].carried(folder)))]
    assert jobs[2].carried(folder).read_bytes() == left
    assert len({jobs[number].carried(folder).read_bytes() for number in jobs}) == 3


def test_who_carries_nothing_runs_as_before(
    school: Path, tmp_path: Path, small_tasks: TaskFile
) -> None:
    """And its runs have the same names, so that what is there would be found."""
    alone = done(tmp_path, small_tasks, LEARNING, 3)
    for policy in ("breadth-first", "infospiders", "optimal"):
        for task in ("listed", "drawn"):
            ours = by_repeat(Experiment(school), policy, task)
            assert ours == by_repeat(alone, policy, task)
    names = {name for name in files_of(school) if "sarsa" not in name}
    assert names == {name for name in files_of(tmp_path) if "sarsa" not in name}
    assert files_of(school).keys() != files_of(tmp_path).keys()
    assert all("--sarsa" in name for name in lessons(school))
    assert len(lessons(school)) == 6
    assert lessons(tmp_path) == {}


def test_lessons_in_two_processes_are_the_same(
    school: Path, tmp_path: Path, small_tasks: TaskFile
) -> None:
    experiment = carried(tmp_path, small_tasks, processes=2)
    assert outcomes(experiment) == outcomes(Experiment(school))
    assert lessons(tmp_path) == lessons(school)


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("lost", [(0,), (1,), (2,), (1, 2), (0, 2)])
def test_lessons_that_were_lost_are_done_again_in_their_place(
    school: Path, tmp_path: Path, lost: tuple[int, ...], processes: int
) -> None:
    folder = copied(school, tmp_path / "results")
    before = files_of(folder)
    experiment = Experiment(folder)
    paths = [job.path(folder) for job in experiment.jobs if job.carries and job.repeat in lost]
    for path in paths:
        path.unlink()
        path.with_suffix(".carried").unlink()
    assert len(list(experiment.run(processes))) == len(paths) == 2 * len(lost)
    assert outcomes(experiment) == outcomes(Experiment(school))
    assert lessons(folder) == lessons(school)
    after = files_of(folder)
    assert {n for n in after if after[n] != before[n]} == {path.name for path in paths}


def test_more_repeats_go_on_with_the_last_one(
    school: Path, tmp_path: Path, small_tasks: TaskFile
) -> None:
    carried(tmp_path, small_tasks, repeats=2)
    before = files_of(tmp_path)
    grown = carried(tmp_path, small_tasks, repeats=3)
    assert before.items() < files_of(tmp_path).items()
    assert outcomes(grown) == outcomes(Experiment(school))


@pytest.mark.parametrize("first", [True, False])
def test_a_folder_is_with_or_without_carrying(
    tmp_path: Path, small_tasks: TaskFile, first: bool
) -> None:
    Experiment(tmp_path).ask([small_tasks], specs("random"), 1, "", carry=first)
    before = (tmp_path / "experiment.json").read_text()
    begun = "with" if first else "without"
    with pytest.raises(BadInput, match=f"was begun {begun} --carry; start a new results folder"):
        Experiment(tmp_path).ask([small_tasks], specs("random"), 1, "", carry=not first)
    assert (tmp_path / "experiment.json").read_text() == before


def test_carrying_on_the_command_line(
    school: Path, tmp_path: Path, task_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fixed = ("lab", "run", task_file, "--policies", LEARNING, "--repeat", "3", "-o", tmp_path / "o")
    came = run_here(monkeypatch, *fixed, "--carry", "--quiet", "--json")
    assert came.code == 0, came.err
    assert outcomes(Experiment(tmp_path / "o")) == outcomes(Experiment(school))
    refused = run_here(monkeypatch, *fixed, "--quiet", "--json")
    assert (refused.code, refused.out) == (2, "")
    assert "was begun with --carry; start a new results folder" in refused.err


# -- interruptions -------------------------------------------------------------------------

Started = Callable[[Path, Path, str, int], "subprocess.Popen[str]"]
SLOW, SLOWER = "breadth-first,slow:milliseconds=4", "breadth-first,slow:milliseconds=50"
REPEATS = 5


@pytest.fixture
def start(task_file: Path, rogue_site: Path) -> Iterator[Started]:
    """Start slow runs in two processes; returns when some have finished."""
    started = []

    def start(out: Path, tasks: Path, policies: str, finished: int) -> subprocess.Popen[str]:
        command, environment = wolfspider(rogue_site)
        command += ["lab", "run", str(tasks), "--policies", policies, "--repeat", str(REPEATS)]
        process = subprocess.Popen(
            [*command, "--jobs", "2", "-q", "-o", str(out)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        deadline = time.monotonic() + 60
        while len(list(out.glob("runs/*.npz"))) < finished:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline, "no runs after a minute"
            time.sleep(0.02)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def children(process: subprocess.Popen[str]) -> list[int]:
    path = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not path.exists():
        pytest.skip("this system does not tell the children of a process")
    return [int(each) for each in path.read_text().split()]


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_killed_experiment_goes_on_where_it_was(
    tmp_path: Path, task_file: Path, small_tasks: TaskFile, start: Started
) -> None:
    out = tmp_path / "killed"
    process = start(out, task_file, SLOW, 3)
    workers = children(process)
    assert workers
    process.kill()
    process.wait()
    deadline = time.monotonic() + 20
    while any(map(alive, workers)):
        assert time.monotonic() < deadline, "processes live on without their parent"
        time.sleep(0.02)
    before = files_of(out)
    experiment = Experiment(out)
    assert 3 <= len(before) < len(experiment.jobs), "the kill came too late"
    assert len(experiment.traces()) == len(before)
    resumed = list(experiment.run())
    assert len(resumed) == len(experiment.jobs) - len(before)
    after = files_of(out)
    assert before.items() <= after.items()
    uninterrupted = done(tmp_path / "whole", small_tasks, SLOW, REPEATS)
    assert outcomes(experiment) == outcomes(uninterrupted)


def test_ctrl_c_leaves_valid_files_and_a_sentence(
    tmp_path: Path, task_file: Path, start: Started
) -> None:
    """And while it runs, nobody else can run into the same folder."""
    out = tmp_path / "interrupted"
    process = start(out, task_file, SLOWER, 1)
    asked_for = (out / "experiment.json").read_text()
    other = lab_run(task_file, out, policies="random")
    assert other.returncode == 2
    assert other.stderr.strip() == (
        f"wolfspider: another run is writing to {out}; wait for it or choose another folder"
    )
    assert (out / "experiment.json").read_text() == asked_for
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 130, stderr
    assert stdout == ""
    experiment = Experiment(out)
    total, finished = len(experiment.jobs), len(experiment.traces())
    assert 1 <= finished < total
    assert stderr.strip() == (
        f"wolfspider: interrupted; {finished} of {total} runs are in {out}, "
        "the same command goes on from there"
    )


# -- policies that fail --------------------------------------------------------------------


@pytest.mark.usefixtures("rogue_site")
@pytest.mark.parametrize("processes", [1, 2])
def test_a_policy_that_crashes_is_a_failed_run_and_the_others_finish(
    tmp_path: Path, small_tasks: TaskFile, processes: int
) -> None:
    experiment = asked(tmp_path / "out", small_tasks, "crashing,leaving,stillborn,breadth-first", 1)
    list(experiment.run(processes))
    summary = Summary.of(experiment)
    failed = {trace.key.policy: trace for trace in summary.failed}
    assert failed.keys() == {"crashing", "leaving", "stillborn"}
    assert len(summary.failed) == 6
    assert "ZeroDivisionError: a mistake of this policy" in failed["crashing"].error
    assert "rogues.py" in failed["crashing"].error
    assert len(failed["crashing"]) == 4
    assert "SystemExit: enough" in failed["leaving"].error
    assert "before it began" in failed["stillborn"].error
    assert {trace.key.policy for trace in summary.traces} == {"breadth-first", "optimal"}
    assert experiment.missing() == []  # a failed run is kept and not tried again


@pytest.mark.usefixtures("rogue_site")
def test_a_policy_that_kills_its_process_is_a_failed_run_and_the_others_finish(
    tmp_path: Path, small_tasks: TaskFile
) -> None:
    file = TaskFile(small_tasks.web, small_tasks.tasks[:1])
    experiment = asked(tmp_path / "out", file, "breadth-first,dying,random", 2)
    came = list(experiment.run(processes=2))
    assert len(came) == len(experiment.jobs) == 5
    summary = Summary.of(experiment)
    [failed] = summary.failed
    assert failed.key.policy == "dying"
    assert "the process of this run died" in failed.error
    assert len(summary.traces) == 4


# -- what does not fit ---------------------------------------------------------------------


def copied(web: Path, to: Path) -> Path:
    shutil.copytree(web, to)
    return to


def test_a_web_that_changed_since_is_a_sentence(
    tmp_path: Path, recording: Recording, small_tasks: TaskFile
) -> None:
    web = copied(recording.folder, tmp_path / "web")
    file = TaskFile(web, small_tasks.tasks)
    done(tmp_path / "out", file, "breadth-first", 1)
    about = json.loads((web / "web.json").read_text())
    (web / "web.json").write_text(json.dumps(about | {"digest": "0123456789abcdef"}))
    experiments.web_of.cache_clear()  # as in another process
    experiments.ground_of.cache_clear()
    sentence = "the web .*/web has changed since .*/out was begun .* 0123456789abcdef now"
    with pytest.raises(BadInput, match=sentence):
        asked(tmp_path / "out", file, "breadth-first", 1)
    with pytest.raises(BadInput, match=sentence):
        Experiment(tmp_path / "out").traces()


def test_another_task_of_the_same_name_is_a_sentence(tmp_path: Path, small_tasks: TaskFile) -> None:
    asked(tmp_path, small_tasks)
    before = (tmp_path / "experiment.json").read_text()
    other = TaskFile(small_tasks.web, (replace(small_tasks.tasks[0], budget=59),))
    with pytest.raises(BadInput, match="was begun with another task named 'listed'; rename"):
        asked(tmp_path, other)
    assert (tmp_path / "experiment.json").read_text() == before


def test_the_same_task_on_another_web_is_a_sentence(tmp_path: Path, small_tasks: TaskFile) -> None:
    out = tmp_path / "out"
    asked(out, small_tasks)
    before = (out / "experiment.json").read_text()
    other = copied(small_tasks.web, tmp_path / "other")
    about = json.loads((other / "web.json").read_text())
    (other / "web.json").write_text(json.dumps(about | {"digest": "0123456789abcdef"}))
    told = "the results of 'listed' in .*/out are of another web, .*; choose another folder with -o"
    with pytest.raises(BadInput, match=told):
        asked(out, TaskFile(other, small_tasks.tasks))
    assert (out / "experiment.json").read_text() == before


def test_two_files_with_the_same_task_name_are_a_sentence(
    tmp_path: Path, small_tasks: TaskFile
) -> None:
    other = TaskFile(small_tasks.web, (replace(small_tasks.tasks[0], budget=59),))
    with pytest.raises(BadInput, match="another task named 'listed'"):
        Experiment(tmp_path / "out").ask([small_tasks, other], specs("random"), 1, "")


def test_the_same_task_on_the_same_web_under_another_path_is_the_same(
    tmp_path: Path, small_tasks: TaskFile
) -> None:
    asked(tmp_path / "out", small_tasks)
    (tmp_path / "link").symlink_to(small_tasks.web)
    again = asked(tmp_path / "out", TaskFile(tmp_path / "link", small_tasks.tasks))
    assert len(again.about["tasks"]) == 2


def test_results_are_found_and_go_on_from_any_folder(
    tmp_path: Path,
    recording: Recording,
    small_tasks: TaskFile,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun_in, elsewhere = tmp_path / "begun", tmp_path / "else" / "where"
    copied(recording.folder, begun_in / "a-web-beside")
    elsewhere.mkdir(parents=True)
    monkeypatch.chdir(begun_in)
    file = TaskFile(Path("a-web-beside"), small_tasks.tasks)
    before = outcomes(done(Path("out"), file, "breadth-first", 1))
    monkeypatch.chdir(elsewhere)
    assert outcomes(Experiment(begun_in / "out")) == before
    compared = run_here(monkeypatch, "lab", "compare", begun_in / "out")
    assert (compared.code, compared.err) == (0, "")
    file = TaskFile(Path("../../begun/a-web-beside"), small_tasks.tasks)
    more = done(Path("../../begun/out"), file, "random", 1)
    assert list(more.about["webs"]) == ["a-web-beside"]
    after = outcomes(more)
    shutil.move(begun_in / "out", elsewhere / "out")  # now webs are looked for from here
    with pytest.raises(
        BadInput, match=r"a-web-beside of out is neither here nor at .*/where/a-web"
    ):
        Experiment(Path("out")).traces()
    monkeypatch.chdir(begun_in)
    assert outcomes(Experiment(elsewhere / "out")) == after


def test_a_folder_with_other_things_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear")
    with pytest.raises(BadInput, match="holds other things than results; choose another folder"):
        Experiment(tmp_path)
    with pytest.raises(BadInput, match=r"letter\.txt is a file; choose another folder"):
        Experiment(tmp_path / "letter.txt")


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path, small_tasks: TaskFile) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match=r"cannot write to .*file/out: Not a directory"):
        asked(tmp_path / "file" / "out", small_tasks)


def test_what_a_killed_process_left_is_no_other_thing(
    tmp_path: Path, small_tasks: TaskFile
) -> None:
    """Killed after it made the folder and before it wrote what it was for."""
    (tmp_path / ".lock").write_text("")
    (tmp_path / ".experiment.json").write_text("{")
    assert asked(tmp_path, small_tasks).policies


@pytest.mark.parametrize("text", ["{", "[]", "{}", '"\xff"'])
def test_a_damaged_description_is_a_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "experiment.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(DamagedFile, match=r"experiment\.json is .*; start a new folder"):
        Experiment(tmp_path)


@pytest.mark.parametrize("keep", [0, 100, -30])
def test_a_damaged_run_is_a_sentence(tmp_path: Path, small_tasks: TaskFile, keep: int) -> None:
    experiment = done(tmp_path, small_tasks, "breadth-first", 1)
    path = next((tmp_path / "runs").glob("*.npz"))
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(DamagedFile, match=r"the run in .*\.npz cannot be read .*; remove the file"):
        experiment.traces()


def test_nobody_is_told_to_trust_a_run_that_is_garbage(
    tmp_path: Path, small_tasks: TaskFile
) -> None:
    experiment = done(tmp_path, small_tasks, "breadth-first", 1)
    path = next((tmp_path / "runs").glob("*.npz"))
    path.write_bytes(b"garbage")
    with pytest.raises(DamagedFile) as told:
        experiment.traces()
    assert str(told.value) == (
        f"the run in {path} cannot be read (it holds no plain arrays); "
        "remove the file and run again"
    )


@pytest.mark.parametrize(
    ("policies", "sentence"),
    [
        ("breadth-first,bfs", "unknown policy 'bfs'; known: .*best-first"),
        ("best-n-first:m=3", "policy 'best-n-first' has no setting 'm'; it has: n"),
        ("best-n-first:n=x", "n is a whole number, not 'x'"),
        ("best-n-first:n=0", "n is the number of links in a batch, at least 1, not 0"),
        ("oracle:n=0", "the oracle 'oracle' has no setting 'n'"),
    ],
)
def test_a_bad_policy_is_a_sentence_before_anything_is_written(
    tmp_path: Path, small_tasks: TaskFile, policies: str, sentence: str
) -> None:
    with pytest.raises(BadInput, match=sentence):
        asked(tmp_path / "out", small_tasks, policies)
    assert not (tmp_path / "out").exists()


def test_a_task_without_keywords_to_look_for_is_a_sentence(
    tmp_path: Path, small_tasks: TaskFile
) -> None:
    file = TaskFile(small_tasks.web, (replace(small_tasks.tasks[0], keywords=("the",)),))
    with pytest.raises(BadInput, match=r"'listed': its keywords .* have no word to look for"):
        asked(tmp_path / "out", file)


def test_a_policy_that_cannot_try_one_task_tries_the_others_in_any_order(
    tmp_path: Path, small_tasks: TaskFile
) -> None:
    known = replace(small_tasks.tasks[0], name="known", keywords=("spider",))
    unknown = replace(known, name="unknown", keywords=("xqzzvk",))
    for number, tasks in enumerate([(unknown, known), (known, unknown)]):
        file = TaskFile(small_tasks.web, tasks)
        traces = done(tmp_path / str(number), file, "word-vector", 1).traces()
        assert [trace.key for trace in traces if trace.error] == [
            RunKey(traces[0].key.web, "unknown", "word-vector", 0)
        ]
    apart = [TaskFile(small_tasks.web, (task,)) for task in (unknown, known)]
    Experiment(tmp_path / "apart").ask(apart, specs("word-vector"), 1, "a test")
    with pytest.raises(BadInput, match="xqzzvk"):
        asked(tmp_path / "none", TaskFile(small_tasks.web, (unknown,)), "word-vector")


# -- traces on disk ------------------------------------------------------------------------


def test_a_trace_reads_back(tmp_path: Path, small_tasks: TaskFile) -> None:
    trace = next(iter(done(tmp_path, small_tasks, "breadth-first", 1).traces()))
    failed = replace(trace, error="Traceback …\nÜÄ\ud800")
    for each in (trace, failed):
        each.save(tmp_path / "t.npz")
        again = Trace.load(tmp_path / "t.npz")
        assert again.key == each.key
        assert np.array_equal(again.pages, each.pages)
        assert np.array_equal(again.judged, each.judged)
        assert (again.starts, again.error) == (each.starts, each.error)
        assert (again.cpu_seconds, again.seconds) == (each.cpu_seconds, each.seconds)


def test_runs_with_names_that_no_file_may_have_are_told_apart(
    tmp_path: Path, small_tasks: TaskFile
) -> None:
    names = ["../../a/b", "../../a_b", "x" * 300 + "1", "x" * 300 + "2", "ü\0\n"]
    tasks = tuple(replace(small_tasks.tasks[0], name=name) for name in names)
    out = tmp_path / "deep" / "out"
    experiment = done(out, TaskFile(small_tasks.web, tasks), "breadth-first", 1)
    assert len(files_of(out)) == 2 * len(names)
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]
    assert {trace.key.task for trace in experiment.traces()} == set(names)


def test_the_code_of_the_wolf_is_that_of_its_clues_and_constants_too() -> None:
    code_digest(Spec.parse("wolf"))  # loads it
    names = code._modules({"wolfspider.policies.wolf"})
    assert {"wolfspider.clues.priors", "wolfspider.clues.tokens"} <= names
    assert {"wolfspider.learners.prior_logistic", "wolfspider.frontier.by_score"} <= names
