"""From traces to tables: pooled numbers by hand, and what counts as evidence."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from lab.tiny import TARGETS, letters, summary_of, task_of, trace_of, url, web_of
from wolfspider.cli.lab import strict
from wolfspider.errors import BadInput
from wolfspider.lab.ground import Ground
from wolfspider.lab.run import run
from wolfspider.lab.similarity import similarity_curves
from wolfspider.lab.summary import Summary, band, cell
from wolfspider.policies import Spec
from wolfspider.text import TfIdf, terms
from wolfspider.webs.recorded import RecordedWeb

BREADTH_FIRST, BEST = "abcdefg", "abdegcf"  # areas 5/14 and 8/14


def two_tasks(tiny: RecordedWeb) -> Summary:
    """Task one: areas 5/14, 6/14 (x), 8/14. Task two, from b: b d e g, areas to be halved by 4."""
    one = Ground.lay(tiny, task_of(name="one"))
    two = Ground.lay(tiny, task_of("b", name="two"))
    assert two.budget == 4
    return summary_of(
        (one, trace_of(one, BREADTH_FIRST, "breadth-first")),
        (one, trace_of(one, BEST, "optimal")),
        (one, trace_of(one, "abdcfeg", "x")),
        (two, trace_of(two, "bedg", "breadth-first")),  # 0 0 1 2 → 3/8
        (two, trace_of(two, "bdeg", "optimal")),  # 0 1 1 2 → 4/8
        (two, trace_of(two, "be", "x")),  # 0
    )


# -- gap -----------------------------------------------------------------------------------


def test_gap_is_pooled_over_tasks(tiny: RecordedWeb) -> None:
    """Mean areas: x (6/14 + 0)/2, breadth-first (5/14 + 3/8)/2, optimal (8/14 + 4/8)/2."""
    summary = two_tasks(tiny)
    by_hand = (6 / 14 - 5 / 14 - 3 / 8) / (8 / 14 + 4 / 8 - 5 / 14 - 3 / 8)
    assert summary.gap("x") == pytest.approx(by_hand)
    mean_of_ratios = ((6 - 5) / (8 - 5) + (0 - 3) / (4 - 3)) / 2
    assert by_hand != pytest.approx(mean_of_ratios)


def test_gap_is_0_for_breadth_first_and_1_for_the_optimum(tiny: RecordedWeb) -> None:
    summary = two_tasks(tiny)
    for policy, value in (("breadth-first", 0), ("optimal", 1)):
        pooled = summary.pooled(policy)
        assert pooled["gap"]["mean"] == pytest.approx(value)
        assert pooled["gap"]["se"] == pytest.approx(0)
        assert pooled["worst"]["mean"] == pytest.approx(value)


def test_the_worst_task_by_hand(tiny: RecordedWeb) -> None:
    summary = two_tasks(tiny)
    assert summary.task_gaps("x") == pytest.approx({"one": 1 / 3, "two": -3})
    assert summary.worst("x") == pytest.approx(-3)


def test_gap20_looks_at_the_first_fifth(tmp_path: Path) -> None:
    """Ten pages: the first fifth is two fetches, and only the second can bring a target."""
    web = web_of(tmp_path / "web", {"a": "bcdefghij"} | dict.fromkeys("bcdefghij", ""), hosts={})
    ground = Ground.lay(web, task_of(targets=(web.url(9),)))
    trace = run(ground, Spec.parse("breadth-first"))
    optimal = run(ground, Spec.parse("optimal"))
    assert letters(optimal, ground)[:2] == "aj"
    third = trace_of(ground, "abcdefghi", "x")
    summary = summary_of((ground, trace), (ground, optimal), (ground, third))
    assert summary.gap("optimal", "auc20") == 1
    assert summary.gap("x", "auc20") == 0
    assert summary.pooled("x")["gap20"]["mean"] == 0
    assert summary.gap("x") == pytest.approx((0 - 1 / 10) / (9 / 10 - 1 / 10))


def test_gap_does_not_explode_where_breadth_first_is_optimal(tiny: RecordedWeb) -> None:
    """A task that leaves no room says nothing about where in the room a policy is."""
    easy = Ground.lay(tiny, task_of("e", name="easy"))
    hard = Ground.lay(tiny, task_of(name="hard"))
    alone = [
        (easy, trace_of(easy, "eg", "breadth-first")),
        (easy, trace_of(easy, "eg", "optimal")),
        (easy, trace_of(easy, "e", "x")),
    ]
    only = summary_of(*alone)
    assert only.gap("x") is None
    assert only.worst("x") is None
    assert only.table()["x"]["gap"] == {"mean": None, "se": None, "median": None}
    both = summary_of(
        *alone,
        (hard, trace_of(hard, BREADTH_FIRST, "breadth-first")),
        (hard, trace_of(hard, BEST, "optimal")),
        (hard, trace_of(hard, BEST, "x")),
    )
    assert both.worst("x") == pytest.approx(1)  # of the hard task; the easy one has no gap
    assert both.gap("x") == pytest.approx((3 / 14 - 1 / 2) / (3 / 14))
    error = both.pooled("x")["gap"]["se"]
    assert error is not None
    assert math.isfinite(error)


def test_without_references_there_is_no_gap(ground: Ground) -> None:
    summary = summary_of((ground, trace_of(ground, BEST, "x")))
    assert summary.gap("x") is None
    assert summary.worst("x") is None


def test_breadth_first_with_a_buffer_is_the_reference_when_there_is_no_other(
    ground: Ground,
) -> None:
    runs = [
        (ground, trace_of(ground, BREADTH_FIRST, "breadth-first:buffer=256")),
        (ground, trace_of(ground, BEST, "oracle")),
        (ground, trace_of(ground, "abdcfeg", "x")),
    ]
    assert summary_of(*runs).gap("x") == pytest.approx(1 / 3)
    plain = (ground, trace_of(ground, "abdcefg", "breadth-first"))
    assert summary_of(*runs, plain).gap("breadth-first") == 0


def test_the_error_of_gap_is_that_of_a_bootstrap_over_tasks(tiny: RecordedWeb) -> None:
    """With two tasks a resample is one of them twice or both: 1/3, −3 or the pooled gap."""
    gap = two_tasks(tiny).gap("x")
    assert gap is not None
    spread = math.sqrt(np.var([1 / 3, -3, gap, gap]))
    assert two_tasks(tiny).pooled("x")["gap"]["se"] == pytest.approx(spread, rel=0.05)


# -- similarity ----------------------------------------------------------------------------


def test_similarity_by_hand(tmp_path: Path) -> None:
    """Two pages, two words: ln 2 for both; a has the topic's word and nothing else."""
    web = web_of(
        tmp_path / "web", {"a": "d", "d": ""}, {"target": "d"}, {"a": "spider", "d": "fish"}
    )
    ground = Ground.lay(web, task_of(description="a spider"))
    [curve] = similarity_curves([trace_of(ground, "ad")], ground)
    assert curve.tolist() == pytest.approx([1, 1 / 2])
    [failed] = similarity_curves([trace_of(ground, "a-d")], ground)
    assert failed.tolist() == pytest.approx([1, 1 / 2, 1 / 3])


