"""Answers as WARC records, one gzip member each, appended to numbered files."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from wolfspider import __version__
from wolfspider.errors import DamagedFile
from wolfspider.records import Exchange
from wolfspider.states import sync_folder
from wolfspider.webs.warc_writing import (
    HTTP,
    PROFILE,
    Draft,
    drawn_id,
    information,
    written_date,
)

LARGEST = 1 << 30  # bytes after which the next file begins


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
                anew = f", or go on with what is left: wolfspider resume --rebuild {self.folder}"
                raise DamagedFile(
                    f"{path} has {found:,} of {size:,} bytes: bring it back from a copy"
                    f"{anew if warc_files(self.folder) else ''}"
                )
            if found > size:
                os.truncate(path, size)
        (self.folder / name_of(self._number + 1)).unlink(missing_ok=True)  # never committed

    def append(self, exchange: Exchange, digest: str, original: Original | None) -> Place:
        """Write an answer, or only its header and where the same payload already stands."""
        if self._file is None or self._full():
            self.open()
        packed = original is None and bool(exchange.first("content-encoding"))
        return self._put(_draft(exchange, digest, original), packed=packed)

    def sync(self) -> None:
        if self._file is not None:
            self._file.flush()
            os.fdatasync(self._file.fileno())

    def close(self) -> None:
        if self._file is not None:
            with suppress(OSError):  # what a full disk has not taken: no sync, so it never counted
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
            fields = {"software": f"wolfspider/{__version__}", "format": "WARC File Format 1.1"}
            date = written_date(time.time())
            self._put(information(date, fields, drawn_id(), path.name))

    def _full(self) -> bool:
        return self.sizes[self._number] >= self.largest

    def _put(self, record: Draft, *, packed: bool = False) -> Place:
        assert self._file is not None
        offset = self.sizes[self._number]
        data = record.member(packed=packed)
        self._file.write(data)
        self.sizes[self._number] = offset + len(data)
        return Place(self._number, offset, len(data), record.id)


def name_of(number: int) -> str:
    return f"{number:05}.warc.gz"


def warc_files(folder: Path) -> list[Path]:
    """Those of a hunt, in order; one on a recorded web has none."""
    return sorted(path for path in folder.glob("*.warc.gz") if number_of(path))


def number_of(path: Path) -> int:
    """The number of one of our files; 0 for a file of somebody else."""
    digits = path.name.partition(".")[0]
    number = int(digits) if digits.isdecimal() else 0
    return number if path.name == name_of(number) else 0


def _draft(exchange: Exchange, digest: str, original: Original | None) -> Draft:
    fields = {
        "WARC-Target-URI": exchange.url,
        "Content-Type": HTTP,
        "WARC-Payload-Digest": digest,
        "WARC-IP-Address": exchange.address,
        "WARC-Truncated": exchange.truncated,
    }
    if original is not None:
        fields |= {
            "WARC-Profile": PROFILE,
            "WARC-Refers-To": original.record,
            "WARC-Refers-To-Target-URI": original.url,
            "WARC-Refers-To-Date": written_date(original.at),
        }
    block = exchange.head + (exchange.body if original is None else b"")
    kind = "response" if original is None else "revisit"
    known = {name: value for name, value in fields.items() if value}
    return Draft(kind, written_date(exchange.at), block, known, drawn_id())
