"""MediaWiki dumps: what becomes of articles, and of dumps that are cut, damaged or hostile."""

from __future__ import annotations

import bz2
import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import mwparserfromhell
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mwparserfromhell.nodes import Wikilink
from selectolax.lexbor import LexborHTMLParser

from wiki_dumps import (
    BASE,
    GERMAN,
    NAMES,
    body_of,
    dump,
    head,
    links_of,
    page,
    read,
    revision,
    words_of,
)
from wolfspider.errors import BadInput, DamagedFile, WolfspiderError
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.importers import wiki_xml
from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.importers.mediawiki import WikiDump, is_dump
from wolfspider.webs.importers.wiki_titles import Titles, base_of
from wolfspider.webs.importers.wikitext import article
from wolfspider.webs.recorded import RecordedWeb

ARTICLE = """{{Infobox|name={{nowrap|X}}|link=[[Hidden]]}}<!-- no -->
'''Spiders''' are [[animal]]s of the [[Class (biology)|class]] [[Arachnida#Orders|arachnids]].<ref
name="a">{{cite|[[Hidden]]}}</ref> They ''hunt''<ref name="a" /> [https://a.test/ insects].

== Webs ==
* [[silk]]
[[File:Web.jpg|thumb|A [[web]] of ''one'']]
[[Category:Spiders|*]] [[category: predatory_animals]] [[Category:Spiders]]
"""


# -- pages ---------------------------------------------------------------------------------


def test_an_article_is_a_page_with_links_and_labels(tmp_path: Path) -> None:
    [capture], found = read(tmp_path, dump(page("Spider", ARTICLE)))
    assert (capture.url, capture.status) == (BASE + "Spider", 200)
    assert capture.content_type == "text/html; charset=utf-8"
    assert capture.labels == ("Spiders", "Predatory animals")
    assert datetime.fromtimestamp(capture.date, UTC) == datetime(2020, 1, 1, tzinfo=UTC)
    assert capture.body.decode().endswith(
        "<body><h1>Spider</h1>\n"
        '<p>Spiders are <a href="/wiki/Animal">animals</a> of the '
        '<a href="/wiki/Class_(biology)">class</a> <a href="/wiki/Arachnida">arachnids</a>. '
        'They hunt <a href="https://a.test/">insects</a>.\n</p>\n'
        '<h2>Webs</h2>\n<ul><li><a href="/wiki/Silk">silk</a></li>\n</ul>\n'
        "</body></html>"
    )
    assert (found.records, found.truncated, found.left_out) == (1, False, {})
    assert found.position == found.size


@pytest.mark.parametrize(
    ("data", "location"),
    [
        (page("A", "#REDIRECT [[b c#d]]", redirect="B c"), BASE + "B_c"),
        (page("A", "#redirect: [[b c#d|e]]\n{{R}}"), BASE + "B_c"),  # as old dumps have it
        (page("A", "#WEITERLEITUNG [[B c]]", redirect="B c#d"), BASE + "B_c"),
        (page("A", "＃転送 [[B c]]", redirect="B c"), BASE + "B_c"),
        (page("A", "", redirect="Ü & Ö?"), BASE + "%C3%9C_%26_%C3%96%3F"),
        (page("A", "#REDIRECT [[de:B]]"), ""),
    ],
)
def test_redirects_lead_to_the_page_they_name(tmp_path: Path, data: str, location: str) -> None:
    [capture], _ = read(tmp_path, dump(data))
    assert (capture.url, capture.status, capture.location) == (BASE + "A", 301, location)


def test_only_articles_in_wikitext_are_pages(tmp_path: Path) -> None:
    captures, found = read(
        tmp_path,
        dump(
            page("Good", "text"),
            page("Talk:Good", "text", ns=1),
            page("Category:Good", "text", ns=14),
            page("Style", revision("p {}", model="css")),
            page("Gone", revision("", attributes='deleted="deleted"')),
            page("Blank", " \n"),
        ),
    )
    assert [capture.url for capture in captures] == [BASE + "Good"]
    assert found.records == 6
    assert found.left_out == {
        "page outside of the article namespace": 2,
        "page that is not wikitext": 1,
        "page without text": 2,
    }


def test_namespaces_show_in_the_titles_of_old_dumps(tmp_path: Path) -> None:
    pages = [page(title, "text", ns=None) for title in ("A: b", "kategorie:C", "File:D")]
    captures, _ = read(tmp_path, dump(*pages, start=head(names=GERMAN)))
    assert [capture.url for capture in captures] == [BASE + "A:_b"]


