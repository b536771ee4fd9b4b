"""Relevant is what looks like example pages, and unlike counter-examples if there are any.

A page is the vector u of its damped counts, ln(1 + count), of length 1. What was learned is a
weight for each term and a bias: relevance = σ(weights · u + bias).

With counter-examples the weights are those of a logistic regression on u · idf. Without, general
English stands in for them: a term weighs by its mean in the examples and by the chance that an
English page of their length lacks it. Either way every example is also scored by what was learned
without it, and these scores say where a page begins to count (`_level`).
"""

from __future__ import annotations

import base64
import gzip
import json
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.errors import BadInput, DamagedFile
from wolfspider.records import Floats, Page, Rows, TermIds, Terms, Verdict, find_terms
from wolfspider.text import term_ids
from wolfspider.vectors.tokens import word_list

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FEWEST = 2  # pages of a kind: each is scored by what the others teach
_FOLDS = 10
_SHARED = 2  # pages that a term must be in; one that is in a single page tells that page only
_COST = 10.0  # C of the logistic regression
_BELOW = 0.5  # standard deviations of the examples' scores, from their mean down to the level
_LEAST_SPREAD = 0.1  # of the level, where examples score all alike
_UNLISTED = 0.3  # occurrences of a word that the English list does not have
_STEEPEST = 1e9  # C of a fit in one dimension, where nothing needs to be held back


@dataclass(frozen=True, eq=False)
class ClassifierJudge:
    """What was learned from examples. A page without words is never relevant."""

    ids: TermIds  # sorted
    weights: NDArray[np.float32]
    bias: float

    @classmethod
    def learn(
        cls, examples: Mapping[str, Terms], counter_examples: Mapping[str, Terms] | None = None
    ) -> ClassifierJudge:
        """From pages by their names. The same page twice counts once."""
        good = _distinct(examples, "example")
        bad = _distinct(counter_examples or {}, "counter-example")
        _check(good, bad)
        pages = _Pages.of([*_terms(good), *_terms(bad)])
        if bad:
            return _against_others(pages, len(good))
        return _against_english(pages, float(np.mean([page.length for page in _terms(good)])))

    def judge(self, page: Page) -> Verdict:
        terms = page.terms
        if not terms.length:
            return Verdict(0.0, False)
        damped = np.log1p(terms.counts)
        at, known = find_terms(self.ids, terms.ids)
        told = float((damped * known) @ self.weights[at]) / math.sqrt(float(damped @ damped))
        relevance = 1 / (1 + math.exp(-max(-700.0, min(700.0, told + self.bias))))
        return Verdict(relevance, relevance >= 0.5)

    def packed(self) -> str:
        """As text, exact to the bit."""
        parts = (np.array([self.bias], "<f8"), self.ids.astype("<u4"), self.weights.astype("<f4"))
        return base64.b64encode(b"".join(part.tobytes() for part in parts)).decode()

    @classmethod
    def unpacked(cls, text: str) -> ClassifierJudge:
        try:
            data = base64.b64decode(text, validate=True)
            terms, rest = divmod(len(data) - 8, 8)
            ids = np.frombuffer(data, "<u4", terms, 8).astype(np.uint32)
            weights = np.frombuffer(data, "<f4", terms, 8 + 4 * terms).astype(np.float32)
            bias = float(np.frombuffer(data, "<f8", 1)[0])
            if rest or not terms or (ids[1:] <= ids[:-1]).any():
                raise ValueError
        except ValueError:  # base64 raises one, too
            raise DamagedFile("what the judge learned from the examples cannot be read") from None
        return cls(ids, weights, bias)


# -- pages to learn from ---------------------------------------------------------------------


def _distinct(pages: Mapping[str, Terms], kind: str) -> dict[bytes, tuple[str, Terms]]:
    """By content, with the first name of each."""
    found: dict[bytes, tuple[str, Terms]] = {}
    for name, terms in pages.items():
        if not terms.length:
            raise BadInput(f"the {kind} {name} has no words to learn from; leave it out")
        found.setdefault(content(terms), (name, terms))
    return found


