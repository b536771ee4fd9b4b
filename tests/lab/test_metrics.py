"""Every metric against numbers computed by hand on the web of `tiny`."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from lab.tiny import HOSTS, LINKS, letters, task_of, trace_of, web_of
from wolfspider.errors import BadInput
from wolfspider.lab import metrics
from wolfspider.lab.ground import Ground
from wolfspider.lab.metrics import higher_is_better, metric
from wolfspider.lab.run import run
from wolfspider.policies import Spec
from wolfspider.webs.recorded import RecordedWeb

BREADTH_FIRST = "abcdefg"  # finds d with the 4th fetch, g with the 7th
BEST = "abdegcf"  # 3rd and 5th


def measure(ground: Ground, pages: str, name: str) -> float:
    return metric(name)(trace_of(ground, pages, cpu_seconds=0.014), ground)


def test_the_ground_is_as_drawn(ground: Ground) -> None:
    assert ground.targets.tolist() == [page in "dgh" for page in LINKS]
    assert ground.reachable.tolist() == [page != "h" for page in LINKS]
    assert ground.wanted.tolist() == [page in "dg" for page in LINKS]
    assert ground.budget == 7


BY_HAND = {
    "targets@3": (0, 1),
    "targets@4": (1, 1),
    "targets@7": (2, 2),
    "targets@100": (2, 2),
    "recall@3": (0, 1 / 2),
    "recall@5": (1 / 2, 1),
    "recall@100": (1, 1),
    "harvest@3": (0, 1 / 3),
    "harvest@5": (1 / 5, 2 / 5),
    "harvest@7": (2 / 7, 2 / 7),
    "harvest@100": (2 / 7, 2 / 7),
    "first_target": (4, 3),
    "to25": (4 / 7, 3 / 7),
    "to50": (4 / 7, 3 / 7),
    "to75": (7 / 7, 5 / 7),
    "to90": (7 / 7, 5 / 7),
    "auc": ((3 * 1 + 1 * 2) / 2 / 7, (2 * 1 + 3 * 2) / 2 / 7),
    "auc20": (0, 0),  # the first of seven fetches
    "reward:0.5": (0.5**3 + 0.5**6, 0.5**2 + 0.5**4),
    "reward:0.9": (0.9**3 + 0.9**6, 0.9**2 + 0.9**4),
    "log_reward:0.5": (math.log(0.5**3 + 0.5**6), math.log(0.5**2 + 0.5**4)),
    "hosts": (2, 2),
    "bytes": (0, 0),
    "cpu_ms_per_page": (2, 2),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand(ground: Ground, name: str) -> None:
    breadth_first, best = BY_HAND[name]
    assert measure(ground, BREADTH_FIRST, name) == pytest.approx(breadth_first)
    assert measure(ground, BEST, name) == pytest.approx(best)


def test_every_plain_metric_has_a_hand_computed_example() -> None:
    known = {name.partition("@")[0].partition(":")[0] for name in BY_HAND}
    assert known == {*metrics._PLAIN, *metrics._AT, *metrics._GAMMA}


def test_the_first_fifth_is_of_the_budget(tmp_path: Path) -> None:
    web = web_of(tmp_path / "web", {"a": "bcdefghij"} | dict.fromkeys("bcdefghij", ""))
    ground = Ground.lay(web, task_of(targets=tuple(web.url(n) for n in (1, 2))))
    assert ground.budget == 10
    assert measure(ground, "abcdefghij", "auc20") == pytest.approx((0 + 1) / 2 / 2)
    assert measure(ground, "acbdefghij", "auc") == pytest.approx((0 + 1 + 8 * 2) / 2 / 10)


def test_bytes_are_those_of_visible_text(tmp_path: Path) -> None:
    web = web_of(tmp_path / "web", words={"a": "one two", "d": "dé", "g": "unseen"})
    ground = Ground.lay(web, task_of())
    assert measure(ground, "abd", "bytes") == len(b"one two") + len("dé".encode())
    assert measure(ground, "a-a", "bytes") == 2 * len(b"one two")


def test_targets_on_one_host_make_one_relevant_host(tmp_path: Path) -> None:
    web = web_of(tmp_path / "web", hosts={})
    task = task_of(targets=(web.url(3), web.url(6)))
    ground = Ground.lay(web, task)
    everything = np.array([0, 1, 3, 4, 6], np.int32)
    trace = trace_of(ground, "")
    assert metrics.relevant_hosts(trace, ground) == 0
    full = type(trace)(trace.key, everything, everything >= 0, 0.0, 0.0, trace.starts)
    assert metrics.relevant_hosts(full, ground) == 1
    assert len(HOSTS) == 2


# -- crawls that went badly ----------------------------------------------------------------


def test_a_crawl_without_targets(ground: Ground) -> None:
    crawl = "abcef"
    nothing = ("targets@7", "recall@7", "harvest@7", "auc", "reward:0.5", "hosts")
    assert [measure(ground, crawl, name) for name in nothing] == [0] * len(nothing)
    assert measure(ground, crawl, "first_target") == 7 + 1
    assert [measure(ground, crawl, f"to{share}") for share in (25, 50, 75, 90)] == [1] * 4
    assert measure(ground, crawl, "log_reward:0.5") == -math.inf


def test_a_crawl_that_ended_early_goes_on_flat(ground: Ground) -> None:
    assert measure(ground, "abd", "targets@7") == 1
    assert measure(ground, "abd", "recall@7") == 1 / 2
    assert measure(ground, "abd", "harvest@7") == pytest.approx(1 / 3)
    assert measure(ground, "abd", "auc") == pytest.approx(5 * 1 / 2 / 7)
    assert measure(ground, "abd", "to75") == 1


def test_a_crawl_of_nothing(ground: Ground) -> None:
    for name in BY_HAND:
        value = measure(ground, "", name)
        assert value == measure(ground, "a", name) or name == "cpu_ms_per_page", name


def test_failed_fetches_cost_a_fetch_and_find_nothing(ground: Ground) -> None:
    assert metrics.found(trace_of(ground, "-ab-d"), ground).tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert measure(ground, "-ab-d", "harvest@5") == pytest.approx(1 / 5)
    assert measure(ground, "-ab-d", "first_target") == 5
    assert measure(ground, "-ab-d", "hosts") == 1


def test_a_target_counts_once_however_often_it_is_visited(ground: Ground) -> None:
    assert metrics.found(trace_of(ground, "abddbdeg"), ground).tolist() == [0, 0, 1, 1, 1, 1, 1, 2]
    assert measure(ground, "abddbdeg", "recall@8") == 1
    assert measure(ground, "abdddd", "reward:0.5") == 0.25


def test_a_late_reward_does_not_vanish_in_its_logarithm(tmp_path: Path) -> None:
    """γ^t is 0 in floating point for t = 5000 and γ = 0.5; its logarithm is not."""
    ground = Ground.lay(web_of(tmp_path / "web"), task_of())
    trace = trace_of(ground, "-" * 5000 + "d")
    assert metrics.log_reward(trace, ground, 0.5) == pytest.approx(5000 * math.log(0.5))
    assert metrics.reward(trace, ground, 0.5) == 0


# -- tasks with limits ---------------------------------------------------------------------


def test_seeds_that_are_targets_count(tiny: RecordedWeb) -> None:
    ground = Ground.lay(tiny, task_of("hd"))
    assert ground.wanted.sum() == 3
    assert measure(ground, "hda", "first_target") == 1
    assert measure(ground, "hda", "recall@2") == pytest.approx(2 / 3)
    assert letters(run(ground, Spec.parse("breadth-first")), ground)[:2] == "hd"


def test_a_budget_beyond_what_can_be_reached_is_cut(tiny: RecordedWeb) -> None:
    ground = Ground.lay(tiny, task_of(budget=1000))
    assert ground.budget == 7
    trace = run(ground, Spec.parse("breadth-first"))
    assert letters(trace, ground) == BREADTH_FIRST
    assert metrics.auc(trace, ground) == pytest.approx(5 / 14)


def test_time_is_measured_of_a_policy_that_has_nothing_left(ground: Ground) -> None:
    trace = run(ground, Spec.parse("breadth-first"))
    assert len(trace) == ground.budget
    assert 0 < trace.cpu_seconds <= trace.seconds
    assert metrics.cpu_ms_per_page(trace, ground) == pytest.approx(1000 * trace.cpu_seconds / 7)


def test_a_smaller_budget_ends_the_crawl_and_the_area(tiny: RecordedWeb) -> None:
    ground = Ground.lay(tiny, task_of(budget=4))
    trace = run(ground, Spec.parse("breadth-first"))
    assert letters(trace, ground) == "abcd"
    assert metrics.auc(trace, ground) == pytest.approx(1 / 2 / 4)
    assert metrics.first_target(trace_of(ground, "abce"), ground) == 5
    assert metrics.to_share(trace, ground, 0.5) == pytest.approx(4 / 7)  # of reachable pages


def test_a_crawl_stops_when_enough_is_found(tiny: RecordedWeb) -> None:
    ground = Ground.lay(tiny, task_of(until=1))
    assert letters(run(ground, Spec.parse("breadth-first")), ground) == "abcd"
    two = Ground.lay(tiny, task_of(until=2))
    assert letters(run(two, Spec.parse("optimal")), two) == "abdeg"


def test_only_pages_within_the_cone_exist(tiny: RecordedWeb) -> None:
    ground = Ground.lay(tiny, task_of(cone=2))
    assert ground.reachable.sum() == 6
    assert ground.wanted.sum() == 1
    trace = run(ground, Spec.parse("breadth-first"))
    assert letters(trace, ground) == "abcdef"
    assert metrics.recall(trace, ground, 6) == 1
    assert metrics.to_share(trace, ground, 0.9) == pytest.approx(4 / 6)


def test_only_pages_with_the_label_exist(tmp_path: Path) -> None:
    web = web_of(tmp_path / "web", labels={"target": "dgh", "part": "abdh"})
    ground = Ground.lay(web, task_of(within="part"))
    assert letters(run(ground, Spec.parse("breadth-first")), ground) == "abd"
    assert ground.wanted.sum() == 1
    assert measure(ground, "abd", "to90") == 1


def test_fish_search_gives_up_and_is_measured_all_the_same(tiny: RecordedWeb) -> None:
    ground = Ground.lay(tiny, task_of())
    trace = run(ground, Spec.parse("fish-search:depth=1"))
    assert letters(trace, ground) == "abc"
    assert metrics.targets(trace, ground, 7) == 0
    assert metrics.first_target(trace, ground) == 8


@pytest.mark.usefixtures("rogue_site")
def test_real_crawls_with_failures_returns_and_idleness(tiny: RecordedWeb) -> None:
    ground = Ground.lay(tiny, task_of())
    straying = run(ground, Spec.parse("straying"))
    assert letters(straying, ground) == "a-b-c-d"
    assert metrics.harvest(straying, ground, 7) == pytest.approx(1 / 7)
    returning = run(ground, Spec.parse("returning"))
    assert letters(returning, ground) == "aabbccd"
    idle = run(ground, Spec.parse("idle"))
    assert letters(idle, ground) == ""
    assert metrics.cpu_ms_per_page(idle, ground) >= 0


@pytest.mark.usefixtures("rogue_site")
def test_a_target_visited_twice_does_not_end_a_crawl_for_two(tiny: RecordedWeb) -> None:
    ground = Ground.lay(tiny, task_of("d", until=2, targets=tuple(map(tiny.url, (3, 6)))))
    assert ground.budget == 1
    both = Ground.lay(tiny, task_of("de", until=2))
    assert letters(run(both, Spec.parse("returning")), both) == "dde"
    assert len(run(ground, Spec.parse("returning"))) == 1


# -- names ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["", "recal@10", "recall", "recall@0", "recall@x", "reward:1", "reward:nan", "to33"]
)
def test_an_unknown_metric_is_a_sentence(name: str) -> None:
    with pytest.raises(BadInput, match=r"unknown metric .*known: first_target.*targets@N.*gap"):
        metric(name)


def test_which_way_is_up() -> None:
    assert higher_is_better("recall@50")
    assert higher_is_better("gap")
    assert not higher_is_better("to75")
    assert not higher_is_better("first_target")
