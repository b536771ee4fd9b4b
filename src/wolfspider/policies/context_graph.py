"""A spider that knows layers of pages around targets: Diligenti et al. 2000, after Young 2005.

Layer i are the pages i links away from a target (`training.cones`). Naive Bayes learns from the
words of pages which layer each is in. A page that it is not sure of is "other". The links of the
pages nearest to targets are followed first, those of other pages last (Young 2005, section 2.2).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from wolfspider.learners.naive_bayes import NaiveBayes, Words, words_of_page
from wolfspider.policies.trained import Lesson, Told, TrainedPolicy
from wolfspider.records import Links, Page, Visit
from wolfspider.training.cones import Cone, check_cone, trawl
from wolfspider.training.maps import Map
from wolfspider.training.model import Model


class ContextGraph(TrainedPolicy):
    """Follows the links of those pages first that look fewest links away from a target."""

    name: ClassVar[str] = "context-graph"

    def __init__(
        self,
        *,
        model: Model,
        threshold: float = 0.5,
        surest_first: bool = True,
        buffer: int | None = None,
    ) -> None:
        """Below the `threshold` a page is in no layer.

        `surest_first`: of the pages of a layer the most probable one goes first, not the oldest.
        """
        if not 0 <= threshold <= 1:
            raise ValueError(f"threshold is {threshold}; it is a probability, from 0 to 1")
        super().__init__(model=model, buffer=buffer)
        self._bayes = NaiveBayes.of(model.state["bayes"])
        self._threshold, self._surest_first = threshold, surest_first

    @classmethod
    def fit(
        cls,
        known: Map,
        *,
        starts: int | None = None,
        height: int = 4,
        balanced: bool = False,
        noise: bool = True,
        backlinks: bool = True,
        seed: int = 0,
    ) -> Lesson:
        """Layers 0 … height around `starts` known targets, or all; noise is learned as "other"."""
        cone = trawl(
            known,
            starts=starts,
            height=height,
            balanced=balanced,
            noise=noise,
            backlinks=backlinks,
            seed=seed,
        )
        bayes = _learned(cone)
        return Lesson({"bayes": bayes.state()}, bayes.vocabularies["page"].ids, cone.about())

    @classmethod
    def check(cls, **settings: Any) -> None:
        check_cone(**settings)

    @classmethod
    def explain(cls, model: Model, count: int) -> Told:
        bayes = NaiveBayes.of(model.state["bayes"])
        found = np.flatnonzero(np.isfinite(bayes.priors)).tolist()
        names = [f"layer {layer}" for layer in range(len(bayes.priors) - 1)] + ["other"]
        return {
            names[layer]: [(model.word(term), bag) for term, bag in bayes.telling(layer, count)]
            for layer in found
        }

    def layer(self, page: Page) -> tuple[int, float]:
        """The most probable layer of a page, and how probable it is; "other" is the last."""
        logs = self._bayes.vocabularies["page"].of_terms(page.terms.ids, page.terms.counts)
        found = self._bayes.probabilities(logs)
        best = int(found.argmax())
        sure = float(found[best])
        return (best, sure) if sure >= self._threshold else (len(found) - 1, sure)

    def score(self, links: Links, visit: Visit) -> float:
        layer, sure = self.layer(visit.page)
        return float(-layer) - (1 - sure if self._surest_first else 0.0)


def _learned(cone: Cone) -> NaiveBayes:
    """Which words are in which layer. A class without pages stays there: it is never probable."""
    words = []
    pages, times = np.unique(cone.pages, return_counts=True)
    distances = dict(zip(cone.pages.tolist(), cone.distances.tolist(), strict=True))
    for number, count in zip(pages.tolist(), times.tolist(), strict=True):
        terms = cone.known.web.page(number).terms
        words.append(words_of_page(terms, np.full(count, distances[number])))
    return NaiveBayes.fit(cone.by_distance(), {"page": Words.join(words)})
