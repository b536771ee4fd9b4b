"""Mean similarity of the pages crawled to the topic's description.

Menczer, Pant & Srinivasan 2004, eq. 2 and 3: cosine of TF-IDF vectors, document frequencies
counted over the union of all crawls of the topic. Words of the description that no page of the
union has weigh nothing: they would make all similarities of a topic smaller by one factor.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from wolfspider.lab.ground import Ground
from wolfspider.lab.trace import Trace
from wolfspider.records import Floats
from wolfspider.text import terms
from wolfspider.webs.recorded import RecordedWeb

Pages = NDArray[np.int32]


class PageTerms:
    """Term counts of some pages of a web; made once for all tasks, because it takes longest."""

    def __init__(self, web: RecordedWeb, pages: Pages) -> None:
        self.pages = pages  # sorted
        bags = [web.page(page).terms for page in pages.tolist()]
        ids = np.concatenate([bag.ids for bag in bags]) if bags else np.empty(0, np.uint32)
        counts = [bag.counts for bag in bags]
        starts = np.cumsum([0, *map(len, counts)])
        self.vocabulary, columns = np.unique(ids, return_inverse=True)
        values = np.concatenate(counts).astype(np.float64) if bags else np.empty(0)
        shape = (len(bags), len(self.vocabulary))
        self.counts = csr_array((values, columns, starts), shape=shape)

    def similarities(self, pages: Pages, description: str) -> Floats:
        """Of each of these pages to a text; they are the documents that are counted."""
        vectors = self.counts[np.searchsorted(self.pages, pages)]
        columns = vectors.indices
        frequency = np.bincount(columns, minlength=len(self.vocabulary))
        weight = np.where(frequency > 0, np.log(len(pages) / np.maximum(frequency, 1)), 0.0)
        vectors.data *= weight[columns]
        topic = terms(description).frequencies(self.vocabulary) * weight
        rows = np.repeat(np.arange(len(pages)), np.diff(vectors.indptr))
        lengths = np.sqrt(np.bincount(rows, vectors.data**2, len(pages)))
        norms = lengths * np.linalg.norm(topic)
        cosines: Floats = vectors @ topic / np.where(norms > 1e-12, norms, np.inf)
        return cosines


def similarity_curves(
    traces: Sequence[Trace], ground: Ground, known: PageTerms | None = None
) -> list[Floats]:
    """For each crawl of one task: mean similarity of the pages so far, after each fetch.

    A failed fetch has similarity 0. `known` has the terms of at least the pages of these traces.
    """
    union = crawled(traces)
    similar = np.zeros(len(ground.web) + 1)  # the last one for failed fetches, at index −1
    known = PageTerms(ground.web, union) if known is None else known
    similar[union] = known.similarities(union, ground.task.description)
    return [np.cumsum(similar[trace.pages]) / np.arange(1, len(trace) + 1) for trace in traces]


def crawled(traces: Sequence[Trace]) -> Pages:
    """Numbers of the pages in any of the traces, sorted."""
    union: Pages = np.unique(np.concatenate([trace.pages for trace in traces]))
    return union[union >= 0]
