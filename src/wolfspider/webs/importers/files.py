"""Files and folders as importers use them: what the system refuses is told as a sentence."""

from __future__ import annotations

from io import BufferedReader
from pathlib import Path
from tempfile import TemporaryDirectory

from wolfspider.errors import BadInput


def size_of(path: Path) -> int:
    """Its bytes."""
    try:
        return path.stat().st_size
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror}") from error


def opened(path: Path) -> BufferedReader:
    """The file, open for reading bytes."""
    try:
        return path.open("rb")
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror}") from error


def new_folder(prefix: str, inside: Path | None) -> TemporaryDirectory[str]:
    """A folder that is gone afterwards, in `inside` or where the system has room for such."""
    try:
        return TemporaryDirectory(prefix=prefix, dir=inside)
    except OSError as error:
        raise BadInput(f"cannot write to {inside}: {error.strerror}") from error
