"""How often tokens paid, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import through_disk
from wolfspider.clues.rates import BITS, Hashes, Rates

BASE = 0.1


def tokens(*values: int) -> Hashes:
    return np.array(values, np.uint32)


def test_a_token_never_seen_says_nothing() -> None:
    assert Rates(2.0).lift(tokens(0, 5, (1 << BITS) - 1), BASE).tolist() == [0.0, 0.0, 0.0]


def test_lifts_by_hand() -> None:
    """log((paid + m·p) / (seen + m) / p) with m = 2 and p = 0.1."""
    rates = Rates(2.0)
    rates.learn(tokens(1, 2), 1.0)
    rates.learn(tokens(1, 3), 0.0)
    expected = [math.log(1.2 / 4 / 0.1), math.log(1.2 / 3 / 0.1), math.log(0.2 / 3 / 0.1), 0.0]
    assert rates.lift(tokens(1, 2, 3, 4), BASE) == pytest.approx(expected, rel=1e-6)
    assert rates.known(tokens(1, 2, 3, 4)).tolist() == [True, True, True, False]


def test_a_token_that_stands_twice_counts_twice() -> None:
    rates = Rates(2.0)
    rates.learn(tokens(7, 7), 1.0)
    assert rates.lift(tokens(7), BASE)[0] == pytest.approx(math.log(2.2 / 4 / 0.1), rel=1e-6)


def test_trials_that_paid_differently_are_learned_in_one_go() -> None:
    one, other = Rates(2.0), Rates(2.0)
    one.learn(tokens(1, 1, 2), np.array([0.25, 0.5, 1.0], np.float32))
    for token, paid in ((1, 0.25), (1, 0.5), (2, 1.0)):
        other.learn(tokens(token), paid)
    assert one.lift(tokens(1, 2), BASE).tolist() == other.lift(tokens(1, 2), BASE).tolist()


def test_a_correction_is_no_trial() -> None:
    rates = Rates(2.0)
    rates.learn(tokens(1), 0.0)
    rates.correct(tokens(1), 0.75)
    assert rates.lift(tokens(1), BASE)[0] == pytest.approx(math.log(0.95 / 3 / 0.1), rel=1e-6)
    rates.correct(tokens(1), -0.75)
    assert rates.lift(tokens(1), BASE)[0] == pytest.approx(math.log(0.2 / 3 / 0.1), rel=1e-6)


def test_many_trials_outweigh_what_holds_them_back() -> None:
    rates = Rates(2.0)
    for number in range(3000):
        rates.learn(tokens(1), float(number % 2))
    assert rates.lift(tokens(1), BASE)[0] == pytest.approx(math.log(0.5 / 0.1), abs=2e-3)


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from([0.0, 0.5, 1.0])), max_size=30))
def test_a_state_goes_on_alike(trials: list[tuple[int, float]]) -> None:
    rates, copy = Rates(1.5), Rates(1.5)
    for token, paid in trials:
        rates.learn(tokens(token), paid)
    copy.learn(tokens(3, 11), 1.0)  # it is forgotten
    copy.restore(through_disk(rates.state()))
    everything = tokens(*range(12))
    assert copy.lift(everything, BASE).tolist() == rates.lift(everything, BASE).tolist()
    assert copy.known(everything).tolist() == rates.known(everything).tolist()


def test_what_is_carried_counts_for_a_few_trials_at_the_same_rate() -> None:
    rates, copy = Rates(2.0), Rates(2.0)
    for number in range(40):
        rates.learn(tokens(1), float(number % 4 == 0))
    rates.learn(tokens(2), 1.0)
    copy.restore(rates.state(), 5.0)
    expected = [math.log((1.25 + 0.2) / 7 / 0.1), math.log(1.2 / 3 / 0.1)]
    assert copy.lift(tokens(1, 2), BASE) == pytest.approx(expected, rel=1e-6)