def test_similarity_is_the_formula_of_the_paper(tmp_path: Path) -> None:
    words = {
        "a": "spider web spider hunt",
        "b": "web hunt prey fish",
        "c": "fish water water",
        "d": "spider prey spider spider",
        "e": "hunt spider fish",
    }
    web = web_of(tmp_path / "web", words=words)
    ground = Ground.lay(web, task_of(description="spider hunt prey prey"))
    traces = [trace_of(ground, "abd"), trace_of(ground, "ace"), trace_of(ground, "")]
    weights = TfIdf()
    for page in "abcde":  # the union of the crawls, each page once
        weights.add(terms(words[page]))
    topic = terms(ground.task.description)
    cosine = {page: weights.cosine(terms(words[page]), topic) for page in "abcde"}
    first, second, third = similarity_curves(traces, ground)
    assert first[-1] == pytest.approx(np.mean([cosine[page] for page in "abd"]))
    assert second[-1] == pytest.approx(np.mean([cosine[page] for page in "ace"]))
    assert len(third) == 0


def test_similarity_is_counted_over_all_crawls_of_the_task_and_no_other(tmp_path: Path) -> None:
    words = {"a": "spider hunt", "b": "spider", "c": "fish", "d": "hunt", "e": "eel", "h": "spider"}
    web = web_of(tmp_path / "web", words=words)
    ground = Ground.lay(web, task_of(name="one", description="spider"))
    other = Ground.lay(web, task_of("h", name="two", description="eel hunt"))
    one, two = trace_of(ground, "ab", "x"), trace_of(ground, "ac", "y")
    summary = summary_of((ground, one), (ground, two), (other, trace_of(other, "habe", "x")))
    alone = similarity_curves([one, two], ground)
    assert summary.similarity[id(one)].tolist() == pytest.approx(alone[0].tolist())
    assert summary.similarity[id(two)].tolist() == pytest.approx(alone[1].tolist())
    value = summary.values("x", "similarity@2")
    assert value["one", ground.starts] == pytest.approx(alone[0][1])
    assert summary.values("x", "similarity@99") == pytest.approx(
        summary.values("x", "similarity@4")
    )


