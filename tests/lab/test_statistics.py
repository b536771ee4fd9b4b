"""Statistics against SciPy and by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from wolfspider.lab.statistics import (
    bootstrap_interval,
    compare,
    holm,
    standard_error,
    wilcoxon,
)
from wolfspider.records import Floats


def floats(*values: float) -> Floats:
    return np.array(values, np.float64)


# -- Wilcoxon ------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 5, 12, 30, 80])
def test_wilcoxon_is_scipys(size: int) -> None:
    values = np.random.default_rng(size).normal(0.3, 1.0, size)
    assert wilcoxon(values) == pytest.approx(stats.wilcoxon(values).pvalue, rel=1e-9)


@pytest.mark.parametrize("size", [3, 8, 11, 20, 60])
def test_wilcoxon_is_scipys_with_ties_and_zeros(size: int) -> None:
    values = np.random.default_rng(size).integers(-2, 4, size).astype(np.float64)
    values[0] = 0
    assert wilcoxon(values) == pytest.approx(stats.wilcoxon(values).pvalue, rel=1e-9)


@given(st.lists(st.integers(-4, 4).filter(bool), min_size=1, max_size=8))
def test_wilcoxon_counts_all_signs(values: list[int]) -> None:
    """The exact test by its definition: how many ways to set the signs are as extreme."""
    ranks = stats.rankdata(np.abs(values))
    middle = ranks.sum() / 2
    observed = abs(ranks[np.array(values) > 0].sum() - middle)
    signs = itertools.product([0, 1], repeat=len(values))
    extreme = [abs(float(np.dot(s, ranks)) - middle) >= observed - 1e-9 for s in signs]
    assert wilcoxon(floats(*values)) == pytest.approx(np.mean(extreme))


def test_wilcoxon_by_hand() -> None:
    assert wilcoxon(floats(1, 2, 3, 4, 5)) == pytest.approx(2 / 2**5)  # all of one sign
    assert wilcoxon(floats(-1, 2, 3, 4, 5)) == pytest.approx(4 / 2**5)
    assert wilcoxon(floats(2, 0, 0)) == 1  # one pair says nothing


def test_wilcoxon_of_no_difference_is_1() -> None:
    assert wilcoxon(floats(0, 0, 0)) == 1
    assert wilcoxon(floats()) == 1


def test_rounding_neither_breaks_ties_nor_makes_differences() -> None:
    noisy = floats(0.3 - 0.2, 0.2 - 0.1, 0.1 - 0.2, 1.1 - 1.0)
    assert len(set(np.abs(noisy).tolist())) > 1
    assert wilcoxon(noisy) == pytest.approx(wilcoxon(floats(0.1, 0.1, -0.1, 0.1)))


def test_tiny_differences_are_differences() -> None:
    assert wilcoxon(1e-30 * floats(1, 2, 3, 4, 5)) == pytest.approx(2 / 2**5)


def test_infinite_differences_are_the_largest() -> None:
    assert wilcoxon(floats(1, 2, 3, 4, np.inf)) == pytest.approx(wilcoxon(floats(1, 2, 3, 4, 5)))


# -- Holm ----------------------------------------------------------------------------------


def test_holm_by_hand() -> None:
    """Sorted .005 .01 .03 .04: times 4, 3, 2, 1 → .02 .03 .06 .04, and never falling."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_stops_at_1_and_leaves_one_alone() -> None:
    assert holm([0.6, 0.7]) == [1, 1]
    assert holm([0.03]) == [0.03]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_lies_between_nothing_and_bonferroni_and_keeps_the_order(p: list[float]) -> None:
    corrected = holm(p)
    for before, after in zip(p, corrected, strict=True):
        assert before <= after <= min(1.0, len(p) * before) + 1e-12
    order = np.argsort(p, kind="stable")
    assert np.all(np.diff(np.array(corrected)[order]) >= 0)


# -- bootstrap -----------------------------------------------------------------------------


def test_the_bootstrap_interval_covers_the_mean_as_often_as_it_says() -> None:
    random = np.random.default_rng(1)
    covered = 0
    for sample in range(300):
        low, high = bootstrap_interval(random.exponential(2.0, 40), resamples=600, seed=sample)
        covered += low <= 2.0 <= high
    assert 0.90 <= covered / 300 <= 0.98


def test_the_bootstrap_interval_is_near_the_normal_one() -> None:
    values = np.random.default_rng(2).normal(5.0, 2.0, 400)
    low, high = bootstrap_interval(values)
    half = 1.96 * stats.sem(values)
    assert (low, high) == pytest.approx((values.mean() - half, values.mean() + half), abs=0.03)


def test_the_same_values_give_the_same_interval() -> None:
    values = np.random.default_rng(3).normal(size=12)
    assert bootstrap_interval(values) == bootstrap_interval(values)
    assert bootstrap_interval(values) != bootstrap_interval(values, seed=1)


def test_the_interval_of_what_does_not_vary_is_a_point() -> None:
    assert bootstrap_interval(floats(3)) == (3, 3)
    assert bootstrap_interval(floats(3, 3, 3)) == (3, 3)


# -- all of it -----------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 3, 10, 100])
def test_standard_error_is_scipys(size: int) -> None:
    values = np.random.default_rng(size).normal(size=size)
    assert standard_error(values) == pytest.approx(stats.sem(values))


def test_standard_error_of_one_value_is_0() -> None:
    assert standard_error(floats(3)) == 0


def test_a_comparison_by_hand() -> None:
    found = compare(floats(3, 1, 0, -1, 2, 7))
    assert found.difference == 2
    assert found.median == 1.5
    assert (found.wins, found.losses, found.pairs) == (4, 1, 6)
    assert found.p == pytest.approx(stats.wilcoxon([3, 1, 0, -1, 2, 7]).pvalue)
    assert found.interval[0] <= 2 <= found.interval[1]


def test_where_low_is_good_less_wins() -> None:
    found = compare(floats(-3, -1, 0, 2), low_is_good=True)
    assert (found.difference, found.wins, found.losses) == (-0.5, 2, 1)


def test_a_comparison_with_infinite_differences_warns_nobody() -> None:
    found = compare(floats(1, np.inf, -np.inf))
    assert math.isnan(found.difference)
    assert all(math.isnan(edge) for edge in found.interval)
    assert (found.wins, found.losses) == (2, 1)
