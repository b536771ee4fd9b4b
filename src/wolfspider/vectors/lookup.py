"""Where terms stand among many, by one look at a table instead of a binary search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wolfspider.records import Rows, TermIds

_ROOM = 8  # slots for each id, at least: few begin alike
_MOST = 22  # bits


class Lookup:
    """A table of where the ids begin that have the same upper bits: these stand side by side."""

    def __init__(self, ids: TermIds) -> None:
        """The ids are sorted and distinct."""
        bits = min(int(np.ceil(np.log2(_ROOM * len(ids)))), _MOST)
        self._shift = np.array(32 - bits, np.uint32)
        upper = ids >> self._shift
        first = np.concatenate([[0], (upper[1:] != upper[:-1]).nonzero()[0] + 1])
        self._begins = np.full(1 << bits, len(ids), np.int32)
        self._begins[upper[first]] = first
        self._steps = int(np.diff(first, append=len(ids)).max()) - 1  # to the last, at most
        self._ids = np.array(ids)

    def __call__(self, ids: TermIds) -> tuple[Rows, NDArray[np.bool_]]:
        """Where each of them stands, and whether it does; elsewhere any place, or one behind."""
        places = self._begins.take(ids >> self._shift).astype(np.intp)
        found = self._ids.take(places, mode="clip")
        for _ in range(self._steps):
            before = found < ids
            if not np.count_nonzero(before):
                break
            places += before
            found = self._ids.take(places, mode="clip")
        return places, found == ids
