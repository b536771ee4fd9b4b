"""The crawls of Han, Wuillemin & Senellart 2018, by topic, crawler and lesson."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wolfspider.lab.metrics import found
from wolfspider.lab.reproduce.findings import ratio
from wolfspider.lab.reproduce.han_2018_topics import SHARES
from wolfspider.lab.statistics import Comparison, compare
from wolfspider.lab.summary import Summary, Unit
from wolfspider.lab.trace import Trace
from wolfspider.records import Floats

BLIND = "word-vector"
UPDATES = ("sync", "async", "moderated", "lazy")
THEIRS = UPDATES[:3]


def crawler(update: str) -> str:
    return f"sarsa:update={update}"


POLICIES = (BLIND, *map(crawler, UPDATES))


@dataclass(frozen=True)
class Runs:
    """The crawls, by topic, crawler and lesson."""

    summary: Summary

    @cached_property
    def lessons(self) -> int:
        return 1 + max(trace.key.repeat for trace in self.summary.traces)

    @cached_property
    def budget(self) -> int:
        return self.summary.budget

    def relevant(self, unit: Unit) -> int:
        return int(self.summary.grounds[unit].wanted.sum())

    @cached_property
    def abundant(self) -> list[Unit]:
        """The half of the topics that more pages are about."""
        ranked = sorted(self.summary.units, key=self.relevant)
        return ranked[len(ranked) // 2 :]

    @cached_property
    def sparse(self) -> list[Unit]:
        return [unit for unit in self.summary.units if unit not in self.abundant]

    def of(self, policy: str, unit: Unit) -> list[Trace]:
        """Lesson by lesson; one that learns nothing has one."""
        return sorted(self.summary.by_unit[policy, unit], key=lambda trace: trace.key.repeat)

    def counts(
        self,
        policy: str,
        share: float,
        units: Sequence[Unit] | None = None,
        lesson: slice = slice(None),
    ) -> Floats:
        """Relevant pages found by topic, as a mean over lessons."""
        pages = int(share / SHARES[-1] * self.budget)
        return np.array(
            [
                np.mean([self.found(trace, unit, pages) for trace in self.of(policy, unit)[lesson]])
                for unit in units or self.summary.units
            ]
        )

    def found(self, trace: Trace, unit: Unit, pages: int) -> int:
        curve = found(trace, self.summary.grounds[unit])
        return int(curve[min(pages, len(curve)) - 1]) if len(curve) else 0

    def versus(
        self, ours: str, theirs: str, share: float, units: Sequence[Unit] | None = None
    ) -> Comparison:
        return compare(self.counts(ours, share, units) - self.counts(theirs, share, units))

    def table(self, units: Sequence[Unit] | None = None) -> tuple[tuple[str, ...], ...]:
        units = units or self.summary.units
        share = SHARES[1]
        heads = ("crawler", *(unit[0] for unit in units))
        rows = [(p, *(f"{n:.1f}" for n in self.counts(p, share, units))) for p in POLICIES]
        return (heads, *rows)


def times_as_many(ours: Floats, theirs: Floats) -> tuple[float, float, float]:
    """How many times as many, with its interval; nan where topics were drawn with nothing found."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return ratio(ours, theirs)