def test_words_that_are_everywhere_make_nothing_similar(tmp_path: Path) -> None:
    web = web_of(tmp_path / "web", words=dict.fromkeys("abcdefgh", "spider"))
    ground = Ground.lay(web, task_of(description="spider"))
    [curve] = similarity_curves([trace_of(ground, "abc")], ground)
    assert curve.tolist() == [0, 0, 0]


def test_similarity_needs_descriptions(ground: Ground) -> None:
    summary = summary_of((ground, trace_of(ground, BEST, "x")))
    with pytest.raises(BadInput, match="needs a description"):
        summary.values("x", "similarity@5")
    assert not any(name.startswith("similarity") for name in summary.metric_names())
    with pytest.raises(BadInput, match="similarity@N"):
        summary.values("x", "similarity@many")


# -- cost ----------------------------------------------------------------------------------


def test_relative_cost_by_hand(tiny: RecordedWeb) -> None:
    """Over the mean of the policies, in which an oracle has no part (eq. 8)."""
    ground = Ground.lay(tiny, task_of(description="spider"))
    summary = summary_of(
        (ground, trace_of(ground, BEST, "x", cpu_seconds=1.0)),
        (ground, trace_of(ground, BEST, "y", cpu_seconds=2.0, repeat=0)),
        (ground, trace_of(ground, BEST, "y", cpu_seconds=4.0, repeat=1)),
        (ground, trace_of(ground, BEST, "optimal", cpu_seconds=10.0)),
    )
    costs = {policy: cell(summary.values(policy, "cost"))["mean"] for policy in summary.policies}
    assert costs == pytest.approx({"x": 1 / 2, "y": 3 / 2, "optimal": 5})


def test_performance_over_cost_by_hand(tmp_path: Path) -> None:
    """Mean recall × mean similarity ÷ mean relative cost (eq. 9)."""
    web = web_of(
        tmp_path / "web", {"a": "d", "d": ""}, {"target": "d"}, {"a": "spider", "d": "fish"}
    )
    ground = Ground.lay(web, task_of(description="spider"))
    summary = summary_of(
        (ground, trace_of(ground, "ad", "x", cpu_seconds=1.0)),
        (ground, trace_of(ground, "a", "y", cpu_seconds=3.0)),
    )
    assert summary.pooled("x")["performance_cost"]["mean"] == pytest.approx(1 * (1 / 2) / (1 / 2))
    assert summary.pooled("y")["performance_cost"]["mean"] == 0


