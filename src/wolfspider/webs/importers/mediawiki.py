"""MediaWiki XML dumps, plain or compressed with bzip2 or gzip, as captures.

    bytes → UTF-8 → DumpParser → Revision → article or redirect → Capture

Articles become HTML pages, their categories labels. Of a dump with its whole history every
revision is a capture with a date of its own.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from io import BufferedIOBase, BufferedReader
from pathlib import Path

from wolfspider.errors import BadInput, DamagedFile
from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.importers.dates import from_iso
from wolfspider.webs.importers.files import opened, size_of
from wolfspider.webs.importers.wiki_titles import Titles, base_of
from wolfspider.webs.importers.wiki_xml import DumpParser, Revision, Site
from wolfspider.webs.importers.wikitext import article

_CHUNK = 1 << 16
_PEEKED = 1 << 12
_HTML = "text/html; charset=utf-8"
_OTHERS = {b"7z\xbc\xaf": "7z", b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zX": "xz", b"PK\x03\x04": "zip"}
_REDIRECT = re.compile(r"\s*+#REDIRECT\s*+(?::\s*+)?\[\[([^\]|\n]*)", re.IGNORECASE)
_BEGIN = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<\?xml\b[^>]*+>\s*+)?(?:<!--.*?-->\s*+)*+<mediawiki\b", re.DOTALL
)
_UNREADABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # in XML


class WikiDump:
    """The captures of one dump, in the order of the file; iterate once.

    `base` is the address that stands before the titles of pages, for a dump that does not tell.
    """

    def __init__(self, path: Path, base: str = "") -> None:
        self.path = path
        self.size = size_of(path)
        self.position = 0
        self.records = 0
        self.truncated = False
        self._base = base
        self._left_out: Counter[str] = Counter()

    @property
    def left_out(self) -> Counter[str]:
        return +(self._left_out + Counter({"page that is cut off": int(self.truncated)}))

    def __iter__(self) -> Iterator[Capture]:
        parser, titles = DumpParser(self.path), None
        for data in self._read():
            for revision in parser.feed(data):
                self.records += 1
                titles = titles or self._titles(parser.site)
                if (capture := self._capture(revision, titles)) is not None:
                    yield capture
        self.truncated = self.truncated or not parser.closed
        self._left_out["damaged page"] += parser.damaged
        if not self.records:
            raise DamagedFile(
                f"{self.path} holds no whole page; "
                "give a pages-articles.xml, plain or compressed with bzip2 or gzip"
            )

    def _titles(self, site: Site) -> Titles:
        base = base_of(self._base or site.base)
        if not base:
            raise BadInput(
                f"{self.path} does not say at which address its wiki stands; "
                "give --base URL, such as --base https://simple.wikipedia.org/wiki/"
            )
        return Titles(base, site.case != "case-sensitive", site.names)

    # -- revision → capture ----------------------------------------------------------------

    def _capture(self, revision: Revision, titles: Titles) -> Capture | None:
        reason = _why_not(revision, titles)
        if reason:
            self._left_out[reason] += 1
            return None
        url, date, text = (
            titles.url(revision.title),
            from_iso(revision.timestamp),
            revision.text or "",
        )
        target = _redirect(revision, text, titles)
        if target is not None:
            location = titles.url(target) if target else ""
            return Capture(url, date, 301, location=location)
        if not text.strip():
            self._left_out["page without text"] += 1
            return None
        made = article(revision.title, text, titles)
        body = made.html.encode("utf-8", "replace")
        return Capture(url, date, 200, _HTML, body=body, labels=made.categories)

    # -- file → UTF-8 ----------------------------------------------------------------------

    def _read(self) -> Iterator[bytes]:
        """The dump in UTF-8, without what XML cannot hold."""
        decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        with opened(self.path) as file, _unpacked(file, self.path) as stream:
            while data := self._chunk(stream):
                self.position = file.tell()
                text, unreadable = _UNREADABLE.subn("\ufffd", decoder.decode(data))
                self._left_out["character that is not UTF-8"] += unreadable
                yield text.encode()

    def _chunk(self, stream: BufferedIOBase) -> bytes:
        """The next bytes; none behind a place where the compressed data is cut or damaged."""
        try:
            return stream.read1(_CHUNK)  # `read` would lose what comes before a cut
        except EOFError:
            self.truncated = True
        except (OSError, zlib.error) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise BadInput(f"cannot read {self.path}: {error.strerror}") from error
            self.truncated = True
            self._left_out["rest of a file whose compressed data is damaged"] += 1
        return b""


def is_dump(path: Path) -> bool:
    """Whether a file begins like a MediaWiki dump. Never raises."""
    try:
        with path.open("rb") as file, _unpacked(file, path) as stream:
            return _BEGIN.match(stream.read(_PEEKED)) is not None
    except (OSError, EOFError, zlib.error, DamagedFile):
        return False


def _unpacked(file: BufferedReader, path: Path) -> BufferedIOBase:
    """The file as it was before it was compressed; what it is shows in its first bytes."""
    magic = file.read(4)
    file.seek(0)
    if magic in _OTHERS:
        raise DamagedFile(
            f"{path} is packed with {_OTHERS[magic]}; unpack it first, and give the file inside"
        )
    if magic.startswith(b"BZh"):
        return bz2.BZ2File(file)
    return gzip.GzipFile(fileobj=file) if magic.startswith(b"\x1f\x8b") else file


def _why_not(revision: Revision, titles: Titles) -> str:
    """Why a revision is neither article nor redirect, or ""."""
    namespace = revision.namespace
    if namespace is None:  # dumps from before 2012 have no <ns>
        namespace = titles.place(revision.title).namespace
    if not revision.title:
        return "page without a title"
    if namespace != 0:
        return "page outside of the article namespace"
    if revision.model not in ("", "wikitext"):
        return "page that is not wikitext"
    return "page that is too large" if revision.text is None else ""


def _redirect(revision: Revision, text: str, titles: Titles) -> str | None:
    """The title to which a revision leads, "" if that cannot be a page; None for an article.

    What the dump says of the page holds for its last revision: an earlier one may have text.
    """
    own = _REDIRECT.match(text)
    if own:
        return titles.place(own[1]).title
    if revision.redirect and (not text.strip() or text.lstrip().startswith(("#", "＃"))):
        return revision.redirect.partition("#")[0]
    return None
