"""What the oracles promise: the shortest way to the first target, and hardly ever beaten."""

from __future__ import annotations

from pathlib import Path
from string import ascii_letters, digits

import numpy as np
import pytest

from lab.tiny import letters, task_of, trace_of, web_of
from wolfspider.errors import BadInput
from wolfspider.lab.ground import Ground
from wolfspider.lab.metrics import auc, first_target
from wolfspider.lab.oracles import make_oracle
from wolfspider.lab.run import run
from wolfspider.policies import Spec
from wolfspider.webs.recorded import RecordedWeb

PAGES = ascii_letters + digits
OTHERS = (
    "breadth-first",
    "depth-first",
    "best-first",
    "random",
    "random-walk",
    "fish-search",
    "perfect-distance",
)


def random_ground(folder: Path, seed: int) -> Ground:
    """62 pages, some links, one page in ten a target; one start."""
    random = np.random.default_rng(seed)
    degrees = random.integers(0, 5, len(PAGES))
    links = {
        page: "".join(random.choice(list(PAGES), degree, replace=False))
        for page, degree in zip(PAGES, degrees, strict=True)
    }
    links["a"] = "bcdef"
    targets = "".join(random.choice(list(PAGES[1:]), 8, replace=False))
    web = web_of(folder, links, labels={"target": targets}, hosts={})
    return Ground.lay(web, task_of(name=f"random-{seed}"))


def crawl(ground: Ground, spec: str) -> str:
    return letters(run(ground, Spec.parse(spec)), ground)


def test_the_optimal_crawl_of_the_tiny_web(ground: Ground) -> None:
    assert crawl(ground, "optimal") == "abdegcf"
    assert crawl(ground, "oracle") == crawl(ground, "optimal")


@pytest.mark.parametrize("seed", range(12))
def test_nobody_beats_the_optimum_on_random_webs(tmp_path: Path, seed: int) -> None:
    ground = random_ground(tmp_path / "web", seed)
    optimal = run(ground, Spec.parse("optimal"))
    for spec in OTHERS:
        other = run(ground, Spec.parse(spec), seed)
        assert not other.error
        assert auc(optimal, ground) >= auc(other, ground) - 1e-12, spec


@pytest.mark.parametrize("seed", range(12))
def test_the_first_target_is_found_on_the_shortest_way(tmp_path: Path, seed: int) -> None:
    ground = random_ground(tmp_path / "web", seed)
    distances = ground.graph.distances_from(np.array(ground.starts))
    shortest = distances[ground.wanted].min()
    for spec in ("optimal", "perfect-distance"):
        assert first_target(run(ground, Spec.parse(spec)), ground) == shortest + 1, spec


def test_the_nearest_target_first_is_not_always_best(tmp_path: Path) -> None:
    """Greedy as its authors made it: one target two links away comes before many three away."""
    many = "456789"
    links = {"a": "bc", "b": "t", "t": "", "c": "d", "d": many} | dict.fromkeys(many, "")
    web = web_of(tmp_path / "web", links, labels={"target": "t" + many}, hosts={})
    ground = Ground.lay(web, task_of())
    assert crawl(ground, "optimal") == "abtcd" + many
    greedy, better = run(ground, Spec.parse("optimal")), run(ground, Spec.parse("breadth-first"))
    assert crawl(ground, "breadth-first") == "abctd" + many
    assert auc(greedy, ground) > auc(better, ground)
    assert auc(trace_of(ground, "acd" + many + "bt"), ground) > auc(greedy, ground)


def test_perfect_distance_does_not_mind_that_a_target_was_visited(tmp_path: Path) -> None:
    """x is nearest to the target t that was visited already, y is on the way to the other."""
    links = {"a": "tx", "t": "x", "x": "tu", "u": "y", "y": "z", "z": ""}
    web = web_of(tmp_path / "web", links, labels={"target": "tz"}, hosts={})
    ground = Ground.lay(web, task_of())
    assert crawl(ground, "perfect-distance") == "atxuyz"
    links |= {"a": "txy", "x": "tu", "u": "t", "y": "w", "w": "z"}
    web = web_of(tmp_path / "other", links, labels={"target": "tz"}, hosts={})
    ground = Ground.lay(web, task_of())
    assert crawl(ground, "perfect-distance") == "atxuywz"
    assert crawl(ground, "optimal") == "atywzxu"


def test_perfect_reward_prefers_many_targets_to_a_near_one(tmp_path: Path) -> None:
    links = {"a": "bc", "b": "t", "t": "", "c": "d", "d": "e", "e": "f", "f": ""}
    web = web_of(tmp_path / "web", links, labels={"target": "tdef"}, hosts={})
    ground = Ground.lay(web, task_of())
    assert crawl(ground, "perfect-reward") == "acdefbt"
    assert crawl(ground, "perfect-reward:gamma=0.5:horizon=1")[:3] == "abt"


def test_an_oracle_ends_when_nothing_is_left(ground: Ground) -> None:
    for spec in ("optimal", "perfect-distance", "perfect-reward"):
        assert sorted(crawl(ground, spec)) == list("abcdefg")


@pytest.mark.parametrize(
    "spec",
    [
        "optimal:gamma=0.5",
        "perfect-distance:horizon=3",
        "perfect-reward:gamma=x",
        "perfect-reward:gamma=1",
        "perfect-reward:horizon=0",
        "perfect-reward:horizon=1.5",
        "perfect-reward:depth=2",
    ],
)
def test_a_bad_setting_is_a_sentence(tiny: RecordedWeb, spec: str) -> None:
    with pytest.raises(BadInput, match=r"oracle '(optimal|perfect-)"):
        make_oracle(Spec.parse(spec), Ground.lay(tiny, task_of()))
