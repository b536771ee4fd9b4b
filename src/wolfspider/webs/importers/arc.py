"""ARC files, which archives wrote before there was WARC, as captures.

A record is one line, `URL IP-address date type length`, and a block: what the server sent. The
first one, `filedesc://…`, is about the file.
https://archive.org/web/researcher/ArcFileFormat.php
"""

from __future__ import annotations

from datetime import UTC, datetime

from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.importers.record_file import RecordFile, answer
from wolfspider.webs.importers.record_forms import ARC, Record

_WEB = ("http://", "https://")


class ArcFile(RecordFile):
    """The captures of one ARC file, of version 1 or 2."""

    form = ARC
    kind = "an ARC file"
    names = ".arc or .arc.gz"

    def capture_of(self, record: Record) -> Capture | None:
        url = record.fields["url"]
        if not url.lower().startswith(_WEB):
            return None  # filedesc: is about the file; dns: and ftp: are no pages
        return answer(record, url, _date(record.fields["date"]))


def _date(digits: str) -> float:
    """Seconds since 1970 of YYYYMMDDhhmmss; 0 for a date that cannot be read."""
    try:
        date = datetime.strptime(digits[:14].ljust(14, "0"), "%Y%m%d%H%M%S")
    except ValueError:
        return 0.0
    return date.replace(tzinfo=UTC).timestamp()
