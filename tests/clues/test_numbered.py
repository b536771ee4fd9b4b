"""Rows by the numbers of a book, against a map of fingerprints."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from checks import through_disk
from wolfspider.clues.book import Book
from wolfspider.clues.numbered import Numbered
from wolfspider.fingerprint_map import FingerprintMap, KeyMap
from wolfspider.records import Fingerprints

KEYS = st.lists(st.integers(1, 40), min_size=1, max_size=8, unique=True)


def keys_of(values: list[int]) -> Fingerprints:
    return np.array(values, np.uint64)


@given(st.lists(st.tuples(KEYS, st.integers(-3, 30)), max_size=8), KEYS)
def test_it_answers_as_a_map_of_fingerprints(
    pushes: list[tuple[list[int], int]], asked: list[int]
) -> None:
    book = Book()
    book.enter(keys_of([90, 91]), -1)  # the book knows links that the map does not
    ours, copy, plain = Numbered(book), Numbered(book), FingerprintMap()
    for keys, value in pushes:
        for each in (ours, plain):
            slots = each.find(keys_of(keys))
            each.set(keys_of(keys), value, slots)
            each.set_one(keys[0], value + 1)
    shifted = np.arange(100, 140, dtype=np.int32)
    everything = keys_of([*asked, 90, 1_000_000])
    copy.restore(through_disk(ours.state()))
    for each in (ours, copy, plain):
        each.translate(shifted)
    for each in (ours, copy):
        assert answers(each, everything) == answers(plain, everything)
        assert len(each) == len(plain) - left_out(plain)


def left_out(plain: FingerprintMap) -> int:
    """Keys whose value is that of none: a map of fingerprints knows these, and nobody asks."""
    return int(np.count_nonzero(plain.items()[1] == -1))


def answers(each: KeyMap, keys: Fingerprints) -> list[list[int]]:
    found = each.find(keys, new=False)
    return [
        each.get(keys).tolist(),
        each.at(found, keys).tolist(),
        [each.get_one(key) for key in keys.tolist()],
    ]


def test_values_are_given_by_number() -> None:
    book = Book()
    numbers, _ = book.enter(np.arange(1, 2001, dtype=np.uint64), -1)
    rows = Numbered(book)
    rows.hold(numbers[5:9], np.arange(4))
    assert rows.held(numbers[4:10]).tolist() == [-1, 0, 1, 2, 3, -1]
    assert rows.get(np.array([6, 4000], np.uint64)).tolist() == [0, -1]
