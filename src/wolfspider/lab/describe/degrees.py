"""How many links lead to a page, or away from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wolfspider.lab.describe.power_law import PowerLaw, fit
from wolfspider.webs.graph import Graph, Numbers

Counts = tuple[tuple[int, int], ...]  # a value, and how often it occurs; by value


@dataclass(frozen=True)
class Degrees:
    mean: float
    median: float
    largest: int
    zeros: int
    power_law: PowerLaw | None
    counts: Counts

    @classmethod
    def of(cls, degrees: Numbers) -> Degrees:
        return cls(
            float(degrees.mean()),
            float(np.median(degrees)),
            int(degrees.max()),
            int((degrees == 0).sum()),
            fit(degrees),
            counted(degrees),
        )


def in_degrees(graph: Graph) -> Numbers:
    return np.bincount(graph.links.indices, minlength=graph.size)


def out_degrees(graph: Graph) -> Numbers:
    degrees: Numbers = np.diff(graph.links.indptr).astype(np.int64)
    return degrees


def counted(values: Numbers) -> Counts:
    """Each distinct value with how often it occurs."""
    found, counts = np.unique(values, return_counts=True)
    return tuple(zip(found.tolist(), counts.tolist(), strict=True))
