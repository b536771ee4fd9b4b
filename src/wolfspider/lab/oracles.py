"""Crawlers that know the graph and the targets: what is possible, not what a policy can do."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.fingerprint_map import FingerprintMap
from wolfspider.lab.ground import Ground
from wolfspider.policies import Spec
from wolfspider.policies.scored import ScoredPolicy
from wolfspider.records import Floats, Links, Visit
from wolfspider.urls import fingerprints


class Oracle(ScoredPolicy):
    """Follows links by a value that is known for every page."""

    raise_scores = True
    seed_score = np.inf

    def __init__(self, ground: Ground, values: Floats) -> None:
        super().__init__()
        self._values = values
        pages = np.flatnonzero(ground.reachable)
        keys = fingerprints([ground.web.url(page) for page in pages.tolist()])
        self._page = FingerprintMap(len(pages))
        self._page.set(keys, pages)

    def score(self, links: Links, visit: Visit) -> Floats:
        scores: Floats = self._values[self._page.get(links.fingerprints)]
        return scores


class Optimal(Oracle):
    """Always goes to the nearest target not visited yet (Rennie & McCallum 1999)."""

    def __init__(self, ground: Ground) -> None:
        self._graph = ground.graph
        self._left = ground.wanted.copy()
        super().__init__(ground, self._nearness())

    def _nearness(self) -> Floats:
        return -self._graph.distances_to(np.flatnonzero(self._left))

    def learn(self, visit: Visit) -> None:
        page = self._page.get_one(visit.link.fingerprint)
        if page >= 0 and self._left[page]:
            self._left[page] = False
            self._values = self._nearness()
            waiting = self.frontier.waiting()
            self.frontier.rescore(waiting, self._values[self._page.get(waiting)])
        super().learn(visit)


def _perfect_distance(ground: Ground) -> Oracle:
    """Follows links by the true distance to the nearest target, visited or not (Young 2005)."""
    return Oracle(ground, -ground.graph.distances_to(np.flatnonzero(ground.wanted)))


def _perfect_reward(ground: Ground, gamma: float = 0.5, horizon: int = 8) -> Oracle:
    """Follows links by the discounted reward of the best path from there (Young 2005)."""
    rewards = ground.wanted.astype(np.float64)
    return Oracle(ground, ground.graph.best_reward(rewards, gamma, horizon))


ORACLES: dict[str, Callable[..., Oracle]] = {
    "optimal": Optimal,
    "oracle": Optimal,
    "perfect-distance": _perfect_distance,
    "perfect-reward": _perfect_reward,
}


def make_oracle(spec: Spec, ground: Ground) -> Oracle:
    """The oracle that a spec asks for."""
    settings: dict[str, float | int] = {}
    for name, text in spec.settings:
        if spec.name != "perfect-reward" or name not in ("gamma", "horizon"):
            raise BadInput(f"the oracle {spec.name!r} has no setting {name!r}")
        settings[name] = _setting(spec.name, name, text)
    return ORACLES[spec.name](ground, **settings)


def _setting(oracle: str, name: str, text: str) -> float | int:
    with suppress(ValueError):
        if name == "horizon" and int(text) >= 1:
            return int(text)
        if name == "gamma" and 0 < float(text) < 1:
            return float(text)
    what = "a whole number from 1 on" if name == "horizon" else "a number between 0 and 1"
    raise BadInput(f"the oracle {oracle!r}: {name} is {what}, not {text!r}")
