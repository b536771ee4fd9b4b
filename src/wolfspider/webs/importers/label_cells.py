r"""Several labels in one cell of a table: `|` between them; in a label `\|` and `\\` stand for
bar and backslash.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_LABEL = re.compile(r"(?:[^|\\]++|\\[|\\]?+)++")
_ESCAPED = re.compile(r"\\([|\\])")
_ESCAPES = str.maketrans({"|": r"\|", "\\": r"\\"})


def join_labels(labels: Iterable[str]) -> str:
    r"""The cell.

    >>> print(join_labels(["spider", "A|B"]))
    spider|A\|B
    """
    return "|".join(label.translate(_ESCAPES) for label in labels)


def split_labels(cell: str) -> list[str]:
    r"""The labels in a cell; spaces around a label do not count, nor does an empty one.

    >>> split_labels(r"spider | A\|B || C:\web")
    ['spider', 'A|B', 'C:\\web']
    """
    labels = (_ESCAPED.sub(r"\1", label).strip() for label in _LABEL.findall(cell))
    return [label for label in labels if label]
