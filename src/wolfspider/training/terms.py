"""Which words tell classes of pages apart: selection of terms by information gain.

Young 2005, section 5.1: vectors of straight term counts, reduced to the 10,000 terms with the
highest information gain. A term counts as present or absent, as Yang & Pedersen 1997 have it:

    IG(t) = H(C) − P(t) · H(C | t) − P(¬t) · H(C | ¬t)        in bits
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from wolfspider.records import Floats, Rows, TermIds, Terms

Classes = NDArray[np.int64]


@dataclass(frozen=True)
class Documents:
    """Term counts: row i is a document, column j is the term ids[j]; ids are sorted."""

    ids: TermIds
    counts: csr_array

    @classmethod
    def of(cls, documents: Sequence[Terms]) -> Documents:
        found = [each.ids for each in documents] or [np.empty(0, np.uint32)]
        ids, columns = np.unique(np.concatenate(found), return_inverse=True)
        values = np.concatenate([np.empty(0), *(each.counts for each in documents)])
        starts = np.cumsum([0, *(len(each.ids) for each in documents)])
        shape = (len(documents), len(ids))
        return cls(ids, csr_array((values, columns, starts), shape=shape))

    def take(self, rows: Rows) -> Documents:
        """These documents, in this order; one may stand there twice."""
        return Documents(self.ids, self.counts[rows])

    def informative(self, classes: Classes, most: int = 10_000) -> Documents:
        """With the terms only that tell most about the classes of the documents."""
        columns = informative_terms(self.counts, classes, most)
        return Documents(self.ids[columns], self.counts[:, columns])


def informative_terms(counts: csr_array, classes: Classes, most: int = 10_000) -> Rows:
    """The columns with the highest information gain, in rising order; of equal ones the first."""
    order = np.argsort(-information_gain(counts, classes), kind="stable")
    return np.sort(order[:most])


def information_gain(counts: csr_array, classes: Classes) -> Floats:
    """How many bits the presence of each term tells about the class of a document."""
    _, numbers = np.unique(classes, return_inverse=True)
    documents = np.bincount(numbers).astype(float)  # of each class
    with_term = _with_term(counts, numbers, len(documents))
    total = documents.sum()
    present = with_term.sum(1) / total
    conditional = present * _entropy(with_term) + (1 - present) * _entropy(documents - with_term)
    # Rounding must not tell apart terms that tell nothing: they stay in the order of their ids.
    gain: Floats = np.round(_entropy(documents) - conditional, 12)
    return gain


def _with_term(counts: csr_array, classes: Classes, size: int) -> Floats:
    """In how many documents of each class (columns) each term (rows) occurs."""
    rows, columns = counts.nonzero()
    cells = columns.astype(np.int64) * size + classes[rows]
    found = np.bincount(cells, minlength=counts.shape[1] * size).reshape(-1, size)
    return found.astype(float)


def _entropy(counts: Floats) -> Floats:
    """In bits, of the distribution in each row; 0 where there is nothing."""
    total = np.maximum(counts.sum(-1, keepdims=True), 1)
    shares = counts / total
    logs = np.log2(np.where(shares > 0, shares, 1))
    bits: Floats = -(shares * logs).sum(-1)
    return bits
