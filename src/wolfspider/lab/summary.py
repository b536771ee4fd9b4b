"""From traces to numbers: a table of metrics by policy, and comparisons with a baseline.

The unit of all statistics is a task from certain start pages. Repeats from the same start
(another seed for the policy's own chance) are averaged first: they are not new evidence
about the web.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.lab.experiment import Experiment, ground_of
from wolfspider.lab.ground import Ground
from wolfspider.lab.metrics import POOLED, found, higher_is_better, metric
from wolfspider.lab.oracles import ORACLES
from wolfspider.lab.similarity import PageTerms, crawled, similarity_curves
from wolfspider.lab.statistics import Comparison, compare, holm, standard_error
from wolfspider.lab.tasks import Task
from wolfspider.lab.trace import Trace
from wolfspider.policies import Spec
from wolfspider.records import Floats

_CHECKPOINTS = (50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000)
_RESAMPLES = 2000
_ROOM = 0.01  # of area between breadth-first and the optimum, below which one task says nothing

Unit = tuple[str, tuple[int, ...]]  # task, start pages
Cell = dict[str, float | None]  # mean, se, median


@dataclass(frozen=True)
class Summary:
    """The finished runs of a results folder, measured."""

    traces: tuple[Trace, ...]
    failed: tuple[Trace, ...]
    grounds: dict[Unit, Ground]

    @classmethod
    def of(cls, experiment: Experiment) -> Summary:
        tasks = {}
        for entry in experiment.about["tasks"]:
            task = Task.of_json(entry["task"])
            tasks[task.name] = experiment.place(entry["web"]), task
        traces = experiment.traces()
        grounds = {}
        for trace in traces:
            web, task = tasks[trace.key.task]
            grounds[(task.name, trace.starts)] = ground_of(web, task, trace.key.repeat)
        good = tuple(trace for trace in traces if not trace.error)
        return cls(good, tuple(trace for trace in traces if trace.error), grounds)

    @cached_property
    def policies(self) -> list[str]:
        return list(dict.fromkeys(trace.key.policy for trace in self.traces))

    @cached_property
    def units(self) -> list[Unit]:
        return list(dict.fromkeys(unit_of(trace) for trace in self.traces))

    @cached_property
    def by_unit(self) -> dict[tuple[str, Unit], list[Trace]]:
        runs = defaultdict(list)
        for trace in self.traces:
            runs[trace.key.policy, unit_of(trace)].append(trace)
        return dict(runs)

    @cached_property
    def budget(self) -> int:
        return max((ground.budget for ground in self.grounds.values()), default=1)

    @cached_property
    def checkpoints(self) -> list[int]:
        """Numbers of fetches to report at; every budget that was asked for is one of them."""
        asked = (ground.task.budget for ground in self.grounds.values())
        last = {n for n in asked if n is not None} | {self.budget}
        return sorted({n for n in _CHECKPOINTS if n < max(last)} | last)

    @cached_property
    def described(self) -> bool:
        return all(ground.task.description for ground in self.grounds.values())

    # -- values by unit --------------------------------------------------------------------

    def values(self, policy: str, name: str) -> dict[Unit, float]:
        """A metric of one policy in each unit, repeats averaged."""
        measure = self._measure(name)
        return {
            unit: float(np.mean([measure(trace) for trace in self.by_unit[policy, unit]]))
            for unit in self.units
            if (policy, unit) in self.by_unit
        }

    def measured(self, trace: Trace, name: str) -> float:
        """A metric of one run."""
        return self._measure(name)(trace)

    def _measure(self, name: str) -> Callable[[Trace], float]:
        if name == "cost":
            return self._cost
        if name in POOLED:
            raise BadInput(f"{name} is one number for all tasks; compare with auc instead")
        if name.startswith("similarity@"):
            return self._similarity(name)
        function = metric(name)
        return lambda trace: function(trace, self.grounds[unit_of(trace)])

    def _similarity(self, name: str) -> Callable[[Trace], float]:
        number = name.partition("@")[2]
        if not number.isdigit() or int(number) < 1:
            raise BadInput(f"unknown metric {name!r}; write similarity@N with a number of fetches")
        if not self.described:
            raise BadInput("similarity needs a description in every task of the results")
        return lambda trace: _at(self.similarity[id(trace)], int(number))

    def demand(self, name: str) -> None:
        """Refuse a metric that is beyond the last fetch of every run: it would be that of it."""
        kind, at, number = name.partition("@")
        last = self.checkpoints[-1]
        if at and number.isdigit() and int(number) > last:
            raise BadInput(f"no run has {int(number):,} fetches; the last metric is {kind}@{last}")

    @cached_property
    def similarity(self) -> dict[int, Floats]:
        """The similarity curve of each trace, by its id."""
        curves: dict[int, Floats] = {}
        by_task = defaultdict(list)
        by_web = defaultdict(list)
        for trace in self.traces:
            by_task[trace.key.task].append(trace)
            by_web[trace.key.web].append(trace)
        webs = {trace.key.web: self.grounds[unit_of(trace)].web for trace in self.traces}
        known = {name: PageTerms(webs[name], crawled(each)) for name, each in by_web.items()}
        for traces in by_task.values():
            ground = self.grounds[unit_of(traces[0])]
            new = similarity_curves(traces, ground, known[traces[0].key.web])
            curves |= {id(trace): curve for trace, curve in zip(traces, new, strict=True)}
        return curves

    def _cost(self, trace: Trace) -> float:
        """Relative cost: the policy's time over the mean time of all (Menczer et al., eq. 8).

        Oracles do not count towards the mean: they are no crawlers that anybody could use.
        """
        return trace.cpu_seconds / max(self._mean_times[unit_of(trace)], 1e-12)

    @cached_property
    def _mean_times(self) -> dict[Unit, float]:
        times: dict[Unit, list[float]] = defaultdict(list)
        honest = [policy for policy in self.policies if Spec.parse(policy).name not in ORACLES]
        for (policy, unit), traces in self.by_unit.items():
            if policy in honest or not honest:
                times[unit].append(float(np.mean([trace.cpu_seconds for trace in traces])))
        return {unit: float(np.mean(each)) for unit, each in times.items()}

    # -- tables ----------------------------------------------------------------------------

    def metric_names(self) -> list[str]:
        at = ["targets", "recall", "harvest"] + (["similarity"] if self.described else [])
        names = [f"{kind}@{n}" for n in self.checkpoints for kind in at]
        plain = "first_target to25 to50 to75 to90 auc auc20 hosts bytes cost cpu_ms_per_page"
        rewards = ["reward:0.5", "log_reward:0.5", "reward:0.9", "reward:0.99"]
        return [*names, *plain.split(), *rewards]

    def table(self) -> dict[str, dict[str, Cell]]:
        """Mean, standard error and median of every metric, by policy."""
        return self._table

    @cached_property
    def _table(self) -> dict[str, dict[str, Cell]]:
        table = {}
        for policy in self.policies:
            row = {name: cell(self.values(policy, name)) for name in self.metric_names()}
            table[policy] = row | self.pooled(policy)
        return table

    def pooled(self, policy: str) -> dict[str, Cell]:
        """`gap` and its kin: one number over all tasks, with a bootstrap error over tasks."""
        cells = {
            "gap": self._gap_cell(policy, "auc"),
            "gap20": self._gap_cell(policy, "auc20"),
            "worst": {"mean": self.worst(policy), "se": None, "median": None},
        }
        if self.described:
            value = self._performance_cost(policy)
            cells["performance_cost"] = {"mean": value, "se": None, "median": None}
        return cells

    def _triples(self, policy: str, area: str) -> dict[str, Floats]:
        """Areas of the policy, of breadth-first and of the optimum, by task."""
        names = (policy, self._reference("breadth-first"), self._reference("optimal", "oracle"))
        columns = [self.values(name, area) for name in names]
        by_task: dict[str, list[list[float]]] = defaultdict(list)
        for unit in self.units:
            if all(unit in column for column in columns):
                by_task[unit[0]].append([column[unit] for column in columns])
        return {task: np.mean(rows, axis=0) for task, rows in by_task.items()}

    def _reference(self, *names: str) -> str:
        """A policy of one of these names, if possible without settings such as a buffer."""
        known = sorted(self.policies, key=lambda policy: policy not in names)
        return next((each for each in known if Spec.parse(each).name in names), names[0])

    def gap(self, policy: str, area: str = "auc") -> float | None:
        """The share of the way from breadth-first to the optimum, pooled over tasks.

        None where there is no way: breadth-first was optimal already.
        """
        return self._gap_cell(policy, area)["mean"]

    def _gap_cell(self, policy: str, area: str) -> Cell:
        triples = np.array(list(self._triples(policy, area).values()))
        if not len(triples) or _room(triples.mean(axis=0)) < 1e-9:
            return {"mean": None, "se": None, "median": None}
        random = np.random.default_rng(0)
        draws = random.integers(len(triples), size=(_RESAMPLES, len(triples)))
        means = triples[draws].mean(axis=1)
        gaps = _gaps(means[_room(means) > 1e-9])
        error = float(gaps.std(ddof=1)) if len(triples) > 1 and len(gaps) > 1 else None
        return {
            "mean": float(_gaps(triples.mean(axis=0))),
            "se": error,
            "median": float(np.median(gaps)),
        }

    def task_gaps(self, policy: str) -> dict[str, float]:
        """The gap of each task in which breadth-first leaves room above it.

        Where it is nearly optimal, a ratio to what is left would be any number at all.
        """
        triples = self._triples(policy, "auc")
        return {
            task: float(_gaps(triple)) for task, triple in triples.items() if _room(triple) >= _ROOM
        }

    def worst(self, policy: str) -> float | None:
        """The smallest gap of any task that has one."""
        return min(self.task_gaps(policy).values(), default=None)

    def _performance_cost(self, policy: str) -> float:
        """Mean recall × mean similarity ÷ mean relative cost (Menczer et al., eq. 9)."""
        names = (f"recall@{self.budget}", f"similarity@{self.budget}", "cost")
        recall, similarity, cost = (
            float(np.mean(list(self.values(policy, name).values()))) for name in names
        )
        return recall * similarity / max(cost, 1e-12)

    # -- comparisons -----------------------------------------------------------------------

    def compare(self, baseline: str, name: str) -> dict[str, Comparison]:
        """Every other policy against the baseline, paired by unit, Holm-corrected."""
        if baseline not in self.policies:
            known = ", ".join(self.policies)
            raise BadInput(f"no runs of {baseline!r} in these results; known: {known}")
        results = {}
        for policy in self.policies:
            found = None if policy == baseline else self.versus(policy, baseline, name)
            if found is not None:
                results[policy] = found
        corrected = holm([each.p for each in results.values()])
        return {
            policy: replace(each, p_holm=p)
            for (policy, each), p in zip(results.items(), corrected, strict=True)
        }

    def versus(self, policy: str, other: str, name: str) -> Comparison | None:
        """A policy against another, paired by unit; None where they share none."""
        ours, theirs = self.values(policy, name), self.values(other, name)
        both = [unit for unit in ours if unit in theirs]
        if not both:
            return None
        differences = np.array([_difference(ours[unit], theirs[unit]) for unit in both])
        return compare(differences, low_is_good=not higher_is_better(name))

    # -- curves ----------------------------------------------------------------------------

    def curve(self, policy: str, unit: Unit, name: str) -> Floats:
        """Recall or similarity after each fetch, repeats averaged."""
        ground = self.grounds[unit]
        curves = []
        for trace in self.by_unit[policy, unit]:
            if name == "similarity":
                curves.append(_stretched(self.similarity[id(trace)], ground.budget))
            else:
                curves.append(found(trace, ground)[: ground.budget] / ground.wanted.sum())
        mean: Floats = np.mean(curves, axis=0)
        return mean


def unit_of(trace: Trace) -> Unit:
    return trace.key.task, trace.starts


def cell(values: dict[Unit, float]) -> Cell:
    """Mean, standard error and median over units; null for what is not finite."""
    numbers = np.array(list(values.values()))
    if not len(numbers):
        return {"mean": None, "se": None, "median": None}
    with np.errstate(invalid="ignore"):
        found = (numbers.mean(), standard_error(numbers), np.median(numbers))
    return {
        name: float(value) if np.isfinite(value) else None
        for name, value in zip(("mean", "se", "median"), found, strict=True)
    }


def _gaps(areas: Floats) -> Floats:
    """(policy − breadth-first) ÷ (optimal − breadth-first), for the last axis of areas."""
    gaps: Floats = (areas[..., 0] - areas[..., 1]) / _room(areas)
    return gaps


def _room(areas: Floats) -> Floats:
    room: Floats = areas[..., 2] - areas[..., 1]
    return room


def _difference(value: float, base: float) -> float:
    """0 for what differs by rounding only, and for two crawls that are both infinitely bad."""
    return 0.0 if math.isclose(value, base, rel_tol=1e-12) else value - base


def _at(curve: Floats, n: int) -> float:
    return float(curve[min(n, len(curve)) - 1]) if len(curve) else 0.0


def _stretched(curve: Floats, length: int) -> Floats:
    if not len(curve):
        return np.zeros(length)
    return np.concatenate([curve[:length], np.full(max(0, length - len(curve)), curve[-1])])


def band(curves: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Mean and standard error of curves of different length, as far as all of them go."""
    length = min(len(curve) for curve in curves)
    stacked = np.array([curve[:length] for curve in curves])
    errors = np.zeros(length)
    if len(stacked) > 1:
        errors = stacked.std(axis=0, ddof=1) / np.sqrt(len(stacked))
    return stacked.mean(axis=0), errors
