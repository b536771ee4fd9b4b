"""A hunt on disk: what was asked, and every visit, in a folder that other tools can read.

hunt.toml   what was asked
hunt.db     SQLite: pages (one row per visit, in order) and hunt (facts about the whole)
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from wolfspider.errors import BadInput
from wolfspider.records import Visit
from wolfspider.webs.folder import make_folder, remove_empty

_SCHEMA = """
CREATE TABLE hunt (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE pages (
    step INTEGER PRIMARY KEY,
    url TEXT NOT NULL,
    title TEXT NOT NULL,
    relevance REAL NOT NULL,
    target INTEGER NOT NULL,
    status INTEGER NOT NULL,
    error TEXT NOT NULL,
    depth INTEGER NOT NULL,
    source TEXT NOT NULL,
    anchor TEXT NOT NULL,
    score REAL NOT NULL
);
PRAGMA user_version = 1;
"""
_BATCH = 500  # visits between commits


class HuntStore:
    """Writes visits as they come; what is committed stays whatever happens.

    Opening it refuses a folder that holds a hunt already, and leaves nothing behind then.
    """

    def __init__(self, folder: Path, asked: Mapping[str, Any]) -> None:
        if (folder / "hunt.db").exists() or (folder / "hunt.toml").exists():
            raise BadInput(f"{folder} already holds a hunt; choose another folder with -o")
        made: list[Path] = []
        try:
            made = make_folder(folder)
            (folder / "hunt.toml").write_text(_toml(asked), "utf-8")
            self._db = sqlite3.connect(folder / "hunt.db")
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.executescript(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            for name in ("hunt.toml", "hunt.db"):
                with suppress(OSError):
                    (folder / name).unlink()
            remove_empty(made)
            reason = error.strerror if isinstance(error, OSError) else error
            raise BadInput(
                f"cannot write to {folder}: {reason}; choose another folder with -o"
            ) from error
        self._steps = 0
        self._waiting: list[tuple[Any, ...]] = []

    def add(self, visit: Visit) -> None:
        self._steps += 1
        link, page, verdict, response = visit.link, visit.page, visit.verdict, visit.response
        self._waiting.append(
            (
                self._steps,
                page.url,
                page.title,
                verdict.relevance,
                verdict.target,
                response.status,
                response.error,
                link.depth,
                link.source,
                link.anchor,
                link.score,
            )
        )
        if len(self._waiting) >= _BATCH:
            self._commit()

    def finish(self, facts: Mapping[str, Any]) -> None:
        self._commit()
        rows = [(name, json.dumps(value)) for name, value in facts.items()]
        self._db.executemany("INSERT OR REPLACE INTO hunt VALUES (?, ?)", rows)
        self._db.commit()

    def _commit(self) -> None:
        """Safe to repeat: an interrupt may come when the rows are there and still waiting."""
        self._db.executemany(
            "INSERT OR IGNORE INTO pages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", self._waiting
        )
        self._db.commit()
        self._waiting.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._commit()
        self._db.close()


def _toml(values: Mapping[str, Any]) -> str:
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
