"""One WARC file, with the place of each record, so that it can be read again."""

from __future__ import annotations

import mmap
from collections import deque
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from wolfspider.errors import BadInput, DamagedFile
from wolfspider.webs.importers.frames import Frames, Gap
from wolfspider.webs.importers.warc_records import Record, Splitter

_BREATH = 1024  # records read between two times that memory is given back


class Place(NamedTuple):
    """A record is `length` uncompressed bytes, `skip` bytes behind the begin of a frame."""

    frame: int
    skip: int
    length: int


class Volume:
    """A WARC file, plain or compressed, that stays open.

    Iterate once; then `read` gives any of the records again. `damaged` counts what was passed
    over, a last record that is cut off included.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged = 0
        self.too_large = 0
        try:
            with path.open("rb") as file:
                self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError as error:  # an empty file cannot be mapped
            raise DamagedFile(f"{path} is empty; give a WARC file") from error
        except OSError as error:
            raise BadInput(f"cannot read {path}: {error.strerror}; give a WARC file") from error
        self.size = len(self._data)
        self._frames = Frames(self._data, path.name)
        self._reads = 0

    @property
    def position(self) -> int:
        """The byte reached so far, for a progress bar."""
        return self._frames.position

    def close(self) -> None:
        self._data.close()

    def __iter__(self) -> Iterator[tuple[Record, Place]]:
        splitter = Splitter(verify=not self._frames.checked)
        begins = deque([(0, 0)])  # of frames: in the uncompressed bytes and in the file
        for piece in self._frames:
            if begins[-1][1] != self._frames.begin:
                begins.append((splitter.taken, self._frames.begin))
            for record in _records(splitter, piece):
                yield record, _place(begins, splitter)
            while len(begins) > 1 and begins[1][0] <= splitter.kept_from:
                begins.popleft()
        for record in splitter.end():
            yield record, _place(begins, splitter)
        cut = splitter.cut and not self._frames.cut  # a frame that is cut off left a gap, too
        self.damaged = splitter.damaged + cut
        self.too_large = splitter.too_large

    def read(self, place: Place) -> Record:
        """The record at a place that the iteration told."""
        self._let_go()
        data = self._bytes(place)
        splitter = Splitter(verify=False)
        found = next(chain(splitter.take(data), splitter.end()), None)
        if found is None:
            raise DamagedFile(f"{self.path} is damaged: there is no record at byte {place.frame}")
        return found

    def _bytes(self, place: Place) -> bytes:
        if not self._frames.checked:
            return self._data[place.skip : place.skip + place.length]
        self._frames.position = place.frame
        found, skip = bytearray(), place.skip
        for piece in self._frames:
            part = piece.before if isinstance(piece, Gap) else piece
            found += part[skip:]
            skip = max(0, skip - len(part))
            if len(found) >= place.length or isinstance(piece, Gap):
                break
        return bytes(found[: place.length])

    def _let_go(self) -> None:
        """A mapped file that is read here and there would stay in memory, in the end all of it."""
        self._reads += 1
        if self._reads % _BREATH == 0 and hasattr(mmap, "MADV_DONTNEED"):
            self._data.madvise(mmap.MADV_DONTNEED)


def _records(splitter: Splitter, piece: bytes | Gap) -> Iterator[Record]:
    return splitter.gap(piece.before) if isinstance(piece, Gap) else splitter.take(piece)


def _place(begins: deque[tuple[int, int]], splitter: Splitter) -> Place:
    """From the last frame that begins before the record, or with it."""
    before, frame = next(each for each in reversed(begins) if each[0] <= splitter.begin)
    return Place(frame, splitter.begin - before, splitter.length)
