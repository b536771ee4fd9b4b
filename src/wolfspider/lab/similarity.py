"""Mean similarity of the pages crawled to the topic's description.

Menczer, Pant & Srinivasan 2004, eq. 2 and 3: cosine of TF-IDF vectors, document frequencies
counted over the union of all crawls of the topic.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from wolfspider.lab.ground import Ground
from wolfspider.lab.trace import Trace
from wolfspider.records import Floats
from wolfspider.text import terms


def similarity_curves(traces: Sequence[Trace], ground: Ground) -> list[Floats]:
    """For each crawl of one task: mean similarity of the pages so far, after each fetch."""
    union = np.unique(np.concatenate([trace.pages for trace in traces]))
    union = union[union >= 0]
    similar = np.zeros(len(ground.web) + 1)  # the last one for failed fetches, at index −1
    similar[union] = _similarities(union, ground)
    return [np.cumsum(similar[trace.pages]) / np.arange(1, len(trace) + 1) for trace in traces]


def _similarities(pages: np.typing.NDArray[np.int32], ground: Ground) -> Floats:
    found = [ground.web.page(page).terms for page in pages.tolist()]
    wanted = terms(ground.task.description)
    starts = np.cumsum([0, *(len(each.ids) for each in found)])
    vocabulary, columns = np.unique(np.concatenate([t.ids for t in found]), return_inverse=True)
    counts = np.concatenate([t.counts for t in found]).astype(np.float64)
    vectors = csr_array((counts, columns, starts), shape=(len(found), len(vocabulary)))
    frequency = np.bincount(columns, minlength=len(vocabulary))
    weight = np.log(len(found) / np.maximum(frequency, 1))
    vectors.data *= weight[columns]
    topic = wanted.frequencies(vocabulary).astype(np.float64) * weight
    norms = np.sqrt(vectors.multiply(vectors).sum(axis=1)) * np.linalg.norm(topic)
    cosines: Floats = vectors @ topic / np.maximum(norms, 1e-12)
    return cosines
