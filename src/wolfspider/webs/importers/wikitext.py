"""Wikitext → HTML: the words and links of an article, without templates, notes and pictures.

    wikitext → one pass with a stack (templates, links, tags) → lines → blocks → document

The time is linear in the length of the text whatever is in it, and nothing raises. mwparserfromhell
knows more of the syntax, but its time is quadratic in what is left open: 32 KB of `{{a|` take
half a minute in C, where nothing can stop it.

Everything that reaches the document is escaped or made here: its elements are those of
`wiki_blocks` and `<a href>`, and `href` is a page of the wiki or http(s).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from wolfspider.webs.importers.wiki_blocks import blocks
from wolfspider.webs.importers.wiki_titles import CATEGORY, FILE, LANGUAGE, LONGEST_TARGET, Titles

_DEEPEST = 1000  # marks open at once; with more, those before are text

_MARK = re.compile(r"\{\{+|\}\}+|\[\[(?!\[)|\]\]?|\[(?=(?:https?:)?//)|<")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)\b([^<>]*)>")
_ADDRESS = re.compile(r"\[(?:https?:)?//[^\s\[\]<>\"{}]+[ \t]*")
# Letters right behind a link belong to its anchor: `[[car]]s`. Where words are not set apart
# by spaces they do not, so only scripts are here in which they are.
_TRAIL = re.compile("[a-zß-öø-ÿāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĵķĺļľłńņňŏőœŕŗřśŝşšţťũūŭůűŵŷźżžа-џα-ώ]+")
_AMPERSAND = re.compile(r"&(?!#?\w{1,31};)")  # begins no entity
_LITERAL = re.compile(r"[^\w\s&]|_")


def _tags(names: str) -> frozenset[str]:
    return frozenset(names.split())


# Tags whose inside is no text of the article, or is text and no wikitext.
_DROPPED = _tags(
    "ref references math chem ce gallery timeline score hiero imagemap graph categorytree inputbox "
    "templatedata templatestyles indicator mapframe maplink section script style includeonly"
)
_LITERALS = _tags("nowiki pre syntaxhighlight source")
# Tags that are passed over and their inside read. A block separates words.
_INLINE = _tags(
    "abbr b bdi bdo big cite code data del dfn em font i ins kbd mark noinclude onlyinclude poem q "
    "rb rp rt rtc ruby s samp small span strike strong sub sup time tt u var wbr"
)
_BLOCKS = _tags(
    "blockquote br caption center dd div dl dt h1 h2 h3 h4 h5 h6 hr li ol p table tbody td tfoot "
    "th thead tr ul"
)
_KNOWN = _DROPPED | _LITERALS | _INLINE | _BLOCKS
_CLOSING = {
    name: re.compile(rf"</{name}\s*>", re.IGNORECASE | re.ASCII) for name in _DROPPED | _LITERALS
}


@dataclass(frozen=True, slots=True)
class Article:
    """An article: its document and its categories, each once, in order."""

    html: str
    categories: tuple[str, ...]


@dataclass(slots=True)
class _Open:
    """A mark that waits for its end."""

    mark: str
    at: int  # where in the pieces it stands; what is inside comes after
    braces: int = 0
    around: bool = False  # has a link inside, so it cannot be one
    broken: bool = False  # has a line end inside, so it cannot be an external link


def article(title: str, wikitext: str, titles: Titles) -> Article:
    """The article as a page. Never raises."""
    reader = _Reader(titles)
    body = blocks(reader.read(wikitext))
    name = escape(title)
    html = (
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{name}</title></head>'
        f"<body><h1>{name}</h1>\n{body}</body></html>"
    )
    return Article(html, tuple(reader.categories))


class _Reader:
    """One pass over a text. `pieces` are HTML; what turns out not to count is taken off again."""

    def __init__(self, titles: Titles) -> None:
        self.categories: dict[str, None] = {}
        self._titles = titles
        self._pieces: list[str] = []
        self._open: list[_Open] = []
        self._never_closed: set[str] = set()  # tags without an end in the rest of the text
        self._handlers: dict[str, Callable[[str, re.Match[str]], int]] = {
            "{": self._open_braces,
            "}": self._close_braces,
            "[": self._open_link,
            "]": self._close_brackets,
            "<": self._tag,
        }

    def read(self, text: str) -> str:
        text = _AMPERSAND.sub("&amp;", text)
        at, pieces, search, handlers = 0, self._pieces, _MARK.search, self._handlers
        while found := search(text, at):
            start = found.start()
            if start > at:
                pieces.append(text[at:start])
            at = handlers[text[start]](text, found)
        pieces.append(text[at:])
        return "".join(pieces)

    def _wait(self, mark: str, braces: int = 0) -> None:
        if len(self._open) == _DEEPEST:
            self._open.clear()
        self._open.append(_Open(mark, len(self._pieces), braces))
        self._pieces.append(mark)  # stays as text if no end comes

    # -- templates -------------------------------------------------------------------------

    def _open_braces(self, text: str, found: re.Match[str]) -> int:
        self._wait(found[0], len(found[0]))
        return found.end()

    def _close_braces(self, text: str, found: re.Match[str]) -> int:
        """Take off what is in the braces: two are a template, three an argument."""
        self._leave_addresses()
        left = len(found[0])
        while left >= 2 and self._open and self._open[-1].braces:
            last = self._open[-1]
            matched = min(left, last.braces, 3)
            left, last.braces = left - matched, last.braces - matched
            self._pieces[last.at :] = ["{" * last.braces]
            if last.braces < 2:
                self._open.pop()
        self._pieces.append("}" * left)
        return found.end()

    def _leave_addresses(self) -> None:
        """External links that are still open here are none."""
        while self._open and self._open[-1].mark == "[":
            self._open.pop()

    # -- links -----------------------------------------------------------------------------

    def _open_link(self, text: str, found: re.Match[str]) -> int:
        if found[0] == "[[":
            self._wait("[[")
            return found.end()
        address = _ADDRESS.match(text, found.start())
        if address is None:
            self._pieces.append("[")
            return found.end()
        self._wait("[")
        self._pieces.append(address[0][1:])
        return address.end()

    def _close_brackets(self, text: str, found: re.Match[str]) -> int:
        mark = self._open[-1].mark if self._open else ""
        if mark == "[":
            self._close_address(self._open.pop())
            return found.start() + 1
        if mark == "[[" and found[0] == "]]":
            return self._close_link(self._open.pop(), text, found.end())
        self._pieces.append(found[0])
        return found.end()

    def _close_address(self, link: _Open) -> None:
        if not (link.around or link.broken):
            address, *words = self._pieces[link.at + 1 :]
            anchor = "".join(words)
            if "\n" not in anchor:
                scheme = "https:" if address.startswith("//") else ""
                self._replace(link, _anchor(scheme + address.strip(), anchor))
                return
            link.broken = True
        self._leave(link, "]")

    def _close_link(self, link: _Open, text: str, at: int) -> int:
        """The link that ends at `at`, with the letters behind it; returns where these end."""
        target = self._target(link.at + 1)
        if target is None:
            self._leave(link, "]]")
            return at
        place = self._titles.place(target)
        if not place.spoken_of and place.namespace in (FILE, CATEGORY, LANGUAGE):
            if place.namespace == CATEGORY and place.title:
                self.categories[place.title.partition(":")[2]] = None
            del self._pieces[link.at :]
        elif link.around:
            self._leave(link, "]]")
        else:
            words = "".join(self._pieces[link.at + 1 :]).partition("|")[2]
            words = words.strip() or target.strip().removeprefix(":")
            trail = _TRAIL.match(text, at)
            if trail:
                words, at = words + trail[0], trail.end()
            if place.title and place.namespace >= 0 and place.namespace not in (FILE, CATEGORY):
                words = _anchor(self._titles.path(place.title), words)
            self._replace(link, words)
        return at

    def _target(self, at: int) -> str | None:
        """What stands before the first bar; None if that is more than one line, or too long.

        It ends at a link that was left as text, too: no piece is looked at for two links.
        """
        parts: list[str] = []
        left = LONGEST_TARGET
        for number in range(at, len(self._pieces)):
            part, bar, _ = self._pieces[number].partition("|")
            left -= len(part)
            if left < 0 or "\n" in part or part == "[[":
                return None
            parts.append(part)
            if bar:
                break
        return "".join(parts)

    def _leave(self, link: _Open, end: str) -> None:
        """Both marks are text; what holds for the inside also holds for what is around it."""
        self._pieces.append(end)
        if self._open:
            self._open[-1].around |= link.around
            self._open[-1].broken |= link.broken

    def _replace(self, link: _Open, html: str) -> None:
        self._pieces[link.at :] = [html]
        if self._open:
            self._open[-1].around = True

    # -- tags ------------------------------------------------------------------------------

    def _tag(self, text: str, found: re.Match[str]) -> int:
        start = found.start()
        if text.startswith("<!--", start):
            end = text.find("-->", start + 4)
            return end + 3 if end >= 0 else len(text)
        tag = _TAG.match(text, start)
        name = tag[2].lower() if tag else ""
        if tag is None or name not in _KNOWN:
            self._pieces.append("&lt;")
            return start + 1
        if name in _BLOCKS:
            self._pieces.append(" ")
        elif name in _CLOSING and not tag[1] and not tag[3].endswith("/"):
            return self._pass_over(name, text, tag.end())
        return tag.end()

    def _pass_over(self, name: str, text: str, at: int) -> int:
        """Go behind the end tag; if there is none, the tag alone is passed over."""
        end = None if name in self._never_closed else _CLOSING[name].search(text, at)
        if end is None:
            self._never_closed.add(name)
            return at
        if name in _LITERALS:
            self._pieces.append(_LITERAL.sub(_entity, text[at : end.start()]))
        return end.end()


def _anchor(href: str, words: str) -> str:
    """A link on one line, without the marks that separate the cells of a table."""
    words = " ".join(words.split())
    html = f'<a href="{href}">{words}</a>'
    return html.replace("|", "&#124;").replace("!!", "&#33;&#33;")


def _entity(found: re.Match[str]) -> str:
    return f"&#{ord(found[0])};"
