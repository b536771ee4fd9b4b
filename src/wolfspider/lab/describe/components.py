"""What hangs together, and the bow-tie around the largest part that does.

Strongly: every page of a component can be reached from every other. Weakly: the same, where links
may be followed backwards, too. Broder et al., Graph structure in the Web (2000).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from wolfspider.lab.describe.degrees import Counts, counted
from wolfspider.webs.graph import Graph, Mask

PARTS = ("core", "in", "out", "tubes", "tendrils", "disconnected")
Members = NDArray[np.int32]  # the component of each page


@dataclass(frozen=True)
class Components:
    count: int
    largest: int  # pages
    sizes: Counts

    @classmethod
    def of(cls, members: Members) -> Components:
        sizes = np.bincount(members)
        return cls(len(sizes), int(sizes.max()), counted(sizes))


def strong(graph: Graph) -> Members:
    members: Members = connected_components(graph.links, directed=True, connection="strong")[1]
    return members


def weak(graph: Graph) -> Members:
    members: Members = connected_components(graph.links, directed=True, connection="weak")[1]
    return members


def bow_tie(graph: Graph, strongly: Members, weakly: Members) -> dict[str, int] | None:
    """How many pages each part has; None where no two pages lead to each other.

    core: the largest strong component. in: leads to the core. out: the core leads to it.
    tubes: on a way from in to out past the core. tendrils: the rest of what hangs on weakly.
    """
    core = strongly == np.bincount(strongly).argmax()
    if core.sum() < 2:
        return None
    leads, led = _reaching(graph, core), _reached(graph, core)
    into, out = leads & ~core, led & ~core
    around = (weakly == weakly[core.argmax()]) & ~leads & ~led
    tubes = around & _reached(graph, into) & _reaching(graph, out)
    apart = weakly != weakly[core.argmax()]
    masks = (core, into, out, tubes, around & ~tubes, apart)
    return {name: int(mask.sum()) for name, mask in zip(PARTS, masks, strict=True)}


def _reached(graph: Graph, pages: Mask) -> Mask:
    return np.isfinite(graph.distances_from(np.flatnonzero(pages)))


def _reaching(graph: Graph, pages: Mask) -> Mask:
    return np.isfinite(graph.distances_to(np.flatnonzero(pages)))
