"""Answers as WARC records, one gzip member each, appended to numbered files."""

from __future__ import annotations

import io
import os
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from fastwarc.stream_io import GzipWriter
from fastwarc.warc import WarcRecord, WarcRecordType

from wolfspider import __version__
from wolfspider.errors import DamagedFile
from wolfspider.records import Exchange
from wolfspider.store.states import sync_folder

LARGEST = 1 << 30  # bytes after which the next file begins
LEVEL = 3  # of gzip: level 6 takes a third longer and saves 3 %
PACKED_LEVEL = 0  # for what came compressed: trying again takes as long, and saves nothing
_PROFILE = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record stands."""

    file: int
    offset: int
    length: int
    record: str  # its id


@dataclass(frozen=True, slots=True)
class Original:
    """An earlier record with the same payload."""

    url: str
    at: float
    record: str


class WarcWriter:
    """Appends records; nothing counts before `sync` has returned.

    `committed` is how long the files are as far as the database knows; what stands behind, left
    by a process that was killed, is cut off first.
    """

    def __init__(self, folder: Path, committed: dict[int, int], *, largest: int = LARGEST) -> None:
        self.folder = folder
        self.largest = largest
        self.sizes = dict(committed)
        self._file: BinaryIO | None = None
        self._number = max(self.sizes, default=0)
        self._cut()

    def _cut(self) -> None:
        for number, size in self.sizes.items():
            path = self.folder / name_of(number)
            found = path.stat().st_size if path.exists() else 0
            if found < size:
                raise DamagedFile(
                    f"{path} has {found:,} of {size:,} bytes: bring it back from a copy, or go on "
                    f"with what is left: wolfspider resume --rebuild {self.folder}"
                )
            if found > size:
                os.truncate(path, size)
        (self.folder / name_of(self._number + 1)).unlink(missing_ok=True)  # never committed

    def append(self, exchange: Exchange, digest: str, original: Original | None) -> Place:
        """Write an answer, or only its header and where the same payload already stands."""
        if self._file is None or self._full():
            self.open()
        kind = WarcRecordType.response if original is None else WarcRecordType.revisit
        record = self._blank(kind, _date(exchange.at))
        record.headers["WARC-Target-URI"] = exchange.url
        record.headers["Content-Type"] = "application/http; msgtype=response"
        record.headers["WARC-Payload-Digest"] = digest
        if exchange.address:
            record.headers["WARC-IP-Address"] = exchange.address
        if exchange.truncated:
            record.headers["WARC-Truncated"] = exchange.truncated
        if original is None:
            record.set_bytes_content(exchange.head + exchange.body)
        else:
            record.headers["WARC-Profile"] = _PROFILE
            record.headers["WARC-Refers-To"] = original.record
            record.headers["WARC-Refers-To-Target-URI"] = original.url
            record.headers["WARC-Refers-To-Date"] = _date(original.at)
            record.set_bytes_content(exchange.head)
        packed = original is None and bool(exchange.first("content-encoding"))
        return self._put(record, PACKED_LEVEL if packed else LEVEL)

    def sync(self) -> None:
        if self._file is not None:
            self._file.flush()
            os.fdatasync(self._file.fileno())

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def open(self) -> None:
        """Go on with the last file, or begin the next one."""
        if self._file is not None:
            self.sync()
            self._file.close()
        if self._file is not None or not self._number or self._full():
            self._number += 1
        path = self.folder / name_of(self._number)
        self._file = path.open("ab")
        self.sizes.setdefault(self._number, 0)
        if not self.sizes[self._number]:
            sync_folder(self.folder)
            record = self._blank(WarcRecordType.warcinfo, _date(datetime.now(UTC).timestamp()))
            record.headers["Content-Type"] = "application/warc-fields"
            record.headers["WARC-Filename"] = path.name
            fields = f"software: wolfspider/{__version__}\r\nformat: WARC File Format 1.1\r\n"
            record.set_bytes_content(fields.encode())
            self._put(record, LEVEL)

    def _full(self) -> bool:
        return self.sizes[self._number] >= self.largest

    def _blank(self, kind: WarcRecordType, date: str) -> WarcRecord:
        record = WarcRecord()
        record.init_headers(kind, record_urn=uuid.uuid4().urn[4:].encode())
        record.headers["WARC-Date"] = date
        return record

    def _put(self, record: WarcRecord, level: int) -> Place:
        assert self._file is not None
        offset = self.sizes[self._number]
        # Not a writer over the whole file: after a failed write nobody could tell what it holds.
        member = io.BytesIO()
        gzip = GzipWriter(member, compression_level=level)
        record.write(gzip, checksum_data=True)
        gzip.finish()
        data = member.getvalue()
        self._file.write(data)
        self.sizes[self._number] = offset + len(data)
        return Place(self._number, offset, len(data), str(record.record_id))


def name_of(number: int) -> str:
    return f"{number:05}.warc.gz"


def number_of(path: Path) -> int:
    """The number of one of our files; 0 for a file of somebody else."""
    digits = path.name.partition(".")[0]
    number = int(digits) if digits.isdecimal() else 0
    return number if path.name == name_of(number) else 0


def _date(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
