"""How near words are in meaning to the topic's, by word vectors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.errors import BadInput
from wolfspider.records import Floats, TermIds, Terms
from wolfspider.text import term_ids
from wolfspider.topics import Topic
from wolfspider.vectors.batches import Matrix
from wolfspider.vectors.likeness import direction
from wolfspider.vectors.table import WordVectors

_DIGITS = 4  # the last ones of a matrix product depend on the processor
_MOST = 64  # words of a page: the others stand in it once or twice, and say little of its topic
_OFTEN = 30_000  # a count that is as good as any larger one
_TINY = 1e-9


class Meaning:
    """Cosines to the topic; 0 for words without a vector."""

    def __init__(self, topic: Topic) -> None:
        words = " ".join(topic.keywords)
        self._topic = topic
        self._vectors = WordVectors.open(topic=words)
        try:
            self._towards: Matrix | None = direction(self._vectors, words)
        except BadInput:  # no keyword has a vector: nothing is known to be near
            self._towards = None

    @property
    def is_known(self) -> bool:
        """Whether any keyword has a vector."""
        return self._towards is not None

    @property
    def unknown(self) -> tuple[str, ...]:
        """The keywords without a vector: what is near them in meaning is not known."""
        each = {word: term_ids(word) for word in self._topic.keywords}
        return tuple(
            word for word, ids in each.items() if len(ids) and not self._vectors.find(ids)[1].any()
        )

    def of_bags(self, ids: TermIds, counts: NDArray[np.integer[Any]]) -> Floats:
        """The cosine of the sum of each bag's words, given how many words each has."""
        found = np.zeros(len(counts))
        if self._towards is None:
            return found
        rows, here = self._vectors.find(ids)
        kept = np.zeros(len(here) + 1, np.intp)
        here.cumsum(out=kept[1:])
        ends = counts.cumsum(dtype=np.intp)
        starts, ends = kept.take(ends - counts), kept.take(ends)
        full = (ends > starts).nonzero()[0]
        if len(full):
            sums = np.add.reduceat(self._vectors.take(rows), starts.take(full), axis=0)
            lengths = np.sqrt(np.vecdot(sums, sums))
            cosines = sums @ self._towards / np.maximum(lengths, _TINY)
            found[full] = cosines.round(_DIGITS)
        return found

    def of_page(self, terms: Terms) -> float:
        """The cosine of the sum of a page's most frequent words, counts damped by a logarithm."""
        if self._towards is None:
            return 0.0
        ids, counts = terms.ids, terms.counts
        if len(ids) > _MOST:
            capped = counts if terms.length <= _OFTEN else np.minimum(counts, _OFTEN)
            most = (-capped).astype(np.int16).argsort(kind="stable")[:_MOST]  # these sort by radix
            ids, counts = ids.take(most), counts.take(most)
        rows, here = self._vectors.locate(ids)
        total = (np.log1p(counts) * here).dot(self._vectors.take(rows))
        length = math.sqrt(total.dot(total))
        return round(float(total.dot(self._towards)) / max(length, _TINY), _DIGITS)
