"""WARC files, plain or compressed with gzip, zstd or lz4, as captures.

A damaged record is passed over: the reader looks for the next place where a record can
begin and goes on there. A file that ends in the middle of a record is `truncated`.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from fastwarc.warc import ArchiveIterator, WarcRecordType

from wolfspider.errors import DamagedFile
from wolfspider.webs.importers.captures import Capture

_BEGINNINGS = (b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18", b"WARC/1.")
_MAX_RECORD = 64 << 20  # larger payloads are not pages, and would have to be held in memory


class WarcFile:
    """The captures of one WARC file, in the order of the file; iterate once.

    After the iteration `records`, `damaged` and `truncated` say what was met;
    `position` is the byte reached so far, for a progress bar.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = path.stat().st_size
        self.position = 0
        self.records = 0
        self.damaged = 0
        self.truncated = False

    def __iter__(self) -> Iterator[Capture]:
        with self.path.open("rb") as file:
            for record in self._records(file):
                self.records += 1
                if (capture := _capture(record)) is not None:
                    yield capture
        if not self.records:
            raise DamagedFile(
                f"{self.path} is not a WARC file: no record can be read from it; "
                "give a .warc, .warc.gz or .warc.zst file"
            )

    def _records(self, file: BinaryIO) -> Iterator[Any]:
        """Every record that can be read, starting again behind each that cannot."""
        start: int | None = 0
        while start is not None:
            file.seek(start)
            self.position = start
            last = start
            broken = False
            try:
                for record in ArchiveIterator(
                    file, parse_http=True, auto_decode="all", record_types=WarcRecordType.any_type
                ):
                    last = start + record.stream_pos
                    self.position = last
                    yield record
            except OSError:
                broken = True
            if not broken:
                self.truncated = self.records > 0 and not _complete(file, last)
                return
            restart = _next_beginning(file, last + 1)
            if last > start or start == 0:
                self.damaged += 1
            if restart is None:
                self.truncated = self.records > 0
            start = restart


def _next_beginning(file: BinaryIO, after: int) -> int | None:
    """The first byte at which a record or compressed member may begin."""
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        found = [at for magic in _BEGINNINGS if (at := data.find(magic, after)) >= 0]
    return min(found, default=None)


def _complete(file: BinaryIO, position: int) -> bool:
    """Whether the record at this position has as many bytes as it announces."""
    file.seek(position)
    try:
        record = next(iter(ArchiveIterator(file, parse_http=False)))
        announced = int(record.headers.get("Content-Length") or 0)
        return len(record.reader.read()) >= announced
    except (OSError, StopIteration, ValueError):
        return False


def _capture(record: Any) -> Capture | None:
    """The record as a capture, or None for a kind that holds no answer."""
    url = (record.headers.get("WARC-Target-URI") or "").strip("<> \t")
    date = record.record_date.timestamp() if record.record_date else 0.0
    kind = record.record_type
    if kind == WarcRecordType.revisit:
        original = record.headers.get("WARC-Refers-To-Target-URI") or url
        return Capture(url, date, 200, copy_of=original)
    if kind == WarcRecordType.resource:
        content_type = record.headers.get("Content-Type") or ""
        return Capture(url, date, 200, content_type, body=_body(record))
    if kind != WarcRecordType.response or record.http_headers is None:
        return None
    headers = record.http_headers
    return Capture(
        url,
        date,
        headers.status_code or 0,
        headers.get("Content-Type") or "",
        headers.get("X-Robots-Tag") or "",
        _body(record),
        headers.get("Location") or "",
    )


def _body(record: Any) -> bytes:
    body: bytes = record.reader.read(_MAX_RECORD)
    return body
