"""Whether pages that are near by links are alike in words.

Menczer's link–content conjecture, as Young (2005, chapter 5.3) tests it. Similarity is the cosine
of TF–IDF vectors, Σ wa·wb / √(Σ wa² · Σ wb²) with w = f · ln(N/df); the pages of the sample are
the N documents. Of every source as many pages are drawn at each distance, so that the few near
ones count as much as the many far ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.sparse import csr_array

from wolfspider.lab.describe.estimates import Estimate, by_source, ratio
from wolfspider.lab.similarity import PageTerms
from wolfspider.records import Floats
from wolfspider.webs.graph import Numbers
from wolfspider.webs.recorded import RecordedWeb

FAR = 6  # links; pages further away are not drawn
NO_WAY = 0  # stands for the distance of pages that cannot be reached
_EACH = 5  # pages at each distance from a source


@dataclass(frozen=True)
class AtDistance:
    distance: int | None  # None: no way
    pairs: int
    similarity: Estimate | None


@dataclass(frozen=True)
class Content:
    sources: int
    pairs: int  # with a way of at most FAR links
    wordless: int  # pairs left out because one page has no words
    by_distance: tuple[AtDistance, ...]
    pearson: Estimate | None
    spearman: Estimate | None


class Pairs:
    """Draws pages at every distance from one source after the other."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)
        self._rows: list[tuple[int, int, int, int]] = []
        self._sources = 0

    def add(self, source: int, distances: Floats) -> None:
        for distance in range(FAR + 1):
            there = np.isinf(distances) if distance == NO_WAY else distances == distance
            pages = np.flatnonzero(there)
            chosen = self._generator.permutation(len(pages))[:_EACH]
            self._rows += [(self._sources, source, page, distance) for page in pages[chosen]]
        self._sources += 1

    def table(self) -> NDArray[np.int64]:
        """Columns: number of the source, its page, the other page, the distance."""
        return np.array(self._rows, np.int64).reshape(-1, 4)


def content(web: RecordedWeb, pairs: Pairs, seed: int) -> Content:
    table = pairs.table()
    pages = np.unique(table[:, 1:3]).astype(np.int32)
    vectors = _weighted(PageTerms(web, pages).counts)
    left, right = (vectors[np.searchsorted(pages, table[:, k])] for k in (1, 2))
    similar: Floats = np.asarray(left.multiply(right).sum(axis=1)).ravel()
    worded = (np.diff(left.indptr) > 0) & (np.diff(right.indptr) > 0)
    table, similar = table[worded], similar[worded]
    linked = table[:, 3] != NO_WAY
    _, sources = np.unique(table[linked, 0], return_inverse=True)
    distances, values = table[linked, 3], similar[linked]
    return Content(
        len(np.unique(table[:, 0])),
        int(linked.sum()),
        int((~worded).sum()),
        tuple(_at(table, similar, distance, seed) for distance in (*range(1, FAR + 1), NO_WAY)),
        by_source(lambda rows: _pearson(distances[rows], values[rows]), sources, seed=seed),
        by_source(lambda rows: _spearman(distances[rows], values[rows]), sources, seed=seed),
    )


def _weighted(counts: csr_array) -> csr_array:
    """TF–IDF vectors of length 1; those of pages whose words say nothing are empty."""
    documents = counts.shape[0]
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    counts.data *= np.log(documents / np.maximum(frequency, 1))[counts.indices]
    counts.eliminate_zeros()
    rows = np.repeat(np.arange(documents), np.diff(counts.indptr))
    lengths = np.sqrt(np.bincount(rows, counts.data**2, documents))
    counts.data /= lengths[rows]
    return counts


def _at(table: Numbers, similar: Floats, distance: int, seed: int) -> AtDistance:
    here = table[:, 3] == distance
    sources = table[here, 0]
    if not len(sources):
        return AtDistance(distance or None, 0, None)
    pairs = np.bincount(sources).astype(float)
    sums: Floats = np.bincount(sources, similar[here]).astype(np.float64)
    seen = pairs > 0
    mean = ratio(sums[seen], pairs[seen], seed=seed)
    return AtDistance(distance or None, len(sources), mean)


def _pearson(x: Numbers, y: Floats) -> float | None:
    return float(stats.pearsonr(x, y).statistic) if _varied(x, y) else None


def _spearman(x: Numbers, y: Floats) -> float | None:
    return float(stats.spearmanr(x, y).statistic) if _varied(x, y) else None


def _varied(x: Numbers, y: Floats) -> bool:
    return len(x) > 2 and bool(np.ptp(x) > 0 and np.ptp(y) > 1e-9)
