"""How well the spiders of Rennie & McCallum tell links of a site that they have not seen.

Each classifier is trained on all sites but one, as for a run, and then told the links of that
one. What was measured is kept in the results folder, so that it is not measured again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.errors import BadInput
from wolfspider.lab.experiment import Experiment, ground_of, web_of
from wolfspider.lab.tasks import Task
from wolfspider.lab.training import map_of, trained
from wolfspider.policies import Spec
from wolfspider.policies.rl import confusion, telling_words
from wolfspider.training.maps import Map

NAME = "classifiers.json"
_WORDS = 10

Entry = dict[str, Any]  # of the file: confusion and words


@dataclass(frozen=True)
class Told:
    """The links of a site by their bins (rows) and by what a classifier said (columns)."""

    confusion: NDArray[np.int64]
    words: tuple[tuple[str, str], ...]  # that speak most for the first bin, each with its bag

    @property
    def accuracy(self) -> float:
        return float(np.trace(self.confusion) / self.confusion.sum())

    @property
    def commonest(self) -> float:
        """The accuracy of who always says the commonest bin."""
        return float(self.confusion.sum(axis=1).max() / self.confusion.sum())

    @property
    def recall(self) -> float:
        """Of the links that lead to a target."""
        return float(self.confusion[0, 0] / self.confusion[0].sum())

    @property
    def in_two(self) -> float:
        """The accuracy when all bins but the first count as one."""
        rest = self.confusion[1:, 1:].sum()
        return float((self.confusion[0, 0] + rest) / self.confusion.sum())


def measure(
    experiment: Experiment, tasks: Sequence[str], specs: Sequence[str]
) -> Iterator[tuple[int, int]]:
    """Train and test what has not been yet; yields how many are done, of how many."""
    known = _read(experiment.folder)
    pairs = [(task, spec) for task in tasks for spec in specs]
    for number, (task, spec) in enumerate(pairs, 1):
        key = _key(experiment, task, spec)
        if key not in known:
            known[key] = _measured(*_task(experiment, task), Spec.parse(spec))
            _write(experiment.folder, known)
        yield number, len(pairs)


def told(
    experiment: Experiment, tasks: Sequence[str], specs: Sequence[str]
) -> dict[tuple[str, str], Told]:
    """What was measured, by task and spec."""
    known = _read(experiment.folder)
    found = {}
    for task in tasks:
        for spec in specs:
            entry = known[_key(experiment, task, spec)]
            words = tuple((word, bag) for word, bag in entry["words"])
            found[task, spec] = Told(np.array(entry["confusion"]), words)
    return found


def _measured(web: Path, task: Task, spec: Spec) -> Entry:
    ground = ground_of(web, task, 0)
    model = map_of(ground.web, task).named(trained(web, task, spec)[0])
    found = confusion(model, Map(ground.web, ground.reachable, ground.targets))
    words = [list(pair) for pair in telling_words(model, 0, _WORDS)]
    return {"confusion": found.tolist(), "words": words}


def _task(experiment: Experiment, name: str) -> tuple[Path, Task]:
    entry = next(each for each in experiment.about["tasks"] if each["task"]["name"] == name)
    return experiment.place(entry["web"]), Task.of_json(entry["task"])


def _key(experiment: Experiment, task: str, spec: str) -> str:
    """By all that decides the outcome."""
    web, _ = _task(experiment, task)
    return f"{web_of(web).digest} {task} {spec} {experiment.about['code'][spec]}"


def _read(folder: Path) -> dict[str, Entry]:
    path = folder / NAME
    try:
        found = json.loads(path.read_bytes()) if path.exists() else {}
    except ValueError as error:
        raise BadInput(f"{path} is damaged ({error}); remove it") from error
    return dict(found)


def _write(folder: Path, known: dict[str, Entry]) -> None:
    beside = folder / f".{NAME}"
    beside.write_text(json.dumps(known), "utf-8")
    os.replace(beside, folder / NAME)
