"""Multinomial naive Bayes over several bags of words, each with a vocabulary of its own.

Rennie & McCallum 1999, equations 3–5:

    P(c | d) ∝ P(c) · Π over bags, Π over words  P(w | c)
    P(w | c) = (1 + times w in c) / (|V| + words in c)        within a bag
    P(c)     = (1 + documents in c) / (|C| + documents),  0 for a class without documents

Words that training has not seen say nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wolfspider.records import Bag, Floats, State, TermIds, Terms, find_terms

Logs = NDArray[np.float64]
_PILED = 1 << 20  # words before equal ones are added up


@dataclass(frozen=True)
class Words:
    """Words that were seen in a bag: with which class, and with what weight each."""

    ids: TermIds
    classes: NDArray[np.int64]
    weights: Floats

    @classmethod
    def join(cls, parts: Iterable[Words]) -> Words:
        columns = zip(*((part.ids, part.classes, part.weights) for part in parts), strict=True)
        return cls(*(np.concatenate(column) for column in columns))


class Pile:
    """Words that come in many parts; equal ones are added up, so that memory stays small."""

    def __init__(self) -> None:
        self._parts: list[Words] = []
        self._size = 0

    def add(self, words: Words) -> None:
        self._parts.append(words)
        self._size += len(words.ids)
        if self._size > _PILED:
            self._parts = [self.sum()]
            self._size = 0  # of what has come since

    def sum(self) -> Words:
        """Each word once for each class, with all its weight."""
        if not self._parts:
            return Words(np.empty(0, np.uint32), np.empty(0, np.int64), np.empty(0))
        words = Words.join(self._parts)
        keys, places = np.unique(
            words.ids.astype(np.uint64) << np.uint64(16) | words.classes.astype(np.uint64),
            return_inverse=True,
        )
        weights = np.bincount(places, words.weights, len(keys)).astype(np.float64)
        classes = (keys & np.uint64(0xFFFF)).astype(np.int64)
        return Words((keys >> np.uint64(16)).astype(np.uint32), classes, weights)


@dataclass(frozen=True)
class Vocabulary:
    """The words of a bag, and log P(w | c) of each for each class."""

    ids: TermIds  # sorted
    logs: Logs  # words × classes

    @classmethod
    def fit(cls, words: Words, classes: int) -> Vocabulary:
        ids, rows = np.unique(words.ids, return_inverse=True)
        cells = rows * classes + words.classes
        size = len(ids) * classes
        counts = np.bincount(cells, words.weights, size).reshape(-1, classes)
        return cls(ids, np.log1p(counts) - np.log(max(len(ids), 1) + counts.sum(0)))

    def of_bag(self, bag: Bag) -> Logs:
        """Σ log P(w | c) for each row of a bag."""
        if not len(self.ids):
            return np.zeros((len(bag), self.logs.shape[1]))
        bag = bag.packed()
        rows, known = find_terms(self.ids, bag.ids)
        return bag.totals(self.logs[rows] * known[:, None])

    def of_terms(self, ids: TermIds, counts: Floats | NDArray[np.float32]) -> Logs:
        """The same for one document."""
        if not len(self.ids):
            return np.zeros(self.logs.shape[1])
        rows, known = find_terms(self.ids, ids)
        return np.asarray((counts * known) @ self.logs[rows], np.float64)

    def odds(self, class_: int, priors: Logs) -> Floats:
        """How much each word speaks for a class: P(w|c) · log of its odds against the others."""
        certain = 1 - 1e-9  # a vocabulary of one word
        here = np.minimum(np.exp(self.logs[:, class_]), certain)
        others = np.exp(priors) * (np.arange(len(priors)) != class_)
        there = np.minimum(np.exp(self.logs) @ (others / others.sum()), certain)
        ratio: Floats = here * np.log(here * (1 - there) / ((1 - here) * there))
        return ratio

    def overlap(self, ids: TermIds) -> float:
        """Which share of words was seen in training; nan for no words."""
        return float(find_terms(self.ids, ids)[1].mean()) if len(ids) else float("nan")


@dataclass(frozen=True)
class NaiveBayes:
    """Classes of documents that consist of several bags."""

    priors: Logs
    vocabularies: dict[str, Vocabulary]

    @classmethod
    def fit(cls, documents: NDArray[np.int64], words: Mapping[str, Words]) -> NaiveBayes:
        """From how many documents each class has, and the words of all documents in each bag."""
        classes = len(documents)
        with np.errstate(divide="ignore"):  # a class without documents is never probable
            there = np.log((documents > 0).astype(np.float64))
        priors = np.log1p(documents) - np.log(classes + documents.sum()) + there
        fitted = {name: Vocabulary.fit(each, classes) for name, each in words.items()}
        return cls(priors, fitted)

    def telling(self, class_: int, count: int) -> list[tuple[int, str]]:
        """The terms that speak most for a class, with their bags, by weighted log odds."""
        ranked: list[tuple[float, int, str]] = []
        for bag, vocabulary in self.vocabularies.items():
            odds = vocabulary.odds(class_, self.priors)
            best = np.argsort(-odds)[:count].tolist()
            ranked += [(float(odds[row]), int(vocabulary.ids[row]), bag) for row in best]
        return [(term, bag) for _, term, bag in sorted(ranked, reverse=True)[:count]]

    def probabilities(self, logs: Logs) -> Logs:
        """P(c | d) from Σ log P(w | c) of all bags, for each row."""
        joint = logs + self.priors
        joint -= joint.max(-1, keepdims=True)
        odds = np.exp(joint)
        normal: Logs = odds / odds.sum(-1, keepdims=True)
        return normal

    def state(self) -> State:
        bags = {
            name: {"ids": each.ids, "logs": each.logs} for name, each in self.vocabularies.items()
        }
        return {"priors": self.priors, "bags": bags}

    @classmethod
    def of(cls, state: State) -> NaiveBayes:
        bags = {name: Vocabulary(bag["ids"], bag["logs"]) for name, bag in state["bags"].items()}
        return cls(state["priors"], bags)


def words_of_bag(bag: Bag, classes: NDArray[np.int64]) -> Words:
    """The words of links, each with the class of its link."""
    bag = bag.packed()
    return Words(bag.ids, classes[bag.rows()], np.ones(len(bag.ids)))


def words_of_page(terms: Terms, classes: NDArray[np.int64]) -> Words:
    """The words of a page, once for each of its links."""
    present, links = np.unique(classes, return_counts=True)
    ids, weights = np.tile(terms.ids, len(present)), np.outer(links, terms.counts).ravel()
    return Words(ids, np.repeat(present, len(terms.ids)), weights)
