"""fastText's own binary files, as far as a row of the matrix is the vector of a word.

Most models have subwords: there a word's vector is the mean of its row and those of its letter
groups. The .vec file beside such a model has those means, so that is the one to give.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.records import Rows
from wolfspider.vectors.batches import Batch, Matrix

MAGIC = struct.pack("<i", 793712314)
_ROWS = 8192
# version, dim, ws, epoch, minCount, neg, wordNgrams, loss, model, bucket, minn, maxn,
# lrUpdateRate, t
_ARGUMENTS = struct.Struct("<13id")
_SIZES = struct.Struct("<3i2q")  # entries, words, labels, tokens, pruned
_SHAPE = struct.Struct("<2q")


def read(path: Path, file: IO[bytes]) -> Iterator[Batch]:
    """The words of a model without subwords, in its order: by frequency."""
    file.seek(len(MAGIC))
    arguments = _ARGUMENTS.unpack(_exactly(path, file, _ARGUMENTS.size))
    longest_subword = arguments[11]
    entries, words, _, _, pruned = _SIZES.unpack(_exactly(path, file, _SIZES.size))
    names = [_name(path, file) for _ in range(entries)][:words]
    quantised = _exactly(path, file, 1) != b"\0"
    if longest_subword > 0 or quantised or pruned > 0:
        raise BadInput(
            f"{path} is a fastText model whose words are made of subwords or compressed; "
            "give the .vec file of the same model"
        )
    rows, width = _SHAPE.unpack(_exactly(path, file, _SHAPE.size))
    if rows < words or width != arguments[1]:
        raise BadInput(f"{path} is damaged: its matrix does not fit its words")
    for first in range(0, words, _ROWS):
        some = names[first : first + _ROWS]
        data = _exactly(path, file, 4 * width * len(some))
        matrix = np.frombuffer(data, "<f4").reshape(-1, width)
        yield Batch(some, partial(_take, matrix), partial(_place, path, first))


def _exactly(path: Path, file: IO[bytes], size: int) -> bytes:
    data = file.read(size)
    if len(data) < size:
        raise BadInput(f"{path} is cut off: a fastText model goes on here")
    return data


def _name(path: Path, file: IO[bytes]) -> bytes:
    """One entry: the word up to a zero byte, its count and its type."""
    name = bytearray()
    while (byte := _exactly(path, file, 1)) != b"\0":
        name += byte
    _exactly(path, file, 9)
    return bytes(name)


def _take(matrix: Matrix, rows: Rows) -> Matrix:
    return matrix[rows].astype(np.float32)


def _place(path: Path, first: int, row: int) -> str:
    return f"{path}: word {first + row + 1}"
