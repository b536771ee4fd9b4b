"""The visits of a hunt for other programs: rows of plain values, or WARC records.

Both read in short steps, up to the visits that there were when they began: a read that lasts
would keep a running hunt from tidying up its database. A damaged record is passed over and
counted in `damaged`.
"""

from __future__ import annotations

import gzip
import io
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from fastwarc.stream_io import GzipWriter
from fastwarc.warc import WarcRecord, WarcRecordType

from wolfspider import __version__
from wolfspider.errors import BadInput, DamagedFile, WolfspiderError
from wolfspider.pages import parse
from wolfspider.records import PageFlag, Response
from wolfspider.store.members import Members
from wolfspider.store.opening import web_named, web_of
from wolfspider.store.reading import HuntReader
from wolfspider.store.schema import ORIGINAL
from wolfspider.webs.decoding import payload
from wolfspider.webs.recorded import RecordedWeb

COLUMNS = (
    *("step", "url", "link", "title", "relevance", "target", "status", "error", "detail"),
    *("refused", "depth"),
    *("source", "anchor", "score", "at", "copy_of", "noindex", "content_type", "text"),
)
_KEPT = [name for name in COLUMNS if name not in ("noindex", "content_type", "text")]
_ANSWERED = "error = '' AND NOT refused"
CHOICES = {
    "answered": _ANSWERED,
    "relevant": f"{_ANSWERED} AND relevance >= 0.5 AND copy_of = '' "
    f"AND flags & {int(PageFlag.NOINDEX)} = 0",
    "all": "1",
}
Row = dict[str, Any]
_STEP = 500  # visits read at a time
_MOST = 16 << 20  # bytes of a body after decoding, as when it was hunted


class _Source(Protocol):
    """Where texts come from."""

    note: str  # what is to be said about it

    def look(self, visit: sqlite3.Row, *, text: bool) -> tuple[str, str]:
        """Content type, and visible text if it is asked for; raises `DamagedFile`."""
        ...


class Visits:
    """The chosen visits, as rows of the database."""

    def __init__(self, reader: HuntReader, choice: str) -> None:
        self.reader = reader
        self._where = CHOICES[choice]
        self._last = reader.count("max(step) FROM pages")
        self._count = reader.count(
            f"count(*) FROM pages WHERE step <= ? AND {self._where}", self._last
        )

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[sqlite3.Row]:
        query = (
            f"SELECT * FROM pages WHERE step > ? AND step <= ? AND {self._where} "
            f"ORDER BY step LIMIT {_STEP}"
        )
        after = 0
        while rows := self.reader.db.execute(query, (after, self._last)).fetchall():
            yield from rows
            after = rows[-1]["step"]


class Rows:
    """The chosen visits as rows with the names of `COLUMNS`; `at` is a time, or None.

    Without `text` that column is empty, which is faster. `note` says why texts are missing.
    """

    def __init__(self, reader: HuntReader, choice: str, *, text: bool = True) -> None:
        self.visits = Visits(reader, choice)
        self.damaged = 0
        self._text = text
        self._source = _source(reader)
        self.note = self._source.note if text else ""

    def __iter__(self) -> Iterator[Row]:
        for visit in self.visits:
            kind, text = "", ""
            if not visit["error"]:  # a page that was too much for the parser is not parsed here
                try:
                    kind, text = self._source.look(visit, text=self._text)
                except DamagedFile:
                    self.damaged += 1
            yield {name: visit[name] for name in _KEPT} | {
                "target": bool(visit["target"]),
                "refused": bool(visit["refused"]),
                "at": _time(visit["at"]),
                "noindex": bool(visit["flags"] & PageFlag.NOINDEX),
                "content_type": kind,
                "text": text,
            }


def _time(at: float) -> datetime | None:
    with suppress(OverflowError, ValueError, OSError):
        return datetime.fromtimestamp(at, UTC) if at else None
    return None


def _source(reader: HuntReader) -> _Source:
    if web_named(reader) == "live":
        return _Warc(reader)
    try:
        return _Web(web_of(reader))
    except WolfspiderError as error:
        return _Nowhere(f"there are no texts: {error}")


