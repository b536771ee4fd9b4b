"""Where the spiders of Young 2005 begin: so many links before a target, or at one.

A web is cut into parts (`lab.parts`). Spiders are trained on one and tested on another of the same
size, so that pages are as far from each other, and have as many links, where they learn as where
they hunt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.lab.parts import mask_of, part
from wolfspider.lab.tasks import Task
from wolfspider.urls import fingerprint
from wolfspider.webs.graph import Graph, Mask, Numbers
from wolfspider.webs.recorded import RecordedWeb

HORIZON = 0.1  # of the pages of the tested part, in the long range
LEAST = 10  # targets that a label has in each part
_MOST = 8  # labels
_LEADING = 0.5  # of the pages to learn from, that lead to a target
_FAR = 5  # links
_DEPTHS = (3, 4, 5)
_NO_TOPICS = ("site:", "role:")
_BETWEEN = "--"  # condition, label and number in the name of a task


@dataclass(frozen=True)
class Condition:
    """How far from targets spiders start, and how far they may go."""

    away: int  # links to the nearest target; 0: at a target
    cone: int | None = None  # None: anywhere, but for a tenth of the pages

    @property
    def name(self) -> str:
        start = f"{self.away}-away" if self.away else "targets"
        return f"{start}-depth-{self.cone}" if self.cone else "far"

    def __str__(self) -> str:
        start = f"{self.away} away" if self.away else "from targets"
        return f"{start}, depth {self.cone}" if self.cone else f"{self.away} or more away"


THREE = tuple(Condition(3, depth) for depth in _DEPTHS)
FOUR = tuple(Condition(4, depth) for depth in _DEPTHS if depth >= 4)
TARGETS = tuple(Condition(0, depth) for depth in _DEPTHS)
FAR = Condition(_FAR)
SHORT = (*THREE, *FOUR, *TARGETS)
CONDITIONS = (*SHORT, FAR)


def condition_of(task: str) -> str:
    """The name of the condition that a task belongs to."""
    return task.partition(_BETWEEN)[0]


def label_of(task: str) -> str:
    return task.partition(_BETWEEN)[2].rpartition(_BETWEEN)[0]


@dataclass(frozen=True)
class Split:
    """A web cut into parts, of which one is tested on and one learned from."""

    web: RecordedWeb
    parts: int

    @property
    def tested(self) -> str:
        return part(1, self.parts)

    @property
    def learned(self) -> str:
        return part(2, self.parts)

    def topics(self) -> list[str]:
        """Some labels, evenly over the sorted ones that have enough targets in both parts.

        Those whose targets hardly anything to learn from leads to are left out.
        """
        tested, learned = (mask_of(self.web, each) for each in (self.tested, self.learned))
        graph = Graph(self.web, learned)
        found = []
        for label in sorted(self.web.about["labels"]):
            targets = mask_of(self.web, label)
            if label.startswith(_NO_TOPICS) or (targets & tested).sum() < LEAST:
                continue
            known = np.flatnonzero(targets & learned)
            if len(known) >= LEAST and _leading(graph, known) >= _LEADING:
                found.append(label)
        chosen = np.linspace(0, len(found) - 1, min(_MOST, len(found))).round().astype(int)
        return [found[at] for at in chosen.tolist()]

    def tasks(self, labels: Sequence[str], starts: int) -> list[Task]:
        """For each condition so many starts, if there are, taken from each label in turn."""
        places = [_Places(self, label) for label in labels]
        tasks: list[Task] = []
        for away in (3, 4, 0, _FAR):
            in_turn = chain.from_iterable(zip_longest(*(each.starts(away) for each in places)))
            found = list(islice((start for start in in_turn if start is not None), starts))
            for condition in CONDITIONS:
                if condition.away == away:
                    tasks += [self._task(condition, *start) for start in found]
        return tasks

    def _task(self, condition: Condition, label: str, number: int, page: int) -> Task:
        pages = int(mask_of(self.web, self.tested).sum())
        return Task(
            name=_BETWEEN.join([condition.name, label, str(number)]),
            keywords=tuple(re.findall(r"[^\W_]+", label.lower())),
            targets=label,
            seeds=(self.web.url(page),),
            budget=None if condition.cone else max(1, int(HORIZON * pages)),
            within=self.tested,
            train=(self.learned,),
            cone=condition.cone,
        )


def _leading(graph: Graph, targets: Numbers) -> float:
    """The share of pages that lead to a target."""
    return float(np.isfinite(graph.distances_to(targets)[graph.within]).mean())


class _Places:
    """Pages of the tested part by how far they are from the targets of a label."""

    def __init__(self, split: Split, label: str) -> None:
        tested = mask_of(split.web, split.tested)
        targets = mask_of(split.web, label)
        for where in (split.tested, split.learned):
            if not (targets & mask_of(split.web, where)).any():
                raise BadInput(
                    f"no page with the label {label!r} is in {where} of {split.web.folder}; "
                    "name another label, or cut the web into fewer parts"
                )
        self._label = label
        self._graph = Graph(split.web, tested)
        self._targets: Mask = targets & tested
        self._horizon = int(HORIZON * tested.sum())

    def starts(self, away: int) -> Iterator[tuple[str, int, int]]:
        """Label, number and page of each start, in an order that the label decides."""
        random = np.random.default_rng([fingerprint(self._label), away])
        pages = random.permutation(np.flatnonzero(self._at(away))).tolist()
        fit = (page for page in pages if self._fits(page, away))
        for number, page in enumerate(fit, 1):
            yield self._label, number, page

    def _at(self, away: int) -> Mask:
        distances = self._graph.distances_to(np.flatnonzero(self._targets))
        far: Mask = (distances >= _FAR) & np.isfinite(distances)
        return far if away == _FAR else distances == away

    def _fits(self, page: int, away: int) -> bool:
        """Whether there is something to search for: as in the thesis, dead ends are left out."""
        if away not in (0, _FAR):
            return True
        distances = self._graph.distances_from(np.array([page]))
        if away == _FAR:
            return bool(np.isfinite(distances).sum() > self._horizon)
        near = (distances > 0) & (distances <= _DEPTHS[0])
        return bool((near & self._targets).any() and (near & ~self._targets).any())
