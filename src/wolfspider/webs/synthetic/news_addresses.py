"""Where the pages of a news site stand. Its host ends in `.example`, which nobody can own."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from wolfspider.webs.synthetic.news import DAY, NewsSite
from wolfspider.webs.synthetic.news_plan import TOPICS, Plan
from wolfspider.webs.synthetic.words import coin, reserved

STATIC = ("about", "help", "contact", "terms", "feeds")


def origin(site: NewsSite) -> str:
    return f"https://www.{coin(site.rng('host'), 1, reserved())[0]}-news.example"


def moment(at: float) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(at, datetime.UTC)


@dataclass(frozen=True, slots=True, eq=False)
class NewsAddresses:
    """All addresses, without the origin; every third section has dates in those of its articles."""

    site: NewsSite
    plan: Plan
    names: tuple[str, ...]  # of the sections
    topics: list[str]  # names of the topics
    slugs: list[str]  # words of each article

    def article(self, number: int) -> str:
        section = int(self.plan.section[number])
        name, slug = self.names[section], self.slugs[number]
        if section % 3 == 0 and self.plan.tells[number]:
            day = moment(int(self.plan.published[number]))
            return f"/{name}/{day:%Y/%m/%d}/{slug}-{number}.html"
        return (
            f"/{name}/article/{number}-{slug}/" if section % 3 == 1 else f"/{name}/{slug}.{number}"
        )

    def section(self, section: int) -> str:
        return f"/{self.names[section]}/"

    def calendar(self, section: int) -> str:
        return f"/{self.names[section]}/archive/"

    def archive(self, section: int, day: int) -> str:
        """Of one day, in days since 1970."""
        return f"/{self.names[section]}/archive/{moment(day * DAY):%Y-%m-%d}.html"

    def topic(self, topic: int) -> str:
        return f"/topics/{self.names[topic // TOPICS]}/{self.topics[topic]}/"

    def feed(self, section: int) -> str:
        return f"/feeds/{self.names[section]}.{'atom' if section % 2 else 'rss'}"

    def static(self, name: str) -> str:
        return f"/{name}.html"

    @property
    def sitemap(self) -> str:
        return "/news-sitemap.xml"
