"""The table that is there without a file: English, from the package `wordllama`.

wordllama (Miller 2024) has vectors of 32,000 tokens, trained so that the mean over a text tells
what it is about, and so that the first columns alone do, too (Matryoshka). We read its two files,
and never its code: that may fetch others.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.text import term_id
from wolfspider.vectors import tokens
from wolfspider.vectors.batches import Chunk, as_floats, chunks
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


def read() -> Iterator[Chunk]:
    weights, tokenizer, _ = files()
    return chunks(tokens.batches(weights, open_matrix(weights)[:, :WIDTH], tokenizer))


def written() -> Iterator[Chunk]:
    """The words that are tokens, told by how they are written and not by their stems."""
    weights, tokenizer, _ = files()
    numbers = tokens.numbers_of_words(tokenizer)
    words = list(numbers)
    ids, rows = np.unique(np.array([term_id(word) for word in words]), return_index=True)
    vectors = open_matrix(weights)[:, :WIDTH][[numbers[words[row]] for row in rows]]
    yield Chunk(ids.astype(np.uint32), [words[row] for row in rows], as_floats(vectors))
