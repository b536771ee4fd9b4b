"""safetensors: one matrix, with a list of words or a tokenizer beside it.

Beside `x.safetensors`, the first of these that there is: `x.words.txt`, `x.txt`, `words.txt`,
`vocab.txt` (a word a line, in the order of the rows), `x.json`, `tokenizer.json` (of the
`tokenizers` library). With a tokenizer a word's vector is the mean of those of its tokens.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.errors import BadInput
from wolfspider.records import Rows
from wolfspider.vectors import tokens
from wolfspider.vectors.batches import Batch, Matrix, as_floats

_LENGTH = struct.Struct("<Q")
_LONGEST_HEADER = 100_000_000  # as the format's own library has it
_KINDS = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "BF16": "<u2"}
_ROWS = 8192
_LISTS = ("words.txt", "vocab.txt")


def is_safetensors(head: bytes) -> bool:
    if len(head) < 10:
        return False
    return head[8:9] == b"{" and _LENGTH.unpack(head[:8])[0] <= _LONGEST_HEADER


def read(path: Path) -> Iterator[Batch]:
    """Words and vectors of a safetensors file with its list of words or its tokenizer."""
    matrix = open_matrix(path)
    if list_ := _list_of(path):
        yield from _listed(path, list_, matrix)
    elif tokenizer := _tokenizer_of(path):
        yield from tokens.batches(path, matrix, tokenizer)
    else:
        raise BadInput(
            f"{path} has vectors and no words; put {path.stem}.words.txt (a word a line) "
            "or tokenizer.json beside it"
        )


def words_of(path: Path) -> tuple[Path, ...]:
    """The files from which a safetensors file has its words; none if there are none."""
    if list_ := _list_of(path):
        return (list_,)
    tokenizer = _tokenizer_of(path)
    return (tokenizer, tokens.word_list()) if tokenizer else ()


def _list_of(path: Path) -> Path | None:
    return _beside(path, f"{path.stem}.words.txt", f"{path.stem}.txt", *_LISTS)


def _tokenizer_of(path: Path) -> Path | None:
    return _beside(path, f"{path.stem}.json", "tokenizer.json")


def _beside(path: Path, *names: str) -> Path | None:
    return next((path.parent / name for name in names if (path.parent / name).is_file()), None)


def _listed(path: Path, list_: Path, matrix: NDArray[Any]) -> Iterator[Batch]:
    words = list_.read_bytes().splitlines()
    if len(words) != len(matrix):
        raise BadInput(f"{list_} has {len(words)} words, {path} has {len(matrix)} vectors")
    for first in range(0, len(words), _ROWS):
        yield Batch(
            words[first : first + _ROWS],
            partial(_take, matrix[first : first + _ROWS]),
            partial(_place, list_, first),
        )


def open_matrix(path: Path) -> NDArray[Any]:
    """The one matrix of a file, mapped into memory; bfloat16 as its bits."""
    matrices = {n: t for n, t in _tensors(path).items() if len(t["shape"]) == 2}
    if len(matrices) != 1:
        names = ", ".join(sorted(matrices)) or "none"
        raise BadInput(f"{path} should have one matrix; it has: {names}")
    [(name, tensor)] = matrices.items()
    if tensor["dtype"] not in _KINDS:
        kinds = ", ".join(_KINDS)
        raise BadInput(f"{path}: {name} is of type {tensor['dtype']}; known: {kinds}")
    begin, end = tensor["data_offsets"]
    rows, width = tensor["shape"]
    kind = np.dtype(_KINDS[tensor["dtype"]])
    if end - begin != rows * width * kind.itemsize or not rows * width:
        raise BadInput(f"{path} is damaged: {name} has not the size that its shape says")
    with open(path, "rb") as file:
        before = 8 + _LENGTH.unpack(file.read(8))[0]
    if path.stat().st_size < before + end:
        raise BadInput(f"{path} is cut off: {name} ends at byte {before + end}")
    return np.memmap(path, kind, "r", before + begin, (rows, width))


def _tensors(path: Path) -> dict[str, Any]:
    with open(path, "rb") as file:
        data = file.read(_LENGTH.unpack(file.read(8))[0])
    try:
        header = json.loads(data)
        header.pop("__metadata__", None)
        odd = [name for name, tensor in header.items() if not _is_sane(tensor)]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadInput(f"{path}: the header of the safetensors file cannot be read") from error
    if odd:
        raise BadInput(f"{path} is damaged: its header gives {odd[0]} no sane type, shape or place")
    found: dict[str, Any] = header
    return found


def _is_sane(tensor: Any) -> bool:
    """Whether it has a type, a shape, and offsets of which the second is not before the first."""
    shape, offsets = tensor["shape"], tensor["data_offsets"]
    return (
        isinstance(tensor["dtype"], str)
        and _are_counts(shape)
        and _are_counts(offsets)
        and len(offsets) == 2
        and offsets[0] <= offsets[1]
    )


def _are_counts(values: Any) -> bool:
    return isinstance(values, list) and all(type(each) is int and each >= 0 for each in values)


def _take(matrix: NDArray[Any], rows: Rows) -> Matrix:
    return as_floats(matrix[rows])


def _place(path: Path, first: int, row: int) -> str:
    return f"{path}: line {first + row + 1}"
