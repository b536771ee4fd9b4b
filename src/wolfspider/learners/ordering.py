"""Learning to order by how like known targets things are, from pairs (closer, farther).

Cohen, Schapire & Singer, Learning to order things (JAIR 10, 1999); with known targets t as
experts and distances to targets as feedback by Young (2005), section 5.3.2:

    f_t(u)    = cosine of u and t, as vectors of term counts             an ordering function
    R_f(u, v) = 1 if f(u) > f(v), 0 if f(u) < f(v), else ½               what f prefers
    Loss(R)   = Σ (1 − R(u, v)) / |F|  over the pairs (u, v) of F        u is closer than v
    w_t       ← w_t · β^Loss(R_t) / Z    in every round, from 1/|T| on   (Hedge; Z makes Σ w = 1)

Cohen et al. order by PREF(u, v) = Σ w_t · R_t(u, v), for which there is only a greedy
approximation. Young has the f_t themselves at hand and orders by Σ w_t · f_t(u), and so do we.
This sum is one dot product with Σ w_t · t / |t|, however many targets there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from wolfspider.records import Bag, Floats, Rows, State, TermIds, Terms, find_terms

Pairs = tuple[Rows, Rows]  # items that are closer to a target, and others that are farther away


def similarities(targets: Sequence[Terms], items: Sequence[Terms]) -> Floats:
    """f_t(u): the cosine of each target, a row, and each item, a column."""
    vocabulary = np.unique(np.concatenate([target.ids for target in targets]))
    cosines = _unit_rows(targets, vocabulary) @ _unit_rows(items, vocabulary).T
    return np.asarray(cosines.toarray(), np.float64)


def preferences(closer: Floats, farther: Floats) -> Floats:
    """R_f(u, v) from f(u) and f(v)."""
    return np.asarray((np.sign(closer - farther) + 1) / 2, np.float64)


def losses(values: Floats, pairs: Pairs) -> Floats:
    """The loss of each function, a row of values, on some pairs of items."""
    closer, farther = pairs
    return np.asarray(1 - preferences(values[:, closer], values[:, farther]).mean(1), np.float64)


def learn_weights(values: Floats, rounds: Iterable[Pairs], beta: float) -> Floats:
    """The weight of each function after rounds of feedback; without any all weigh the same."""
    weights = np.full(len(values), 1 / len(values))
    for pairs in rounds:
        weights = weights * beta ** losses(values, pairs)
        weights /= weights.sum()
    return weights


def draw_pairs(distances: Floats, count: int, random: np.random.Generator) -> Pairs:
    """Pairs of items at different distances, each such pair with the same chance."""
    depths, sizes = np.unique(distances, return_counts=True)
    if len(depths) < 2:
        raise ValueError("all distances are the same; no item is closer than another")
    items, begins = np.argsort(distances, kind="stable"), np.cumsum(sizes) - sizes
    chances = np.triu(np.outer(sizes, sizes), 1).ravel().astype(np.float64)
    cells = random.choice(len(chances), count, p=chances / chances.sum())
    closer, farther = (
        items[begins[depth] + random.integers(sizes[depth])]
        for depth in np.divmod(cells, len(depths))
    )
    return closer, farther


@dataclass(frozen=True, eq=False)
class Composite:
    """Σ w_t · f_t as one vector of terms; Σ w_t = 1, so values lie between 0 and 1.

    It never changes: `add` makes another one.
    """

    ids: TermIds  # sorted
    terms: Floats  # Σ w_t · t / |t|
    weights: Floats  # w_t, in the order in which the functions came

    @classmethod
    def of_targets(cls, targets: Sequence[Terms], weights: Floats) -> Composite:
        ids = np.unique(np.concatenate([target.ids for target in targets]))
        return cls(ids, np.asarray(_unit_rows(targets, ids).T @ weights, np.float64), weights)

    def value(self, item: Terms) -> float:
        """Σ w_t · f_t of one item; 0 for one without words."""
        return float(item.counts @ self.weigh(item.ids)) / (item.norm or 1.0)

    def link_values(self, page: Terms, anchors: Bag, multiplier: float) -> Floats:
        """Σ w_t · f_t of page + multiplier × anchor for each link of a page.

        Links with the same anchor have exactly the same value.
        """
        rows, ids, counts = _count(anchors)
        more = multiplier * counts
        # Summed row by row: differences of a running sum would tell equal anchors apart.
        own = np.bincount(rows, more * self.weigh(ids), len(anchors))
        longer = np.bincount(rows, more * (2 * page.frequencies(ids) + more), len(anchors))
        dots = own + page.counts @ self.weigh(page.ids)
        squares = longer + page.norm**2
        values: Floats = dots / np.sqrt(np.where(squares > 0, squares, 1.0))
        return values

    def add(self, target: Terms) -> Composite:
        """With one function more, which weighs as much as the others do on average."""
        if not target.norm:
            return self
        size = len(self.weights)
        new = target.ids[~find_terms(self.ids, target.ids)[1]]
        at = self.ids.searchsorted(new)
        ids = np.insert(self.ids, at, new)
        terms = np.insert(self.terms, at, 0.0) * (size / (size + 1))
        terms[ids.searchsorted(target.ids)] += target.counts / (target.norm * (size + 1))
        weights = np.append(self.weights * (size / (size + 1)), 1 / (size + 1))
        return Composite(ids, terms, weights)

    def weigh(self, ids: TermIds) -> Floats:
        """What each term adds to the value of a vector of length 1."""
        at, known = find_terms(self.ids, ids)
        found: Floats = self.terms[at] * known
        return found

    def state(self) -> State:
        return {"ids": self.ids, "terms": self.terms, "weights": self.weights}

    @classmethod
    def of(cls, state: State) -> Composite:
        return cls(state["ids"], state["terms"], state["weights"])


def _unit_rows(bags: Sequence[Terms], vocabulary: TermIds) -> csr_array:
    """Bags as vectors of length 1; terms that are not in the vocabulary are left out."""
    sizes = [len(bag.ids) for bag in bags]
    rows = np.repeat(np.arange(len(bags)), sizes)
    ids = np.concatenate([bag.ids for bag in bags])
    parts = np.concatenate([bag.counts / (bag.norm or 1.0) for bag in bags]).astype(np.float64)
    columns, known = find_terms(vocabulary, ids)
    shape = (len(bags), len(vocabulary))
    return csr_array((parts[known], (rows[known], columns[known])), shape=shape)


def _count(bag: Bag) -> tuple[NDArray[np.int64], TermIds, NDArray[np.int64]]:
    """The distinct terms of each row: row, term and how often, sorted by row and term."""
    starts = bag.starts.astype(np.int64)
    lengths = bag.ends - starts
    rows = np.repeat(np.arange(len(bag)), lengths)
    offsets = np.repeat(starts - np.cumsum(lengths) + lengths, lengths)
    ids = bag.ids[offsets + np.arange(len(rows))]
    keys, counts = np.unique(rows << 32 | ids.astype(np.int64), return_counts=True)
    return keys >> 32, (keys & 0xFFFFFFFF).astype(np.uint32), counts
