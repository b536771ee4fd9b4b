"""The map answers as a dict does, whatever the keys and however many."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import through_disk
from wolfspider import fingerprint_map
from wolfspider.fingerprint_map import ABSENT, FingerprintMap
from wolfspider.records import Fingerprints

TOP = 2**64 - 1


def keys_of(values: object) -> Fingerprints:
    return np.array(values, np.uint64)


def unsalted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Now the upper half of a key says where it goes, and tests can choose that."""
    monkeypatch.setattr(fingerprint_map, "_SALT", 1)
    monkeypatch.setattr(fingerprint_map, "_SALT_ARRAY", keys_of([1]))


# Keys that crowd: a few common upper halves, the very first and the very last among them.
halves = st.sampled_from([0, 1, 2**31, 2**32 - 2, 2**32 - 1])
crowded = st.builds(lambda high, low: (high << 32 | low) or 1, halves, st.integers(0, 400))
keys = st.integers(1, TOP) | crowded
batches = st.lists(
    st.tuples(st.lists(keys, max_size=60, unique=True), st.integers(-3, 2**31 - 1)), max_size=12
)


def same(found: FingerprintMap, model: dict[int, int]) -> None:
    assert len(found) == len(model)
    known, values = found.items()
    assert dict(zip(known.tolist(), values.tolist(), strict=True)) == model


@given(batches, st.lists(keys, max_size=30), st.integers(0, 40))
def test_it_answers_as_a_dict_does(
    pushes: list[tuple[list[int], int]], others: list[int], capacity: int
) -> None:
    found, model = FingerprintMap(capacity), dict[int, int]()
    for number, (batch, value) in enumerate(pushes):
        if number % 3 == 2 and batch:
            found.set_one(batch[0], value)
            model[batch[0]] = value
        values = np.arange(value - len(batch), value)
        found.set(keys_of(batch), values)
        model |= dict(zip(batch, values.tolist(), strict=True))
        same(found, model)
    asked = [*others, *model]
    expected = [model.get(key, ABSENT) for key in asked]
    assert found.get(keys_of(asked)).tolist() == expected
    assert [found.get_one(key) for key in asked] == expected


@given(batches)
def test_a_restored_map_is_the_same(pushes: list[tuple[list[int], int]]) -> None:
    found, model = FingerprintMap(), dict[int, int]()
    for batch, value in pushes:
        found.set(keys_of(batch), value)
        model |= dict.fromkeys(batch, value)
    copy = FingerprintMap()
    copy.restore(through_disk(found.state()))
    same(copy, model)


@pytest.mark.parametrize("first", [1, TOP - 2999, (2**32 - 1) << 32, 77 << 32])
def test_keys_that_all_want_one_slot_are_kept(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the salt these stand in one long row, which runs past the last slot."""
    unsalted(monkeypatch)
    found, chosen = FingerprintMap(), [first + n for n in range(3000)]
    for at in range(0, 2000, 50):
        found.set(keys_of(chosen[at : at + 50]), np.arange(at, at + 50))
    for at in range(2000, 2100):
        found.set_one(chosen[at], at)
    assert found.get(keys_of(chosen)).tolist() == [*range(2100), *[ABSENT] * 900]
    assert [found.get_one(key) for key in chosen[1990:2110]] == [*range(1990, 2100), *[ABSENT] * 10]


def test_the_salt_scatters_keys_with_a_common_upper_half() -> None:
    """So that a hostile site cannot make every look-up walk through all of its links."""
    found = FingerprintMap()
    low = np.unique(np.random.default_rng(0).integers(1, 2**32, 20_000, dtype=np.uint64))
    for part in np.array_split(keys_of(7 << 32) | low, 200):
        found.set(part, 1)
    used = np.flatnonzero(found._keys)
    longest = max(map(len, np.split(used, np.flatnonzero(np.diff(used) > 1) + 1)))
    assert longest < 1000  # of 20,000; without the salt all stand in one row


def test_it_grows_with_what_is_stored() -> None:
    generator = np.random.default_rng(0)
    chosen = generator.integers(1, TOP, 200_000, dtype=np.uint64)
    found = FingerprintMap(0)
    for at in range(0, len(chosen), 7_001):
        found.set(chosen[at : at + 7_001], np.arange(len(chosen))[at : at + 7_001])
    assert len(found) == len(chosen)
    assert found.get(chosen).tolist() == list(range(len(chosen)))
    assert len(found._keys) < 3 * len(chosen)


def test_known_keys_do_not_make_it_longer() -> None:
    found, chosen = FingerprintMap(), keys_of(range(1, 101))
    found.set(chosen, 1)
    found.set(chosen, 2)
    assert len(found) == 100
    assert found.get(chosen).tolist() == [2] * 100


def test_slots_found_before_can_be_set() -> None:
    found, chosen = FingerprintMap(), keys_of([5 << 60, 5 << 60 | 1, 9])
    found.set(chosen[:1], 4)
    slots = found.find(chosen)
    assert found.at(slots, chosen).tolist() == [4, ABSENT, ABSENT]
    found.set(chosen, np.array([1, 2, 3]), slots)
    assert found.get(chosen).tolist() == [1, 2, 3]


def test_translate_renumbers_rows_and_leaves_marks_alone() -> None:
    found, chosen = FingerprintMap(), keys_of([1, 2, 3])
    found.set(chosen, np.array([0, 1, -2]))
    found.translate(np.array([8, 9], np.int32))
    assert found.get(chosen).tolist() == [8, 9, -2]