class _Warc:
    """Answers as they came."""

    note = ""

    def __init__(self, reader: HuntReader) -> None:
        self._reader = reader

    def look(self, visit: sqlite3.Row, *, text: bool) -> tuple[str, str]:
        capture = self._reader.db.execute(
            "SELECT * FROM captures WHERE id = ?", (visit["capture"],)
        ).fetchone()
        if capture is None:
            return "", ""
        exchange = self._reader.exchange(capture)
        kind = exchange.first("content-type")
        if not text:
            return kind, ""
        body = payload(exchange.headers, exchange.body, _MOST).data
        response = Response(visit["url"], exchange.status, exchange.headers, body)
        return kind, parse(response).text


class _Web:
    """The recorded web on which the hunt was."""

    note = ""

    def __init__(self, web: RecordedWeb) -> None:
        self._web = web

    def look(self, visit: sqlite3.Row, *, text: bool) -> tuple[str, str]:
        number = self._web.number(visit["url"]) if text else -1
        return "", self._web.page(number).text if number >= 0 else ""


class _Nowhere:
    def __init__(self, note: str) -> None:
        self.note = note

    def look(self, visit: sqlite3.Row, *, text: bool) -> tuple[str, str]:
        return "", ""


class WarcCopy:
    """The records of the chosen visits, byte for byte, each once; each a gzip member of its own,
    or `plain`.

    To a visit belong the redirects on its way; before a revisit record goes the response that
    it refers to, of whatever visit that is. After a write `records` and `damaged` say what
    became of them.
    """

    def __init__(self, reader: HuntReader, choice: str, *, plain: bool = False) -> None:
        if (web := web_named(reader)) != "live":
            raise BadInput(
                f"{reader.folder} has no WARC: it is a hunt on the recorded web {web}; "
                "choose another --format"
            )
        self.visits = Visits(reader, choice)
        self.records = 0
        self.damaged = 0
        self._db = reader.db
        self._plain = plain
        self.folder = reader.folder
        self._copied = bytearray(reader.count("max(id) FROM captures") + 1)

    def write(self, out: BinaryIO) -> Iterator[int]:
        """Write everything; yields the number of visits that are done."""
        about = _about(self.folder)
        out.write(gzip.decompress(about) if self._plain else about)
        with Members(self.folder) as members:
            for done, visit in enumerate(self.visits, 1):
                for capture in self._captures(visit["step"]):
                    self._copy(capture, members, out)
                yield done

    def _captures(self, step: int) -> Iterator[sqlite3.Row]:
        query = "SELECT * FROM captures WHERE step = ? ORDER BY id"
        for capture in self._db.execute(query, (step,)).fetchall():
            if capture["kind"] == "revisit":
                yield from self._db.execute(
                    f"SELECT * {ORIGINAL}",
                    (capture["digest"],),
                ).fetchall()
            yield capture

    def _copy(self, capture: sqlite3.Row, members: Members, out: BinaryIO) -> None:
        if self._copied[capture["id"]]:
            return
        self._copied[capture["id"]] = True
        try:
            packed, record = members.read(capture)
        except DamagedFile:
            self.damaged += 1
        else:
            out.write(record if self._plain else packed)
            self.records += 1


def _about(folder: Path) -> bytes:
    """A warcinfo record, as a gzip member."""
    record = WarcRecord()
    record.init_headers(WarcRecordType.warcinfo, record_urn=uuid.uuid4().urn[4:].encode())
    record.headers["WARC-Date"] = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    record.headers["Content-Type"] = "application/warc-fields"
    name = " ".join(folder.absolute().name.split())  # a line end would begin another field
    fields = (
        f"software: wolfspider/{__version__}\r\nformat: WARC File Format 1.1\r\n"
        f"description: visits of the hunt {name}\r\n"
    )
    record.set_bytes_content(fields.encode("utf-8", "replace"))
    member = io.BytesIO()
    writer = GzipWriter(member)
    record.write(writer, checksum_data=True)
    writer.finish()
    return member.getvalue()