def test_every_revision_is_a_capture_of_its_date(tmp_path: Path) -> None:
    texts = ["first", "#REDIRECT [[C]]", "third"]
    revisions = [revision(text, f"20{year}-01-01T00:00:00Z") for year, text in enumerate(texts, 10)]
    captures, found = read(tmp_path, dump(page("A", *revisions), page("B", "b")))
    years = [datetime.fromtimestamp(each.date, UTC).year for each in captures]
    assert (years, [each.status for each in captures]) == (
        [2010, 2011, 2012, 2020],
        [200, 301, 200, 200],
    )
    assert [b"first" in each.body for each in captures] == [True, False, False, False]
    assert found.records == 4


def test_a_dump_becomes_a_web_whose_redirects_are_resolved(tmp_path: Path) -> None:
    (tmp_path / "dump.xml").write_bytes(
        dump(
            page("Start", '[[A B|one]], [[old name|two]], [[Ünder & "quotes"\'s?]], [[nowhere]]'),
            page("A B", "[[start]]"),
            page("Old name", "#REDIRECT [[A b (c)]]", redirect="A b (c)"),
            page("A b (c)", "text"),
            page('Ünder & "quotes"\'s?', "text"),
        )
    )
    with Compiler(tmp_path / "web", ["dump.xml"]) as compiler:
        for capture in WikiDump(tmp_path / "dump.xml"):
            compiler.add(capture)
        compiler.finish()
    about = RecordedWeb(tmp_path / "web").about
    assert (about["pages"], about["links"], about["hosts"]) == (4, 4, 1)
    assert about["left_out"] == {}


# -- titles --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "address"),
    [
        ("C++", "C%2B%2B"),
        ("AC/DC", "AC/DC"),
        ("What? (100%)", "What%3F_(100%25)"),
        ("Star Trek: Voyager", "Star_Trek:_Voyager"),
        ("O'Neill;@$!*,~", "O%27Neill;@$!*,~"),
        ("日本", "%E6%97%A5%E6%9C%AC"),
    ],
)
def test_addresses_are_spelled_as_mediawiki_does(title: str, address: str) -> None:
    assert Titles(BASE).url(title) == BASE + address


def test_small_first_letters_are_other_pages_on_some_wikis(tmp_path: Path) -> None:
    start = head("https://en.wiktionary.org/wiki/Main_Page", "case-sensitive")
    [capture], _ = read(tmp_path, dump(page("car", "[[car]]s [[Category:nouns]]"), start=start))
    assert capture.url == "https://en.wiktionary.org/wiki/car"
    assert b'<a href="/wiki/car">cars</a>' in capture.body
    assert capture.labels == ("nouns",)


def test_local_and_english_names_of_namespaces_count_in_any_case() -> None:
    titles = Titles(BASE, names=GERMAN)
    text = "[[kategorie:a]] [[CATEGORY : b]] [[Datei:x.png]] [[image:x.png|[[a]]]] [[file_:x]]"
    assert body_of(text, titles).strip() == ""
    assert article("T", text, titles).categories == ("A", "B")
    assert links_of("[[Star Trek: Voyager]]", titles) == [
        ("/wiki/Star_Trek:_Voyager", "Star Trek: Voyager")
    ]


@pytest.mark.parametrize(
    ("address", "base"),
    [
        ("https://simple.wikipedia.org/wiki/Main_Page", BASE),
        ("http://a.test/Main_Page", "http://a.test/"),
        ("http://a.test/w/index.php?title=Main_Page", "http://a.test/w/index.php?title="),
        ("http://a.test/wiki/", "http://a.test/wiki/"),
        ("javascript:alert(1)//", ""),
        ("", ""),
    ],
)
def test_the_address_before_titles_is_found(address: str, base: str) -> None:
    assert base_of(address) == base


def test_a_wiki_at_the_root_of_its_host_has_no_links_to_other_hosts() -> None:
    assert links_of("[[/evil.test/x]]", Titles("http://a.test/")) == [
        ("http://a.test//evil.test/x", "/evil.test/x")
    ]


def test_a_dump_without_its_address_needs_one(tmp_path: Path) -> None:
    data = dump(page("A", "text"), start="<mediawiki>")
    with pytest.raises(BadInput, match="does not say at which address"):
        read(tmp_path, data)
    [capture], _ = read(tmp_path, data, "http://a.test/wiki/Start")
    assert capture.url == "http://a.test/wiki/A"


