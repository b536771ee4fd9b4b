"""States on disk: what is damaged is told as that, whatever bit of it is another one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from wolfspider.errors import DamagedFile
from wolfspider.records import State
from wolfspider.states import load_state, save_state

STATE: State = {"name": "wolf", "rows": np.arange(6).reshape(2, 3), "texts": [b"some ", b"text"]}


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    save_state(tmp_path / "state.npz", STATE)
    found = load_state(tmp_path / "state.npz")
    assert found["name"] == "wolf"
    assert found["rows"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found["texts"].tobytes() == b"some text"


def test_any_bit_may_be_another_one(tmp_path: Path) -> None:
    path = tmp_path / "state.npz"
    save_state(path, STATE)
    whole, damaged = path.read_bytes(), 0
    for place in range(len(whole)):
        for bit in (0x01, 0x08, 0x80):
            spoilt = bytearray(whole)
            spoilt[place] ^= bit
            path.write_bytes(spoilt)
            try:
                load_state(path)
            except DamagedFile:
                damaged += 1
    assert damaged > len(whole)  # of dates and other things that do not matter there are some


@pytest.mark.parametrize("length", [0, 1, 30, 200])
def test_part_of_a_file_is_damaged(tmp_path: Path, length: int) -> None:
    path = tmp_path / "state.npz"
    save_state(path, STATE)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(DamagedFile, match="cannot be read"):
        load_state(path)
