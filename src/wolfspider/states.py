"""States on disk, as one .npz file: nested dicts of JSON values and arrays. Never pickle.

A list of bytes, which holds one text in pieces, comes back as an array of all of them.
"""

from __future__ import annotations

import json
import os
import struct
import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.errors import DamagedFile, damage
from wolfspider.records import State

_VALUES = "values.json"
_DAMAGED = (  # what zipfile and numpy raise, if any bit of a file may be another one
    *(OSError, EOFError, LookupError, MemoryError, RuntimeError, SyntaxError),
    *(TypeError, ValueError, struct.error, tokenize.TokenError, zipfile.BadZipFile, zlib.error),
)
_ARRAY = "\0array"  # a key that no state has: the value stands in a member of the file


def save_state(path: Path, state: State) -> None:
    """Write it beside, then under its name: a file of this name is always whole."""
    beside = path.with_name(f"{path.name}.partial")
    arrays: list[NDArray[Any] | list[bytes]] = []
    values = json.dumps(_without_arrays(state, arrays), ensure_ascii=False)
    with beside.open("wb") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as members:
            # With a fixed date, so that equal states are equal bytes.
            members.writestr(zipfile.ZipInfo(_VALUES), values.encode("utf-8", "surrogatepass"))
            for number, array in enumerate(arrays):
                with members.open(f"{number}.npy", "w", force_zip64=True) as member:
                    _write_array(member, array)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    sync_folder(path.parent)


def load_state(path: Path) -> State:
    try:
        with zipfile.ZipFile(path) as members:
            values = json.loads(members.read(_VALUES).decode("utf-8", "surrogatepass"))
            found: State = _with_arrays(values, members)
            return found
    except _DAMAGED as error:
        raise DamagedFile(
            f"{path} cannot be read ({damage(error) or type(error).__name__})"
        ) from error


def add_to_digest(digest: Any, state: Any) -> None:
    """Equal states give equal digests, whatever the order of their keys."""
    if isinstance(state, np.ndarray):
        digest.update(f"{state.dtype} {state.shape}".encode() + state.tobytes())
    elif isinstance(state, dict):
        for name in sorted(state):
            digest.update(name.encode())
            add_to_digest(digest, state[name])
    else:
        digest.update(json.dumps(state).encode())


def sync_folder(folder: Path) -> None:
    """Make the names in a folder last."""
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _write_array(member: IO[bytes], array: NDArray[Any] | list[bytes]) -> None:
    if isinstance(array, np.ndarray):
        np.lib.format.write_array(member, array, allow_pickle=False)
        return
    header = {"descr": "|u1", "fortran_order": False, "shape": (sum(map(len, array)),)}
    np.lib.format.write_array_header_1_0(member, header)
    for piece in array:
        member.write(piece)


def _without_arrays(value: Any, arrays: list[NDArray[Any] | list[bytes]]) -> Any:
    if isinstance(value, dict):
        return {key: _without_arrays(each, arrays) for key, each in value.items()}
    if isinstance(value, np.ndarray) or (
        isinstance(value, list) and value and isinstance(value[0], bytes)
    ):
        arrays.append(value)
        return {_ARRAY: len(arrays) - 1}
    if isinstance(value, np.generic):
        return value.item()
    return value


def _with_arrays(value: Any, members: zipfile.ZipFile) -> Any:
    if not isinstance(value, dict):
        return value
    if _ARRAY in value:
        with members.open(f"{int(value[_ARRAY])}.npy") as member:
            return np.lib.format.read_array(member, allow_pickle=False)
    return {key: _with_arrays(each, members) for key, each in value.items()}
