"""The command line as a person meets it: arguments in; exit code, output and messages out."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

from wolfspider.cli import main

COMMAND = [sys.executable, "-c", "from wolfspider.cli import main; main()"]


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one object on standard output."""
        found: dict[str, Any] = json.loads(self.out)
        return found


class Run(Protocol):
    """Runs a command in this process."""

    def __call__(self, *arguments: str | Path) -> Outcome: ...


@dataclass(frozen=True)
class Generated:
    """A generated web, its recording and where to start."""

    folder: Path
    warc: Path
    labels: Path
    start: str


def run_here(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> Outcome:
    monkeypatch.setattr(sys, "argv", ["wolfspider", *map(str, arguments)])
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as end:
        main()
    return Outcome(int(end.value.code or 0), out.getvalue(), err.getvalue())


def start(*arguments: str | Path, **environment: str) -> subprocess.Popen[str]:
    """Start a command in a process of its own."""
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def left(folder: Path) -> list[str]:
    """Everything below a folder, hidden files too."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
