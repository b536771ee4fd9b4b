"""How near words are in meaning to the topic's, by word vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.clues.rates import Singles
from wolfspider.errors import BadInput
from wolfspider.records import Floats, TermIds, Terms
from wolfspider.topics import Topic
from wolfspider.vectors import WordVectors
from wolfspider.vectors.likeness import direction

_DIGITS = 4  # the last ones of a matrix product depend on the processor


class Meaning:
    """The cosine of any word to the topic; 0 for words without a vector.

    The cosines of a whole table are worked out once, so that asking is looking up.
    """

    def __init__(self, topic: Topic) -> None:
        self._vectors = WordVectors.open()
        try:
            towards = direction(self._vectors, " ".join(topic.keywords))
        except BadInput:  # no keyword has a vector: nothing is known to be near
            self._cosines = np.zeros(len(self._vectors.vectors), np.float32)
            self._towards = None
            return
        self._towards = towards
        vectors = np.asarray(self._vectors.vectors, np.float32)
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
        cosines = vectors @ towards / np.maximum(lengths, np.float32(1e-9))
        self._cosines = np.round(cosines, _DIGITS).astype(np.float32)

    def of_words(self, ids: TermIds) -> Singles:
        rows, here = self._vectors.find(ids)
        found = np.zeros(len(ids), np.float32)
        found[here] = self._cosines[rows]
        return found

    def of_bags(self, ids: TermIds, counts: NDArray[np.integer[Any]]) -> Floats:
        """The cosine of the sum of each bag's words, given how many words each has."""
        found = np.zeros(len(counts))
        if self._towards is None:
            return found
        rows, here = self._vectors.find(ids)
        kept = np.zeros(len(here) + 1, np.intp)
        np.cumsum(here, out=kept[1:])
        ends = np.cumsum(counts, dtype=np.intp)
        starts, ends = kept[ends - counts], kept[ends]
        full = np.flatnonzero(ends > starts)
        if len(full):
            sums = np.add.reduceat(self._vectors.take(rows), starts[full], axis=0)
            lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums))
            cosines = sums @ self._towards / np.maximum(lengths, np.float32(1e-9))
            found[full] = np.round(cosines, _DIGITS)
        return found

    def of_page(self, terms: Terms) -> float:
        """The mean over its words, those that stand often a little more."""
        if not len(terms.ids):
            return 0.0
        weights = np.log1p(terms.counts)
        return float(self.of_words(terms.ids) @ weights / weights.sum())