# -- units ---------------------------------------------------------------------------------


def test_repeats_from_the_same_start_are_one_unit(ground: Ground) -> None:
    summary = summary_of(
        (ground, trace_of(ground, BEST, "x", repeat=0)),  # first target 3
        (ground, trace_of(ground, BREADTH_FIRST, "x", repeat=1)),  # 4
        (ground, trace_of(ground, "ab-", "x", repeat=2)),  # 8
    )
    assert summary.values("x", "first_target") == {("tiny", ground.starts): 5}
    assert cell(summary.values("x", "first_target")) == {"mean": 5, "se": 0, "median": 5}


def test_drawn_starts_are_units_of_their_own(tiny: RecordedWeb) -> None:
    grounds = [Ground.lay(tiny, task_of(page)) for page in "abe"]
    crawls = ["abd", "bd", "eg"]  # first targets 3, 2, 2
    runs = [
        (ground, trace_of(ground, crawl, "x", repeat=repeat))
        for repeat, (ground, crawl) in enumerate(zip(grounds, crawls, strict=True))
    ]
    values = summary_of(*runs).values("x", "first_target")
    assert list(values.values()) == [3, 2, 2]
    found = cell(values)
    assert found["mean"] == pytest.approx(7 / 3)
    assert found["se"] == pytest.approx(stats.sem([3, 2, 2]))
    assert found["median"] == 2


def test_tasks_with_several_starts_weigh_the_same_in_gap(tiny: RecordedWeb) -> None:
    """Task one has two starts, task two has one: the mean over starts comes first."""
    starts = [Ground.lay(tiny, task_of(page, name="one")) for page in "ab"]
    two = Ground.lay(tiny, task_of(name="two"))
    runs = []
    for ground in (*starts, two):
        for policy in ("breadth-first", "optimal"):
            trace = run(ground, Spec.parse(policy))
            runs.append((ground, trace))
    runs += [
        (starts[0], trace_of(starts[0], BEST, "x")),
        (starts[1], trace_of(starts[1], "b", "x")),
    ]
    runs += [(two, trace_of(two, BREADTH_FIRST, "x"))]
    areas = {"x": ((8 / 14 + 0) / 2, 5 / 14), "bf": ((5 / 14 + 4 / 8) / 2, 5 / 14)}
    areas["best"] = ((8 / 14 + 4 / 8) / 2, 8 / 14)
    x, bf, best = (float(np.mean(areas[name])) for name in ("x", "bf", "best"))
    assert summary_of(*runs).gap("x") == pytest.approx((x - bf) / (best - bf))


def test_failed_runs_are_kept_apart(ground: Ground) -> None:
    summary = summary_of(
        (ground, trace_of(ground, BEST, "x")),
        (ground, trace_of(ground, "ab", "y", error="Traceback …\nOops")),
    )
    assert summary.policies == ["x"]
    assert [trace.key.policy for trace in summary.failed] == ["y"]


# -- comparisons ---------------------------------------------------------------------------


def comparison(tiny: RecordedWeb) -> Summary:
    runs = []
    for page, crawls in {
        "a": ("abcd", "abd", "a"),
        "b": ("bd", "bed", "bd"),
        "e": ("eg",) * 3,
    }.items():
        ground = Ground.lay(tiny, task_of(page, name=page))
        for policy, crawl in zip(("breadth-first", "x", "y"), crawls, strict=True):
            runs.append((ground, trace_of(ground, crawl, policy)))
    return summary_of(*runs)


def test_a_comparison_pairs_by_task_and_start(tiny: RecordedWeb) -> None:
    """First targets: breadth-first 4 2 2, x 3 3 2, y 8 2 2; fewer is better."""
    found = comparison(tiny).compare("breadth-first", "first_target")
    assert list(found) == ["x", "y"]
    assert (found["x"].difference, found["x"].median) == (0, 0)
    assert (found["x"].wins, found["x"].losses, found["x"].pairs) == (1, 1, 3)
    assert found["y"].difference == pytest.approx(4 / 3)
    assert (found["y"].wins, found["y"].losses) == (0, 1)
    assert found["x"].p_holm == 1


