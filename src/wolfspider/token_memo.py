"""A memo of tokens that is asked for all tokens of a text at once.

A dict answers one token after the other, and most of that time goes into waiting for memory:
a web has a hundred thousand distinct tokens. Here a token of up to 16 bytes is two numbers, its
place in three flat arrays follows from them, and NumPy looks thousands up in one go.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wolfspider.records import TermIds

LONGEST = 16  # bytes of a token that is kept; others are asked for every time
_BITS = 18  # 262,144 places: 5 MB
_SPACE = ord(" ")
_WORD = np.dtype("<u8")
_LENGTHS = range(LONGEST + 2)  # the last stands for all longer ones
_ALL = [(1 << 8 * size) - 1 for size in range(9)]  # the lowest bytes of a number
_FIRST = np.array([_ALL[min(length, 8)] for length in _LENGTHS], np.uint64)
_SECOND = np.array([_ALL[max(0, min(length, 16) - 8)] for length in _LENGTHS], np.uint64)
_MIX = np.array((0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F), np.uint64)


class TokenMemo:
    """Ids of tokens; each token has one place, and who comes later takes it over.

    So it never grows, and what it forgets is asked for again. A token is compared as a whole:
    none is ever taken for another.
    """

    def __init__(self) -> None:
        self._first = np.zeros(1 << _BITS, np.uint64)
        self._second = np.zeros(1 << _BITS, np.uint64)
        self._ids = np.zeros(1 << _BITS, np.uint32)

    def look_up(self, text: bytes, ask: Callable[[bytes], bytes]) -> TermIds:
        """The id of each token of a text, in order; tokens stand between spaces.

        `ask` gives the four bytes of the id of a token that is not kept here.
        """
        text = b" %b%b" % (text, b" " * LONGEST)
        letters = np.frombuffer(text, np.uint8) != _SPACE
        edges = (letters[1:] != letters[:-1]).nonzero()[0] + 1
        starts, ends = edges[::2], edges[1::2]
        lengths = np.minimum(ends - starts, LONGEST + 1)
        numbers = np.ndarray((len(text) - 7,), _WORD, text, 0, (1,))  # one begins at every byte
        first = numbers[starts] & _FIRST[lengths]
        second = np.zeros_like(first)
        long = (lengths > 8).nonzero()[0]
        second[long] = numbers[starts[long] + 8] & _SECOND[lengths[long]]
        mixed = (first * _MIX[0] ^ second * _MIX[1]) * _MIX[0]
        places = (mixed >> np.uint64(64 - _BITS)).view(np.int64)
        ids: TermIds = self._ids[places]
        unknown = (self._first[places] != first) | (self._second[places] != second)
        unknown |= lengths > LONGEST
        asked = unknown.nonzero()[0]
        if len(asked):
            spans = zip(starts[asked].tolist(), ends[asked].tolist(), strict=True)
            answers = b"".join([ask(text[start:end]) for start, end in spans])
            ids[asked] = np.frombuffer(answers, np.uint32)
            kept = asked[lengths[asked] <= LONGEST]
            self._first[places[kept]] = first[kept]
            self._second[places[kept]] = second[kept]
            self._ids[places[kept]] = ids[kept]
        return ids
