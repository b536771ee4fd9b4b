"""Algorithms 5, 6 and 10 to 12 of Palotai, Farkas & Lőrincz: a forager and its paths."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from wolfspider.records import State
from wolfspider.watching.records import NOWHERE, Snapshot, pack, unpack
from wolfspider.watching.url_ordering import UrlOrdering
from wolfspider.watching.weblog import START_SIZE, Weblog

MAX_STEP = 100


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a forager adapts: where it begins, and in which order it goes on."""

    weblog_update: bool
    ordering_update: bool


class Forager:
    """Walks paths of steps. A step downloads a page and all pages that it links to.

    `next_download` and `receive` take turns; when a step is over, `finished` has its pages, and
    `reinforce` must be told what they earned before the next step begins.
    """

    def __init__(
        self,
        weblog: Weblog,
        ordering: UrlOrdering,
        abilities: Abilities,
        seed: int,
        *,
        max_step: int = MAX_STEP,
    ) -> None:
        """Initialisation of the forager: the first step begins a new path."""
        self.weblog, self.ordering, self.abilities = weblog, ordering, abilities
        self.max_step = max_step
        self.score = 0.0
        self._random = np.random.default_rng(seed)
        self._step_number = max_step + 1
        self._frontier: dict[int, None] = {}  # in the order they were found
        self._visited: list[int] = []
        self._rewards: list[float] = []
        self._sent: dict[int, None] = {}  # documents, of which it took them for news before
        self._to_download: deque[int] = deque()
        self._here: Snapshot | None = None  # the page of this step
        self._pages: list[Snapshot] = []
        self._step: int | None = None

    # -- a step ------------------------------------------------------------------------------

    @property
    def between_steps(self) -> bool:
        return self._step is None

    def next_download(self) -> int:
        """Forager: the page of a step first, then the pages linked from it."""
        if self._step is None:
            self._step = self._select()
            self._to_download = deque([self._step])
            self._here, self._pages = None, []
        return self._to_download[0]

    def receive(self, page: Snapshot | None, now: float) -> list[Snapshot] | None:
        """Take in what was asked for; at the end of a step, the pages to send."""
        address = self._to_download.popleft()
        if page is not None:
            self._pages.append(page)
        if address == self._step and self._here is None and page is not None:
            self._here = page
            self._to_download.extend(dict.fromkeys(page.links.tolist()))
        return None if self._to_download else self._end_of_step(now)

    def _end_of_step(self, now: float) -> list[Snapshot]:
        assert self._step is not None
        visited = {*self._visited, self._step}
        links = NOWHERE if self._here is None else self._here.links
        for address in links.tolist():
            if address not in visited:
                self._frontier[address] = None
        self.ordering.store(self._pages)
        return self.relevant_pages(self._pages, now)

    def relevant_pages(self, pages: Iterable[Snapshot], now: float) -> list[Snapshot]:
        """Document relevancy at a forager: not older than a day, and not sent before."""
        found = {}
        for page in pages:
            if page.new_at(now) and page.document not in self._sent:
                found[page.document] = page
        self._sent |= dict.fromkeys(found)
        return list(found.values())

    def reinforce(self, reward: float) -> None:
        """What the documents of the step have earned; the forager is ready for the next one."""
        assert self._step is not None
        if self._visited and self.abilities.ordering_update:
            self.ordering.update(self._visited[-1], self._step, reward)
        self._visited.append(self._step)
        self._rewards.append(reward)
        if not self.abilities.weblog_update and len(self.weblog.values) < START_SIZE:
            # Without an update the list stays as it is: the first addresses that were visited.
            self.weblog.values.setdefault(self._step, 0.0)
        self._step = None

    def _select(self) -> int:
        """URL selection: the best of the frontier, or after MAX_STEP steps a new path."""
        if self._step_number <= self.max_step and self._frontier:
            step = self.ordering.best(self._frontier)
            del self._frontier[step]
            self._step_number += 1
            return step
        if self._visited and self.abilities.weblog_update:
            self.weblog.update(self._visited, self._rewards)
        starts = self.weblog.starting_urls
        step = starts[int(self._random.integers(len(starts)))]
        self._step_number = 1
        self._frontier, self._visited, self._rewards = {}, [], []
        self.ordering.forget([step])
        return step

    # -- life --------------------------------------------------------------------------------

    def multiply(self, seed: int) -> Forager:
        """Multiplication: half of the weblog, and the weights, or other ones at random."""
        weblog = (
            self.weblog.divide(self._random) if self.abilities.weblog_update else self.weblog.copy()
        )
        more = {"alpha": self.ordering.alpha, "gamma": self.ordering.gamma}
        if self.abilities.ordering_update:
            ordering = UrlOrdering(self.ordering.weights.copy(), **more)
        else:
            size = len(self.ordering.weights)
            ordering = UrlOrdering.at_random(size, np.random.default_rng(seed), **more)
        return Forager(weblog, ordering, self.abilities, seed, max_step=self.max_step)

    def state(self) -> State:
        return {
            "weblog": self.weblog.state(),
            "ordering": self.ordering.state(),
            "score": self.score,
            "random": dict(self._random.bit_generator.state),
            "step_number": self._step_number,
            "frontier": np.array(list(self._frontier), np.uint64),
            "visited": np.array(self._visited, np.uint64),
            "rewards": np.array(self._rewards, float),
            "sent": np.array(list(self._sent), np.uint64),
            "step": self._step,
            "to_download": np.array(list(self._to_download), np.uint64),
            "here": None if self._here is None else self._pages.index(self._here),
            "pages": pack(self._pages),
        }

    def restore(self, state: State) -> None:
        more = {"alpha": self.ordering.alpha, "gamma": self.ordering.gamma}
        self.weblog = Weblog.of(state["weblog"], size=self.weblog.size)
        self.ordering = UrlOrdering.of(state["ordering"], **more)
        self.score = float(state["score"])
        self._random.bit_generator.state = state["random"]
        self._step_number = int(state["step_number"])
        self._frontier = dict.fromkeys(np.asarray(state["frontier"]).tolist())
        self._visited = np.asarray(state["visited"]).tolist()
        self._rewards = np.asarray(state["rewards"]).tolist()
        self._sent = dict.fromkeys(np.asarray(state["sent"]).tolist())
        self._pages = unpack(state["pages"])
        self._step, here = state["step"], state["here"]
        self._here = None if here is None else self._pages[here]
        self._to_download = deque(np.asarray(state["to_download"]).tolist())
