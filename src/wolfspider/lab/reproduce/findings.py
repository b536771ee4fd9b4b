"""Findings of a paper beside our own numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from wolfspider.lab.statistics import Comparison
from wolfspider.lab.summary import Summary

LEVEL = 0.05


@dataclass(frozen=True)
class Finding:
    """One claim of the paper, what we saw, and whether that agrees."""

    claim: str
    where: str  # in the paper
    seen: str
    agrees: bool
    reason: str = ""  # the likely one, where they differ
    table: tuple[tuple[str, ...], ...] = ()  # the numbers behind it, heads first


@dataclass(frozen=True)
class Figure:
    """Curves that stand for a figure of the paper."""

    title: str
    metric: str  # recall or similarity
    policies: tuple[str, ...]


@dataclass(frozen=True)
class Reproduction:
    """A paper, our setting, the findings and the figures."""

    title: str
    setting: str
    findings: Sequence[Finding]
    figures: Sequence[Figure] = field(default_factory=tuple)


def versus(summary: Summary, policy: str, other: str, metric: str) -> Comparison:
    """A policy against another, paired by task and start; both have run everywhere."""
    found = summary.versus(policy, other, metric)
    assert found is not None
    return found


def mean(summary: Summary, policy: str, metric: str) -> float:
    return float(np.mean(list(summary.values(policy, metric).values())))


def better(found: Comparison) -> bool:
    """Significantly better, by the signed-rank test."""
    return found.p < LEVEL and found.difference > 0


def worse(found: Comparison) -> bool:
    return found.p < LEVEL and found.difference < 0


def written(found: Comparison) -> str:
    low, high = found.interval
    return f"{found.difference:+.3f} [{low:+.3f}, {high:+.3f}], p = {found.p:.2g}"
