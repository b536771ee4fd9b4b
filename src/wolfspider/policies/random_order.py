"""Random order: any waiting link, each as likely as the other."""

from __future__ import annotations

from collections.abc import Sequence

from wolfspider.policies.scored import RandomPart, ScoredPolicy
from wolfspider.records import Floats, Link, Links, State, Visit


class RandomOrder(ScoredPolicy):
    """Any waiting link, each as likely as the other."""

    def __init__(self, *, seed: int = 0, buffer: int | None = None) -> None:
        super().__init__(buffer=buffer)
        self._chance = RandomPart(seed)

    def start(self, seeds: Sequence[Link]) -> None:
        super().start(seeds)
        waiting = self.frontier.waiting()  # seeds, too, take their chance
        self.frontier.rescore(waiting, self._chance.random.random(len(waiting)))

    def score(self, links: Links, visit: Visit) -> Floats:
        # A uniform key drawn once is a uniform choice at every step.
        return self._chance.random.random(len(links))

    def state(self) -> State:
        return super().state() | {"chance": self._chance.state()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self._chance.restore(state["chance"])
