"""WARC records as gzip members, one each, so that any of them can be read alone."""

from __future__ import annotations

import io
import uuid
from datetime import UTC, datetime

from fastwarc.stream_io import GzipWriter
from fastwarc.warc import WarcRecord, WarcRecordType

LEVEL = 3  # of gzip: level 6 takes a third longer and saves 3 %
PACKED_LEVEL = 0  # for what came compressed: trying again takes as long, and saves nothing
HTTP = "application/http; msgtype=response"


def blank(kind: WarcRecordType, date: str, name: str = "") -> WarcRecord:
    """A record without content. Its id follows from its name; without one it is drawn."""
    drawn = uuid.uuid5(uuid.NAMESPACE_URL, name) if name else uuid.uuid4()
    record = WarcRecord()
    record.init_headers(kind, record_urn=drawn.urn[4:].encode())
    record.headers["WARC-Date"] = date
    return record


def information(date: str, fields: dict[str, str], name: str = "") -> WarcRecord:
    """The record at the beginning of a file, which says what the file is."""
    record = blank(WarcRecordType.warcinfo, date, name)
    record.headers["Content-Type"] = "application/warc-fields"
    lines = "".join(f"{key}: {value}\r\n" for key, value in fields.items())
    record.set_bytes_content(lines.encode())
    return record


def response(url: str, date: str, message: bytes, name: str = "") -> WarcRecord:
    """An answer as it came over the wire."""
    record = blank(WarcRecordType.response, date, name)
    record.headers["WARC-Target-URI"] = url
    record.headers["Content-Type"] = HTTP
    record.set_bytes_content(message)
    return record


def member(record: WarcRecord, level: int = LEVEL) -> bytes:
    """The record as a gzip member."""
    # Not a writer over the whole file: after a failed write nobody could tell what it holds.
    stream = io.BytesIO()
    gzip = GzipWriter(stream, compression_level=level)
    record.write(gzip, checksum_data=True)
    gzip.finish()
    return stream.getvalue()


def written_date(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
