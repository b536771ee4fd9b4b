"""The visits of one crawl, in order; what metrics read."""

from __future__ import annotations

import json
import os
import zlib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from wolfspider.errors import DamagedFile, damage
from wolfspider.forecasting import NOTHING, Promised

_ARRAYS = ("pages", "judged", "promised")  # runs of before have no promises
_UNREADABLE = (OSError, EOFError, ValueError, LookupError, TypeError, BadZipFile, zlib.error)


@dataclass(frozen=True)
class RunKey:
    """What makes a run that run."""

    web: str  # digest
    task: str
    policy: str  # spec
    repeat: int


@dataclass(frozen=True, eq=False)
class Trace:
    """One run: the pages visited, and what it cost the policy."""

    key: RunKey
    pages: NDArray[np.int32]  # numbers, −1 for a failed fetch
    judged: NDArray[np.bool_]  # relevant by the judge's verdict
    cpu_seconds: float  # the policy's own
    seconds: float  # all together
    starts: tuple[int, ...]
    error: str = ""  # a traceback, if the policy crashed
    training_seconds: float = 0.0  # of a policy that is trained; in none of the others
    # by the policy on the way, as a `Forecaster` takes it
    promised: Promised = field(default_factory=NOTHING.copy)

    def __len__(self) -> int:
        return len(self.pages)

    def save(self, path: Path) -> None:
        """Write the whole file or nothing."""
        about = {name: each for name, each in asdict(self).items() if name not in _ARRAYS}
        beside = path.with_suffix(".partial")
        with beside.open("wb") as file:
            np.savez_compressed(
                file,
                **{name: getattr(self, name) for name in _ARRAYS},
                about=np.frombuffer(json.dumps(about).encode(), np.uint8),
            )
        os.replace(beside, path)

    @classmethod
    def load(cls, path: Path) -> Trace:
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as data:
                about: dict[str, Any] = json.loads(data["about"].tobytes())
                about |= {name: data[name] for name in _ARRAYS if name in data}
            about["key"] = RunKey(**about["key"])
            about["starts"] = tuple(about["starts"])
            return cls(**about)
        except _UNREADABLE as error:
            raise DamagedFile(
                f"the run in {path} cannot be read ({damage(error)}); remove the file and run again"
            ) from error
