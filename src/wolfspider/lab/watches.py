"""Watches in the lab: watchers × changing webs × repeats, into a folder, resumable.

web = "webs/news"
[[watch]]
name = "news"
seeds = ["https://news.example/"]    # the start page of the web, unless told
from = "2026-01-03"                  # the beginning of the recording
days = 8                             # to its end
cost = 1.15                          # seconds a download

watches.json    what was asked, with versions and the digest of each web
runs/*.npz      one for each run: totals, and curves over windows of three hours
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from wolfspider import __version__
from wolfspider.errors import BadInput, DamagedFile
from wolfspider.lab.experiment import locked, submit, worker_pool
from wolfspider.lab.trace import RunKey
from wolfspider.records import Floats
from wolfspider.specs import Spec
from wolfspider.states import load_state, save_state
from wolfspider.watching import measures
from wolfspider.watching.changes import RecordedChanges
from wolfspider.watching.records import DAY
from wolfspider.watching.registry import make_watcher, takes_seed
from wolfspider.watching.simulation import COST, Log, simulate
from wolfspider.webs.recorded import RecordedWeb

_FORMAT = 1
_KEYS = {"name", "seeds", "from", "days", "cost"}
_CODE = (
    *("watching/changes", "watching/clusters", "watching/forager", "watching/measures"),
    *("watching/records", "watching/recrawl", "watching/registry", "watching/reinforcing_agent"),
    *("watching/simulation", "watching/url_ordering", "watching/weblog", "webs/history"),
)
_OURS = {"watches.json", ".watches.json", ".lock", "runs"}


@dataclass(frozen=True)
class WatchTask:
    """A stretch of time on a changing web."""

    name: str
    web: str
    seeds: tuple[str, ...] = ()
    begin: float | None = None
    days: float | None = None
    cost: float = COST

    @classmethod
    def of_json(cls, values: Mapping[str, Any]) -> WatchTask:
        return cls(**{**values, "seeds": tuple(values["seeds"])})


@dataclass(frozen=True)
class Watched:
    """One run that has ended."""

    key: RunKey
    downloads: int
    seconds: float
    totals: dict[str, float]
    windows: Floats  # days since the begin
    curves: dict[str, Floats]

    def __len__(self) -> int:
        return self.downloads

    def save(self, path: Path) -> None:
        save_state(path, asdict(self))

    @classmethod
    def load(cls, path: Path) -> Watched:
        kept = load_state(path)
        return cls(**{**kept, "key": RunKey(**kept["key"])})


@dataclass(frozen=True)
class _Job:
    task: WatchTask
    digest: str  # of the web
    policy: Spec
    repeat: int

    def path(self, folder: Path) -> Path:
        decides = [asdict(self.task), self.digest, str(self.policy), self.repeat, _code()]
        digest = hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:12]
        name = f"{self.task.name}--{self.policy}--{self.repeat}"
        plain = "".join(c if c.isascii() and (c.isalnum() or c in "-._=") else "_" for c in name)
        return folder / "runs" / f"{plain[:120]}-{digest}.npz"


class Watches:
    """A results folder of watches: what was asked of it, and the runs it holds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.about: dict[str, Any] = self._read()

    def ask(
        self, tasks: Sequence[WatchTask], policies: Iterable[Spec], repeats: int, command: str
    ) -> None:
        """Add to what the folder is for; nothing is written before all has been found good."""
        specs = list(policies)
        webs = _check(tasks, specs)
        with locked(self.folder):
            self.about = self._read()
            self._add_tasks(tasks)
            self.about["webs"] |= webs
            names = [*self.about["policies"], *map(str, specs)]
            self.about["policies"] = list(dict.fromkeys(names))
            self.about["repeats"] = max(repeats, self.about["repeats"])
            self.about["commands"].append(command)
            self._write()

    def _add_tasks(self, tasks: Sequence[WatchTask]) -> None:
        known = {entry["name"]: entry for entry in self.about["tasks"]}
        for task in tasks:
            entry = json.loads(json.dumps(asdict(task)))
            if known.setdefault(task.name, entry) != entry:
                raise BadInput(
                    f"{self.folder} was begun with another watch named {task.name!r}; "
                    "rename it or start a new results folder"
                )
        self.about["tasks"] = list(known.values())

    @property
    def jobs(self) -> list[_Job]:
        found = []
        for entry in self.about["tasks"]:
            task = WatchTask.of_json(entry)
            for spec in map(Spec.parse, self.about["policies"]):
                repeats = self.about["repeats"] if takes_seed(spec.name) else 1
                digest = self.about["webs"][task.web]
                found += [_Job(task, digest, spec, repeat) for repeat in range(repeats)]
        return found

    def missing(self) -> list[_Job]:
        return [job for job in self.jobs if not job.path(self.folder).exists()]

    def run(self, processes: int = 1) -> Iterator[Watched]:
        """Do the runs that are missing and save each as it ends."""
        with locked(self.folder):
            (self.folder / "runs").mkdir(exist_ok=True)
            jobs = self.missing()
            if processes == 1 or len(jobs) < 2:
                yield from (_do(job, self.folder) for job in jobs)
            else:
                yield from self._in_parallel(jobs, processes)

    def _in_parallel(self, jobs: Sequence[_Job], processes: int) -> Iterator[Watched]:
        with worker_pool(processes) as pool:
            futures = [submit(pool, _do, job, self.folder) for job in jobs]
            for future in as_completed(futures):
                yield future.result()

    def watched(self) -> list[Watched]:
        paths = [job.path(self.folder) for job in self.jobs]
        return [Watched.load(path) for path in paths if path.exists()]

    def _read(self) -> dict[str, Any]:
        path = self.folder / "watches.json"
        new = {
            "format": _FORMAT,
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
        if not path.exists():
            if self.folder.exists() and not self.folder.is_dir():
                raise BadInput(f"{self.folder} is a file; choose another folder for the results")
            if self.folder.exists() and {each.name for each in self.folder.iterdir()} - _OURS:
                raise BadInput(f"{self.folder} holds other things; choose another folder")
            return new
        try:
            about = json.loads(path.read_bytes())
        except ValueError as error:
            raise DamagedFile(f"{path} is damaged ({error}); start a new folder") from error
        if not isinstance(about, dict) or about.get("format") != _FORMAT:
            raise DamagedFile(f"{path} is not of this version; start a new folder")
        return new | about

    def _write(self) -> None:
        try:
            beside = self.folder / ".watches.json"
            beside.write_text(json.dumps(self.about, indent=1, ensure_ascii=False), "utf-8")
            os.replace(beside, self.folder / "watches.json")
        except OSError as error:
            raise BadInput(f"cannot write to {self.folder}: {error.strerror}") from error


# -- tasks -----------------------------------------------------------------------------------


def is_watch_file(path: Path) -> bool:
    """Whether a task file is about watches."""
    return "watch" in _toml(path)


def read_watches(path: Path, web: Path | None = None) -> list[WatchTask]:
    """The watches of a file; `web` takes the place of the web that it names."""
    data = _toml(path)
    named = web or data.get("web")
    if not named:
        raise BadInput(f'{path} names no web; add a line such as: web = "webs/news"')
    folder = Path(named)
    if not folder.exists() and (path.parent / folder).exists():
        folder = path.parent / folder
    entries = data["watch"]
    if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
        raise BadInput(f"{path}: watches are written as [[watch]], with two brackets")
    tasks = [_task(entry, str(folder), path) for entry in entries]
    if len({task.name for task in tasks}) < len(tasks):
        raise BadInput(f"{path} has two watches of one name; names tell runs apart")
    return tasks


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode())
    except OSError as error:
        raise BadInput(f"cannot read the tasks in {path}: {error.strerror}") from error
    except ValueError as error:
        raise BadInput(f"cannot read the tasks in {path}: {error}") from error


