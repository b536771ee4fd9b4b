"""Feeds and news sitemaps: hints where something new may be, and no more than hints.

RSS, Atom and sitemaps are read by `pages.sitemaps`: by expat, which fetches nothing, without
entities, and with caps. A feed is a page whose links are its entries; of those a watcher is shown
the ones that are worth a look. The date of an entry can keep it from being shown, and can make its
page older; it cannot make it new (see `dates`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from wolfspider.pages.sitemaps import Caps, is_sitemap, may_be_sitemap, read_sitemap
from wolfspider.urls import canonical, fingerprint
from wolfspider.watching.dates import AHEAD, EARLIEST, attributes
from wolfspider.watching.records import NEW

MOST_SHOWN = 200  # entries of a feed, the latest first
MOST_NAMED = 10  # feeds of a page
_HEAD = 128 << 10  # bytes in which a page names its feeds
_CAPS = Caps(inflated=4 << 20, urls=10_000, text=4 << 20)
_LINK = re.compile(r"<link\s([^<>]{1,1000})>", re.IGNORECASE)
_TYPES = frozenset(("application/rss+xml", "application/atom+xml", "application/rdf+xml"))


@dataclass(frozen=True, slots=True)
class Listed:
    """An entry of a feed; `date` is its own word, None if it gives none that can be true."""

    address: int
    url: str
    date: float | None


def is_feed(content_type: str, url: str, body: bytes) -> bool:
    return may_be_sitemap(content_type, url) and is_sitemap(body)


def entries(body: bytes, url: str) -> list[Listed]:
    """What a feed or sitemap lists, other sitemaps too; of an address the first entry."""
    found = read_sitemap(body, url, _CAPS)
    listed: dict[str, Listed] = {}
    for entry in (*found.sitemaps, *found.pages):
        at = None if entry.lastmod is None else entry.lastmod.timestamp()
        date = at if at is not None and at >= EARLIEST else None
        listed.setdefault(entry.url, Listed(fingerprint(entry.url), entry.url, date))
    return list(listed.values())


def worth_a_look(
    listed: Sequence[Listed], appeared: Collection[int], *, now: float
) -> list[Listed]:
    """The entries that may be new, the latest first.

    Those that date themselves within a day. One without a date only if its address `appeared`
    within a day: otherwise a list of all pages would be news. A date in the future says nothing.
    """

    def late(entry: Listed) -> bool:
        if entry.date is None or entry.date > now + AHEAD:
            return entry.address in appeared
        return now - entry.date <= NEW

    shown = filter(late, listed)
    return sorted(shown, key=lambda entry: -min(entry.date or now, now))[:MOST_SHOWN]


def named_feeds(body: bytes, url: str) -> list[str]:
    """The feeds that an HTML page names with <link rel=alternate>."""
    found = dict.fromkeys(_alternates(body[:_HEAD].decode("latin-1"), url))
    return list(found)[:MOST_NAMED]


def _alternates(html: str, url: str) -> Iterator[str]:
    for tag in _LINK.finditer(html):
        fields = attributes(tag[1])
        kind = fields.get("type", "").partition(";")[0].strip().lower()
        if kind in _TYPES and "alternate" in fields.get("rel", "").lower().split():
            address = canonical(fields.get("href", "").replace("&amp;", "&"), url)
            if address is not None:
                yield address
