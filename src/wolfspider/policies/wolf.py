"""The wolf: follows the link that promises the best yield, and learns on the way which that is.

What a link promises is the share of relevant pages on the best trip that begins with it. A link
that leads to a relevant page is worth 1; one that leads to a list of thirty, 30 of 31 fetches. So a
page and a way to pages are measured in the same unit, and neither needs a discount.

    what is known of a link          clues/: the words and meaning of the link and its source, how
                                     often its tokens paid, what became of the links near it
    score = w · x                    log-odds of the promise, x a row of about forty numbers
          + curiosity · σ(w · x)     as much more as the weights are in doubt (UCB)
          + nearness                 until something was found: pages near the seeds first
    w                                logistic regression with a prior: what held on other webs
                                     counts until the hunt has seen enough of its own

Each page that comes is an example with the row by which it was chosen. Its label rises later when
pages behind it turn out to be relevant. Scores are worked out anew for the links that a page says
something about, for the best of all every `_LOOK` visits, and for all when the weights change.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

import numpy as np

from wolfspider.clues.book import Count, Numbers
from wolfspider.clues.evidence import AT, FEATURES, Evidence
from wolfspider.clues.naming import clues_of, name_of
from wolfspider.clues.priors import FIRMNESS, PRIOR
from wolfspider.clues.tokens import grown
from wolfspider.errors import BadInput
from wolfspider.fingerprint_map import ABSENT
from wolfspider.frontier import Frontier, Origin
from wolfspider.learners.prior_logistic import PriorLogistic
from wolfspider.policies.scored import SEEDS
from wolfspider.records import Clue, Floats, Link, Links, Receipt, State, Visit
from wolfspider.topics import Topic

_SEED_SCORE = 1e6  # they go first
_FEW = 4  # examples, for which it is worth to fit the weights
_GROWTH = 1.1  # they are fitted anew when there are so many times more examples
_EXAMPLES = 20_000  # the latest that they are fitted to
_LOOK, _BEST = 16, 256  # every so many visits so many of the best links are scored anew
_TOLD = 8  # pages whose neighbours may wait for it, unless one was relevant
_MOVED = 0.02  # a score that changed less is left alone
_RIVALS = 16  # links that a receipt compares with
_TRUST = 5.0  # trials of a token that what was carried from another hunt may count for
_SAME_TOPIC = 0.5  # cosine of keywords from which on its words are worth something


class Wolf:
    """Follows the link that promises the best yield, and learns on the way which that is.

    `curiosity`: how much more a link is worth for being in doubt. `nearness`: how much less one is
    worth for each link that it is away from the seeds, as long as nothing was found. `held_back`:
    trials of a word or other token before it counts half.
    """

    def __init__(
        self,
        *,
        topic: Topic,
        curiosity: float = 0.3,
        nearness: float = 0.1,
        held_back: float = 2.0,
        buffer: int | None = None,
    ) -> None:
        for name, value in (("curiosity", curiosity), ("nearness", nearness)):
            if not 0 <= value < np.inf:
                raise ValueError(f"{name} is {value}; it is 0 or more")
        if not 0 < held_back < np.inf:
            raise ValueError(f"held_back is {held_back}; it is more than 0")
        self.curiosity, self.nearness = curiosity, nearness
        self.frontier = Frontier(buffer)
        self.evidence = Evidence(topic, held_back)
        self.learner = PriorLogistic(PRIOR.copy(), FIRMNESS)
        self._examples = np.zeros((1 << 10, len(FEATURES)), np.float32)
        self._example_of = np.zeros(1 << 10, np.int32)
        self._count = 0
        self._scores = np.zeros(1 << 10)  # of all links, by number
        self._rows: dict[int, Floats] = {}  # by which links were scored lately
        self._told: list[Numbers] = []
        self._fit_at, self._look_at = _FEW, _LOOK

    # -- the hunt --------------------------------------------------------------------------

    def start(self, seeds: Sequence[Link]) -> None:
        for at in range(0, len(seeds), SEEDS):
            self.frontier.push(Links.of(seeds[at : at + SEEDS]), _SEED_SCORE)
        for seed in seeds:
            self.evidence.sow(seed.fingerprint)
        self._scores = grown(self._scores, self.evidence.book.size)

    def next(self, busy: Container[str] = ()) -> Link | None:
        if self.evidence.visits >= self._look_at:
            self._look_again(_BEST)
        return self.frontier.pop(busy)

    def learn(self, visit: Visit) -> None:
        evidence, book = self.evidence, self.evidence.book
        number = book.number(visit.link.fingerprint)
        if book.fetched(number):
            return
        paid = float(visit.verdict.relevant)
        if book.counts.item(number, Count.SOURCES):
            self._keep_example(number)
        told, talk = evidence.fetch(number, visit, paid)
        if len(told):
            self._told.append(told)
        if len(visit.page.links):
            self._take_in(visit, number, paid, talk)
        if self._count >= self._fit_at:
            self._fit()
        elif self._told and (paid or len(self._told) >= _TOLD):
            told = np.unique(np.concatenate(self._told))
            self._told = []
            self._rescore(told)

    def _take_in(self, visit: Visit, number: int, paid: float, talk: float) -> None:
        """The links of a page: new ones wait, and those that wait already are scored anew."""
        book, links = self.evidence.book, visit.page.links
        numbers = self.evidence.find(links, number, visit, paid, talk)
        self._scores = grown(self._scores, book.size)
        waiting = np.flatnonzero(book.page[numbers] == 0)
        if not len(waiting):
            return
        here = numbers[waiting]
        before, now = self._scores[here], self.score(here)
        now = np.where(np.abs(now - before) > _MOVED, now, before)
        self._scores[here] = now
        scores = np.zeros(len(links))
        scores[waiting] = now
        origin = Origin(visit.page.url, visit.link.depth + 1, visit.verdict.relevance)
        self.frontier.push(links, scores, origin, change_scores=True)

    # -- what links are worth --------------------------------------------------------------

    def score(self, numbers: Numbers) -> Floats:
        rows = self.evidence.rows(numbers)
        self._rows.update(zip(numbers.tolist(), rows, strict=True))
        return self._promise(rows) + self.curiosity * self.learner.doubt(rows)

    def _promise(self, rows: Floats) -> Floats:
        """What links promise as far as is known, with those near the seeds first at first."""
        nearness = self.nearness / (1 + self.evidence.paid)
        promise: Floats = rows @ self.learner.weights + nearness * rows[:, AT["shallow"]]
        return promise

    def _waiting(self) -> Numbers:
        """Numbers of the links that wait; those that are under way may be among them."""
        book = self.evidence.book
        found = book.counts[: book.size, Count.SOURCES] > 0
        return np.flatnonzero(found & (book.page[: book.size] == 0)).astype(np.int32)

    def _look_again(self, most: int | None) -> None:
        """Score the best links anew, or all."""
        waiting = self._waiting()
        if most is not None and len(waiting) > most:
            last = len(waiting) - most
            waiting = waiting[np.argpartition(self._scores[waiting], last)[last:]]
        self._rows, self._told = {}, []
        self._rescore(waiting)
        self._look_at = self.evidence.visits + _LOOK

    def _rescore(self, numbers: Numbers) -> None:
        book = self.evidence.book
        numbers = numbers[book.page[numbers] == 0]
        if len(numbers):
            scores = self.score(numbers)
            moved = np.abs(scores - self._scores[numbers]) > _MOVED
            numbers, scores = numbers[moved], scores[moved]
            self._scores[numbers] = scores
            self.frontier.rescore(book.fingerprints[numbers], scores)

    # -- learning --------------------------------------------------------------------------

    def _keep_example(self, number: int) -> None:
        at, self._count = self._count % _EXAMPLES, self._count + 1
        self._examples = grown(self._examples, at + 1)
        self._example_of = grown(self._example_of, at + 1)
        row = self._rows.pop(number, None)
        self._examples[at] = self.evidence.rows(np.array([number]))[0] if row is None else row
        self._example_of[at] = number

    def _fit(self) -> None:
        kept, book = min(self._count, _EXAMPLES), self.evidence.book
        labels = book.value[book.page[self._example_of[:kept]]]
        self.learner.fit(self._examples[:kept].astype(np.float64), labels.astype(np.float64))
        self._fit_at = max(self._count + 1, int(self._count * _GROWTH))
        self._look_again(None)

    # -- receipts --------------------------------------------------------------------------

    def receipt(self, fingerprint: int) -> Receipt | None:
        book = self.evidence.book
        number = book.find(fingerprint)
        if number == ABSENT or not book.counts.item(number, Count.SOURCES):
            return None
        row = self.evidence.rows(np.array([number]))[0]
        waiting = self._waiting()
        waiting = waiting[waiting != number]
        own = float((self._promise(row[None]) + self.curiosity * self.learner.doubt(row[None]))[0])
        rank = 1 + int(np.count_nonzero(self._scores[waiting] > own + _MOVED))
        best = waiting[np.argsort(-self._scores[waiting], kind="stable")[:_RIVALS]]
        rivals = self._promise(self.evidence.rows(best)) if len(best) else np.empty(0)
        explored = rank == 1 and bool((rivals > self._promise(row[None])[0] + _MOVED).any())
        value = 1 / (1 + np.exp(-float(row @ self.learner.weights)))
        clues = clues_of(self.evidence, number, row, self.learner.weights)
        return Receipt(value, rank, len(waiting) + 1, explored, clues)

    def name_of(self, clue: Clue, words: Mapping[int, str]) -> str:
        return name_of(clue, words)

    # -- from hunt to hunt -----------------------------------------------------------------

    def carried(self) -> State:
        return {
            "keywords": list(self.evidence.topic.keywords),
            "features": list(FEATURES),
            "weights": self.learner.weights.copy(),
            **self.evidence.carried(),
        }

    def carry(self, values: State) -> None:
        """Begin with the weights, and on the same topic with what words were worth, too."""
        if list(values["features"]) != list(FEATURES):
            raise BadInput("it was learned by another version of the wolf; hunt without it")
        weights = np.array(values["weights"], np.float64)
        if weights.shape != PRIOR.shape or not np.isfinite(weights).all():
            raise ValueError(f"weights of shape {weights.shape}")
        self.learner = PriorLogistic(weights, FIRMNESS)
        before = Topic(tuple(values["keywords"]))
        if not before.keywords or self.evidence.topic.similarity(before.terms) >= _SAME_TOPIC:
            self.evidence.carry(values, _TRUST)

    def drift(self) -> float | None:
        """Which share of the tokens of links met so far what was carried did not know."""
        return self.evidence.foreign

    # -- on disk ---------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.frontier)

    def state(self) -> State:
        kept = min(self._count, _EXAMPLES)
        return {
            "frontier": self.frontier.state(),
            "evidence": self.evidence.state(),
            "learner": self.learner.state(),
            "examples": self._examples[:kept].copy(),
            "example_of": self._example_of[:kept].copy(),
            "scores": self._scores[: self.evidence.book.size].copy(),
            "row_of": np.array(list(self._rows), np.int32),
            "rows": np.array(list(self._rows.values())).reshape(-1, len(FEATURES)),
            "told": np.concatenate([np.empty(0, np.int32), *self._told]),
            "told_lengths": [len(told) for told in self._told],
            "counters": [self._count, self._fit_at, self._look_at],
        }

    def restore(self, state: State) -> None:
        self.frontier.restore(state["frontier"])
        self.evidence.restore(state["evidence"])
        self.learner.restore(state["learner"])
        self._examples = np.array(state["examples"], np.float32).reshape(-1, len(FEATURES))
        self._example_of = np.array(state["example_of"], np.int32)
        self._scores = np.array(state["scores"], np.float64)
        rows: Any = np.array(state["rows"], np.float64).reshape(-1, len(FEATURES))
        self._rows = dict(zip(np.asarray(state["row_of"]).tolist(), rows, strict=True))
        ends = np.cumsum(np.array(state["told_lengths"], np.intp))[:-1]
        told = np.array(state["told"], np.int32)
        self._told = np.split(told, ends) if len(told) else []
        self._count, self._fit_at, self._look_at = map(int, state["counters"])