def _task(entry: Mapping[str, Any], web: str, path: Path) -> WatchTask:
    name = entry.get("name")
    if not isinstance(name, str) or not name:
        raise BadInput(f"{path}: every watch needs a name")
    where = f"{path}, watch {name!r}"
    for key in entry:
        if key not in _KEYS:
            raise BadInput(f"{where} has an unknown key {key!r}; known: {', '.join(sorted(_KEYS))}")
    seeds = entry.get("seeds", [])
    if not isinstance(seeds, list) or not all(isinstance(seed, str) for seed in seeds):
        raise BadInput(f"{where}: seeds is a list of URLs")
    for key in ("days", "cost"):
        value = entry.get(key, 1)
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
            raise BadInput(f"{where}: {key} is a number above 0, not {value!r}")
    begin = _moment(entry["from"], where) if "from" in entry else None
    return WatchTask(name, web, tuple(seeds), begin, entry.get("days"), entry.get("cost", COST))


def _moment(value: object, where: str) -> float:
    """A date as TOML has it, or as text."""
    try:
        date = datetime.fromisoformat(str(value))
    except ValueError:
        raise BadInput(f"{where}: from is a date, such as 2026-01-03, not {value!r}") from None
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()


# -- runs ------------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def _changes(web: str) -> RecordedChanges:
    return RecordedChanges(Path(web))


