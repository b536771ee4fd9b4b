"""MediaWiki dumps made by hand, in the form in which Wikimedia publishes them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from selectolax.lexbor import LexborHTMLParser

from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.importers.mediawiki import WikiDump
from wolfspider.webs.importers.wiki_titles import Titles
from wolfspider.webs.importers.wikitext import article

BASE = "https://simple.wikipedia.org/wiki/"
DATE = "2020-01-01T00:00:00Z"
NAMES = {-1: "Special", 0: "", 1: "Talk", 4: "Wikipedia", 6: "File", 10: "Template", 14: "Category"}
GERMAN = NAMES | {6: "Datei", 14: "Kategorie"}


def head(
    base: str = BASE + "Main_Page", case: str = "first-letter", names: Mapping[int, str] = NAMES
) -> str:
    """The beginning of a dump, with what it says about its wiki."""
    spaces = "".join(f'<namespace key="{key}">{name}</namespace>' for key, name in names.items())
    return (
        '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" '
        'xml:lang="en">\n<siteinfo><sitename>Wikipedia</sitename><dbname>simplewiki</dbname>'
        f"<base>{base}</base><case>{case}</case><namespaces>{spaces}</namespaces></siteinfo>\n"
    )


def page(title: str, *revisions: str, ns: int | None = 0, redirect: str = "") -> str:
    """A page; a revision is its text or made by `revision`."""
    parts = [f"<title>{escape(title)}</title>", f"<ns>{ns}</ns>" if ns is not None else ""]
    parts += ["<id>1</id>", f"<redirect title={quoteattr(redirect)} />" if redirect else ""]
    parts += [each if each.startswith("<revision>") else revision(each) for each in revisions]
    return f"<page>\n{''.join(parts)}</page>\n"


def revision(text: str, date: str = DATE, model: str = "wikitext", attributes: str = "") -> str:
    """One state of a page. Another slot stands behind the text, as Wikimedia Commons has it."""
    return (
        f"<revision><id>7</id><timestamp>{date}</timestamp><contributor><username>title"
        f"</username></contributor><comment>text</comment><model>{model}</model>"
        f'<format>text/x-wiki</format><text xml:space="preserve" {attributes}>{escape(text)}</text>'
        "<sha1>x</sha1><content><role>data</role><model>json</model><text>{}</text></content>"
        "</revision>"
    )


def dump(*pages: str, start: str | None = None) -> bytes:
    """A whole dump."""
    return "".join([head() if start is None else start, *pages, "</mediawiki>\n"]).encode()


def read(folder: Path, data: bytes, base: str = "") -> tuple[list[Capture], WikiDump]:
    """What a dump of these bytes holds."""
    path = folder / "dump.xml"
    path.write_bytes(data)
    found = WikiDump(path, base)
    return list(found), found


def body_of(wikitext: str, titles: Titles | None = None) -> str:
    """What stands in the body behind the title of an article."""
    html = article("T", wikitext, titles or Titles(BASE, names=NAMES)).html
    return html.partition("</h1>\n")[2].removesuffix("</body></html>")


def links_of(wikitext: str, titles: Titles | None = None) -> list[tuple[str, str]]:
    """Target and anchor of each link, as a browser sees them."""
    tree = LexborHTMLParser(body_of(wikitext, titles))
    return [(a.attributes["href"] or "", a.text()) for a in tree.css("a")]


def words_of(wikitext: str) -> str:
    """The text that a browser shows."""
    return " ".join(LexborHTMLParser(f"<body>{body_of(wikitext)}").text(separator="").split())
