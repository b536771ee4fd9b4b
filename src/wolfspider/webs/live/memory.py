"""What a crawl has met before."""

from __future__ import annotations

import numpy as np
from xxhash import xxh3_64_intdigest

from wolfspider.fingerprint_map import FingerprintMap
from wolfspider.records import State

_MANY = 512


class Memory:
    """Texts met so far, by fingerprint.

    What is noted counts at once; only what is kept survives a restart. So an answer that was
    on its way when the state was taken, and is asked for again, is not taken for a known one.
    """

    def __init__(self) -> None:
        self._kept = FingerprintMap()
        self._noted: set[int] = set()
        self._keeping: list[int] = []  # noted too, and to be kept; the map likes many at once

    def __contains__(self, text: str) -> bool:
        key = _key(text)
        return key in self._noted or self._kept.get_one(key) >= 0

    def note(self, text: str) -> None:
        self._noted.add(_key(text))

    def forget(self, text: str) -> None:
        """Take a note back."""
        self._noted.discard(_key(text))

    def keep(self, text: str) -> None:
        key = _key(text)
        self._noted.add(key)
        self._keeping.append(key)
        if len(self._keeping) >= _MANY:
            self._keep()

    def _keep(self) -> None:
        keys = np.unique(np.array(self._keeping, np.uint64))
        self._kept.set(keys, np.zeros(len(keys), np.int32))
        self._noted.difference_update(self._keeping)
        self._keeping.clear()

    def state(self) -> State:
        self._keep()
        return self._kept.state()

    def restore(self, state: State) -> None:
        self._noted, self._keeping = set(), []
        self._kept.restore(state)


def _key(text: str) -> int:
    return xxh3_64_intdigest(text.encode()) or 1  # 0 marks an empty slot of the map
