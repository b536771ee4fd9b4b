"""HTML → outline: one walk over the tree that writes the text down with marks in it.

Links and headings become spans: a mark where the element begins and a mark where it ends, each
in the text itself. Then one pass of `text.marked_ids` over the whole text gives the terms of
every anchor, heading and surrounding at once, instead of one call per element.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode

from wolfspider.records import LinkFlag, PageFlag
from wolfspider.text import term_id

MAX_LINKS = 5000  # of a page; later ones are not read
MAX_ANCHOR = 1000  # characters of one anchor; more is a link that was never closed
PATH_TAGS = 12  # last tags of a tag path
ROBOTS = ("robots", "wolfspider")  # names of meta tags that speak to us

# The outer byte is a word boundary in `text.marked_ids`; no byte of a mark is in the final text.
OPEN, CLOSE, NEXT = "\x1f\x01\x1f", "\x1f\x02\x1f", "\x1f\x03\x1f"
_OPEN_BLOCK, _CLOSE_BLOCK = " " + OPEN, CLOSE + " "
_MARKS = (OPEN, CLOSE, _OPEN_BLOCK, _CLOSE_BLOCK)
_MARK_BYTES = b"\x1f\x01\x02\x03"

_SAMPLE = LexborHTMLParser("<p>text<!--comment-->")
_TEXT, _COMMENT = (node.tag_id for node in _SAMPLE.css("p")[0].iter(include_text=True))


def _tags(names: str) -> frozenset[int]:
    return frozenset(_tag(name) for name in names.split())


def _tag(name: str) -> int:
    return _SAMPLE.create_node(name).tag_id


_A, _AREA, _BASE, _IMG, _META, _TITLE = map(_tag, ("a", "area", "base", "img", "meta", "title"))
_FRAMES = _tags("frame iframe")

# What the walk does with an element. One that is not named below is a block, which separates
# words: `<td>one</td><td>two</td>` is two words, `<b>o</b>ne` is one.
_BLOCK, _INLINE, _SPAN, _CLOSED = range(4)
_KINDS = {
    **dict.fromkeys(_tags("a h1 h2 h3 h4 h5 h6"), _SPAN),
    **dict.fromkeys(
        _tags(
            "abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr "
            "q s samp small span strike strong sub sup time tt u var wbr"
        ),
        _INLINE,
    ),
    # Nothing inside is visible text: the element is noted or passed over as a whole.
    **dict.fromkeys(
        _tags(
            "script style template noscript noframes noembed iframe frame area base img meta title"
        ),
        _CLOSED,
    ),
    _COMMENT: _INLINE,
}

_REFRESH = re.compile(
    r"\s*(?:\d[\d.]*|\.[\d.]*)(?:\s*[;,]\s*|\s+)(?:url\s*=\s*)?(?:\"([^\"]*)|'([^']*)|(.+))",
    re.IGNORECASE | re.DOTALL,
)
# Plain numbers: `&` and `|` of an IntFlag cost as much as reading a link does.
NOFOLLOW, FRAME, IMAGE, REFRESH = (
    int(flag) for flag in (LinkFlag.NOFOLLOW, LinkFlag.FRAME, LinkFlag.IMAGE, LinkFlag.REFRESH)
)
_NO_CONTROLS = dict.fromkeys(range(32), " ")


@dataclass(slots=True)
class Standing:
    """A link as it stands at one place of the page."""

    href: str
    flags: int
    path: int  # hash of the tag path
    span: int
    heading: int  # span of the last heading that began before the link, or -1
    at: int  # where in the pieces of text it begins
    anchor: str = ""
    alt: str = ""


@dataclass(slots=True)
class Outline:
    """What one walk over a page finds. `pieces` are the visible text with its marks."""

    title: str = ""
    base: str = ""
    flags: int = 0  # PageFlag
    links: list[Standing] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    spans: int = 0
    closing: list[int] = field(default_factory=list)  # spans in the order in which they end

    def text(self) -> tuple[bytes, bytes]:
        """The visible text in UTF-8, with its marks and without."""
        marked = "".join(self.pieces).encode("utf-8", "replace")
        plain = marked.translate(None, _MARK_BYTES)
        if len(marked) - len(plain) == len(OPEN + CLOSE) * self.spans:
            return marked, plain
        # The page has such bytes of its own. Marks are known by identity: text can spell them.
        marks = {id(mark) for mark in _MARKS}
        self.pieces = [p if id(p) in marks else p.translate(_NO_CONTROLS) for p in self.pieces]
        return self.text()


def squeeze(text: str) -> str:
    """A text on one line: no control characters, single spaces."""
    text = " ".join(text.split())
    return text if text.isprintable() else " ".join(text.translate(_NO_CONTROLS).split())


def robots_flags(directives: str) -> int:
    """PageFlag of a robots meta tag: `noindex, nofollow` or `none`, in any case."""
    words = {word.strip().lower() for word in directives.split(",")}
    noindex = PageFlag.NOINDEX if words & {"noindex", "none"} else 0
    return int(noindex | (PageFlag.NOFOLLOW if words & {"nofollow", "none"} else 0))


def outline(html: bytes) -> Outline:
    """The outline of a page in UTF-8."""
    return _Walk().over(html)


def path_texts(html: bytes) -> dict[int, str]:
    """The tag path of each link of a page in UTF-8 by its hash: `body/div.menu/ul/li/a`."""
    walk = _PathWalk()
    walk.over(html)
    return walk.paths


class _Walk:
    """A walk in document order, without recursion: pages nest deeper than Python does."""

    def __init__(self) -> None:
        self.found = Outline()
        self._heading = -1
        self._elements: list[LexborNode] = []  # open ones, outermost first
        self._labels: list[str] = []  # theirs in a tag path, "" until one is needed
        self._kinds: list[int] = []  # and theirs of `_KINDS`
        self._spans: list[Standing | int | None] = []  # open links and headings; None: no link
        self._links: list[Standing] = []  # open links

    def over(self, html: bytes) -> Outline:
        root = LexborHTMLParser(html).root
        if root is not None:
            self.through(root)
        return self.found

    def through(self, node: LexborNode) -> None:
        """Visit a node and everything after it. This loop is most of the time of an import."""
        pieces, elements = self.found.pieces, self._elements
        labels, kinds, kind_of = self._labels, self._kinds, _KINDS.get
        while True:
            tag = node.tag_id
            if tag == _TEXT:
                pieces.append(node.text_content or "")
            elif (kind := kind_of(tag, _BLOCK)) == _CLOSED:
                self._note(node, tag)
            else:
                if kind == _BLOCK:
                    pieces.append(" ")
                elif kind == _SPAN:
                    self._begin_span(node, tag)
                if (child := node.first_child) is not None:
                    elements.append(node)
                    labels.append("")
                    kinds.append(kind)
                    node = child
                    continue
                if kind == _SPAN:
                    self._end_span()
            while (following := node.next) is None:
                if not elements:
                    return
                node = elements.pop()
                labels.pop()
                if (kind := kinds.pop()) == _BLOCK:
                    pieces.append(" ")
                elif kind == _SPAN:
                    self._end_span()
            node = following

    def _begin_span(self, node: LexborNode, tag: int) -> None:
        if tag == _A:
            self._begin_link(node)
        else:
            self._begin_heading()

    def _begin_heading(self) -> None:
        self._heading = self._open_span(_OPEN_BLOCK)
        self._spans.append(self._heading)

    def _begin_link(self, node: LexborNode) -> None:
        link = self._link(node, "href")
        self._spans.append(link)
        if link is not None:
            self._links.append(link)

    def _end_span(self) -> None:
        span = self._spans.pop()
        if isinstance(span, Standing):
            self._links.pop()
            self._name(span)
            self._close_span(span.span, CLOSE)
        elif span is not None:
            self._close_span(span, _CLOSE_BLOCK)

    def _open_span(self, mark: str) -> int:
        self.found.pieces.append(mark)
        self.found.spans += 1
        return self.found.spans - 1

    def _close_span(self, span: int, mark: str) -> None:
        self.found.pieces.append(mark)
        self.found.closing.append(span)

    def _link(self, node: LexborNode, attribute: str, flags: int = 0) -> Standing | None:
        """Open a link if the element has the attribute and the page not too many links."""
        attributes = node.attributes
        href = attributes.get(attribute)
        if href is None or len(self.found.links) >= MAX_LINKS:
            return None
        rel = attributes.get("rel")
        if rel and "nofollow" in rel.lower().split():
            flags |= NOFOLLOW
        heading, span = self._heading, self._open_span(OPEN)
        path = _path_id(self._path(node.tag or "", attributes.get("class")))
        link = Standing(href, flags, path, span, heading, len(self.found.pieces))
        self.found.links.append(link)
        return link

    def _name(self, link: Standing) -> None:
        """Give a link its anchor: its text, or else what its images say."""
        pieces = self.found.pieces[link.at : link.at + MAX_ANCHOR]
        link.anchor = squeeze("".join(pieces)[: 2 * MAX_ANCHOR])[:MAX_ANCHOR]
        if not link.anchor and link.alt:
            link.anchor = squeeze(link.alt[:MAX_ANCHOR])
            link.flags |= IMAGE if link.anchor else 0

    def _path(self, tag: str, classes: str | None) -> str:
        """The tag path, from body down."""
        labels, elements = self._labels, self._elements
        first = max(len(labels) - PATH_TAGS + 1, 1)  # 1: without html
        for at in range(first, len(labels)):
            if not labels[at]:
                labels[at] = _label(elements[at].tag or "", elements[at].attributes.get("class"))
        return "/".join([*labels[first:], _label(tag, classes)])

    def _note(self, node: LexborNode, tag: int) -> None:
        """Take what counts from an element without visible text."""
        if tag == _IMG:
            self._note_image(node)
        elif tag in _FRAMES:
            self._note_empty(self._link(node, "src", FRAME))
        elif tag == _AREA:
            link = self._link(node, "href")
            if link is not None:
                link.alt = node.attributes.get("alt") or ""
            self._note_empty(link)
        elif tag == _META:
            self._note_meta(node)
        elif tag == _TITLE:
            self.found.title = self.found.title or squeeze(node.text()[:MAX_ANCHOR])
        elif tag == _BASE:
            self.found.base = self.found.base or node.attributes.get("href") or ""

    def _note_empty(self, link: Standing | None) -> None:
        if link is not None:
            self._name(link)
            self._close_span(link.span, CLOSE)

    def _note_image(self, node: LexborNode) -> None:
        self.found.pieces.append(" ")
        if self._links:
            alt = node.attributes.get("alt")
            if alt:
                link = self._links[-1]
                link.alt = f"{link.alt} {alt}"[:MAX_ANCHOR]

    def _note_meta(self, node: LexborNode) -> None:
        attributes = node.attributes
        content = attributes.get("content") or ""
        if (attributes.get("name") or "").strip().lower() in ROBOTS:
            self.found.flags |= robots_flags(content)
        if (attributes.get("http-equiv") or "").lower() == "refresh":
            target = _REFRESH.match(content)
            if target and (link := self._link(node, "content", REFRESH)):
                link.href = next(filter(None, target.groups()), "")
                self._note_empty(link)


class _PathWalk(_Walk):
    """The same walk, which also keeps the paths that are hashed on the way."""

    def __init__(self) -> None:
        super().__init__()
        self.paths: dict[int, str] = {}

    def _path(self, tag: str, classes: str | None) -> str:
        path = super()._path(tag, classes)
        self.paths[_path_id(path)] = path
        return path


def _label(tag: str, classes: str | None) -> str:
    """`div.menu`: tag and first class."""
    first = classes.split(None, 1)[:1] if classes else None
    return f"{tag}.{first[0][:64]}" if first else tag


@lru_cache(maxsize=1 << 14)
def _path_id(path: str) -> int:
    return term_id(path)
