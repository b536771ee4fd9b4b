"""A map from 64-bit fingerprints to small integers, in two flat arrays.

Python's dict spends about 100 bytes on such an entry; this one spends 12 bytes a slot and
keeps half to two thirds of its slots filled. Lookups come in batches, as links do.
"""

from __future__ import annotations

import secrets
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wolfspider.records import Fingerprints, State

Slots = NDArray[np.integer[Any]]  # where a map has keys

ABSENT = -1
_FILL = 0.6  # share of slots in use before the arrays grow
_ALL = 2**64 - 1
_STEP = 12  # slots looked at in one step; at this fill hardly a key is farther away
_WINDOW = np.arange(_STEP)
_BLOCK = 65536  # keys looked for at a time, because each takes a row of `_STEP` slots
# Nobody outside knows this odd number, so nobody can make up a million URLs that all want the
# same slot. It moves keys to other slots, but changes no answer.
_SALT = secrets.randbits(64) | 1
# These are arrays without dimensions: of a scalar NumPy would make one each time.
_SALT_ARRAY = np.array(_SALT, np.uint64)
_HIGH, _EMPTY = np.array(32, np.uint64), np.array(0, np.uint64)


class KeyMap(Protocol):
    """What whoever keeps rows of links asks of a map from their fingerprints to the rows."""

    def __len__(self) -> int: ...

    def find(self, keys: Fingerprints, *, new: bool = True) -> Slots: ...

    def at(self, slots: Slots, keys: Fingerprints) -> NDArray[np.int32]: ...

    def held(self, slots: Slots) -> NDArray[np.int32]: ...

    def hold(self, slots: Slots, values: NDArray[Any]) -> None: ...

    def get(self, keys: Fingerprints) -> NDArray[np.int32]: ...

    def set(
        self, keys: Fingerprints, values: NDArray[Any] | int, slots: Slots | None = None
    ) -> None: ...

    def get_one(self, key: int) -> int: ...

    def set_one(self, key: int, value: int) -> None: ...

    def translate(self, new: NDArray[np.int32]) -> None: ...

    def state(self) -> State: ...

    def restore(self, state: State) -> None: ...


class FingerprintMap:
    """Open addressing with linear probing, one batch at a time.

    Keys are never removed and never 0, which marks an empty slot. The upper half of the salted
    key, scaled to the number of slots, chooses where to look first; after the last slot the
    search goes on at the first.
    """

    def __init__(self, capacity: int = 1024) -> None:
        self._allocate(capacity)

    def _allocate(self, capacity: int) -> None:
        self._slots = max(16, int(capacity / _FILL) + 1)
        self._keys = np.zeros(self._slots, np.uint64)
        self._values = np.zeros(self._slots, np.int32)
        self._scale = np.array(self._slots, np.uint64)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def find(self, keys: Fingerprints, *, new: bool = True) -> Slots:
        """Where each key is, or the empty slot at which the search for it ended.

        Good until the next `set`; room for all the keys is made first, unless none is `new`.
        """
        if new:
            self._make_room(len(keys))
        return self._find(keys)

    def at(self, slots: Slots, keys: Fingerprints) -> NDArray[np.int32]:
        """The value of each key found by `find`, `ABSENT` where there is none."""
        values = self._values[slots]
        values[self._keys[slots] != keys] = ABSENT
        return values

    def held(self, slots: Slots) -> NDArray[np.int32]:
        """The values of keys that are there."""
        return self._values.take(slots)

    def hold(self, slots: Slots, values: NDArray[Any]) -> None:
        """Give keys that are there other values."""
        self._values[slots] = values

    def get(self, keys: Fingerprints) -> NDArray[np.int32]:
        """The value of each key, `ABSENT` where there is none."""
        return self.at(self._find(keys), keys)

    def set(
        self,
        keys: Fingerprints,
        values: NDArray[Any] | int,
        slots: Slots | None = None,
    ) -> None:
        """Store a value for each key; the keys of one call are distinct.

        `slots` may be given when `find` has just told them.
        """
        slots = self.find(keys) if slots is None else slots
        missing = np.flatnonzero(self._keys[slots] != keys)
        self._size += len(missing)
        while len(missing):  # where several keys want one slot, the last writer has it
            self._keys[slots[missing]] = keys[missing]
            missing = missing[self._keys[slots[missing]] != keys[missing]]
            if len(missing):
                slots[missing] = self._search(keys[missing], slots[missing])
        self._values[slots] = values

    def get_one(self, key: int) -> int:
        slot = self._find_one(key)
        return self._values.item(slot) if self._keys.item(slot) == key else ABSENT

    def set_one(self, key: int, value: int) -> None:
        slot = self._find_one(key)
        if self._keys.item(slot) != key:
            self._make_room(1)
            slot = self._find_one(key)
            self._keys[slot] = key
            self._size += 1
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
        values = values[order]
        del order
        keys.sort()
        return {"keys": keys, "values": values}

    def restore(self, state: State) -> None:
        self._allocate(len(state["keys"]))
        self.set(np.asarray(state["keys"], np.uint64), np.asarray(state["values"], np.int32))

    def _find(self, keys: Fingerprints) -> Slots:
        if len(keys) > _BLOCK:
            blocks = range(0, len(keys), _BLOCK)
            return np.concatenate([self._find(keys[at : at + _BLOCK]) for at in blocks])
        home = keys * _SALT_ARRAY
        home >>= _HIGH
        home *= self._scale
        home >>= _HIGH
        return self._search(keys, home.view(np.intp))

    def _search(self, keys: Fingerprints, slots: Slots) -> Slots:
        """Go on from the given slots, which change, to the keys or to empty slots."""
        lost = None
        while True:
            wanted = keys if lost is None else keys[lost]
            begin = slots if lost is None else slots[lost]
            seen = self._keys.take(begin[:, None] + _WINDOW, mode="wrap")
            ends = seen == wanted[:, None]
            ends |= seen == _EMPTY
            steps = ends.argmax(axis=1)  # 0 also for a key whose search has not ended
            if lost is None:
                slots += steps
            else:
                slots[lost] += steps
            if np.count_nonzero(steps) + np.count_nonzero(ends[:, 0]) == len(steps):
                slots %= self._slots
                return slots
            going = np.flatnonzero(~ends.any(axis=1))
            lost = going if lost is None else lost[going]
            slots[lost] += _STEP

    def _find_one(self, key: int) -> int:
        at, slots = self._keys.item, self._slots
        slot = ((key * _SALT & _ALL) >> 32) * slots >> 32
        while (found := at(slot)) != key and found != 0:
            slot = slot + 1 if slot + 1 < slots else 0
        return slot

    def _make_room(self, count: int) -> None:
        if self._size + count <= _FILL * self._slots:
            return
        keys, values = self.items()
        self._allocate(max(self._size + count, int(1.4 * self._size)))
        self.set(keys, values)
