"""The table that is there without a file: English, from the package `wordllama`.

wordllama (Miller 2024) has vectors of 32,000 tokens, trained so that the mean over a text tells
what it is about, and so that the first columns alone do, too (Matryoshka). We read its two files,
and never its code: that may fetch others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

from wolfspider.errors import BadInput
from wolfspider.vectors import tokens
from wolfspider.vectors.batches import Batch, Matrix, as_floats
from wolfspider.vectors.tensors import open_matrix

WIDTH = 64  # of 256 columns
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"


def files() -> tuple[Path, Path, Path]:
    """Weights, tokenizer and list of words, where they are installed."""
    spec = find_spec("wordllama")  # finds it without running it
    if spec is None or spec.origin is None:
        raise BadInput("the package wordllama is missing; install it, or give a file of vectors")
    folder = Path(spec.origin).parent
    found = (folder / _WEIGHTS, folder / _TOKENIZER, tokens.word_list())
    for path in found:
        if not path.is_file():
            raise BadInput(f"{path.name} is not in its package; give a file of vectors")
    return found


def read() -> Iterator[Batch]:
    weights, tokenizer, _ = files()
    yield from tokens.batches(weights, open_matrix(weights)[:, :WIDTH], tokenizer)


def vectors_of(words: Iterable[str]) -> dict[str, Matrix]:
    """The vectors of those words that are tokens."""
    weights, tokenizer, _ = files()
    matrix, numbers = open_matrix(weights)[:, :WIDTH], tokens.numbers_of(words, tokenizer)
    return {word: as_floats(matrix[number]) for word, number in numbers.items()}
