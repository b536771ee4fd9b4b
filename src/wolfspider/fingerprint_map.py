"""A map from 64-bit fingerprints to small integers, in two flat arrays.

Python's dict spends about 100 bytes on such an entry; this one spends 12 bytes a slot and
keeps half to two thirds of its slots filled. Lookups come in batches, as links do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.records import Fingerprints, State

ABSENT = -1
_FILL = 0.67  # share of slots in use before the arrays grow
_HIGH = np.uint64(32)


class FingerprintMap:
    """Open addressing with linear probing, one batch at a time.

    Keys are never removed and never 0, which marks an empty slot. The fingerprints are good
    hashes already: their upper half, scaled to the number of slots, chooses where to look first.
    """

    def __init__(self, capacity: int = 1024) -> None:
        self._allocate(capacity)

    def _allocate(self, capacity: int) -> None:
        slots = max(16, int(capacity / _FILL) + 1)
        self._keys = np.zeros(slots, np.uint64)
        self._values = np.zeros(slots, np.int32)
        self._slots = np.uint64(slots)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def get(self, keys: Fingerprints) -> NDArray[np.int32]:
        """The value of each key, `ABSENT` where there is none."""
        slots = self._find(keys)
        values: NDArray[np.int32] = np.where(self._keys[slots] == keys, self._values[slots], ABSENT)
        return values

    def set(self, keys: Fingerprints, values: NDArray[Any] | int) -> None:
        """Store a value for each key; the keys of one call are distinct."""
        self._make_room(len(keys))
        slots = self._find(keys)
        placed = self._keys[slots] == keys
        if not placed.all():
            self._size += len(keys) - int(placed.sum())
            slots = self._place(keys, slots, placed)
        self._values[slots] = values

    def get_one(self, key: int) -> int:
        slot = self._find_one(key)
        return self._values.item(slot) if self._keys.item(slot) == key else ABSENT

    def set_one(self, key: int, value: int) -> None:
        slot = self._find_one(key)
        if self._keys.item(slot) != key:
            self.set(np.array([key], np.uint64), value)
        else:
            self._values[slot] = value

    def items(self) -> tuple[Fingerprints, NDArray[np.int32]]:
        """All keys and their values, in no particular order."""
        used = self._keys != 0
        return self._keys[used], self._values[used]

    def translate(self, new: NDArray[np.int32]) -> None:
        """Replace every value v ≥ 0 by new[v]."""
        changed = (self._values >= 0) & (self._keys != 0)
        self._values[changed] = new[self._values[changed]]

    def state(self) -> State:
        keys, values = self.items()
        order = np.argsort(keys)
        return {"keys": keys[order], "values": values[order]}

    def restore(self, state: State) -> None:
        self._allocate(len(state["keys"]))
        self.set(np.asarray(state["keys"], np.uint64), np.asarray(state["values"], np.int32))

    def _find(self, keys: Fingerprints) -> NDArray[np.intp]:
        """Where each key is, or the empty slot at which the search for it ended."""
        slots = ((keys >> _HIGH) * self._slots >> _HIGH).astype(np.intp)
        found = self._keys[slots]
        lost = np.flatnonzero((found != keys) & (found != 0))
        while len(lost):
            slots[lost] += 1
            slots[lost] %= len(self._keys)
            found = self._keys[slots[lost]]
            lost = lost[(found != keys[lost]) & (found != 0)]
        return slots

    def _find_one(self, key: int) -> int:
        keys = self._keys
        slot = (key >> 32) * len(keys) >> 32
        while (found := keys.item(slot)) != key and found != 0:
            slot = (slot + 1) % len(keys)
        return slot

    def _place(
        self, keys: Fingerprints, slots: NDArray[np.intp], placed: NDArray[np.bool_]
    ) -> NDArray[np.intp]:
        """Give each missing key a slot; where several want the same one, the last writer has it."""
        waiting = np.flatnonzero(~placed)
        while len(waiting):
            self._keys[slots[waiting]] = keys[waiting]
            waiting = waiting[self._keys[slots[waiting]] != keys[waiting]]
            if len(waiting):
                slots[waiting] = self._find(keys[waiting])
        return slots

    def _make_room(self, count: int) -> None:
        if self._size + count <= _FILL * len(self._keys):
            return
        keys, values = self.items()
        self._allocate(max(self._size + count, int(1.4 * self._size)))
        self.set(keys, values)
