"""Claims about what a parsed page holds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wolfspider.pages.outline import MAX_LINKS
from wolfspider.pages.parsing import (
    MAX_ANCHOR_WORDS,
    MAX_HEADING_WORDS,
    MAX_TEXT,
    parse,
    parse_html,
    tag_paths,
)
from wolfspider.records import BAGS, LinkFlag, Links, Page, PageFlag, Response
from wolfspider.text import STOP_WORDS, stem, term_id, term_ids, terms, word_of
from wolfspider.urls import fingerprint, url_words

URL = "http://example.org/dir/page.html"

SAMPLE = b"""<!doctype html><html><head>
<title>Wolf
   Spiders</title>
<meta http-equiv="Refresh" content="5; URL='later.html'">
<style>p { color: red }</style></head>
<body>
<h1>Hunters</h1>
<p>They never wait: <a href="a.html">hunting spiders</a> run &amp; jump.</p>
<h2>Menu</h2>
<div class="menu wide"><ul><li><a rel="external NOFOLLOW" href="b.html#top">
  <img src="b.png" alt="Eight legs"></a>
<li><a href="/dir/a.html">fast hunting</a></ul></div>
<map><area href="c.html" alt="Left eye"></map>
<iframe src="//frames.example.net/d"><a href="inside.html">no</a></iframe>
<a href="#here">here</a> <a href="">again</a> <a href="PAGE.html/../page.html">myself</a>
<a href="mailto:me@example.org">mail</a> <a href="javascript:go()">go</a> <a name="x">name</a>
<script>document.write('<a href="script.html">no</a>')</script>
<noscript><a href="noscript.html">no</a></noscript>
<template><a href="template.html">no</a></template>
<!-- <a href="comment.html">no</a> -->
one<b>t</b>w<!-- no -->o<table><tr><td>cell</td><td>tower</td></tr></table>
</body></html>"""


def page_of(html: str | bytes, url: str = URL) -> Page:
    return parse_html(html if isinstance(html, bytes) else html.encode(), url)


def bag(links: Links, name: str, row: int) -> list[str | None]:
    return [word_of(term) for term in links.bag(name)[row].tolist()]


def response(body: bytes = SAMPLE, status: int = 200, **headers: str) -> Response:
    pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Response(URL, status, pairs, body)


def test_every_kind_of_link_is_found_once_in_the_order_of_the_page() -> None:
    links = page_of(SAMPLE).links
    rows = list(zip(links.urls(), links.anchors(), links.flags.tolist(), strict=True))
    assert rows == [
        ("http://example.org/dir/later.html", "", LinkFlag.REFRESH),
        ("http://example.org/dir/a.html", "hunting spiders fast hunting", 0),
        ("http://example.org/dir/b.html", "Eight legs", LinkFlag.NOFOLLOW | LinkFlag.IMAGE),
        ("http://example.org/dir/c.html", "Left eye", LinkFlag.IMAGE),
        ("http://frames.example.net/d", "", LinkFlag.FRAME),
    ]
    assert links.fingerprints.tolist() == [fingerprint(url) for url in links.urls()]
    assert [links.hosts[h] for h in links.host_of] == ["example.org"] * 4 + ["frames.example.net"]


def test_title_and_visible_text() -> None:
    page = page_of(SAMPLE)
    assert page.title == "Wolf Spiders"
    assert page.text == (
        "Hunters They never wait: hunting spiders run & jump. Menu fast hunting "
        "here again myself mail go name onetwo cell tower"
    )


def test_terms_are_those_of_title_and_text() -> None:
    page = page_of(SAMPLE)
    wanted = terms(f"{page.title} {page.text}")
    assert page.terms.ids.tolist() == wanted.ids.tolist()
    assert page.terms.counts.tolist() == wanted.counts.tolist()


def test_bags_of_a_link() -> None:
    links = page_of(SAMPLE).links
    assert bag(links, "anchor", 1) == ["hunt", "spider", "fast"]  # the union of both standings
    assert bag(links, "heading", 1) == ["hunter"]
    assert bag(links, "anchor", 2) == ["eight", "leg"]
    assert bag(links, "heading", 2) == ["menu"]
    for row, url in enumerate(links.urls()):
        assert links.bag("url")[row].tolist() == term_ids(url_words(url)).tolist()


def test_context_counts_stop_words_and_leaves_out_the_anchor() -> None:
    words = "w1 the w2 and w3 <a href=x>anchor words</a> v1 of v2 the v3"
    page = parse_html(words.encode(), URL, context=3)
    assert bag(page.links, "context", 0) == ["w2", "w3", "v1", "v2"]
    assert bag(parse_html(words.encode(), URL, context=0).links, "context", 0) == []


def test_context_does_not_reach_into_title_or_urls() -> None:
    links = page_of("<title>title</title><p>wolf <a href=target>x</a> web").links
    assert bag(links, "context", 0) == ["wolf", "web"]


def test_tag_path_begins_at_body_and_names_the_first_class() -> None:
    links = page_of(SAMPLE).links
    assert links.paths[1] == term_id("body/p/a")
    assert links.paths[2] == term_id("body/div.menu/ul/li/a")


def test_tag_path_keeps_the_last_twelve_tags() -> None:
    links = page_of("<section>" + "<div>" * 20 + "<a href=x>x").links
    assert links.paths[0] == term_id("/".join(["div"] * 11 + ["a"]))


def test_tag_path_is_whole_again_after_a_deeper_link() -> None:
    html = f"{'<div>' * 20}<a href=deep>x</a>{'</div>' * 8}<a href=x>y</a>"
    assert page_of(html).links.paths[1] == term_id("/".join(["div"] * 11 + ["a"]))


def test_alt_of_an_image_counts_only_without_words() -> None:
    links = page_of(
        "<a href=x><img alt=picture>word</a><a href=y><img alt=one><img alt=two></a>"
    ).links
    assert (links.anchors(), links.flags.tolist()) == (["word", "one two"], [0, LinkFlag.IMAGE])


def test_first_standing_with_words_speaks_for_a_target() -> None:
    first, second = "<h1>Wolf</h1><a href=x></a>", "<h2>Web</h2><p><a href=x>word</a>"
    links = page_of(f"{first}{second}<h3>Hunt</h3><a href=x>word</a>").links
    assert (links.anchors(), bag(links, "heading", 0)) == (["word"], ["web"])
    assert links.paths[0] == term_id("body/p/a")


def test_base_is_honoured() -> None:
    assert page_of("<base href=//other.org/x/><a href=y>y").links.urls() == ["http://other.org/x/y"]
    assert page_of("<base href=data:,><a href=y>y").links.urls() == ["http://example.org/dir/y"]


def test_frameset_pages_have_links() -> None:
    links = page_of("<frameset><frame src=a><frame src=b></frameset>").links
    assert links.urls() == ["http://example.org/dir/a", "http://example.org/dir/b"]
    assert links.paths[0] == term_id("frameset/frame")


def test_link_in_a_link_has_its_own_words() -> None:
    html = "<a href=outer>out <table><td><a href=inner>in words</a></td></table> more</a>"
    links = page_of(html).links
    assert [url[-5:] for url in links.urls()] == ["outer", "inner"]
    assert links.anchors() == ["out in words more", "in words"]


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0;url=x", "x"),
        ("3, 'x'", "x"),
        (' 1.5 ; URL = "x"trailing', "x"),
        ("10", None),
        ("url=x", None),
    ],
)
def test_meta_refresh_is_read_as_browsers_do(content: str, target: str | None) -> None:
    attribute = content.replace('"', "&quot;")
    urls = page_of(f'<meta http-equiv=refresh content="{attribute}">').links.urls()
    assert urls == ([f"http://example.org/dir/{target}"] if target else [])


@pytest.mark.parametrize(
    ("content", "flags"),
    [
        ("NoIndex", PageFlag.NOINDEX),
        ("noarchive, nofollow", PageFlag.NOFOLLOW),
        ("none", PageFlag.NOINDEX | PageFlag.NOFOLLOW),
        ("index,follow", 0),
    ],
)
def test_robots_meta_and_header_say_the_same(content: str, flags: int) -> None:
    assert page_of(f'<meta name="Robots" content="{content}">').flags == flags
    assert parse(response(X_Robots_Tag=content)).flags == flags


def test_robots_header_for_another_crawler_is_not_for_us() -> None:
    assert parse(response(x_robots_tag="otherbot: noindex")).flags == 0
    assert parse(response(x_robots_tag="Wolfspider: noindex")).flags == PageFlag.NOINDEX
    late = "unavailable_after: 25 Jun 2010, nofollow"
    assert parse(response(x_robots_tag=late)).flags == PageFlag.NOFOLLOW
    assert parse(response(x_robots_tag="nofollow, max-snippet: 9")).flags == PageFlag.NOFOLLOW


def test_parsed_page_of_a_response_is_handed_out() -> None:
    page = Page(URL)
    assert parse(Response(URL, page=page)) is page


@pytest.mark.parametrize(
    "bad",
    [
        response(status=404),
        Response(URL, 200, (), SAMPLE, "timed out"),
        response(content_type="application/pdf"),
        response(content_type="text/plain"),
        response(b"%PDF-1.4 <a href=x>x</a>", content_type="text/html"),
    ],
)
def test_failed_and_other_responses_give_an_empty_page(bad: Response) -> None:
    page = parse(bad)
    assert (page.url, page.title, page.raw_text, len(page.links)) == (URL, "", b"", 0)


@pytest.mark.parametrize("kind", ["text/html", "Application/XHTML+XML; charset=utf-8"])
def test_html_responses_are_parsed(kind: str) -> None:
    assert parse(response(Content_Type=kind)).title == "Wolf Spiders"
    assert parse(response()).title == "Wolf Spiders"


def test_charset_of_the_header_is_used() -> None:
    body = "<title>Москва</title>".encode("koi8-r")
    assert parse(response(body, content_type="text/html; charset=koi8-r")).title == "Москва"


def test_text_that_spells_our_marks_is_only_text() -> None:
    mark = "&#31;&#1;&#31;&#2;&#3;"
    links = page_of(f"<title>{mark}t{mark}</title>{mark}wolf<a href=x>{mark}web</a>{mark}").links
    assert (links.anchors(), bag(links, "anchor", 0)) == (["web"], ["web"])
    assert bag(links, "context", 0) == ["wolf"]


def test_links_are_capped() -> None:
    html = "".join(f"<a href={i}>w</a>" for i in range(MAX_LINKS + 10))
    assert len(page_of(html).links) == MAX_LINKS


def test_text_is_capped_and_later_links_have_no_words() -> None:
    page = page_of("<p>x" + "é" * MAX_TEXT + " <a href=x>anchor</a> after")
    assert page.raw_text == b"x" + "é".encode() * (MAX_TEXT // 2 - 1)  # not half an é
    assert page.links.bag("anchor")[0].size == 0


def test_unclosed_elements_have_bounded_bags() -> None:
    many = " ".join(f"w{i}" for i in range(500))
    links = page_of(f"<h1>{many} <a href=x>{many}").links
    assert links.bag("anchor")[0].size == MAX_ANCHOR_WORDS
    assert links.bag("heading")[0].size == MAX_HEADING_WORDS
    assert len(links.anchors()[0]) <= 1000


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\0" * 1000,
        b"<",
        b"<a href=",
        b"\xff\xfe\x00",
        b"<div>" * 100_000 + b"<a href=x>",
        b'<a href="' + b"x" * 1_000_000 + b'" class="' + b"y" * 1_000_000 + b'">a',
        b"<frameset>",
        b"</html></body><a href=x>y<p></a></p>",
        b"<svg><a href=x><title>t</title></a></svg>",
    ],
)
def test_strange_pages_do_not_raise(body: bytes) -> None:
    assert_sound(parse_html(body, URL))


def assert_sound(page: Page) -> None:
    """What holds for every page."""
    links = page.links
    urls, starts = links.urls(), links.bag_starts
    assert len(set(urls)) == len(urls) == len(links)
    assert URL not in urls
    assert starts[0] == 0
    assert starts[-1] == len(links.bag_ids)
    assert (np.diff(starts.astype(np.int64)) >= 0).all()
    assert links.bag_ids.all()
    assert not any("\n" in anchor for anchor in links.anchors())
    assert page.raw_text.decode() == " ".join(page.raw_text.decode().split(" "))
    assert (np.diff(page.terms.ids.astype(np.int64)) > 0).all()
    for name, most in zip(BAGS, (MAX_ANCHOR_WORDS, 20, MAX_HEADING_WORDS, 5000), strict=True):
        assert all(len(links.bag(name)[row]) <= most for row in range(len(links)))


@given(st.binary(max_size=500))
def test_any_bytes_make_a_sound_page(body: bytes) -> None:
    assert_sound(parse_html(body, URL))


def test_hashes_of_tag_paths_can_be_told_as_paths() -> None:
    links, told = parse_html(SAMPLE, URL).links, tag_paths(SAMPLE)
    paths = dict(zip(links.urls(), map(told.get, links.paths.tolist()), strict=True))
    assert paths["http://example.org/dir/a.html"] == "body/p/a"
    assert paths["http://example.org/dir/b.html"] == "body/div.menu/ul/li/a"
    assert paths["http://example.org/dir/c.html"] == "body/map/area"
    assert None not in paths.values()
    assert tag_paths(b"\xff\xfe<") == tag_paths(b"<p>no link") == {}
    umlaut = '<div class="caf\u00e9"><a href=x>y</a></div>'.encode("latin-1")
    assert list(tag_paths(umlaut, content_type="text/html; charset=latin1").values()) == [
        "body/div.caf\u00e9/a"
    ]


SNIPPETS = st.sampled_from(
    b'< > " <a\thref=q> </a> <table> <td> <h1> </h2> <!-- <svg> <template> <p> <frameset> '
    b"<base\thref=/z/> \0 \1 &#31;".split(b" ")
)


@given(st.lists(st.tuples(st.integers(0, len(SAMPLE)), st.integers(0, 40), SNIPPETS), max_size=12))
@settings(max_examples=300)
def test_damaged_html_makes_a_sound_page(damage: list[tuple[int, int, bytes]]) -> None:
    body = SAMPLE
    for at, length, snippet in damage:
        body = body[:at] + snippet + body[at + length :]
    assert_sound(parse_html(body, URL))


WORD_LISTS = st.lists(
    st.sampled_from(["the", "of", "wolf", "web", "crawl", "x", "1997"]), max_size=8
)


@given(st.lists(st.tuples(WORD_LISTS, WORD_LISTS), max_size=6), st.integers(0, 6))
def test_bags_agree_with_a_slow_reading(parts: list[tuple[list[str], list[str]]], n: int) -> None:
    words: list[str] = []
    spans = []
    html = ""
    for number, (plain, anchor) in enumerate(parts):
        html += f"{' '.join(plain)} <a href=/{number}>{' '.join(anchor)}</a> "
        words += plain
        spans.append((len(words), len(words) + len(anchor)))
        words += anchor
    links = parse_html(html.encode(), URL, context=n).links
    for row, (begin, end) in enumerate(spans):
        around = words[max(begin - n, 0) : begin] + words[end : end + n]
        assert bag(links, "anchor", row) == _slow_stems(words[begin:end])
        assert bag(links, "context", row) == _slow_stems(around)


def _slow_stems(words: list[str]) -> list[str]:
    return [stem(word) for word in words if word not in STOP_WORDS and len(word) > 1]
