"""Sitemaps: XML, indexes of them, plain lists, RSS and Atom feeds, each perhaps gzipped.

Read by expat, which fetches nothing; a file that declares an entity is not read any further, so
none is ever expanded. Everything is capped, and what was read before a fault or a cap counts.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import chain
from xml.parsers import expat

from wolfspider.urls import MAX_LENGTH, canonical

_ROOTS = frozenset(("urlset", "sitemapindex", "rss", "feed", "RDF"))
_ENTRIES = frozenset(("url", "sitemap", "item", "entry"))
_ADDRESS = frozenset(("loc", "link", "guid"))
_DATE = frozenset(("lastmod", "pubDate", "updated", "published", "date"))
_DEEPEST = 64
_BLANK = b"\xef\xbb\xbf \t\r\n"


@dataclass(frozen=True, slots=True)
class Caps:
    """How much is read; sitemaps.org allows 50 MB and 50,000 URLs in a file."""

    inflated: int = 10 << 20  # bytes of a file
    urls: int = 50_000  # of a file
    depth: int = 2  # of indexes in indexes
    files: int = 500
    total: int = 200_000  # URLs of a walk


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


class _Enough(Exception):
    """Reading ends here, for the reason given."""


Fetch = Callable[[str], Awaitable[bytes]]


async def walk(
    roots: Sequence[str],
    fetch: Fetch,
    caps: Caps = Caps(),  # noqa: B008  # frozen
) -> AsyncIterator[Entry]:
    """The pages of these sitemaps and, if they are indexes, of those they list; each URL once.

    `fetch` gives the body, empty for a failure, and never raises. No file is read twice, so
    indexes may point at each other.
    """
    waiting = [(url, 0) for url in dict.fromkeys(roots)]
    known = set(roots)
    given: set[str] = set()
    files = 0
    while waiting and files < caps.files and len(given) < caps.total:
        url, depth = waiting.pop(0)
        files += 1
        body = await fetch(url)
        sitemap = await asyncio.to_thread(read_sitemap, body, url, caps)  # may take a second
        for entry in sitemap.pages:
            if entry.url not in given and len(given) < caps.total:
                given.add(entry.url)
                yield entry
        for entry in sitemap.sitemaps if depth < caps.depth else ():
            if entry.url not in known and len(known) < caps.files:
                known.add(entry.url)
                waiting.append((entry.url, depth + 1))


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


def _inflated(body: bytes, most: int) -> Iterator[bytes]:
    """The bytes of a file, gunzipped if need be, in pieces and never more than `most`."""
    size = 0
    for piece in _gunzipped(body) if body[:2] == b"\x1f\x8b" else _pieces(body):
        yield piece[: most - size]
        size += len(piece)
        if size > most:
            raise _Enough(f"longer than {most} bytes; the rest was not read")


def _pieces(body: bytes) -> Iterator[bytes]:
    for start in range(0, len(body), 1 << 16):
        yield body[start : start + (1 << 16)]


def _gunzipped(body: bytes) -> Iterator[bytes]:
    while body[:2] == b"\x1f\x8b":  # a gzip file may have several members
        inflater = zlib.decompressobj(31)
        while not inflater.eof:
            piece = inflater.decompress(body, 1 << 16)
            body = inflater.unconsumed_tail
            if not piece and not body and not inflater.eof:
                raise _Enough("the gzip file ends too early")
            if piece:
                yield piece
        body = inflater.unused_data


def _read_lines(found: Sitemap, first: bytes, chunks: Iterator[bytes], caps: Caps) -> None:
    rest = b""
    for chunk in chain((first,), chunks, (b"\n",)):
        *lines, rest = (rest + chunk).replace(b"\r", b"\n").split(b"\n")
        rest = rest[: 2 * MAX_LENGTH]  # of a longer line, enough to see that it is too long
        for line in lines:
            address = canonical(line.decode("utf-8", "replace"))
            if address is not None:
                _add(found.pages, Entry(address), caps)


def _add(entries: list[Entry], entry: Entry, caps: Caps) -> None:
    if len(entries) >= caps.urls:
        raise _Enough(f"more than {caps.urls} URLs; the rest was not read")
    entries.append(entry)


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
                _add(entries, Entry(address, date), self.caps)
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
