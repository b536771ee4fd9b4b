"""A web folder in the making."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from wolfspider.errors import BadInput
from wolfspider.webs.folder import ABOUT, FORMAT, HISTORY, Labels

_SEEN = """
address_pages.npy addresses.npy graph_pages.npy graph_starts.npy labels_pages.npy
labels_starts.npy link_starts.npy links.bin moment_keys.npy moments.npy page_starts.npy pages.bin
redirects.npy text_starts.npy texts.bin
"""


class Beside:
    """A folder that is written beside its place and moved there when it is complete.

    One process at a time writes it; what one that was killed has left is cleared away.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if folder.exists():
            raise BadInput(f"{folder} exists already; choose another folder or remove it")
        self.path = folder.with_name(f".{folder.name}.partial")
        if self.path.is_dir():
            os.close(self._lock())
            shutil.rmtree(self.path, ignore_errors=True)
        try:
            self._made = make_folder(self.path)
        except OSError as error:
            raise BadInput(
                f"cannot write to {folder.parent}: {error.strerror}; choose another folder"
            ) from error
        self._locked = self._lock()

    def _lock(self) -> int:
        file = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(file)
            raise BadInput(
                f"{self.folder} is being written by another process; wait for it, or choose "
                "another folder"
            ) from None
        return file

    def put(self) -> None:
        """Move it to its place."""
        self.path.rename(self.folder)

    def leave(self) -> None:
        """Remove what is not complete; after `put` there is nothing to remove."""
        shutil.rmtree(self.path, ignore_errors=True)
        remove_empty(self._made)
        os.close(self._locked)


class NewFolder(Beside):
    """A web folder: nothing appears under its name before it is complete."""

    def complete(self, about: dict[str, Any], labels: Labels) -> None:
        """Say what the web is and move it to its place."""
        about |= {"format": FORMAT, "labels": {name: len(group) for name, group in labels.items()}}
        about["digest"] = _digest(self.path, list(labels))
        text = json.dumps(about, indent=1, ensure_ascii=False)
        (self.path / ABOUT).write_bytes(text.encode("utf-8", "replace"))  # file names may be odd
        self.put()


def _digest(folder: Path, labels: list[str]) -> str:
    """Over everything a crawl or an experiment can see; not over the answers to be served."""
    digest = hashlib.sha256(json.dumps(labels).encode())
    for name in _SEEN.split():
        for path in (folder / name, folder / HISTORY / name):
            if path.is_file():
                digest.update(path.relative_to(folder).as_posix().encode())
                with path.open("rb") as file:
                    while block := file.read(1 << 20):
                        digest.update(block)
    return digest.hexdigest()[:16]


def make_folder(folder: Path) -> list[Path]:
    """Create a folder with the parents it lacks; says which are new, the deepest first.

    If it fails, nothing is left behind.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    made: list[Path] = []
    try:
        for each in reversed(missing):
            each.mkdir(exist_ok=True)
            made.insert(0, each)
        if not folder.is_dir():
            raise NotADirectoryError(20, "Not a directory", str(folder))
    except BaseException:
        remove_empty(made)
        raise
    return made


def remove_empty(folders: Iterable[Path]) -> None:
    """Take back what `make_folder` made, as far as nobody has put something there."""
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()
