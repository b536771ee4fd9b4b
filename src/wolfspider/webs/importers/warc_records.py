"""A stream of bytes, cut into WARC records."""

from __future__ import annotations

import hashlib
import re
from base64 import b32encode
from collections.abc import Iterator
from dataclasses import dataclass

from wolfspider.webs.importers.http_message import header_fields

_BEGIN = re.compile(rb"WARC/\d\.\d{1,2}\r?\n")
_FIRST_LINE = b"WARC/1.0\r\n"
_BREAK = re.compile(rb"[\r\n\0]*")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_EMPTY_LINES = b"\r\n\r\n"
_NEAR = 16  # bytes in which a beginning can be told
_MOST_HEAD = 64 << 10
_MOST_RECORD = 64 << 20  # larger ones are no pages, and would have to be held in memory


@dataclass(frozen=True, slots=True)
class Record:
    """A whole record: its header fields, names in lower case, and its block."""

    fields: dict[str, str]
    block: bytes


class Splitter:
    """Cuts pieces of a WARC file into records.

    A record counts when its block is followed by what must follow: empty lines, another record
    or the end. Otherwise its length is wrong, and the search for the next one begins right
    behind its first byte. With `verify` its block must also agree with its digest, if it
    has one: a file without checksums of its own has nothing else to tell damage by.
    """

    def __init__(self, *, verify: bool) -> None:
        self.damaged = 0  # places from which no record came
        self.too_large = 0
        self.cut = False  # the last record has no end
        self._verify = verify
        self._buffer = bytearray()
        self._reported = 0  # `damaged` at the last gap or record
        self._lost = False  # looking for the next beginning
        self._pass_over = 0  # bytes still to come of a block that is too large

    def take(self, piece: bytes) -> Iterator[Record]:
        """The records that end in this piece."""
        self._append(piece)
        return self._split(_MORE)

    def gap(self, before: bytes = b"") -> Iterator[Record]:
        """The records that end before a place where bytes are missing.

        The last may be damaged where only a checksum says so; it counts for nothing.
        """
        self._append(before)
        yield from self._split(_GAP)
        self.damaged += self.damaged == self._reported  # unless it showed before
        self._reported = self.damaged
        self._pass_over = 0
        self._lost = True

    def _append(self, piece: bytes) -> None:
        passed = min(len(piece), self._pass_over)
        self._pass_over -= passed
        self._buffer += piece[passed:]

    def end(self) -> Iterator[Record]:
        """The records that are left when nothing comes any more."""
        self.cut = self._pass_over > 0
        yield from self._split(_END)

    def _split(self, then: str) -> Iterator[Record]:
        at = 0
        while True:
            at, found = self._beginning(at, then)
            if not found:
                break
            try:
                record, end = self._record(at, then)
            except _Short:
                if then == _MORE:
                    break
                if then == _END and not _BEGIN.search(self._buffer, at + 1):
                    self.cut = True
                    break
                self._lose()
                at += 1
            except _Wrong:
                self._lose()
                at += 1
            else:
                at, self._reported = end, self.damaged
                if record is not None:
                    yield record
        del self._buffer[: at if then == _MORE else None]

    def _lose(self) -> None:
        self.damaged += not self._lost
        self._lost = True

    def _beginning(self, at: int, then: str) -> tuple[int, bool]:
        """Where the next record begins; or up to where there is none."""
        buffer = self._buffer
        if not self._lost:
            at = _end_of_break(buffer, at)
            if _BEGIN.match(buffer, at):
                return at, True
            rest = bytes(buffer[at : at + _NEAR])
            if not rest or (then == _MORE and len(rest) < _NEAR):
                return at, False
            if then == _END and _FIRST_LINE.startswith(rest):
                self.cut = True
                return at, False
            self._lose()
        if found := _BEGIN.search(buffer, at):
            self._lost = False
            return found.start(), True
        return max(at, len(buffer) - _NEAR), False

    def _record(self, at: int, then: str) -> tuple[Record | None, int]:
        """The record that begins here and where it ends; None for one that is too large."""
        buffer = self._buffer
        head = _HEAD_END.search(buffer, at, at + _MOST_HEAD)
        if head is None:
            raise _Wrong if len(buffer) - at >= _MOST_HEAD else _Short
        fields = dict(reversed(header_fields(bytes(buffer[at : head.start()]))))  # first wins
        length = fields.get("content-length", "")
        if not (length.isascii() and length.isdigit()):
            raise _Wrong
        end = head.end() + int(length)
        if int(length) > _MOST_RECORD:
            self.too_large += 1
            self._pass_over = max(0, end - len(buffer))
            return None, min(end, len(buffer))
        if end > len(buffer):
            raise _Short
        self._check_what_follows(end, then)
        record = Record(fields, bytes(buffer[head.end() : end]))
        if self._verify and not _agrees(record):
            raise _Wrong
        return record, end

    def _check_what_follows(self, end: int, then: str) -> None:
        buffer = self._buffer
        if then != _GAP and buffer.startswith(_EMPTY_LINES, end):
            return
        if then == _MORE and len(buffer) - end < _NEAR:
            raise _Short
        after = _end_of_break(buffer, end)
        ended = after == len(buffer) and then != _GAP
        if not (ended or _BEGIN.match(buffer, after)):
            raise _Wrong


_MORE, _GAP, _END = "more", "gap", "end"  # what comes behind the buffer


class _Short(Exception):
    """The record goes on behind the buffer."""


class _Wrong(Exception):
    """This is no record."""


def _end_of_break(buffer: bytearray, at: int) -> int:
    found = _BREAK.match(buffer, at)
    return found.end() if found else at


def _agrees(record: Record) -> bool:
    """Whether the block has the digest that the record announces, if it is one we know."""
    name, _, announced = record.fields.get("warc-block-digest", "").partition(":")
    if name.lower() not in ("sha1", "sha256", "md5"):
        return True
    digest = hashlib.new(name.lower(), record.block, usedforsecurity=False)
    written = (digest.hexdigest(), b32encode(digest.digest()).decode().lower().rstrip("="))
    return announced.lower().rstrip("=") in written
