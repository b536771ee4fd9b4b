"""The tasks of an experiment in words, for the table of how to repeat it."""

from __future__ import annotations

from wolfspider.lab.experiment import Experiment
from wolfspider.lab.tasks import Away, Task


def in_words(experiment: Experiment) -> list[dict[str, str]]:
    """A row for each task; the web is named where there are several."""
    several = len(experiment.about["webs"]) > 1
    rows = []
    for entry in experiment.about["tasks"]:
        task = Task.of_json(entry["task"])
        row = {"task": task.name} | ({"web": str(entry["web"])} if several else {})
        rows.append(
            row
            | {
                "keywords": " ".join(task.keywords),
                "targets": _targets(task),
                "start pages": _seeds(task),
                "budget": _budget(task),
                "judge": task.judge,
            }
        )
    return rows


def _targets(task: Task) -> str:
    within = f", within {task.within}" if task.within else ""
    cone = f", at most {task.cone} links away" if task.cone is not None else ""
    if isinstance(task.targets, str):
        return f"label {task.targets}{within}{cone}"
    return f"{len(task.targets):,} URLs{within}{cone}"


def _seeds(task: Task) -> str:
    if isinstance(task.seeds, Away):
        return f"{task.seeds.count} pages, {task.seeds.away} links before a target"
    more = f" and {len(task.seeds) - 1} more" if len(task.seeds) > 1 else ""
    return task.seeds[0] + more


def _budget(task: Task) -> str:
    until = f", until {task.until} targets" if task.until is not None else ""
    return ("all" if task.budget is None else f"{task.budget:,}") + until
