"""Tables that were compiled once, in the user's cache."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

FORMAT = 1  # of the folders; another number is another table


def folder_for(sources: Iterable[Path], *more: object) -> Path:
    """Where the table of these files is, or would be: they are told by path, size and time."""
    facts: list[object] = [FORMAT, *more]
    for source in sources:
        about = source.stat()
        facts += [str(source.resolve()), about.st_size, about.st_mtime_ns]
    digest = hashlib.sha256("\n".join(map(str, facts)).encode()).hexdigest()
    return _home() / "wolfspider" / "vectors" / digest[:20]


def _home() -> Path:
    given = os.environ.get("XDG_CACHE_HOME", "")
    return Path(given) if os.path.isabs(given) else Path.home() / ".cache"


def fill(folder: Path, write: Callable[[Path], None]) -> bool:
    """Write a folder beside and rename it; False if the place cannot be written to.

    Who comes second finds the folder there and throws his own away.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))
    except OSError:
        return False
    try:
        write(beside)
        if not folder.exists():
            beside.rename(folder)
    except OSError:
        return folder.exists()
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return True