# -- wikitext ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wikitext", "links"),
    [
        ("[[car]]s", [("/wiki/Car", "cars")]),
        ("[[car]]日本", [("/wiki/Car", "car")]),
        ("[[a_b  c]]", [("/wiki/A_b_c", "a_b c")]),
        ("[[a|b|c]]", [("/wiki/A", "b|c")]),
        ("[[a|b\nc]]", [("/wiki/A", "b c")]),
        ("[[a\nb]]", []),
        ("[[|x]]", []),
        ("[[]]", []),
        ("[[#section]] [[#section|x]]", []),
        ("[[Foo#bar|baz]]", [("/wiki/Foo", "baz")]),
        ("[[Foo (bar)|]]", [("/wiki/Foo_(bar)", "Foo (bar)")]),
        ("[[AT&amp;T]] [[AT&T]]", [("/wiki/AT%26T", "AT&T")] * 2),
        ("[[a%20b]]", [("/wiki/A_b", "a%20b")]),
        ("[[a|''b'' <small>c</small>]]", [("/wiki/A", "b c")]),
        ("[[[a]]]", [("/wiki/A", "a")]),
        ("[[a|[[b]]]]", [("/wiki/B", "b")]),
        ("[[a [[b]]", [("/wiki/B", "b")]),
        ("{{ open [[a]]", [("/wiki/A", "a")]),
        ("[[a|x {{t|]]}} y]]", [("/wiki/A", "x y")]),
        ("[[:Category:X|text]] [[:File:x.png]] [[Special:Random|r]]", []),
        ("[[Wikipedia:About|us]]", [("/wiki/Wikipedia:About", "us")]),
        ("[[de:Haus]] [[zh-min-nan:X]] [[:fr:Maison|in French]] [[wikt:house]]", []),
        ("[[a<b]] [[a{b]] [[a\u0007b]]", []),
        ("[[" + "a" * 256 + "]]", []),
        ("[http://a.test/?b=1&c=2 d]", [("http://a.test/?b=1&c=2", "d")]),
        ("[//a.test d]", [("https://a.test", "d")]),
        ("[javascript:alert(1) d] [mailto:a@b d]", []),
        ("[http://a.test b\nc]", []),
        ("[[File:x|thumb|[http://a.test b]]] [[c]]", [("/wiki/C", "c")]),
        ("<nowiki>[[a]]</nowiki> <pre>[[b]]</pre> <!-- [[c]] --> <math>[[d]]</math>", []),
        ("<ref>[[a]] [[b]]", [("/wiki/A", "a"), ("/wiki/B", "b")]),  # never closed
        ("{|\n! [[Wham!!|a]] || [[b|c|d]]\n|}", [("/wiki/Wham!!", "a"), ("/wiki/B", "c|d")]),
    ],
)
def test_links_are_read_as_mediawiki_does(wikitext: str, links: list[tuple[str, str]]) -> None:
    assert links_of(wikitext) == links


@pytest.mark.parametrize(
    ("wikitext", "words"),
    [
        ("'''Bold''' and ''italic'' l'eau", "Bold and italic l'eau"),
        ("a {{b|c={{d}}|{{{e|f}}}}} g", "a g"),
        ("a {{b }} c }} d {{ e", "a c }} d {{ e"),
        ("a<ref>b</ref><ref name=c/> d<ref>e</ref>", "a d"),
        ("a <!-- b", "a"),
        ("__NOTOC__a__b__", "a__b__"),
        ("[[:Category:X|text]] [[#s]] [[:fr:Y|in French]]", "text #s in French"),
        ("a<br>b<br/>c <div class='x'>d</div>", "a b c d"),
        ("R&B &amp; AT&T; &copy; &notes &lt;b>", "R&B & AT&T; © &notes <b>"),
        ("<nowiki>''a'' {{b}}\n* c</nowiki>", "''a'' {{b}} * c"),
        ("1 < 2 <unknown> x", "1 < 2 <unknown> x"),
        ("<includeonly>a</includeonly><noinclude>b</noinclude>", "b"),
        ("; term : meaning\n:: indented\n# one", "term : meaning indented one"),
        ("----\ntext", "text"),
        ("a [[b|", "a [[b|"),
        ("[http://a.test b [[c]]]", "[http://a.test b c]"),
    ],
)
def test_the_words_are_those_that_readers_see(wikitext: str, words: str) -> None:
    assert words_of(wikitext) == words


