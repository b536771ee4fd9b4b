"""A hunt folder, read back with nothing but SQLite and TOML."""

from __future__ import annotations

import json
import sqlite3
import tomllib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.errors import BadInput
from wolfspider.records import Link, Page, Response, Verdict, Visit
from wolfspider.store import HuntStore, _toml

ASKED = {"topic": "wolf spiders", "pages": 3, "seeds": ["http://a.test/"], "label": None}
COLUMNS = ["step", "url", "title", "relevance", "target", "status"]
COLUMNS += ["error", "depth", "source", "anchor", "score"]


def visit(number: int, *, error: str = "") -> Visit:
    url = f"http://a.test/{number}"
    link = Link(url, number + 1, "a.test", f"page {number}", "http://a.test/", 2, 0, 0.5, 0.25)
    status = 404 if error else 200
    verdict = Verdict(0.75, True)
    return Visit(link, Page(url, f"Nº {number}"), verdict, Response(url, status, error=error))


def rows(folder: Path, table: str = "pages") -> list[dict[str, Any]]:
    with closing(sqlite3.connect(f"file:{folder / 'hunt.db'}?mode=ro", uri=True)) as db:
        db.row_factory = sqlite3.Row
        return [dict(row) for row in db.execute(f"SELECT * FROM {table} ORDER BY 1")]


def test_a_hunt_is_read_back_as_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "hunts" / "spiders"
    with HuntStore(folder, ASKED) as store:
        for number in range(3):
            store.add(visit(number, error="gone" if number == 2 else ""))
        store.finish({"pages": 3, "stopped": "nothing left to follow", "harvest_rate": 0.5})
    assert sorted(path.name for path in folder.iterdir()) == ["hunt.db", "hunt.toml"]
    found = rows(folder)
    assert list(found[0]) == COLUMNS
    assert found[1] == {
        "step": 2,
        "url": "http://a.test/1",
        "title": "Nº 1",
        "relevance": 0.75,
        "target": 1,
        "status": 200,
        "error": "",
        "depth": 2,
        "source": "http://a.test/",
        "anchor": "page 1",
        "score": 0.25,
    }
    assert [(row["status"], row["error"]) for row in found] == [(200, ""), (200, ""), (404, "gone")]
    facts = {row["name"]: json.loads(row["value"]) for row in rows(folder, "hunt")}
    assert facts == {"pages": 3, "stopped": "nothing left to follow", "harvest_rate": 0.5}
    asked = tomllib.loads((folder / "hunt.toml").read_text())
    assert asked == {name: value for name, value in ASKED.items() if value is not None}


def test_what_is_committed_survives_a_crash(tmp_path: Path) -> None:
    store = HuntStore(tmp_path / "hunt", ASKED)
    for number in range(1200):
        store.add(visit(number))
    committed = [row["step"] for row in rows(tmp_path / "hunt")]  # while the writer is at work
    assert committed == list(range(1, 1001))
    store.__exit__(None, None, None)


def test_leaving_by_an_exception_commits_what_was_added(tmp_path: Path) -> None:
    def interrupted(store: HuntStore) -> None:
        store.add(visit(0))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), HuntStore(tmp_path / "hunt", ASKED) as store:
        interrupted(store)
    assert len(rows(tmp_path / "hunt")) == 1


def test_committing_twice_writes_once(tmp_path: Path) -> None:
    with HuntStore(tmp_path / "hunt", ASKED) as store:
        store.add(visit(0))
        waiting = list(store._waiting)
        store._commit()
        store._waiting += waiting  # an interrupt between commit and clear
    assert [row["step"] for row in rows(tmp_path / "hunt")] == [1]


def test_a_folder_that_holds_a_hunt_is_refused_and_kept(tmp_path: Path) -> None:
    with HuntStore(tmp_path, ASKED) as store:
        store.add(visit(0))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(BadInput, match="already holds a hunt; choose another folder"):
        HuntStore(tmp_path, ASKED)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_folder_that_cannot_be_made_leaves_nothing_behind(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    for folder in (file, file / "hunt", file / "a" / "b"):
        with pytest.raises(BadInput, match=f"cannot write to {folder}: Not a directory"):
            HuntStore(folder, ASKED)
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_text() == "mine"


def test_a_database_that_cannot_be_made_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def connect(path: Path) -> sqlite3.Connection:
        raise sqlite3.OperationalError("disk full")

    monkeypatch.setattr(sqlite3, "connect", connect)
    with pytest.raises(BadInput, match="disk full; choose another folder"):
        HuntStore(tmp_path / "a" / "b", ASKED)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    with HuntStore(tmp_path, ASKED):
        pass
    assert rows(tmp_path) == []


TEXT = st.text(max_size=20)
VALUES = st.one_of(TEXT, st.integers(-(2**60), 2**60), st.booleans(), st.lists(TEXT, max_size=3))


@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), VALUES | st.none()))
def test_whatever_was_asked_is_valid_toml(asked: dict[str, Any]) -> None:
    kept = {name: value for name, value in asked.items() if value is not None}
    assert tomllib.loads(_toml(asked)) == kept


def test_bytes_that_are_no_text_do_not_stop_a_hunt() -> None:
    assert tomllib.loads(_toml({"topic": "caf\udce9"})) == {"topic": "caf?"}
