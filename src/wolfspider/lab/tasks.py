"""Tasks: topic + seeds + budget + ground truth, in a TOML file that anybody can write by hand.

web = "webs/webkb"                         # or a hunt: "hunts/mine"
judge = "targets"                          # or keywords, cosine, classifier
[[task]]
name = "cornell-courses"
keywords = ["course", "lecture"]           # all that the crawler is told
description = "…"                          # only to measure similarity
within = "site:cornell"                    # the crawl sees only pages with this label
targets = { label = "course" }             # or a list of URLs, or { file = "urls.txt" }
seeds = ["http://www.cs.cornell.edu/"]     # or { away = 3, count = 10 }
train = ["site:texas"]                     # what an offline learner may see
budget = 1000                              # or "all": until nothing reachable is left
cone = 4                                   # only pages at most so many links from the seeds
until = 5                                  # stop when so many targets are found

Where there are no labels of sites, `within = "part:1/2"` and `train = ["part:2/2"]` are halves of
the web (`lab.parts`). With `judge = "classifier"` a file or a task may say from how many targets
the judge learns: `examples = 10`.
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from wolfspider.errors import BadInput
from wolfspider.judges.classifier import FEWEST
from wolfspider.store.as_web import as_web

JUDGES = ("targets", "keywords", "cosine", "classifier")
EXAMPLES = 10  # from which the classifier learns, unless told


@dataclass(frozen=True)
class Away:
    """Seeds drawn from the pages that are exactly `away` links before a target.

    With `nearest` no target is nearer to them. Without, each seed is drawn for a target of its
    own, as by following backlinks from it, and may be near to another one.
    """

    away: int
    count: int = 10
    nearest: bool = True


@dataclass(frozen=True)
class Task:
    """One thing to find on a recorded web."""

    name: str
    keywords: tuple[str, ...]
    targets: str | tuple[str, ...]  # a label, or URLs
    seeds: tuple[str, ...] | Away
    budget: int | None = None  # None: all that can be reached
    judge: str = "targets"
    description: str = ""
    within: str = ""
    train: tuple[str, ...] = ()
    cone: int | None = None
    until: int | None = None
    examples: int = EXAMPLES  # for the judge "classifier"

    def as_json(self) -> dict[str, Any]:
        """The task as JSON values; `Task.of_json` reads them back.

        What no judge asks for is left out: it must not tell runs apart.
        """
        seeds = asdict(self.seeds) if isinstance(self.seeds, Away) else list(self.seeds)
        values = asdict(self) | {"seeds": seeds}
        if self.judge != "classifier":
            del values["examples"]
        return values

    @classmethod
    def of_json(cls, values: Mapping[str, Any]) -> Task:
        seeds, targets = values["seeds"], values["targets"]
        lists = {key: tuple(values[key]) for key in ("keywords", "train")}
        return cls(
            **dict(values)
            | lists
            | {"seeds": Away(**seeds) if isinstance(seeds, dict) else tuple(seeds)}
            | {"targets": targets if isinstance(targets, str) else tuple(targets)}
        )

    @property
    def listed(self) -> bool:
        """Whether the seeds are given, and not drawn anew for each repeat."""
        return isinstance(self.seeds, tuple)


@dataclass(frozen=True)
class TaskFile:
    """A web and what to find on it."""

    web: Path
    tasks: tuple[Task, ...]


_TASK_KEYS = tuple(field.name for field in fields(Task))
_AWAY_KEYS = tuple(field.name for field in fields(Away))


def read_tasks(path: Path, web: Path | None = None) -> TaskFile:
    """The tasks of a file; `web` takes the place of the web that it names."""
    try:
        data = tomllib.loads(path.read_bytes().decode())
    except OSError as error:
        raise BadInput(f"cannot read the tasks in {path}: {error.strerror}") from error
    except ValueError as error:
        raise BadInput(f"cannot read the tasks in {path}: {error}") from error
    _only(data, ("web", "judge", "task", "examples"), f"{path}")
    if web is None and "web" not in data:
        raise BadInput(f'{path} names no web; add a line such as: web = "webs/mine"')
    named = _string(data, "web", f"{path}")
    entries = data.get("task")
    if not entries:
        raise BadInput(f"{path} has no task; add a [[task]] with name, keywords, targets, seeds")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise BadInput(f"{path}: tasks are written as [[task]], with two brackets")
    judge, examples = data.get("judge", JUDGES[0]), _examples(data, EXAMPLES, f"{path}")
    tasks = tuple(_task(entry, judge, examples, path) for entry in entries)
    if "examples" in data and all(task.judge != "classifier" for task in tasks):
        raise BadInput(f"{path}: examples are for the judge 'classifier', which no task has")
    for name, count in Counter(task.name for task in tasks).items():
        if count > 1:
            raise BadInput(f"{path} has {count} tasks named {name!r}; names tell runs apart")
    return TaskFile(as_web(web or _beside(path, named)), tasks)


def write_tasks(path: Path, web: Path, tasks: Sequence[Task]) -> None:
    """A file that `read_tasks` reads, for people to edit."""
    judge = tasks[0].judge if tasks else JUDGES[0]
    parts = [f"web = {_quoted(str(web))}\njudge = {_quoted(judge)}\n"]
    parts += ["\n".join(["[[task]]", *_lines(task, judge)]) + "\n" for task in tasks]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(parts), "utf-8")
    except OSError as error:
        raise BadInput(f"cannot write the tasks to {path}: {error.strerror}") from error


def _lines(task: Task, judge: str) -> Iterator[str]:
    """What a task says, without what goes without saying."""
    label = isinstance(task.targets, str)
    yield f"name = {_quoted(task.name)}"
    if task.judge != judge:
        yield f"judge = {_quoted(task.judge)}"
    if task.judge == "classifier":
        yield f"examples = {task.examples}"
    yield f"keywords = {_quoted(task.keywords)}"
    if task.description:
        yield f"description = {_quoted(task.description)}"
    if task.within:
        yield f"within = {_quoted(task.within)}"
    targets = _quoted(task.targets)
    yield f"targets = {{ label = {targets} }}" if label else f"targets = {targets}"
    if isinstance(task.seeds, Away):
        more = "" if task.seeds.nearest else ", nearest = false"
        yield f"seeds = {{ away = {task.seeds.away}, count = {task.seeds.count}{more} }}"
    else:
        yield f"seeds = {_quoted(task.seeds)}"
    if task.train:
        yield f"train = {_quoted(task.train)}"
    yield f"budget = {task.budget or _quoted('all')}"
    for key, value in (("cone", task.cone), ("until", task.until)):
        if value is not None:
            yield f"{key} = {value}"


def _quoted(value: object) -> str:
    """JSON, which is TOML but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _beside(path: Path, web: str) -> Path:
    """A web is named from where the command runs, or from beside the file."""
    named = Path(web)
    beside = path.parent / web
    return beside if not named.exists() and beside.exists() else named


