"""Weights that differ where a gate is open, against the same regression on wider rows."""

from __future__ import annotations

import numpy as np
import pytest

from checks import through_disk
from wolfspider.learners.crossed_logistic import CrossedLogistic
from wolfspider.learners.prior_logistic import PriorLogistic
from wolfspider.records import Floats

CROSSED, GATE = np.array([2, 3]), 1
PRIOR = np.array([-1.0, 0.2, 0.5, 0.3, 0.0, 0.0])  # the last two are of the crossed clues
FIRMNESS = np.array([1.0, 2.0, 3.0, 0.5, 3.0, 0.5])


def rows(seed: int, count: int) -> Floats:
    random = np.random.default_rng(seed)
    found = random.normal(size=(count, 4))
    found[:, 0], found[:, GATE] = 1.0, random.random(count) < 0.4
    return found


def widened(examples: Floats) -> Floats:
    return np.column_stack([examples, examples[:, 2:] * examples[:, [GATE]]])


def labels_of(examples: Floats) -> Floats:
    """The third clue speaks for a link, and against it where the gate is open."""
    spoken = examples[:, 2] * np.where(examples[:, GATE], -2.0, 2.0)
    return (spoken > 0).astype(np.float64)


def crossed() -> CrossedLogistic:
    return CrossedLogistic(PRIOR.copy(), FIRMNESS, CROSSED, GATE)


def test_it_is_the_regression_on_rows_with_products() -> None:
    examples, model, peer = rows(1, 300), crossed(), PriorLogistic(PRIOR.copy(), FIRMNESS)
    model.fit(examples, labels_of(examples))
    peer.fit(widened(examples), labels_of(examples))
    assert model.weights.tolist() == peer.weights.tolist()
    asked = rows(2, 40)
    found = model.expect(asked.astype(np.float32))
    assert np.array_equal(found, peer.expect(widened(asked).astype(np.float32)))


def test_a_clue_may_speak_for_and_against() -> None:
    examples, model = rows(3, 500), crossed()
    model.fit(examples, labels_of(examples))
    shut, opened = (np.array([1.0, gate, 0.0, 0.0], np.float32) for gate in (0.0, 1.0))
    assert model.weights_of(shut)[2] > 1
    assert model.weights_of(opened)[2] < -1


def test_weights_of_a_row_add_up_to_what_is_expected_of_it() -> None:
    examples, model = rows(4, 200), crossed()
    model.fit(examples, labels_of(examples))
    asked = rows(5, 30).astype(np.float32)
    by_clues = [float(row @ model.weights_of(row)) for row in asked]
    assert model.expect(asked)[0] == pytest.approx(by_clues, abs=1e-4)


def test_without_a_gate_it_is_its_parent() -> None:
    model, peer = crossed(), PriorLogistic(PRIOR[:4].copy(), FIRMNESS[:4])
    examples = rows(6, 100)
    examples[:, GATE] = 0
    for each in (model, peer):
        each.fit(examples, labels_of(examples))
    assert model.weights[:4] == pytest.approx(peer.weights)
    assert model.weights[4:].tolist() == [0, 0]


def test_a_state_goes_on_alike() -> None:
    examples, model, copy = rows(7, 80), crossed(), crossed()
    model.fit(examples[:40], labels_of(examples[:40]))
    copy.restore(through_disk(model.state()))
    for each in (model, copy):
        each.fit(examples, labels_of(examples))
    assert copy.weights.tolist() == model.weights.tolist()
