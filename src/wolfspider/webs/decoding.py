"""A body without its chunks and compression, as far as they can be undone.

Servers send bombs, halves of files and plain text that they call gzip; archives hold what
recorders made of that: chunks that are none, `gzip` over what they had unpacked. Memory stays
within the limit while inflating; what can be decoded is returned, and the damage is told.
Nothing here raises.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from fastwarc.stream_io import BrotliReader, ZstdReader

from wolfspider.records import Headers

MOST_CODINGS = 5  # one on top of the other; honest servers use one
MOST_MEMBERS = 1024  # gzip files in one body; each costs a copy, and a bomb can be many small ones

_CHUNK = re.compile(rb"[ \t]*([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n")
_STEP = 64 << 10
_SMALL_STEP = 64  # an error takes the bytes of the last step with it
_TOO_LONG = "longer than the limit when decoded"
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP, _ZLIB, _BARE = 31, 15, -15  # zlib's names for the three wrappings of deflate


@dataclass(frozen=True, slots=True)
class Decoded:
    """The payload of an answer, and what was wrong with it, or nothing."""

    data: bytes
    damage: str = ""


def payload(headers: Headers, body: bytes, limit: int) -> Decoded:
    """The body without the codings that its headers name, never longer than `limit`.

    Names of headers are in lower case.
    """
    codings = [
        coding
        for name in ("content-encoding", "transfer-encoding")  # applied in this order
        for coding in _listed(headers, name)
    ]
    if len(codings) > MOST_CODINGS:
        return Decoded(body[:limit], f"{len(codings)} codings on one body")
    data, damages = body, []
    for coding in reversed(codings):
        layer = undone(coding, data, limit)
        data = layer.data
        damages += [layer.damage] if layer.damage else []
    return Decoded(data[:limit], "; ".join(damages))


def _listed(headers: Headers, name: str) -> list[str]:
    values = ",".join(value for key, value in headers if key == name).lower()
    return [coding for part in values.split(",") if (coding := part.strip(" \t")) not in _NONE]


def undone(coding: str, data: bytes, limit: int) -> Decoded:
    """The data without one coding, or as it is if it never had it."""
    if not data:
        return Decoded(b"")
    known = _CODINGS.get(coding)
    if known is None:
        return Decoded(data, f"unknown coding {coding[:40]!r}")
    return known(data, limit)


def _dechunked(data: bytes, _limit: int) -> Decoded:
    parts: list[bytes] = []
    at = 0
    while found := _CHUNK.match(data, at):
        begin, size = found.end(), int(found[1], 16)
        if not size:
            return Decoded(b"".join(parts))
        parts.append(data[begin : begin + size])
        at = begin + size
        line_end = data[at : at + 2]
        at += 2 if line_end == b"\r\n" else line_end.startswith(b"\n")
    if not parts:
        return Decoded(data, "not chunked")
    return Decoded(b"".join(parts), "chunks end early" if at >= len(data) else "bad chunk")


def _gunzipped(data: bytes, limit: int) -> Decoded:
    return _inflated(data, limit, _GZIP) or Decoded(data, "not gzip")


def _undeflated(data: bytes, limit: int) -> Decoded:
    found = _inflated(data, limit, _ZLIB) or _inflated(data, limit, _BARE)  # many send it bare
    return found or Decoded(data, "not deflate")


def _inflated(data: bytes, limit: int, wrapping: int, step: int = _STEP) -> Decoded | None:
    """All members of the stream; None if not even the first begins."""
    inflate = zlib.decompressobj(wrapping)
    parts: list[bytes] = []
    at, size, members = 0, 0, 1
    try:
        while at < len(data):
            piece = data[at : at + step]  # small, for what is left of it is copied
            parts.append(inflate.decompress(piece, limit + 1 - size))
            size += len(parts[-1])
            at += len(piece) - len(inflate.unused_data)
            if size > limit:
                return Decoded(b"".join(parts)[:limit], _TOO_LONG)
            if inflate.eof:
                if wrapping != _GZIP or not data.startswith(_GZIP_MAGIC, at):
                    return Decoded(b"".join(parts))
                if members == MOST_MEMBERS:
                    return Decoded(b"".join(parts), f"more than {MOST_MEMBERS} gzip members")
                inflate = zlib.decompressobj(wrapping)
                members += 1
    except zlib.error:
        if step > _SMALL_STEP:
            return _inflated(data, limit, wrapping, _SMALL_STEP)
        return Decoded(b"".join(parts), "damaged") if size else None
    return Decoded(b"".join(parts), "" if inflate.eof else "ends early")


def _unbrotlied(data: bytes, limit: int) -> Decoded:
    return _read(BrotliReader, data, limit) or Decoded(data, "not br")


def _unzstd(data: bytes, limit: int) -> Decoded:
    return _read(ZstdReader, data, limit) or Decoded(data, "not zstd")


def _read(
    reader: Callable[[io.BytesIO], BrotliReader | ZstdReader],
    data: bytes,
    limit: int,
    step: int = _STEP,
) -> Decoded | None:
    found = bytearray()
    try:
        stream = reader(io.BytesIO(data))
        while part := stream.read(step):
            found += part
            if len(found) > limit:
                return Decoded(bytes(found[:limit]), _TOO_LONG)
    except OSError:
        if step > _SMALL_STEP:
            return _read(reader, data, limit, _SMALL_STEP)
        return Decoded(bytes(found), "damaged") if found else None
    return Decoded(bytes(found))


_NONE = frozenset(("", "identity"))
_CODINGS: dict[str, Callable[[bytes, int], Decoded]] = {
    "chunked": _dechunked,
    "gzip": _gunzipped,
    "x-gzip": _gunzipped,
    "deflate": _undeflated,
    "br": _unbrotlied,
    "zstd": _unzstd,
}
