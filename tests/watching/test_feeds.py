"""Feeds as hints."""

from __future__ import annotations

from datetime import UTC, datetime

from wolfspider.urls import fingerprint
from wolfspider.watching.feeds import (
    MOST_NAMED,
    MOST_SHOWN,
    Listed,
    entries,
    is_feed,
    named_feeds,
    worth_a_look,
)

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC).timestamp()
HOUR = 3600.0
A = "https://news.example/"
ATOM = b"""<?xml version="1.0"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<link rel="self" href="https://news.example/atom"/>
<entry><link href="/one"/><updated>2026-11-15T11:00:00Z</updated></entry>
<entry><link rel="alternate" href="https://news.example/two"/></entry>
</feed>"""
NEWS = b"""<?xml version="1.0"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
 xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">
<url><loc>https://news.example/one</loc><lastmod>2026-11-15T10:00:00+01:00</lastmod>
<news:news><news:publication_date>2026-11-15</news:publication_date></news:news></url>
</urlset>"""
BOMB = b"""<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "xxxxxxxxxx"><!ENTITY b "&a;&a;&a;">]>
<rss><channel><item><link>https://news.example/&b;</link></item></channel></rss>"""


def listed(path: str, date: float | None = None) -> Listed:
    return Listed(fingerprint(A + path), A + path, date)


def shown(*given: Listed, appeared: tuple[str, ...] = ()) -> list[str]:
    addresses = {fingerprint(A + path) for path in appeared}
    found = worth_a_look(given, addresses, now=NOW)
    return [each.url.removeprefix(A) for each in found]


def test_entries_of_atom_and_of_a_news_sitemap() -> None:
    assert entries(ATOM, f"{A}atom") == [listed("one", NOW - HOUR), listed("two")]
    assert entries(NEWS, f"{A}news.xml") == [listed("one", NOW - 3 * HOUR)]


def test_what_is_a_feed_its_content_says() -> None:
    assert is_feed("application/atom+xml", f"{A}x", ATOM)
    assert is_feed("text/xml; charset=utf-8", f"{A}x", NEWS)
    assert not is_feed("text/html", f"{A}feed", ATOM)
    assert not is_feed("application/xml", f"{A}x", b"<html><p>Hi")


def test_entities_are_not_expanded() -> None:
    assert entries(BOMB, f"{A}feed") == []


def test_dates_that_cannot_be_true_are_none() -> None:
    body = b"<rss><channel><item><link>/a</link><pubDate>%s</pubDate></item></channel></rss>"
    for date in (b"Thu, 01 Jan 1970 00:00:00 GMT", b"soon", b""):
        assert entries(body % date, A) == [listed("a")]


def test_a_day_is_what_counts() -> None:
    given = [listed("old", NOW - 25 * HOUR), listed("new", NOW - 23 * HOUR), listed("now", NOW)]
    assert shown(*given) == ["now", "new"]
    assert shown(*given, appeared=("old", "new", "now")) == ["now", "new"]


def test_without_a_date_only_what_has_appeared() -> None:
    assert shown(listed("a"), listed("b"), appeared=("b",)) == ["b"]


def test_a_date_in_the_future_says_nothing() -> None:
    tomorrow = listed("a", NOW + 24 * HOUR)
    assert shown(tomorrow) == []
    assert shown(tomorrow, appeared=("a",)) == ["a"]


def test_no_more_is_shown_than_anybody_could_follow() -> None:
    many = [listed(str(number), NOW - number) for number in range(MOST_SHOWN + 10)]
    assert shown(*reversed(many)) == [str(number) for number in range(MOST_SHOWN)]


def test_pages_name_their_feeds() -> None:
    page = b"""<head><link rel="alternate" type="application/rss+xml" href="/feed?a=1&amp;b=2">
    <LINK TYPE='application/atom+xml; charset=utf-8' REL='Alternate home' HREF=atom.xml>
    <link rel=alternate hreflang=de href=/de><link rel=stylesheet type=text/css href=/x.css>
    <link rel=alternate type=application/rss+xml href=mailto:a@b.example>"""
    assert named_feeds(page, f"{A}x/") == [f"{A}feed?a=1&b=2", f"{A}x/atom.xml"]
    many = b"".join(
        b"<link rel=alternate type=application/rss+xml href=/%d>" % number for number in range(99)
    )
    assert len(named_feeds(many, A)) == MOST_NAMED
