"""The uncompressed bytes of a file: plain, gzip or zstd, as far as they can be read.

Compressed recordings consist of frames (gzip calls them members), usually one for each
record. A frame that cannot be read leaves a gap, and the next one is found by how it begins.
"""

from __future__ import annotations

import io
import mmap
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from fastwarc.stream_io import ZstdReader

GZIP = b"\x1f\x8b\x08"
ZSTD = b"\x28\xb5\x2f\xfd"
_SKIPPED = b"\x2a\x4d\x18"  # after a byte 0x50–0x5f: a zstd frame that holds something else
_DICTIONARY = b"\x5d" + _SKIPPED

_LET_GO = 4 << 20  # compressed bytes read before they are let go
_STEP = 1 << 16  # compressed bytes taken at a time
_PIECE = 1 << 20  # uncompressed bytes handed out at a time
_HELD = 8 << 20  # uncompressed bytes of a frame held back until its checksum has been seen


@dataclass(frozen=True, slots=True)
class Gap:
    """Bytes are missing here. `before` could be read, but near its end it may be wrong."""

    before: bytes = b""


class Frames:
    """The uncompressed bytes, in pieces, and the gaps between them.

    `begin` is where in the file the frame begins that the last piece came from. After the
    iteration `cut` says whether the file ends within a frame.
    """

    def __init__(self, data: mmap.mmap, name: str = "") -> None:
        self.data = data
        self.position = 0  # compressed bytes taken so far
        self.begin = 0
        self.cut = False
        self.magic = _magic(data, name)  # how a frame begins; empty for a plain file
        self._dictionary: bytes | None = None
        self._let_go_at = 0

    @property
    def checked(self) -> bool:
        """Whether the frames carry checksums of their own."""
        return self.magic != b""

    def __iter__(self) -> Iterator[bytes | Gap]:
        if not self.magic:
            yield from self._plain()
            return
        while self.position < len(self.data):
            self.begin = start = self.position
            self._let_go()
            try:
                yield from self._frame(start)
                self.cut = False
            except _Unreadable as problem:
                yield Gap(problem.before)
                self.cut = self.cut or problem.cut
                found = self.data.find(self.magic, start + 1)
                self.position = found if found >= 0 else len(self.data)

    def _plain(self) -> Iterator[bytes]:
        while piece := self.data[self.position : self.position + _PIECE]:
            self.position += len(piece)
            self._let_go()
            yield piece

    def _let_go(self) -> None:
        """What has been read need not stay in memory; a mapped file would, all of it."""
        if self.position - self._let_go_at > _LET_GO and hasattr(mmap, "MADV_DONTNEED"):
            self.data.madvise(mmap.MADV_DONTNEED)
            self._let_go_at = self.position

    def _frame(self, start: int) -> Iterator[bytes]:
        """One frame; afterwards `position` is behind it."""
        head = self.data[start : start + 4]
        if head.startswith(GZIP):
            yield from self._held(self._gunzip(start))
        elif head == ZSTD:
            yield from self._held(self._unzstd(start))
        elif head[1:] == _SKIPPED and head[0] >> 4 == 5:
            self._skip(start, head)
        elif _only_zeros(self.data, start):
            self.position = len(self.data)  # padding
        else:
            raise _Unreadable(cut=self.magic.startswith(head[: len(self.magic)]))

    def _held(self, parts: Iterator[bytes]) -> Iterator[bytes]:
        """The parts of a frame, given out when all of it was right or when it gets too long."""
        held: list[bytes] = []
        try:
            for part in parts:
                held.append(part)
                if sum(map(len, held)) > _HELD:
                    yield b"".join(held)
                    held = []
        except _Unreadable as problem:
            problem.before = b"".join(held) + problem.before
            raise
        yield b"".join(held)

    def _gunzip(self, start: int) -> Iterator[bytes]:
        inflate = zlib.decompressobj(31)
        self.position = start
        waiting = b""
        while not inflate.eof:
            if not waiting:
                waiting = self.data[self.position : self.position + _STEP]
                self.position += len(waiting)
                if not waiting:
                    raise _Unreadable(cut=True)
            before = inflate.copy()
            try:
                part = inflate.decompress(waiting, _PIECE)
            except zlib.error as error:
                raise _Unreadable(_up_to_the_error(before, waiting)) from error
            waiting = inflate.unconsumed_tail
            yield part
        self.position -= len(inflate.unused_data)

    def _unzstd(self, start: int) -> Iterator[bytes]:
        end = _zstd_end(self.data, start)
        given = 0
        try:
            reader = ZstdReader(_Span(self.data, start, end), dictionary=self._dictionary)
            while part := reader.read(_PIECE):
                given += len(part)
                yield part
        except OSError as error:
            raise _Unreadable(self._up_to_the_error(start, end, given)) from error
        self.position = end

    def _up_to_the_error(self, start: int, end: int, given: int) -> bytes:
        """What a zstd frame holds before an error, without what was given out already."""
        parts: list[bytes] = []
        try:
            reader = ZstdReader(_Span(self.data, start, end), dictionary=self._dictionary)
            while part := reader.read(64):
                parts.append(part)
        except OSError:
            pass
        return b"".join(parts)[given:]

    def _skip(self, start: int, head: bytes) -> None:
        """A frame without data; the first may hold the dictionary for all others."""
        end = start + 8 + int.from_bytes(self.data[start + 4 : start + 8], "little")
        if end > len(self.data):
            raise _Unreadable(cut=True)
        if start == 0 and head == _DICTIONARY:
            dictionary = self.data[8:end]
            if dictionary.startswith(ZSTD):
                dictionary = b"".join(self._unzstd(8))
            self._dictionary = dictionary
        self.position = end


