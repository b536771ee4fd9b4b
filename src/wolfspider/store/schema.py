"""hunt.db: its tables, its version, and whether it is whole."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wolfspider.errors import BadInput, DamagedFile, WolfspiderError
from wolfspider.store.warc import warc_files

NAME = "hunt.db"
VERSION = 4
ORIGINAL = (  # the first whole answer with a given payload
    "FROM captures WHERE digest = ? AND kind = 'response' AND truncated = '' ORDER BY id LIMIT 1"
)

_PAGES_1 = """
    step INTEGER PRIMARY KEY,
    url TEXT NOT NULL,          -- where the answer came from, after redirects
    title TEXT NOT NULL,
    relevance REAL NOT NULL,
    target INTEGER NOT NULL,
    status INTEGER NOT NULL,
    error TEXT NOT NULL,        -- the kind of failure, or nothing
    depth INTEGER NOT NULL,
    source TEXT NOT NULL,       -- page on which the link was found
    anchor TEXT NOT NULL,
    score REAL NOT NULL         -- the policy's, when it chose the link
"""
_PAGES_2 = {
    "link": "TEXT NOT NULL DEFAULT ''",  # URL that was followed
    "detail": "TEXT NOT NULL DEFAULT ''",  # of the error
    "refused": "INTEGER NOT NULL DEFAULT 0",  # never asked for
    "position": "INTEGER NOT NULL DEFAULT 0",  # of the link on its page
    "source_relevance": "REAL NOT NULL DEFAULT 0",
    "flags": "INTEGER NOT NULL DEFAULT 0",  # 1 noindex, 2 nofollow
    "copy_of": "TEXT NOT NULL DEFAULT ''",  # URL from which the same body came before
    "at": "REAL NOT NULL DEFAULT 0",  # when the answer came, seconds since 1970
    "seconds": "REAL NOT NULL DEFAULT 0",
    "bytes": "INTEGER NOT NULL DEFAULT 0",  # of the answer and its redirects, as they came
    "capture": "INTEGER",  # of the answer itself
}
_SCHEMA = f"""
CREATE TABLE hunt (name TEXT PRIMARY KEY, value TEXT NOT NULL);  -- facts, as JSON
CREATE TABLE pages ({_PAGES_1});  -- one row for each visit, in order
"""
_MORE = """
CREATE TABLE captures (  -- one row for each record of a WARC file
    id INTEGER PRIMARY KEY,
    step INTEGER NOT NULL,
    url TEXT NOT NULL,
    status INTEGER NOT NULL,
    kind TEXT NOT NULL,         -- response or revisit
    file INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL,
    record TEXT NOT NULL,       -- WARC-Record-ID
    at REAL NOT NULL,
    address TEXT NOT NULL,
    truncated TEXT NOT NULL,
    digest TEXT NOT NULL        -- of the payload; of revisits too
);
CREATE INDEX captures_by_digest ON captures (digest) WHERE kind = 'response';
CREATE INDEX captures_by_step ON captures (step);
CREATE TABLE files (id INTEGER PRIMARY KEY, name TEXT NOT NULL, committed INTEGER NOT NULL);
CREATE TABLE hosts (name TEXT PRIMARY KEY, value TEXT NOT NULL);  -- what they asked for, as JSON
CREATE TABLE checkpoints (step INTEGER PRIMARY KEY, name TEXT NOT NULL, at REAL NOT NULL);
"""
_RECEIPTS = """
CREATE TABLE receipts (  -- why links were followed, of policies that can say so
    step INTEGER PRIMARY KEY,
    packed BLOB NOT NULL        -- see `store/receipts.py`
);
CREATE TABLE clue_kinds (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
"""
_PROMISES = """
CREATE TABLE promises (  -- what the best links that waited then promised together
    fetches INTEGER PRIMARY KEY,
    sums BLOB NOT NULL          -- float32, for as many of them as `forecasting.SIZES` say
);
"""
_BY_URL = "CREATE INDEX IF NOT EXISTS pages_by_url ON pages (url);"  # feedback names pages so


def create(path: Path) -> sqlite3.Connection:
    db = _connect(path)
    db.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
    db.executescript(f"BEGIN;{_SCHEMA}{_since(1)}{_BY_URL}PRAGMA user_version = {VERSION};COMMIT;")
    return db


def open_database(path: Path) -> sqlite3.Connection:
    """Open to write; one of an older version is brought up to date, a damaged one refused."""
    if not path.is_file():
        raise DamagedFile(f"there is no {path}: this hunt folder is not whole; {_way_out(path)}")
    with readable(path):
        db = _connect(path)
    try:
        check(db, path)
        db.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version < VERSION:
            db.executescript(f"BEGIN;{_since(version)}PRAGMA user_version = {VERSION};COMMIT;")
        db.execute(_BY_URL)  # the first hunts of version 2 have none
    except BaseException:
        db.close()
        raise
    return db


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open beside a process that may be writing; nothing is changed."""
    if not path.is_file():
        raise DamagedFile(f"there is no {path}: this hunt folder is not whole; {_way_out(path)}")
    # Not mode=ro: who opens so cannot take the log away again that SQLite lays down to read.
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    idle = not path.with_name(f"{path.name}-wal").exists()
    mode = "mode=rw" if writable else "immutable=1" if idle else "mode=ro"
    with readable(path):
        db = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, timeout=30)
    db.execute("PRAGMA query_only = 1")
    try:
        check(db, path, thorough=False)
    except BaseException:
        db.close()
        raise
    return db


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """What SQLite cannot read of a database that is there is a sentence."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: sqlite3.DatabaseError) -> WolfspiderError:
    closed = not os.access(path, os.R_OK) or not os.access(path.parent, os.W_OK)
    if closed and error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_CANTOPEN:
        return BadInput(
            f"{path} cannot be opened: permission denied; let this user read it and write to "
            f"{path.parent}, or be the user who hunted"
        )
    return _damaged(path, str(error))


def _damaged(path: Path, reason: str) -> DamagedFile:
    return DamagedFile(f"{path} is damaged ({reason}); {_way_out(path)}")


def _way_out(path: Path) -> str:
    anew = f", or make it anew from the WARC files with: wolfspider resume --rebuild {path.parent}"
    return f"bring it back from a copy{anew if warc_files(path.parent) else ''}"


def check(db: sqlite3.Connection, path: Path, *, thorough: bool = True) -> None:
    """Refuse what is damaged, of a later version, or not a hunt at all."""
    with readable(path):
        version = db.execute("PRAGMA user_version").fetchone()[0]
        found = db.execute("PRAGMA quick_check(1)").fetchone()[0] if thorough else "ok"
        db.execute("SELECT count(*) FROM (SELECT 1 FROM pages LIMIT 1)").fetchone()
    if found != "ok":
        raise _damaged(path, found.splitlines()[-1])
    if version > VERSION:
        raise BadInput(
            f"{path} was written by a later version of wolfspider (format {version}, this one "
            f"knows up to {VERSION}); update wolfspider"
        )


def _connect(path: Path) -> sqlite3.Connection:
    # One thread at a time uses it, but not always the same: first the one that opens it.
    return sqlite3.connect(path, timeout=30, check_same_thread=False, isolation_level=None)


def _since(version: int) -> str:
    """What came after a version."""
    return (_second() if version < 2 else "") + (_RECEIPTS if version < 3 else "") + _PROMISES


def _second() -> str:
    columns = [f"ALTER TABLE pages ADD COLUMN {name} {kind};" for name, kind in _PAGES_2.items()]
    return "\n".join([*columns, _MORE])
