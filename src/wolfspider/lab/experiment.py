"""Many runs: tasks × policies × repeats, over processes, into a folder, again and again resumable.

experiment.json    what was asked, with versions and the digest of each web
runs/*.npz         one trace for each run; a run that is there is not run again
"""

from __future__ import annotations

import fcntl
import hashlib
import inspect
import json
import os
import platform
import signal
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from wolfspider import __version__
from wolfspider.errors import BadInput
from wolfspider.lab.ground import Ground
from wolfspider.lab.oracles import ORACLES
from wolfspider.lab.run import make_policy, run
from wolfspider.lab.tasks import Task, TaskFile
from wolfspider.lab.trace import Trace
from wolfspider.policies import Spec
from wolfspider.policies.registry import load
from wolfspider.webs.recorded import RecordedWeb

REFERENCES = ("breadth-first", "optimal")  # `gap` is measured between them


@dataclass(frozen=True)
class Job:
    """One run to do."""

    web: Path
    task: Task
    policy: Spec
    repeat: int

    def path(self, folder: Path) -> Path:
        """Named by web digest, task, policy, settings and seed: all that decides the outcome."""
        decides = [_web(self.web).digest, self.task.as_json(), str(self.policy), self.repeat]
        digest = hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:12]
        name = f"{self.task.name}--{self.policy}--{self.repeat}"
        safe = "".join(c if c.isalnum() or c in "-._=" else "_" for c in name)[:120]
        return folder / "runs" / f"{safe}-{digest}.npz"


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
        for entry in self.about["tasks"]:
            task, web = Task.of_json(entry["task"]), Path(entry["web"])
            for repeat in range(self.about["repeats"]):
                for name in self.about["policies"]:
                    spec = Spec.parse(name)
                    if repeat == 0 or not task.listed or takes_seed(spec):
                        jobs.append(Job(web, task, spec, repeat))
        return jobs

    def ask(
        self, files: Sequence[TaskFile], policies: Iterable[Spec], repeats: int, command: str
    ) -> None:
        """Add tasks, policies and repeats to what the folder is for; refuses what does not fit."""
        asked = [str(spec) for spec in policies]
        for reference in REFERENCES:
            if not any(
                Spec.parse(name).name in (reference, _ALIAS.get(reference)) for name in asked
            ):
                asked.append(reference)
        for file in files:
            web = _web(file.web)
            for task in file.tasks:
                ground = ground_of(file.web, task, 0)
                for name in asked:
                    make_policy(Spec.parse(name), ground, 0)  # says what is wrong with a spec
            self._check_web(str(file.web), web.digest)
            self.about["webs"][str(file.web)] = web.digest
            self._add_tasks(file)
        self.about["policies"] += [name for name in asked if name not in self.policies]
        self.about["repeats"] = max(repeats, self.about["repeats"])
        self.about["commands"].append(command)
        self._write()

    def missing(self) -> list[Job]:
        return [job for job in self.jobs if not job.path(self.folder).exists()]

    def run(self, processes: int = 1) -> Iterator[Trace]:
        """Do the runs that are missing and save each as it ends; yields them as they come."""
        with self._locked():
            (self.folder / "runs").mkdir(exist_ok=True)
            jobs = self.missing()
            if processes == 1 or len(jobs) < 2:
                yield from (_do(job, self.folder) for job in jobs)
            else:
                yield from _in_parallel(jobs, self.folder, processes)

    def traces(self) -> list[Trace]:
        """The runs that are there, in the order of the jobs."""
        for name, digest in self.about["webs"].items():
            self._check_web(name, _web(Path(name)).digest, digest)
        paths = [job.path(self.folder) for job in self.jobs]
        return [Trace.load(path) for path in paths if path.exists()]

    # --------------------------------------------------------------------------------------

    def _read(self) -> dict[str, Any]:
        path = self.folder / "experiment.json"
        if path.exists():
            about: dict[str, Any] = json.loads(path.read_text())
            return about
        if self.folder.exists() and any(self.folder.iterdir()):
            raise BadInput(f"{self.folder} holds other things than results; choose another folder")
        return {
            "wolfspider": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "machine": platform.machine(),
            "webs": {},
            "tasks": [],
            "policies": [],
            "repeats": 0,
            "commands": [],
        }

    def _write(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            beside = self.folder / ".experiment.json"
            beside.write_text(json.dumps(self.about, indent=1, ensure_ascii=False))
            os.replace(beside, self.folder / "experiment.json")
        except OSError as error:
            raise BadInput(f"cannot write to {self.folder}: {error.strerror}") from error

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
            entry = {"web": str(file.web), "task": json.loads(json.dumps(task.as_json()))}
            before = known.get(task.name)
            if before is None:
                self.about["tasks"].append(entry)
            elif before != entry:
                raise BadInput(
                    f"{self.folder} was begun with another task named {task.name!r}; "
                    "rename the task or start a new results folder"
                )

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with (self.folder / ".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise BadInput(
                    f"another run is writing to {self.folder}; wait for it or choose another folder"
                ) from None
            yield


_ALIAS = {"optimal": "oracle"}


def takes_seed(spec: Spec) -> bool:
    """Whether another seed can make another run."""
    return spec.name not in ORACLES and "seed" in inspect.signature(load(spec.name)).parameters


@lru_cache(maxsize=16)
def _web(folder: Path) -> RecordedWeb:
    return RecordedWeb(folder)


@lru_cache(maxsize=64)
def ground_of(web: Path, task: Task, repeat: int) -> Ground:
    """The ground of a task; where seeds are listed it is the same for every repeat."""
    if repeat and task.listed:
        return ground_of(web, task, 0)
    return Ground.lay(_web(web), task, repeat)


def _do(job: Job, folder: Path) -> Trace:
    trace = run(ground_of(job.web, job.task, job.repeat), job.policy, job.repeat)
    trace.save(job.path(folder))
    return trace


def _in_parallel(jobs: list[Job], folder: Path, processes: int) -> Iterator[Trace]:
    pool = ProcessPoolExecutor(processes, get_context("spawn"), initializer=_ignore_interrupts)
    futures: list[Future[Trace]] = [pool.submit(_do, job, folder) for job in jobs]
    try:
        for future in as_completed(futures):
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _ignore_interrupts() -> None:
    """Ctrl-C is for the parent: it lets the runs under way finish and starts no others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
