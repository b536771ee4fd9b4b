"""WARC files as captures."""

from __future__ import annotations

from dataclasses import replace

from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.importers.dates import from_iso
from wolfspider.webs.importers.record_file import RecordFile, answer
from wolfspider.webs.importers.record_forms import WARC, Record

_HTTP = "application/http"


class WarcFile(RecordFile):
    """The captures of one WARC file: responses, revisits and resources."""

    form = WARC
    kind = "a WARC file"
    names = ".warc, .warc.gz or .warc.zst"

    def capture_of(self, record: Record) -> Capture | None:
        return capture_of(record)


def capture_of(record: Record) -> Capture | None:
    """The record as a capture, or None for a kind that holds no answer."""
    kind, fields = record.fields.get("warc-type", "").lower(), record.fields
    url = _address(fields.get("warc-target-uri", ""))
    date = from_iso(fields.get("warc-date", ""))
    content_type = fields.get("content-type", "")
    if kind == "resource":
        return Capture(url, date, 200, content_type, body=record.block)
    if kind == "revisit":
        copy_of = _address(fields.get("warc-refers-to-target-uri", "")) or url
        copy_date = from_iso(fields.get("warc-refers-to-date", ""))
        return replace(answer(record, url, date, copy_of), copy_date=copy_date)
    if kind == "response" and (not content_type or content_type.lower().startswith(_HTTP)):
        return answer(record, url, date)
    return None


def _address(text: str) -> str:
    return text.strip("<> \t")  # wget wrote angle brackets
