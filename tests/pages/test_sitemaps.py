"""Sitemaps and feeds as sites write them, and as nobody should."""

from __future__ import annotations

import gzip
import time
import tracemalloc
import zlib
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordings import compile_web, page, record
from wolfspider.pages import parse
from wolfspider.pages.sitemaps import (
    MOST_HOSTS,
    MOST_MEMBERS,
    Caps,
    Entry,
    Sitemap,
    is_sitemap,
    links_of,
    read_sitemap,
)
from wolfspider.records import BAGS, Page, PageFlag, Response
from wolfspider.text import term_ids
from wolfspider.urls import fingerprints, host, url_words

SUITE = Path(__file__).resolve().parents[3] / "shared/suites/crawler-commons"
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


# -- as pages


def at(name: str) -> str:
    return f"http://site.example/{name}"


def parsed(body: bytes, kind: str = "application/xml", url: str = HERE, status: int = 200) -> Page:
    return parse(Response(url, status, (("content-type", kind),), body))


def assert_wordless(found: Page) -> None:
    assert (found.title, found.raw_text, len(found.terms.ids)) == ("", b"", 0)


def test_a_sitemap_is_a_page_without_words_whose_links_are_what_it_lists() -> None:
    listed = [at("wolf-spiders/hunting.html"), "https://other.example:8443/a", at("b?c=d")]
    found = parsed(urlset(*listed, listed[0]))
    assert_wordless(found)
    links = found.links
    assert (found.url, links.urls(), links.anchors()) == (HERE, listed, [""] * 3)
    assert links.hosts == ["site.example", "other.example:8443"]
    assert [links.hosts[number] for number in links.host_of] == [host(url) for url in listed]
    assert links.fingerprints.tolist() == fingerprints(listed).tolist()
    assert (links.paths.tolist(), links.flags.tolist()) == ([0] * 3, [0] * 3)
    for row, url in enumerate(listed):
        assert links.bag("url")[row].tolist() == term_ids(" ".join(url_words(url))).tolist()
        assert not any(len(links.bag(name)[row]) for name in BAGS if name != "url")


def test_links_of_a_sitemap_can_be_chosen_like_those_of_a_page() -> None:
    links = parsed(urlset(*(at(f"spider/{name}") for name in "abcd"))).links
    assert links.take(np.array([1, 3])).urls() == [at("spider/b"), at("spider/d")]


SAMPLES = {
    "urlset": urlset(at("a")),
    "index": index(at("a")),
    "rss": f"<rss><channel><item><link>{at('a')}</link></item></channel></rss>".encode(),
    "atom": f"<feed><entry><link href='{at('a')}'/></entry></feed>".encode(),
    "rdf": f"<rdf:RDF><item><link>{at('a')}</link></item></rdf:RDF>".encode(),
    "utf-16": f"<urlset><url><loc>{at('a')}</loc></url></urlset>".encode("utf-16"),
    "prologue": b"\n<?xml version='1.0'?><!-- <html> --><?xml-stylesheet href='s'?>"
    + urlset(at("a")),
}


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("packed", [False, True])
def test_every_kind_of_sitemap_and_feed_is_a_page(name: str, packed: bool) -> None:
    body = gzip.compress(SAMPLES[name]) if packed else SAMPLES[name]
    found = parsed(body, "Text/XML; charset=utf-8")
    assert found.links.urls() == [at("a")]
    assert_wordless(found)


@pytest.mark.parametrize(
    ("kind", "url", "taken"),
    [
        ("application/rss+xml", at("feed"), True),
        ("application/atom+xml;charset=utf-8", at("feed"), True),
        ("text/plain", at("Sitemap_1.xml"), True),
        ("text/plain", at("list.xml?sitemap"), False),
        ("text/plain", "http://sitemap.example/list.xml", False),
        ("application/gzip", at("sitemaps/1.xml.gz"), True),
        ("application/x-gzip", at("sitemap.gz?page=1"), True),
        ("application/octet-stream", at("sitemap.xml.gz"), True),
        ("application/octet-stream", at("sitemap.xml"), False),
        ("application/gzip", at("backup.xml.gz"), False),
        ("image/svg+xml", at("sitemap.xml"), False),
        ("application/json", at("sitemap.xml"), False),
    ],
)
def test_type_and_address_say_what_is_worth_a_look(kind: str, url: str, taken: bool) -> None:
    assert len(parsed(SAMPLES["urlset"], kind, url).links) == taken


def test_a_sitemap_served_as_html_is_no_sitemap() -> None:
    assert not len(parsed(SAMPLES["urlset"], "text/html").links)


XHTML = b"""<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN"
"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd" [<!ENTITY me "you">]>
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Spiders</title></head>
<body><p>urlset <a href="/a">hunt</a></p></body></html>"""


