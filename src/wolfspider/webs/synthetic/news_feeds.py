"""Feeds and the news sitemap: the newest articles with their dates, for programs.

One feed lies: it says of every article that it appeared when the feed was made.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from email.utils import format_datetime
from html import escape

from wolfspider.webs.synthetic.news_addresses import NewsAddresses, moment
from wolfspider.webs.synthetic.news_plan import Plan
from wolfspider.webs.synthetic.news_prose import NewsProse

RSS_TYPE, ATOM_TYPE = "application/rss+xml; charset=utf-8", "application/atom+xml; charset=utf-8"
XML_TYPE = "application/xml; charset=utf-8"
LYING = 0  # the section whose feed has wrong dates
_XML = '<?xml version="1.0" encoding="utf-8"?>\n'
_NEWS = "http://www.google.com/schemas/sitemap-news/0.9"


class NewsFeeds:
    def __init__(
        self, plan: Plan, prose: NewsProse, addresses: NewsAddresses, origin: str, name: str
    ) -> None:
        self.plan = plan
        self.prose = prose
        self.addresses = addresses
        self.origin = origin
        self.name = name

    def feed(self, section: int, articles: Iterable[tuple[int, int]], at: int) -> tuple[str, str]:
        """RSS 2.0 or Atom of a section made at a moment, and its content type."""
        if section % 2:
            return self._atom(section, articles, at), ATOM_TYPE
        return self._rss(section, articles, at), RSS_TYPE

    def sitemap(self, articles: Iterable[int]) -> str:
        entries = "".join(
            f"<url><loc>{self._url(each)}</loc><news:news><news:publication>"
            f"<news:name>{escape(self.name)}</news:name><news:language>en</news:language>"
            f"</news:publication><news:publication_date>{self._published(each).isoformat()}"
            f"</news:publication_date><news:title>{self.prose.titles[each]}</news:title>"
            "</news:news></url>\n"
            for each in articles
        )
        spaces = f'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="{_NEWS}"'
        return f"{_XML}<urlset {spaces}>\n{entries}</urlset>\n"

    def _rss(self, section: int, articles: Iterable[tuple[int, int]], at: int) -> str:
        items = "".join(
            f"<item><title>{self.prose.titles[each]}</title><link>{self._url(each)}</link>"
            f"<guid>{self._url(each)}</guid>"
            f"<pubDate>{format_datetime(self._said(section, each, at), usegmt=True)}</pubDate>"
            f"<description>{self.prose.lead(each, version)}</description></item>\n"
            for each, version in articles
        )
        return (
            f'{_XML}<rss version="2.0"><channel><title>{self._title(section)}</title>'
            f"<link>{self.origin}{self.addresses.section(section)}</link>"
            f"<description>The latest</description>\n{items}</channel></rss>\n"
        )

    def _atom(self, section: int, articles: Iterable[tuple[int, int]], at: int) -> str:
        entries = "".join(
            f'<entry><title>{self.prose.titles[each]}</title><link href="{self._url(each)}"/>'
            f"<id>{self._url(each)}</id>"
            f"<published>{self._said(section, each, at).isoformat()}</published>"
            f"<updated>{moment(self.plan.modified(each, version)).isoformat()}</updated>"
            f"<summary>{self.prose.lead(each, version)}</summary></entry>\n"
            for each, version in articles
        )
        here = self.origin + self.addresses.feed(section)
        return (
            f'{_XML}<feed xmlns="http://www.w3.org/2005/Atom"><title>{self._title(section)}</title>'
            f'<id>{here}</id><link rel="self" href="{here}"/>'
            f"<author><name>{escape(self.name)}</name></author>"
            f"<updated>{moment(at).isoformat()}</updated>\n{entries}</feed>\n"
        )

    def _said(self, section: int, article: int, at: int) -> datetime.datetime:
        return moment(at) if section == LYING else self._published(article)

    def _published(self, article: int) -> datetime.datetime:
        return moment(int(self.plan.published[article]))

    def _title(self, section: int) -> str:
        return f"{self.addresses.names[section].capitalize()} - {escape(self.name)}"

    def _url(self, article: int) -> str:
        return self.origin + self.addresses.article(article)
