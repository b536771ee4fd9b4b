"""How a record is written down in WARC and in ARC files: its beginning, its head, its end."""

from __future__ import annotations

import hashlib
import re
from base64 import b32encode
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from wolfspider.webs.importers.http_message import header_fields, text_of

_HEAD_END = re.compile(rb"\r?\n\r?\n")
_MOST_HEAD = 64 << 10


class Short(Exception):
    """The record goes on behind the buffer."""


class Wrong(Exception):
    """This is no record."""


@dataclass(frozen=True, slots=True)
class Record:
    """A whole record: its header fields, names in lower case, and its block."""

    fields: dict[str, str]
    block: bytes


class Head(NamedTuple):
    """What stands before a block of `length` bytes, which begins at `block` in the buffer."""

    fields: dict[str, str]
    block: int
    length: int


class Form(Protocol):
    """What has to be known of a kind of file to cut it into records."""

    begin: re.Pattern[bytes]  # the first line of a record
    near: int  # bytes that such a line has at most
    proof: bytes  # alone enough to show that a block ends here; empty if nothing is

    def may_begin(self, rest: bytes) -> bool:
        """Whether this could be the first bytes of a record, of which there are no more."""
        ...

    def head(self, buffer: bytearray, at: int) -> Head:
        """The head of the record that begins at `at`; raises `Short` or `Wrong`."""
        ...

    def agrees(self, record: Record) -> bool:
        """Whether the block has the digest that the record announces, if it is one we know."""
        ...


class _Warc:
    begin = re.compile(rb"WARC/\d\.\d{1,2}\r?\n")
    near = 16
    proof = b"\r\n\r\n"

    def may_begin(self, rest: bytes) -> bool:
        return b"WARC/1.0\r\n".startswith(rest)

    def head(self, buffer: bytearray, at: int) -> Head:
        end = _HEAD_END.search(buffer, at, at + _MOST_HEAD)
        if end is None:
            raise Wrong if len(buffer) - at >= _MOST_HEAD else Short
        fields = dict(reversed(header_fields(bytes(buffer[at : end.start()]))))  # first wins
        return Head(fields, end.end(), _length(fields.get("content-length", "")))

    def agrees(self, record: Record) -> bool:
        name, _, announced = record.fields.get("warc-block-digest", "").partition(":")
        if name.lower() not in ("sha1", "sha256", "md5"):
            return True
        digest = hashlib.new(name.lower(), record.block, usedforsecurity=False)
        written = (digest.hexdigest(), b32encode(digest.digest()).decode().lower().rstrip("="))
        return announced.lower().rstrip("=") in written


class _Arc:
    """One line: URL, address, date, type and length; version 2 has more before the length.

    The URL may have spaces in it. Only a line end stands between a block and the next record,
    so a line end proves nothing.
    """

    near = 8 << 10
    # That the line ends is asked first: then whatever stands behind a date is right, and only the
    # end of the URL is searched for. Else any of them is tried with any end of the type.
    begin = re.compile(
        rb"^(?=[^\r\n]{0,%d}+\r?\n)"
        rb"(?P<url>[a-z][a-z0-9+.\-]{1,31}:[^\r\n]{0,%d}) (?P<address>[0-9a-f.:]++|-) "
        rb"(?P<date>\d{8,18}+) (?:[^\r\n]* )?(?P<length>[^ \r\n]*)\r?\n" % (near - 2, near - 100),
        re.IGNORECASE | re.MULTILINE,
    )
    proof = b""
    _part = re.compile(rb"[a-z][a-z0-9+.\-]*(?::[^\r\n]*\r?)?", re.IGNORECASE)

    def may_begin(self, rest: bytes) -> bool:
        return self._part.fullmatch(rest) is not None

    def head(self, buffer: bytearray, at: int) -> Head:
        line = self.begin.match(buffer, at)
        if line is None:
            raise Wrong
        fields = {name: text_of(value) for name, value in line.groupdict().items()}
        return Head(fields, line.end(), _length(fields["length"]))

    def agrees(self, record: Record) -> bool:
        return True  # version 2 may have a checksum, but does not say of which kind


WARC: Form = _Warc()
ARC: Form = _Arc()


def _length(digits: str) -> int:
    if not (digits.isascii() and digits.isdigit()):
        raise Wrong
    return int(digits)
