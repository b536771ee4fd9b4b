"""Clustering: how often two neighbours of a page are linked, too.

On the simple undirected graph: links count once, whichever way they go, links of a page to itself
do not. Watts & Strogatz, Collective dynamics of small-world networks (1998).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, triu

from wolfspider.webs.graph import Graph, Numbers

_BLOCK = 2_000_000  # products of links made at a time, about


@dataclass(frozen=True)
class Clustering:
    average: float | None  # of the local coefficients; pages with fewer than 2 neighbours have 0
    transitivity: float | None  # closed share of all pairs of neighbours
    expected: float | None  # of a random graph with as many pages and links
    triangles: int


def both_ways(graph: Graph) -> csr_array:
    """Neighbours of each page, whichever way the link goes; no page is its own."""
    links = graph.links.astype(np.int32)
    links.setdiag(0)
    either = (links + links.T).tocsr()
    either.eliminate_zeros()
    either.data[:] = 1
    return either


def clustering(neighbours: csr_array) -> Clustering:
    size = neighbours.shape[0]
    degrees = np.diff(neighbours.indptr).astype(np.int64)
    pairs = degrees * (degrees - 1) / 2
    closed = triangles(neighbours)
    local = np.divide(closed, pairs, out=np.zeros(size), where=pairs > 0)
    return Clustering(
        float(local.mean()) if pairs.any() else None,
        float(closed.sum() / pairs.sum()) if pairs.any() else None,
        float(degrees.mean() / (size - 1)) if size > 1 else None,
        int(closed.sum()) // 3,
    )


def triangles(neighbours: csr_array) -> Numbers:
    """How many triangles each page is part of.

    Every link is turned to the page with more neighbours, which leaves few links to each page, so
    that the products of links stay few even around hubs.
    """
    degrees = np.diff(neighbours.indptr)
    order = np.argsort(degrees, kind="stable")
    upward = triu(neighbours[order][:, order], 1, format="csr").astype(np.int32)
    first, last = _corners(upward, upward)
    # The page between: it is reached from the first, and the last from both.
    between, _ = _corners(upward.T.tocsr(), upward)
    found = np.empty(len(order), np.int64)
    found[order] = first + last + between
    return found


def _corners(left: csr_array, right: csr_array) -> tuple[Numbers, Numbers]:
    """Row and column sums of (left · right) ∘ right, some rows at a time."""
    size = right.shape[0]
    rows, columns = np.zeros(size, np.int64), np.zeros(size, np.int64)
    work = np.concatenate([[0], np.cumsum(left @ np.diff(right.indptr).astype(np.int64))])
    begin = 0
    while begin < size:
        end = max(begin + 1, int(np.searchsorted(work, work[begin] + _BLOCK, "right")) - 1)
        closed = (left[begin:end] @ right).multiply(right[begin:end]).tocsr()
        rows[begin:end] = closed.sum(axis=1)
        columns += np.bincount(closed.indices, closed.data, size).astype(np.int64)
        begin = end
    return rows, columns
