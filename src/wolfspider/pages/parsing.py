"""HTML → Page: title, visible text, terms, and every link with the words that point to it.

    body → tame → UTF-8 → outline (one walk over the tree) → one stream of term ids → Links

A page is always read to the end of what is allowed and never raises; bad markup, bad bytes and
bad URLs give a smaller page. The limits are `tame`'s (body, nesting), `MAX_TEXT`, and
`outline.MAX_LINKS`. Sitemaps and feeds have a reader of their own, with `sitemaps.Caps`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from wolfspider.pages.encodings import decode_utf8
from wolfspider.pages.outline import (
    IMAGE,
    MAX_ANCHOR,
    NEXT,
    ROBOTS,
    Outline,
    Standing,
    outline,
    path_texts,
    robots_flags,
)
from wolfspider.pages.sitemaps import is_sitemap, links_of, may_be_sitemap, read_sitemap
from wolfspider.pages.tame import tame
from wolfspider.records import NO_LINKS, Links, Page, Response, TermIds
from wolfspider.text import LAST_MARK, count_terms, marked_ids
from wolfspider.urls import canonical, fingerprints, host, join_all, url_words

MAX_TEXT = 1_000_000  # bytes of visible text; links beyond have no words
MAX_ANCHOR_WORDS = 50
MAX_HEADING_WORDS = 30

_HTML_TYPES = ("text/html", "application/xhtml+xml", "application/xml", "text/xml", "")
_BINARY = (b"%PDF-", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"PK\x03\x04", b"\x1f\x8b", b"RIFF")
_ROBOTS_VALUES = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")

_OPEN, _CLOSE, _NEXT = 1, 2, LAST_MARK

_SPACE = ord(" ")
_SPACES = bytes(_SPACE if byte in b"\t\n\v\f\r" else byte for byte in range(0x100))

_BAG_EDGES = np.array((0, 1, 3, 4))  # of five slices per link

Positions = NDArray[np.intp]


def parse(response: Response, *, context: int = 10) -> Page:
    """The page in a response: the one it already holds, or an empty one if it holds none.

    Empty are pages that failed, that are not HTML by their Content-Type, and those that say
    they are and begin like a PDF, an image or an archive. A sitemap or feed is a page without
    words, whose links are what it lists. Robots headers count as robots meta.
    """
    if response.page is not None:
        return response.page
    if response.error or response.status >= 300:
        return Page(response.url)
    content_type = ", ".join(_headers(response, "content-type"))
    if _is_sitemap(response, content_type):
        links = links_of(read_sitemap(response.body, response.url), response.url)
        page = Page(response.url, links=links)
    elif is_html(response.body, content_type):
        page = parse_html(response.body, response.url, content_type=content_type, context=context)
    else:
        return Page(response.url)
    flags = page.flags
    for value in _headers(response, "x-robots-tag"):
        flags |= _header_flags(value)
    return page if flags == page.flags else replace(page, flags=flags)


def parse_html(body: bytes, url: str, *, content_type: str = "", context: int = 10) -> Page:
    """The page in an HTML body found at `url`. Never raises.

    The context of a link is the `context` words before and after it, stop words counted but
    left out. Its heading is the last one that began before it. A target that stands several
    times has its anchors joined and everything else from the first standing with anchor words.
    Links to the page itself are left out.
    """
    found = outline(decode_utf8(tame(body), content_type))
    targets = _targets(found, url)
    marked, text = found.text()
    pictures = [link for link in found.links if link.flags & IMAGE]
    tails = [found.title, *(link.anchor for link in pictures)]
    tails += map(_words_of_url, targets)
    stream = _Stream.of(marked[:MAX_TEXT], found, tails)
    terms = count_terms(stream.ids[: stream.before[stream.tails[1]]])
    links = _links(found.links, targets, stream, context) if targets else NO_LINKS
    return Page(url, found.title, _squeezed(text), terms, links, found.flags)


def tag_paths(body: bytes, *, content_type: str = "") -> dict[int, str]:
    """The tag paths of the links of an HTML body by their hashes in `Links.paths`. Never raises."""
    return path_texts(decode_utf8(tame(body), content_type))


def _headers(response: Response, name: str) -> list[str]:
    return [value for key, value in response.headers if key.lower() == name]


def is_html(body: bytes, content_type: str) -> bool:
    """Whether a body is worth parsing: HTML by its type, and not a PDF or picture that lies."""
    kind = content_type.split(";", 1)[0].strip().lower()
    return kind in _HTML_TYPES and not body.startswith(_BINARY)


def _is_sitemap(response: Response, content_type: str) -> bool:
    return (
        response.status == 200
        and may_be_sitemap(content_type, response.url)
        and is_sitemap(response.body)
    )


def _header_flags(value: str) -> int:
    """PageFlag of an X-Robots-Tag header; `name: …` speaks to one crawler only."""
    name, colon, rest = value.partition(":")
    if not colon or "," in name or name.strip().lower() in _ROBOTS_VALUES:
        return robots_flags(value)
    return robots_flags(rest) if name.strip().lower() in ROBOTS else 0


def _targets(found: Outline, url: str) -> dict[str, list[int]]:
    """Distinct targets in the order of the page, each with its standings."""
    base = (canonical(found.base, url) if found.base else None) or url
    hrefs = list(dict.fromkeys(link.href for link in found.links))
    joined = dict(zip(hrefs, join_all(base, hrefs), strict=True))
    nowhere = (None, canonical(url))
    targets: dict[str, list[int]] = {}
    for row, link in enumerate(found.links):
        if (target := joined[link.href]) not in nowhere:
            targets.setdefault(target, []).append(row)
    return targets


@lru_cache(maxsize=1 << 15)
def _words_of_url(url: str) -> str:
    """The words of a URL, remembered: the pages of a site share most of their links."""
    return " ".join(url_words(url))


def _squeezed(text: bytes) -> bytes:
    """Single spaces, and no more than `MAX_TEXT` bytes, which end with a whole character."""
    letters = np.frombuffer(text.translate(_SPACES), np.uint8)
    kept = letters != _SPACE
    kept[1:] |= kept[:-1].copy()  # the first space after a word
    short: bytes = letters[kept].tobytes().rstrip()
    if len(short) <= MAX_TEXT:
        return short
    return short[:MAX_TEXT].decode("utf-8", "ignore").encode()


@dataclass(frozen=True, slots=True, eq=False)
class _Stream:
    """All words of a page in one array: its text, then the tails that were hung on it.

    Places are counted in words; `before[place]` terms stand before a place, so the terms of the
    words from place i to j are `ids[before[i] : before[j]]`.
    """

    ids: TermIds
    before: Positions
    begin: Positions  # place of each span; span -1 stands for none and is empty
    end: Positions
    tails: Positions  # place where each tail begins, and where the last one ends

    @classmethod
    def of(cls, marked: bytes, found: Outline, tails: Sequence[str]) -> _Stream:
        tokens = marked_ids(marked + NEXT.join(["", *tails, ""]).encode("utf-8", "replace"))
        is_mark = (tokens <= LAST_MARK) & (tokens > 0)
        marks = is_mark.nonzero()[0]
        kinds, places = tokens[marks], marks - np.arange(len(marks))
        words = tokens[~is_mark]
        kept = words != 0
        before = np.zeros(len(words) + 1, np.intp)
        np.cumsum(kept, out=before[1:])
        hung = places[kinds == _NEXT]
        begin, end = np.full((2, found.spans + 1), hung[0])  # where marks beyond MAX_TEXT are
        opens, closes = places[kinds == _OPEN], places[kinds == _CLOSE]
        begin[: len(opens)] = opens
        end[found.closing[: len(closes)]] = closes
        return cls(words[kept], before, begin, end, hung)


def _links(
    standings: list[Standing], targets: dict[str, list[int]], stream: _Stream, context: int
) -> Links:
    urls = list(targets)
    anchors = _Anchors(standings, stream)
    chosen = [standings[anchors.add(rows)] for rows in targets.values()]
    hosts: dict[str, int] = {}
    host_of = [hosts.setdefault(host(url), len(hosts)) for url in urls]
    pairs = zip(urls, anchors.texts, strict=True)
    return Links.pack(
        fingerprints(urls),
        [f"{url}\n{anchor}".encode("utf-8", "replace") for url, anchor in pairs],
        list(hosts),
        np.array(host_of),
        np.array([link.path for link in chosen]),
        np.array([link.flags for link in chosen]),
        *_bags(chosen, stream, anchors, context),
    )


class _Anchors:
    """The anchor of each target in turn: its text, and its terms as a slice of `ids`."""

    def __init__(self, standings: list[Standing], stream: _Stream) -> None:
        self._standings = standings
        self._ids = stream.ids
        self._starts, self._ends = _anchor_slices(standings, stream)
        self._joined: list[int] = []
        self.texts: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def add(self, rows: list[int]) -> int:
        """Take the next target and say which of its standings speaks for it."""
        row = rows[0]
        if len(rows) > 1:
            row = next((r for r in rows if self._ends[r] > self._starts[r]), row)
            texts = list(dict.fromkeys(filter(None, (self._standings[r].anchor for r in rows))))
            if len(texts) > 1:
                self._join(rows, texts)
                return row
        self._put(self._standings[row].anchor, self._starts[row], self._ends[row])
        return row

    def _join(self, rows: list[int], texts: list[str]) -> None:
        """Hang the union of the terms on the end, where `_bags` finds it."""
        slices = [self._ids[self._starts[r] : self._ends[r]].tolist() for r in rows]
        start = len(self._ids) + len(self._joined)
        self._joined += dict.fromkeys(term for terms in slices for term in terms)
        self._put(" ".join(texts)[:MAX_ANCHOR], start, len(self._ids) + len(self._joined))

    def _put(self, text: str, start: int, end: int) -> None:
        self.texts.append(text)
        self.starts.append(start)
        self.ends.append(min(end, start + MAX_ANCHOR_WORDS))

    @property
    def ids(self) -> TermIds:
        """The terms of the stream with those of joined anchors after them."""
        if not self._joined:
            return self._ids
        return np.concatenate((self._ids, np.array(self._joined, np.uint32)))


def _anchor_slices(standings: list[Standing], stream: _Stream) -> tuple[list[int], list[int]]:
    """Where the anchor terms of each standing begin and end; pictures have theirs in the tails."""
    spans = np.array([link.span for link in standings], np.intp)
    starts, ends = stream.before[stream.begin[spans]], stream.before[stream.end[spans]]
    pictures = [row for row, link in enumerate(standings) if link.flags & IMAGE]
    tails = stream.before[stream.tails[1 : len(pictures) + 2]]  # 0 is the title
    starts[pictures], ends[pictures] = tails[:-1], tails[1:]
    return starts.tolist(), ends.tolist()


def _bags(
    chosen: list[Standing], stream: _Stream, anchors: _Anchors, context: int
) -> tuple[Positions, TermIds]:
    """`bag_starts` and `bag_ids` of `Links`: five slices of terms per link, laid end to end."""
    before, count = stream.before, len(chosen)
    span = np.array([link.span for link in chosen], np.intp)
    heading = np.array([link.heading for link in chosen], np.intp)
    begin, end, title = stream.begin[span], stream.end[span], before[stream.begin[heading]]
    urls = before[stream.tails[-count - 1 :]]
    starts = np.array(
        (anchors.starts, before[np.maximum(begin - context, 0)], before[end], title, urls[:-1])
    )
    ends = np.array(
        (
            anchors.ends,
            before[begin],
            before[np.minimum(end + context, stream.tails[0])],
            np.minimum(before[stream.end[heading]], title + MAX_HEADING_WORDS),
            urls[1:],
        )
    )
    return _lay(starts.T.ravel(), ends.T.ravel(), anchors.ids)


def _lay(starts: Positions, ends: Positions, ids: TermIds) -> tuple[Positions, TermIds]:
    """Lay slices of `ids` end to end; of each five the second and third are one bag: context."""
    lengths = ends - starts
    edges = np.zeros(len(lengths) + 1, np.intp)
    np.cumsum(lengths, out=edges[1:])
    places = np.repeat(starts - edges[:-1], lengths) + np.arange(edges[-1])
    bags = edges[_BAG_EDGES + np.arange(0, len(lengths), 5)[:, None]]
    return np.append(bags, edges[-1]), ids[places]
