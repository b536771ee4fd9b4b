"""The runs of Young 2005, measured: by start page, in the measures and tables of the thesis.

A start page is the unit. Runs from it in cones of several depths are one piece of evidence, and
so are those of several spiders that stand for one kind: they are averaged before anything is
compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from wolfspider.lab.ground import Ground
from wolfspider.lab.metrics import recall
from wolfspider.lab.reproduce.findings import LEVEL
from wolfspider.lab.reproduce.young_2005_starts import (
    CONDITIONS,
    HORIZON,
    Condition,
    condition_of,
    label_of,
)
from wolfspider.lab.statistics import Comparison, bootstrap_interval, compare
from wolfspider.lab.summary import Summary, Unit
from wolfspider.records import Floats

FIRST = "first_target"  # page retrievals to the first target
REWARD = "log10 reward"  # of the discounted reward, γ = 0.5
FOUND = "targets"  # found in all
RECALL = "recall"  # after a tenth of the reachable pages

Start = tuple[str, int]  # label and page
Table = tuple[tuple[str, ...], ...]

NAMES = {
    "perfect-distance": "Gold Depth",
    "perfect-reward": "Gold Discount",
    "svm-distance:starts=10:score=S1": "SVM 1 (distance)",
    "svm-distance:starts=10:score=S4": "SVM 2 (distance, delta)",
    "svm-reward:starts=10:score=S1": "SVM 3 (reward)",
    "svm-reward:starts=10:score=S4": "SVM 4 (reward, delta)",
    "ordering:targets=10": "ordering",
    "context-graph:starts=10": "context graph",
    "random": "random",
    "breadth-first": "breadth-first",
    "depth-first": "depth-first",
}
"""The spiders, as the thesis calls them."""

POLICIES = tuple(NAMES)
GOLD, SVMS, MORE, NAIVE = POLICIES[:2], POLICIES[2:6], POLICIES[6:8], POLICIES[8:]
LEARNED = (*SVMS, *MORE)


@dataclass(frozen=True)
class Runs:
    """All runs of a reproduction. The page that a spider starts at is no target to be found."""

    summary: Summary

    @classmethod
    def of(cls, summary: Summary) -> Runs:
        grounds = {unit: _others(ground) for unit, ground in summary.grounds.items()}
        return cls(replace(summary, grounds=grounds))

    @property
    def conditions(self) -> list[Condition]:
        """Those that have starts."""
        ran = {condition_of(task) for task, _ in self.summary.units}
        return [each for each in CONDITIONS if each.name in ran]

    def units(self, conditions: Sequence[Condition]) -> list[Unit]:
        names = {each.name for each in conditions}
        return [unit for unit in self.summary.units if condition_of(unit[0]) in names]

    def grounds(self, conditions: Sequence[Condition]) -> list[Ground]:
        return [self.summary.grounds[unit] for unit in self.units(conditions)]

    def values(
        self, policies: Sequence[str], measure: str, conditions: Sequence[Condition]
    ) -> Floats:
        """A measure at each start, as a mean over policies and depths; starts in one order."""
        gathered: dict[Start, list[float]] = defaultdict(list)
        for unit in self.units(conditions):
            start = label_of(unit[0]), unit[1][0]
            gathered[start] += [self._value(policy, unit, measure) for policy in policies]
        return np.array([np.mean(each) for _, each in sorted(gathered.items())])

    def _value(self, policy: str, unit: Unit, measure: str) -> float:
        ground = self.summary.grounds[unit]
        runs = self.summary.by_unit[policy, unit]
        if measure == RECALL:
            tenth = max(1, int(HORIZON * ground.reachable.sum()))
            return float(np.mean([recall(trace, ground, tenth) for trace in runs]))
        name = {REWARD: "log_reward:0.5", FOUND: f"targets@{ground.budget}"}.get(measure, measure)
        found = float(np.mean([self.summary.measured(trace, name) for trace in runs]))
        return found / np.log(10) if measure == REWARD else found

    def versus(
        self,
        ours: Sequence[str],
        theirs: Sequence[str],
        measure: str,
        conditions: Sequence[Condition],
    ) -> Comparison:
        """Ours less theirs, paired by start."""
        differences = self.values(ours, measure, conditions)
        differences = differences - self.values(theirs, measure, conditions)
        return compare(differences, low_is_good=measure == FIRST)

    def against_naive(self, ours: Sequence[str], conditions: Sequence[Condition]) -> Table:
        """Tables 5.3 to 5.12: median (mean) differences from the naive spiders."""
        rows = [("depth", "less", "measure", *(NAMES[each] for each in ours))]
        for condition in conditions:
            for naive in NAIVE:
                for measure in (REWARD, FIRST):
                    cells = [
                        median_mean(self.versus([each], [naive], measure, [condition]))
                        for each in ours
                    ]
                    rows.append((str(condition.cone), NAMES[naive], measure, *cells))
        return tuple(rows)

    def everybody(self, condition: Condition) -> Table:
        """Table 5.9: differences below the diagonal, significance above it."""
        chosen = (*GOLD, SVMS[1], SVMS[3], *MORE, *NAIVE)
        rows = [("column less row", *(NAMES[each] for each in chosen))]
        for at, row in enumerate(chosen):
            found = [self.versus([each], [row], REWARD, [condition]) for each in chosen]
            below = [median_mean(each, star=False) for each in found[:at]]
            rows.append((NAMES[row], *below, "", *map(p_of, found[at + 1 :])))
        return tuple(rows)

    def overview(self, measures: Sequence[str], condition: Condition) -> Table:
        """Every spider: median, and mean with its interval."""
        heads = [head for each in measures for head in (f"{each}, median", "mean")]
        rows = [("spider", *heads)]
        for policy, name in NAMES.items():
            cells = []
            for measure in measures:
                values = self.values([policy], measure, [condition])
                cells += [f"{np.median(values):.3g}", interval(values)]
            rows.append((name, *cells))
        return tuple(rows)


def _others(ground: Ground) -> Ground:
    targets = ground.targets.copy()
    targets[list(ground.starts)] = False
    return replace(ground, targets=targets)


def interval(values: Floats) -> str:
    low, high = bootstrap_interval(values)
    return f"{values.mean():.3g} [{low:.3g}, {high:.3g}]"


def median_mean(found: Comparison, *, star: bool = True) -> str:
    """As the thesis writes it; a star where it is significant."""
    end = "*" if star and found.p < LEVEL else ""
    return f"{signed(found.median)} ({signed(found.difference)}){end}"


def signed(value: float) -> str:
    """Three digits; what is far below any page or reward that could matter is 0."""
    return f"{round(value, 4) + 0.0:+.3g}"


def p_of(found: Comparison) -> str:
    return f"p = {found.p:.2g}"
