"""A hunt folder that a command looks into."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wolfspider.errors import DamagedFile
from wolfspider.store import HuntReader
from wolfspider.store.opening import open_hunt


@contextmanager
def opened(folder: Path) -> Iterator[HuntReader]:
    """The hunt in a folder; a database that turns out to be damaged is a sentence."""
    try:
        with open_hunt(folder) as reader:
            yield reader
    except sqlite3.DatabaseError as error:
        raise DamagedFile(
            f"{folder / 'hunt.db'} cannot be read ({error}); bring it back from a copy, or: "
            f"wolfspider resume --rebuild {folder}"
        ) from error
