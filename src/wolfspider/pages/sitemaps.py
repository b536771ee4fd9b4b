"""Sitemaps: XML, indexes of them, plain lists, RSS and Atom feeds, each perhaps gzipped.

    Content-Type and URL → may_be_sitemap → is_sitemap → read_sitemap → links_of → Links

Read by expat, which fetches nothing; a file that declares an entity is not read any further, so
none is ever expanded. Everything is capped, and what was read before a fault or a cap counts.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import chain, islice
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from wolfspider.pages.outline import NEXT
from wolfspider.records import BAGS, NO_LINKS, Links, TermIds
from wolfspider.text import LAST_MARK, marked_ids
from wolfspider.urls import MAX_LENGTH, canonical, fingerprints, host, url_words

MOST_HOSTS = (1 << 16) - 1  # `Links` numbers them with 16 bits
MOST_MEMBERS = 1024  # gzip files in one body; a bomb can be many small ones

_XML_TYPES = frozenset(
    f"{kind}/{form}"
    for kind in ("text", "application")
    for form in ("xml", "rss+xml", "atom+xml", "rdf+xml")
)
_PACKED_TYPES = frozenset(
    ("application/gzip", "application/x-gzip", "application/octet-stream", "binary/octet-stream")
)
_ROOTS = frozenset(("urlset", "sitemapindex", "rss", "feed", "RDF"))
_ENTRIES = frozenset(("url", "sitemap", "item", "entry"))
_ADDRESS = frozenset(("loc", "link", "guid"))
_DATE = frozenset(("lastmod", "pubDate", "updated", "published", "date"))
_DEEPEST = 64
_PIECE = 64 << 10
_PACKED_PIECE = 16 << 10
_GZIP = b"\x1f\x8b"
_SNIFFED = 8 << 10  # bytes in which the root element begins
_BLANK = b"\xef\xbb\xbf \t\r\n"


@dataclass(frozen=True, slots=True)
class Caps:
    """How much is read; sitemaps.org allows 50 MB and 50,000 URLs in a file."""

    inflated: int = 10 << 20  # bytes of a file
    urls: int = 50_000  # of a file
    text: int = 16 << 20  # characters of these together: a long base makes each of them long


@dataclass(frozen=True, slots=True)
class Entry:
    """A page, and when it last changed, if that is said and can be read."""

    url: str
    lastmod: datetime | None = None


@dataclass(slots=True)
class Sitemap:
    """What one file lists: pages, or other sitemaps if it is an index."""

    pages: list[Entry] = field(default_factory=list)
    sitemaps: list[Entry] = field(default_factory=list)
    problem: str = ""  # why reading ended early
    size: int = 0  # characters of all URLs

    def add(self, entries: list[Entry], entry: Entry, caps: Caps) -> None:
        """Append to `pages` or `sitemaps`, as far as the caps allow."""
        self.size += len(entry.url)
        if len(entries) >= caps.urls:
            raise _Enough(f"more than {caps.urls} URLs; the rest was not read")
        if self.size > caps.text:
            raise _Enough(f"URLs of more than {caps.text} characters; the rest was not read")
        entries.append(entry)


class _Enough(Exception):
    """Reading ends here, for the reason given."""


def may_be_sitemap(content_type: str, url: str) -> bool:
    """Whether a body of this type at this address is worth a look; as cheap as it sounds."""
    kind = content_type.split(";", 1)[0].strip().lower()
    if kind == "text/html":
        return False
    if kind in _XML_TYPES:
        return True
    path = url.partition("://")[2].partition("?")[0].partition("/")[2].lower()
    if "sitemap" not in path:
        return False
    return kind == "text/plain" or (kind in _PACKED_TYPES and path.endswith(".gz"))


def is_sitemap(body: bytes) -> bool:
    """Whether a file, gunzipped if need be, begins like a sitemap or feed in XML; XHTML does not.

    The name in a DOCTYPE counts too: a file whose entities keep it from being read has no other.
    """
    names: list[str] = []
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = lambda name, *_: names.append(name)

    def root(name: str, _: dict[str, str]) -> None:
        names.append(name)
        parser.StartElementHandler = None

    parser.StartElementHandler = root
    with suppress(_Enough, zlib.error, expat.ExpatError, ValueError, LookupError):
        first = next(_inflated(body, _SNIFFED), b"")
        parser.Parse(first.lstrip(_BLANK), False)
    return any(name.rpartition(":")[2] in _ROOTS for name in names)


def read_sitemap(body: bytes, url: str, caps: Caps = Caps()) -> Sitemap:  # noqa: B008
    """What a file at `url` lists. Never raises: a file that is broken lists less."""
    found = Sitemap()
    chunks = _inflated(body, caps.inflated)
    try:
        first = next(chunks, b"").lstrip(_BLANK)
        marked = first.startswith((b"\xff\xfe", b"\xfe\xff"))  # UTF-16: only XML comes so
        if first.startswith(b"<") or marked:
            _XmlReader(found, url, caps).read(first, chunks)
        else:
            _read_lines(found, first, chunks, caps)
    except (_Enough, zlib.error) as reason:
        found.problem = str(reason)
    except (expat.ExpatError, ValueError, LookupError) as error:
        found.problem = f"not well-formed: {error}"
    return found


def links_of(sitemap: Sitemap, url: str, caps: Caps = Caps()) -> Links:  # noqa: B008
    """The sitemaps and pages that a file at `url` lists, as links without any words but their own.

    Each stands once; the file itself, and what is beyond the caps, is left out.
    """
    listed = dict.fromkeys(entry.url for entry in chain(sitemap.sitemaps, sitemap.pages))
    listed.pop(canonical(url) or url, None)
    hosts: dict[str, int] = {}
    host_of: dict[str, int] = {}
    for address in islice(listed, caps.urls):
        name = host(address)
        if name in hosts or len(hosts) < MOST_HOSTS:
            host_of[address] = hosts.setdefault(name, len(hosts))
    urls, count = list(host_of), len(host_of)
    if not count:
        return NO_LINKS
    return Links.pack(
        fingerprints(urls),
        [f"{address}\n".encode() for address in urls],
        list(hosts),
        np.fromiter(host_of.values(), np.uint16, count),
        np.zeros(count, np.uint32),
        np.zeros(count, np.uint8),
        *_url_bags(urls),
    )


def _url_bags(urls: list[str]) -> tuple[NDArray[np.intp], TermIds]:
    """`bag_starts` and `bag_ids` of `Links` where all bags but the last are empty."""
    words = NEXT.join(["", *(" ".join(url_words(url)) for url in urls), ""])
    tokens = marked_ids(words.encode("utf-8", "replace"))
    is_mark = tokens == LAST_MARK
    kept = (tokens != 0) & ~is_mark
    edges = np.cumsum(kept)[is_mark]
    starts = np.append(np.repeat(edges[:-1], len(BAGS)), edges[-1])
    return starts, tokens[kept]


def _inflated(body: bytes, most: int) -> Iterator[bytes]:
    """The bytes of a file, gunzipped if need be, in pieces and never more than `most`."""
    size = 0
    for piece in _gunzipped(body) if body.startswith(_GZIP) else _pieces(body):
        yield piece[: most - size]
        size += len(piece)
        if size > most:
            raise _Enough(f"longer than {most} bytes; the rest was not read")


def _pieces(body: bytes) -> Iterator[bytes]:
    for start in range(0, len(body), _PIECE):
        yield body[start : start + _PIECE]


def _gunzipped(body: bytes) -> Iterator[bytes]:
    at = 0
    for _ in range(MOST_MEMBERS):
        inflater = zlib.decompressobj(31)
        while not inflater.eof:
            packed = body[at : at + _PACKED_PIECE]  # small, for what is left of it is copied
            piece = inflater.decompress(packed, _PIECE)
            at += len(packed) - len(inflater.unconsumed_tail) - len(inflater.unused_data)
            if piece:
                yield piece
            elif not packed:
                raise _Enough("the gzip file ends too early")
        if not body.startswith(_GZIP, at):
            return
    raise _Enough(f"more than {MOST_MEMBERS} gzip members; the rest was not read")


def _read_lines(found: Sitemap, first: bytes, chunks: Iterator[bytes], caps: Caps) -> None:
    rest = b""
    for chunk in chain((first,), chunks, (b"\n",)):
        *lines, rest = (rest + chunk).replace(b"\r", b"\n").split(b"\n")
        rest = rest[: 2 * MAX_LENGTH]  # of a longer line, enough to see that it is too long
        for line in lines:
            address = canonical(line.decode("utf-8", "replace"))
            if address is not None:
                found.add(found.pages, Entry(address), caps)


class _XmlReader:
    """Follows expat through a file: which element we are in, and what its entry has said so far.

    Prefixes are cut off rather than looked up, as many files never declare theirs; `image:loc`
    is no page because its parent is not an entry.
    """

    def __init__(self, found: Sitemap, url: str, caps: Caps) -> None:
        self.found = found
        self.url = url
        self.caps = caps
        self._open: list[str] = []
        self._text: list[str] = []
        self._length = 0
        self._links: dict[str, list[str]] = {}
        self._dates: list[str] = []

    def read(self, first: bytes, chunks: Iterator[bytes]) -> None:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.EntityDeclHandler = self._entity
        parser.Parse(first, False)
        for chunk in chunks:
            parser.Parse(chunk, False)
        parser.Parse(b"", True)

    def _entity(self, name: str, *_: object) -> None:
        raise _Enough(f"it declares the entity {name[:40]!r}")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if not self._open and name not in _ROOTS:
            raise _Enough(f"a file that begins with <{name[:40]}> is no sitemap")
        if len(self._open) >= _DEEPEST:
            raise _Enough(f"nested more than {_DEEPEST} deep")
        if name in _ENTRIES:
            self._links, self._dates = {}, []
        elif name == "link" and self._parent() == "entry" and _is_page(attributes):
            self._links.setdefault("link", []).append(attributes["href"])
        self._open.append(name)
        self._text, self._length = [], 0

    def _characters(self, text: str) -> None:
        if self._length <= MAX_LENGTH:
            self._text.append(text)
            self._length += len(text)

    def _end(self, _: str) -> None:
        name = self._open.pop()
        text = "".join(self._text).strip()
        self._text, self._length = [], 0
        if name in _ENTRIES:
            if name == "sitemap" and text:  # some forget <loc>
                self._links.setdefault("loc", []).append(text)
            self._finish(name)
        elif self._parent() in _ENTRIES and text:
            if name in _ADDRESS:
                self._links.setdefault(name, []).append(text)
            elif name in _DATE:
                self._dates.append(text)

    def _parent(self) -> str:
        return self._open[-1] if self._open else ""

    def _finish(self, kind: str) -> None:
        # A guid is an address only if nothing better is there, and a full one.
        links = self._links.get("loc") or self._links.get("link")
        base = self.url if links else None
        addresses = [canonical(a, base) for a in links or self._links.get("guid", [])]
        date = next((d for d in map(_moment, self._dates) if d is not None), None)
        entries = self.found.sitemaps if kind == "sitemap" else self.found.pages
        for address in dict.fromkeys(addresses):
            if address is not None:
                self.found.add(entries, Entry(address, date), self.caps)
        self._links, self._dates = {}, []


def _is_page(link: dict[str, str]) -> bool:
    """Whether an Atom link leads to the page of its entry, rather than to the feed, an image …"""
    return "href" in link and link.get("rel", "alternate") == "alternate"


def _moment(text: str) -> datetime | None:
    """The time that a W3C or an RFC 822 date means, in UTC; a date without zone is in UTC."""
    try:
        if text[:4].isdigit():
            padded = text + "-01-01"[len(text) - 4 :] if len(text) in (4, 7) else text
            found = datetime.fromisoformat(padded)
        else:
            found = parsedate_to_datetime(text)
        return found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
