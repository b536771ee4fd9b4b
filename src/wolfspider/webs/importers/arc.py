"""ARC files, which archives wrote before there was WARC, as captures.

A record is one line, `URL IP-address date type length`, and a block: what the server sent. The
first one, `filedesc://…`, is about the file.
https://archive.org/web/researcher/ArcFileFormat.php
"""

from __future__ import annotations

from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.importers.dates import from_digits
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
        return answer(record, url, from_digits(record.fields["date"]))
