"""One writer for each hunt: a lock that the system lets go when its process ends, however."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

from wolfspider.errors import BadInput

NAME = "lock"
_TRIES, _PAUSE = 5, 0.02


class Lock:
    """Held from the making until `release`."""

    def __init__(self, folder: Path) -> None:
        self._file = os.open(folder / NAME, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
        if not self._take():
            holder = os.read(self._file, 20).decode("ascii", "replace").strip()
            os.close(self._file)
            who = f" (process {holder})" if holder.isdigit() else ""
            raise BadInput(
                f"another wolfspider{who} is writing to {folder}; "
                "wait for it, stop it, or choose another folder"
            )
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def _take(self) -> bool:
        for _ in range(_TRIES):  # who only looks whether there is a writer holds it for a moment
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            except OSError:
                time.sleep(_PAUSE)
        return False

    def release(self) -> None:
        os.ftruncate(self._file, 0)
        os.close(self._file)
