"""What readers of vector files hand on: some words at a time, the most frequent first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.errors import BadInput
from wolfspider.records import Rows, TermIds, find_terms
from wolfspider.text import Words, marked_ids

Matrix = NDArray[np.float32]

_MARK = b"\x01"
_LONGEST = 160  # bytes: 40 characters, the most a term has, of four bytes
_WORD_BYTES = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" + bytes(
    range(0x80, 0x100)
)


@dataclass(frozen=True, slots=True)
class Batch:
    """Words of a file, in its order; `read` gives the vectors of some of them.

    Most files have several words with one stem. Only one of them is kept, so the numbers of the
    others are never parsed.
    """

    words: Sequence[bytes]
    read: Callable[[Rows], Matrix]
    place: Callable[[int], str]  # where in the file a word stands, for the person who looks
    whole: bool = True  # False: these words were put together from parts


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Terms that had not come before, with their words and vectors."""

    ids: TermIds
    words: list[str]
    vectors: Matrix
    whole: bool = True


def chunks(batches: Iterable[Batch]) -> Iterator[Chunk]:
    """The first word of each stem: files name the frequent words first."""
    memo = Words()  # not that of the process: a large file would make it forget everything
    seen: TermIds = np.empty(0, np.uint32)
    for batch in batches:
        ids = single_terms(batch, memo)
        known, first = np.unique(ids, return_index=True)
        new = (known != 0) & ~find_terms(seen, known)[1]
        rows = np.sort(first[new])
        vectors = batch.read(rows)
        _check_finite(batch, rows, vectors)
        seen = np.union1d(seen, known[new])
        words = [batch.words[row].decode() for row in rows]
        yield Chunk(ids[rows], words, vectors, batch.whole)


def single_terms(batch: Batch, memo: Words) -> TermIds:
    """The term id of each word; 0 for what pages have no term for, or more than one."""
    plain = [_plain(word) for word in batch.words]
    _check_text(batch, plain)
    found = marked_ids(b" \x01 ".join(plain), memo)
    marks = found == _MARK[0]
    word_of = np.cumsum(marks)[~marks]
    counts = np.bincount(word_of, minlength=len(plain))
    ids = np.zeros(len(plain), np.uint32)
    ids[word_of] = found[~marks]
    ids[counts != 1] = 0
    return ids


def as_floats(values: NDArray[Any]) -> Matrix:
    """Numbers of any of the known types; bfloat16 is the upper half of a float32."""
    if values.dtype == np.uint16:
        return (values.astype(np.uint32) << 16).view(np.float32)
    return values.astype(np.float32)


def _plain(word: bytes) -> bytes:
    """The word if it can be a term; `#music` and `new york` are none, nor is an address."""
    return b"" if len(word) > _LONGEST or word.translate(None, _WORD_BYTES) else word


def _check_text(batch: Batch, words: list[bytes]) -> None:
    try:
        b" ".join(words).decode()
    except UnicodeDecodeError:
        for row, word in enumerate(words):
            if word.decode("utf-8", "ignore").encode() != word:
                raise BadInput(
                    f"{batch.place(row)}: the word {word!r} is not UTF-8; convert the file first"
                ) from None
        raise


def _check_finite(batch: Batch, rows: Rows, vectors: Matrix) -> None:
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        row = int(rows[bad[0]])
        word = batch.words[row].decode()
        raise BadInput(f"{batch.place(row)}: the vector of {word!r} has NaN or infinity in it")
