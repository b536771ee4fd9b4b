"""Ground truth on a recorded web: which pages carry which label. Only the lab sees it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from wolfspider.errors import BadInput


def read_labels(path: Path) -> Iterator[tuple[str, str]]:
    """Rows of a TSV file with the columns `url` and `label`, in any order, header required."""
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot read the labels in {path}: {error}") from error
    columns = lines[0].split("\t") if lines else []
    if "url" not in columns or "label" not in columns:
        raise BadInput(f"{path} needs a first line with the columns url and label, tab between")
    url, label = columns.index("url"), columns.index("label")
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) < len(columns):
            raise BadInput(f"{path}, line {number}: expected {len(columns)} columns: {line!r}")
        yield cells[url].strip(), cells[label].strip()
