"""How alike pages and links are to given texts, by the vectors of their words.

Han, Wuillemin & Senellart 2018, section 3.1: relevance is the cosine between the word vector of a
topic and that of a page. The vector of a text is the mean of those of its words.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.records import Bag, Floats, Rows, TermIds, Terms
from wolfspider.text import term_ids
from wolfspider.vectors.batches import Matrix
from wolfspider.vectors.table import WordVectors

_AT_ONCE = 2048  # links × width; beyond, BLAS starts threads, which cost more than they save
_TINY = np.finfo(np.float32).tiny
_DIGITS = 6  # the last ones of a matrix product depend on the processor and on the row


class Likeness:
    """Cosines to each of the texts, in their order: the topic first, then related categories.

    Words without a vector do not count; what has no word with one is like nothing, 0.
    """

    def __init__(self, vectors: WordVectors, texts: Sequence[str]) -> None:
        self.vectors = vectors
        self.texts = tuple(texts)
        self._directions = np.stack([direction(vectors, text) for text in texts], axis=1)

    def of_terms(self, terms: Terms) -> Floats:
        """Of one page: a value for each text."""
        rows, here = self.vectors.find(terms.ids)
        total = terms.counts[here] @ self.vectors.take(rows)
        found: Floats = self._cosines(total[None])[0]
        return found

    def of_bags(self, *bags: Bag) -> Floats:
        """Of many links: a row for each, all its words in these bags taken together."""
        found = np.zeros((len(bags[0]), len(self.texts)))
        step = max(1, _AT_ONCE // self.vectors.width)
        for first in range(0, len(found), step):
            rows = slice(first, first + step)
            found[rows] = self._cosines(self._totals(*_words(bags, rows), len(found[rows])))
        return found

    def _totals(self, ids: TermIds, links: Rows, count: int) -> Matrix:
        """The sum of the vectors of each link's words, given each word and whose it is.

        Links that stand together share most of their words. Each is looked up once, and the sums
        are one product of matrices: how often each link has each word, times its vector.
        """
        words, which = _distinct(ids)
        rows, here = self.vectors.find(words)
        values = np.zeros((len(words), self.vectors.width), np.float32)
        values[here] = self.vectors.vectors[rows]
        counts = np.bincount(links * len(words) + which, minlength=count * len(words))
        totals: Matrix = counts.astype(np.float32).reshape(count, len(words)) @ values
        return totals

    def _cosines(self, totals: Matrix) -> Floats:
        lengths = np.sqrt(np.einsum("ij,ij->i", totals, totals))
        cosines = totals @ self._directions / np.maximum(lengths, _TINY)[:, None]
        found: Floats = np.round(cosines.astype(np.float64), _DIGITS)
        return found


def _words(bags: Sequence[Bag], rows: slice) -> tuple[TermIds, Rows]:
    """All words of some links, bag after bag, and the link of each."""
    if any(bag.ids is not bags[0].ids for bag in bags):  # the bags of one page share theirs
        apart = [_words([bag], rows) for bag in bags]
        return np.concatenate([a for a, _ in apart]), np.concatenate([b for _, b in apart])
    starts = np.concatenate([bag.starts[rows] for bag in bags]).astype(np.intp)
    lengths = np.concatenate([bag.ends[rows] for bag in bags]) - starts
    rank = np.arange(len(starts)).repeat(lengths)
    places = (starts - lengths.cumsum() + lengths)[rank] + np.arange(len(rank))
    return bags[0].ids[places], rank % (len(starts) // len(bags))


def _distinct(ids: TermIds) -> tuple[TermIds, Rows]:
    """Distinct ids, sorted, and which of them each is: `np.unique` at half its price."""
    order = ids.argsort()
    ordered = ids[order]
    new = np.ones(len(ids), np.bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    which = np.empty(len(ids), np.intp)
    which[order] = new.cumsum() - 1
    return ordered[new], which


def direction(vectors: WordVectors, text: str) -> Matrix:
    """The unit vector of a text; a sentence if none of its words has a vector."""
    rows, _ = vectors.find(term_ids(text))
    total = vectors.take(rows).sum(axis=0)
    length = float(np.sqrt(total @ total))
    if not length:
        raise BadInput(
            f"no word of {text!r} has a vector in {vectors.source}; "
            'give other words for the same, more common ones, such as "astronomy"'
        )
    found: Matrix = total / np.float32(length)
    return found