def test_tables_keep_the_text_of_their_cells() -> None:
    wikitext = """before
:{| class="wikitable" style="[[a]]"
|+ style="x" | Caption
! scope=col | Name !! Colour
|- bgcolor=red
| [[Fly|flies]] || align="left" | green
more
|
{|
| inner
|}
|}
after"""
    assert body_of(wikitext) == (
        "<p>before\n</p>\n<table><tr><td>Caption</td><th>Name</th><th>Colour</th></tr>\n"
        '<tr><td><a href="/wiki/Fly">flies</a></td><td>green<p>more\n</p>\n</td><td>'
        "<table><tr><td>inner</td></tr>\n</table>\n</td></tr>\n</table>\n<p>after\n</p>\n"
    )


def test_tables_that_are_not_closed_end_with_the_page() -> None:
    assert body_of("{|\n| a\n{|\ntext") == (
        "<table><tr><td>a<table><tr><td><p>text\n</p>\n</td></tr>\n</table>\n</td></tr>\n</table>\n"
    )


@pytest.mark.parametrize("level", [1, 2, 6])
def test_headings_have_their_level(level: int) -> None:
    marks = "=" * level
    assert body_of(f"{marks} A = [[b]] {marks}") == (
        f'<h{level}>A = <a href="/wiki/B">b</a></h{level}>\n'
    )


_MARKS = (
    "{{ }} {{{ }}} [[ ]] | || [http://a.test [//b ] {| |} |- |+ ! !! = == * # : ; '' ''' <!-- --> "
    "<ref> </ref> <nowiki> </nowiki> <pre> </pre> <b> </b> <script> </script> <br> < > & &lt; \" ' "
    "onclick= javascript: File: Category: de: # __TOC__ a b \n"
)
_ELEMENTS = "body h1 h2 h3 h4 h5 h6 p ul li table tbody tr td th a -text"
_WIKITEXT = (
    st.lists(st.sampled_from(_MARKS.split(" ")) | st.text(max_size=5)).map("".join) | st.text()
)


@given(_WIKITEXT, st.text())
@settings(max_examples=300, deadline=None)
def test_no_wikitext_makes_anything_but_harmless_html(wikitext: str, title: str) -> None:
    html = article(title, wikitext, Titles(BASE, names=NAMES)).html
    body = LexborHTMLParser(html).body
    assert body is not None
    for node in body.traverse(include_text=True):
        assert node.tag in _ELEMENTS.split()
        if node.tag != "-text":
            assert set(node.attributes) == ({"href"} if node.tag == "a" else set())
    for link in body.css("a"):
        assert (link.attributes["href"] or "").startswith(("/wiki/", "http://", "https://"))


@given(_WIKITEXT)
@settings(max_examples=300, deadline=None)
def test_the_html_is_balanced(wikitext: str) -> None:
    html = body_of(wikitext)
    for tag in ("p", "ul", "li", "table", "tr", "td", "th", "a", "h2"):
        assert html.count(f"<{tag}>") + html.count(f"<{tag} ") == html.count(f"</{tag}>")


_PLAIN = st.text("abc d", min_size=1).filter(str.strip)
_LINK = st.builds("[[{}|{}]]".format, _PLAIN, _PLAIN)
_SANE = st.recursive(
    _PLAIN | _LINK | st.builds("<ref>{} {}</ref>".format, _PLAIN, _LINK),
    lambda inner: st.builds("{{{{t|{}}}}} x {}".format, inner, inner),
)


@given(st.lists(_SANE).map("\n\n".join))
@settings(max_examples=200, deadline=None)
def test_links_outside_of_templates_are_those_another_parser_finds(wikitext: str) -> None:
    nodes = mwparserfromhell.parse(wikitext).nodes
    expected = [" ".join(str(node.text).split()) for node in nodes if isinstance(node, Wikilink)]
    titles = Titles(BASE)
    found = LexborHTMLParser(article("T", wikitext, titles).html).css("a")
    trailed = [link.text() for link in found]
    assert len(trailed) == len(expected)
    assert all(map(str.startswith, trailed, expected))  # behind them may be letters