def test_p_values_are_corrected_over_policies(tiny: RecordedWeb) -> None:
    grounds = [Ground.lay(tiny, task_of(name=f"task {n}")) for n in range(6)]
    runs = []
    for n, ground in enumerate(grounds):
        runs.append((ground, trace_of(ground, "ab-" + "-" * n + "d", "breadth-first")))
        runs.append((ground, trace_of(ground, "abd", "x")))
        runs.append((ground, trace_of(ground, "ab-d", "y")))
    found = summary_of(*runs).compare("breadth-first", "first_target")
    assert found["x"].p == pytest.approx(2 / 2**6)
    assert found["y"].p > found["x"].p
    assert found["x"].p_holm == pytest.approx(2 * found["x"].p)
    assert found["y"].p_holm == pytest.approx(max(found["y"].p, found["x"].p_holm))


def test_where_one_policy_failed_the_pair_is_left_out(tiny: RecordedWeb) -> None:
    a, b = (Ground.lay(tiny, task_of(page, name=page)) for page in "ab")
    summary = summary_of(
        (a, trace_of(a, "abd", "breadth-first")),
        (b, trace_of(b, "bd", "breadth-first")),
        (a, trace_of(a, "abcd", "x")),
        (b, trace_of(b, "bd", "x", error="Oops")),
    )
    assert summary.compare("breadth-first", "first_target")["x"].pairs == 1


def test_two_crawls_that_found_nothing_do_not_differ(tiny: RecordedWeb) -> None:
    """−∞ − −∞ is no number; that both found nothing is a tie."""
    found = comparison(tiny).compare("breadth-first", "log_reward:0.5")["y"]
    assert (found.wins, found.losses, found.pairs) == (0, 1, 3)
    assert found.difference == -math.inf
    grounds = [Ground.lay(tiny, task_of(page, name=page)) for page in "ab"]
    nothing = [
        (ground, trace_of(ground, ground.web.url(ground.starts[0])[-1], policy))
        for ground in grounds
        for policy in ("breadth-first", "x")
    ]
    tie = summary_of(*nothing).compare("breadth-first", "log_reward:0.5")["x"]
    assert (tie.difference, tie.p, tie.wins, tie.losses) == (0, 1, 0, 0)


def test_rounding_makes_nobody_win(tiny: RecordedWeb) -> None:
    """The mean of three times 1/14·5 is not always 1/14·5 in floating point."""
    ground = Ground.lay(tiny, task_of())
    runs = [(ground, trace_of(ground, BREADTH_FIRST, "x", repeat=r)) for r in range(3)]
    runs += [(ground, trace_of(ground, BREADTH_FIRST, "y"))]
    found = summary_of(*runs).compare("y", "reward:0.9")["x"]
    assert (found.wins, found.losses, found.difference) == (0, 0, 0)


@pytest.mark.parametrize(
    ("baseline", "name", "sentence"),
    [
        ("z", "auc", "no runs of 'z' in these results; known: breadth-first, x, y"),
        ("x", "gap", "gap is one number for all tasks; compare with auc instead"),
        ("x", "worst", "compare with auc"),
        ("x", "wins", "unknown metric 'wins'"),
    ],
)
def test_a_comparison_that_cannot_be(
    tiny: RecordedWeb, baseline: str, name: str, sentence: str
) -> None:
    with pytest.raises(BadInput, match=sentence):
        comparison(tiny).compare(baseline, name)


# -- tables --------------------------------------------------------------------------------


