"""WARC records as gzip members, one each, so that any of them can be read alone.

By hand, as FastWARC swallows the exception when a signal arrives while it writes, and Ctrl-C
would end in a SystemError.
"""

from __future__ import annotations

import hashlib
import re
import uuid
import zlib
from base64 import b32encode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from isal import isal_zlib

_LEVEL = 2  # of ISA-L, which has 0 to 3; takes a fifth of the time of zlib's 3, for the same size
HTTP = "application/http; msgtype=response"
PROFILE = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
LATEST = 253402300799.0  # the end of the year 9999
_GZIP = 31  # zlib's name for this wrapping
_BREAK = re.compile(r"[\r\n]+")


@dataclass(frozen=True, slots=True)
class Draft:
    """A record to be written (ISO 28500:2017). `fields` are those that not every record has."""

    kind: str
    date: str
    block: bytes
    fields: Mapping[str, str]
    id: str

    def member(self, *, packed: bool = False) -> bytes:
        """The record as a gzip member; the block of a packed one came compressed already."""
        digest = b32encode(hashlib.sha1(self.block, usedforsecurity=False).digest()).decode()
        fields = {
            "WARC-Type": self.kind,
            "WARC-Date": self.date,
            "WARC-Record-ID": self.id,
            "Content-Length": str(len(self.block)),
            **self.fields,
            "WARC-Block-Digest": f"sha1:{digest}",
        }
        lines = [f"{name}: {_BREAK.sub(' ', value)}" for name, value in fields.items()]
        head = "\r\n".join(["WARC/1.1", *lines, "", ""]).encode()
        data = b"".join((head, self.block, b"\r\n\r\n"))
        if packed:  # to try again would take as long, and save nothing
            return zlib.compress(data, 0, _GZIP)
        return isal_zlib.compress(data, _LEVEL, _GZIP)


def information(date: str, about: Mapping[str, str], id: str, file: str = "") -> Draft:
    """The record at the beginning of a file, which says what the file is."""
    block = "".join(f"{name}: {value}\r\n" for name, value in about.items()).encode()
    fields = {"Content-Type": "application/warc-fields"}
    return Draft("warcinfo", date, block, fields | ({"WARC-Filename": file} if file else {}), id)


def response(url: str, date: str, message: bytes, id: str) -> Draft:
    """An answer as it came over the wire."""
    fields = {"WARC-Target-URI": url, "Content-Type": HTTP}
    return Draft("response", date, message, fields, id)


def drawn_id() -> str:
    return f"<{uuid.uuid4().urn}>"


def id_of(name: str) -> str:
    """The same for the same name, so that equal input gives equal bytes."""
    return f"<{uuid.uuid5(uuid.NAMESPACE_URL, name).urn}>"


def written_date(at: float) -> str:
    at = min(max(at, 0.0), LATEST)
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
