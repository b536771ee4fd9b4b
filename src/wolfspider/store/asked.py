"""hunt.toml: what was asked, for people and for `resume`."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wolfspider.errors import BadInput, DamagedFile
from wolfspider.states import sync_folder
from wolfspider.store import schema

NAME = "hunt.toml"
PARTIAL = "hunt.toml.partial"


def write_asked(folder: Path, asked: Mapping[str, Any], name: str = NAME) -> None:
    """Beside first: a power cut must not leave half of it."""
    beside = folder / f"{name}.partial"
    with beside.open("w", encoding="utf-8") as file:
        file.write(toml(asked))
        file.flush()
        os.fsync(file.fileno())
    beside.replace(folder / name)
    sync_folder(folder)


def read_asked(folder: Path) -> dict[str, Any]:
    try:
        return read_toml(folder / NAME)
    except FileNotFoundError:
        if (folder / "watch.toml").is_file():
            raise BadInput(
                f"{folder} holds a watch and no hunt; go on with it: "
                f"wolfspider watch --resume {folder}"
            ) from None
        if (folder / schema.NAME).is_file():
            raise DamagedFile(
                f"{folder / NAME} is missing, which says what the hunt is for; "
                "bring it back from a copy"
            ) from None
        what = f"{folder} holds no hunt" if folder.exists() else f"there is no folder {folder}"
        raise BadInput(f"{what}; give the folder that a hunt was told to write with -o") from None
    except NotADirectoryError:
        raise BadInput(f"{folder} is not a folder; give the folder of a hunt") from None


def read_toml(path: Path) -> dict[str, Any]:
    """What was asked; a sentence for a file that somebody has spoilt."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DamagedFile(f"{path} cannot be read: {error}; put it right by hand") from None


def toml(values: Mapping[str, Any]) -> str:
    """TOML of strings, numbers, booleans and lists of strings; what is None is left out.

    JSON writes all of them alike, but for one control character. Bytes of an argument that were
    no text become question marks.
    """
    lines = [
        f"{name} = {json.dumps(value, ensure_ascii=False)}"
        for name, value in values.items()
        if value is not None
    ]
    text = "\n".join(lines).replace("\x7f", "\\u007f") + "\n"
    return text.encode("utf-8", "replace").decode()
