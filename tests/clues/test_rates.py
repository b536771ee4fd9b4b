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
    assert Rates(2.0, 0.0).lift(tokens(0, 5, (1 << BITS) - 1), BASE).tolist() == [0.0, 0.0, 0.0]


def test_lifts_by_hand() -> None:
    """log((paid + m·p) / (seen + m) / p) with m = 2 and p = 0.1."""
    rates = Rates(2.0, 0.0)
    rates.learn(tokens(1, 2), 1.0)
    rates.learn(tokens(1, 3), 0.0)
    expected = [math.log(1.2 / 4 / 0.1), math.log(1.2 / 3 / 0.1), math.log(0.2 / 3 / 0.1), 0.0]
    assert rates.lift(tokens(1, 2, 3, 4), BASE) == pytest.approx(expected, rel=1e-6)
    assert not rates.known(tokens(1, 2, 3, 4)).any()  # none of them was carried


def test_a_token_that_stands_twice_counts_twice() -> None:
    rates = Rates(2.0, 0.0)
    rates.learn(tokens(7, 7), 1.0)
    assert rates.lift(tokens(7), BASE)[0] == pytest.approx(math.log(2.2 / 4 / 0.1), rel=1e-6)


def test_trials_that_paid_differently_are_learned_in_one_go() -> None:
    one, other = Rates(2.0, 0.0), Rates(2.0, 0.0)
    one.learn(tokens(1, 1, 2), np.array([0.25, 0.5, 1.0], np.float32))
    for token, paid in ((1, 0.25), (1, 0.5), (2, 1.0)):
        other.learn(tokens(token), paid)
    assert one.lift(tokens(1, 2), BASE).tolist() == other.lift(tokens(1, 2), BASE).tolist()


def test_a_correction_is_no_trial() -> None:
    rates = Rates(2.0, 0.0)
    rates.learn(tokens(1), 0.0)
    rates.correct(tokens(1), 0.75)
    assert rates.lift(tokens(1), BASE)[0] == pytest.approx(math.log(0.95 / 3 / 0.1), rel=1e-6)
    rates.correct(tokens(1), -0.75)
    assert rates.lift(tokens(1), BASE)[0] == pytest.approx(math.log(0.2 / 3 / 0.1), rel=1e-6)


def test_many_trials_outweigh_what_holds_them_back() -> None:
    rates = Rates(2.0, 0.0)
    for number in range(3000):
        rates.learn(tokens(1), float(number % 2))
    assert rates.lift(tokens(1), BASE)[0] == pytest.approx(math.log(0.5 / 0.1), abs=2e-3)


def test_where_pay_is_rare_it_takes_more_trials_to_say_something() -> None:
    """As many as it takes to expect a pay of 0.3: two at a base rate of 0.15, 300 at 0.001."""
    rates = Rates(2.0, 0.3)
    for _ in range(100):
        rates.learn(tokens(1), 0.0)
    rates.learn(tokens(2), 1.0)
    for base, held_back in ((0.15, 2), (0.001, 300)):
        expected = [
            math.log(held_back / (100 + held_back)),
            math.log((1 / base + held_back) / (1 + held_back)),
            0.0,
        ]
        assert rates.lift(tokens(1, 2, 3), base) == pytest.approx(expected, rel=1e-5)


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from([0.0, 0.5, 1.0])), max_size=30))
def test_a_state_goes_on_alike(trials: list[tuple[int, float]]) -> None:
    rates, copy = Rates(1.5, 0.0), Rates(1.5, 0.0)
    for token, paid in trials:
        rates.learn(tokens(token), paid)
    copy.learn(tokens(3, 11), 1.0)  # it is forgotten
    copy.restore(through_disk(rates.state()))
    everything = tokens(*range(12))
    assert copy.lift(everything, BASE).tolist() == rates.lift(everything, BASE).tolist()
    assert copy.known(everything).tolist() == rates.known(everything).tolist()


def test_what_is_carried_counts_for_a_few_trials_in_base_rates_of_there() -> None:
    """At a base rate of 0.2 there, a token that paid 10 of 40 paid 1.25 times what is usual."""
    rates, copy = Rates(2.0, 0.0), Rates(2.0, 0.0)
    for number in range(40):
        rates.learn(tokens(1), float(number % 4 == 0))
    rates.learn(tokens(2), 1.0)
    copy.carry(rates.told(0.2), 0.2, 5.0)
    expected = [math.log((1.25 / 0.2 + 2) / 7), math.log((1 / 0.2 + 2) / 3)]
    for base in (BASE, 0.5):
        assert copy.lift(tokens(1, 2), base) == pytest.approx(expected, rel=1e-6)
    copy.learn(tokens(2), 1.0)
    both = math.log((1 / 0.2 + 1 / 0.1 + 2) / 4)
    assert copy.lift(tokens(2), BASE)[0] == pytest.approx(both, rel=1e-6)


def test_what_was_carried_is_not_held_back_where_pay_is_rare() -> None:
    """It is an opinion that counts as long as own trials are too few to expect any pay."""
    elsewhere, rates = Rates(2.0, 0.0), Rates(2.0, 0.3)
    elsewhere.learn(tokens(1), 1.0)
    elsewhere.learn(tokens(2), 0.0)
    rates.carry(elsewhere.told(0.25), 0.25)
    opinions = [math.log(6 / 3), math.log(2 / 3), 0.0]  # (1 / 0.25 + 2) / (1 + 2), …
    for base in (BASE, 0.001):
        assert rates.lift(tokens(1, 2, 3), base) == pytest.approx(opinions, rel=1e-6)
    for _ in range(100):
        rates.learn(tokens(1, 3), 0.0)
    expected = [math.log(300 * 2 / 400), opinions[1], math.log(300 / 400)]
    assert rates.lift(tokens(1, 2, 3), 0.001) == pytest.approx(expected, rel=1e-5)


def test_what_was_carried_goes_to_disk_and_to_the_next_hunt() -> None:
    first, second, third = Rates(2.0, 0.0), Rates(2.0, 0.0), Rates(2.0, 0.0)
    first.learn(tokens(1, 2), 1.0)
    second.carry(first.told(0.25), 0.25)
    second.learn(tokens(2, 3), 0.0)
    third.restore(through_disk(second.state()))
    everything = tokens(1, 2, 3, 4)
    assert third.lift(everything, BASE).tolist() == second.lift(everything, BASE).tolist()
    told = third.told(0.1)  # 1 of 1 where a quarter is usual: as 0.4 of 1 where a tenth is
    assert told["tokens"].tolist() == [1, 2, 3]
    assert told["seen"].tolist() == [1, 2, 1]
    assert told["paid"] == pytest.approx([0.4, 0.4, 0.0])


def test_a_hunt_that_carried_nothing_forgets_what_another_state_did() -> None:
    carrying, plain = Rates(2.0, 0.0), Rates(2.0, 0.0)
    plain.learn(tokens(1), 0.0)
    carrying.carry({"tokens": tokens(1), "seen": [9.0], "paid": [9.0]}, 0.5)
    carrying.restore(plain.state())
    assert carrying.lift(tokens(1), BASE).tolist() == plain.lift(tokens(1), BASE).tolist()


def test_counts_below_zero_are_refused() -> None:
    with pytest.raises(ValueError, match="below 0"):
        Rates(2.0, 0.0).carry({"tokens": tokens(1), "seen": [1.0], "paid": [-1.0]}, 0.5)
