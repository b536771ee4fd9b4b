"""Findings of a paper beside our own numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from wolfspider.lab.statistics import Comparison
from wolfspider.lab.summary import Summary
from wolfspider.records import Floats

LEVEL = 0.05


@dataclass(frozen=True)
class Finding:
    """One claim of the paper, what we saw, and whether that agrees."""

    claim: str
    where: str  # in the paper
    seen: str
    agrees: bool | None  # None: what we saw could be chance
    reason: str = ""  # the likely one, where they differ
    table: tuple[tuple[str, ...], ...] = ()  # the numbers behind it, heads first

    @property
    def verdict(self) -> str:
        return "cannot tell" if self.agrees is None else "agrees" if self.agrees else "differs"


@dataclass(frozen=True)
class Figure:
    """Curves that stand for a figure of the paper."""

    title: str
    metric: str  # recall or similarity
    policies: tuple[str, ...]
    tasks: tuple[str, ...] = ()  # that it is of; none: of all


@dataclass(frozen=True)
class Plot:
    """Curves by name: where, how much, and how uncertain."""

    title: str
    axis: str
    curves: Mapping[str, tuple[Floats, Floats, Floats]]


@dataclass(frozen=True)
class Reproduction:
    """A paper, our setting, the findings and the figures."""

    title: str
    setting: str
    findings: Sequence[Finding]
    figures: Sequence[Figure | Plot] = field(default_factory=tuple)


def versus(summary: Summary, policy: str, other: str, metric: str) -> Comparison:
    """A policy against another, paired by task and start; both have run everywhere."""
    found = summary.versus(policy, other, metric)
    assert found is not None
    return found


def only(summary: Summary, tasks: Collection[str]) -> Summary:
    """The runs of some of the tasks."""
    return Summary(
        tuple(trace for trace in summary.traces if trace.key.task in tasks),
        tuple(trace for trace in summary.failed if trace.key.task in tasks),
        {unit: ground for unit, ground in summary.grounds.items() if unit[0] in tasks},
    )


def mean(summary: Summary, policy: str, metric: str) -> float:
    return float(np.mean(list(summary.values(policy, metric).values())))


def better(found: Comparison) -> bool:
    """Significantly better, by the signed-rank test."""
    return found.p < LEVEL and found.difference > 0


def worse(found: Comparison) -> bool:
    return found.p < LEVEL and found.difference < 0


def verdict(found: Comparison, *, low_is_good: bool = False) -> bool | None:
    """Whether the first is better, as claimed; None where the difference could be chance."""
    if found.p >= LEVEL:
        return None
    return (found.difference > 0) != low_is_good


def written(found: Comparison) -> str:
    low, high = found.interval
    return f"{found.difference:+.3f} [{low:+.3f}, {high:+.3f}], p = {found.p:.2g}"


def ratio(ours: Floats, theirs: Floats, resamples: int = 4000) -> tuple[float, float, float]:
    """Mean by mean, with its 95 % bootstrap interval over pairs."""
    draws = np.random.default_rng(0).integers(len(ours), size=(resamples, len(ours)))
    drawn = ours[draws].mean(axis=1) / theirs[draws].mean(axis=1)
    low, high = np.percentile(drawn, (2.5, 97.5))
    return float(ours.mean() / theirs.mean()), float(low), float(high)
