"""A stream of bytes, cut into records: those of a WARC file, or of another form."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wolfspider.webs.importers.record_forms import WARC, Form, Record, Short, Wrong

__all__ = ["Record", "Splitter"]

_BREAK = re.compile(rb"[\r\n\0]*")
_MOST_RECORD = 64 << 20  # larger ones are no pages, and would have to be held in memory


class Splitter:
    """Cuts pieces of a file into records.

    A record counts when its block is followed by what must follow: empty lines, another record
    or the end. Otherwise its length is wrong, and the search for the next one begins right
    behind its first byte. With `verify` its block must also agree with its digest, if it
    has one: a file without checksums of its own has nothing else to tell damage by.

    `begin` and `length` say where in all bytes taken the last record stood, with its head.
    """

    def __init__(self, *, verify: bool, form: Form = WARC) -> None:
        self.damaged = 0  # places from which no record came
        self.too_large = 0
        self.cut = False  # the last record has no end
        self.taken = 0  # bytes
        self.begin = self.length = 0
        self._verify = verify
        self._form = form
        self._buffer = bytearray()
        self._reported = 0  # `damaged` at the last gap or record
        self._lost = False  # looking for the next beginning
        self._before = 0  # bytes held that were looked at: what stands before says what begins
        self._pass_over = 0  # bytes still to come of a block that is too large

    @property
    def kept_from(self) -> int:
        """Where in all bytes taken those begin that are still held."""
        return self.taken - len(self._buffer)

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

    def end(self) -> Iterator[Record]:
        """The records that are left when nothing comes any more."""
        self.cut = self._pass_over > 0
        yield from self._split(_END)

    def _append(self, piece: bytes) -> None:
        self.taken += len(piece)
        passed = min(len(piece), self._pass_over)
        self._pass_over -= passed
        self._buffer += piece[passed:]

    def _split(self, then: str) -> Iterator[Record]:
        at = self._before
        while True:
            at, found = self._beginning(at, then)
            if not found:
                break
            try:
                record, end = self._record(at, then)
            except Short:
                if then == _MORE:
                    break
                if then == _END and not self._form.begin.search(self._buffer, at + 1):
                    self.cut = True
                    break
                self._lose()
                at += 1
            except Wrong:
                self._lose()
                at += 1
            else:
                self.begin, self.length = self.kept_from + at, end - at
                at, self._reported = end, self.damaged
                if record is not None:
                    yield record
        if then == _MORE:
            self._before = min(at, int(self._lost))
            del self._buffer[: at - self._before]
        else:
            self._before = 0
            self._buffer.clear()

    def _lose(self) -> None:
        self.damaged += not self._lost
        self._lost = True

    def _beginning(self, at: int, then: str) -> tuple[int, bool]:
        """Where the next record begins; or up to where there is none."""
        buffer, form = self._buffer, self._form
        if not self._lost:
            at = _end_of_break(buffer, at)
            if form.begin.match(buffer, at):
                return at, True
            rest = self._rest(at)
            if not rest or (then == _MORE and not self._tells(rest)):
                return at, False
            if then == _END and form.may_begin(rest):
                self.cut = True
                return at, False
            self._lose()
        if found := form.begin.search(buffer, at):
            self._lost = False
            return found.start(), True
        return max(at, len(buffer) - form.near), False

    def _rest(self, at: int) -> bytes:
        """Bytes by which the beginning of a record can be told, if there are as many."""
        return bytes(self._buffer[at : at + self._form.near])

    def _tells(self, rest: bytes) -> bool:
        """Whether these are enough; a beginning is a line."""
        return b"\n" in rest or len(rest) == self._form.near

    def _record(self, at: int, then: str) -> tuple[Record | None, int]:
        """The record that begins here and where it ends; None for one that is too large."""
        buffer = self._buffer
        fields, block, length = self._form.head(buffer, at)
        end = block + length
        if length > _MOST_RECORD:
            self.too_large += 1
            self._pass_over = max(0, end - len(buffer))
            return None, min(end, len(buffer))
        if end > len(buffer):
            raise Short
        self._check_what_follows(end, then)
        record = Record(fields, bytes(buffer[block:end]))
        if self._verify and not self._form.agrees(record):
            raise Wrong
        return record, end

    def _check_what_follows(self, end: int, then: str) -> None:
        buffer, form = self._buffer, self._form
        if form.proof and then != _GAP and buffer.startswith(form.proof, end):
            return
        after = _end_of_break(buffer, end)
        if after == len(buffer) and then != _GAP:
            return  # block and piece end together: of a wrong length this would be a wonder
        rest = self._rest(after)
        if then == _MORE and not self._tells(rest):
            raise Short
        cut = then == _END and after > end and form.may_begin(rest)  # in the next head
        if not (cut or form.begin.match(buffer, after)):
            raise Wrong


_MORE, _GAP, _END = "more", "gap", "end"  # what comes behind the buffer


def _end_of_break(buffer: bytearray, at: int) -> int:
    found = _BREAK.match(buffer, at)
    return found.end() if found else at
