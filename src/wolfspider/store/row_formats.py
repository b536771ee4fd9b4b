"""Rows of an export as JSON lines, CSV or Parquet, written one after the other."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from datetime import datetime
from typing import Any, BinaryIO, Protocol

from wolfspider.store.exporting import Row

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would compute what begins so
_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}  # to some readers
_GROUP_ROWS = 10_000
_GROUP_BYTES = 32 << 20  # of text


class RowWriter(Protocol):
    """Takes rows; the file is whole after `close`, which leaves it open."""

    def write(self, row: Row) -> None: ...

    def close(self) -> None: ...


class JsonLines:
    """One JSON object a line, in UTF-8; numbers that JSON cannot write are null."""

    def __init__(self, out: BinaryIO, columns: Sequence[str]) -> None:
        self._out = out
        self._columns = columns

    def write(self, row: Row) -> None:
        values = {name: self._value(row[name]) for name in self._columns}
        line = json.dumps(values, ensure_ascii=False).translate(_LINE_ENDS)
        self._out.write(line.encode("utf-8", "replace") + b"\n")

    def close(self) -> None:
        self._out.flush()

    def _value(self, value: Any) -> Any:
        if isinstance(value, float) and not math.isfinite(value):
            return None
        return _iso(value) if isinstance(value, datetime) else value


class Csv:
    """A table with a header that is safe in a spreadsheet: what looks like a formula is quoted."""

    def __init__(self, out: BinaryIO, columns: Sequence[str]) -> None:
        self._columns = columns
        self._text = io.TextIOWrapper(out, "utf-8", errors="replace", newline="")
        self._writer = csv.writer(self._text)
        self._writer.writerow(columns)

    def write(self, row: Row) -> None:
        self._writer.writerow([self._cell(row[name]) for name in self._columns])

    def close(self) -> None:
        self._text.flush()
        self._text.detach()

    def _cell(self, value: Any) -> Any:
        if isinstance(value, str):
            value = value.replace("\0", "\ufffd")
            return "'" + value if value.startswith(_FORMULA) else value
        if isinstance(value, bool):
            return "true" if value else "false"
        return _iso(value) if isinstance(value, datetime) else value


class Parquet:
    """Typed columns, in row groups that are written when they have grown large."""

    def __init__(self, out: BinaryIO, columns: Sequence[str]) -> None:
        # Here, since it takes a while that nobody who wants JSON lines should wait.
        import pyarrow as pa
        from pyarrow import parquet

        types = {
            "step": pa.int64(),
            "relevance": pa.float64(),
            "target": pa.bool_(),
            "status": pa.int32(),
            "depth": pa.int32(),
            "score": pa.float64(),
            "at": pa.timestamp("us", tz="UTC"),
            "noindex": pa.bool_(),
            "refused": pa.bool_(),
        }
        self._batch = pa.RecordBatch
        self._schema = pa.schema([(name, types.get(name, pa.string())) for name in columns])
        self._writer = parquet.ParquetWriter(_Counted(out), self._schema, compression="zstd")
        self._rows: list[Row] = []
        self._bytes = 0

    def write(self, row: Row) -> None:
        self._rows.append(row)
        self._bytes += len(row["text"])
        if len(self._rows) >= _GROUP_ROWS or self._bytes >= _GROUP_BYTES:
            self._write_group()

    def close(self) -> None:
        if self._rows:
            self._write_group()
        self._writer.close()

    def _write_group(self) -> None:
        self._writer.write_batch(self._batch.from_pylist(self._rows, self._schema))
        self._rows, self._bytes = [], 0


class _Counted(io.RawIOBase):
    """A stream that knows how much was written to it: pipes do not, and Parquet asks."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._written = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._out.write(data)
        self._written += len(data)
        return len(data)

    def tell(self) -> int:
        return self._written

    def flush(self) -> None:
        self._out.flush()


def _iso(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
