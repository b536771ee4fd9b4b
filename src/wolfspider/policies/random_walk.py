"""Random walk: a surfer who follows a random link of the page in front of him."""

from __future__ import annotations

from wolfspider.policies.scored import RandomPart, ScoredPolicy
from wolfspider.records import Floats, Links, State, Visit


class RandomWalk(ScoredPolicy):
    """A random new link of the current page; at a dead end one page back; sometimes a jump.

    With probability `jump` the surfer forgets where he stands and takes any waiting link.
    Unlike a walk on a graph he never visits a page twice: a link leaves once.
    """

    raise_scores = True  # a link seen again stands on the current page

    def __init__(self, *, jump: float = 0.15, seed: int = 0, buffer: int | None = None) -> None:
        if not 0 <= jump <= 1:
            raise ValueError(f"jump is a probability, not {jump}")
        super().__init__(buffer=buffer)
        self.jump = jump
        self._chance = RandomPart(seed)
        self._visits = 0

    def score(self, links: Links, visit: Visit) -> Floats:
        self._visits += 1
        return self._visits + self._chance.random.random(len(links))

    def learn(self, visit: Visit) -> None:
        super().learn(visit)
        if self._chance.random.random() < self.jump:
            waiting = self.frontier.waiting()
            self.frontier.rescore(waiting, self._chance.random.random(len(waiting)))

    def state(self) -> State:
        return super().state() | {"chance": self._chance.state(), "visits": self._visits}

    def restore(self, state: State) -> None:
        super().restore(state)
        self._chance.restore(state["chance"])
        self._visits = state["visits"]
