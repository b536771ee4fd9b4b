"""A generated news site that changes with time, as captures in the order of time.

    NewsSite → Plan (who, when, to whom) → NewsProse (words) → pages and feeds → Captures

It has what a crawler for news meets: fronts that roll over, stories whose articles link to each
other, popular articles, updates, articles that vanish, feeds and a news sitemap, and dates in
several forms, some of which are missing or wrong.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.webs.importers.captures import Capture

DAY = 86400
BACKLOG = 1  # days before the start whose articles are there already


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsSite:
    """The parameters of a news site. Equal ones give equal bytes, given the same NumPy.

    >>> site = NewsSite(days=1, articles_per_day=20, sections=2)
    >>> first = next(site.captures())
    >>> first.status, first.labels
    (200, ('static',))
    """

    days: int = 10
    articles_per_day: int = 300  # on an average day; workdays have more
    sections: int = 12
    seed: int = 0
    start: datetime.date = datetime.date(2026, 1, 5)  # midnight, UTC; a Monday
    every: int = 10  # minutes between two captures of a front, at least
    listed: int = 30  # articles on a front
    words: int = 160  # median length of an article
    attachment: float = 0.64  # P(a link copies an earlier one): in-degree exponent 1 + 1/attachment
    related: float = 0.65  # P(an article goes on with a story)
    updates: float = 0.24  # P(each of five possible updates of an article)
    vanishing: float = 0.04  # share of articles that are gone after some days
    undated: float = 0.03  # share of articles without any date
    misdated: float = 0.03  # share of articles that lie about it

    def __post_init__(self) -> None:
        self._check_sizes()
        for name in ("related", "updates", "vanishing", "undated", "misdated"):
            _within(name, getattr(self, name), 0.0, 1.0)
        _within("attachment", self.attachment, 0.0, 0.95)
        if self.seed < 0:
            raise BadInput(f"the random seed is {self.seed}; it must be 0 or more")

    @property
    def begin(self) -> int:
        """When the recording begins, in seconds since 1970."""
        midnight = datetime.datetime.combine(self.start, datetime.time(), datetime.UTC)
        return int(midnight.timestamp())

    @property
    def end(self) -> int:
        return self.begin + self.days * DAY

    def rng(self, part: str) -> np.random.Generator:
        """A generator for one part of the work, so that parts do not disturb each other."""
        return np.random.default_rng([self.seed, *part.encode()])

    def captures(self) -> Iterator[Capture]:
        """All answers in the order of time, from `begin` to `end`.

        What is there at the beginning comes first. A page is captured when it has changed; those
        of fronts and lists wait for the next round, so they are at most `every` minutes late
        (archives, topics and feeds at most six times as much).
        """
        # Here, since these modules know this one.
        from wolfspider.webs.synthetic.news_rounds import Rounds

        return Rounds(self).captures()

    def robots(self) -> Capture:
        """The robots.txt, which is no page and so not among `captures`; it names the sitemap."""
        from wolfspider.webs.synthetic.news_rounds import Rounds

        return Rounds(self).robots()

    @property
    def front(self) -> str:
        """The address of the front page."""
        from wolfspider.webs.synthetic.news_addresses import origin

        return origin(self) + "/"

    def _check_sizes(self) -> None:
        _within("days", self.days, 1, 366)
        _within("the number of articles a day", self.articles_per_day, 1, 100_000)
        _within("the number of sections", self.sections, 1, 100)
        _within("the number of minutes between captures", self.every, 1, 240)
        _within("listed", self.listed, 5, 1000)
        _within("words", self.words, 20, 20_000)
        if self.articles_per_day * self.days > 1_000_000:
            raise BadInput(
                f"{self.articles_per_day:,} articles a day for {self.days} days are more than a "
                "million; give fewer articles or days"
            )
        if not 1971 <= self.start.year <= 9990:
            raise BadInput(f"the site starts in {self.start.year}; give a year from 1971 to 9990")


def _within(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:  # also turns nan away
        raise BadInput(f"{name} is {value}; it must lie between {low} and {high}")
