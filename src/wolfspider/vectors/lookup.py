"""Where terms stand among many, by one look at a table instead of a binary search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wolfspider.records import Rows, TermIds, find_terms

_ROOM = 8  # slots for each id, at least: few want the same one
_MOST = 22  # bits


class Lookup:
    """A table of places by the upper bits of an id; who finds a slot taken is searched for."""

    def __init__(self, ids: TermIds) -> None:
        """The ids are sorted and distinct."""
        self._ids = np.array(ids)
        bits = min(int(np.ceil(np.log2(_ROOM * len(ids)))), _MOST)
        self._shift = np.uint32(32 - bits)
        self._table = np.zeros(1 << bits, np.int32)  # empty slots are right for nobody else
        slots = ids >> self._shift
        self._table[slots] = np.arange(len(ids))
        self._others = np.flatnonzero(self._table[slots] != np.arange(len(ids)))
        self._other_ids = self._ids[self._others]

    def __call__(self, ids: TermIds) -> tuple[Rows, NDArray[np.bool_]]:
        """The places of those that are there, and which these are."""
        places = self._table.take(ids >> self._shift).astype(np.intp)
        here = self._ids.take(places) == ids
        missing = (~here).nonzero()[0]
        at, found = find_terms(self._other_ids, ids.take(missing))
        if np.count_nonzero(found):
            places[missing[found]] = self._others[at[found]]
            here[missing[found]] = True
        return places[here], here
