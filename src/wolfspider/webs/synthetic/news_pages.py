"""The pages of a news site as HTML."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from html import escape

from wolfspider.webs.synthetic.html import PARAGRAPH
from wolfspider.webs.synthetic.news import DAY
from wolfspider.webs.synthetic.news_addresses import STATIC, NewsAddresses, moment
from wolfspider.webs.synthetic.news_plan import JSON_LD, META, TOPICS, VISIBLE, Plan
from wolfspider.webs.synthetic.news_prose import NewsProse, sentence

SIBLINGS = 4  # other articles of its story that an article names, at most
SHORT = "%d %b %Y, %H:%M"
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
{head}</head>
<body>
{body}{footer}</body>
</html>
"""
_MENU = '<nav class="menu"><ul>\n{}</ul></nav>\n'
_CRUMBS = '<nav class="crumbs"><ol>\n{}</ol></nav>\n'
_LIST = '<ul class="{}">\n{}</ul>\n'


class NewsPages:
    """Renders pages; what is listed on them is for the caller to say."""

    def __init__(self, plan: Plan, prose: NewsProse, addresses: NewsAddresses, name: str) -> None:
        self.plan = plan
        self.prose = prose
        self.addresses = addresses
        self.name = name  # of the site
        static = _items((addresses.static(each), each) for each in STATIC)
        self._footer = f"<footer><ul>\n{static}</ul></footer>\n"
        sections = [(addresses.section(at), each) for at, each in enumerate(addresses.names)]
        self._menu = _MENU.format(_items([("/", "home"), *sections]))
        self._teaser = lru_cache(maxsize=1 << 13)(self._make_teaser)
        self._line = lru_cache(maxsize=1 << 15)(self._make_line)

    # -- articles --------------------------------------------------------------------------

    def article(self, number: int, version: int, at: float) -> str:
        """A version of an article; `at` decides which others of its story it knows of."""
        section, title = int(self.plan.section[number]), self.prose.titles[number]
        where = [("/", "home"), (self.addresses.section(section), self.addresses.names[section])]
        more = [
            (self.addresses.topic(topic), self.addresses.topics[topic])
            for topic in self.plan.topics[number]
        ]
        more.append((self.addresses.calendar(section), "archive"))
        body = [
            _CRUMBS.format(_items(where)),
            f"<main><article>\n<h1>{title}</h1>\n{self._byline(number, version)}",
            f'<p class="lead">{self.prose.lead(number, version)}</p>\n',
            self._text(number),
            "</article></main>\n",
            self._siblings(number, at),
            f'<aside class="topics">{_LIST.format("more", _items(more))}</aside>\n',
        ]
        return self._page(title, "".join(body), self._meta(number, version), footer="")

    def siblings(self, number: int, at: float) -> list[int]:
        """The latest others of an article's story that were there at a moment, and its first."""
        there = [
            other
            for other in self.plan.members[int(self.plan.story[number])]
            if other != number and self.plan.published[other] <= at < self.plan.gone[other]
        ]
        return there if len(there) <= SIBLINGS else [there[0], *there[1 - SIBLINGS :]]

    def _siblings(self, number: int, at: float) -> str:
        found = [self._anchor(other) for other in self.siblings(number, at)]
        if not found:
            return ""
        items = "".join(f"<li>{each}</li>\n" for each in found)
        return (
            f'<aside class="story"><h3>In this story</h3>{_LIST.format("story", items)}</aside>\n'
        )

    def _text(self, number: int) -> str:
        """Paragraphs, with the links spread evenly over them."""
        mixed, links = self.prose.body(number), self.plan.links[number]
        around, length = self.prose.around(number, len(links)), len(mixed)
        for turn in reversed(range(len(links))):
            words = [*around[turn][:3], self._anchor(links[turn]), *around[turn][3:]]
            mixed.insert((turn + 1) * length // (len(links) + 1), sentence(words))
        parts = (" ".join(mixed[at : at + PARAGRAPH]) for at in range(0, len(mixed), PARAGRAPH))
        return "".join(f"<p>{part}</p>\n" for part in parts)

    def _anchor(self, number: int) -> str:
        return f'<a href="{self.addresses.article(number)}">{self.prose.titles[number]}</a>'

    def _stated(self, number: int, version: int) -> tuple[int, int]:
        """When an article says that it appeared and changed."""
        shift = int(self.plan.shift[number])
        modified = self.plan.modified(number, version)
        return int(self.plan.published[number]) + shift, modified + shift

    def _byline(self, number: int, version: int) -> str:
        if not self.plan.tells[number] & VISIBLE:
            return ""
        published, modified = self._stated(number, version)
        updated = f", updated {_time(modified)}" if version else ""
        return f'<p class="byline">Published {_time(published)}{updated}</p>\n'

    def _meta(self, number: int, version: int) -> str:
        """What an article tells programs about its date."""
        published, modified = (moment(at).isoformat() for at in self._stated(number, version))
        tells, head = int(self.plan.tells[number]), ""
        if tells & META:
            head += f'<meta property="article:published_time" content="{published}">\n'
            head += f'<meta property="article:modified_time" content="{modified}">\n'
        if tells & JSON_LD:
            about = {
                "@context": "https://schema.org",
                "@type": "NewsArticle",
                "headline": self.prose.titles[number],
                "datePublished": published,
                "dateModified": modified,
            }
            head += f'<script type="application/ld+json">{json.dumps(about)}</script>\n'
        return head

    # -- lists -----------------------------------------------------------------------------

    def front(self, articles: Iterable[tuple[int, int]]) -> str:
        """The front page; articles come with their versions."""
        listed = "".join(self._teaser(*each) for each in articles)
        body = f"{self._menu}<main><h1>{self.name}</h1>\n{_LIST.format('top', listed)}</main>\n"
        return self._page("", body)

    def section(
        self, section: int, articles: Iterable[tuple[int, int]], days: Sequence[int]
    ) -> str:
        """The front of a section, with its topics and the archives of some days."""
        where, name = self.addresses, self.addresses.names[section]
        topics = range(section * TOPICS, (section + 1) * TOPICS)
        more = [(where.topic(topic), where.topics[topic]) for topic in topics]
        more += [(where.archive(section, day), f"{moment(day * DAY):%d %B}") for day in days]
        more += [(where.calendar(section), "archive"), (where.feed(section), "feed")]
        listed = "".join(self._teaser(*each) for each in articles)
        title = name.capitalize()
        body = (
            f"{self._menu}<main><h1>{title}</h1>\n{_LIST.format('top', listed)}</main>\n"
            f'<aside class="topics">{_LIST.format("more", _items(more))}</aside>\n'
        )
        kind = "atom" if section % 2 else "rss"
        head = (
            f'<link rel="alternate" type="application/{kind}+xml" href="{where.feed(section)}">\n'
        )
        return self._page(title, body, head)

    def archive(self, section: int, day: int, articles: Iterable[int]) -> str:
        """All articles of a section that appeared on a day."""
        title = f"{self.addresses.names[section].capitalize()} on {moment(day * DAY):%d %B %Y}"
        where = [(self.addresses.calendar(section), "archive")]
        return self._plain_list(title, section, where, articles)

    def topic(self, topic: int, articles: Iterable[int]) -> str:
        title = self.addresses.topics[topic].capitalize()
        return self._plain_list(title, topic // TOPICS, [], articles)

    def calendar(self, section: int, days: Iterable[int]) -> str:
        """The days of which a section has an archive."""
        name = self.addresses.names[section]
        items = _items(
            (self.addresses.archive(section, day), f"{moment(day * DAY):%d %B %Y}") for day in days
        )
        where = _items([("/", "home"), (self.addresses.section(section), name)])
        body = (
            f"{_CRUMBS.format(where)}<main><h1>Archive</h1>\n{_LIST.format('days', items)}</main>\n"
        )
        return self._page(f"Archive of {name}", body)

    def static(self, name: str) -> str:
        """A page that never changes; the one on feeds lists them."""
        text = " ".join(self.prose.static(name))
        feeds = [
            (self.addresses.feed(at), each) for at, each in enumerate(self.addresses.names)
        ] + [(self.addresses.sitemap, "sitemap")]
        listed = _LIST.format("feeds", _items(feeds)) if name == "feeds" else ""
        body = f"{self._menu}<main><h1>{name.capitalize()}</h1>\n<p>{text}</p>\n{listed}</main>\n"
        return self._page(name.capitalize(), body)

    def _plain_list(
        self, title: str, section: int, where: list[tuple[str, str]], articles: Iterable[int]
    ) -> str:
        name = self.addresses.names[section]
        crumbs = _items([("/", "home"), (self.addresses.section(section), name), *where])
        listed = _LIST.format("list", "".join(map(self._line, articles)))
        body = f"{_CRUMBS.format(crumbs)}<main><h1>{title}</h1>\n{listed}</main>\n"
        return self._page(title, body)

    def _make_teaser(self, number: int, version: int) -> str:
        times = ""
        if self.plan.tells[number]:
            published, modified = self._stated(number, version)
            times = f" {_time(published)}" + (f" updated {_time(modified)}" if version else "")
        lead = self.prose.lead(number, version)
        return f"<li><h2>{self._anchor(number)}</h2>{times}<p>{lead}</p></li>\n"

    def _make_line(self, number: int) -> str:
        time = f" {_time(self._stated(number, 0)[0])}" if self.plan.tells[number] else ""
        return f"<li>{self._anchor(number)}{time}</li>\n"

    def _page(self, title: str, body: str, head: str = "", footer: str | None = None) -> str:
        """A whole page, with the footer of all lists unless another is given."""
        named = f"{title} - {self.name}" if title else self.name
        footer = self._footer if footer is None else footer
        return _PAGE.format(title=escape(named), head=head, body=body, footer=footer)


def _items(links: Iterable[tuple[str, str]]) -> str:
    return "".join(f'<li><a href="{href}">{text}</a></li>\n' for href, text in links)


def _time(at: int) -> str:
    when = moment(at)
    return f'<time datetime="{when.isoformat()}">{when:{SHORT}}</time>'
