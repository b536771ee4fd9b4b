"""Many runs: tasks × policies × repeats, over processes, into a folder, again and again resumable.

experiment.json    what was asked, with versions and the digest of each web
runs/*.npz         one trace for each run; a run that is there is not run again, nor one that failed
"""

from __future__ import annotations

import fcntl
import hashlib
import inspect
import json
import os
import platform
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import scipy

from wolfspider import __version__
from wolfspider.errors import BadInput, DamagedFile, WolfspiderError
from wolfspider.lab.code import code_digest, judge_digest
from wolfspider.lab.ground import Ground
from wolfspider.lab.oracles import ORACLES
from wolfspider.lab.run import carries, died, make_policy, run_lesson
from wolfspider.lab.tasks import Task, TaskFile
from wolfspider.lab.trace import Trace
from wolfspider.lab.training import map_of
from wolfspider.policies import Spec, check, trains
from wolfspider.policies.registry import load
from wolfspider.records import State
from wolfspider.states import load_state, save_state
from wolfspider.webs.recorded import RecordedWeb

REFERENCES = {"breadth-first": ("breadth-first",), "optimal": ("optimal", "oracle")}
"""`gap` is measured between them; each with the names that it goes by."""

_OURS = {"experiment.json", ".experiment.json", ".lock", "runs"}


@dataclass(frozen=True)
class Job:
    """One run to do."""

    web: Path
    task: Task
    policy: Spec
    repeat: int
    code: str = ""  # digest of the policy's source
    judge: str = ""  # and of the judge's; results from before it counted have none
    carries: bool = False  # it begins with what the repeat before it has learned

    def path(self, folder: Path) -> Path:
        """Named by web, task, policy, settings, seed and the code of policy and judge: all that
        decides the outcome."""
        web = web_of(self.web).digest
        decides = [web, self.task.as_json(), str(self.policy), self.repeat, self.code]
        decides += ["judge", self.judge] if self.judge else []
        decides += ["carries"] if self.carries else []
        digest = hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:12]
        name = f"{self.task.name}--{self.policy}--{self.repeat}"
        plain = (c if c.isascii() and (c.isalnum() or c in "-._=") else "_" for c in name)
        safe = "".join(plain)[:120]
        return folder / "runs" / f"{safe}-{digest}.npz"

    def carried(self, folder: Path) -> Path:
        """Where it keeps what the next repeat begins with."""
        return self.path(folder).with_suffix(".carried")


Series = tuple[Job, ...]
T = TypeVar("T")


