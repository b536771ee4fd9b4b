"""Revisits: captures that say only that another one had the same content."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

import numpy as np

from wolfspider.urls import canonical, fingerprint
from wolfspider.webs.importers.captures import Capture

_NEAR = 1.0  # seconds by which a record may miss the date of its original


class Originals:
    """Finds the originals of copies when all captures are known, in whatever order they came.

    The original is the capture of the date that the copy names; if there is none, the latest
    up to the date of the copy.
    """

    def __init__(self) -> None:
        self._keys = array("Q")
        self._dates = array("d")
        self._rows = array("q")
        self._copies: tuple[array[Any], ...] = (array("Q"), array("d"), array("Q"), array("d"))

    def note(self, key: int, date: float, row: int) -> None:
        """A capture that can be an original; `row` is what will be told of it."""
        self._keys.append(key)
        self._dates.append(date)
        self._rows.append(row)

    def copy(self, key: int, capture: Capture) -> None:
        original = canonical(capture.copy_of)
        found = (key, capture.date, fingerprint(original) if original else 0, capture.copy_date)
        for column, value in zip(self._copies, found, strict=True):
            column.append(value)

    def copies(self) -> Iterator[tuple[int, float, int]]:
        """Address and date of each copy, and the row of its original, −1 if it is not here."""
        keys, dates = np.frombuffer(self._keys, np.uint64), np.frombuffer(self._dates, np.float64)
        order = np.lexsort((dates, keys))
        keys, dates = keys[order], dates[order]
        for key, date, original, named in zip(*self._copies, strict=True):
            begin, end = (int(keys.searchsorted(np.uint64(original), s)) for s in ("left", "right"))
            there = dates[begin:end]
            at = int(there.searchsorted(named + _NEAR, "right")) - 1
            if not named or at < 0 or abs(there[at] - named) > _NEAR:
                at = int(there.searchsorted(date, "right")) - 1
            yield key, date, self._rows[order[begin + at]] if at >= 0 else -1
