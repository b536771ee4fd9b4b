"""WARC files as captures."""

from __future__ import annotations

from datetime import UTC, datetime

from wolfspider.webs.importers.captures import Capture
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
    date = _date(fields.get("warc-date", ""))
    content_type = fields.get("content-type", "")
    if kind == "resource":
        return Capture(url, date, 200, content_type, body=record.block)
    if kind == "revisit":
        copy_of = _address(fields.get("warc-refers-to-target-uri", "")) or url
        return answer(record, url, date, copy_of)
    if kind == "response" and (not content_type or content_type.lower().startswith(_HTTP)):
        return answer(record, url, date)
    return None


def _address(text: str) -> str:
    return text.strip("<> \t")  # wget wrote angle brackets


def _date(text: str) -> float:
    """Seconds since 1970; 0 for a date that cannot be read."""
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        return 0.0
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
