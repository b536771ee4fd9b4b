"""Words that mean something near to a topic, for choosing related categories."""

from __future__ import annotations

from itertools import takewhile

import numpy as np

from wolfspider.text import term_ids
from wolfspider.vectors.likeness import direction
from wolfspider.vectors.table import WordVectors

_FREQUENT = 10_000  # rows: the rarer a word, the less is known about it
_SHORTEST = 4  # letters; shorter words are names of many things


def nearest(vectors: WordVectors, text: str, count: int) -> list[str]:
    """The frequent words with the largest cosine to a text, the nearest first.

    No two of them, and none of them and a word of the text, are forms of one word.
    """
    some = vectors.take(np.arange(min(vectors.whole, _FREQUENT)))
    lengths = np.sqrt(np.einsum("ij,ij->i", some, some))
    cosines = some @ direction(vectors, text) / np.maximum(lengths, np.finfo(np.float32).tiny)
    own = set(vectors.find(term_ids(text))[0].tolist())
    taken = text.lower().split()
    found: list[str] = []
    for row in np.argsort(-cosines, kind="stable").tolist():
        if len(found) == count:
            break
        word = vectors.words[row]
        if row not in own and len(word) >= _SHORTEST and not any(akin(word, t) for t in taken):
            found.append(word)
            taken.append(word.lower())
    return found


def akin(one: str, other: str) -> bool:
    """Whether two words look like forms of one: a stem in common, or one within the other.

    A stem in common is four letters or more, and three fifths of the shorter word.
    """
    one, other = one.lower(), other.lower()
    short = min(len(one), len(other))
    if short >= _SHORTEST and (one in other or other in one):
        return True
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return len(list(alike)) >= max(_SHORTEST, 0.6 * short)
