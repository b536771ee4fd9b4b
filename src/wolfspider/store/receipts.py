"""Receipts on disk: why links were followed, in about 80 bytes each.

    value, rank, waiting, explored      13 bytes
    kind, key, weight of each clue       8 bytes, the weightiest eight

Kinds are numbers here; their names stand once in the table `clue_kinds`. Weights keep three
digits.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wolfspider.records import Clue, Floats, Receipt

MOST_CLUES = 8
_HEAD = struct.Struct("<fIIB")
_CLUE = struct.Struct("<HIe")
_CLUES = np.dtype([("kind", "<u2"), ("key", "<u4"), ("weight", "<f2")])
_MOST_KINDS = 1 << 16
_LARGEST = 65504.0  # that a weight can be
_FULL = (1 << 32) - 1


def pack(receipt: Receipt, number_of: Callable[[str], int]) -> bytes:
    """A receipt as bytes; what does not fit is as near to it as can be."""
    head = _HEAD.pack(
        min(max(_number(receipt.value), 0.0), 1.0),
        min(max(receipt.rank, 0), _FULL),
        min(max(receipt.waiting, 0), _FULL),
        receipt.explored,
    )
    clues = [
        _CLUE.pack(kind, clue.key & _FULL, min(max(_number(clue.weight), -_LARGEST), _LARGEST))
        for clue in receipt.clues[:MOST_CLUES]
        if (kind := number_of(clue.kind)) < _MOST_KINDS
    ]
    return b"".join([head, *clues])


def unpack(data: bytes, names: Mapping[int, str]) -> Receipt:
    value, rank, waiting, explored = _HEAD.unpack_from(data)
    clues = tuple(
        Clue(names.get(kind, "?"), key, weight)
        for kind, key, weight in _CLUE.iter_unpack(data[_HEAD.size :])
    )
    return Receipt(value, rank, waiting, bool(explored), clues)


def value_of(data: bytes) -> float:
    """The expected yield in a packed receipt."""
    value: float = _HEAD.unpack_from(data)[0]
    return value


def kind_names(db: sqlite3.Connection) -> dict[int, str]:
    return dict(db.execute("SELECT id, name FROM clue_kinds"))


class ReceiptWriter:
    """Writes receipts within the transaction that is open."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._numbers = {name: number for number, name in kind_names(db).items()}

    def add(self, step: int, receipt: Receipt) -> None:
        packed = pack(receipt, self._number)
        self._db.execute("INSERT INTO receipts VALUES (?, ?)", (step, packed))

    def _number(self, kind: str) -> int:
        number = self._numbers.get(kind)
        if number is None:
            number = self._numbers[kind] = len(self._numbers)
            self._db.execute("INSERT INTO clue_kinds VALUES (?, ?)", (number, kind))
        return number


@dataclass(frozen=True, slots=True, eq=False)
class AllClues:
    """The clues of all receipts of pages that were asked for, as columns; a row for each clue."""

    steps: NDArray[np.int64]
    relevant: NDArray[np.bool_]  # whether the page was
    kinds: NDArray[np.uint16]
    keys: NDArray[np.uint32]
    weights: Floats
    pages: int  # with a receipt
    relevant_pages: int

    @classmethod
    def of(cls, db: sqlite3.Connection) -> AllClues:
        query = (
            "SELECT step, relevance >= 0.5, packed FROM receipts JOIN pages USING (step) "
            "WHERE NOT refused ORDER BY step"
        )
        rows = [tuple(row) for row in db.execute(query)]
        packed = [row[2][_HEAD.size :] for row in rows]
        counts = np.array([len(clues) // _CLUES.itemsize for clues in packed], np.intp)
        clues = np.frombuffer(b"".join(packed), _CLUES)
        steps = np.array([row[0] for row in rows], np.int64)
        relevant = np.array([row[1] for row in rows], np.bool_)
        return cls(
            np.repeat(steps, counts),
            np.repeat(relevant, counts),
            clues["kind"].copy(),
            clues["key"].copy(),
            clues["weight"].astype(np.float64),
            len(rows),
            int(relevant.sum()),
        )


def _number(value: float) -> float:
    return 0.0 if value != value else value