@pytest.mark.parametrize("kind", ["application/xml", "text/xml", "application/xhtml+xml"])
def test_xhtml_is_html_whatever_it_is_served_as(kind: str) -> None:
    found = parsed(XHTML, kind)
    assert (found.title, found.links.anchors()) == ("Spiders", ["hunt"])


def test_a_failed_sitemap_is_empty() -> None:
    for status in (203, 206, 404, 500):
        assert not len(parsed(SAMPLES["urlset"], status=status).links)


def test_robots_headers_count_for_sitemaps_too() -> None:
    fields = (("Content-Type", "text/xml"), ("X-Robots-Tag", "noindex, follow"))
    found = parse(Response(HERE, 200, fields, SAMPLES["urlset"]))
    assert (found.flags, len(found.links)) == (PageFlag.NOINDEX, 1)


@given(st.binary(max_size=300), st.sampled_from([b"", b"<urlset>", b"<?xml", b"\x1f\x8b\x08"]))
def test_no_bytes_make_a_page_raise(body: bytes, head: bytes) -> None:
    parsed(head + body)
    parsed(gzip.compress(head + body))
    is_sitemap(head + body)


def test_sitemaps_of_a_recording_are_pages_of_its_web(tmp_path: Path) -> None:
    def xml(url: str, body: bytes, kind: str) -> bytes:
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode()
        return record("response", url, head + body)

    web = compile_web(
        tmp_path / "web",
        [
            xml(HERE, urlset(at("a"), at("elsewhere")), "text/xml"),
            xml(at("sitemap.xml.gz"), gzip.compress(index(HERE)), "application/gzip"),
            xml(at("empty.rss"), b"<rss></rss>", "application/rss+xml"),
            page(at("a")),
        ],
    )
    assert web.page(web.number(HERE)).links.urls() == [at("a")]
    assert web.page(web.number(at("sitemap.xml.gz"))).links.urls() == [HERE]
    assert web.about["left_out"] == {"not HTML": 1}


# -- FAULTS 42 and 43, as pages


@pytest.mark.parametrize("head", [LAUGHS, OUTSIDE, PARAMETER])
def test_faults_42_a_page_of_entities_has_neither_words_nor_links(head: str) -> None:
    found = parsed(urlset("/a&a;", "/b&x;", "/c", head=head))
    assert_wordless(found)
    assert not len(found.links)


def test_faults_42_a_billion_laughs_cost_nothing() -> None:
    names = "abcdefghij"
    entities = "".join(
        f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in pairwise(names)
    )
    head = f'<!DOCTYPE urlset [<!ENTITY a "ha">{entities}]>'
    tracemalloc.start()
    began = time.process_time()
    found = parsed(urlset("/&j;", head=head))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert not len(found.links)
    assert peak < 10 << 20
    assert time.process_time() - began < 1.0


def test_faults_43_an_index_that_lists_itself_does_not_link_to_itself() -> None:
    found = parsed(index(HERE, at("s"), at("s"), at("missing"), HERE))
    assert found.links.urls() == [at("s"), at("missing")]


def test_faults_43_of_a_million_urls_50_000_are_links() -> None:
    body = urlset(*(f"/{number}" for number in range(1_000_000)))
    found = parsed(gzip.compress(body, 1))
    assert len(found.links) == 50_000
    assert found.links.urls()[-1] == at("49999")


def test_faults_43_a_gzip_bomb_gives_the_links_before_it() -> None:
    packer = zlib.compressobj(9, wbits=31)
    bomb = packer.compress(urlset("/a")[:-9])
    for _ in range(200):
        bomb += packer.compress(b" " * (1 << 20))
    tracemalloc.start()
    found = parsed(bomb + packer.flush())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.links.urls() == [at("a")]
    assert peak < 20 << 20


def test_faults_43_empty_gzip_members_are_not_read_for_ever() -> None:
    began = time.process_time()
    found = read_sitemap(gzip.compress(b"") * 100_000, HERE)
    assert found.problem == f"more than {MOST_MEMBERS} gzip members; the rest was not read"
    assert time.process_time() - began < 1.0


def test_faults_43_a_long_base_does_not_make_a_small_file_large() -> None:
    base = f"http://site.example/{'d' * 4000}/sitemap.xml"
    found = read_sitemap(urlset(*map(str, range(50_000))), base, Caps(text=1 << 20))
    assert len(found.pages) == (1 << 20) // 4026
    assert "more than 1048576 characters" in found.problem


def test_links_lead_to_no_more_hosts_than_can_be_numbered() -> None:
    hosts = [Entry(f"http://h{number}.example/") for number in range(MOST_HOSTS + 10)]
    again = Entry("http://h0.example/again")
    found = links_of(Sitemap([*hosts, again]), HERE, Caps(urls=1_000_000))
    assert len(found) == MOST_HOSTS + 1
    assert found.urls()[-1] == again.url
    assert found.host_of[-1] == 0
