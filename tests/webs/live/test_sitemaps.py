"""Sitemaps and feeds as sites write them, and as nobody should."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.webs.live.sitemaps import Caps, Entry, read_sitemap, walk

SUITE = Path(__file__).resolve().parents[4] / "shared/suites/crawler-commons"
HERE = "http://site.example/sitemap.xml"


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


_CATALOG = "http://www.example.com/catalog?item="
_ARTICLE = "http://www.example.com/article_"

# file: its pages, with their dates
LISTS: dict[str, list[tuple[str, str | None]]] = {
    "rss/feed.rss": [
        ("https://www.example.com/blog/post/1", "2009-09-06T16:20:00"),
        ("https://www.example.com/guid.html", None),
        ("https://www.example.com/foo?q=a&l=en", None),
        ("https://www.example.com/foo?q=a&l=fr", None),
    ],
    "rss/xmlRss_pubDate.xml": [
        (_ARTICLE + "1", "2017-01-05T12:34:51"),
        (_ARTICLE + "2", "2017-01-05T12:34:52"),
        (_ARTICLE + "3", "2017-01-05T12:34:53"),
        (_ARTICLE + "4", "2017-01-05T12:34:54"),
        (_ARTICLE + "5", "2017-01-05T13:34:55"),
        (_ARTICLE + "6", None),
        (_ARTICLE + "7", None),
    ],
    "sitemaps/atom.xml": [
        ("http://example.org/2003/12/13/atom03", "2003-12-13T18:30:02"),
        ("http://example.org/2003/12/13/atom03.html", "2003-12-13T18:30:02"),
    ],
    "sitemaps/do-not-visit.txt": [("http://www.example.com/do-not-visit-here", None)],
    "sitemaps/sitemap-with-bom.txt": [
        ("http://www.domain.com/page1.html", None),
        ("http://www.domain.com/page2.html", None),
    ],
    "sitemaps/sitemap.txt": [
        ("http://www.domain.com/page1.html", None),
        ("http://www.domain.com/page2.html", None),
    ],
    "sitemaps/sitemap.badns.xml": [
        ("http://www.example.com/1", None),
        ("http://www.example.com/2", None),
    ],
    "sitemaps/sitemap.ns.xml": [
        ("http://www.example.com/1", None),
        ("http://www.example.com/2", None),
    ],
    "sitemaps/sitemap.txt.gz": [
        ("http://www.example.com/", None),
        (_CATALOG + "12&desc=vacation_hawaii", None),
        (_CATALOG + "73&desc=vacation_new_zealand", None),
        (_CATALOG + "74&desc=vacation_newfoundland", None),
        (_CATALOG + "83&desc=vacation_usa", None),
    ],
    "sitemaps/xmlSitemap.gz": [
        ("http://www.example.com/", "2005-01-01"),
        (_CATALOG + "12&desc=vacation_hawaii", None),
        (_CATALOG + "73&desc=vacation_new_zealand", "2004-12-23"),
        (_CATALOG + "74&desc=vacation_newfoundland", "2004-12-23T18:00:15"),
        (_CATALOG + "83&desc=vacation_usa", "2004-11-23"),
    ],
    "sitemaps/extension/pagemaps-sitemap.xml": [
        ("http://www.example.com/foo", None),
        ("http://www.example.com/bar", None),
    ],
    "sitemaps/extension/sitemap-images.xml": [
        ("http://www.example.com/images/some_image_landing_page.html", None)
    ],
    "sitemaps/extension/sitemap-links.xml": [
        ("http://www.example.com/english/", None),
        ("http://www.example.com/deutsch/", None),
        ("http://www.example.com/schweiz-deutsch/", None),
    ],
    "sitemaps/extension/sitemap-mobile.xml": [
        ("http://www.example.com/mobile-friendly-1/", None),
        ("http://www.example.com/mobile-friendly-2/", None),
        ("http://www.example.com/no-mobile/", None),
    ],
    "sitemaps/extension/sitemap-news.xml": [
        ("http://www.example.org/business/article55.html", None),
        ("http://www.example.org/empty_news_name.html", None),
    ],
    "sitemaps/extension/sitemap-videos-tvshow.xml": [
        ("https://example.org/my-tv-show/23/13/", None)
    ],
    "sitemaps/extension/sitemap-videos.xml": [
        ("http://www.example.com/videos/some_video_landing_page.html", None),
        ("http://www.example.com/videos/some_video_landing_page-2.html", None),
        ("http://www.example.com/videos/some_video_landing_page-3.html", None),
    ],
}


def suite(name: str) -> bytes:
    if not SUITE.is_dir():
        pytest.skip("crawler-commons is not in the folder shared/suites beside the project")
    return (SUITE / name).read_bytes()


@pytest.mark.parametrize("name", LISTS)
def test_file_lists(name: str) -> None:
    found = read_sitemap(suite(name), HERE)
    expected = [Entry(url, utc(date) if date else None) for url, date in LISTS[name]]
    assert found.pages == expected
    assert (found.sitemaps, found.problem) == ([], "")


def test_a_real_news_sitemap_lists_pages_and_not_their_pictures() -> None:
    name = "sitemaps/extension/hebdenbridgetimes-articles-sitemap.xml"
    found = read_sitemap(suite(name), HERE)
    assert len(found.pages) == 74
    assert all("/webimage/" not in entry.url for entry in found.pages)
    assert found.pages[0].lastmod == utc("2015-05-03T17:51:50")
    blog = read_sitemap(suite("sitemaps/extension/shinpaideshou-news-sitemap.xml"), HERE)
    assert [entry.url[:50] for entry in blog.pages] == [
        "https://shinpaideshou.wordpress.com/2017/04/25/job",
        "https://shinpaideshou.wordpress.com/2017/04/24/cal",
        "https://shinpaideshou.wordpress.com/2017/04/24/job",
    ]


def test_an_index_without_loc_is_still_an_index() -> None:
    found = read_sitemap(suite("sitemaps/sitemap.index.xml"), HERE)
    assert found.pages == []
    assert len(found.sitemaps) == 15
    assert found.sitemaps[1].url == "https://example.com/sitemap.jss?portalCode=2&lang=en"


# -- made by hand


def urlset(*urls: str, head: str = "") -> bytes:
    items = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    return f"{head}<urlset>{items}</urlset>".encode()


def index(*urls: str) -> bytes:
    items = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return f"<sitemapindex>{items}</sitemapindex>".encode()


def urls(body: bytes, caps: Caps = Caps()) -> list[str]:  # noqa: B008
    return [entry.url for entry in read_sitemap(body, HERE, caps).pages]


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024", "2024-01-01"),
        ("2024-03", "2024-03-01"),
        ("2024-03-05T01:00+02:00", "2024-03-04T23:00"),
        ("2024-03-05T01:00:00.5Z", "2024-03-05T01:00:00.5"),
        ("yesterday", None),
        ("9999-99-99", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("12345", None),
    ],
)
def test_dates_are_read_or_left_out(text: str, moment: str | None) -> None:
    body = f"<urlset><url><loc>/a</loc><lastmod>{text}</lastmod></url></urlset>".encode()
    assert read_sitemap(body, HERE).pages == [
        Entry("http://site.example/a", utc(moment) if moment else None)
    ]


def test_rss_1_and_blank_lines_before_the_declaration_are_read() -> None:
    body = b"""\xef\xbb\xbf

