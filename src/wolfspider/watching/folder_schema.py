"""watch.db: its tables and its version."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from wolfspider.errors import BadInput, DamagedFile

NAME = "watch.db"
VERSION = 1
_SCHEMA = """
CREATE TABLE addresses (     -- every address that a link was seen to
    address INTEGER PRIMARY KEY,  -- fingerprint of the URL
    url TEXT NOT NULL,
    linked REAL NOT NULL,    -- when the first link was seen, seconds since 1970
    appeared REAL,           -- the same, if the page with the link was there before without it
    listed REAL              -- earliest date that a feed gave
);
CREATE TABLE pages (         -- what an address held when it was last downloaded
    address INTEGER PRIMARY KEY,
    at REAL NOT NULL,        -- of that download
    document INTEGER NOT NULL,  -- hash of the visible text
    published REAL NOT NULL, -- of that document; 0 if it is not known
    feed INTEGER NOT NULL,
    etag TEXT NOT NULL,
    modified TEXT NOT NULL,  -- Last-Modified, as it came
    links BLOB NOT NULL,     -- addresses
    about BLOB NOT NULL      -- what the text is about
);
CREATE INDEX pages_by_document ON pages (document);
CREATE TABLE hints (feed INTEGER PRIMARY KEY, page INTEGER NOT NULL);  -- who named it first
CREATE INDEX hints_by_page ON hints (page);
CREATE TABLE documents (     -- the lines of documents.jsonl
    id INTEGER PRIMARY KEY,
    address INTEGER NOT NULL,
    document INTEGER NOT NULL,
    kind TEXT NOT NULL,      -- new or changed
    found REAL NOT NULL,
    published REAL,
    url TEXT NOT NULL,
    title TEXT NOT NULL,
    source TEXT NOT NULL     -- what says when it was published
);
CREATE INDEX documents_by_document ON documents (document);
CREATE TABLE downloads (
    id INTEGER PRIMARY KEY,
    address INTEGER NOT NULL,
    at REAL NOT NULL,
    status INTEGER NOT NULL,
    error TEXT NOT NULL
);
CREATE TABLE captures (      -- one row for each record of a WARC file
    id INTEGER PRIMARY KEY,
    download INTEGER NOT NULL,
    url TEXT NOT NULL,
    status INTEGER NOT NULL,
    kind TEXT NOT NULL,      -- response or revisit
    file INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL,
    record TEXT NOT NULL,    -- WARC-Record-ID
    at REAL NOT NULL,
    truncated TEXT NOT NULL,
    digest TEXT NOT NULL     -- of the payload; of revisits too
);
CREATE INDEX captures_by_url ON captures (url);
CREATE INDEX captures_by_digest ON captures (url, digest) WHERE kind = 'response';
CREATE TABLE sample (address INTEGER PRIMARY KEY, ids BLOB NOT NULL, counts BLOB NOT NULL);
CREATE TABLE files (id INTEGER PRIMARY KEY, name TEXT NOT NULL, committed INTEGER NOT NULL);
CREATE TABLE hosts (name TEXT PRIMARY KEY, value TEXT NOT NULL);  -- what they asked for, as JSON
CREATE TABLE checkpoints (download INTEGER PRIMARY KEY, name TEXT NOT NULL);
"""
_LATER = """
CREATE INDEX IF NOT EXISTS downloads_by_address ON downloads (address);
CREATE INDEX IF NOT EXISTS captures_by_download ON captures (download);
"""  # folders from before they were there get them when they are opened


def create(path: Path) -> sqlite3.Connection:
    db = _connect(path)
    try:
        db.executescript(f"BEGIN;{_SCHEMA}{_LATER}PRAGMA user_version = {VERSION};COMMIT;")
    except BaseException:
        db.close()
        raise
    return db


def open_database(path: Path) -> sqlite3.Connection:
    """Open to write; a damaged one, and one of a later version, is refused."""
    if not path.is_file():
        raise DamagedFile(f"there is no {path}: this watch folder is not whole")
    db = None
    try:
        db = _connect(path)
        version = db.execute("PRAGMA user_version").fetchone()[0]
        found = db.execute("PRAGMA quick_check(1)").fetchone()[0]
        db.execute("SELECT count(*) FROM (SELECT 1 FROM downloads LIMIT 1)").fetchone()
    except sqlite3.DatabaseError as error:
        version, found = VERSION, str(error)
    if found == "ok" and version == VERSION and db is not None:
        return _with_indexes(db)
    if db is not None:
        db.close()
    if version > VERSION:
        raise BadInput(
            f"{path} was written by a later version of wolfspider (format {version}, this one "
            f"knows up to {VERSION}); update wolfspider"
        )
    raise DamagedFile(
        f"{path} is damaged ({found.splitlines()[-1]}); bring it back from a copy, or begin a new "
        f"watch; the WARC files can still be imported"
    )


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=30, isolation_level=None)
    try:
        db.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
    except BaseException:
        db.close()
        raise
    return db


def _with_indexes(db: sqlite3.Connection) -> sqlite3.Connection:
    try:
        db.executescript(_LATER)
    except BaseException:
        db.close()
        raise
    return db