def content(terms: Terms) -> bytes:
    """The same for pages that have the same words equally often."""
    return terms.ids.tobytes() + terms.counts.tobytes()


def _terms(pages: Mapping[bytes, tuple[str, Terms]]) -> list[Terms]:
    return [terms for _, terms in pages.values()]


def _check(good: Mapping[bytes, tuple[str, Terms]], bad: Mapping[bytes, tuple[str, Terms]]) -> None:
    if not good:
        raise BadInput(f"there is no example page to learn from; give at least {FEWEST}")
    if len(good) < FEWEST:
        raise BadInput(
            f"one example page is too few to learn from; give at least {FEWEST} different ones, "
            "or say that you want what is like this one: --like"
        )
    if bad and len(bad) < FEWEST:
        raise BadInput(
            f"one counter-example is too few to learn from; give at least {FEWEST} different "
            "ones, or none"
        )
    for words, (name, _) in good.items():
        if words in bad:
            raise BadInput(
                f"the example {name} is also a counter-example, {bad[words][0]}; "
                "take it out of one of them"
            )


@dataclass(frozen=True, eq=False)
class _Pages:
    """Vectors u of pages, one row each, over the terms that stand in more than one of them."""

    ids: TermIds
    units: csr_array
    within: Floats  # pages that each term is in

    @classmethod
    def of(cls, pages: Sequence[Terms]) -> _Pages:
        from scipy.sparse import csr_array  # only here: most hunts need none

        ids, columns, within = np.unique(
            np.concatenate([page.ids for page in pages]), return_inverse=True, return_counts=True
        )
        starts = np.cumsum([0, *(len(page.ids) for page in pages)])
        units = [_unit(page) for page in pages]
        matrix = csr_array((np.concatenate(units), columns, starts), shape=(len(pages), len(ids)))
        shared = np.flatnonzero(within >= _SHARED)
        if not len(shared):
            raise BadInput("the example pages have no word in common; give pages on one topic")
        return cls(ids[shared], matrix[:, shared], within[shared].astype(np.float64))

    def __len__(self) -> int:
        return int(self.units.shape[0])


def _unit(terms: Terms) -> Floats:
    damped = np.log1p(terms.counts.astype(np.float64))
    unit: Floats = damped / math.sqrt(float(damped @ damped))
    return unit


# -- without counter-examples ----------------------------------------------------------------


def _against_english(pages: _Pages, length: float) -> ClassifierJudge:
    telling = 1 - _english_chance(pages.ids, length)
    units = pages.units.toarray()
    scores = np.array([units[row] @ (_centre(units, row) * telling) for row in range(len(pages))])
    if not scores.any():
        raise BadInput("the example pages have no word in common; give pages on one topic")
    level = _level(scores)
    slope = 1 / max(float(scores.std()), _LEAST_SPREAD * level)
    return _judge(pages.ids, units.mean(0) * telling, level, slope)


def _centre(units: Floats, without: int) -> Floats:
    """The mean of the other examples, over the terms that more than one of them has."""
    others = np.delete(units, without, 0)
    shared = (others > 0).sum(0) >= min(_SHARED, len(others))
    centre: Floats = others.mean(0) * shared
    return centre


def _english_chance(ids: TermIds, length: float) -> Floats:
    """The chance that an English text of so many words has each term: 1 − e^(−length · share)."""
    known, counts = _english()
    at, listed = find_terms(known, ids)
    seen = np.where(listed, counts[at], _UNLISTED)
    chance: Floats = -np.expm1(-length * seen / counts.sum())
    return chance


@lru_cache(maxsize=1)
def _english() -> tuple[TermIds, Floats]:
    """How often each stem stands in the texts that the English word list was counted in."""
    words: dict[str, int] = json.loads(gzip.decompress(word_list().read_bytes()))
    found = {word: term_ids(word) for word in words}
    alone = {word: ids[0] for word, ids in found.items() if len(ids) == 1}
    ids, at = np.unique(np.array(list(alone.values()), np.uint32), return_inverse=True)
    return ids, np.bincount(at, [words[word] for word in alone]).astype(np.float64)


