"""Everything a hunt has seen that says something about a link, as a row of numbers for each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.clues.book import FAR, Book, Count, Numbers, Said
from wolfspider.clues.meaning import Meaning
from wolfspider.clues.rates import Rates
from wolfspider.clues.tokens import KINDS, Tokens, hashed, tokens_of
from wolfspider.fingerprint_map import ABSENT
from wolfspider.records import BAGS, Floats, Links, Rows, State, TermIds, Visit
from wolfspider.text import terms
from wolfspider.topics import Topic

FEATURES = (
    "bias",
    *(said.name.lower() for said in Said),
    *("sources_paid", "alike_paid", "beside_paid"),
    *("some_paid", "talk", "sources"),
    *(f"rate_{kind}" for kind in KINDS),
    *(f"talk_{bag}" for bag in BAGS),
)
AT = {name: place for place, name in enumerate(FEATURES)}

_SAID = slice(1, 1 + len(Said))
_LIFTS = slice(AT["sources_paid"], AT["beside_paid"] + 1)
_RATES = slice(AT["rate_anchor"], AT["rate_anchor"] + len(KINDS))
_TALKS = slice(AT["talk_anchor"], AT["talk_anchor"] + len(BAGS))
_FARTHEST = 6.0  # distances to the last relevant page beyond are one
_HELD_BACK = np.array([2.0, 2.0, 1.0])  # trials that count as many as the base rate
_AGAIN = 3  # so many links to a page that was fetched before are examples, too
_LED_BY = 6  # anchor words
_SURE = 0.5  # added to what paid, and so many times more to all, for the base rates
_PAGES, _LINKS = 2.0, 10.0


class Evidence:
    """What was seen so far; `rows` says what it means for links."""

    def __init__(self, topic: Topic, held_back: float, held_words: float) -> None:
        self.topic = topic
        self.book = Book()
        self.rates = Rates(held_back)  # of the tokens of links, by the value of where they led
        self.speech = Rates(held_words)  # of the words of pages, by whether they were relevant
        self.meaning = Meaning(topic)
        self.visits = 0
        self.paid = 0.0

    @property
    def base(self) -> float:
        """How often a link pays."""
        return (self.paid + _SURE) / (self.visits + _LINKS)

    @property
    def page_base(self) -> float:
        return (self.paid + _SURE) / (self.visits + _PAGES)

    # -- learning --------------------------------------------------------------------------

    def fetch(self, number: int, visit: Visit, paid: float) -> tuple[Numbers, float]:
        """A page came. Returns which links were told, and how much it talks as relevant ones do."""
        book = self.book
        self.rates.learn(book.tokens.get_one(number).hashes(), paid)
        self.visits += 1
        self.paid += paid
        for parent, more in book.fetch(number, paid):
            self.rates.correct(book.tokens.get_one(parent).hashes(), more)
        told = book.tell_neighbours(number, paid)
        return told, self._hear(visit, paid)

    def _hear(self, visit: Visit, paid: float) -> float:
        words = visit.page.terms
        if not len(words.ids):
            return 0.0
        tokens, talk = hashed(words.ids, 0), 0.0
        if self.visits > 1:
            weights = np.log1p(words.counts)
            talk = float(self.speech.lift(tokens, self.page_base) @ weights / weights.sum())
        self.speech.learn(tokens, paid)
        return talk

    def find(self, links: Links, source: int, visit: Visit, paid: float, talk: float) -> Numbers:
        """The links of a page that was fetched; returns their numbers."""
        book, fingerprints = self.book, links.fingerprints
        numbers = book.numbers(fingerprints)
        known = book.page[numbers] * (numbers != ABSENT)
        new = np.flatnonzero(numbers == ABSENT)
        led_by = self._led_by(source)
        said = np.zeros((len(links), len(Said)))
        if len(new):
            first = book.add(fingerprints[new])
            numbers[new] = np.arange(first, book.size)
            book.parent[first : book.size] = source
            found = tokens_of(links, new, visit.page.url, led_by)
            book.tokens.put(first, found)
            said[new, Said.MEANS_ANCHOR : Said.MEANS_PAGE] = self._means(found)
            said[new, Said.SAME_HOST : Said.NEAR] = _bearings(links, new, visit.page.url)
        again = np.flatnonzero((known > 0) & (book.counts[numbers, Count.SOURCES] < _AGAIN))
        if len(again):
            found = tokens_of(links, again, visit.page.url, led_by)
            totals = found.counts.sum(axis=1, dtype=np.int64)
            self.rates.learn(found.hashes(), np.repeat(book.value[known[again]], totals))
        self._say(said, links, source, visit, paid)
        book.tell_links(numbers, said, links.paths, paid, talk)
        return numbers

    def _say(
        self, said: Floats, links: Links, source: int, visit: Visit, paid: float
    ) -> None:
        """What a page says about all its links."""
        topic, page = self.topic, visit.page
        own = self.book.said[source]
        said[:, Said.ANCHOR : Said.PAGE] = topic.similarities_of(links)
        said[:, Said.PAGE] = topic.similarity(page.terms)
        said[:, Said.LED_BY] = max(0.0, own.item(Said.ANCHOR))
        said[:, Said.SOURCE_URL] = max(0.0, own.item(Said.URL))
        said[:, Said.TITLE] = topic.similarity(terms(page.title))
        said[:, Said.MEANS_PAGE] = self.meaning.of_page(page.terms)
        said[:, Said.NEAR] = 0.0 if paid else max(own.item(Said.NEAR) - 1, -_FARTHEST)
        said[:, Said.SHALLOW] = max(own.item(Said.SHALLOW) - 1, -FAR)
        said[:, Said.ALONE] = -np.log1p(len(links))

    def _means(self, found: Tokens) -> Floats:
        """How near in meaning the words of links are, bag by bag."""
        bags = found.counts[:, : len(BAGS)]
        words = found.ids[found.kinds() < len(BAGS)]
        return self.meaning.of_bags(words, bags.ravel()).reshape(bags.shape)

    def _led_by(self, number: int) -> TermIds:
        """The first anchor words of a link."""
        tokens = self.book.tokens.get_one(number)
        return tokens.ids[: min(_LED_BY, tokens.counts.item(0, 0))]

    # -- what it means ---------------------------------------------------------------------

    def rows(self, numbers: Numbers) -> Floats:
        """A row of `FEATURES` for each link."""
        counts = self.book.counts[numbers].astype(np.float32)
        base, sources = self.base, counts[:, Count.SOURCES]
        rows = np.empty((len(numbers), len(FEATURES)))
        rows[:, 0] = 1.0
        rows[:, _SAID] = self.book.said[numbers]
        paid, seen = counts[:, : Count.SOURCES], counts[:, Count.SOURCES : Count.TALK]
        rows[:, _LIFTS] = np.log((paid / base + _HELD_BACK) / (seen + _HELD_BACK))
        rows[:, AT["some_paid"]] = counts[:, Count.PAID] > 0
        rows[:, AT["talk"]] = counts[:, Count.TALK] / np.maximum(sources, 1)
        rows[:, AT["sources"]] = np.log1p(sources)
        tokens = self.book.tokens.get(numbers)
        rates = self.rates.lift(tokens.hashes(), base)
        speech = self.speech.lift(hashed(tokens.ids, 0), self.page_base)
        by_rate, by_speech = tokens.means(rates, speech)
        rows[:, _RATES] = by_rate
        rows[:, _TALKS] = by_speech[:, : len(BAGS)]
        return rows

    # -- on disk ---------------------------------------------------------------------------

    def state(self) -> State:
        return {
            "book": self.book.state(),
            "rates": self.rates.state(),
            "speech": self.speech.state(),
            "visits": self.visits,
            "paid": self.paid,
        }

    def restore(self, state: State) -> None:
        self.book.restore(state["book"])
        self.rates.restore(state["rates"])
        self.speech.restore(state["speech"])
        self.visits, self.paid = int(state["visits"]), float(state["paid"])


def _bearings(links: Links, rows: Rows, source: str) -> NDArray[Any]:
    """Whether each link leads to the host, to the folder of its page, or to one above."""
    url = source.encode()
    host = b"/".join(url.split(b"/", 3)[:3]) + b"/"
    folder = url.rpartition(b"/")[0]
    bearings = np.zeros((len(rows), 3))
    for row, text in enumerate(links.texts(rows)):
        if text.startswith(host):
            own = text.partition(b"\n")[0].rpartition(b"/")[0]
            bearings[row] = 1, own == folder, len(own) < len(folder) and folder.startswith(own)
    return bearings
