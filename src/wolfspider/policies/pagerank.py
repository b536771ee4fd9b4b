"""PageRank: links to pages that many good pages point to leave first.

Menczer, Pant & Srinivasan 2004, section 3.1.3, eq. 5 and figure 7; after Cho et al. 1998.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wolfspider.fingerprint_map import FingerprintMap
from wolfspider.policies.scored import ScoredPolicy
from wolfspider.records import Fingerprints, Floats, Links, State, Visit
from wolfspider.topics import Topic


class PageRank(ScoredPolicy):
    """Follows links by the PageRank of their target in the part of the web seen so far.

        PR(p) = (1 − γ) + γ · Σ PR(d) / |out(d)|  over the pages d that point to p

    It is computed anew every `every` visits until no value changes by more than `tolerance`.
    Pages without known links point to every page kept. With a buffer only that many pages
    are kept, those most similar to the topic.
    """

    raise_scores = True

    def __init__(
        self,
        *,
        topic: Topic,
        every: int = 25,
        gamma: float = 0.8,
        tolerance: float = 0.01,
        buffer: int | None = None,
    ) -> None:
        if every < 1:
            raise ValueError(f"every is a number of visits, at least 1, not {every}")
        if not 0 < gamma < 1:
            raise ValueError(f"gamma lies between 0 and 1, not {gamma}")
        if not tolerance >= 1e-9:  # below, rounding may keep the values changing for ever
            raise ValueError(f"tolerance is at least 1e-9, not {tolerance}")
        super().__init__(buffer=buffer)
        self.topic = topic
        self.every = every
        self.gamma = gamma
        self.tolerance = tolerance
        self._visits = 0
        self._pages: list[tuple[int, float, Fingerprints]] = []  # page, similarity, its links
        self._nodes = FingerprintMap()
        self._ranks: Floats = np.empty(0)

    def learn(self, visit: Visit) -> None:
        links = visit.page.links
        similarity = self.topic.similarity(visit.page.terms)
        self._pages.append((visit.link.fingerprint, similarity, links.fingerprints.copy()))
        if self.frontier.bound is not None and len(self._pages) > self.frontier.bound:
            similarities = [similarity for _, similarity, _ in self._pages]
            del self._pages[similarities.index(min(similarities))]
        super().learn(visit)
        self._visits += 1
        if self._visits % self.every == 0:
            self._recompute()

    def score(self, links: Links, visit: Visit) -> float:
        """What one more link from this page is worth, by the ranks last computed."""
        node = self._nodes.get_one(visit.link.fingerprint)
        rank = self._ranks.item(node) if node >= 0 else 1.0
        return (1 - self.gamma) + self.gamma * rank / len(links)

    def _recompute(self) -> None:
        sources, targets = self._number_nodes()
        self._ranks = self._rank(sources, targets, len(self._nodes))
        waiting = self.frontier.waiting()
        nodes = self._nodes.get(waiting)
        known = nodes >= 0
        self.frontier.rescore(waiting[known], self._ranks[nodes[known]])

    def _number_nodes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The graph seen so far as pairs of node numbers; the pages kept come first."""
        pages = np.array([page for page, _, _ in self._pages], np.uint64)
        ends = np.concatenate([links for _, _, links in self._pages])
        counts = [len(links) for _, _, links in self._pages]
        self._nodes = FingerprintMap(len(pages) + len(ends))
        self._nodes.set(pages, np.arange(len(pages)))
        others = np.unique(ends)
        others = others[self._nodes.get(others) < 0]
        self._nodes.set(others, np.arange(len(pages), len(pages) + len(others)))
        targets = self._nodes.get(ends).astype(np.int64)
        return np.repeat(np.arange(len(pages)), counts), targets

    def _rank(self, sources: NDArray[np.int64], targets: NDArray[np.int64], nodes: int) -> Floats:
        kept = len(self._pages)
        degree = np.bincount(sources, minlength=nodes)
        dangling = degree == 0
        ranks = np.ones(nodes)
        change = np.inf
        while change > self.tolerance:  # ends: each round shrinks the sum of changes by γ
            shares = ranks / np.maximum(degree, 1)
            new: Floats = np.bincount(targets, shares[sources], nodes).astype(np.float64)
            new[:kept] += ranks[dangling].sum() / kept
            new = (1 - self.gamma) + self.gamma * new
            change = float(np.abs(new - ranks).max())
            ranks = new
        return ranks

    def state(self) -> State:
        return super().state() | {
            "visits": self._visits,
            "pages": np.array([page for page, _, _ in self._pages], np.uint64),
            "similarities": np.array([similarity for _, similarity, _ in self._pages]),
            "degrees": np.array([len(links) for _, _, links in self._pages], np.int64),
            "links": np.concatenate([np.empty(0, np.uint64), *(k for _, _, k in self._pages)]),
            "nodes": self._nodes.state(),
            "ranks": self._ranks,
        }

    def restore(self, state: State) -> None:
        super().restore(state)
        self._visits = state["visits"]
        links = np.split(state["links"], np.cumsum(state["degrees"])[:-1])
        pages, similarities = state["pages"].tolist(), state["similarities"].tolist()
        self._pages = list(zip(pages, similarities, links, strict=False))
        self._nodes.restore(state["nodes"])
        self._ranks = state["ranks"]
