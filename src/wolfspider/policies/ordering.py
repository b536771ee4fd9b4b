"""Links ordered by how like known targets they look: Young 2005, section 5.3.

Every known target is an ordering function: the cosine of its words and those of a page. How much
each function counts is learned from pairs of pages of which one is closer to a target
(`learners.ordering`). A page not fetched yet is taken to be like the page with its link, with the
words of the anchor `anchor_weight` times: u + M·a. Words are counted, stemmed and without stop
words; there are no document frequencies.

In training pages stand for themselves, by their own words, as in the thesis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.learners.ordering import (
    Composite,
    Pairs,
    draw_pairs,
    learn_weights,
    losses,
    similarities,
)
from wolfspider.policies.trained import Lesson, TrainedPolicy
from wolfspider.records import Floats, Links, State, Terms, Visit
from wolfspider.training.maps import Map
from wolfspider.training.model import Model
from wolfspider.webs.graph import Numbers

_FOLDS = 5  # one page in so many is kept back to measure the order with


class Ordering(TrainedPolicy):
    """Follows links that look like known targets, weighted by how well each told the way.

    When `online`, every target found counts as a known one from then on, for its own links first.
    Links that wait already keep their value until they are found again.
    """

    name: ClassVar[str] = "ordering"

    def __init__(self, *, model: Model, online: bool = True, buffer: int | None = None) -> None:
        super().__init__(model=model, buffer=buffer)
        self.online = online
        self._composite = Composite.of(model.state["composite"])
        self._anchor_weight = float(model.settings["anchor_weight"])

    @classmethod
    def fit(
        cls,
        known: Map,
        *,
        targets: int = 13,
        rounds: int = 15,
        beta: float = 0.5,
        pairs: int = 2000,
        height: int = 4,
        anchor_weight: float = 10.0,
        seed: int = 0,
    ) -> Lesson:
        """So many targets, drawn by the seed, are weighed in rounds of so many pairs of pages.

        The pages are those at most `height` links away from a target. With `rounds` 0 all targets
        weigh the same. `anchor_weight` is the thesis' multiplier M, 10 to 20 there.
        """
        random = np.random.default_rng(seed)
        numbers, words = _choose(known, targets, random)
        feedback = _Feedback.draw(known, height, rounds, pairs, random)
        values = similarities(words, feedback.terms)
        weights = learn_weights(values, feedback.rounds, beta)
        composite = Composite.of_targets(words, weights)
        about = {
            "pages_near_targets": feedback.pages,
            "functions": _by_url(known, numbers, weights),
            "misordered_unweighted": feedback.misordered(values, np.full_like(weights, 1.0)),
            "misordered": feedback.misordered(values, weights),
        }
        return Lesson({"composite": composite.state()}, composite.ids, about)

    @classmethod
    def check(cls, **settings: Any) -> None:
        for name, least in (("targets", 1), ("rounds", 0), ("pairs", 1), ("height", 1)):
            if settings[name] < least:
                raise ValueError(f"{name} is {settings[name]}; it must be {least} or more")
        if not 0 < settings["beta"] < 1:
            raise ValueError(f"beta is {settings['beta']}; it must be between 0 and 1")
        if not 0 <= settings["anchor_weight"] < math.inf:
            weight = settings["anchor_weight"]
            raise ValueError(f"anchor_weight is {weight}; it must be a number, 0 or more")

    def learn(self, visit: Visit) -> None:
        if self.online and visit.verdict.target:
            self._composite = self._composite.add(visit.page.terms)
        super().learn(visit)

    def score(self, links: Links, visit: Visit) -> Floats:
        anchors = links.bag("anchor")
        return self._composite.link_values(visit.page.terms, anchors, self._anchor_weight)

    def state(self) -> State:
        return super().state() | {"composite": self._composite.state()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self._composite = Composite.of(state["composite"])


def _choose(
    known: Map, most: int, random: np.random.Generator
) -> tuple[list[int], Sequence[Terms]]:
    """Some known targets that have words, with their words."""
    found: dict[int, Terms] = {}
    for number in random.permutation(known.known_targets).tolist():
        page = known.web.page(number)
        if page.terms.norm:
            found[number] = page.terms
        if len(found) == most:
            break
    if not found:
        raise BadInput("there is nothing to learn from: no known target has words")
    return list(found), list(found.values())


@dataclass(frozen=True)
class _Feedback:
    """Pairs of pages for each round, and some more to measure with, as rows of `terms`."""

    pages: int  # to draw from
    terms: Sequence[Terms]
    rounds: Sequence[Pairs]
    kept_back: Pairs

    @classmethod
    def draw(
        cls, known: Map, height: int, rounds: int, pairs: int, random: np.random.Generator
    ) -> _Feedback:
        """One page in a few is kept back with its pairs, unless too few pages are left then."""
        distances = known.graph.distances_to(known.known_targets)
        near: Numbers = np.flatnonzero(distances <= height)
        if not distances[near].any():
            raise BadInput("there is nothing to learn from: no page but targets leads to a target")
        apart = random.permutation(len(near)) % _FOLDS == 0
        learned, tested = np.flatnonzero(~apart), np.flatnonzero(apart)
        if min(len(np.unique(distances[near[part]])) for part in (learned, tested)) < 2:
            learned = tested = np.arange(len(near))
        drawn = [
            part[np.array(draw_pairs(distances[near[part]], pairs, random))]
            for part in (*[learned] * rounds, tested)
        ]
        used, rows = np.unique(np.array(drawn), return_inverse=True)
        terms = [known.web.page(number).terms for number in near[used].tolist()]
        found = [(closer, farther) for closer, farther in rows.reshape(np.shape(drawn))]
        return cls(len(near), terms, found[:-1], found[-1])

    def misordered(self, values: Floats, weights: Floats) -> float:
        """The share of pairs kept back that the composite gets wrong; a tie is half wrong."""
        return float(losses((weights @ values)[None], self.kept_back)[0])


def _by_url(known: Map, numbers: list[int], weights: Floats) -> dict[str, float]:
    """What each function weighs, heaviest first."""
    order = np.argsort(-weights, kind="stable").tolist()
    return {known.web.url(numbers[at]): round(float(weights[at]), 6) for at in order}