def test_the_table_has_what_scripts_rely_on(tmp_path: Path) -> None:
    web = web_of(tmp_path / "web", words=dict.fromkeys("abcd", "spider"))
    ground = Ground.lay(web, task_of(budget=5, description="spider"))
    runs = [(ground, run(ground, Spec.parse(spec))) for spec in ("breadth-first", "optimal")]
    row = summary_of(*runs).table()["breadth-first"]
    plain = "first_target to25 to50 to75 to90 auc gap gap20 worst cpu_ms_per_page"
    at = [f"{kind}@5" for kind in ("targets", "recall", "harvest", "similarity")]
    assert {*plain.split(), *at, "reward:0.5", "reward:0.9", "reward:0.99"} <= row.keys()
    assert all(each.keys() == {"mean", "se", "median"} for each in row.values())


def test_a_budget_that_was_asked_for_is_reported_at_even_if_the_web_is_smaller(
    tiny: RecordedWeb,
) -> None:
    ground = Ground.lay(tiny, task_of(budget=1000))
    summary = summary_of((ground, trace_of(ground, BEST, "x")))
    assert summary.checkpoints == [7, 50, 100, 200, 500, 1000]
    assert summary.table()["x"]["targets@1000"]["mean"] == 2


def test_a_table_is_strict_json_even_after_crawls_that_found_nothing(tiny: RecordedWeb) -> None:
    ground = Ground.lay(tiny, task_of(description="nothing of this"))
    other = Ground.lay(tiny, task_of(name="other", description="nothing of this"))
    summary = summary_of(
        (ground, trace_of(ground, "", "x")),
        (other, trace_of(other, "abd", "x")),
        (ground, trace_of(ground, "", "y")),
        (other, trace_of(other, "", "y")),
    )
    table = json.loads(json.dumps(strict(summary.table()), allow_nan=False))
    assert table["x"]["log_reward:0.5"] == {"mean": None, "se": None, "median": None}
    assert table["y"]["targets@7"]["mean"] == 0


def test_strict_json_has_null_for_what_is_no_number() -> None:
    found = strict({"a": [math.nan, (1.5, -math.inf)], "b": {"c": math.inf, "d": "nan"}})
    assert found == {"a": [None, [1.5, None]], "b": {"c": None, "d": "nan"}}


def test_no_values_make_an_empty_cell() -> None:
    assert cell({}) == {"mean": None, "se": None, "median": None}


# -- curves --------------------------------------------------------------------------------


def test_the_recall_curve_is_as_long_as_the_budget(ground: Ground) -> None:
    summary = summary_of(
        (ground, trace_of(ground, "abd", "x", repeat=0)),
        (ground, trace_of(ground, BEST, "x", repeat=1)),
    )
    curve = summary.curve("x", ("tiny", ground.starts), "recall")
    assert curve.tolist() == [0, 0, 0.5, 0.5, 0.75, 0.75, 0.75]


def test_the_similarity_curve_stays_where_the_crawl_ended(tmp_path: Path) -> None:
    web = web_of(
        tmp_path / "web", {"a": "d", "d": ""}, {"target": "d"}, {"a": "spider", "d": "fish"}
    )
    ground = Ground.lay(web, task_of(description="spider"))
    summary = summary_of(
        (ground, trace_of(ground, "a", "x")),
        (ground, trace_of(ground, "ad", "y")),
        (ground, trace_of(ground, "", "z")),
    )
    unit = ("tiny", ground.starts)
    assert summary.curve("x", unit, "similarity").tolist() == pytest.approx([1, 1])
    assert summary.curve("z", unit, "similarity").tolist() == [0, 0]


def test_a_band_is_mean_and_standard_error() -> None:
    curves = [np.array([0.0, 1.0, 1.0]), np.array([0.0, 0.5])]
    mean, error = band(curves)
    assert mean.tolist() == [0, 0.75]
    assert error.tolist() == pytest.approx([0, stats.sem([1, 0.5])])


def test_the_letters_are_right(tiny: RecordedWeb) -> None:
    assert [tiny.number(url(page)) for page in TARGETS] == [3, 6, 7]
