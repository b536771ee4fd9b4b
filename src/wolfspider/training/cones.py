"""Training sets from a few known targets: the pages that lead to them.

Young 2005, sections 3.1.3, 5.1 and 5.2: trawl backlinks from some targets to a height of four;
what turns out to be a target on the way is promoted to one; label every page with the distance
to its nearest target. "We did not reiterate": backlinks of promoted targets are not trawled.

Most pages of a cone are far up. `Cone.balanced` takes equally many of each distance.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.training.maps import Map
from wolfspider.webs.graph import Mask, Numbers


@dataclass(frozen=True)
class Cone:
    """Pages with their distance to a target, 0 … height; height + 1 stands for noise.

    Noise are pages that have no way to a target, or a longer one.
    """

    known: Map  # what the pages were taken from
    pages: Numbers
    distances: Numbers
    targets: Numbers  # those trawled from, and those found on the way
    height: int

    def __post_init__(self) -> None:
        if len(np.unique(self.distances)) < 2:
            raise BadInput(
                "there is nothing to learn from: all known pages are equally far from a target; "
                "give more sites, or targets that only some pages lead to"
            )

    def by_distance(self) -> Numbers:
        """How many pages there are of each distance, noise last."""
        return np.bincount(self.distances, minlength=self.height + 2)

    def about(self) -> dict[str, Any]:
        """For people: what it was made of."""
        return {
            "pages": int(self.known.within.sum()),
            "targets": len(self.targets),
            "pages_by_distance": self.by_distance().tolist(),
        }

    def balanced(self, each: int = 1000, seed: int = 0) -> Cone:
        """Equally many pages of each distance that occurs, drawn with replacement."""
        random = np.random.default_rng(seed)
        rows = np.concatenate(
            [
                random.choice(np.flatnonzero(self.distances == distance), each)
                for distance in np.unique(self.distances)
            ]
        )
        return Cone(self.known, self.pages[rows], self.distances[rows], self.targets, self.height)


def trawl(
    known: Map,
    *,
    starts: int | None = None,
    height: int = 4,
    noise: bool = True,
    balanced: bool = False,
    backlinks: bool = True,
    seed: int = 0,
) -> Cone:
    """The cone above so many known targets (all, unless told), with noise if asked for.

    Without `backlinks` only descendants of the targets are known.
    There are at most as many pages of noise as a distance has on average.
    """
    check_cone(height=height, starts=starts)
    known = known if backlinks else descended(known, starts=starts, seed=seed)
    random = np.random.default_rng(seed)
    first = _some(known.known_targets, starts, random)
    inside = known.graph.distances_to(first) <= height
    cone = _labelled(known, inside, height, random if noise else None)
    return cone.balanced(seed=seed) if balanced else cone


def check_cone(*, height: int, starts: int | None, **_: Any) -> None:
    """Raises ValueError for settings that no cone can have."""
    if height < 1:
        raise ValueError(f"height is {height}; a cone has a height of 1 or more")
    if starts is not None and starts < 1:
        raise ValueError(f"starts is {starts}; a cone needs at least 1 target to start from")


def descended(known: Map, *, starts: int | None = None, depth: int = 6, seed: int = 0) -> Map:
    """The part of a map that is found by following links from targets, for want of backlinks.

    About 65 % of the ancestors of height four are among the descendants of depth six (Young 2005,
    section 4.3.1).
    """
    first = _some(known.known_targets, starts, np.random.default_rng(seed))
    near = known.graph.distances_from(first) <= depth
    return replace(known, within=known.within & near)


def _labelled(known: Map, inside: Mask, height: int, random: np.random.Generator | None) -> Cone:
    """The pages inside, and noise drawn at random, with their distance to the targets inside."""
    targets = np.flatnonzero(inside & known.targets)
    distances = known.graph.distances_to(targets)
    pages = np.flatnonzero(inside)
    if random is not None:
        outside = known.within & (known.graph.distances_to(known.known_targets) > height)
        pages = np.append(pages, _noise(outside, len(pages) // (height + 1), random))
    labels = np.minimum(distances[pages], height + 1).astype(np.int64)
    return Cone(known, pages, labels, targets, height)


def _some(targets: Numbers, most: int | None, random: np.random.Generator) -> Numbers:
    if most is None or most >= len(targets):
        return targets
    return np.sort(random.choice(targets, most, replace=False))


def _noise(outside: Mask, most: int, random: np.random.Generator) -> Numbers:
    pages = np.flatnonzero(outside)
    return np.sort(random.permutation(pages)[: max(most, 1)])
