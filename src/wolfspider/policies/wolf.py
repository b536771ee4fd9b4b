"""The wolf: follows the link that promises the best yield, and learns on the way which that is."""

from __future__ import annotations

from collections.abc import Container, Sequence

import numpy as np

from wolfspider.clues.book import Numbers, Said
from wolfspider.clues.evidence import AT, FEATURES, Evidence
from wolfspider.clues.tokens import grown
from wolfspider.frontier import Frontier, Origin
from wolfspider.learners.prior_logistic import PriorLogistic
from wolfspider.policies.scored import SEEDS
from wolfspider.records import Floats, Link, Links, State, Visit
from wolfspider.topics import Topic

_SEED = 1e6  # score of seeds: they go first
_GROWTH = 1.1  # the weights are fitted anew when there are so many times more examples
_EXAMPLES = 20_000  # the latest that the weights are fitted to


class Wolf:
    """Follows the link that promises the best yield, and learns on the way which that is."""

    def __init__(self, *, topic: Topic, seed: int = 0, curiosity: float = 0.3, near: float = 1.0, firmness: float = 1.0, held_back: float = 2.0, held_words: float = 3.0, batch: int = 16, top: int = 256, prior: str = "", buffer: int | None = None) -> None:
        self.curiosity, self.near, self.batch, self.top = curiosity, near, batch, top
        self.frontier = Frontier(buffer)
        self.evidence = Evidence(topic, held_back, held_words)
        means, firm = np.array([PRIOR[n][0] for n in FEATURES]), np.array([PRIOR[n][1] for n in FEATURES]) 
        if prior:
            import json
            z = json.load(open(prior)); means, firm = np.array(z["mu"]), np.array(z["lam"])
        firm = np.maximum(firm * firmness, 0.3); firm[0] = min(firm[0], 1.0)
        self.learner = PriorLogistic(means, firm)
        self.examples = np.zeros((1 << 10, len(FEATURES)), np.float32)
        self.example_of = np.zeros(1 << 10, np.int32)
        self.count = 0
        self.scores = np.zeros(1 << 10)
        self._fit_at, self._look_at = 4, 0
        self._told: list[Numbers] = []

    def start(self, seeds: Sequence[Link]) -> None:
        book = self.evidence.book
        for at in range(0, len(seeds), SEEDS):
            self.frontier.push(Links.of(seeds[at : at + SEEDS]), _SEED)
        for s in seeds:
            n = book.number(s.fingerprint)
            book.said[n] = 0
            book.said[n, Said.NEAR] = -5
        self._set(np.arange(book.size, dtype=np.int32), _SEED)

    def _set(self, numbers, scores):
        self.scores = grown(self.scores, self.evidence.book.size)
        self.scores[numbers] = scores

    def next(self, busy: Container[str] = ()) -> Link | None:
        if self.evidence.visits >= self._look_at and self.evidence.visits:
            self._look_again(everywhere=False)
        return self.frontier.pop(busy)

    def _waiting(self) -> Numbers:
        book = self.evidence.book
        return np.flatnonzero((book.page[: book.size] == 0) & (book.counts[: book.size, 3] > 0)).astype(np.int32)

    def _look_again(self, everywhere: bool):
        waiting = self._waiting()
        self._told = []
        n = len(waiting)
        if not everywhere and n > self.top:
            s = self.scores[waiting]
            waiting = waiting[np.argpartition(s, n - self.top)[n - self.top :]]
        self._rescore(waiting)
        self._look_at = self.evidence.visits + self.batch

    def _rescore(self, numbers):
        if len(numbers):
            s = self.value(numbers)
            self._set(numbers, s)
            self.frontier.rescore(self.evidence.book.fingerprints[numbers], s)

    def value(self, numbers) -> Floats:
        rows = self.evidence.rows(numbers)
        s = rows @ self.learner.weights
        if self.curiosity:
            s += self.curiosity * self.learner.doubt(rows)
        s += self.near / (1 + self.evidence.paid) * rows[:, AT["shallow"]]
        return s

    def learn(self, visit: Visit) -> None:
        evidence, book = self.evidence, self.evidence.book
        number = book.number(visit.link.fingerprint)
        if book.fetched(number):
            return
        paid = float(visit.verdict.relevant)
        if book.counts.item(number, 3):
            n = self.count
            self.examples, self.example_of = grown(self.examples, n + 1), grown(self.example_of, n + 1)
            self.examples[n] = evidence.rows(np.array([number]))[0]
            self.example_of[n] = number
            self.count += 1
        told, talk = evidence.fetch(number, visit, paid)
        if len(told):
            self._told.append(told)
        links = visit.page.links
        if len(links):
            numbers = evidence.find(links, number, visit, paid, talk)
            open_ = np.flatnonzero(book.page[numbers] == 0)
            if len(open_):
                s = self.value(numbers[open_])
                self._set(numbers[open_], s)
                scores = np.zeros(len(links)); scores[open_] = s
                self.frontier.rescore(links.fingerprints[open_], s)
                self.frontier.push(links, scores, Origin(visit.page.url, visit.link.depth + 1, visit.verdict.relevance))
        if self.count >= self._fit_at:
            n = self.count
            labels = book.value[book.page[self.example_of[:n]]]
            self.learner.fit(self.examples[:n].astype(float), labels.astype(float))
            self._fit_at = max(n + 1, int(n * _GROWTH))
            self._look_again(everywhere=True)
        elif self._told and (paid or len(self._told) >= 8):
            told = np.unique(np.concatenate(self._told))
            self._told = []
            self._rescore(told[book.page[told] == 0])

    def __len__(self) -> int:
        return len(self.frontier)


PRIOR = {n: (0.0, 1.0) for n in FEATURES}
_V2 = dict(bias=(-2.47,1.0),anchor=(.3,2),context=(0,1.5),heading=(1.1,1.7),url=(3,.4),page=(0,1.8),led_by=(1.07,.3),source_url=(.46,.9),title=(1.1,.8),means_anchor=(1.75,.3),means_context=(.96,4),means_url=(.64,1),means_page=(0,1),same_host=(.1,4),same_folder=(-.9,5),upward=(.1,2),near=(-.05,60),shallow=(.1,60),alone=(0,36),sources_paid=(.4,14),alike_paid=(.33,30),beside_paid=(.2,50),some_paid=(-.6,3),talk=(1.1,2.5),sources=(-.2,39),
 rate_anchor=(.94,9),rate_context=(1.2,3.4),rate_heading=(.2,39),rate_url=(.1,7.6),rate_source=(.1,33),rate_path=(.1,37),rate_template=(.1,33),rate_host=(-.1,9.5),rate_folder=(.25,3.6),rate_shape=(.13,6),talk_anchor=(.2,6.8),talk_context=(.27,3.6),talk_heading=(0,26),talk_url=(.9,1.5))
PRIOR.update(_V2)