@pytest.mark.parametrize("mark", ["{{", "[[", "{{a|", "[[a|", "{|\n", "<ref>", "<b x=", "[//a "])
def test_a_page_of_open_marks_is_read_to_its_end(mark: str) -> None:
    """At 2 MB each; quadratic time would be hours."""
    wikitext = mark * (wiki_xml.MOST // len(mark)) + "\n\n[[the end]]"
    assert links_of(wikitext)[-1:] == [("/wiki/The_end", "the end")]


@pytest.mark.parametrize(
    ("mark", "inside", "end"),
    [
        ("[[a\n", "x\n", "]]"),
        ("[[a|", "x", "]]"),
        ("[[", "{{}}", "\n]]"),
        ("[//a ", "<", "\n]"),
        ("[//a [[", "<", "\n]] ]"),
    ],
)
def test_a_page_in_a_thousand_links_is_read_to_its_end(mark: str, inside: str, end: str) -> None:
    """At 2 MB each; to look at the inside for every link would take minutes."""
    middle = inside * (wiki_xml.MOST // len(inside) - 10_000)
    wikitext = mark * 1000 + middle + end * 1000 + "\n\n[[the end]]"
    assert links_of(wikitext)[-1:] == [("/wiki/The_end", "the end")]


@pytest.mark.parametrize("target", ["a\nb", "a" * 1001, "x [[b]]", "x [[y [[b]] ]]"])
def test_what_can_be_no_target_is_text(target: str) -> None:
    assert "/wiki/A" not in body_of(f"[[a{target}]]")
    assert "[[a" in words_of(f"[[a{target}]]")
    assert links_of(f"[[a{target}]] [[c]]")[-1:] == [("/wiki/C", "c")]


def test_a_link_around_another_never_is_one() -> None:
    for wikitext in ("[[x|[[y|[[b]]]]]]", "[//x [//y [[b]]]]", "[[x|[//y [[b]]]]]"):
        assert links_of(wikitext) == [("/wiki/B", "b")]


def test_long_titles_are_not_remembered() -> None:
    titles = Titles(BASE)
    for number in range(100):
        assert titles.place(f"{number}" + "a" * 10_000).title == ""
    assert titles._remembered.cache_info().currsize == 0


def test_spaces_behind_a_redirect_are_passed_over_at_once(tmp_path: Path) -> None:
    """At 2 MB; quadratic time would be hours."""
    [capture], _ = read(tmp_path, dump(page("A", "#REDIRECT" + " " * 2_000_000 + "x")))
    assert capture.status == 200


@pytest.mark.parametrize(
    ("date", "seconds"),
    [
        ("9999-12-31T23:59:59-23:00", 0.0),
        ("9999-12-31T23:59:59.999999", 0.0),
        ("0001-01-01T00:00:00+23:00", 0.0),
        ("9999-12-31T23:59:59Z", 253402300799.0),
        ("1969-12-31T23:59:59Z", -1.0),
        ("yesterday", 0.0),
    ],
)
def test_dates_that_could_not_be_written_are_0(tmp_path: Path, date: str, seconds: float) -> None:
    data = page("A", "a").replace("2020-01-01T00:00:00Z", date)
    assert date in data
    captures, _ = read(tmp_path, dump(data))
    assert [capture.date for capture in captures] == [seconds]
    with Compiler(tmp_path / "web") as compiler:
        compiler.add(captures[0])
        compiler.finish()


def test_nesting_beyond_all_sense_is_text() -> None:
    assert words_of("{{a|" * 999 + "}}" * 999) == ""
    assert words_of("{{a|" * 1500 + "}}" * 1500).startswith("{{a|{{a|")
    assert body_of("{|\n| a\n" * 30).count("<table>") == 20


# -- files ---------------------------------------------------------------------------------

Pack = Callable[[bytes], bytes]
PAGES = [page(f"Page {number}", f"text {number} [[Page 0]] " * 50) for number in range(200)]
WHOLE = dump(*PAGES)


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> list[Capture]:
    captures, _ = read(tmp_path_factory.mktemp("originals"), WHOLE)
    return captures


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("dumps")


def multistream(data: bytes) -> bytes:
    """As Wikimedia's multistream dumps: a bzip2 stream for every hundred pages."""
    return b"".join(bz2.compress(data[at : at + 30_000]) for at in range(0, len(data), 30_000))


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, multistream])
def test_every_packing_reads_alike(folder: Path, originals: list[Capture], pack: Pack) -> None:
    packed = pack(WHOLE)
    captures, found = read(folder, packed)
    assert captures == originals
    assert (found.truncated, found.position, found.left_out) == (False, len(packed), {})
    assert is_dump(found.path)


