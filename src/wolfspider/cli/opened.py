"""A hunt folder that a command looks into."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wolfspider.store import HuntReader, schema
from wolfspider.store.opening import open_hunt


@contextmanager
def opened(folder: Path) -> Iterator[HuntReader]:
    """The hunt in a folder; a database that turns out to be damaged is a sentence."""
    with schema.readable(folder / schema.NAME), open_hunt(folder) as reader:
        yield reader