def _task(entry: Mapping[str, Any], judge: str, examples: int, path: Path) -> Task:
    name = entry.get("name")
    if not isinstance(name, str) or not name:
        raise BadInput(f"{path}: every task needs a name")
    where = f"{path}, task {name!r}"
    _only(entry, _TASK_KEYS, where)
    for key in ("keywords", "targets", "seeds"):
        if not entry.get(key):
            raise BadInput(f"{where} lacks {key}")
    chosen = entry.get("judge", judge)
    if chosen not in JUDGES:
        raise BadInput(f"{where}: unknown judge {chosen!r}; known: {', '.join(JUDGES)}")
    if chosen == "cosine" and not entry.get("description"):
        raise BadInput(f"{where}: the judge 'cosine' compares with the description; add one")
    if chosen != "classifier" and "examples" in entry:
        raise BadInput(f"{where}: examples are for the judge 'classifier', and not for {chosen!r}")
    return Task(
        name=name,
        keywords=_strings(entry["keywords"], f"{where}: keywords"),
        targets=_targets(entry["targets"], where, path),
        seeds=_seeds(entry["seeds"], where),
        budget=_budget(entry.get("budget", "all"), where),
        judge=chosen,
        description=_string(entry, "description", where),
        within=_string(entry, "within", where),
        train=_strings(entry.get("train", []), f"{where}: train"),
        cone=_count(entry, "cone", where),
        until=_count(entry, "until", where),
        examples=_examples(entry, examples, where) if chosen == "classifier" else EXAMPLES,
    )


def _only(entry: Mapping[str, Any], known: Any, where: str) -> None:
    for key in entry:
        if key not in known:
            raise BadInput(f"{where} has an unknown key {key!r}; known: {', '.join(known)}")


def _string(entry: Mapping[str, Any], key: str, where: str) -> str:
    value = entry.get(key, "")
    if not isinstance(value, str):
        raise BadInput(f"{where}: {key} is a string, not {value!r}")
    return value


def _strings(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise BadInput(f"{where} is a list of strings, not {value!r}")
    return tuple(value)


def _targets(value: Any, where: str, path: Path) -> str | tuple[str, ...]:
    if isinstance(value, list):
        return _strings(value, f"{where}: targets")
    if isinstance(value, dict) and set(value) == {"label"}:
        return _string(value, "label", f"{where}: targets")
    if isinstance(value, dict) and set(value) == {"file"}:
        file = path.parent / _string(value, "file", f"{where}: targets")
        try:
            return tuple(file.read_bytes().decode("utf-8-sig").split())
        except OSError as error:
            raise BadInput(f"{where}: cannot read {file}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise BadInput(f"{where}: {file} is not UTF-8 ({error.reason})") from error
    raise BadInput(f"{where}: targets is {{ label = … }}, {{ file = … }} or a list of URLs")


def _seeds(value: Any, where: str) -> tuple[str, ...] | Away:
    if isinstance(value, list):
        return _strings(value, f"{where}: seeds")
    if isinstance(value, dict) and "away" in value and set(value) <= set(_AWAY_KEYS):
        away, count, nearest = value["away"], value.get("count", 10), value.get("nearest", True)
        if _whole(away, 0) and _whole(count, 1) and isinstance(nearest, bool):
            return Away(away, count, nearest)
    raise BadInput(f"{where}: seeds is a list of URLs or {{ away = 3, count = 10 }}")


def _budget(value: Any, where: str) -> int | None:
    if value == "all":
        return None
    if _whole(value, 1):
        return int(value)
    raise BadInput(f'{where}: budget is a number of pages or "all", not {value!r}')


def _count(entry: Mapping[str, Any], key: str, where: str) -> int | None:
    value = entry.get(key)
    if value is None or _whole(value, 1):
        return None if value is None else int(value)
    raise BadInput(f"{where}: {key} is a number, at least 1, not {value!r}")


def _examples(entry: Mapping[str, Any], default: int, where: str) -> int:
    value = entry.get("examples", default)
    if not _whole(value, FEWEST):
        raise BadInput(f"{where}: examples is a number, at least {FEWEST}, not {value!r}")
    return int(value)


def _whole(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least
