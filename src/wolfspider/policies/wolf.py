"""The wolf: follows the link that promises the best yield, and learns on the way which that is.

What a link promises is the share of relevant pages on the best trip that begins with it. A link
that leads to a relevant page is worth 1; one that leads to a list of thirty, 30 of 31 fetches. So a
page and a way to pages are measured in the same unit, and neither needs a discount.

    what is known of a link          clues/: the words and meaning of the link and its source, how
                                     often its tokens paid, what became of the links near it
    score = w · x                    log-odds of the promise, x a row of about forty numbers
          + curiosity · σ(w · x)     as much more as the weights are in doubt (UCB)
    w                                logistic regression with a prior: what held on other webs
                                     counts until the hunt has seen enough of its own

While no link in sight promises much and little was found lately, some fetches go to other links
than the best: who is lost looks around first (`looking_around`).

Each page that comes is an example with the row by which it was chosen. Its label rises later when
pages behind it turn out to be relevant; for who `foresees`, at once to what its links score. Scores
are worked out anew for the links of a relevant page and those near it, if that is news; for the
best of all every `_LOOK` visits; for the best quarter when the weights change; and for all once
there are half as many examples more.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from wolfspider.clues.book import ONE, Count, Numbers
from wolfspider.clues.evidence import FEATURES, Evidence
from wolfspider.clues.examples import Examples
from wolfspider.clues.naming import name_of
from wolfspider.clues.priors import FIRMNESS, PRIOR
from wolfspider.clues.rates import Singles
from wolfspider.clues.tokens import VERSION
from wolfspider.errors import BadInput
from wolfspider.fingerprint_map import ABSENT
from wolfspider.frontier import Frontier, Origin
from wolfspider.learners.prior_logistic import PriorLogistic
from wolfspider.policies.explaining import receipt_of
from wolfspider.policies.looking_around import LookingAround
from wolfspider.policies.opinion import Opinion
from wolfspider.policies.ranking import TURN, Ranking
from wolfspider.records import Clue, Floats, Link, Receipt, State, Verdict, Visit
from wolfspider.topics import Topic

_FEW = 4  # examples, for which it is worth to fit the weights
_GROWTH = 1.1  # they are fitted anew when there are so many times more examples
_CORRECTED = 50  # or, after a correction, when one part in so many has come
_ALL_GROWTH = 1.5  # and all links scored anew, when there are so many times more
_BEST_SHARE, _AT_LEAST = 0.25, 512  # of the links are scored anew else, but no fewer than so many
_LOOK, _BEST = 16, 64  # every so many visits so many of the best links are scored anew
_HOPELESS = -1.0  # score up to which a link does not promise much: about one in four
_NEWSWORTHY = 32  # a relevant page is news if since the last one part in so many of all was paid
_CERTAIN = 15.0  # a score that is as good as any higher one
_COLD = 10.0  # pages of no relevance at all, that are taken for seen at the beginning
_NOBODY = np.empty(0, np.intp)
_VERSION: State = {"features": list(FEATURES), "tokens": VERSION}  # of what is carried
_OF_STATES = _VERSION | {"form": 8}  # and of states
_SAME_TOPIC = 0.5  # cosine of keywords from which on its words are worth something


class Wolf:
    """Follows the link that promises the best yield, and learns on the way which that is.

    `curiosity`: how much more a link is worth for being in doubt. `breadth`: which share of the
    fetches goes to the nearest link while nothing was found lately and nothing promises much.
    `held_back`: trials of a word or other token before it counts half, or more where pay is rare.
    `buffer`: how many links may wait at most, if not as many as there are.
    """

    trust: ClassVar[float] = 20.0  # trials of a token that what was carried may count for

    def __init__(
        self,
        *,
        topic: Topic,
        curiosity: float = 0.3,
        breadth: float = 0.5,
        held_back: float = 4.0,
        buffer: int | None = None,
    ) -> None:
        if not 0 <= curiosity < np.inf:
            raise ValueError(f"curiosity is {curiosity}; it is 0 or more")
        if not 0 <= breadth <= 1:
            raise ValueError(f"breadth is {breadth}; it is from 0 to 1")
        if not 0 < held_back < np.inf:
            raise ValueError(f"held_back is {held_back}; it is more than 0")
        self.around = LookingAround(breadth)
        self.foresees = False  # whether a page is worth what its links promise, before it is known
        self.evidence = Evidence(topic, held_back)
        self.ranking = Ranking(self.evidence.book, buffer)
        self.opinion = Opinion(self.evidence, PriorLogistic(PRIOR.copy(), FIRMNESS), curiosity)
        self.examples = Examples(self.evidence.book)
        self._fit_at, self._look_at, self._all_at = _FEW, _LOOK, _FEW
        self._unheard = 0.0  # what was paid since there was news
        self._lukewarm = 0.0, _COLD  # relevance of all pages below the line, and how many
        self._chose = True  # a link, when asked last
        self._chosen = 0, 0.0  # fingerprint and score of the link chosen last

    # -- the hunt --------------------------------------------------------------------------

    def start(self, seeds: Sequence[Link]) -> None:
        self.ranking.sow(seeds)
        for seed in seeds:
            self.ranking.strike(self.evidence.sow(seed.fingerprint))

    def next(self, busy: Container[str] = ()) -> Link | None:
        if self.evidence.visits >= self._look_at:
            self._look_again(_BEST)
        if self._chose and self.around.breadth and self.ranking.peak <= _HOPELESS:
            self._look_around(busy)
        link = self.frontier.pop(busy)
        self._chose = link is not None  # who waits for busy hosts asks often, and that is no turn
        if link is not None:
            number = self.evidence.book.number(link.fingerprint)
            waited = self.ranking.strike(number)  # or it was told of before it was chosen
            self._chosen = link.fingerprint, link.score
            if self._is_example(number) and waited:
                self.opinion.send_out(number)
            if link.score < TURN:
                self.ranking.peak = link.score  # no other has more, but for those of busy hosts
            else:
                link = replace(link, score=0.0)  # it was not its score that brought it here
        return link

    def _look_around(self, busy: Container[str]) -> None:
        """Another link than the best may have its turn.

        Of those that may leave: a host may be busy for hours, and nobody would look around.
        """
        evidence, ranking = self.evidence, self.ranking
        waiting = ranking.waiting() if self.around.is_due(evidence) else _NOBODY
        if len(waiting):
            ranking.peak = float(ranking.scores_of(waiting).max())
        if ranking.peak > _HOPELESS:  # who waits for busy hosts is not lost
            waiting = _NOBODY
        elif busy and len(waiting):
            waiting = waiting[ranking.frontier.free_at(waiting, busy)]
        number = self.around.choose(evidence, waiting)
        if number != ABSENT:
            ranking.give_turn(number)

    def learn(self, visit: Visit) -> None:
        evidence, book = self.evidence, self.evidence.book
        number = book.number(visit.link.fingerprint)
        if book.fetched(number):
            return
        self.ranking.strike(number)
        if visit.response.refused:  # it was never asked for, and says nothing about others
            self.opinion.take_back(number)
            return
        if self._is_example(number):
            self.examples.add(number, self.opinion.row_of(number))
            self.opinion.take_back(number)
        paid = self._pay(visit.verdict)
        if not (visit.failed or visit.verdict.relevant):
            total, pages = self._lukewarm
            self._lukewarm = total + _relevance(visit.verdict), pages + 1
        talk = evidence.fetch(number, visit, paid)
        self._unheard += paid
        self.around.learn(paid)
        news = visit.verdict.relevant and _NEWSWORTHY * self._unheard >= evidence.paid
        told = None
        if news:
            told, self._unheard = np.unique(book.tell_neighbours()), 0.0
        if len(visit.page.links):
            self._take_in(visit, number, paid, talk, news=news)
        fitted = self.examples.count >= self._fit_at
        all_anew = fitted and self._fit()
        if told is not None and not all_anew:
            self._rescore(told)

    def correct(self, visit: Visit) -> None:
        """Another verdict on a page: what it told is told anew, and the weights are fitted soon.

        How relevant pages below the line usually are stays as it was.
        """
        book, paid = self.evidence.book, self._pay(visit.verdict)
        number = book.find(visit.link.fingerprint)
        if number == ABSENT or not book.fetched(number):
            self.learn(visit)
        elif paid != book.paid_by(number):
            self.around.correct(paid - book.paid_by(number))
            told = self.evidence.correct(number, visit, paid)
            count = self.examples.count
            if count >= _FEW:  # soon: who says much would have everything scored each time
                self._fit_at = min(self._fit_at, count + count // _CORRECTED)
            self._look_at = self.evidence.visits
            self._rescore(np.unique(told))

    def _pay(self, verdict: Verdict) -> float:
        """What a page pays: how relevant it is, as few judges are sure where the line is.

        Below the line that is by how much it is more than such pages usually are: what they have
        in common says nothing. In the units in which it is counted: sums are exact.
        """
        relevance = _relevance(verdict)
        if not verdict.relevant:
            total, pages = self._lukewarm
            relevance = max(0.0, relevance - total / pages)
        return round(ONE * relevance) / ONE

    def _take_in(self, visit: Visit, number: int, paid: float, talk: float, *, news: bool) -> None:
        """The links of a page: new ones wait, and if it is news others are scored anew."""
        book, ranking, links = self.evidence.book, self.ranking, visit.page.links
        known = book.size
        numbers = self.evidence.find(links, number, visit, paid, talk)
        ranking.make_room()
        if news:
            scored = ranking.are_waiting(numbers)
        else:  # links that were dropped are welcome again
            scored = (numbers >= known) | ranking.were_dropped(numbers)
        here = numbers[scored]
        if not len(here):
            return
        origin = Origin(visit.page.url, visit.link.depth + 1, visit.verdict.relevance)
        ranking.enter(links, numbers, here, self.opinion.score(here), origin, again=news)
        if self.foresees and known < book.size:
            self._foresee(number, paid, ranking.scores_of(np.arange(known, book.size)))

    def _foresee(self, number: int, paid: float, scores: Singles) -> None:
        """A page is worth the best trip over its new links, if they yield what they score."""
        yields = np.sort(_yields(scores))[::-1]
        trips = (paid + yields.cumsum()) / np.arange(2, len(yields) + 2)
        self.evidence.foresee(number, trips.max().item())

    # -- what links are worth --------------------------------------------------------------

    def promises(self, most: int) -> Singles:
        waiting = self.ranking.waiting()
        best = _yields(self.ranking.scores_of(self.ranking.best(waiting, most)))
        seeds = min(most, len(self) - len(waiting))  # that wait: of these nobody knows anything
        return np.append(best, np.full(seeds, np.nan, np.float32))

    def _look_again(self, most: int | None) -> None:
        """Score the best links anew, or all."""
        waiting = self.ranking.waiting()
        if most is not None:
            waiting = self.ranking.best(waiting, most)
        self.opinion.forget_rows()
        self.evidence.book.tell_neighbours()
        self._rescore(waiting)
        self.opinion.note_what_is_usual()
        self._look_at = self.evidence.visits + _LOOK

    def _rescore(self, numbers: Numbers) -> None:
        numbers = self.ranking.still_waiting(numbers)
        if len(numbers):
            self.ranking.change(numbers, self.opinion.score(numbers))

    # -- learning --------------------------------------------------------------------------

    def _is_example(self, number: int) -> bool:
        """Whether something is to be learned from where a link leads: not of a seed."""
        book = self.evidence.book
        return not book.is_sown(number) and not book.fetched(number)

    def _fit(self) -> bool:
        """Weights for all examples; returns whether all links were scored anew by them.

        Who is far behind does not come first by a few examples more.
        """
        self.opinion.learner.fit(*self.examples.both())
        count = self.examples.count
        self._fit_at = max(count + 1, int(count * _GROWTH))
        if all_anew := count >= self._all_at:
            self._all_at = int(count * _ALL_GROWTH)
        self._look_again(None if all_anew else max(_AT_LEAST, int(_BEST_SHARE * len(self))))
        return all_anew

    # -- receipts --------------------------------------------------------------------------

    def receipt(self, fingerprint: int) -> Receipt | None:
        book = self.evidence.book
        number = book.find(fingerprint)
        if number == ABSENT or not book.count_of(number, Count.SOURCES):
            return None
        chosen, score = self._chosen
        at = score if fingerprint == chosen else None
        return receipt_of(number, self.opinion, self.ranking, at)

    def name_of(self, clue: Clue, words: Mapping[int, str]) -> str:
        return name_of(clue, words)

    # -- from hunt to hunt -----------------------------------------------------------------

    def carried(self) -> State:
        return to_carry(
            self.evidence.topic, self.opinion.learner.weights.copy(), self.evidence.carried()
        )

    def carry(self, values: State) -> None:
        """Begin with the weights, and on the same topic with what words were worth, too."""
        if not _is_of(_VERSION, values):
            raise BadInput(
                "it was learned by another version of the wolf, and this one cannot take it up"
            )
        weights = np.array(values["weights"], np.float64)
        if weights.ndim != 1 or len(weights) < len(PRIOR) or not np.isfinite(weights).all():
            raise ValueError(f"weights of shape {weights.shape}")
        self.opinion.learner = self._learner(weights)
        before = Topic(tuple(values["keywords"]))
        if not before.keywords or self.evidence.topic.similarity(before.terms) >= _SAME_TOPIC:
            self.evidence.carry(values, self.trust)

    def _learner(self, weights: Floats) -> PriorLogistic:
        """One that begins with these weights; those that a trained wolf has more stay behind."""
        return PriorLogistic(weights[: len(PRIOR)], FIRMNESS)

    def drift(self) -> float | None:
        """Which share of the tokens of links met so far what was carried did not know."""
        return self.evidence.foreign

    # -- on disk ---------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.ranking)

    @property
    def frontier(self) -> Frontier:
        """Where its links wait, for who wants to look at them."""
        return self.ranking.frontier

    def state(self) -> State:
        return _OF_STATES | {
            "ranking": self.ranking.state(),
            "evidence": self.evidence.state(),
            "opinion": self.opinion.state(),
            "examples": self.examples.state(),
            "counters": [self._fit_at, self._look_at, self._all_at],
            "around": self.around.state(),
            "chose": self._chose,
            "paid": [self._unheard, *self._lukewarm],
        }

    def restore(self, state: State) -> None:
        if not _is_of(_OF_STATES, state):
            raise ValueError("a state of another version of the wolf")
        self.evidence.restore(state["evidence"])
        self.ranking.restore(state["ranking"])
        self.opinion.restore(state["opinion"])
        self.examples.restore(state["examples"])
        self._fit_at, self._look_at, self._all_at = map(int, state["counters"])
        self.around.restore(state["around"])
        self._chose = bool(state["chose"])
        self._unheard, total, pages = state["paid"]
        self._lukewarm = total, pages


def to_carry(topic: Topic, weights: Floats, evidence: State) -> State:
    """What another wolf may begin with, as `Wolf.carry` takes it."""
    return _VERSION | {"keywords": list(topic.keywords), "weights": weights, **evidence}


def _is_of(version: State, state: State) -> bool:
    return all(state.get(name) == value for name, value in version.items())


def _yields(scores: Singles) -> Singles:
    """The shares that scores, which are log-odds, stand for."""
    shares: Singles = 1 / (1 + np.exp(-scores.clip(-_CERTAIN, _CERTAIN)))
    return shares


def _relevance(verdict: Verdict) -> float:
    return min(1.0, max(0.0, verdict.relevance))
