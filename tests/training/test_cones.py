"""Cones above targets, on a graph made by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from wolfspider.errors import BadInput
from wolfspider.training.cones import Cone, descended, trawl
from wolfspider.training.maps import Map

# 5 → 4 → 3 → 2 → 1 → 0; 4 → 6; 7 → 6; 8 has no links, and 9 → 8.
EDGES = [(1, 0), (2, 1), (3, 2), (4, 3), (4, 6), (5, 4), (7, 6), (9, 8)]
SIZE = 10


def map_of(targets: set[int], edges: list[tuple[int, int]] = EDGES, size: int = SIZE) -> Map:
    rows = sorted(edges)
    starts = np.searchsorted([source for source, _ in rows], np.arange(size + 1))
    ends = np.array([target for _, target in rows], np.int32)
    columns = {"graph": (starts.astype(np.int64), ends), "__len__": lambda _: size}
    web: Any = type("Web", (SimpleNamespace,), columns)(folder="made")
    mask = np.array([page in targets for page in range(size)])
    return Map(web, np.ones(size, bool), mask)


def labelled(cone: Cone) -> dict[int, int]:
    return dict(zip(cone.pages.tolist(), cone.distances.tolist(), strict=True))


def test_pages_are_labelled_with_their_distance_up_to_the_height() -> None:
    cone = trawl(map_of({0}), height=3, noise=False)
    assert labelled(cone) == {0: 0, 1: 1, 2: 2, 3: 3}
    assert cone.by_distance().tolist() == [1, 1, 1, 1, 0]


def test_without_backlinks_what_leads_on_from_targets_is_the_map() -> None:
    """0 → 1 → 2 → 0, and 3 → 0: the page 3 is not found by following links."""
    circle = map_of({0}, [(0, 1), (1, 2), (2, 0), (3, 0)], 4)
    assert np.flatnonzero(descended(circle).within).tolist() == [0, 1, 2]
    assert np.flatnonzero(descended(circle, depth=1).within).tolist() == [0, 1]
    assert labelled(trawl(descended(circle), noise=False)) == {0: 0, 1: 2, 2: 1}


def test_what_is_farther_or_has_no_way_is_noise() -> None:
    cone = trawl(map_of({0}), height=1)
    assert len(cone.pages) == 3  # two pages at two distances: one of noise
    assert labelled(cone) | {0: 0, 1: 1} == labelled(cone)
    assert cone.distances.tolist() == [0, 1, 2]
    assert cone.pages[2] >= 2


def test_a_target_that_is_found_on_the_way_is_promoted() -> None:
    """From 0 alone 3 would be three links away; but 2 is a target, too."""
    known = map_of({0, 2})
    cones = [trawl(known, starts=1, height=4, noise=False, seed=seed) for seed in range(20)]
    from_0 = [cone for cone in cones if 0 in cone.pages]
    from_2 = [cone for cone in cones if 0 not in cone.pages]
    assert from_0
    assert from_2
    assert labelled(from_0[0]) == {0: 0, 1: 1, 2: 0, 3: 1, 4: 2}
    assert from_0[0].targets.tolist() == [0, 2]
    assert labelled(from_2[0]) == {2: 0, 3: 1, 4: 2, 5: 3}
    assert from_2[0].targets.tolist() == [2]


def test_backlinks_of_promoted_targets_are_not_trawled() -> None:
    """4 is above 0; above 4 is 5, which is five links from 0 and thus outside."""
    cones = [trawl(map_of({0, 4}), starts=1, noise=False, seed=seed) for seed in range(20)]
    (cone, *_) = [cone for cone in cones if 0 in cone.pages]
    assert labelled(cone) == {0: 0, 1: 1, 2: 2, 3: 3, 4: 0}


def test_noise_is_never_near_to_a_target() -> None:
    """5 is outside the cone above 0, but one link from 4, which was promoted."""
    for seed in range(20):
        cone = trawl(map_of({0, 4}), starts=1, height=4, seed=seed)
        noise = cone.pages[cone.distances == 5].tolist()
        assert noise
        assert 5 not in noise


def test_equally_many_of_each_distance() -> None:
    cone = trawl(map_of({0, 6}), height=2)
    even = cone.balanced(each=7, seed=3)
    assert even.by_distance().tolist() == [7, 7, 7, 7]
    assert labelled(even).items() <= labelled(cone).items()
    again = cone.balanced(each=7, seed=3)
    assert trawl(map_of({0, 6}), height=2, balanced=True).by_distance().tolist() == [1000] * 4
    assert even.pages.tolist() == again.pages.tolist()


def test_the_same_seed_gives_the_same_cone() -> None:
    known = map_of({0, 2, 6})
    first, second = (trawl(known, starts=2, height=2, seed=5) for _ in range(2))
    assert first.pages.tolist() == second.pages.tolist()
    assert first.distances.tolist() == second.distances.tolist()


def test_pages_of_one_distance_teach_nothing() -> None:
    with pytest.raises(BadInput, match="all known pages are equally far from a target"):
        trawl(map_of({0, 1}, [(0, 1), (1, 0)], 2))


def test_settings_that_make_no_cone_are_refused() -> None:
    with pytest.raises(ValueError, match="height is 0; a cone has a height of 1 or more"):
        trawl(map_of({0}), height=0)
    with pytest.raises(ValueError, match="starts is 0; a cone needs at least 1 target"):
        trawl(map_of({0}), starts=0)
