"""Where the targets are: on which hosts, how far apart, and whether ways back lead to them.

Young, thesis (2005), chapter 4.3. A web is incestuous around its targets if many of the pages that
lead to targets can also be reached from targets: a crawler without backlinks then finds the way to
more targets by going on from those that it has.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wolfspider.lab.describe.hosts import Named
from wolfspider.lab.describe.reach import Reach
from wolfspider.records import Floats
from wolfspider.webs.graph import Graph, Numbers


@dataclass(frozen=True)
class Height:
    """Pages around the targets, not targets themselves."""

    height: int
    ancestors: int  # lead to a target within so many links
    descendants: int  # a target leads to them within so many links
    both: int  # ancestors within the height that are also descendants within it
    both_at_all: int  # ancestors within the height that are descendants at any distance


@dataclass(frozen=True)
class Targets:
    label: str
    count: int
    hosts: int  # with at least one target
    biggest: Named  # hosts with the most targets
    to_targets: Reach  # from a target to the other targets
    to_all: Reach  # from a target to all other pages
    nearest: Reach  # from a target to the nearest other one
    from_all: Reach  # from any page to the targets
    heights: tuple[Height, ...]
    depths: tuple[int, ...]  # targets 0, 1, … links from the start page
    unreachable: int  # from the start page


def heights(graph: Graph, targets: Numbers, most: int) -> tuple[Height, ...]:
    """Ancestors and descendants up to each height."""
    up, down = graph.distances_to(targets), graph.distances_from(targets)
    return tuple(_height(up, down, height) for height in range(1, most + 1))


def _height(up: Floats, down: Floats, height: int) -> Height:
    ancestors = (up > 0) & (up <= height)
    descendants = (down > 0) & (down <= height)
    return Height(
        height,
        int(ancestors.sum()),
        int(descendants.sum()),
        int((ancestors & descendants).sum()),
        int((ancestors & np.isfinite(down)).sum()),
    )


def nearest(distances: Floats) -> Floats:
    """The distance to the nearest but the source itself, as an array of one."""
    others = distances[distances > 0]
    return np.array([others.min() if len(others) else np.inf])
