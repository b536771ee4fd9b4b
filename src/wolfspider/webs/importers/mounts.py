"""Folders, and the web addresses at which they stand."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from wolfspider.errors import BadInput
from wolfspider.urls import canonical

# Besides letters, digits and _.-~: what browsers leave alone in a path.
_PLAIN = "/!$&'()*+,;=:@[]|"


@dataclass(frozen=True, slots=True)
class Mount:
    """A folder, as an absolute path without links resolved, and the address of its contents."""

    folder: bytes
    base: str  # ends with a slash

    def url(self, path: bytes) -> str:
        """The address of something in the folder, written as browsers write it."""
        return self.base + quote(self._inside(path), safe=_PLAIN)

    def escaped_url(self, path: bytes) -> str:
        """The same with every odd character escaped, as programs write it."""
        return self.base + quote(self._inside(path))

    def depth(self, path: bytes) -> int:
        """How many folders down a file is."""
        return self._inside(path).count(b"/")

    def holds(self, path: bytes) -> bool:
        return path == self.folder or path.startswith(os.path.join(self.folder, b""))

    def _inside(self, path: bytes) -> bytes:
        return path[len(os.path.join(self.folder, b"")) :]


def mount(path: Path, at: str) -> Mount:
    """Checks both; `BadInput` says what is wrong."""
    if not path.is_dir():
        what = "is no folder" if path.exists() else "does not exist"
        raise BadInput(f"{path} {what}; give a folder with HTML files")
    return Mount(os.fsencode(os.path.abspath(path)), base_url(at))


def base_url(at: str) -> str:
    """The address in canonical form, with a slash at its end."""
    if "?" in at or "#" in at or (base := canonical(at)) is None:
        raise BadInput(
            f"not the address of a folder: {at!r}; give a full one such as https://example.org/docs/"
        )
    return base if base.endswith("/") else f"{base}/"


def check_mounts(mounts: Sequence[tuple[Path, str]]) -> None:
    """Whether all can be in one web: no folder twice, and no address."""
    folders = [os.path.realpath(path) for path, _ in mounts]
    for path, folder in zip((path for path, _ in mounts), folders, strict=True):
        if folders.count(folder) > 1:
            raise BadInput(f"the folder {path} is given twice; give it once, at one address")
    bases = [base_url(at) for _, at in mounts]
    for base in bases:
        if bases.count(base) > 1:
            raise BadInput(f"two folders are to stand at {base}; give each an address of its own")


def mounted(path: bytes, mounts: Iterable[Mount]) -> Mount | None:
    """The mount in which a path is; of several the innermost."""
    holding = [each for each in mounts if each.holds(path)]
    return max(holding, key=lambda each: len(each.folder), default=None)
