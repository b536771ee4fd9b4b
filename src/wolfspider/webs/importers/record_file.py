"""A file of records, plain or compressed with gzip or zstd, as captures.

    bytes → Frames (uncompressed pieces and gaps) → Splitter → Record → Capture

A damaged record is passed over: the reader looks for the next place where a record begins and
goes on there. A file that ends in the middle of a record is `truncated`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import ClassVar

from wolfspider.errors import DamagedFile
from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.importers.files import opened, size_of
from wolfspider.webs.importers.frames import Frames, Gap
from wolfspider.webs.importers.http_message import read_message
from wolfspider.webs.importers.record_forms import Form, Record
from wolfspider.webs.importers.warc_records import Splitter


class RecordFile(ABC):
    """The captures of one file, in the order of the file; iterate once.

    After the iteration `records`, `damaged`, `too_large` and `truncated` say what was met;
    `position` is the byte reached so far, for a progress bar.
    """

    form: ClassVar[Form]
    kind: ClassVar[str]  # such as "a WARC file"
    names: ClassVar[str]  # how such files are called

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = size_of(path)
        self.position = 0
        self.records = 0
        self.damaged = 0
        self.too_large = 0
        self.truncated = False

    @abstractmethod
    def capture_of(self, record: Record) -> Capture | None:
        """The record as a capture, or None for a kind that holds no answer."""

    @property
    def left_out(self) -> Counter[str]:
        return Counter(
            {
                "damaged record": self.damaged,
                "record that is too large": self.too_large,
                "record that is cut off": int(self.truncated),
            }
        )

    def __iter__(self) -> Iterator[Capture]:
        for record in self._read():
            self.records += 1
            if (capture := self.capture_of(record)) is not None:
                yield capture
        if not self.records:
            raise DamagedFile(f"{self.path} {self._why_nothing()}")

    def _why_nothing(self) -> str:
        none = "no record can be read from it"
        if self.truncated:
            return f"is cut off in its first record: {none}; give a whole {self.names} file"
        return (
            f"is not {self.kind}: {none}; give a WARC, WACZ or ARC file or a MediaWiki dump, "
            "plain or compressed with bzip2 or gzip"
        )

    def _read(self) -> Iterator[Record]:
        """Every whole record."""
        with opened(self.path) as file:
            if self.size:  # an empty file cannot be mapped
                with mmap(file.fileno(), 0, access=ACCESS_READ) as data:
                    yield from self._split(Frames(data, self.path.name))

    def _split(self, frames: Frames) -> Iterator[Record]:
        splitter = Splitter(verify=not frames.checked, form=self.form)
        for piece in frames:
            self.position = frames.position
            if isinstance(piece, Gap):
                yield from splitter.gap(piece.before)
            else:
                yield from splitter.take(piece)
        yield from splitter.end()
        self.truncated = frames.cut or splitter.cut
        self.damaged = max(0, splitter.damaged - frames.cut)  # the cut left a gap, too
        self.too_large = splitter.too_large


def answer(record: Record, url: str, date: float, copy_of: str = "") -> Capture:
    """The HTTP answer in the block of a record; status 0 if there is none."""
    message = read_message(record.block)
    return Capture(
        url,
        date,
        message.status or (200 if copy_of else 0),  # a revisit may come without its headers
        message.first("content-type"),
        tuple(message.all("x-robots-tag")),
        message.body,
        message.first("location"),
        copy_of,
        message=record.block,
    )