<?xml version="1.0"?><rdf:RDF><channel><link>/home</link></channel>
<item rdf:about="x"><link>/a</link><dc:date>2020-01-02</dc:date></item></rdf:RDF>"""
    assert read_sitemap(body, HERE).pages == [Entry("http://site.example/a", utc("2020-01-02"))]


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1", "windows-1252"])
def test_encodings_are_those_declared(encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?><urlset><url><loc>/é</loc></url></urlset>'
    assert urls(text.encode(encoding)) == ["http://site.example/%C3%A9"]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "http://[", ""])
def test_what_is_no_web_address_is_passed_over(url: str) -> None:
    assert urls(urlset(url, "/a")) == ["http://site.example/a"]


def test_a_broken_file_lists_what_came_before() -> None:
    body = urlset("/a", "/b")
    found = read_sitemap(body[:-12], HERE)
    assert [entry.url for entry in found.pages] == ["http://site.example/a"]
    assert "not well-formed" in found.problem
    packed = gzip.compress(urlset(*(f"/{i * 7919 % 10007}" for i in range(10_000))))
    cut = read_sitemap(packed[: len(packed) // 2], HERE)
    assert len(cut.pages) > 1000
    assert cut.problem == "the gzip file ends too early"


def test_gzip_of_several_members_is_one_file() -> None:
    body = urlset("/a", "/b")
    packed = gzip.compress(body[:20]) + gzip.compress(body[20:])
    assert urls(packed) == ["http://site.example/a", "http://site.example/b"]


@given(
    st.binary(max_size=300), st.sampled_from([b"", b"<urlset>", b"<rss><item>", b"\x1f\x8b\x08"])
)
def test_no_bytes_raise(body: bytes, head: bytes) -> None:
    read_sitemap(head + body, HERE)
    read_sitemap(gzip.compress(head + body), HERE)


# -- FAULTS 42: entities

LAUGHS = """<!DOCTYPE urlset [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>"""
OUTSIDE = """<!DOCTYPE urlset [<!ENTITY x SYSTEM "file:///etc/passwd">]>"""
PARAMETER = """<!DOCTYPE urlset [<!ENTITY % p SYSTEM "http://evil.example/x.dtd"> %p;]>"""


@pytest.mark.parametrize("head", [LAUGHS, OUTSIDE, PARAMETER])
def test_faults_42_a_file_that_declares_an_entity_is_not_read(head: str) -> None:
    found = read_sitemap(urlset("/a&a;", "/b&x;", "/c", head=head), HERE)
    assert found.pages == []
    assert "declares the entity" in found.problem


def test_faults_42_an_external_dtd_is_not_fetched() -> None:
    head = '<!DOCTYPE rss PUBLIC "-//N//DTD RSS 0.91//EN" "http://127.0.0.1:9/rss.dtd">'
    body = f"{head}<rss><item><link>/a</link></item></rss>".encode()
    assert urls(body) == ["http://site.example/a"]


# -- FAULTS 43: loops, a million URLs, bombs


def test_faults_43_a_gzip_bomb_is_cut_at_the_cap() -> None:
    packer = zlib.compressobj(9, wbits=31)
    bomb = packer.compress(urlset("/a")[:-9])
    for _ in range(200):
        bomb += packer.compress(b" " * (1 << 20))
    bomb += packer.flush()
    found = read_sitemap(bomb, HERE)
    assert [entry.url for entry in found.pages] == ["http://site.example/a"]
    assert "longer than 10485760 bytes" in found.problem


def test_faults_43_a_file_in_a_file_is_not_inflated_twice() -> None:
    assert urls(gzip.compress(gzip.compress(urlset("/a")))) == []


@pytest.mark.parametrize("kind", ["xml", "text"])
def test_faults_43_of_a_million_urls_50_000_are_read(kind: str) -> None:
    many = [f"http://site.example/{i}" for i in range(60_000)]
    found = read_sitemap(urlset(*many) if kind == "xml" else "\r".join(many).encode(), HERE)
    assert len(found.pages) == 50_000
    assert found.problem == "more than 50000 URLs; the rest was not read"


def test_faults_43_a_long_list_is_cut_at_the_cap_too() -> None:
    body = b"http://site.example/a\n" + b"x" * 3000
    found = read_sitemap(body, HERE, Caps(inflated=1000))
    assert (len(found.pages), found.problem) == (1, "longer than 1000 bytes; the rest was not read")


def test_faults_43_deep_nesting_and_long_addresses_are_refused() -> None:
    deep = read_sitemap(b"<urlset>" + b"<a>" * 100_000, HERE)
    assert deep.problem == "nested more than 64 deep"
    assert urls(urlset("/" + "a" * 100_000, "/b")) == ["http://site.example/b"]


def test_a_web_page_is_no_sitemap() -> None:
    found = read_sitemap(b"<!DOCTYPE html><html><body>not found</body></html>", HERE)
    assert found.problem == "a file that begins with <html> is no sitemap"


def walked(
    files: dict[str, bytes],
    *roots: str,
    caps: Caps = Caps(),  # noqa: B008
) -> tuple[list[str], list[str]]:
    """The pages that a walk gives, and the files that it asked for."""
    asked = []

    async def fetch(url: str) -> bytes:
        asked.append(url)
        return files.get(url, b"")

    async def go() -> list[str]:
        return [entry.url async for entry in walk(roots, fetch, caps)]

    return asyncio.run(go()), asked


def at(name: str) -> str:
    return f"http://site.example/{name}"


def test_faults_43_indexes_that_point_at_each_other_are_read_once() -> None:
    files = {
        at("i"): index(at("i"), at("j"), at("s"), at("missing")),
        at("j"): index(at("i"), at("j"), at("s")),
        at("s"): urlset(at("1"), at("2"), at("1")),
    }
    pages, asked = walked(files, at("i"), at("i"))
    assert pages == [at("1"), at("2")]
    assert asked == [at("i"), at("j"), at("s"), at("missing")]


def test_faults_43_indexes_are_followed_two_deep() -> None:
    files = {at(f"i{n}"): index(at(f"i{n + 1}")) + b"" for n in range(5)}
    pages, asked = walked(files, at("i0"))
    assert (pages, asked) == ([], [at("i0"), at("i1"), at("i2")])


def test_faults_43_files_and_pages_of_a_walk_are_capped() -> None:
    files = {at("i"): index(*(at(f"s{n}") for n in range(100)))}
    files |= {at(f"s{n}"): urlset(*(at(f"{n}-{m}") for m in range(10))) for n in range(100)}
    pages, asked = walked(files, at("i"), caps=Caps(files=5))
    assert (len(pages), len(asked)) == (40, 5)
    pages, asked = walked(files, at("i"), caps=Caps(total=25))
    assert (len(pages), len(asked)) == (25, 4)
