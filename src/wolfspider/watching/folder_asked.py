"""watch.toml: what was asked, for people and for `--resume`."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wolfspider.errors import BadInput, DamagedFile
from wolfspider.states import sync_folder
from wolfspider.store.asked import toml

NAME = "watch.toml"
PARTIAL = "watch.toml.partial"


def write_asked(folder: Path, asked: Mapping[str, Any]) -> None:
    """Beside first: a power cut must not leave half of it."""
    beside = folder / PARTIAL
    with beside.open("w", encoding="utf-8") as file:
        file.write(toml(asked))
        file.flush()
        os.fsync(file.fileno())
    beside.replace(folder / NAME)
    sync_folder(folder)


def read_asked(folder: Path) -> dict[str, Any]:
    path = folder / NAME
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise BadInput(
            f"{folder} holds no watch (there is no {NAME} in it); "
            "give the folder that a watch was told to write with -o"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DamagedFile(f"{path} cannot be read: {error}; put it right by hand") from None


def is_watch(folder: Path) -> bool:
    return (folder / NAME).is_file()