def _check(tasks: Sequence[WatchTask], specs: Sequence[Spec]) -> dict[str, str]:
    """The digest of each web; a sentence for a task or a spec that cannot be run."""
    webs = {}
    for task in tasks:
        changes = _changes(task.web)
        seeds = _seeds(task, changes)
        _log(task, changes)
        for spec in specs:
            make_watcher(spec, seeds, clusters=changes.clusters)
        webs[task.web] = RecordedWeb(Path(task.web)).digest
    return webs


def _seeds(task: WatchTask, changes: RecordedChanges) -> list[int]:
    urls = task.seeds or (RecordedWeb(Path(task.web)).start,)
    return [changes.address(url) for url in urls]


def _log(task: WatchTask, changes: RecordedChanges) -> Log:
    begin = changes.begin if task.begin is None else task.begin
    end = changes.end if task.days is None else begin + task.days * DAY
    if not changes.begin <= begin < changes.end:
        raise BadInput(
            f"watch {task.name!r} begins outside of what was recorded on {task.web}: "
            f"{_date(changes.begin)} to {_date(changes.end)}"
        )
    return Log(begin, min(end, changes.end))


def _date(moment: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(moment))


def _do(job: _Job, folder: Path) -> Watched:
    changes = _changes(job.task.web)
    changes.about  # noqa: B018  # what texts are about is no part of a watch's time
    log = _log(job.task, changes)
    seeds = _seeds(job.task, changes)
    watcher = make_watcher(job.policy, seeds, clusters=changes.clusters, seed=job.repeat)
    begin = time.thread_time()
    for _ in simulate(watcher, changes, log, job.task.cost):
        pass
    seconds = time.thread_time() - begin
    found = measures.measure(log, changes)
    key = RunKey(job.digest, job.task.name, str(job.policy), job.repeat)
    days = (found.windows - log.begin) / DAY
    watched = Watched(key, len(log.times), seconds, found.totals, days, found.curves)
    watched.save(job.path(folder))
    return watched


@lru_cache(maxsize=1)
def _code() -> str:
    """Of the files that decide what a watcher does: edited, it is another."""
    folder = Path(measures.__file__).parents[1]
    digest = hashlib.sha256()
    for name in _CODE:
        digest.update((folder / f"{name}.py").read_bytes())
    return digest.hexdigest()[:12]


# -- what came of it -------------------------------------------------------------------------


@dataclass(frozen=True)
class WatchSummary:
    """Runs by watch and policy; means and standard deviations over repeats."""

    runs: tuple[Watched, ...]

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(run.key.task for run in self.runs))

    @property
    def policies(self) -> list[str]:
        return list(dict.fromkeys(run.key.policy for run in self.runs))

    def of(self, task: str, policy: str) -> list[Watched]:
        return [run for run in self.runs if (run.key.task, run.key.policy) == (task, policy)]

    def values(self, task: str, policy: str, metric: str) -> Floats:
        return np.array([run.totals[metric] for run in self.of(task, policy)])

    def table(self) -> dict[str, dict[str, dict[str, float]]]:
        """By watch and policy: the mean of each total, and `… std`."""
        found: dict[str, dict[str, dict[str, float]]] = {}
        for task in self.names:
            for policy in self.policies:
                runs = self.of(task, policy)
                cells: dict[str, float] = {}
                for metric in runs[0].totals if runs else ():
                    values = self.values(task, policy, metric)
                    cells[metric] = float(values.mean())
                    cells[f"{metric} std"] = float(values.std())
                if cells:
                    cells["seconds"] = float(np.mean([run.seconds for run in runs]))
                    found.setdefault(task, {})[policy] = cells
        return found

    def curve(self, task: str, policy: str, metric: str) -> tuple[Floats, Floats, Floats]:
        """Days, mean and standard deviation of a measure over time."""
        runs = self.of(task, policy)
        values = np.array([run.curves[metric] for run in runs])
        return runs[0].windows, values.mean(axis=0), values.std(axis=0)

    def only(self, task: str) -> WatchSummary:
        return replace(self, runs=tuple(run for run in self.runs if run.key.task == task))
