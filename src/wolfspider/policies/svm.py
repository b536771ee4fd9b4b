"""Spiders that learn from search cones how far links are from targets: Young 2005.

The pages that lead to known targets (`training.cones`) are vectors of straight term counts; linear
support vector machines learn how far from a target each is, or what reward lies behind it. A link
is a vector, too: the words of its page + 10 × the words of its anchor (equations 3.1, 3.2).

One machine for each distance, i-th by confidence w (3.7 to 3.11); 1/2^distance is a reward that is
halved with each step:

    S1 = 1/2^distance of the surest machine
    S2 = Σ 1/2^distance · arctan(w + 1.5)/3 · 1/2^i · ±1,  + if at most as far as the surest
    S3 = S2(link) − S2(page)
    S4 = 3 · S3 + S1, the "augmented delta"

One machine that tells a value, which is −distance or the reward: S1 = S2 = value of the link,
S3 and S4 as above.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.learners.linear_svm import LinearSvm, fit_classes, fit_values, usual_cost
from wolfspider.policies.trained import Lesson, Told, TrainedPolicy
from wolfspider.records import Floats, Links, State, Visit
from wolfspider.training.cones import Cone, check_cone, trawl
from wolfspider.training.maps import Map
from wolfspider.training.model import Model
from wolfspider.training.terms import Documents

Score = Literal["S1", "S2", "S3", "S4"]
How = Literal["regression", "classes"]

_COST = 1e-6  # of regressions: machines 1 and 2 of task 544; others have 5e-5 or 1e-4
_TUBE = 1e-6


class _Svm(TrainedPolicy):
    """Scores links by machines that are applied to page + anchor_weight × anchor."""

    def __init__(
        self,
        *,
        model: Model,
        score: Score = "S4",
        anchor_weight: float = 10.0,
        buffer: int | None = None,
    ) -> None:
        if score not in get_args(Score):
            raise ValueError(f"score is {score!r}; it is one of {', '.join(get_args(Score))}")
        if not 0 <= anchor_weight < np.inf:
            raise ValueError(f"anchor_weight is {anchor_weight}; it must be 0 or more")
        super().__init__(model=model, buffer=buffer)
        self._svm = LinearSvm.of(model.state["svm"])
        self._score, self._anchor_weight = score, anchor_weight

    @classmethod
    def check(cls, **settings: Any) -> None:
        check_cone(**settings)
        terms, cost = settings["terms"], settings["cost"]
        if terms < 1:
            raise ValueError(f"terms is {terms}; there must be 1 or more")
        if cost is not None and not 0 < cost < np.inf:
            raise ValueError(f"cost is {cost}; it must be more than 0")

    @classmethod
    def explain(cls, model: Model, count: int) -> Told:
        svm = LinearSvm.of(model.state["svm"])
        distances = model.state.get("distances", ())
        told: Told = {}
        for machine, weights in enumerate(svm.weights.T):
            name = "the value" if svm.weights.shape[1] == 1 else f"distance {distances[machine]}"
            order = np.argsort(weights)
            for what, rows in ((f"raise {name}", order[::-1]), (f"lower {name}", order)):
                best = rows[:count].tolist()
                told[what] = [(model.word(int(svm.ids[r])), f"{weights[r]:+.2g}") for r in best]
        return told

    def score(self, links: Links, visit: Visit) -> Floats:
        page = self._svm.of_terms(visit.page.terms)
        both = page + self._anchor_weight * self._svm.of_bag(links.bag("anchor"))
        if self._score == "S1":
            return self._first(both)
        value = self._second(both)
        if self._score == "S2":
            return value
        gain: Floats = value - self._second(page[None])
        return gain if self._score == "S3" else 3 * gain + self._first(both)

    def _first(self, told: Floats) -> Floats:
        """S1 of each row, from what the machines (columns) tell."""
        return told[:, 0]

    def _second(self, told: Floats) -> Floats:
        """S2 of each row."""
        return self._first(told)


class SvmDistance(_Svm):
    """Follows links by how near to a target they look, learned from pages that lead to targets."""

    name: ClassVar[str] = "svm-distance"

    def __init__(
        self,
        *,
        model: Model,
        score: Score = "S4",
        anchor_weight: float = 10.0,
        buffer: int | None = None,
    ) -> None:
        super().__init__(model=model, score=score, anchor_weight=anchor_weight, buffer=buffer)
        self._by_class = model.settings["how"] == "classes"
        self._distances = model.state["distances"]  # that the machines of classes stand for

    @classmethod
    def fit(
        cls,
        known: Map,
        *,
        how: How = "regression",
        starts: int | None = None,
        height: int = 4,
        balanced: bool = False,
        noise: bool = True,
        backlinks: bool = True,
        terms: int = 10_000,
        cost: float | None = None,
        seed: int = 0,
    ) -> Lesson:
        """From the cone above `starts` known targets, or all; noise is farther than the cone.

        Without a `cost` it is 1e-6 for regression, as in the thesis; for classes, where the
        thesis has none, the default of SVMlight.
        """
        sample = _Sample.of(
            trawl(
                known,
                starts=starts,
                height=height,
                balanced=balanced,
                noise=noise,
                backlinks=backlinks,
                seed=seed,
            ),
            terms,
        )
        distances = sample.cone.distances
        if how == "classes":
            svm = sample.classes(cost, seed)
        else:
            svm = sample.values(-distances.astype(float), cost, seed)
        return sample.lesson({"svm": svm.state(), "distances": np.unique(distances)})

    @classmethod
    def check(cls, **settings: Any) -> None:
        if settings["how"] not in get_args(How):
            raise ValueError(f"how is {settings['how']!r}; it is one of {', '.join(get_args(How))}")
        super().check(**settings)

    def _first(self, told: Floats) -> Floats:
        if not self._by_class:
            return super()._first(told)
        surest: Floats = 0.5 ** self._distances[told.argmax(1)]
        return surest

    def _second(self, told: Floats) -> Floats:
        if not self._by_class:
            return super()._second(told)
        order = np.argsort(-told, axis=1, kind="stable")
        distances = self._distances[order]
        sure = np.arctan(np.take_along_axis(told, order, 1) + 1.5) / 3
        sign = np.where(distances <= distances[:, :1], 1.0, -1.0)
        places = np.arange(1, told.shape[1] + 1)
        sums: Floats = (0.5**distances * sure * sign * 0.5**places).sum(1)
        return sums


class SvmReward(_Svm):
    """Follows links by the reward that seems to lie behind them, learned as svm-distance does."""

    name: ClassVar[str] = "svm-reward"

    def __init__(
        self,
        *,
        model: Model,
        score: Score = "S1",
        anchor_weight: float = 10.0,
        buffer: int | None = None,
    ) -> None:
        super().__init__(model=model, score=score, anchor_weight=anchor_weight, buffer=buffer)

    @classmethod
    def fit(
        cls,
        known: Map,
        *,
        gamma: float = 0.5,
        starts: int | None = None,
        height: int = 4,
        balanced: bool = False,
        noise: bool = True,
        backlinks: bool = True,
        terms: int = 10_000,
        cost: float | None = None,
        seed: int = 0,
    ) -> Lesson:
        """The reward of a page: of the best path of up to `height` links (`Graph.best_reward`)."""
        sample = _Sample.of(
            trawl(
                known,
                starts=starts,
                height=height,
                balanced=balanced,
                noise=noise,
                backlinks=backlinks,
                seed=seed,
            ),
            terms,
        )
        graph, cone = sample.cone.known.graph, sample.cone
        rewards = np.zeros(graph.size)
        rewards[cone.targets] = 1
        values = graph.best_reward(rewards, gamma, height)[cone.pages]
        return sample.lesson({"svm": sample.values(values, cost, seed).state()})

    @classmethod
    def check(cls, **settings: Any) -> None:
        if not 0 < settings["gamma"] < 1:
            raise ValueError(f"gamma is {settings['gamma']}; it must be between 0 and 1")
        super().check(**settings)


@dataclass(frozen=True)
class _Sample:
    """The pages of a cone with the counts of their most informative terms, row by row."""

    cone: Cone
    documents: Documents

    @classmethod
    def of(cls, cone: Cone, terms: int) -> _Sample:
        numbers, rows = np.unique(cone.pages, return_inverse=True)
        web = cone.known.web
        documents = Documents.of([web.page(number).terms for number in numbers.tolist()])
        if not len(documents.ids):
            raise BadInput("there is nothing to learn from: the known pages have no words")
        return cls(cone, documents.take(rows).informative(cone.distances, terms))

    def classes(self, cost: float | None, seed: int) -> LinearSvm:
        ids, counts = self.documents.ids, self.documents.counts
        return fit_classes(ids, counts, self.cone.distances, cost or usual_cost(counts), seed)

    def values(self, values: Floats, cost: float | None, seed: int) -> LinearSvm:
        ids, counts = self.documents.ids, self.documents.counts
        return fit_values(ids, counts, values, cost or _COST, _TUBE, seed)

    def lesson(self, state: State) -> Lesson:
        ids = self.documents.ids
        return Lesson(state, ids, self.cone.about() | {"terms": len(ids)})
