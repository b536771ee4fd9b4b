r"""Rows of a table in a file: tab-separated text, also with gzip, or Parquet.

Text is UTF-8; its first line names the columns. In a cell `\t`, `\n`, `\r` and `\\` stand for
tab, line ends and backslash, and a cell that is `\N` is missing, as PostgreSQL's COPY writes it.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from wolfspider.errors import BadInput, DamagedFile
from wolfspider.webs.importers.label_cells import join_labels

_PARQUET = b"PAR1"
_GZIP = b"\x1f\x8b"
_ESCAPE = re.compile(r"\\([tnr\\])")
_MEANING = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}
_MISSING = r"\N"
_MOST_LINE = 64 << 20  # bytes
_BATCH = 256  # rows of a Parquet file decoded at once
_BUFFER = 1 << 20

Cells = list[str | None]  # one for each column that was asked for; None is missing


class Table:
    """The columns `needed` and, where there are any, `wanted` of a table; iterate once.

    Yields the number of each row, as `place` names it, and its cells in the order of
    `needed + wanted`. A row without a needed cell is passed over and counted in `left_out`.
    """

    def __init__(self, path: Path, needed: Sequence[str], wanted: Sequence[str]) -> None:
        self.path = path
        self.needed = needed
        self.wanted = wanted
        self.position = 0
        self.left_out: Counter[str] = Counter()
        try:
            self.size = path.stat().st_size
            with path.open("rb") as file:
                self._is_parquet = file.read(4) == _PARQUET
        except OSError as error:
            raise BadInput(f"cannot read {path}: {error.strerror}") from error

    def place(self, number: int) -> str:
        return f"{self.path}, {'row' if self._is_parquet else 'line'} {number:,}"

    def __iter__(self) -> Iterator[tuple[int, Cells]]:
        for number, cells in self._parquet() if self._is_parquet else self._text():
            if None in cells[: len(self.needed)]:
                self.left_out["row with missing cells"] += 1
            else:
                yield number, cells
        self.position = self.size

    # -- text ------------------------------------------------------------------------------

    def _text(self) -> Iterator[tuple[int, Cells]]:
        lines = self._lines()
        names = next(lines, (1, ""))[1].removeprefix("\ufeff").split("\t")
        columns = self._columns(names)
        for number, line in lines:
            cells = line.split("\t")
            if len(cells) > len(names):
                self.left_out["row with too many cells"] += 1
            elif line:
                yield number, [_cell(cells, column) for column in columns]

    def _lines(self) -> Iterator[tuple[int, str]]:
        try:
            with self.path.open("rb") as raw, _unpacked(raw) as file:
                number = 0
                while line := file.readline(_MOST_LINE):
                    number += 1
                    self.position = raw.tell()
                    yield number, self._decoded(number, line)
        except OSError as error:
            if error.strerror is None:  # gzip found it damaged
                raise DamagedFile(f"{self.path} is damaged: {error}; get a whole copy") from error
            raise BadInput(f"cannot read {self.path}: {error.strerror}") from error
        except (EOFError, zlib.error) as error:
            raise DamagedFile(f"{self.path} is damaged or cut off; get a whole copy") from error

    def _decoded(self, number: int, line: bytes) -> str:
        if len(line) == _MOST_LINE:
            raise BadInput(f"{self.place(number)}: longer than {_MOST_LINE >> 20} MB")
        try:
            return line.decode().removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError as error:
            raise BadInput(f"{self.place(number)}: not UTF-8 ({error.reason})") from error

    # -- Parquet ---------------------------------------------------------------------------

    def _parquet(self) -> Iterator[tuple[int, Cells]]:
        import pyarrow  # slow to load, and most tables are text
        from pyarrow.parquet import ParquetFile

        try:
            with ParquetFile(self.path, buffer_size=_BUFFER, pre_buffer=False) as file:
                yield from self._batches(file)
        except (pyarrow.ArrowException, UnicodeDecodeError) as error:
            raise DamagedFile(f"{self.path} is damaged: {error}") from error
        except OSError as error:  # also what Arrow says of pages that are damaged
            raise DamagedFile(f"cannot read {self.path}: {error}") from error

    def _batches(self, file: Any) -> Iterator[tuple[int, Cells]]:
        names = file.schema_arrow.names
        chosen = [None if at is None else names[at] for at in self._columns(names)]
        number, rows = 0, max(1, file.metadata.num_rows)
        present = [name for name in chosen if name is not None]
        for batch in file.iter_batches(_BATCH, columns=present):
            values = {name: self._texts(batch, name) for name in present}
            for at in range(batch.num_rows):
                number += 1
                self.position = self.size * number // rows
                yield number, [None if name is None else values[name][at] for name in chosen]

    def _texts(self, batch: Any, name: str) -> Cells:
        """The cells of a column; of several with one name, the first."""
        column = batch.column(batch.schema.names.index(name))
        try:
            return [_plain(value) for value in _python_values(column)]
        except UnicodeDecodeError:
            raise  # the file is damaged
        except (ValueError, OverflowError, NotImplementedError) as error:
            raise BadInput(
                f"{self.path}: the column {name} has the type {column.type}, which cannot be read; "
                "write it as text"
            ) from error

    def _columns(self, names: Sequence[str]) -> list[int | None]:
        """Where the columns are that were asked for."""
        known = {name.strip().lower(): at for at, name in reversed(list(enumerate(names)))}
        missing = [name for name in self.needed if name not in known]
        if missing:
            raise BadInput(
                f"{self.path} has no column {' and no column '.join(missing)}; "
                f"its columns: {', '.join(names)[:200] or 'none'}"
            )
        return [known.get(name) for name in (*self.needed, *self.wanted)]


def _unpacked(raw: BinaryIO) -> Any:
    """The file itself, or what gzip packed in it."""
    packed = raw.read(2) == _GZIP
    raw.seek(0)
    return gzip.open(raw) if packed else raw


def _cell(cells: list[str], column: int | None) -> str | None:
    if column is None or column >= len(cells) or cells[column] == _MISSING:
        return None
    cell = cells[column]
    return _ESCAPE.sub(lambda found: _MEANING[found[1]], cell) if "\\" in cell else cell


def _python_values(column: Any) -> Any:
    from pyarrow.types import is_timestamp

    # Python's own dates are coarser than Arrow's and end with the year 9999.
    return (column.cast("string") if is_timestamp(column.type) else column).to_pylist()


def _plain(value: Any) -> str | None:
    """A value as text; bytes are UTF-8, and the items of a list are joined as labels are."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, list):
        return join_labels(text for text in map(_plain, value) if text is not None)
    return str(value)
