"""Forecasts: distributions by hand, the first numbers by hand, and what holds for all verdicts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from wolfspider.forecasting import (
    NOTHING,
    PACE,
    SIZES,
    Forecast,
    Forecaster,
    Promised,
    beta_binomial,
    forecasts,
    together,
    unless_it_ends,
)

Verdicts = NDArray[np.bool_]
VERDICTS = st.lists(st.booleans(), max_size=120).map(lambda each: np.array(each, np.bool_))
SHARES = st.lists(st.floats(0, 1), max_size=40)


def told(horizon: int, verdicts: Verdicts, promised: Promised = NOTHING) -> Forecaster:
    forecaster = Forecaster(horizon)
    forecaster.extend(verdicts, promised)
    return forecaster


def rows(*promises: float) -> Promised:
    """One after every `PACE` fetches; a thousand links and more wait, all alike."""
    return np.array([[size * each for size in SIZES] for each in promises], np.float32)


def coverage(verdicts: Verdicts, horizon: int) -> float:
    """Of the forecasts at every look."""
    forecaster, inside = Forecaster(horizon), []
    for start in range(0, len(verdicts) - horizon, forecaster.step):
        forecaster.extend(verdicts[forecaster.seen : start])
        came = int(verdicts[start : start + horizon].sum())
        inside.append(forecaster.last.low <= came <= forecaster.last.high)
    return float(np.mean(inside))


def test_the_beta_binomial_by_hand() -> None:
    # A rate that can be anything makes every number of hits equally likely.
    assert beta_binomial(2, 1.0, 1.0) == pytest.approx([1 / 3, 2 / 3, 1.0])
    # With Beta(2, 1) the chance of k hits among 3 is (k + 1) / 10.
    assert beta_binomial(3, 2.0, 1.0) == pytest.approx([0.1, 0.3, 0.6, 1.0])


def test_what_comes_to_an_end_by_hand() -> None:
    """One was found, so two are left with a chance of 1 in 3."""
    anything = beta_binomial(2, 1.0, 1.0)
    assert unless_it_ends(anything, 1, 1.0) == pytest.approx([1 - 2 / 3 / 2, 1 - 1 / 3 / 3, 1.0])
    assert unless_it_ends(anything, 1, 0.5) == pytest.approx([1 - 1 / 6, 1 - 1 / 18, 1.0])
    assert unless_it_ends(anything, 1e9, 1.0) == pytest.approx(anything)


def expected(horizon: int, rate: float, finds: float, found: int) -> float:
    """A hundred more than were found count as found; the rate is worth few finds."""
    first = 1 / (0.9 + 1 / (finds + 0.6)) / (1 - rate) ** 0.4
    cumulative = beta_binomial(horizon, first, first * (1 - rate) / rate)
    return float(sum((1 - p) * (100 + found) / (101 + found + k) for k, p in enumerate(cumulative)))


def test_before_the_first_fetch_it_is_the_prior() -> None:
    first = Forecaster(100).forecast()
    assert first.expected == pytest.approx(expected(100, 0.85 * 40.02 / 201, 0.0, 0))
    assert first.low == 0
    assert 25 < first.high < 60


def test_after_the_first_find_by_hand() -> None:
    found = told(10, np.array([True])).forecast()
    kept = math.exp(-1 / 150)  # of 40 finds and 200 fetches that there seem to have been before
    long = (40 * kept + 1 + 0.02) / (200 * kept + 1 + 1)
    lately = (1 + 30 * long) / (1 + 30)
    assert found.expected == pytest.approx(expected(10, 0.85 * long**0.15 * lately**0.85, 1.0, 1))


def test_what_waiting_links_promise_together_by_hand() -> None:
    assert together(np.array([0.25, 1.0, 0.5])).tolist() == [1.75] * 5  # fewer wait than are asked
    assert together(np.full(200, 0.5)).tolist() == [5, 15, 50, 100, 100]
    assert together(np.array([0.0] * 30 + [1.0] * 15)).tolist() == [10, 15, 15, 15, 15]
    assert together(np.empty(0)).tolist() == [0] * 5


def test_a_promise_weighs_four_fifths_by_hand() -> None:
    forecaster = Forecaster(20)
    forecaster.add(False, np.array([6, 10, 10, 10, 10], np.float32))  # (6 + 10) / 2 among 20
    kept = math.exp(-1 / 200)
    long = (40 * kept + 0.02) / (200 * kept + 1 + 1)
    lately = 30 * long / (1 + 30)
    rate = (long**0.15 * lately**0.85) ** 0.2 * (8 / 20) ** 0.8
    assert forecaster.forecast().expected == pytest.approx(expected(20, rate, 0.0, 0))


def test_beyond_what_was_asked_for_links_are_taken_to_be_alike() -> None:
    near, far = Forecaster(1000), Forecaster(5000)
    for each in (near, far):
        each.add(False, rows(0.1)[0])
        assert each._promise == pytest.approx(0.1)


def test_who_promises_nothing_known_is_judged_by_the_past() -> None:
    verdicts = np.arange(300) % 7 == 0
    unknown = rows(*[math.nan] * 30)
    assert told(100, verdicts, unknown).forecast() == told(100, verdicts).forecast()
    at_last = np.concatenate([unknown[:-1], rows(0.9)])  # as of an older version, then of this one
    assert told(100, verdicts, at_last).forecast().expected > 40


def test_a_promise_is_heard_before_the_finds_come_or_fail_to() -> None:
    rich, poor = np.ones(200, np.bool_), np.zeros(200, np.bool_)
    rich_before, poor_before = told(100, rich), told(100, poor)
    dry, found = told(100, rich, rows(*[0.9] * 19, 0.01)), told(100, poor, rows(*[0.01] * 19, 0.9))
    assert dry.forecast().expected < rich_before.forecast().expected / 5
    assert found.forecast().expected > 5 * poor_before.forecast().expected


def test_a_promise_of_which_nothing_comes_fades() -> None:
    """As of links on a host that lets nobody in any more."""
    verdicts = np.arange(2000) < 1000
    boasting = told(1000, verdicts, rows(*[0.7] * 200)).forecast()
    silent = told(1000, verdicts).forecast()
    assert silent.expected < boasting.expected < 3 * silent.expected


def test_promises_that_are_not_kept_are_believed_less() -> None:
    """Ten times as much is promised as is found."""

    def boasting(fetches: int) -> float:
        verdicts = np.arange(fetches) % 20 == 0
        return told(100, verdicts, rows(*[0.5] * (fetches // 10))).forecast().expected

    assert boasting(300) > boasting(1000) > 9
    assert boasting(6000) < 7  # five are found


def test_a_hunt_that_has_run_dry_may_bring_nothing_more() -> None:
    rich = np.ones(500, np.bool_)
    assert told(1000, rich).forecast().low > 30
    dry = told(1000, np.concatenate([rich, np.zeros(150, np.bool_)])).forecast()
    assert dry.low == 0
    assert dry.expected < told(1000, rich).forecast().expected


def test_nobody_is_told_of_many_times_what_was_found() -> None:
    few, many = (told(1000, np.ones(count, np.bool_)).forecast() for count in (20, 2000))
    assert few.expected < 400 < many.expected
    assert few.low < 30 < many.low


def test_older_fetches_count_less() -> None:
    early, late = np.zeros(300, np.bool_), np.zeros(300, np.bool_)
    early[:30], late[-30:] = True, True
    assert told(100, late).forecast().expected > 3 * told(100, early).forecast().expected


@given(VERDICTS, VERDICTS, SHARES, st.integers(1, 45))
def test_many_at_once_are_the_same_as_one_after_the_other(
    before: Verdicts, after: Verdicts, promises: list[float], horizon: int
) -> None:
    promised = rows(*promises)
    one, many = Forecaster(horizon), told(horizon, before, promised)
    many.extend(after, promised)
    for fetches, each in enumerate([*before.tolist(), *after.tolist()], 1):
        row = fetches // PACE - 1
        known = fetches % PACE == 0 and row < len(promised)
        one.add(each, promised[row] if known else None)
    assert one.forecast() == many.forecast()
    assert one.last == many.last


@given(VERDICTS, SHARES, st.integers(1, 45))
def test_no_forecast_is_out_of_the_question(
    verdicts: Verdicts, promises: list[float], horizon: int
) -> None:
    found = told(horizon, verdicts, rows(*promises)).forecast()
    assert 0 <= found.low <= found.expected <= horizon
    assert found.expected - 0.5 <= found.high <= horizon


def test_a_steady_hunt_is_told_what_it_brings() -> None:
    verdicts = np.arange(30_000) % 10 == 0
    hundred, thousand = forecasts(verdicts)
    assert (hundred.horizon, thousand.horizon) == (100, 1000)
    assert hundred.expected == pytest.approx(10, rel=0.1)
    assert thousand.expected == pytest.approx(100, rel=0.1)
    assert hundred.low >= 5  # its own past says that there are no surprises
    assert hundred.high <= 15


def test_misses_move_the_end_that_was_missed() -> None:
    steady = told(100, np.arange(3000) % 10 == 0)
    bursts = told(100, (np.arange(3000) % 1000 < 100))  # as many, but all at once
    assert steady.found == bursts.found == 300
    assert bursts._above > steady._above


def test_intervals_hold_about_what_they_should_on_rates_that_wander() -> None:
    """Rates like those of no web that they were fitted on."""
    found = []
    for seed in range(10):
        random = np.random.default_rng(seed)
        logs = np.cumsum(random.normal(0, 0.02, 6000))
        rates = 0.15 * np.exp(logs - logs.mean()).clip(0.01, 6)
        found.append(coverage(random.random(6000) < rates, 100))
    assert 0.75 < np.mean(found) < 0.97


def test_a_forecast_in_words() -> None:
    assert str(Forecast(100, 12.4, 6, 19)) == "12 (6–19)"
    assert str(Forecast(1000, 2.44, 0, 7)) == "2.4 (0–7)"
    assert str(Forecast(100_000, 4321.2, 1000, 9000)) == "4,321 (1,000–9,000)"
    written = {"next": 100, "expected": 12.35, "low": 6, "high": 19}
    assert Forecast(100, 12.3456, 6, 19).as_json() == written