# -- with counter-examples -------------------------------------------------------------------


def _against_others(pages: _Pages, examples: int) -> ClassifierJudge:
    """Logistic regression, both kinds weighing the same; the examples are the first rows."""
    wanted = np.arange(len(pages)) < examples
    idf = np.log((len(pages) + 1) / (pages.within + 1)) + 1
    vectors = (pages.units * idf[None, :]).tocsr()
    products = (vectors @ vectors.T).toarray()
    scores = _left_out_scores(products, wanted)
    factors, bias = _regression(products, wanted)
    level = max(_level(scores[wanted]), _break_even(scores, examples))
    return _judge(pages.ids, (vectors.T @ factors) * idf, level - bias, _slope(scores, wanted))


def _left_out_scores(products: Floats, wanted: NDArray[np.bool_]) -> Floats:
    """Each page's score by what was learned without it and the others of its fold."""
    few = int(min(wanted.sum(), (~wanted).sum()))
    order = np.where(wanted, np.cumsum(wanted), np.cumsum(~wanted))
    fold = order % min(_FOLDS, few)
    scores = np.zeros(len(wanted))
    for each in range(min(_FOLDS, few)):
        rest, out = np.flatnonzero(fold != each), np.flatnonzero(fold == each)
        factors, bias = _regression(products[np.ix_(rest, rest)], wanted[rest])
        scores[out] = products[np.ix_(out, rest)] @ factors + bias
    return scores


def _regression(products: Floats, wanted: NDArray[np.bool_]) -> tuple[Floats, float]:
    """Factors of the pages, whose sum is the vector of weights, and the bias.

    The weights lie in the space that the pages span, so the regression is fitted there: a
    hundred dimensions in place of ten thousand, with the same result.
    """
    sizes, axes = np.linalg.eigh(products)
    kept: Rows = np.flatnonzero(sizes > 1e-9 * sizes[-1])
    roots = np.sqrt(sizes[kept])
    fitted = _fit(axes[:, kept] * roots, wanted, None, C=_COST, class_weight="balanced")
    return (axes[:, kept] / roots) @ fitted.coef_[0], float(fitted.intercept_[0])


def _slope(scores: Floats, wanted: NDArray[np.bool_]) -> float:
    """How fast the odds rise with the score, by Platt's method (1999).

    His targets, (n + 1) / (n + 2) and 1 / (n + 2), are what keeps two kinds that are told apart
    without an error from becoming certain.
    """
    for_it, against = int(wanted.sum()), int((~wanted).sum())
    hoped = np.where(wanted, (for_it + 1) / (for_it + 2), 1 / (against + 2))
    both = np.concatenate([scores, scores])[:, None]
    kinds = np.repeat([True, False], len(scores))
    fitted = _fit(both, kinds, np.concatenate([hoped, 1 - hoped]), C=_STEEPEST)
    return max(float(fitted.coef_[0, 0]), 1e-3)  # where words tell nothing, all is about even


def _fit(rows: Floats, kinds: NDArray[np.bool_], weights: Floats | None, **settings: Any) -> Any:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression  # only here: it takes a second to load

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LogisticRegression(max_iter=1000, tol=1e-6, **settings).fit(rows, kinds, weights)


# -- where a page begins to count ------------------------------------------------------------


def _level(scores: Floats) -> float:
    """Half a standard deviation below the mean score of examples that were left out."""
    return float(scores.mean() - _BELOW * scores.std())


def _break_even(scores: Floats, examples: int) -> float:
    """Where as many pages score higher as there are examples: precision is recall there."""
    ordered = np.sort(scores)[::-1]
    return float(ordered[examples - 1] + ordered[examples]) / 2


def _judge(ids: TermIds, weights: Floats, level: float, slope: float) -> ClassifierJudge:
    return ClassifierJudge(ids, (slope * weights).astype(np.float32), -slope * level)
