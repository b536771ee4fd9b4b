"""Records on disk: a gzipped WARC and its labels, as every importer reads them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple

from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.warc_writing import id_of, information, response

DATE = "2026-01-01T00:00:00Z"  # a generated web is of one moment


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
        about = {"software": "wolfspider", "description": name}
        stream.write(information(DATE, about, id_of(name)).member())
        table.write("url\tlabel\n")
        for number, record in enumerate(records):
            answer = response(record.url, DATE, wire(record), id_of(f"{name} {number}"))
            stream.write(answer.member())
            table.writelines(f"{record.url}\t{label}\n" for label in record.labels)


def capture_of(record: Record) -> Capture:
    """The record as an importer would hand it out."""
    fields = {name.lower(): value for name, value in record.headers}
    return Capture(
        record.url,
        datetime.fromisoformat(DATE).timestamp(),
        record.status,
        fields.get("content-type", ""),
        body=record.body,
        location=fields.get("location", ""),
        labels=record.labels,
        message=wire(record),
    )


def wire(answer: Record) -> bytes:
    """The answer as a server would send it."""
    lines = [f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}"]
    lines += [f"{field}: {value}" for field, value in answer.headers]
    return "\r\n".join([*lines, "", ""]).encode() + answer.body
