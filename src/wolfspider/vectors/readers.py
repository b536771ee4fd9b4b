"""Files of word vectors, told apart by their first bytes and read as batches.

    GloVe text       word 0.1 0.2 …
    word2vec text    the same under a line "words width"; fastText's .vec, too
    word2vec binary  "words width\\n", then each word, a space and its numbers as float32
    fastText binary  only without subwords; of others the .vec file has the vectors of words
    safetensors      see `tensors`

Text and word2vec binary may be compressed with gzip. Files are streamed.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, cast

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.records import Rows
from wolfspider.vectors import fasttext, tensors
from wolfspider.vectors.batches import Batch, Matrix

_HEAD = 1 << 16  # bytes that are enough to tell the formats apart
_CHUNK = 1 << 22  # bytes of text read at once
_WORDS = 8192  # of a binary file in a batch
_WIDEST = 1 << 13  # numbers of a vector; more is not a file of vectors
_HEADER = re.compile(rb"(\d{1,10})[ \t](\d{1,5})[ \t]*\r?\n")
_NUMERALS = b"0123456789+-.eE \t\r\n"


def read(path: Path) -> Iterator[Batch]:
    """The words and vectors of a file, whatever kind it is."""
    try:
        yield from _read(path)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadInput(f"{path} is not a whole gzip file ({error})") from error
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror or error}") from error


def files(path: Path) -> tuple[Path, ...]:
    """All files that decide what is read: this one, and those beside it that have its words."""
    try:
        with open(path, "rb") as file:
            head = file.read(16)
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror or error}") from error
    return (path, *tensors.words_of(path)) if tensors.is_safetensors(head) else (path,)


def _read(path: Path) -> Iterator[Batch]:
    with open(path, "rb") as raw:
        zipped = raw.read(2) == b"\x1f\x8b"
    with cast(IO[bytes], gzip.open(path) if zipped else open(path, "rb")) as file:
        head = file.read(_HEAD)
        file.seek(0)
        if not head:
            raise BadInput(f"{path} is empty; give a file of word vectors")
        if head.startswith(fasttext.MAGIC):
            yield from fasttext.read(path, file)
        elif tensors.is_safetensors(head):
            yield from tensors.read(path)
        elif (header := _HEADER.match(head)) and not _is_text(head[header.end() :]):
            yield from _binary(path, file)
        else:
            yield from _text(path, file, header)


def _is_text(data: bytes) -> bool:
    """Whether what follows the first word is numerals."""
    _, _, numbers = data.partition(b"\n")[0].partition(b" ")
    return not numbers[:200].translate(None, _NUMERALS + b"naifNAIF")


# -- text ----------------------------------------------------------------------------------


def _text(path: Path, file: IO[bytes], header: re.Match[bytes] | None) -> Iterator[Batch]:
    number, width, words = 0, 0, 0
    if header:
        file.readline()
        promised, width = int(header[1]), _checked_width(path, int(header[2]))
        number = 1
    while lines := file.readlines(_CHUNK):
        width = width or _first_width(path, lines[0])
        batch = _text_batch(path, lines, width, number)
        number += len(lines)
        words += len(batch.words)
        yield batch
    if header and words < promised:
        raise BadInput(f"{path} is cut off: {promised} words in its first line, {words} came")


def _first_width(path: Path, line: bytes) -> int:
    if b"\0" in line or len(line) >= _CHUNK:
        raise BadInput(
            f"{path} is no file of word vectors that is known here: "
            "GloVe, word2vec, fastText .vec and safetensors are"
        )
    return _checked_width(path, len(line.split()) - 1)


def _checked_width(path: Path, width: int) -> int:
    if not 0 < width <= _WIDEST:
        raise BadInput(f"{path}: line 1 has {max(width, 0)} numbers; a vector has 1 to {_WIDEST}")
    return width


def _text_batch(path: Path, lines: list[bytes], width: int, before: int) -> Batch:
    words, numbers, places = [], [], []
    for at, line in enumerate(lines, before + 1):
        line = line.rstrip().replace(b"\t", b" ")
        if not line:
            continue
        word, _, rest = line.partition(b" ")
        if line.count(b" ") != width:
            word, rest = _cut(path, line, width, at)
        words.append(word)
        numbers.append(rest)
        places.append(at)
    return Batch(
        words,
        lambda rows: _parse(path, [numbers[row] for row in rows], [places[row] for row in rows]),
        lambda row: f"{path}: line {places[row]}",
    )


def _cut(path: Path, line: bytes, width: int, at: int) -> tuple[bytes, bytes]:
    """Word and numbers of a line with more spaces than there are numbers, or fewer.

    GloVe's largest table has words with spaces in them, such as `. . .`.
    """
    fields = line.split()
    extra = fields[1 : len(fields) - width]
    if len(fields) <= width or any(map(_is_number, extra)):
        raise BadInput(f"{path}: line {at} has {len(fields) - 1} numbers where {width} should be")
    return b" ".join(fields[:-width]), b" ".join(fields[-width:])


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _parse(path: Path, numbers: list[bytes], places: list[int]) -> Matrix:
    if not numbers:
        return np.empty((0, 0), np.float32)
    try:
        return _numbers(numbers)
    except ValueError:
        for line, place in zip(numbers, places, strict=True):
            try:
                _numbers([line])
            except ValueError:
                wrong = next((f for f in line.split() if not _is_number(f)), line[:40])
                shown = wrong.decode("utf-8", "replace")
                raise BadInput(f"{path}: line {place}: {shown!r} is not a number") from None
        raise


def _numbers(lines: list[bytes]) -> Matrix:
    texts = [line.decode("latin-1") for line in lines]
    found: Matrix = np.loadtxt(texts, np.float32, comments=None, ndmin=2)
    return found


# -- word2vec binary -----------------------------------------------------------------------


def _binary(path: Path, file: IO[bytes]) -> Iterator[Batch]:
    promised, width = map(int, file.readline().split())
    size = 4 * _checked_width(path, width)
    for first in range(0, promised, _WORDS):
        words, raw = [], []
        for number in range(first, min(first + _WORDS, promised)):
            word, vector = _word(path, file), file.read(size)
            if len(vector) < size:
                raise BadInput(
                    f"{path} is cut off: {promised} words in its first line, {number} came"
                )
            words.append(word)
            raw.append(vector)
        yield Batch(words, partial(_floats, raw, width), partial(_word_place, path, first))


def _word(path: Path, file: IO[bytes]) -> bytes:
    """Up to a space; some writers end each vector with a line feed, some do not."""
    found = bytearray()
    while (byte := file.read(1)) not in (b" ", b""):
        found += byte
        if len(found) > _CHUNK:
            raise BadInput(f"{path} is no word2vec file: a word in it has no end")
    return bytes(found.lstrip(b"\n"))


def _floats(raw: list[bytes], width: int, rows: Rows) -> Matrix:
    data = b"".join(raw[row] for row in rows)
    return np.frombuffer(data, "<f4").reshape(-1, width).astype(np.float32)


def _word_place(path: Path, first: int, row: int) -> str:
    return f"{path}: word {first + row + 1}"
