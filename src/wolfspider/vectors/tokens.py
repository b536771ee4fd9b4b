"""Vectors of words from a table of tokens, which are words and parts of words.

The words are an English list, by frequency, and the tokens that are words themselves. A word's
vector is the mean of the vectors of its tokens. Words of the list that are one token come first:
their vectors were learned, the others are put together ("dancer" and "cancer" share a part) or
are tokens like "narr", which may be a word or a part of one.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.errors import BadInput
from wolfspider.records import Rows
from wolfspider.vectors.batches import Batch, Matrix, as_floats

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Tokens = Callable[[str], list[int]]

_WORDS = 20_000  # in a batch
_WORD_STARTS = ("▁", "Ġ")  # how SentencePiece and byte-level tokens begin a word


def batches(path: Path, matrix: NDArray[Any], tokenizer: Path) -> Iterator[Batch]:
    """The words that a tokenizer and its table of vectors have something to say about."""
    known = _open(tokenizer)
    table = as_floats(matrix)
    if known.get_vocab_size() > len(table):
        raise BadInput(
            f"{tokenizer} has {known.get_vocab_size()} tokens, {path} has {len(table)} vectors"
        )
    whole = _whole_words(known)
    tokens = partial(_tokens, known, whole)
    listed = english_words()
    alone = [word for word in listed if _alone(whole, word) is not None]
    others = list(dict.fromkeys([*listed, *map(str.lower, whole)]))  # the alone again: no matter
    for each, are_whole in ((alone, True), (others, False)):
        for first in range(0, len(each), _WORDS):
            some = each[first : first + _WORDS]
            place = partial(_place, path, some)
            encoded = [word.encode() for word in some]
            yield Batch(encoded, partial(_means, tokens, table, some), place, are_whole)


def numbers_of_words(tokenizer: Path) -> dict[str, int]:
    """The tokens that are words, by these in small letters."""
    whole = _whole_words(_open(tokenizer))
    found = {word: _alone(whole, word) for word in map(str.lower, whole)}
    return {word: number for word, number in found.items() if number is not None}


def _place(path: Path, words: Sequence[str], row: int) -> str:
    return f"{path}: {words[row]}"


def _open(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer  # only here: most hunts need none

    try:
        found = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower
        raise BadInput(f"{path} is not a tokenizer file: {error}") from error
    found.no_padding()
    found.no_truncation()
    return found


def word_list() -> Path:
    """Where pyspellchecker keeps its English words with their frequencies."""
    spec = find_spec("spellchecker")
    if spec is None or spec.origin is None:
        raise BadInput("the list of English words is missing; pip install pyspellchecker")
    return Path(spec.origin).parent / "resources" / "en.json.gz"


def english_words() -> list[str]:
    """The most frequent first; those of equal count in the order of the list."""
    counts: dict[str, int] = json.loads(gzip.decompress(word_list().read_bytes()))
    return sorted(counts, key=counts.__getitem__, reverse=True)


def _whole_words(tokenizer: Tokenizer) -> dict[str, int]:
    """Tokens that are words, as they are written, in the order of their numbers."""
    numbers = tokenizer.get_vocab()
    found = [token for token in numbers if token.startswith(_WORD_STARTS) and len(token) > 2]
    return {token[1:]: numbers[token] for token in sorted(found, key=numbers.__getitem__)}


def _means(tokens: Tokens, table: Matrix, words: Sequence[str], rows: Rows) -> Matrix:
    if not len(rows):
        return np.empty((0, table.shape[1]), np.float32)
    found = [tokens(words[row]) for row in rows]
    lengths = np.array([len(each) for each in found])
    starts = np.cumsum(lengths) - lengths
    sums = np.add.reduceat(table[np.concatenate(found)], starts, axis=0)
    return as_floats(sums / lengths[:, None])


def _alone(whole: Mapping[str, int], word: str) -> int | None:
    """The token that a word is; names are often one only when written large."""
    return whole.get(word, whole.get(word.capitalize()))


def _tokens(tokenizer: Tokenizer, whole: Mapping[str, int], word: str) -> list[int]:
    """The tokens of a word, or the one that it is."""
    if (number := _alone(whole, word)) is not None:
        return [number]
    # One by one: a batch starts threads, which do not go well with a process that forks later.
    return tokenizer.encode(word, add_special_tokens=False).ids or [0]