class Experiment:
    """A results folder: what was asked of it, and the runs it holds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.about = self._read()

    @property
    def policies(self) -> list[str]:
        return list(self.about["policies"])

    @property
    def jobs(self) -> list[Job]:
        """Every run that was asked for, those of one task and start side by side."""
        jobs = []
        specs = [(name, Spec.parse(name)) for name in self.about["policies"]]
        for entry in self.about["tasks"]:
            task, web = Task.of_json(entry["task"]), self.place(entry["web"])
            judge = self.about["judges"].get(task.judge, "")
            for repeat in range(self.about["repeats"]):
                for name, spec in specs:
                    carry = self.about["carry"] and carries(spec)
                    if repeat == 0 or not task.listed or takes_seed(spec):
                        code = self.about["code"][name]
                        jobs.append(Job(web, task, spec, repeat, code, judge, carry))
        return jobs

    def ask(
        self,
        files: Sequence[TaskFile],
        policies: Iterable[Spec],
        repeats: int,
        command: str,
        *,
        carry: bool = False,
    ) -> None:
        """Add tasks, policies and repeats to what the folder is for; refuses what does not fit.

        With `carry` a policy that can begins each repeat with what it learned in the one before.
        Nothing is written before all of it has been found good.
        """
        specs = list(policies)
        _check(files, specs)
        with locked(self.folder):
            self.about = self._read()
            self._check_version()
            if self.about["tasks"] and self.about["carry"] != carry:
                raise BadInput(
                    f"{self.folder} was begun {'with' if self.about['carry'] else 'without'} "
                    "--carry; start a new results folder"
                )
            self.about["carry"] = carry
            for file in files:
                name, digest = self._name(file.web), web_of(file.web).digest
                self._check_web(name, digest)
                self.about["webs"][name] = digest
                self._add_tasks(file)
            self._add_policies(specs)
            self._add_judges()
            self.about["repeats"] = max(repeats, self.about["repeats"])
            self.about["commands"].append(command)
            self._write()

    def place(self, web: str) -> Path:
        """Where a web is, by its name in `about`: seen from here, or from where this was begun."""
        there = Path(os.path.normpath(self._begun_in / web))
        for place in (Path(web), there):
            if place.is_dir():
                return place
        raise BadInput(
            f"the web {web} of {self.folder} is neither here nor at {there}; "
            "go to the folder from which it was given"
        )

    def missing(self) -> list[Job]:
        return [job for job in self.jobs if not job.path(self.folder).exists()]

    def incomplete(self) -> str:
        """How many runs are there if some are missing, and how to go on; else nothing."""
        missing, total = len(self.missing()), len(self.jobs)
        if not missing:
            return ""
        go_on = self.about["commands"][-1]
        return f"only {total - missing:,} of {total:,} runs are there; go on with: {go_on}"

    def run(self, processes: int = 1) -> Iterator[Trace]:
        """Do the runs that are missing and save each as it ends; yields them as they come."""
        with locked(self.folder):
            (self.folder / "runs").mkdir(exist_ok=True)
            series = self._series()
            if processes == 1 or len(series) < 2:
                for jobs in series:
                    yield from _do(jobs, self.folder)
            else:
                yield from _in_parallel(series, self.folder, processes)

    def _series(self) -> list[Series]:
        """What is missing, as jobs that one process does one after the other."""
        series: dict[Any, list[Job]] = {}
        for job in self.missing():
            name = job.task.name, job.policy, None if job.carries else job.repeat
            series.setdefault(name, []).append(job)
        return [tuple(jobs) for jobs in series.values()]

    def traces(self) -> list[Trace]:
        """The runs that are there, in the order of the jobs."""
        for name, digest in self.about["webs"].items():
            self._check_web(name, web_of(self.place(name)).digest, digest)
        paths = [job.path(self.folder) for job in self.jobs]
        return [Trace.load(path) for path in paths if path.exists()]

    # --------------------------------------------------------------------------------------

    @property
    def _begun_in(self) -> Path:
        return self.folder.resolve() / str(self.about["from"])

    def _name(self, web: Path) -> str:
        """The path of a web as seen from where this was begun."""
        return str(web) if web.is_absolute() else os.path.relpath(web, self._begun_in)

    def _read(self) -> dict[str, Any]:
        path = self.folder / "experiment.json"
        new = {
            "wolfspider": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "machine": platform.machine(),
            "webs": {},
            "tasks": [],
            "policies": [],
            "code": {},
            "repeats": 0,
            "commands": [],
        }
        here = os.path.relpath(Path.cwd(), self.folder.resolve())
        later = {"carry": False, "judges": {}, "from": here}  # added since the first results
        if not path.exists():
            self._check_empty()
            return new | later
        try:
            about = json.loads(path.read_bytes())
        except OSError as error:
            raise BadInput(f"cannot read {path}: {error.strerror}") from error
        except ValueError as error:
            raise DamagedFile(f"{path} is damaged ({error}); start a new folder") from error
        if not isinstance(about, dict) or not about.keys() >= new.keys():
            raise DamagedFile(f"{path} is not the description of an experiment; start a new folder")
        return later | about

    def _check_empty(self) -> None:
        if self.folder.exists() and not self.folder.is_dir():
            raise BadInput(f"{self.folder} is a file; choose another folder for the results")
        if self.folder.exists() and {each.name for each in self.folder.iterdir()} - _OURS:
            raise BadInput(f"{self.folder} holds other things than results; choose another folder")

    def _write(self) -> None:
        try:
            beside = self.folder / ".experiment.json"
            beside.write_text(json.dumps(self.about, indent=1, ensure_ascii=False), "utf-8")
            os.replace(beside, self.folder / "experiment.json")
        except OSError as error:
            raise BadInput(f"cannot write to {self.folder}: {error.strerror}") from error

    def _check_version(self) -> None:
        if self.about["wolfspider"] != __version__:
            raise BadInput(
                f"{self.folder} was begun with wolfspider {self.about['wolfspider']}, this is "
                f"{__version__}, and runs of both cannot be compared; start a new results folder"
            )

    def _check_web(self, name: str, digest: str, before: str | None = None) -> None:
        before = before or self.about["webs"].get(name)
        if before is not None and before != digest:
            raise BadInput(
                f"the web {name} has changed since {self.folder} was begun "
                f"({before} then, {digest} now); start a new results folder"
            )

    def _add_tasks(self, file: TaskFile) -> None:
        known = {entry["task"]["name"]: entry for entry in self.about["tasks"]}
        for task in file.tasks:
            entry = {"web": self._name(file.web), "task": json.loads(json.dumps(task.as_json()))}
            before = known.setdefault(task.name, entry)
            if before is entry:
                self.about["tasks"].append(entry)
            elif before["task"] != entry["task"]:
                raise BadInput(
                    f"{self.folder} was begun with another task named {task.name!r}; "
                    "rename the task or start a new results folder"
                )
            elif self._digest(before) != self._digest(entry):
                raise BadInput(
                    f"the results of {task.name!r} in {self.folder} are of another web, "
                    f"{before['web']}; choose another folder with -o, or rename the task"
                )

    def _digest(self, entry: dict[str, Any]) -> str:
        return str(self.about["webs"][entry["web"]])

    def _add_policies(self, specs: Sequence[Spec]) -> None:
        """Each once, and what `gap` is measured between."""
        names = list(dict.fromkeys([*self.policies, *map(str, specs)]))
        known = {Spec.parse(name).name for name in names}
        names += [ref for ref, aliases in REFERENCES.items() if known.isdisjoint(aliases)]
        self.about["policies"] = names
        self.about["code"] = {name: code_digest(Spec.parse(name)) for name in names}

    def _add_judges(self) -> None:
        """What each judge of the tasks is written in."""
        judges = {}
        for entry in self.about["tasks"]:
            task = Task.of_json(entry["task"])
            if task.judge not in judges:
                judges[task.judge] = judge_digest(ground_of(self.place(entry["web"]), task, 0))
        self.about["judges"] = judges


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a results folder, made if need be; a sentence if another run holds it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("w")
    except OSError as error:
        raise BadInput(f"cannot write to {folder}: {error.strerror}") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BadInput(
                f"another run is writing to {folder}; wait for it or choose another folder"
            ) from None
        yield


def _check(files: Sequence[TaskFile], specs: Sequence[Spec]) -> None:
    """Raises a sentence for a task that cannot be laid out and for a spec that makes no policy."""
    grounds = [ground_of(file.web, task, 0) for file in files for task in file.tasks]
    for ground in grounds:
        ground.topic()
    for spec in specs:
        if spec.name not in ORACLES and trains(spec.name):
            check(spec)
            for ground in grounds:
                map_of(ground.web, ground.task)  # training itself is part of the runs
        else:
            _check_makes(spec, grounds)


def _check_makes(spec: Spec, grounds: Sequence[Ground]) -> None:
    """Raises what is wrong with a spec that makes a policy for no task at all.

    One that cannot try some tasks, such as those of which it knows no word, can try the others.
    """
    refused = None
    for ground in grounds:
        try:
            make_policy(spec, ground, 0)
        except WolfspiderError as error:
            refused = refused or error
        except Exception:  # the policy's own mistake: its runs will be recorded as failed
            return
        else:
            return
    if refused is not None:
        raise refused


@lru_cache(maxsize=256)
def takes_seed(spec: Spec) -> bool:
    """Whether another seed can make another run."""
    return _takes(spec, "seed")


def takes_buffer(spec: Spec) -> bool:
    """Whether the number of waiting links can be bounded."""
    return _takes(spec, "buffer")


def _takes(spec: Spec, parameter: str) -> bool:
    return spec.name not in ORACLES and parameter in inspect.signature(load(spec.name)).parameters


@lru_cache(maxsize=16)
def web_of(folder: Path) -> RecordedWeb:
    return RecordedWeb(folder)


@lru_cache(maxsize=16)
def ground_of(web: Path, task: Task, repeat: int) -> Ground:
    """The ground of a task; where seeds are listed it is the same for every repeat."""
    if repeat and task.listed:
        return ground_of(web, task, 0)
    return Ground.lay(web_of(web), task, repeat)


def _do(jobs: Series, folder: Path) -> list[Trace]:
    """Do a series; each run is saved as it ends, with what the next one carries on."""
    traces = []
    for job in jobs:
        ground = ground_of(job.web, job.task, job.repeat)
        before = _learned_before(job, folder) if job.carries and job.repeat else None
        trace, learned = run_lesson(ground, job.policy, job.repeat, before)
        if job.carries and learned is not None:
            save_state(job.carried(folder), learned)
        trace.save(job.path(folder))
        traces.append(trace)
    return traces


def _learned_before(job: Job, folder: Path) -> State | None:
    """What the repeat before has left; nothing if it failed."""
    before = replace(job, repeat=job.repeat - 1)
    path = before.carried(folder)
    if path.exists():
        return load_state(path)
    if not Trace.load(before.path(folder)).error:
        raise DamagedFile(
            f"{path} is missing, with which {job.policy} on {job.task.name} should go on; "
            f"remove {before.path(folder).name}, too"
        )
    return None


def _in_parallel(series: Sequence[Series], folder: Path, processes: int) -> Iterator[Trace]:
    """In their order; one more than there are processes, so that none has to wait."""
    waiting = deque(series)
    while waiting:
        flying: dict[Future[list[Trace]], Series] = {}
        try:
            with worker_pool(processes) as pool:
                while waiting or flying:
                    while waiting and len(flying) <= processes:
                        future = submit(pool, _do, waiting[0], folder)
                        flying[future] = waiting.popleft()
                    done, _ = wait(flying, return_when=FIRST_COMPLETED)
                    for future in [each for each in flying if each in done]:
                        traces = future.result()
                        del flying[future]
                        yield from traces
        except BrokenProcessPool:  # one of the runs under way has killed its process
            yield from (_alone(job, folder) for jobs in flying.values() for job in jobs)


def _alone(job: Job, folder: Path) -> Trace:
    """A run in a process of its own; if that dies, it is a failed run."""
    if job.path(folder).exists():
        return Trace.load(job.path(folder))
    try:
        with worker_pool(1) as pool:
            return submit(pool, _do, (job,), folder).result()[0]
    except BrokenProcessPool:
        trace = died(ground_of(job.web, job.task, job.repeat), job.policy, job.repeat)
        trace.save(job.path(folder))
        return trace


@contextmanager
def worker_pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that finish what they do when all is well, and otherwise end at once.

    They hold one end of a pipe of which only we hold the other, so they end even if we are killed.
    """
    context = get_context("spawn")
    theirs, ours = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(processes, context, _end_with_parent, (theirs,))
    try:
        yield pool
        pool.shutdown()
    finally:
        ours.close()
        pool.shutdown(cancel_futures=True)
        theirs.close()


def _end_with_parent(pipe: Connection) -> None:
    def watch() -> None:
        with suppress(EOFError, OSError):
            pipe.recv()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def submit(pool: ProcessPoolExecutor, work: Callable[..., T], *arguments: Any) -> Future[T]:
    """Ctrl-C is for the parent: processes born here ignore it."""
    if threading.current_thread() is not threading.main_thread():
        return pool.submit(work, *arguments)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return pool.submit(work, *arguments)
    finally:
        signal.signal(signal.SIGINT, before)
