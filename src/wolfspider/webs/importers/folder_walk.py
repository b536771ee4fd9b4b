"""The files of a folder that a web server would show, in the same order on every machine."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from stat import S_ISDIR, S_ISREG
from typing import NamedTuple

from wolfspider.webs.importers.dates import within

_INDEX = (b"index.html", b"index.htm")  # the first that is there
_SHOWN = b".well-known"  # the only hidden folder that is part of a web site


class File(NamedTuple):
    """A file. `is_index` means that it answers for the folder in which it is."""

    path: bytes
    size: int
    date: float  # of its last change, in seconds since 1970
    is_index: bool


def walk(folder: bytes, most: int, left_out: Counter[str]) -> Iterator[File]:
    """Every file of at most `most` bytes, sorted by name, the index of a folder first.

    Hidden files are passed over. Links to folders are not followed: they can lead in circles.
    A link to a file counts if that file is in the folder, too. What is left out is counted.
    """
    root = os.path.join(os.path.realpath(folder), b"")
    waiting = _entries(folder, left_out)
    while waiting:
        entry, is_index = waiting.pop()
        try:
            if entry.is_dir(follow_symlinks=False):
                waiting += _entries(entry.path, left_out)
            elif why := _unwanted(entry, root, most):
                left_out[why] += 1
            else:
                about = entry.stat()
                yield File(entry.path, about.st_size, within(about.st_mtime), is_index)
        except OSError:
            left_out["file that cannot be read"] += 1


def _entries(folder: bytes, left_out: Counter[str]) -> list[tuple[os.DirEntry[bytes], bool]]:
    """What is in a folder, last first, each with whether it is the index."""
    try:
        with os.scandir(folder) as found:
            entries = {entry.name: entry for entry in found if not _hidden(entry.name)}
    except OSError:
        left_out["folder that cannot be read"] += 1
        return []
    index = next((name for name in _INDEX if name in entries and _is_file(entries[name])), None)
    names = sorted(entries, key=lambda name: (name != index, name), reverse=True)
    return [(entries[name], name == index) for name in names]


def _is_file(entry: os.DirEntry[bytes]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link that leads in a circle, for one
        return False


def _hidden(name: bytes) -> bool:
    return name.startswith(b".") and name != _SHOWN


def _unwanted(entry: os.DirEntry[bytes], root: bytes, most: int) -> str:
    """Why a file is left out; empty if it is not."""
    if entry.is_symlink() and not os.path.exists(entry.path):
        return "link to nothing"
    about = entry.stat()
    if S_ISDIR(about.st_mode):
        return "link to a folder"
    if not S_ISREG(about.st_mode):
        return "file that is not an ordinary one"  # a pipe would never end
    if entry.is_symlink() and not os.path.realpath(entry.path).startswith(root):
        return "link to a file outside the folder"
    return "file that is too large" if about.st_size > most else ""
