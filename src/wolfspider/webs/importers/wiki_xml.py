"""The XML of a MediaWiki dump → revisions of pages, in a stream and with bounded memory.

Where the XML breaks, the reader goes on at the next `<page>`. Nothing is kept of a page but the
fields below, and of these no more than `MOST` characters.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers.expat import ExpatError, ParserCreate, XMLParserType

from wolfspider.errors import DamagedFile

MOST = 2 << 20  # characters of a page's text; MediaWiki itself takes no longer ones
_MOST_OF_A_FIELD = 1 << 16  # of any other
_MOST_NAMES = 10_000  # namespaces
_DEEPEST = 100  # elements within elements
_LONGEST_TAG = 1 << 20  # bytes; until a tag ends, the parser must keep all of it

_PAGE = b"<page>"
_TEXT = "page/revision/text"
_FIELDS = (
    "siteinfo/base",
    "siteinfo/case",
    "siteinfo/namespaces/namespace",
    "page/title",
    "page/ns",
    "page/revision/timestamp",
    "page/revision/model",
    _TEXT,
)


@dataclass(slots=True)
class Site:
    """What a dump says about its wiki."""

    base: str = ""  # the address of its main page
    case: str = ""
    names: dict[int, str] = field(default_factory=dict)  # of namespaces


@dataclass(frozen=True, slots=True)
class Revision:
    """A page as it was at one time. `text` is None if it is too long."""

    title: str
    namespace: int | None
    redirect: str  # the title to which the page leads now, or ""
    timestamp: str
    model: str
    text: str | None


class _Broken(Exception):
    """The XML is well-formed, and still nothing that can be read."""


class DumpParser:
    """Takes the bytes of a dump in UTF-8, piece by piece, and gives the revisions in them.

    `damaged` counts the places at which the XML broke. `closed` says whether it came to its end.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.site = Site()
        self.damaged = 0
        self.closed = False
        self._lost = False  # looking for the next page
        self._tail = b""  # what was last seen, while looking
        self._rooted = False
        self._fed = 0  # bytes that the parser was given
        self._found: list[Revision] = []
        self._page: dict[str, str] = {}
        self._revision: dict[str, str | None] = {}
        self._begin()

    def feed(self, data: bytes) -> list[Revision]:
        """The revisions that end in these bytes."""
        while data:
            data = self._to_next_page(data) if self._lost else self._parse(data)
        found, self._found = self._found, []
        return found

    def _parse(self, data: bytes) -> bytes:
        """What is left of the data when the XML breaks."""
        before, self._fed = self._fed, self._fed + len(data)
        try:
            self._parser.Parse(data, False)
            if self._fed - self._parser.CurrentByteIndex <= _LONGEST_TAG:
                return b""
        except (ExpatError, _Broken) as error:
            if not self._rooted:
                raise self._no_dump("it is not XML in UTF-8") from error
        self.damaged += not self.closed
        self._lost = True
        return data[max(1, self._parser.CurrentByteIndex - before) :]

    def _to_next_page(self, data: bytes) -> bytes:
        data = self._tail + data
        at = data.find(_PAGE)
        if at < 0:
            self._tail = data[1 - len(_PAGE) :]
            return b""
        self._begin()
        self._parser.Parse(b"<mediawiki>", False)
        self._fed = len(b"<mediawiki>")
        return data[at:]

    def _begin(self) -> None:
        self._parser: XMLParserType = ParserCreate("utf-8")
        self._parser.buffer_text = True
        self._parser.buffer_size = 1 << 16
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartCdataSectionHandler = self._cdata
        self._fed = 0
        self._lost, self._tail = False, b""
        self._path: list[str] = []
        self._at = ""  # the field that is open
        self._pieces: list[str] = []
        self._size = 0

    def _no_dump(self, why: str) -> DamagedFile:
        return DamagedFile(
            f"{self.path} is not a MediaWiki dump: {why}; "
            "give a pages-articles.xml, plain or compressed with bzip2 or gzip"
        )

    # -- what the parser calls -------------------------------------------------------------

    def _doctype(self, *_: object) -> None:
        raise self._no_dump("it has a DOCTYPE, which no dump has")  # nor entities that explode

    def _cdata(self) -> None:
        raise _Broken  # no dump has any; without an end it would swallow all pages behind it

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._path.append(name)
        if len(self._path) == 1:
            self._root(name)
        elif len(self._path) > _DEEPEST:
            raise _Broken
        where = "/".join(self._path[1:5])
        if where in _FIELDS:
            self._at, self._pieces, self._size = where, [], 0
            self._key = attributes.get("key", "")
        elif where == "page":
            self._page = {}
        elif where == "page/revision":
            self._revision = {}
        elif where == "page/redirect":
            self._page["redirect"] = attributes.get("title", "")

    def _root(self, name: str) -> None:
        if name != "mediawiki":
            raise self._no_dump(f"its XML is <{name[:40]}>, not <mediawiki>")
        self._rooted, self.closed = True, False

    def _characters(self, text: str) -> None:
        if self._at and len(self._path) == self._at.count("/") + 2:
            self._size += len(text)
            self._pieces.append(text)
            if self._size > (MOST if self._at == _TEXT else _MOST_OF_A_FIELD):
                self._pieces.clear()

    def _end(self, name: str) -> None:
        where = "/".join(self._path[1:5])
        self._path.pop()
        if where == self._at and len(self._path) == where.count("/") + 1:
            self._keep(where, "".join(self._pieces))
            self._at, self._pieces = "", []
        elif where == "page/revision":
            self._found.append(self._whole())
        elif not self._path:
            self.closed = True

    def _keep(self, where: str, value: str) -> None:
        area, _, name = where.rpartition("/")
        if where == _TEXT:
            self._revision["text"] = value if self._size <= MOST else None
        elif area == "page/revision":
            self._revision[name] = value
        elif area == "page":
            self._page[name] = value
        elif name == "namespace":
            if len(self.site.names) < _MOST_NAMES and (key := _number(self._key)) is not None:
                self.site.names[key] = value
        else:
            setattr(self.site, name, value)

    def _whole(self) -> Revision:
        page, revision = self._page, self._revision
        return Revision(
            page.get("title", ""),
            _number(page.get("ns", "")),
            page.get("redirect", ""),
            revision.get("timestamp") or "",
            revision.get("model") or "",
            revision.get("text", ""),
        )


def _number(text: str) -> int | None:
    try:
        return int(text[:20])
    except ValueError:
        return None
