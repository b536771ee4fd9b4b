"""hunt.db made anew from the WARC files of a hunt, when it is damaged or gone.

What stands in no WARC file is lost: links that failed before an answer came, where a link was
found, with what anchor and score, and the receipts that say why it was followed. Pages are read
and judged again. The old database is put
aside, not thrown away.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from wolfspider.errors import BadInput
from wolfspider.pages import parse
from wolfspider.records import NOTHING, Page, Response, Verdict
from wolfspider.store import schema
from wolfspider.store.asked import read_asked
from wolfspider.store.hunt_store import INSERT_CAPTURE, INSERT_PAGE
from wolfspider.store.lock import Lock
from wolfspider.store.warc import number_of, warc_files
from wolfspider.urls import canonical
from wolfspider.webs.importers.http_message import Message, read_message
from wolfspider.webs.importers.warc_records import Record
from wolfspider.webs.serving.volume import Volume

_REDIRECTS = (301, 302, 303, 307, 308)
_KINDS = ("response", "revisit")


@dataclass(frozen=True, slots=True)
class _Answer:
    """A record that holds an answer, and where it stands."""

    file: int
    offset: int
    length: int
    record: Record
    message: Message

    @property
    def url(self) -> str:
        return self.record.fields.get("warc-target-uri", "")

    @property
    def leads_to(self) -> str | None:
        redirects = self.message.status in _REDIRECTS
        return canonical(self.message.first("location"), self.url) if redirects else None


@dataclass(slots=True)
class Rebuilt:
    """How far it is: visits that were brought back, and places of the files without a record."""

    visits: int = 0
    damaged: int = 0


def rebuild(folder: Path, judge: Callable[[Page], Verdict]) -> Iterator[Rebuilt]:
    """Make the database; tells how far it is. Nothing counts before the end."""
    read_asked(folder)
    files = warc_files(folder)
    if not files:
        raise BadInput(f"{folder} has no WARC files from which {schema.NAME} could be made anew")
    lock = Lock(folder)
    beside = folder / f"{schema.NAME}.partial"
    try:
        _remove(beside)
        db = schema.create(beside)
        try:
            db.execute("BEGIN")
            so_far = Rebuilt()
            for visit in _visits(files, db, so_far):
                so_far.visits += 1
                _add(db, so_far.visits, visit, judge)
                yield so_far
            yield so_far
            db.execute("COMMIT")
        finally:
            db.close()
        _put_aside(folder)
        beside.replace(folder / schema.NAME)
    finally:
        _remove(beside)
        lock.release()


def _visits(files: list[Path], db: sqlite3.Connection, so_far: Rebuilt) -> Iterator[list[_Answer]]:
    """Answers in order; those that a redirect led to belong to it."""
    visit: list[_Answer] = []
    for path in files:
        number, end = number_of(path), 0
        for answer in _answers(path, number, so_far):
            if visit and visit[-1].leads_to != answer.url:
                yield visit
                visit = []
            visit.append(answer)
            end = answer.offset + answer.length
        db.execute("INSERT INTO files VALUES (?, ?, ?)", (number, path.name, end))
    if visit:
        yield visit


def _answers(path: Path, number: int, so_far: Rebuilt) -> Iterator[_Answer]:
    volume = Volume(path)
    try:
        with path.open("rb") as file:
            for record, place in volume:
                if record.fields.get("warc-type") in _KINDS:
                    file.seek(place.frame)
                    length = _member(file.read)
                    yield _Answer(number, place.frame, length, record, read_message(record.block))
    finally:
        volume.close()
    so_far.damaged += volume.damaged


def _member(read: Callable[[int], bytes]) -> int:
    """How many bytes the gzip member is long that begins here."""
    inflate = zlib.decompressobj(31)
    size = 0
    while not inflate.eof and (data := read(1 << 16)):
        size += len(data)
        inflate.decompress(data)
    return size - len(inflate.unused_data)


def _add(
    db: sqlite3.Connection, step: int, visit: list[_Answer], judge: Callable[[Page], Verdict]
) -> None:
    capture = None
    for answer in visit:
        fields = answer.record.fields
        place = (
            *(step, answer.url, answer.message.status, fields["warc-type"]),
            *(answer.file, answer.offset, answer.length, fields.get("warc-record-id", "")),
            *(_moment(fields.get("warc-date", "")), fields.get("warc-ip-address", "")),
            *(fields.get("warc-truncated", ""), fields.get("warc-payload-digest", "")),
        )
        capture = db.execute(INSERT_CAPTURE, place).lastrowid
    last = visit[-1]
    copy_of = last.record.fields.get("warc-refers-to-target-uri", "")
    error = _error(last)
    response = Response(last.url, last.message.status, last.message.fields, last.message.body)
    page = Page(last.url) if error or copy_of else parse(response)
    verdict = NOTHING if error or copy_of else judge(page)
    title = _title_of(db, copy_of) if copy_of and not error else page.title
    at = _moment(last.record.fields.get("warc-date", ""))
    size = sum(len(answer.record.block) for answer in visit)
    row = (
        *(step, last.url, title, verdict.relevance, verdict.target, last.message.status),
        *(error, 0, "", "", 0.0, visit[0].url, "", 0, 0, 0.0, page.flags),
        *("" if error else copy_of, at, 0.0, size, capture),
    )
    db.execute(INSERT_PAGE, row)


def _error(last: _Answer) -> str:
    """What kept the last answer of a visit from being a page, if anything did."""
    if last.leads_to is not None:
        return "redirects"
    if last.message.status >= 300:
        return f"status {last.message.status}"
    cut_off = last.record.fields.get("warc-truncated", "") == "unspecified"
    return "not wanted" if cut_off and not last.message.body else ""


def _title_of(db: sqlite3.Connection, url: str) -> str:
    """The title of a page that came before."""
    row = db.execute("SELECT title FROM pages WHERE url = ? ORDER BY step", (url,)).fetchone()
    return str(row[0]) if row else ""


def _moment(date: str) -> float:
    try:
        return datetime.fromisoformat(date).timestamp()
    except ValueError:
        return 0.0


def _put_aside(folder: Path) -> None:
    """Checkpoints go with the database: they count its steps."""
    number = 1
    while (where := folder / f"damaged-{number}").exists():
        number += 1
    where.mkdir()
    names = [schema.NAME, f"{schema.NAME}-wal", f"{schema.NAME}-shm"]
    for path in [*(folder / name for name in names), *folder.glob("checkpoint-*")]:
        if path.exists():
            path.rename(where / path.name)


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
