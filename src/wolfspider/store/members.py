"""The records of a hunt as they stand in its WARC files: gzip members, by place."""

from __future__ import annotations

import sqlite3
import zlib
from pathlib import Path
from typing import BinaryIO, Self

from wolfspider.errors import DamagedFile
from wolfspider.store.warc import name_of


class Members:
    """Reads members that rows of `captures` name; only whole ones of the right record."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file: BinaryIO | None = None
        self._number = 0

    def read(self, capture: sqlite3.Row) -> tuple[bytes, bytes]:
        """The bytes of the member, and the record in it; raises `DamagedFile`."""
        path = self.folder / name_of(capture["file"])
        try:
            file = self._open(capture["file"], path)
            file.seek(capture["offset"])
            data = file.read(capture["length"])
        except OSError as error:
            raise DamagedFile(f"cannot read {path}: {error.strerror}") from error
        return data, self._unpacked(data, capture, path)

    def _open(self, number: int, path: Path) -> BinaryIO:
        if self._file is None or number != self._number:
            self.close()
            self._file, self._number = path.open("rb"), number
        return self._file

    def _unpacked(self, data: bytes, capture: sqlite3.Row, path: Path) -> bytes:
        inflate = zlib.decompressobj(31)
        try:
            record = inflate.decompress(data)
        except zlib.error:
            record = b""
        head = record.partition(b"\r\n\r\n")[0]
        whole = inflate.eof and not inflate.unused_data
        if not whole or capture["record"].encode() not in head:
            raise DamagedFile(
                f"{path} is damaged: at byte {capture['offset']} does not stand the record that "
                f"hunt.db names"
            )
        return record

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