class _Unreadable(Exception):
    """A frame that is damaged, or has no end."""

    def __init__(self, before: bytes = b"", *, cut: bool = False) -> None:
        self.before = before
        self.cut = cut


class _Span(io.RawIOBase):
    """Some bytes of the file, as a file of their own."""

    def __init__(self, data: mmap.mmap, start: int, end: int) -> None:
        self._data, self._start, self._end = data, start, end
        self._at = start

    def read(self, size: int = -1) -> bytes:
        end = self._end if size < 0 else min(self._end, self._at + size)
        found = self._data[self._at : end]
        self._at = end
        return found

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = (self._start, self._at, self._end)[whence]
        self._at = max(self._start, min(self._end, base + offset))
        return self.tell()

    def tell(self) -> int:
        return self._at - self._start


def _magic(data: mmap.mmap, name: str) -> bytes:
    """How frames begin: by the first bytes, or by the file's name if these are damaged."""
    head = data[:5]
    if head in (b"WARC/", b"filed"):  # filedesc: is how an ARC file begins
        return b""
    if head.startswith(GZIP):
        return GZIP
    if head.startswith(ZSTD) or head[1:4] == _SKIPPED:
        return ZSTD
    return GZIP if name.endswith(".gz") else ZSTD if name.endswith(".zst") else b""


def _up_to_the_error(inflate: zlib._Decompress, waiting: bytes) -> bytes:
    """What can be inflated before an error, which itself gives back nothing."""
    found = bytearray()
    try:
        for at in range(0, len(waiting), 64):
            found += inflate.decompress(waiting[at : at + 64])
    except zlib.error:
        pass
    return bytes(found)


def _only_zeros(data: mmap.mmap, start: int) -> bool:
    return all(not data[at : at + _PIECE].strip(b"\0") for at in range(start, len(data), _PIECE))


def _zstd_end(data: mmap.mmap, start: int) -> int:
    """Where a zstd frame ends (RFC 8878, 3.1.1): a header, blocks that tell their size, a sum."""
    flags = data[start + 4] if start + 4 < len(data) else 0
    single, checksum = flags >> 5 & 1, flags >> 2 & 1
    size_bytes = (single, 2, 4, 8)[flags >> 6]
    at = start + 5 + (1 - single) + (0, 1, 2, 4)[flags & 3] + size_bytes
    last = False
    while not last:
        if at + 3 > len(data):
            raise _Unreadable(cut=True)
        block = int.from_bytes(data[at : at + 3], "little")
        last, kind, size = bool(block & 1), block >> 1 & 3, block >> 3
        at += 3 + (1 if kind == 1 else size)  # kind 1: one byte, repeated
    if at + 4 * checksum > len(data):
        raise _Unreadable(cut=True)
    return at + 4 * checksum
