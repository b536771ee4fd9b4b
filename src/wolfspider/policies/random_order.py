"""Random order: any waiting link, each as likely as the other."""

from __future__ import annotations

from collections.abc import Container, Sequence

from wolfspider.policies.scored import RandomPart, ScoredPolicy
from wolfspider.records import Floats, Link, Links, State, Visit


class RandomOrder(ScoredPolicy):
    """Any waiting link, each as likely as the other.

    A link that is found is given a time to leave, now + an exponential lifetime, and now is
    when the last link left. Exponential clocks have no memory: however long a link has waited,
    at every step it is as likely to be the next as one that has just come.
    """

    def __init__(self, *, seed: int = 0, buffer: int | None = None) -> None:
        super().__init__(buffer=buffer)
        self._chance = RandomPart(seed)
        self._now = 0.0

    def start(self, seeds: Sequence[Link]) -> None:
        super().start(seeds)
        waiting = self.frontier.waiting()
        self.frontier.rescore(waiting, self._draw(len(waiting)))

    def next(self, busy: Container[str] = ()) -> Link | None:
        link = super().next(busy)
        if link is not None:
            self._now = max(self._now, -link.score)
        return link

    def score(self, links: Links, visit: Visit) -> Floats:
        return self._draw(len(links))

    def _draw(self, count: int) -> Floats:
        """The earliest leaves first, so times count downwards."""
        return -self._now - self._chance.random.exponential(size=count)

    def state(self) -> State:
        return super().state() | {"chance": self._chance.state(), "now": self._now}

    def restore(self, state: State) -> None:
        super().restore(state)
        self._chance.restore(state["chance"])
        self._now = state["now"]