def test_a_byte_order_mark_is_no_damage(folder: Path, originals: list[Capture]) -> None:
    assert read(folder, b"\xef\xbb\xbf" + WHOLE)[0] == originals


@pytest.mark.parametrize("share", [0.3, 0.9999])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, multistream])
def test_a_cut_dump_gives_the_whole_pages_before_the_cut(
    folder: Path, originals: list[Capture], pack: Pack, share: float
) -> None:
    packed = pack(WHOLE)
    captures, found = read(folder, packed[: int(len(packed) * share)])
    assert found.truncated
    assert found.left_out == {"page that is cut off": 1}
    assert captures == originals[: len(captures)]
    assert len(captures) >= share * 100 - 30  # what was in the last stream is lost


@given(st.integers(0, len(WHOLE) - 20))
@settings(max_examples=100, deadline=None)
def test_a_cut_anywhere_costs_what_is_behind_it(
    folder: Path, originals: list[Capture], at: int
) -> None:
    whole = WHOLE[:at].count(b"</revision>")
    if not whole:
        with pytest.raises(DamagedFile):
            read(folder, WHOLE[:at])
    else:
        captures, found = read(folder, WHOLE[:at])
        assert (captures, found.truncated) == (originals[:whole], True)


def test_damage_inside_of_a_stream_ends_the_dump_there(
    folder: Path, originals: list[Capture]
) -> None:
    packed = bytearray(multistream(WHOLE))
    packed[len(packed) // 2] ^= 0xFF
    captures, found = read(folder, bytes(packed))
    assert found.truncated
    assert found.left_out["rest of a file whose compressed data is damaged"] == 1
    assert captures == originals[: len(captures)]
    assert captures


@pytest.mark.parametrize("rubbish", [b"<", b"</x>", b"&", b"<![CDATA[ ", b"<page>", b"<!-- --"])
def test_broken_xml_costs_the_page_in_which_it_is(
    folder: Path, originals: list[Capture], rubbish: bytes
) -> None:
    at = WHOLE.index(b"text 77")
    captures, found = read(folder, WHOLE[:at] + rubbish + WHOLE[at:])
    assert found.left_out["damaged page"] == 1
    assert not found.truncated
    lost = [original.url for original in originals if original not in captures]
    assert BASE + "Page_77" in lost
    assert len(lost) <= 2  # the next one, if its beginning was taken for text


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_pieces_of_any_size_read_alike(size: int) -> None:
    data = dump(page("A", "a"), page("B", "b").replace("<id>", "<"), *PAGES[:3])
    parser = wiki_xml.DumpParser(Path("dump.xml"))
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    titles = [revision.title for piece in pieces for revision in parser.feed(piece)]
    assert titles == ["A", "Page 0", "Page 1", "Page 2"]
    assert (parser.damaged, parser.closed) == (1, True)


def test_two_dumps_in_one_file_are_both_read(folder: Path, originals: list[Capture]) -> None:
    captures, found = read(folder, WHOLE + WHOLE)
    assert (captures, found.truncated) == (originals * 2, False)
    assert found.left_out == {}


def test_bytes_that_are_not_utf8_are_replaced_and_counted(tmp_path: Path) -> None:
    data = dump(page("A", "caf\u00e9 x\ty"), page("B", "good"))
    data = data.replace("\u00e9".encode(), b"\xe9").replace(b"x\t", b"x\0\x01")
    captures, found = read(tmp_path, data)
    assert "caf\ufffd x\ufffd\ufffdy" in captures[0].body.decode()
    assert len(captures) == 2
    assert found.left_out == {"character that is not UTF-8": 3}


def test_a_page_that_is_too_large_is_passed_over(tmp_path: Path) -> None:
    pages = [page("A", "a"), page("B", "b" * (wiki_xml.MOST + 1)), page("C", "c" * wiki_xml.MOST)]
    captures, found = read(tmp_path, dump(*pages))
    assert [capture.url for capture in captures] == [BASE + "A", BASE + "C"]
    assert found.left_out == {"page that is too large": 1}


@pytest.mark.parametrize(
    "hostile",
    [
        "<x>" * 100_000,
        f'<redirect title="{"a" * (3 << 20)}"/>',
        f"<!--{'a' * (3 << 20)}-->",
        f"<title>{'a' * (1 << 20)}</title>",
    ],
    ids=["deep", "attribute", "comment", "title"],
)
def test_xml_made_to_fill_memory_costs_one_page(tmp_path: Path, hostile: str) -> None:
    bad = page("B", "b").replace("<id>", hostile + "<id>")
    captures, found = read(tmp_path, dump(page("A", "a"), bad, page("C", "c")))
    assert [capture.url for capture in captures] == [BASE + "A", BASE + "C"]
    assert found.left_out.total() == 1


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "holds no whole page"),
        (b"plain text", "is not XML"),
        (b"<html><page></page></html>", "its XML is <html>, not <mediawiki>"),
        (b'<!DOCTYPE x [<!ENTITY a "b">]><mediawiki/>', "has a DOCTYPE"),
        (WHOLE.decode().encode("utf-16"), "is not XML in UTF-8"),
        (dump(), "holds no whole page"),
        (gzip.compress(WHOLE, mtime=0)[:20], "holds no whole page"),
        (b"BZh91AY&SY" + b"\0" * 50, "holds no whole page"),
        (b"7z\xbc\xaf\x27\x1c" + b"\0" * 50, "is packed with 7z; unpack it"),
    ],
)
def test_what_is_no_dump_is_refused_with_a_sentence(
    tmp_path: Path, data: bytes, sentence: str
) -> None:
    with pytest.raises(DamagedFile, match=sentence):
        read(tmp_path, data)


