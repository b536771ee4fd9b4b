"""The N of best-N-first and shark-N: the best N links are followed before others are looked at."""

from __future__ import annotations

from collections import deque
from collections.abc import Container

from wolfspider.policies.scored import RandomPart, ScoredPolicy
from wolfspider.records import Link, State


class BatchedPolicy(ScoredPolicy):
    """Takes the best `n` links at a time and follows them in random order (figures 16 and 17).

    The larger `n`, the more it explores. The links of the current batch no longer count
    against the buffer, as in the paper. n = 1 is the greedy crawler.
    """

    def __init__(self, *, n: int, seed: int, buffer: int | None) -> None:
        if n < 1:
            raise ValueError(f"n is the number of links in a batch, at least 1, not {n}")
        super().__init__(buffer=buffer)
        self.n = n
        self._batch: deque[Link] = deque()
        self._chance = RandomPart(seed)

    def next(self, busy: Container[str] = ()) -> Link | None:
        if self.n == 1:
            return self.frontier.pop(busy)
        if not self._batch:
            self._refill()
        for link in self._batch:
            if link.host not in busy:
                self._batch.remove(link)
                return link
        return self.frontier.pop(busy)  # rather than wait for the hosts of the batch

    def _refill(self) -> None:
        best: list[Link] = []
        while len(best) < self.n and (link := self.frontier.pop()) is not None:
            best.append(link)
        self._batch.extend(best[i] for i in self._chance.random.permutation(len(best)))

    def __len__(self) -> int:
        return len(self.frontier) + len(self._batch)

    def state(self) -> State:
        batch = [[getattr(link, name) for name in Link.__slots__] for link in self._batch]
        return super().state() | {"batch": batch, "chance": self._chance.state()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self._batch = deque(Link(*values) for values in state["batch"])
        self._chance.restore(state["chance"])
