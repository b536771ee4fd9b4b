"""watch.toml: what was asked, for people and for `--resume`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wolfspider.errors import BadInput
from wolfspider.store import asked as hunt_asked

NAME = "watch.toml"
PARTIAL = "watch.toml.partial"


def write_asked(folder: Path, asked: Mapping[str, Any]) -> None:
    hunt_asked.write_asked(folder, asked, NAME)


def read_asked(folder: Path) -> dict[str, Any]:
    try:
        return hunt_asked.read_toml(folder / NAME)
    except (FileNotFoundError, NotADirectoryError):
        raise BadInput(
            f"{folder} holds no watch (there is no {NAME} in it); "
            "give the folder that a watch was told to write with -o"
        ) from None


def is_watch(folder: Path) -> bool:
    return (folder / NAME).is_file()
