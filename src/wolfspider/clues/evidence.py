"""Everything a hunt has seen that says something about a link, as a row of numbers for each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.clues.book import (
    FAR,
    LIKENESS,
    MEANING,
    Book,
    Bytes,
    Count,
    Numbers,
    Said,
    in_bytes,
)
from wolfspider.clues.rates import Rates, Singles
from wolfspider.clues.tokens import (
    BY_ROOT,
    IN_MEAN,
    KINDS,
    MARKS,
    Tokens,
    grown,
    hashed,
    tokens_of,
)
from wolfspider.fingerprint_map import ABSENT
from wolfspider.records import BAGS, NO_TERMS, Floats, Links, Rows, State, Visit
from wolfspider.text import term_ids
from wolfspider.topics import Topic
from wolfspider.vectors.meaning import Meaning

FEATURES = (
    "bias",
    *(said.name.lower() for said in Said),
    *("sources_paid", "alike_worth", "beside_paid"),
    *("some_paid", "talk", "sources"),
    *(f"rate_{kind}" for kind in KINDS),
    *(f"talk_{bag}" for bag in BAGS),
)
AT = {name: place for place, name in enumerate(FEATURES)}

_SAID = slice(1, 1 + len(Said))
_BEARINGS = slice(Said.SAME_HOST, Said.NEAR)
_LIFTS = slice(AT["sources_paid"], AT["beside_paid"] + 1)
_WORDS = slice(AT["rate_anchor"], AT["rate_path"])
_MARKS = slice(AT["rate_path"], AT["rate_path"] + len(MARKS))
_TALKS = slice(AT["talk_anchor"], AT["talk_anchor"] + len(BAGS))
HEARD = ("anchor", "context")  # bags of further links to a page that may be heard
_HEARD = slice(AT["rate_anchor"], AT["rate_anchor"] + len(HEARD))
_IN_LIFT = 16  # parts of a lift in which what they paid is kept
_FARTHEST = 6.0  # distances to the last relevant page beyond are one
_HELD_BACK = np.array([2.0, 2.0, 1.0], np.float32)  # trials that count as many as the base rate,
_PAY = 0.03  # or as many as it takes to expect so much to be paid by links near,
_TOKEN_PAY, _WORD_PAY = 0.1, 0.3  # by those with a token, or by pages with a word
_AGAIN = 3  # so many links to a page that was fetched before are examples, too, or may be heard
_LED_BY = 6  # anchor words
_USUAL, _LINKS = 0.05, 10.0  # the rate at which links pay counts as so many visits
_SURE, _PAGES = 0.5, 2.0  # and that of pages as half of two
_ENOUGH = 1000  # tokens, before it can be told how many are foreign


class Evidence:
    """What was seen so far; `rows` says what it means for links."""

    def __init__(self, topic: Topic, held_back: float) -> None:
        self.topic = topic
        self.book = Book()
        # Of the tokens of links by the value of where they led, of the words of pages by their own.
        self.rates = Rates(held_back, _TOKEN_PAY)
        self.speech = Rates(1.5 * held_back, _WORD_PAY)
        self.meaning = Meaning(topic)
        self.visits = 0
        self.paid = 0.0
        self._usual = _USUAL  # rate before anything was seen
        self._met = np.zeros(2)  # tokens of new links, and those of them that were known
        self._carried = False
        self.hears_again = False  # whether words of further links to a page count
        self._heard = np.zeros((0, len(HEARD)), np.uint8)  # of links by number

    @property
    def base(self) -> float:
        """How often a link pays."""
        return (self.paid + _LINKS * self._usual) / (self.visits + _LINKS)

    @property
    def page_base(self) -> float:
        """How often a page is relevant: sooner what was seen here than for links."""
        return (self.paid + _SURE) / (self.visits + _PAGES)

    @property
    def foreign(self) -> float | None:
        """Which share of the tokens of links was not known from before; None: nothing was."""
        if not self._carried or self._met[0] < _ENOUGH:
            return None
        return float(1 - self._met[1] / self._met[0])

    def sow(self, fingerprint: int) -> int:
        """A seed, a link of which no page said anything; returns its number."""
        number = self.book.number(fingerprint)
        for what in Said:
            self.book.say(number, what, -_FARTHEST if what == Said.NEAR else 0.0)
        return number

    # -- learning --------------------------------------------------------------------------

    def fetch(self, number: int, visit: Visit, paid: float) -> float:
        """A page came; returns how much it talks as relevant pages do."""
        book = self.book
        self.rates.learn(book.tokens.get_one(number).own(), paid)
        self.visits += 1
        self.paid += paid
        for parent, more in book.fetch(number, paid):
            self.rates.correct(book.tokens.get_one(parent).own(), more)
        return self._hear(visit, paid)

    def foresee(self, number: int, value: float) -> None:
        """A page that was fetched is worth so much, if not more: its tokens are told."""
        more = self.book.foresee(number, value)
        if more > 0:
            self.rates.correct(self.book.tokens.get_one(number).own(), more)

    def _hear(self, visit: Visit, paid: float) -> float:
        words = visit.page.terms
        if not len(words.ids):
            return 0.0
        tokens, talk = hashed(words.ids), 0.0
        if self.visits > 1:
            weights = np.log1p(words.counts)
            lifts = self.speech.lift(tokens, self.page_base)
            talk = float(lifts.dot(weights)) / float(np.add.reduce(weights))
        self.speech.learn(tokens, paid)
        return talk

    def correct(self, number: int, visit: Visit, paid: float) -> Numbers:
        """Another verdict on a page that was fetched; returns the links that were told.

        What stays as it was: trials of links that were found after the page was fetched, and how
        far from a relevant page links farther on are. Links on a page that is no longer relevant
        count as far from one, unless their other pages together paid as much as a relevant one.
        """
        book, links = self.book, visit.page.links
        more = paid - book.paid_by(number)
        self.paid += more
        for each, change in book.correct(number, paid):
            self.rates.correct(book.tokens.get_one(each).own(), change)
        self.speech.correct(hashed(visit.page.terms.ids), more)
        told = book.tell_neighbours()
        numbers = book.numbers(links.fingerprints)
        numbers = numbers[numbers != ABSENT]
        numbers = numbers[book.page[numbers] == 0]
        book.correct_links(numbers, more, self._nearness(number, visit))
        return np.concatenate([told, numbers])

    def find(self, links: Links, source: int, visit: Visit, paid: float, talk: float) -> Numbers:
        """The links of a page that was fetched; returns their numbers."""
        book, url = self.book, visit.page.url
        numbers, new = book.enter(links.fingerprints, source)
        came = book.page.take(numbers) > 0
        waiting, fetched = (~came).nonzero()[0], came.nonzero()[0]
        again = fetched.take(book.find_again(numbers.take(fetched), _AGAIN))
        if len(new) or len(again):
            led_by = book.tokens.get_one(source).anchor()[:_LED_BY]
            both = tokens_of(links, np.concatenate([new, again]), url, led_by)
            first, more = both.split(len(new))
            if len(again):
                self.rates.learn(more.own(), more.for_each(book.values(numbers.take(again))))
        if self.hears_again:
            self._hear_again(links, np.setdiff1d(waiting, new, assume_unique=True), numbers, url)
        if len(waiting):
            said = self._say(links, waiting, source, visit)
            if len(new):
                book.tokens.put(numbers.item(new.item(0)), first)
                rows = waiting.searchsorted(new)
                said[rows, MEANING] = in_bytes(self._means(first), MEANING)
                said[rows, _BEARINGS] = in_bytes(_bearings(links, new, url), _BEARINGS)
                if self._carried:
                    known = self.rates.known(first.own())
                    self._met += np.array([len(known), np.count_nonzero(known)])
            book.tell_links(numbers, waiting, said, links.paths, paid, talk)
        return numbers

    def _hear_again(self, links: Links, rows: Rows, numbers: Numbers, source: str) -> None:
        """Words of further links to a page count if they paid; of several the most does.

        That is what they paid by now, because words take more room than numbers. So it is for who
        knows from elsewhere what words are worth: what the first few finds say of them soon passes.
        """
        rows = rows[self.book.counts(numbers.take(rows))[:, Count.SOURCES] < _AGAIN]
        if not len(rows):
            return
        tokens = tokens_of(links, rows, source, NO_TERMS.ids)
        rates = self.rates.lift(tokens.own()[: len(tokens.words)], self.base)
        (said,) = tokens.pooled((rates, BY_ROOT))
        heard = np.rint(said[:, : len(HEARD)] * _IN_LIFT).clip(0, 255).astype(np.uint8)
        told = numbers.take(rows)
        self._heard = grown(self._heard, self.book.size)
        self._heard[told] = np.maximum(self._heard[told], heard)

    def heard(self, numbers: Numbers) -> Singles:
        """The most that words of further links to pages paid: links × `HEARD`; −∞ is nothing."""
        heard = np.full((len(numbers), len(HEARD)), -np.inf, np.float32)
        met = (numbers < len(self._heard)).nonzero()[0]
        levels = self._heard.take(numbers.take(met), axis=0)
        heard[met] = np.where(levels > 0, levels / np.float32(_IN_LIFT), -np.inf)
        return heard

    def _say(self, links: Links, rows: Rows, source: int, visit: Visit) -> Bytes:
        """What a page says about some of its links."""
        topic, page, own = self.topic, visit.page, partial(self.book.said_of, source)
        all_alike = [0.0] * len(Said)
        all_alike[Said.PAGE] = topic.similarity(page.terms)
        all_alike[Said.LED_BY] = max(0.0, own(Said.ANCHOR))
        all_alike[Said.SOURCE_URL] = max(0.0, own(Said.URL))
        if all_alike[Said.PAGE]:  # whose words are also those of its title
            all_alike[Said.TITLE] = topic.similarity_of(term_ids(page.title))
        all_alike[Said.NEAR] = self._nearness(source, visit)
        all_alike[Said.SHALLOW] = max(own(Said.SHALLOW) - 1, -FAR)
        all_alike[Said.ALONE] = -log1p(len(links))
        said = np.empty((len(rows), len(Said)), np.int8)
        said[:] = in_bytes(np.array(all_alike))
        likeness = topic.similarities_of(links)
        if likeness is not None:
            said[:, LIKENESS] = in_bytes(likeness.take(rows, axis=0), LIKENESS)
        return said

    def _nearness(self, source: int, visit: Visit) -> float:
        """How far the last relevant page is from the links of a page, as a number below 0."""
        if visit.verdict.relevant:
            return 0.0
        return max(self.book.said_of(source, Said.NEAR) - 1, -_FARTHEST)

    def _means(self, found: Tokens) -> Floats:
        """How near in meaning the words of links are, bag by bag."""
        cosines = self.meaning.of_bags(found.ids(), found.counts.ravel())
        return cosines.reshape(found.counts.shape)[:, : len(BAGS)]

    # -- what it means ---------------------------------------------------------------------

    def rows(self, numbers: Numbers) -> Singles:
        """A row of `FEATURES` for each link."""
        book, base = self.book, self.base
        rows = np.empty((len(numbers), len(FEATURES)), np.float32)
        rows[:, 0] = 1.0
        rows[:, _SAID] = book.said(numbers)
        counts = book.counts(numbers)
        paid, seen = counts[:, : Count.SOURCES], counts[:, Count.SOURCES :]
        held_back = np.maximum(_HELD_BACK, _PAY / base)
        rows[:, _LIFTS] = np.log((paid / base + held_back) / (seen + held_back))
        sources = counts[:, Count.SOURCES]
        rows[:, AT["some_paid"]] = rows[:, AT["near"]] == 0
        rows[:, AT["talk"]] = book.talk(numbers) / np.maximum(sources, 1)
        rows[:, AT["sources"]] = np.log1p(sources)
        tokens = book.tokens.get(numbers)
        rates, words = self.rates.lift(tokens.own(), base), len(tokens.words)
        speech = self.speech.lift(tokens.spoken(), self.page_base)
        rows[:, _WORDS], talks = tokens.pooled((rates[:words], BY_ROOT), (speech, IN_MEAN))
        if self.hears_again:
            rows[:, _HEARD] = np.maximum(rows[:, _HEARD], self.heard(numbers))
        rows[:, _MARKS] = rates[words:].reshape(-1, len(MARKS))
        rows[:, _TALKS] = talks[:, : len(BAGS)]
        return rows

    # -- on disk ---------------------------------------------------------------------------

    def state(self) -> State:
        return {
            "book": self.book.state(),
            "rates": self.rates.state(),
            "speech": self.speech.state(),
            "visits": self.visits,
            "paid": self.paid,
            "usual": self._usual,
            "met": self._met.tolist(),
            "carried": self._carried,
            "heard": self._heard[: self.book.size].copy(),
        }

    def restore(self, state: State) -> None:
        self.book.restore(state["book"])
        self.rates.restore(state["rates"])
        self.speech.restore(state["speech"])
        self.visits, self.paid = int(state["visits"]), float(state["paid"])
        self._usual, self._met = float(state["usual"]), np.array(state["met"])
        self._carried = bool(state["carried"])
        self._heard = np.array(state.get("heard", self._heard), np.uint8).reshape(-1, len(HEARD))

    def carried(self) -> State:
        """What another hunt for the same may begin with."""
        return {
            "rates": self.rates.told(self.base),
            "speech": self.speech.told(self.base),
            "visits": self.visits,
            "paid": self.paid,
            "usual": self.base,
        }

    def carry(self, values: State, trust: float) -> None:
        """Begin with it; no token counts for more than so many trials."""
        self._usual = float(values["usual"])
        if not 0 < self._usual <= 1:
            raise ValueError(f"a rate of {self._usual}")
        self.rates.carry(values["rates"], self._usual, trust)
        self.speech.carry(values["speech"], self._usual, trust)
        self._carried = True


def together(carried: Sequence[State]) -> State:
    """What several hunts may give to another one, as if it were of one.

    What trials paid counts in base rates of their own hunt, so that sites with few targets have
    their say, too.
    """
    whole = {name: sum(float(each[name]) for each in carried) for name in ("visits", "paid")}
    usual = (whole["paid"] + _LINKS * _USUAL) / (whole["visits"] + _LINKS)
    scales = [usual / float(each["usual"]) for each in carried]
    of_tokens = {
        name: _summed([each[name] for each in carried], scales) for name in ("rates", "speech")
    }
    return of_tokens | whole | {"usual": usual}


def _summed(told: Sequence[State], scales: Sequence[float]) -> State:
    tokens, rows = np.unique(np.concatenate([each["tokens"] for each in told]), return_inverse=True)
    seen = np.concatenate([each["seen"] for each in told])
    paid = np.concatenate([each["paid"] * scale for each, scale in zip(told, scales, strict=True)])
    return {
        "tokens": tokens.astype(np.uint32),
        "seen": np.bincount(rows, seen).astype(np.float32),
        "paid": np.bincount(rows, paid).astype(np.float32),
    }


def _bearings(links: Links, rows: Rows, source: str) -> NDArray[Any]:
    """Whether each link leads to the host, to the folder of its page, or to one above."""
    url = source.encode()
    host = b"/".join(url.split(b"/", 3)[:3]) + b"/"
    folder = url.rpartition(b"/")[0]
    bearings = np.zeros((len(rows), 3))
    for row, text in enumerate(links.texts(rows)):
        if text.startswith(host):
            own = text.partition(b"\n")[0].rpartition(b"/")[0]
            bearings[row] = 1, own == folder, folder.startswith(own + b"/")
    return bearings
