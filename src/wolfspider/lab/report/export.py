"""The numbers as files for other programs: CSV and Parquet, one value to a cell."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from wolfspider.lab.report.curves import Curves
from wolfspider.lab.summary import Cell, Summary

Columns = Mapping[str, Sequence[Any]]
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would compute what begins so


def summary_columns(table: Mapping[str, Mapping[str, Cell]]) -> Columns:
    """One row for each policy and metric."""
    rows = [(policy, name, cell) for policy, row in table.items() for name, cell in row.items()]
    return {
        "policy": [policy for policy, _, _ in rows],
        "metric": [name for _, name, _ in rows],
        **{key: [cell[key] for _, _, cell in rows] for key in ("mean", "se", "median")},
    }


def run_columns(summary: Summary) -> Columns:
    """One row for each run; one that failed has no metrics."""
    traces = [*summary.traces, *summary.failed]
    columns: dict[str, list[Any]] = {
        "web": [trace.key.web for trace in traces],
        "task": [trace.key.task for trace in traces],
        "policy": [trace.key.policy for trace in traces],
        "repeat": [trace.key.repeat for trace in traces],
        "pages": [len(trace) for trace in traces],
        "seconds": [trace.seconds for trace in traces],
        "cpu": [trace.cpu_seconds for trace in traces],
        "training": [trace.training_seconds for trace in traces],
        "failed": [bool(trace.error) for trace in traces],
    }
    for name in summary.metric_names():
        values = [_finite(summary.measured(trace, name)) for trace in summary.traces]
        columns[name] = [*values, *[None] * len(summary.failed)]
    return columns


def curve_columns(curves: Curves) -> Columns:
    """One row for each point of each mean curve; `axis` says what x counts."""
    columns: dict[str, list[Any]] = {
        key: [] for key in ("policy", "metric", "x", "mean", "se", "axis")
    }
    for policy in curves.summary.policies:
        for name in curves.names():
            curve = curves.of(policy, name)
            if curve is not None:
                length = len(curve.x)
                columns["policy"] += [policy] * length
                columns["metric"] += [name] * length
                columns["x"] += curve.x.tolist()
                columns["mean"] += curve.mean.tolist()
                columns["se"] += curve.error.tolist()
                columns["axis"] += [curves.axis] * length
    return columns


def write_csv(columns: Columns, path: Path) -> None:
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow([_cell(value) for value in row])


def write_parquet(columns: Columns, path: Path) -> None:
    arrays = {name: pa.array(values, _type(values)) for name, values in _clean(columns).items()}
    pq.write_table(pa.table(arrays), path)


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return "'" + value if value.startswith(_FORMULA) else value
    if isinstance(value, bool):
        return "true" if value else "false"
    return value


def _clean(columns: Columns) -> Columns:
    """Half characters, which UTF-8 cannot hold, become question marks."""
    return {
        name: [v.encode("utf-8", "replace").decode() if isinstance(v, str) else v for v in values]
        for name, values in columns.items()
    }


def _type(values: Sequence[Any]) -> pa.DataType:
    """The type of the first value that is there; numbers where there is none."""
    types = {bool: pa.bool_(), int: pa.int64(), str: pa.string()}
    first = next((value for value in values if value is not None), 0.0)
    return types.get(type(first), pa.float64())


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
