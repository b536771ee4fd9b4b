"""Linear machines: what scikit-learn says, said by NumPy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from wolfspider.learners.linear_svm import LinearSvm, fit_classes, fit_values, usual_cost
from wolfspider.records import NO_TERMS, Bag, Terms
from wolfspider.states import load_state, save_state

IDS = np.array([3, 8, 20, 4_000_000_000], np.uint32)
COUNTS = csr_array(
    np.array([[4, 0, 1, 0], [3, 1, 0, 0], [0, 4, 1, 0], [1, 3, 0, 0], [0, 0, 1, 4], [0, 1, 0, 3]])
).astype(float)
CLASSES = np.array([0, 0, 2, 2, 5, 5])


def terms_of(**counts: int) -> Terms:
    pairs = sorted((int(name[1:]), count) for name, count in counts.items())
    ids, numbers = zip(*pairs, strict=True)
    return Terms.of(np.array(ids, np.uint32), np.array(numbers, np.float32))


def test_each_class_has_a_machine_that_tells_it_from_the_others() -> None:
    svm = fit_classes(IDS, COUNTS, CLASSES, cost=1.0)
    told = np.array(
        [
            svm.of_terms(terms_of(t3=a, t8=b, t20=c, t4000000000=d))
            for a, b, c, d in COUNTS.toarray().astype(int)
        ]
    )
    assert told.argmax(1).tolist() == [0, 0, 1, 1, 2, 2]
    assert (told.max(1) > 0).all()


def test_a_document_gets_what_scikit_learn_says() -> None:
    from sklearn.svm import LinearSVC

    svm = fit_classes(IDS, COUNTS, CLASSES, cost=0.01)
    scale = float(np.sqrt((COUNTS.toarray() ** 2).sum(1).mean()))
    theirs = LinearSVC(C=0.01, loss="hinge", intercept_scaling=scale, random_state=0)
    theirs.fit(COUNTS, np.where(CLASSES == 2, 1, -1))
    ours = svm.of_terms(terms_of(t3=1, t8=3))[1]
    assert ours == pytest.approx(theirs.decision_function([[1, 3, 0, 0]])[0], abs=1e-5)


def test_a_value_follows_the_words() -> None:
    svm = fit_values(IDS, COUNTS, np.array([0, 0, 1, 1, 2, 2.0]), cost=10.0)
    low, high = svm.of_terms(terms_of(t3=4, t20=1)), svm.of_terms(terms_of(t20=1, t4000000000=4))
    assert low[0] == pytest.approx(0, abs=0.2)
    assert high[0] == pytest.approx(2, abs=0.2)


def test_without_words_a_value_is_the_median_if_hardly_anything_is_learned() -> None:
    svm = fit_values(IDS, COUNTS, np.array([0, 1, 5, 5, 5, 9.0]), cost=1e-9)
    assert svm.of_terms(NO_TERMS)[0] == pytest.approx(5, abs=1e-3)


def test_the_rows_of_a_bag_are_documents_without_bias() -> None:
    svm = fit_classes(IDS, COUNTS, CLASSES, cost=1.0)
    ids = np.array([8, 8, 3, 77, 20, 5_000, 3], np.uint32)
    bag = Bag(np.array([0, 2, 2, 5], np.uint32), np.array([2, 2, 4, 7], np.uint32), ids)
    expected = [
        svm.of_terms(terms_of(t8=2)) - svm.bias,
        np.zeros(3),
        svm.of_terms(terms_of(t3=1, t77=1)) - svm.bias,
        svm.of_terms(terms_of(t3=1, t5000=1)) - svm.bias,
    ]
    np.testing.assert_allclose(svm.of_bag(bag), expected, atol=1e-6)


def test_words_that_training_has_not_seen_say_nothing() -> None:
    svm = fit_values(IDS, COUNTS, np.arange(6.0), cost=1.0)
    assert svm.of_terms(terms_of(t1=5, t9=2, t4000000001=3)) == pytest.approx(svm.bias)


def test_the_usual_cost_is_that_of_svmlight() -> None:
    assert usual_cost(COUNTS) == pytest.approx(6 / (COUNTS.toarray() ** 2).sum())


def test_a_state_goes_to_disk_and_back(tmp_path: Path) -> None:
    svm = fit_classes(IDS, COUNTS, CLASSES, cost=1.0)
    save_state(tmp_path / "svm.npz", svm.state())
    back = LinearSvm.of(load_state(tmp_path / "svm.npz"))
    assert back.ids.dtype == np.uint32
    assert back.weights.dtype == back.bias.dtype == np.float32
    for name, array in svm.state().items():
        np.testing.assert_array_equal(back.state()[name], array)


def test_applying_machines_does_not_load_scikit_learn() -> None:
    line = (
        "import sys, wolfspider.policies.svm, wolfspider.policies.context_graph; "
        "assert 'sklearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", line], check=True)
