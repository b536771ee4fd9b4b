"""What a crawl has met before."""

from __future__ import annotations

import numpy as np
from xxhash import xxh3_64_intdigest

from wolfspider.fingerprint_map import FingerprintMap
from wolfspider.records import State


class Memory:
    """Texts met so far, by fingerprint.

    What is noted counts at once; only what is kept survives a restart. So an answer that was
    on its way when the state was taken, and is asked for again, is not taken for a known one.
    """

    def __init__(self) -> None:
        self._kept = FingerprintMap()
        self._noted: set[int] = set()

    def __contains__(self, text: str) -> bool:
        key = _key(text)
        return key in self._noted or self._kept.get_one(key) >= 0

    def note(self, text: str) -> None:
        self._noted.add(_key(text))

    def keep(self, text: str) -> None:
        key = _key(text)
        self._noted.discard(key)
        self._kept.set(np.array([key], np.uint64), np.zeros(1, np.int32))

    def state(self) -> State:
        return self._kept.state()

    def restore(self, state: State) -> None:
        self._noted = set()
        self._kept.restore(state)


def _key(text: str) -> int:
    return xxh3_64_intdigest(text.encode()) or 1  # 0 marks an empty slot of the map
