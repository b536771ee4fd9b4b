"""Spiders that learn from maps what links are worth: Rennie & McCallum 1999.

Every link of the mapped sites gets its Q-value (`training.values`). Values are put into bins, with
edges 1, γ, γ², …; naive Bayes learns from the words of a link which bin it is in. The value of a
new link is Σ P(bin) · mean Q of the bin.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from wolfspider.errors import BadInput
from wolfspider.learners.naive_bayes import (
    Logs,
    NaiveBayes,
    Pile,
    Words,
    words_of_bag,
    words_of_page,
)
from wolfspider.policies.trained import Lesson, Told, TrainedPolicy
from wolfspider.records import Bag, Floats, Links, Page, State, Visit
from wolfspider.text import count_terms, term_ids
from wolfspider.training.maps import Map, Mapped
from wolfspider.training.model import Model
from wolfspider.training.values import greedy_rewards

Text = Literal["related", "full-page"]
Classes = NDArray[np.int64]

_LOOKED_AT = 200  # pages for which it is counted how many of their words are known
_FOLDS = 5  # pages of one in so many are kept back to measure how good the classes are told


class RLFuture(TrainedPolicy):
    """Follows links by the reward to be expected behind them, learned from mapped sites."""

    name: ClassVar[str] = "rl-future"

    def __init__(self, *, model: Model, buffer: int | None = None) -> None:
        super().__init__(model=model, buffer=buffer)
        self._bayes = NaiveBayes.of(model.state["bayes"])
        self._means = model.state["means"]
        self._text: Text = model.settings["text"]
        self._shares: list[float] = []  # of the words of links that were known, by page

    def state(self) -> State:
        return super().state() | {"shares": np.array(self._shares)}

    def restore(self, state: State) -> None:
        super().restore(state)
        self._shares = state["shares"].tolist()

    def overlap(self) -> float | None:
        shares = [share for share in self._shares if not np.isnan(share)]
        return float(np.mean(shares)) if shares else None

    @classmethod
    def fit(
        cls, known: Map, *, bins: int = 3, text: Text = "full-page", gamma: float = 0.5
    ) -> Lesson:
        """Bins 3 to 5 tell future rewards apart; `text` is which words count as a link's."""
        return _learned(known, bins, text, gamma)

    @classmethod
    def check(cls, **settings: Any) -> None:
        bins, text, gamma = settings.get("bins", 3), settings["text"], settings["gamma"]
        if not 3 <= bins <= 5:
            raise ValueError(f"bins is {bins}; rl-future has 3, 4 or 5 of them")
        if not 0 < gamma <= 0.5:
            raise ValueError(
                f"gamma is {gamma}; it must be above 0 and at most 0.5, or a way to many targets "
                "would be worth more than a target (Rennie & McCallum 1999, section 2.3)"
            )
        if text not in get_args(Text):
            raise ValueError(f"text is {text!r}; it is one of {', '.join(get_args(Text))}")

    @classmethod
    def explain(cls, model: Model, count: int) -> Told:
        bins, gamma = len(model.state["means"]), model.settings["gamma"]
        return {_named(b, bins, gamma): telling_words(model, b, count) for b in range(bins)}

    def score(self, links: Links, visit: Visit) -> Floats:
        if len(self._shares) < _LOOKED_AT:
            words = links.bag("anchor").packed().ids
            self._shares.append(self._bayes.vocabularies["link"].overlap(words))
        logs = _logs(self._bayes, visit.page, links, self._text)
        values: Floats = self._bayes.probabilities(logs) @ self._means
        return values


class RLImmediate(RLFuture):
    """Follows links that look as if they led to a target directly, learned from mapped sites."""

    name: ClassVar[str] = "rl-immediate"

    @classmethod
    def fit(  # type: ignore[override]  # it has one setting less
        cls, known: Map, *, text: Text = "full-page", gamma: float = 0.5
    ) -> Lesson:
        return _learned(known, 2, text, gamma)


def _learned(known: Map, bins: int, text: Text, gamma: float) -> Lesson:
    values = greedy_rewards(known.graph, known.targets, gamma)
    sample = _Sample.of(known, values, bins, text, gamma)
    bayes, means = sample.fitted(everything=True)
    about = {
        "links": len(sample.classes),
        "links_by_bin": sample.by_bin().tolist(),
        **sample.tested(),
    }
    ids = np.unique(np.concatenate([each.ids for each in bayes.vocabularies.values()]))
    return Lesson({"bayes": bayes.state(), "means": means}, ids, about)


def binned(values: Floats, bins: int, gamma: float) -> Classes:
    """Bin 0: Q ≥ 1, which a link to a target has; then ≥ γ, ≥ γ², …; the last has the rest."""
    edges = gamma ** np.arange(bins - 1)
    numbers: Classes = (values[:, None] < edges).sum(1)
    return numbers


def confusion(model: Model, tested: Map) -> Classes:
    """How many links of a map are in bin i and are told to be in bin j, by a trained model."""
    bayes = NaiveBayes.of(model.state["bayes"])
    bins, text, gamma = len(bayes.priors), model.settings["text"], model.settings["gamma"]
    values = greedy_rewards(tested.graph, tested.targets, gamma)
    counts = np.zeros((bins, bins), np.int64)
    for mapped in tested:
        if len(mapped.leads_to):
            logs = _logs(bayes, mapped.page, mapped.page.links, text)
            told = bayes.probabilities(logs).argmax(1)
            np.add.at(counts, (binned(values[mapped.leads_to], bins, gamma), told), 1)
    return counts


def _named(bin_: int, bins: int, gamma: float) -> str:
    if bin_ == bins - 1:
        return f"Q < {gamma ** (bins - 2):g}: other"
    if bin_ == 0:
        return "Q ≥ 1: leads to a target"
    return f"{gamma ** (bin_ - 1):g} > Q ≥ {gamma**bin_:g}: {bin_ + 1} steps"


