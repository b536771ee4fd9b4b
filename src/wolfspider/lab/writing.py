"""Tasks made from the labels of a web."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.lab.ground import Ground
from wolfspider.lab.tasks import Away, Task
from wolfspider.text import term_ids
from wolfspider.webs.recorded import RecordedWeb

_NO_TOPICS = ("site:", "role:")
_TITLES = 50  # of targets, that make a description


def tasks_for_labels(
    web: RecordedWeb,
    labels: Sequence[str] | None,
    *,
    least: int,
    most: int,
    seeds: Away,
    budget: int,
) -> tuple[list[Task], list[str]]:
    """A task for each label that allows one, and why the others do not.

    Keywords are the words of the label's last part; the description is the titles of the
    pages that carry it, as the papers used what editors wrote about the targets.
    """
    tasks: list[Task] = []
    left_out: list[str] = []
    for label in labels if labels is not None else list(web.about["labels"]):
        pages = web.label(label)
        if labels is None and label.startswith(_NO_TOPICS):
            left_out.append(f"{label}: says where or what a page is, not what it is about")
            continue
        if labels is None and len(pages) < least:
            left_out.append(f"{label}: {len(pages)} pages, fewer than {least}")
            continue
        titles = [web.page(page).title for page in pages[:_TITLES].tolist()]
        name = label.replace(":", "-").replace("/", "-")
        task = Task(
            name=label if name in {task.name for task in tasks} else name,
            keywords=_keywords(label),
            targets=label,
            seeds=seeds,
            budget=budget,
            description=" ".join(dict.fromkeys(titles)),
        )
        try:
            Ground.lay(web, task).topic()
            tasks.append(task)
        except BadInput as error:
            left_out.append(str(error))
    if most and len(tasks) > most:
        chosen = np.random.default_rng(0).choice(len(tasks), most, replace=False)
        tasks = [tasks[i] for i in sorted(chosen.tolist())]
    return tasks, left_out


def _keywords(label: str) -> tuple[str, ...]:
    words = label.rsplit(".", 1)[-1].replace("_", " ").replace("-", " ").split()
    kept = tuple(word.lower() for word in words if len(term_ids(word)))
    return kept or tuple(words)
