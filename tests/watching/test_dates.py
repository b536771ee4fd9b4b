"""When documents were published, with dates worked out by hand."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.watching.dates import MOST_BYTES, Dating, Seen, dating, moment, path_day


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


NOW = at("2026-11-15T12:00")
A = "https://news.example/story"


def of(body: str, url: str = A, **more: object) -> Dating:
    return dating(url, body.encode(), now=NOW, **more)  # type: ignore[arg-type]


def ld(**values: str) -> str:
    return f"<script type='application/ld+json'>{json.dumps(values)}</script>"


META = "<meta property='article:published_time' content='2026-11-15T08:30:00+01:00'>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-15T08:30:00Z", "2026-11-15T08:30"),
        ("2026-11-15T08:30:00+01:00", "2026-11-15T07:30"),
        ("2026-11-15 08:30:00 +0100", "2026-11-15T07:30"),
        ("2026-11-15 08:30 UTC", "2026-11-15T08:30"),
        ("Sun, 15 Nov 2026 08:30:00 GMT", "2026-11-15T08:30"),
        ("2026-11-14", "2026-11-14T12:00"),  # a day is its noon
        ("20261114", "2026-11-14T12:00"),
        ("2026-11-15T20:00:00", "2026-11-15T12:00"),  # no zone: in New Zealand it has been
        ("2026-11-15T12:04:00Z", "2026-11-15T12:00"),  # clocks differ by minutes
        ("2026-11-16", "2026-11-15T12:00"),  # tomorrow, which has begun somewhere
    ],
)
def test_dates_as_pages_write_them(text: str, expected: str) -> None:
    assert moment(text, NOW) == at(expected)


@pytest.mark.parametrize(
    "text",
    [
        *("2026-11-15T13:00:00Z", "2026-11-17", "1989-12-31T23:59:59Z", "0001-01-01", "yesterday"),
        *("", "15/11/2026", "9999-12-31T23:59:59-23:59", "2026-13-01", "1763200000000000000"),
    ],
)
def test_the_future_the_distant_past_and_nonsense_do_not_count(text: str) -> None:
    assert moment(text, NOW) is None


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.example/2026/11/14/x", "2026-11-14T12:00"),
        ("https://a.example/2026/1/4/x.html", "2026-01-04T12:00"),
        ("https://a.example/x-2026-11-14-y", "2026-11-14T12:00"),
        ("https://a.example/2026/11/", None),
        ("https://a.example/2026/13/40/x", None),
        ("https://a.example/12026/11/141", None),
        ("https://a.example/x?d=2026/11/14", None),
        ("https://a.example/1985/11/14/x", None),
        ("https://2026-11-14.example/", None),
    ],
)
def test_days_in_addresses(url: str, expected: str | None) -> None:
    assert path_day(url, NOW) == (None if expected is None else at(expected))


def test_each_source_alone() -> None:
    eight = at("2026-11-15T08:00")
    for body, source in (
        ("<meta name=pubdate content=2026-11-15T08:00Z>", "meta"),
        ('<META NAME="DC.date" CONTENT="2026-11-15T08:00Z"/>', "meta"),
        (ld(datePublished="2026-11-15T08:00:00Z"), "json-ld"),
        ("<time datetime='2026-11-15T08:00Z'>today</time>", "time"),
    ):
        assert of(body) == Dating(eight, None, source), body
    assert of("", "https://a.example/2026/11/14/x") == Dating(at("2026-11-14T12:00"), None, "url")
    assert of("<p>No date at all") == Dating()


def test_the_order_settles_what_contradicts() -> None:
    body = ld(datePublished="2026-11-15T09:00:00Z") + "<time datetime=2026-11-15T10:00Z>"
    assert of(body).source == "json-ld"
    assert of(META + body) == Dating(at("2026-11-15T07:30"), None, "meta")


def test_what_is_not_sane_makes_way_for_the_next() -> None:
    future = "<meta name=date content=2031-01-01>"
    assert of(future + ld(datePublished="2026-11-15T09:00:00Z")).source == "json-ld"


def test_a_page_that_lists_many_dates_has_none() -> None:
    """Front pages have the dates of all their stories."""
    times = "<time datetime=2026-11-15T10:00Z></time><time datetime=2026-11-15T11:00Z></time>"
    assert of(times) == Dating()
    assert of(times + "<time datetime=2026-11-15T09:00Z itemprop=datePublished>").published == at(
        "2026-11-15T09:00"
    )
    stories = ld(datePublished="2026-11-15T10:00Z") + ld(datePublished="2026-11-15T11:00Z")
    assert of(stories) == Dating()
    assert of(2 * ld(datePublished="2026-11-15T10:00Z")).source == "json-ld"


def test_the_address_holds_against_a_page_that_makes_itself_younger() -> None:
    old = "https://a.example/2026/11/12/x"
    assert of(META, old) == Dating(at("2026-11-12T12:00"), None, "url")
    same = "https://a.example/2026/11/14/x"  # evening there, morning here
    assert of(META, same).source == "meta"


@pytest.mark.parametrize(
    "path", ["2026/11/14/", "archive/2026-11-14.html", "2026/11/14", "2026-11-14/index.html"]
)
def test_a_list_of_a_day_is_not_news_of_that_day(path: str) -> None:
    """But its day holds against later dates."""
    assert of("", f"https://a.example/{path}") == Dating()
    late = of(META.replace("15T", "17T"), f"https://a.example/{path}")
    assert late == Dating()  # in the future
    assert of(META, f"https://a.example/{path.replace('14', '12')}").source == "url"


def test_nothing_is_younger_than_the_first_link_to_it() -> None:
    seen = Seen(linked=at("2026-11-13T00:00"))
    assert of(META, seen=seen) == Dating(at("2026-11-13T00:00"), None, "meta")


def test_without_a_date_a_link_that_appeared_counts_and_others_do_not() -> None:
    ten = at("2026-11-15T10:00")
    assert of("", seen=Seen(linked=ten, appeared=ten)) == Dating(ten, None, "first link")
    assert of("", seen=Seen(linked=ten)) == Dating()


def test_a_feed_and_last_modified_make_older_never_new() -> None:
    ten, nine = at("2026-11-15T10:00"), at("2026-11-15T09:00")
    fresh = Seen(linked=ten, listed=NOW)
    assert of("", seen=fresh) == Dating()
    assert of("", seen=Seen(ten, ten, nine)).published == nine
    assert of("", seen=Seen(ten, ten, NOW)).published == ten
    assert of(META, seen=Seen(listed=at("2020-01-01T00:00"))).published == at("2026-11-15T07:30")
    lately = "Sun, 15 Nov 2026 11:00:00 GMT"
    assert of("", last_modified=lately) == Dating(None, at("2026-11-15T11:00"), "")
    old = "Sun, 01 Nov 2026 11:00:00 GMT"
    assert of("", last_modified=old, seen=Seen(ten, ten)).published == at("2026-11-01T11:00")


def test_last_modified_that_is_the_time_of_the_answer_says_nothing() -> None:
    now = "Sun, 15 Nov 2026 12:00:00 GMT"
    before = "Sun, 15 Nov 2026 11:59:59 GMT"
    assert of("", last_modified=before, date=now) == Dating()
    ten = at("2026-11-15T10:00")
    assert of("", last_modified=before, date=now, seen=Seen(ten, ten)).published == ten


def test_modified_comes_from_the_page_first_and_not_before_published() -> None:
    body = META + "<meta property=article:modified_time content=2026-11-15T10:00Z>"
    header = "Sun, 15 Nov 2026 11:00:00 GMT"
    assert of(body, last_modified=header).modified == at("2026-11-15T10:00")
    assert of(META, last_modified=header).modified == at("2026-11-15T11:00")
    assert of(META + ld(dateModified="2026-11-15T09:00Z")).modified == at("2026-11-15T09:00")
    assert of(META, last_modified="Sun, 01 Nov 2026 11:00:00 GMT").modified is None


def test_only_the_beginning_of_a_page_is_looked_at() -> None:
    assert of(" " * MOST_BYTES + META) == Dating()
    assert of(" " * (MOST_BYTES - len(META)) + META).source == "meta"


@pytest.mark.parametrize(
    "piece",
    [
        *("<meta ", "<meta a", "<meta a=' ", "<time datetime=", "<script ld+json>", "<script "),
        *('"datePublished" : "', "<meta " + "a=" * 400, "<time " + "'\"" * 400, "<script x='ld+js"),
    ],
)
def test_hostile_pages_are_scanned_once(piece: str) -> None:
    """A scan that is not linear would take minutes here."""
    assert of(piece * (MOST_BYTES // len(piece))) == Dating()


@given(st.binary(max_size=300), st.text(max_size=60), st.text(max_size=40))
def test_anything_may_come(body: bytes, text: str, url: str) -> None:
    found = dating(f"https://a.example/{url}", body, now=NOW, last_modified=text, date=text)
    assert found.published is None or at("1990-01-01") <= found.published <= NOW
    assert (said := moment(text, NOW)) is None or said <= NOW