def telling_words(model: Model, bin_: int, count: int) -> list[tuple[str, str]]:
    """The words that speak most for a bin, with their bags, by weighted log odds (table 2)."""
    found = NaiveBayes.of(model.state["bayes"]).telling(bin_, count)
    return [(model.word(term), bag) for term, bag in found]


@dataclass(frozen=True)
class _Sample:
    """The links of a map: bin and value of each, and the words of each page's links by bag."""

    bins: int
    classes: Classes
    values: Floats
    page_of: Classes  # 0, 1, 2 … in the order of the map
    words: dict[str, tuple[Pile, Pile]]  # of the pages to learn from, and of those kept back
    kept_back: dict[int, Mapped]  # one page in a few, to be classified by the others
    text: Text

    @classmethod
    def of(cls, known: Map, values: Floats, bins: int, text: Text, gamma: float) -> _Sample:
        words: dict[str, tuple[Pile, Pile]] = defaultdict(lambda: (Pile(), Pile()))
        classes: list[Classes] = []
        worth: list[Floats] = []
        kept_back: dict[int, Mapped] = {}
        for mapped in known:
            if not len(mapped.leads_to):
                continue
            keeps = len(classes) % _FOLDS == 0
            if keeps:
                kept_back[len(classes)] = mapped
            links = binned(values[mapped.leads_to], bins, gamma)
            for bag, found in _words(mapped.page, mapped.page.links, links, text).items():
                words[bag][keeps].add(found)
            classes.append(links)
            worth.append(values[mapped.leads_to])
        if not classes or len(np.unique(np.concatenate(classes))) < 2:
            raise BadInput(
                "there is nothing to learn from: all known links are of one kind; give more sites, "
                "or targets that only some links lead to"
            )
        pages = np.repeat(np.arange(len(classes)), [len(each) for each in classes])
        joined = np.concatenate(classes), np.concatenate(worth)
        return cls(bins, *joined, pages, dict(words), kept_back, text)

    @property
    def pages(self) -> int:
        return int(self.page_of[-1]) + 1

    def by_bin(self) -> Classes:
        return np.bincount(self.classes, minlength=self.bins)

    def fitted(self, *, everything: bool) -> tuple[NaiveBayes, Floats]:
        """The classifier of the links, with those kept back or without; mean value of each bin."""
        links = everything | ~np.isin(self.page_of, list(self.kept_back))
        counts = np.bincount(self.classes[links], minlength=self.bins)
        sums = np.bincount(self.classes[links], self.values[links], self.bins)
        words = {
            bag: Words.join(pile.sum() for pile in (piles if everything else piles[:1]))
            for bag, piles in self.words.items()
        }
        return NaiveBayes.fit(counts, words), sums / np.maximum(counts, 1)

    def tested(self) -> dict[str, Any]:
        """Accuracy, recall of links to targets and confusion, on pages that were kept back."""
        if len(self.kept_back) == self.pages:
            return {}
        bayes, _ = self.fitted(everything=False)
        confusion = np.zeros((self.bins, self.bins), np.int64)
        for number, mapped in self.kept_back.items():
            logs = _logs(bayes, mapped.page, mapped.page.links, self.text)
            told = bayes.probabilities(logs).argmax(1)
            np.add.at(confusion, (self.classes[self.page_of == number], told), 1)
        immediate = int(confusion[0].sum())
        return {
            "confusion": confusion.tolist(),
            "accuracy": float(np.trace(confusion) / confusion.sum()),
            "recall_of_targets": float(confusion[0, 0] / immediate) if immediate else None,
        }


def _words(page: Page, links: Links, classes: Classes, text: Text) -> Mapping[str, Words]:
    """The words of a page's links by bag, each with the class of its link."""
    if text == "full-page":
        parts = [words_of_bag(bag, classes) for bag in _own(links)]
        return {"page": words_of_page(page.terms, classes), "link": Words.join(parts)}
    title = words_of_page(count_terms(term_ids(page.title)), classes)
    found = dict(_related(links))
    bags = {name: words_of_bag(bag, classes) for name, bag in found.items()}
    return bags | {"head": Words.join([title, bags["head"]])}


def _logs(bayes: NaiveBayes, page: Page, links: Links, text: Text) -> Logs:
    """Σ log P(word | bin) of all bags, for each link."""
    vocabularies = bayes.vocabularies
    if text == "full-page":
        shared = vocabularies["page"].of_terms(page.terms.ids, page.terms.counts)
        own = [vocabularies["link"].of_bag(bag) for bag in _own(links)]
        return shared + own[0] + own[1]
    title = term_ids(page.title)
    logs = vocabularies["head"].of_terms(title, np.ones(len(title)))
    parts: list[Logs] = [vocabularies[name].of_bag(bag) for name, bag in _related(links)]
    return sum(parts, start=logs)


def _related(links: Links) -> Iterator[tuple[str, Bag]]:
    heading, context = links.bags("heading", "context")
    return zip(("head", "link", "url", "near"), (heading, *_own(links), context), strict=True)


def _own(links: Links) -> tuple[Bag, Bag]:
    """The words of the anchor, and those of the directories and the file name in the URL.

    Not those of the host, which would only tell one mapped site from another.
    """
    anchor, url = (bag.packed() for bag in links.bags("anchor", "url"))
    of_host = links.host_of[url.rows()].astype(np.uint64) << np.uint64(32) | url.ids
    names = [(number, word) for number, host in enumerate(links.hosts) for word in term_ids(host)]
    hosts = np.array([number << 32 | int(word) for number, word in names], np.uint64)
    return anchor, url.take(~np.isin(of_host, hosts))
