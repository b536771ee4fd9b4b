"""Records on disk: a gzipped WARC and its labels, as every importer reads them."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple

from fastwarc.stream_io import GzipWriter
from fastwarc.warc import WarcRecord, WarcRecordType

DATE = "2026-01-01T00:00:00Z"  # a generated web is of one moment
LEVEL = 6


class Record(NamedTuple):
    """One answer of a web, with the labels of its page."""

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    labels: tuple[str, ...]


def save(records: Iterable[Record], warc: Path, labels: Path, name: str) -> None:
    """Write records as they come, one gzip member each, after one that says what they are.

    Record ids follow from `name` and the order of the records, so equal input gives equal bytes.
    """
    warc.parent.mkdir(parents=True, exist_ok=True)
    labels.parent.mkdir(parents=True, exist_ok=True)
    with warc.open("wb") as stream, labels.open("w", encoding="utf-8", newline="\n") as table:
        members = GzipWriter(stream, compression_level=LEVEL)
        _put(_information(name), members)
        table.write("url\tlabel\n")
        for number, record in enumerate(records):
            _put(_response(record, f"{name} {number}"), members)
            table.writelines(f"{record.url}\t{label}\n" for label in record.labels)


def _put(record: WarcRecord, members: GzipWriter) -> None:
    record.write(members, checksum_data=True)
    members.finish()  # ends the gzip member; without it the next record would join this one


def _information(name: str) -> WarcRecord:
    record = _blank(WarcRecordType.warcinfo, name)
    record.headers["Content-Type"] = "application/warc-fields"
    record.set_bytes_content(f"software: wolfspider\r\ndescription: {name}\r\n".encode())
    return record


def _response(answer: Record, name: str) -> WarcRecord:
    record = _blank(WarcRecordType.response, name)
    record.headers["WARC-Target-URI"] = answer.url
    record.headers["Content-Type"] = "application/http; msgtype=response"
    lines = [f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}"]
    lines += [f"{field}: {value}" for field, value in answer.headers]
    head = "\r\n".join([*lines, "", ""])
    record.set_bytes_content(head.encode() + answer.body)
    return record


def _blank(kind: WarcRecordType, name: str) -> WarcRecord:
    """A record whose id follows from its name, where FastWARC would draw one."""
    record = WarcRecord()
    record.init_headers(kind, record_urn=uuid.uuid5(uuid.NAMESPACE_URL, name).urn[4:].encode())
    record.headers["WARC-Date"] = DATE
    return record