@given(st.binary(), st.sampled_from([b"", b"<mediawiki>", b"BZh9", b"\x1f\x8b\x08", WHOLE[:3000]]))
@settings(max_examples=200, deadline=None)
def test_rubbish_gives_sentences_and_nothing_else(
    folder: Path, rubbish: bytes, start: bytes
) -> None:
    assume(b"<mediawiki" not in rubbish)
    with suppress(WolfspiderError):
        read(folder, start + rubbish)
    assert is_dump(folder / "dump.xml") == (b"<mediawiki" in start)


@pytest.mark.parametrize(
    ("begin", "expected"),
    [
        ("<mediawiki>", True),
        ('\ufeff <?xml version="1.0"?>\n<!-- a --> <!-- b -->\n<mediawiki xml:lang="de">', True),
        ("<mediawikis>", False),
        ("x<mediawiki>", False),
        ("<html><mediawiki>", False),
        ("<!-- <mediawiki>", False),
        ("<!--" * 1000, False),
    ],
)
def test_a_dump_shows_in_its_first_element(tmp_path: Path, begin: str, expected: bool) -> None:
    (tmp_path / "x").write_text(begin, "utf-8")
    assert is_dump(tmp_path / "x") == expected


def test_files_that_are_not_there_or_folders_are_refused(tmp_path: Path) -> None:
    assert not is_dump(tmp_path / "none.xml")
    assert not is_dump(tmp_path)
    for path in (tmp_path / "none.xml", tmp_path):
        with pytest.raises(BadInput, match="cannot read"):
            list(WikiDump(path))


# -- memory --------------------------------------------------------------------------------

_PEAK = """
import json, sys
from pathlib import Path
from wolfspider.webs.importers.mediawiki import WikiDump
pages = sum(1 for _ in WikiDump(Path(sys.argv[1])))
status = Path("/proc/self/status").read_text()
print(json.dumps([pages, int(status.split("VmHWM:")[1].split()[0]) * 1024]))
"""


def _peak(path: Path) -> tuple[int, int]:
    """Captures of a dump, and the most bytes that a process of its own held to read them."""
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, str(path)], check=True, stdout=subprocess.PIPE, timeout=120
    )
    pages, peak = json.loads(done.stdout)
    return pages, peak


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell")
def test_memory_does_not_grow_with_the_dump(tmp_path: Path) -> None:
    """Twenty-fold, up to 12 MB, and one page of 40 MB at the end of it."""
    for name, count in (("small", 10), ("large", 200)):
        with (tmp_path / name).open("w") as file:
            file.write(head())
            for number in range(count):
                file.write(page(f"Page {number}", ARTICLE * 100))
            if name == "large":
                file.write(page("Huge", "word " * 8_000_000))
            file.write("</mediawiki>")
    (few, small), (many, large) = _peak(tmp_path / "small"), _peak(tmp_path / "large")
    assert (few, many) == (10, 200)
    assert large - small < 16 << 20
