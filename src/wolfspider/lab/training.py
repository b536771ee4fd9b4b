"""Offline policies in the lab: trained for each task on exactly what it allows."""

from __future__ import annotations

import time
from functools import lru_cache
from pathlib import Path

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.lab.ground import target_mask
from wolfspider.lab.parts import mask_of
from wolfspider.lab.tasks import Task
from wolfspider.policies import Spec, train
from wolfspider.topics import Topic
from wolfspider.training.maps import Map
from wolfspider.training.model import Model
from wolfspider.webs.recorded import RecordedWeb


def map_of(web: RecordedWeb, task: Task) -> Map:
    """What a learner may see: the pages that `train` names, none of those it is tested on."""
    if not task.train:
        raise BadInput(
            f"task {task.name!r} does not say what may be learned from; add a line such as: "
            'train = ["site:texas"]'
        )
    known = np.zeros(len(web), bool)
    for label in task.train:
        known |= mask_of(web, label)
    tested = mask_of(web, task.within) if task.within else np.ones(len(web), bool)
    if (known & tested).any():
        where = repr(task.within) if task.within else "the whole web, for it has no `within`"
        raise BadInput(
            f"task {task.name!r} would learn from {int((known & tested).sum()):,} pages of what it "
            f"is tested on, {where}; take them out of train"
        )
    return Map(web, known, target_mask(web, task), Topic(task.keywords))


@lru_cache(maxsize=64)
def trained(web: Path, task: Task, spec: Spec) -> tuple[Model, float]:
    """The model for a task, and how many seconds of processor time it took.

    Tasks that allow the same pages and have the same targets and keywords share it.
    """
    known = map_of(_web(web), task)
    masks = known.within.tobytes(), (known.targets & known.within).tobytes()
    return _trained(web, *masks, known.topic, spec)


@lru_cache(maxsize=64)
def _trained(
    web: Path, within: bytes, targets: bytes, topic: Topic, spec: Spec
) -> tuple[Model, float]:
    import sklearn.svm  # noqa: F401  # here, so that no training is charged for loading it

    pages, wanted = (np.frombuffer(mask, bool) for mask in (within, targets))
    known = Map(_web(web), pages, wanted, topic)
    begin = time.thread_time()
    model = train(spec, known)
    return model, time.thread_time() - begin


@lru_cache(maxsize=4)
def _web(folder: Path) -> RecordedWeb:
    return RecordedWeb(folder)
