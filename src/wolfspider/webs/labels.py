"""Ground truth on a recorded web: which pages carry which label. Only the lab sees it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from wolfspider.errors import BadInput


def read_labels(path: Path) -> Iterator[tuple[str, str]]:
    """Rows of a TSV file with the columns `url` and `label`, in any order, header required.

    Other columns and empty lines are passed over.
    """
    try:
        lines = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").split("\n")
    except OSError as error:
        raise BadInput(f"cannot read the labels in {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"cannot read the labels in {path}: not UTF-8 ({error.reason})") from error
    columns = [name.strip().lower() for name in lines[0].split("\t")]
    if "url" not in columns or "label" not in columns:
        raise BadInput(f"{path} needs a first line with the columns url and label, tab between")
    url, label = columns.index("url"), columns.index("label")
    for number, line in enumerate(lines[1:], 2):
        if line.strip():
            cells = [cell.strip() for cell in line.split("\t")]
            if len(cells) <= max(url, label) or not (cells[url] and cells[label]):
                raise BadInput(f"{path}, line {number}: needs a url and a label: {line!r}")
            yield cells[url], cells[label]
