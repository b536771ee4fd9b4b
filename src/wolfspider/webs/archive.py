"""The recording that a web folder keeps: every answer, to be served again.

recording.warc.gz   one gzip member for each answer
answers.npy …       where the answers of each address lie, by date (see `moments`)
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.moments import MomentsWriter
from wolfspider.webs.warc_writing import PROFILE, Draft, id_of, information, response
from wolfspider.webs.warc_writing import written_date as written

NAME = "recording.warc.gz"
_HEAD = 4096  # bytes in which the header fields of an answer that matter stand


class ArchiveWriter:
    """Keeps answers as they came, or as a server would have sent them.

    Equal captures in equal order give equal bytes.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._moments = MomentsWriter()
        self._file: BinaryIO = (folder / NAME).open("wb")
        self._offset = self._records = 0
        about = information(written(0.0), {"software": "wolfspider"}, id_of(NAME))
        self._append(about.member())

    def add(self, url: str, capture: Capture) -> None:
        """Take in the answer for a canonical URL; what is none is passed over."""
        if capture.is_copy:
            self._append(_revisit(url, capture, id_of(f"{self._records} {url}")).member())
            self._moments.copy(url, capture)
        elif capture.status >= 200:
            message, date = capture.wire(), written(max(capture.date, 0.0))
            record = response(url, date, message, id_of(f"{self._records} {url}"))
            data = record.member(packed=b"content-encoding:" in message[:_HEAD].lower())
            length = int.from_bytes(data[-4:], "little")  # gzip ends with it
            self._moments.note(url, capture, 0, (self._append(data), 0, length))

    def _append(self, data: bytes) -> int:
        """Write a member; gives where it begins."""
        begin = self._offset
        self._file.write(data)
        self._offset += len(data)
        self._records += 1
        return begin

    def close(self) -> None:
        self._file.close()
        self._moments.moments().save(self._folder)

    def abandon(self) -> None:
        with suppress(OSError):  # what is left to write may not find room
            self._file.close()


def _revisit(url: str, capture: Capture, id: str) -> Draft:
    fields = {
        "WARC-Target-URI": url,
        "WARC-Profile": PROFILE,
        "WARC-Refers-To-Target-URI": capture.copy_of,
        "WARC-Refers-To-Date": written(capture.copy_date) if capture.copy_date > 0 else "",
    }
    known = {name: value for name, value in fields.items() if value}
    return Draft("revisit", written(max(capture.date, 0.0)), b"", known, id)
