"""An HTTP answer as it came over the wire: status, header fields and the body behind them.

Archives hold what servers sent and what recorders made of it: chunks that are none, `gzip`
over plain text, headers without end. Whatever can be read is read; nothing here raises.
"""

from __future__ import annotations

import io
import re
import zlib
from dataclasses import dataclass

from fastwarc.stream_io import BrotliReader, ZstdReader

MOST = 16 << 20  # bytes of a body after decoding; more is cut off
_MEMBERS = 1000  # of gzip in one body: each costs a copy of what follows

_END = re.compile(rb"\r?\n\r?\n")
_STATUS = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})(?!\d)")
_CHUNK = re.compile(rb"[ \t]*([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n")


@dataclass(frozen=True, slots=True)
class Message:
    """An answer. `status` 0 means that it does not begin like one."""

    status: int
    fields: tuple[tuple[str, str], ...]  # names in lower case
    body: bytes  # without chunks and without content encoding

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.fields if key == name]

    def first(self, name: str) -> str:
        return next(iter(self.all(name)), "")


def read_message(data: bytes) -> Message:
    """The answer in these bytes; those that announce another (100 Continue) are passed over."""
    while True:
        found = _STATUS.match(data)
        end = _END.search(data)
        head, rest = (data[: end.start()], data[end.end() :]) if end else (data, b"")
        status = int(found[1]) if found else 0
        if 100 <= status < 200 and _STATUS.match(rest):
            data = rest
            continue
        fields = header_fields(head) if found else ()
        bare = Message(status, fields, rest if found else b"")
        return Message(status, fields, _body(bare))


def header_fields(head: bytes) -> tuple[tuple[str, str], ...]:
    """Names in lower case, and values, of a block whose first line is something else."""
    fields: list[tuple[str, str]] = []
    for line in text_of(head).replace("\r\n", "\n").split("\n")[1:]:
        name, colon, value = line.partition(":")
        if line[:1] in (" ", "\t") and fields:  # the value before goes on
            fields[-1] = (fields[-1][0], f"{fields[-1][1]} {line.strip()}")
        elif colon:
            fields.append((name.strip().lower(), value.strip()))
    return tuple(fields)


def text_of(data: bytes) -> str:
    """Header bytes as text: UTF-8, as browsers read it, or else Latin-1."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _body(message: Message) -> bytes:
    body = message.body
    if "chunked" in message.first("transfer-encoding").lower():
        body = dechunked(body)
    codings = ",".join(message.all("content-encoding")).lower().split(",")
    for coding in reversed(codings):
        body = decoded(body, coding.strip())
    return body[:MOST]


def dechunked(body: bytes) -> bytes:
    """The chunks put together; from the first that is none on, the bytes as they stand."""
    parts: list[bytes] = []
    at = 0
    while found := _CHUNK.match(body, at):
        begin, size = found.end(), int(found[1], 16)
        if not size:
            return b"".join(parts)
        parts.append(body[begin : begin + size])
        at = begin + size
        at += len(body[at : at + 2]) - len(body[at : at + 2].lstrip(b"\r\n"))
    return b"".join([*parts, body[at:]])


def decoded(body: bytes, coding: str) -> bytes:
    """The body without its content coding, or as it is if it never had it."""
    if coding in ("gzip", "x-gzip"):
        return _inflated(body, 31)
    if coding == "deflate":
        found = _inflated(body, 15)
        return found if found is not body else _inflated(body, -15)  # many send it bare
    if coding == "br":
        return _read(BrotliReader, body)
    if coding == "zstd":
        return _read(ZstdReader, body)
    return body


def _inflated(body: bytes, wbits: int) -> bytes:
    """As much as can be inflated; the body itself if that is nothing."""
    parts: list[bytes] = []
    size = 0
    for _ in range(_MEMBERS):
        if not body or size >= MOST:
            break
        inflate = zlib.decompressobj(wbits)
        waiting = body
        try:
            while waiting and not inflate.eof and size < MOST:
                parts.append(inflate.decompress(waiting, 1 << 20))
                size += len(parts[-1])
                waiting = inflate.unconsumed_tail
        except zlib.error:
            break
        if not inflate.eof or wbits < 0 or not inflate.unused_data.startswith(b"\x1f\x8b"):
            break
        body = inflate.unused_data  # several members
    return b"".join(parts) or body


def _read(reader: type[BrotliReader] | type[ZstdReader], body: bytes) -> bytes:
    found = bytearray()
    try:
        stream = reader(io.BytesIO(body))
        while len(found) < MOST and (part := stream.read(4096)):  # an error takes the last with it
            found += part
    except OSError:
        pass
    return bytes(found) or body
