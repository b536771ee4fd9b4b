"""The logistic regression with a prior, against minimisers of others and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from checks import through_disk
from wolfspider.learners import prior_logistic
from wolfspider.learners.prior_logistic import PriorLogistic
from wolfspider.records import Floats


def data(seed: int, count: int, features: int = 4) -> tuple[Floats, Floats]:
    random = np.random.default_rng(seed)
    examples = random.normal(size=(count, features))
    examples[:, 0] = 1.0
    chances = 1 / (1 + np.exp(-examples @ random.normal(size=features)))
    return examples, (random.random(count) < chances).astype(np.float64)


def fitted(model: PriorLogistic, examples: Floats, labels: Floats) -> Floats:
    for _ in range(5):  # a call takes a few steps only, and goes on where the last one ended
        model.fit(examples, labels)
    return model.weights


def loss(weights: Floats, model: PriorLogistic, examples: Floats, labels: Floats) -> float:
    margins = examples @ weights
    likelihood = np.logaddexp(0, margins).sum() - labels @ margins
    away = weights - model.prior
    return float(likelihood + 0.5 * (away @ model.firmness @ away))


def singles(rows: Floats) -> NDArray[np.float32]:
    return rows.astype(np.float32)


@settings(max_examples=25)
@given(st.integers(0, 1000), st.integers(1, 300), st.booleans(), st.booleans())
@example(927, 267, True, False)  # where Newton's method alone goes to and fro
def test_weights_are_those_that_scipy_finds(
    seed: int, count: int, shares: bool, together: bool
) -> None:
    examples, labels = data(seed, count)
    random = np.random.default_rng(seed)
    if shares:
        labels = random.random(count)
    prior, firmness = random.normal(size=4), random.uniform(0.3, 30, 4)
    if together:  # in doubt not each for itself
        firmness = np.diag(firmness) + 9 * np.cov(random.normal(size=(4, 6)))
    model = PriorLogistic(prior, firmness)
    best = minimize(loss, np.zeros(4), (model, examples, labels), method="BFGS", tol=1e-9)
    assert fitted(model, examples, labels) == pytest.approx(best.x, abs=1e-4)


def test_with_a_prior_of_zeros_it_is_scikit_learns() -> None:
    examples, labels = data(3, 400)
    model = PriorLogistic(np.zeros(4), np.full(4, 2.0))
    peer = LogisticRegression(C=0.5, fit_intercept=False, tol=1e-8).fit(examples, labels)
    assert fitted(model, examples, labels) == pytest.approx(peer.coef_[0], abs=1e-4)


def test_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    examples, labels = data(5, 700)
    one, other = (PriorLogistic(np.ones(4), np.full(4, 2.0)) for _ in range(2))
    one.fit(examples, labels)
    monkeypatch.setattr(prior_logistic, "_BLOCK", 10_000)
    other.fit(examples, labels)
    assert one.weights == pytest.approx(other.weights, abs=1e-12)
    means, doubts = other.expect(singles(examples))
    monkeypatch.undo()
    assert one.expect(singles(examples))[0] == pytest.approx(means, abs=1e-6)
    assert one.expect(singles(examples))[1] == pytest.approx(doubts, abs=1e-6)


def test_before_it_has_seen_anything_it_thinks_what_it_was_told() -> None:
    model = PriorLogistic(np.array([1.0, -2.0]), np.array([4.0, 25.0]))
    rows = singles(np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 5.0]]))
    means, doubts = model.expect(rows)
    assert means.tolist() == [1.0, -2.0, -7.0]
    # Standard deviations 1/2 and 1/5, so 3 · ½ and 5 · ⅕ together.
    assert doubts == pytest.approx([0.5, 0.2, math.hypot(1.5, 1.0)])
    assert [each.tolist() for each in model.expect(rows[:0])] == [[], []]


def test_the_prior_fades_as_evidence_comes() -> None:
    """Half of the examples are positive: the weight of a constant goes from 2 to 0."""
    seen = []
    for count in (0, 10, 100, 10_000):
        model = PriorLogistic(np.array([2.0]), np.array([5.0]))
        if count:
            fitted(model, np.ones((count, 1)), (np.arange(count) % 2).astype(np.float64))
        seen.append(model.weights.item(0))
    assert seen[0] == 2.0
    assert seen == sorted(seen, reverse=True)
    assert 0 < seen[-1] < 0.01
    assert seen[1] > 1.0  # ten examples of weight ¼ at most, against 5


def test_a_firm_weight_stays_where_a_loose_one_goes() -> None:
    examples, labels = np.ones((50, 2)), np.ones(50)
    model = PriorLogistic(np.zeros(2), np.array([0.5, 500.0]))
    loose, firm = fitted(model, examples, labels)
    # Both feel the same pull, so they move in proportion to how loose they are.
    assert loose == pytest.approx(1000 * firm, rel=1e-3)
    assert loose > 1.5


def test_doubt_falls_with_every_example_and_most_where_they_were() -> None:
    examples = np.array([[1.0, 0.0]] * 40)
    model = PriorLogistic(np.zeros(2), np.ones(2))
    fitted(model, examples, (np.arange(40) % 2).astype(np.float64))
    assert model.weights == pytest.approx([0, 0], abs=1e-6)
    # Precision 1 + 40 · ¼ along the first, 1 along the second.
    assert model.expect(np.eye(2, dtype=np.float32))[1] == pytest.approx([1 / math.sqrt(11), 1.0])


def test_what_was_learned_is_how_firm_the_examples_make_the_weights() -> None:
    """Σ p (1 − p) x xᵀ, whatever the prior was."""
    examples, labels = data(11, 200)
    for firmness in (np.full(4, 0.7), np.diag(np.full(4, 0.7)) + 0.2):
        model = PriorLogistic(np.zeros(4), firmness)
        assert model.learned() == pytest.approx(np.zeros((4, 4)), abs=1e-9)
        p = 1 / (1 + np.exp(-examples @ fitted(model, examples, labels)))
        assert model.learned() == pytest.approx((examples.T * (p * (1 - p))) @ examples, rel=1e-4)


def test_who_begins_with_what_another_learned_knows_what_both_saw() -> None:
    examples, labels = data(13, 2000)
    first, both = (PriorLogistic(np.zeros(4), np.ones(4)) for _ in range(2))
    fitted(first, examples[:1000], labels[:1000])
    second = PriorLogistic(first.weights, np.eye(4) + first.learned())
    apart = fitted(second, examples[1000:], labels[1000:])
    # Not to the last digit: what was learned is a parabola where the likelihood is none.
    assert apart == pytest.approx(fitted(both, examples, labels), abs=0.02)
    assert np.abs(apart - first.weights).max() > 0.05


def test_a_state_of_other_weights_is_refused() -> None:
    model = PriorLogistic(np.zeros(4), np.ones(4))
    with pytest.raises(ValueError, match="weights, and not"):
        model.restore(PriorLogistic(np.zeros(3), np.ones(3)).state())


def test_a_share_counts_as_so_many_of_both() -> None:
    examples, _ = data(7, 30)
    shares = np.linspace(0, 1, 30)
    one, other = (PriorLogistic(np.zeros(4), np.ones(4)) for _ in range(2))
    by_share = fitted(one, np.repeat(examples, 4, axis=0), np.repeat(np.round(shares * 4) / 4, 4))
    both = [[1.0] * int(n) + [0.0] * (4 - int(n)) for n in np.round(shares * 4)]
    assert by_share == pytest.approx(
        fitted(other, np.repeat(examples, 4, axis=0), np.ravel(both)), abs=1e-6
    )


def test_wild_examples_do_not_break_it() -> None:
    examples = np.array([[1.0, 1e4], [1.0, -1e4], [1.0, 1e4]])
    model = PriorLogistic(np.array([0.0, 3.0]), np.array([1.0, 0.1]))
    model.fit(examples, np.array([0.0, 1.0, 1.0]))
    assert np.isfinite(model.weights).all()
    assert np.isfinite(model.expect(singles(examples))).all()


def test_a_state_goes_on_alike() -> None:
    examples, labels = data(9, 60)
    model = PriorLogistic(np.full(4, 0.5), np.full(4, 3.0))
    model.fit(examples[:30], labels[:30])
    copy = PriorLogistic(np.zeros(4), np.full(4, 3.0))
    copy.restore(through_disk(model.state()))
    both = [each.expect(singles(examples)) for each in (copy, model)]
    assert np.array_equal(both[0], both[1])
    model.fit(examples, labels)
    copy.fit(examples, labels)
    assert copy.weights.tolist() == model.weights.tolist()
