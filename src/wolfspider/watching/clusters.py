"""What texts are about, in a few numbers: clusters of documents, and a classifier of words.

Palotai et al. have 50 clusters of documents (Boley's bisecting method) and a PrTFIDF classifier
(Joachims 1997) for them and one class of general texts:

    P(c | d) = Σ_w  P(w | d) · P(c | w)        P(w | d): share of w among the words of d

The state of a page is tanh P(c | d) for the clusters; that of the general class is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from wolfspider.errors import BadInput
from wolfspider.records import Floats, State, TermIds, Terms, find_terms
from wolfspider.training.terms import Documents

_COMMON = 0.5  # of the documents: words that more have tell nothing
_RARE = 2  # documents: words that fewer have are noise


@dataclass(frozen=True)
class Clusters:
    """P(c | w) of known words; a document is their mean."""

    ids: TermIds
    shares: NDArray[np.float32]  # words × clusters

    @classmethod
    def fit(cls, documents: Sequence[Terms], count: int = 50, seed: int = 0) -> Clusters:
        """Learn so many clusters, or as many as there are different documents."""
        if count < 1:
            raise ValueError(f"clusters is {count}; there must be 1 or more")
        table = _informative(Documents.of([each for each in documents if each.length]))
        if not table.counts.shape[0] or not len(table.ids):
            raise BadInput("the pages have no words in common that could tell what they are about")
        lengths = np.maximum(table.counts.sum(axis=1), 1)
        shares = csr_array(diags_array(1 / lengths) @ table.counts)  # P(w | d)
        members = _members(table.counts, count, seed)
        per_class = csr_array(shares.T @ members).toarray()  # Σ P(w | d) of each cluster
        general = per_class.sum(axis=1, keepdims=True) / max(members.shape[1], 1)
        joint = np.concatenate([per_class, general], axis=1)  # P(w, c), but for a factor
        posterior = joint / np.maximum(joint.sum(axis=1, keepdims=True), 1e-12)
        padded = np.zeros((len(table.ids), count), np.float32)
        padded[:, : members.shape[1]] = posterior[:, :-1]
        return cls(table.ids, padded)

    @property
    def count(self) -> int:
        return int(self.shares.shape[1])

    def of(self, terms: Terms) -> Floats:
        """The state of a page: tanh P(c | d)."""
        at, here = find_terms(self.ids, terms.ids)
        if not terms.length:
            return np.zeros(self.count)
        weights = terms.counts * here / np.float32(terms.length)
        return np.tanh((weights @ self.shares[at]).astype(np.float64))

    def state(self) -> State:
        return {"ids": self.ids, "shares": self.shares}

    @classmethod
    def restored(cls, state: State) -> Clusters:
        return cls(np.asarray(state["ids"]), np.asarray(state["shares"]))


def _informative(table: Documents) -> Documents:
    present = np.asarray((table.counts > 0).sum(axis=0)).ravel()
    rows = table.counts.shape[0]
    kept = np.flatnonzero((present >= min(_RARE, rows)) & (present <= max(_COMMON * rows, 1)))
    return Documents(table.ids[kept], csr_array(table.counts[:, kept]))


def _members(counts: csr_array, count: int, seed: int) -> csr_array:
    """Which document is in which cluster: bisecting k-means of tf-idf vectors of length one."""
    from sklearn.cluster import BisectingKMeans

    rows = counts.shape[0]
    present = np.asarray((counts > 0).sum(axis=0)).ravel()
    weighted = csr_array(counts @ diags_array(np.log(1 + rows / np.maximum(present, 1))))
    norms = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
    unit = csr_array(diags_array(1 / np.maximum(norms, 1e-12)) @ weighted)
    wide = csr_array(
        (unit.data, unit.indices.astype(np.int32), unit.indptr.astype(np.int32)), shape=unit.shape
    )
    edges = wide.indptr.tolist()
    different = {
        (wide.indices[a:b].tobytes(), wide.data[a:b].tobytes()) for a, b in pairwise(edges)
    }
    most = min(count, len(different))
    if most < 2:
        labels = np.zeros(rows, np.int64)
    else:
        labels = BisectingKMeans(most, random_state=seed).fit_predict(wide).astype(np.int64)
    used = int(labels.max()) + 1
    return csr_array((np.ones(rows), (np.arange(rows), labels)), shape=(rows, used))
