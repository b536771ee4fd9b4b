"""What learned spiders of Young 2005 make of the links of the tested part.

Each is asked for the value of every link there. How does that go with how near to a target the
link leads, and how with the mere length of the page that it stands on? And how many of the links
that it likes best lead to a target? What was measured is kept in the results folder.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats

from wolfspider.errors import BadInput
from wolfspider.lab.experiment import Experiment, web_of
from wolfspider.lab.ground import target_mask
from wolfspider.lab.parts import mask_of
from wolfspider.lab.reproduce.young_2005_runs import MORE, NAMES, SVMS, Table, interval
from wolfspider.lab.tasks import Task
from wolfspider.lab.training import trained
from wolfspider.policies import Spec, make, training_part
from wolfspider.policies.scored import ScoredPolicy
from wolfspider.records import Floats, Visit
from wolfspider.topics import Topic
from wolfspider.training.maps import Map
from wolfspider.urls import seed_link
from wolfspider.webs.recorded import RecordedWeb

NAME = "links.json"
_BEST = 0.05  # of the links
ASKED = (SVMS[0], SVMS[2], *MORE)  # delta scores add nothing that could be told here


@dataclass(frozen=True)
class Told:
    """The values of links by spider, one number for each label."""

    nearness: dict[str, Floats]  # rank correlation with how near to a target a link leads
    length: dict[str, Floats]  # rank correlation with how many words its page has
    best: dict[str, Floats]  # the share of links to targets among the best twentieth
    every: dict[str, Floats]  # and among all links: the same for every spider

    def table(self) -> Table:
        columns = (self.nearness, self.length, self.best)
        rows = [(NAMES[each], *(interval(column[each]) for column in columns)) for each in ASKED]
        heads = (
            "value of a link",
            "rank correlation with its nearness to a target",
            "with the words of its page",
            f"links to targets among the best {_BEST:.0%}",
        )
        return (heads, *rows, ("any", "", "", interval(self.every[ASKED[0]])))

    def said(self) -> str:
        """The machines beside the ordering of links, which is by angles."""
        near, words, best = (self._machines(of) for of in (self.nearness, self.length, self.best))
        ordering = MORE[0]
        return (
            f"the SVMs' value of a link has a rank correlation of {words} with the length of its "
            f"page (that of the ordering {interval(self.length[ordering])}) and of {near} with how "
            f"near to a target it leads; of the {_BEST:.0%} of links that they like best {best} "
            f"lead to a target, of those that the ordering likes {interval(self.best[ordering])}, "
            f"of all {interval(self.every[ordering])}"
        )

    def _machines(self, of: dict[str, Floats]) -> str:
        return interval(np.mean([of[each] for each in ASKED[:2]], axis=0))


def measure(experiment: Experiment) -> Iterator[tuple[int, int]]:
    """Ask what has not been asked yet; yields how many are done, of how many."""
    known = _read(experiment.folder)
    asked = [(path, task, spec) for path, task in _tasks(experiment) for spec in ASKED]
    for number, (path, task, spec) in enumerate(asked, 1):
        key = _key(experiment, path, task, spec)
        if key not in known:
            known[key] = _asked(path, task, Spec.parse(spec))
            _write(experiment.folder, known)
        yield number, len(asked)


def told(experiment: Experiment) -> Told:
    known = _read(experiment.folder)
    found = {
        spec: np.array([known[_key(experiment, *each, spec)] for each in _tasks(experiment)])
        for spec in ASKED
    }
    columns = ({spec: each[:, at] for spec, each in found.items()} for at in range(4))
    return Told(*columns)


def _tasks(experiment: Experiment) -> list[tuple[Path, Task]]:
    """The first task of each label: all of them learn from the same."""
    tasks: dict[object, tuple[Path, Task]] = {}
    for entry in experiment.about["tasks"]:
        path, task = experiment.place(entry["web"]), Task.of_json(entry["task"])
        tasks.setdefault((task.targets, task.within, task.train), (path, task))
    return list(tasks.values())


def _asked(path: Path, task: Task, spec: Spec) -> list[float]:
    web = RecordedWeb(path)
    tested = Map(web, mask_of(web, task.within), target_mask(web, task))
    distances = tested.graph.distances_to(tested.known_targets)
    model, _ = trained(path, task, training_part(spec))
    policy = make(spec, topic=Topic.of(" ".join(task.keywords)), model=model)
    assert isinstance(policy, ScoredPolicy)
    rows: list[Floats] = []
    for each in tested:
        if len(each.leads_to):
            values = policy.score(each.page.links, Visit(seed_link(each.page.url), each.page))
            words = float(each.page.terms.counts.sum())
            columns = (values, -distances[each.leads_to], np.full(len(each.leads_to), words))
            rows.append(np.stack(np.broadcast_arrays(*columns), axis=1))
    values, nearness, words = np.concatenate(rows or [np.empty((0, 3))]).T
    leads = np.isfinite(nearness)
    hits = (nearness == 0)[np.argsort(-values, kind="stable")]
    best = hits[: max(1, int(_BEST * len(hits)))]
    correlations = [_correlation(values[leads], nearness[leads]), _correlation(values, words)]
    return [*correlations, *(float(each.mean()) if len(hits) else 0.0 for each in (best, hits))]


def _correlation(ours: Floats, theirs: Floats) -> float:
    """Spearman's; 0 where one of the two is always the same."""
    if len(ours) < 2 or np.ptp(ours) == 0 or np.ptp(theirs) == 0:
        return 0.0
    return float(stats.spearmanr(ours, theirs).statistic)


def _key(experiment: Experiment, path: Path, task: Task, spec: str) -> str:
    """By all that decides the outcome."""
    where = f"{task.targets} {task.within} {' '.join(task.train)}"
    return f"{web_of(path).digest} {where} {spec} {experiment.about['code'][spec]}"


def _read(folder: Path) -> dict[str, list[float]]:
    path = folder / NAME
    try:
        found = json.loads(path.read_bytes()) if path.exists() else {}
    except ValueError as error:
        raise BadInput(f"{path} is damaged ({error}); remove it") from error
    return dict(found)


def _write(folder: Path, known: dict[str, list[float]]) -> None:
    beside = folder / f".{NAME}"
    beside.write_text(json.dumps(known), "utf-8")
    os.replace(beside, folder / NAME)
