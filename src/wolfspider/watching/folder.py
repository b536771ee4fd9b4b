"""A watch on disk: what was seen, every answer, and the documents that were found.

    watch.toml         what was asked for
    watch.db           SQLite: addresses, what each page held last, documents
    00001.warc.gz …    every answer; 304 and bodies that came before as revisit records
    documents.jsonl    one line for each document
    checkpoint-*.npz   what the policy has learned

One order makes a kill harmless: WARC bytes and lines of documents.jsonl, fsync, then the
transaction that says how long both are. What stands behind that length is cut off by the next
process, and what it told of is found again, because the transaction that would have known it never
was.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import numpy as np

from wolfspider.errors import BadInput, DamagedFile, WolfspiderError
from wolfspider.records import Fingerprints, Floats, State, Terms
from wolfspider.states import load_state, save_state, sync_folder
from wolfspider.store.lock import NAME as LOCK
from wolfspider.store.lock import Lock
from wolfspider.store.warc import name_of
from wolfspider.urls import fingerprint
from wolfspider.watching import folder_asked as asked_file
from wolfspider.watching import folder_schema as schema
from wolfspider.watching.dates import Seen
from wolfspider.watching.folder_records import Document, Download, Held
from wolfspider.watching.folder_warc import Captures
from wolfspider.webs.new_folder import make_folder, remove_empty

DOCUMENTS = "documents.jsonl"
_DOCUMENTS_FILE = 0  # its row in `files`; WARC files count from 1
_FIRST = (
    LOCK,
    schema.NAME,
    f"{schema.NAME}-wal",
    f"{schema.NAME}-shm",
    asked_file.PARTIAL,
    DOCUMENTS,
)


class FolderFailed(WolfspiderError):
    """Nothing more can be written; what was committed is safe."""


class WatchFolder:
    """Everything a watch has seen. One process at a time writes it."""

    def __init__(self, folder: Path, db: sqlite3.Connection, lock: Lock) -> None:
        self.folder = folder
        self._db, self._lock = db, lock
        committed = dict(db.execute("SELECT id, committed FROM files"))
        self._lines = committed.pop(_DOCUMENTS_FILE, 0)
        self._cut_documents()
        self._warc = Captures(folder, db, committed)
        self.downloads = self._count("max(id) FROM downloads")

    @classmethod
    def create(cls, folder: Path, asked: Mapping[str, Any]) -> Self:
        """A new one; refuses a folder that holds something, and leaves nothing behind then."""
        if (folder / asked_file.NAME).exists():
            raise BadInput(
                f"{folder} already holds a watch; choose another folder with -o, "
                f"or go on with it: wolfspider watch --resume {folder}"
            )
        if folder.is_dir() and any(path.name not in _FIRST for path in folder.iterdir()):
            raise BadInput(f"{folder} is not empty; choose another folder with -o")
        made: list[Path] = []
        lock = db = None
        try:
            made = make_folder(folder)
            lock = Lock(folder)
            for name in _FIRST[1:]:  # left by one that was killed before it began
                (folder / name).unlink(missing_ok=True)
            db = schema.create(folder / schema.NAME)
            asked_file.write_asked(folder, asked)  # last: a folder with it can be resumed
            return cls(folder, db, lock)
        except (OSError, sqlite3.Error) as error:
            _let_go(db, lock)
            for name in (*_FIRST, asked_file.NAME):
                with suppress(OSError):
                    (folder / name).unlink()
            remove_empty(made)
            raise BadInput(
                f"cannot write to {folder}: {_reason(error)}; choose another folder with -o"
            ) from error
        except BaseException:
            _let_go(db, lock)
            raise

    @classmethod
    def open(cls, folder: Path) -> Self:
        """One to go on with."""
        asked_file.read_asked(folder)  # says so if there is none
        try:
            lock = Lock(folder)
        except OSError as error:
            raise BadInput(f"cannot write to {folder}: {_reason(error)}") from error
        db = None
        try:
            db = schema.open_database(folder / schema.NAME)
            return cls(folder, db, lock)
        except BaseException:
            _let_go(db, lock)
            raise

    # -- what is known -----------------------------------------------------------------------

    def url(self, address: int) -> str:
        row = self._row("SELECT url FROM addresses WHERE address = ?", _signed(address))
        if row is None:  # a policy made it up
            raise ValueError(f"no link was ever seen to the address {address:x}")
        return str(row[0])

    def seen(self, address: int) -> Seen:
        query = "SELECT linked, appeared, listed FROM addresses WHERE address = ?"
        row = self._row(query, _signed(address))
        return Seen() if row is None else Seen(*row)

    def held(self, address: int) -> Held | None:
        row = self._row("SELECT * FROM pages WHERE address = ?", _signed(address))
        if row is None:
            return None
        _, at, document, published, feed, etag, modified, links, about = row
        return Held(
            address,
            at,
            _unsigned(document),
            published,
            bool(feed),
            etag,
            modified,
            np.frombuffer(links, np.uint64),
            np.frombuffer(about, np.float64),
        )

    def conditions(self, url: str) -> dict[str, str]:
        """Headers that ask a server for an answer only if it has another one by now."""
        query = "SELECT etag, modified FROM pages WHERE address = ?"
        row = self._row(query, _signed(fingerprint(url)))
        if row is None:
            return {}
        names = ("If-None-Match", "If-Modified-Since")
        return {name: value for name, value in zip(names, row, strict=True) if value}

    def led_to(self, address: int) -> Held | None:
        """What an address, or the one it redirects to, held last; None if it is gone since."""
        query = (
            "SELECT id, error FROM downloads WHERE address = ? "
            "AND (error = '' OR status IN (404, 410)) ORDER BY id DESC"
        )
        last = self._row(query, _signed(address))
        if last is None or last[1]:
            return None
        answer = self._row("SELECT url FROM captures WHERE download = ? ORDER BY id DESC", last[0])
        return None if answer is None else self.held(fingerprint(answer[0]))

    def came_whole(self, url: str) -> bool:
        """Whether the text of an address ever came without being cut off."""
        query = "SELECT 1 FROM captures WHERE url = ? AND status BETWEEN 200 AND 299"
        return self._row(f"{query} AND truncated = ''", url) is not None

    def cut_off(self, url: str) -> bool:
        """Whether the text that came last from an address was cut off."""
        query = "SELECT truncated FROM captures WHERE url = ? AND status BETWEEN 200 AND 299"
        row = self._row(f"{query} ORDER BY id DESC", url)
        return row is not None and bool(row[0])

    def appeared(self, addresses: Fingerprints, since: float, *, again: bool) -> set[int]:
        """Those not downloaded yet whose first link appeared since then.

        A link that nobody saw before appears now, if the page was there before (`again`).
        """
        query = "SELECT appeared FROM addresses WHERE address = ?"

        def late(address: int) -> bool:
            row = self._row(query, _signed(address))
            return again if row is None else row[0] is not None and bool(row[0] >= since)

        return set(filter(late, self.not_downloaded(addresses).tolist()))

    def not_downloaded(self, addresses: Fingerprints) -> Fingerprints:
        """Those that gave no page so far, neither as what was asked for nor after a redirect."""
        asked = "SELECT 1 FROM downloads WHERE address = ? AND error = ''"
        came = "SELECT 1 FROM pages WHERE address = ?"

        def known(number: int) -> bool:
            return any(self._row(query, number) is not None for query in (asked, came))

        kept = [each for each in addresses.tolist() if not known(_signed(each))]
        return np.array(kept, np.uint64)

    def hints_of(self, page: int) -> Fingerprints:
        """The feeds that a page was the first to name."""
        query = "SELECT feed FROM hints WHERE page = ? ORDER BY rowid"
        return np.array([_unsigned(n) for (n,) in self._db.execute(query, (_signed(page),))], "u8")

    def is_hint(self, feed: int) -> bool:
        """Whether a page has named this feed before."""
        return self._row("SELECT 1 FROM hints WHERE feed = ?", _signed(feed)) is not None

    @property
    def empty(self) -> bool:
        """Whether no page ever came."""
        return self._row("SELECT 1 FROM pages") is None

    def reported(self, document: int) -> bool:
        """Whether a document with this text was found before."""
        query = "SELECT 1 FROM documents WHERE document = ?"
        return self._row(query, _signed(document)) is not None

    def tally(self) -> dict[str, int]:
        """Downloads, answers without news, and documents of each kind."""
        return {
            "downloads": self.downloads,
            "not_modified": self._count("count(*) FROM downloads WHERE status = 304"),
            "errors": self._count("count(*) FROM downloads WHERE error != ''"),
            "new": self._count("count(*) FROM documents WHERE kind = 'new'"),
            "changed": self._count("count(*) FROM documents WHERE kind = 'changed'"),
            "addresses": self._count("count(*) FROM addresses"),
        }

    def sample(self) -> dict[int, Terms]:
        rows = self._db.execute("SELECT * FROM sample ORDER BY rowid")
        return {
            _unsigned(address): Terms.of(
                np.frombuffer(ids, np.uint32), np.frombuffer(counts, np.float32)
            )
            for address, ids, counts in rows
        }

    # -- taking in ---------------------------------------------------------------------------

    def begin(self, seeds: Sequence[str], now: float) -> None:
        """The addresses to begin at."""
        rows = [(_signed(fingerprint(url)), url, now) for url in seeds]
        self._write(lambda: self._insert_links(rows, None))

    def keep(self, download: Download) -> None:
        """All of it or nothing: records, lines, fsync, then one transaction."""
        self._write(lambda: self._add(download))
        self.downloads += 1

    def keep_hosts(self, hosts: Mapping[str, State]) -> None:
        """What hosts have asked for lately; it outlives a kill between two checkpoints."""
        rows = [(name, json.dumps(entry)) for name, entry in hosts.items()]
        query = "INSERT OR REPLACE INTO hosts VALUES (?, ?)"
        if rows:
            self._write(lambda: self._db.executemany(query, rows))

    def describe(self, about: Mapping[int, Floats]) -> None:
        """What pages of the sample are about."""
        rows = [(state.tobytes(), _signed(address)) for address, state in about.items()]
        query = "UPDATE pages SET about = ? WHERE address = ?"
        self._write(lambda: self._db.executemany(query, rows))

    def checkpoint(self, state: State) -> None:
        """What the policy needs to go on from here."""
        self._write(lambda: self._save_checkpoint(state))

    def last_checkpoint(self) -> State | None:
        """The latest that can be read."""
        for (name,) in self._db.execute("SELECT name FROM checkpoints ORDER BY download DESC"):
            with suppress(WolfspiderError):
                return load_state(self.folder / Path(name).name)
        return None

    def hosts(self) -> dict[str, State]:
        return {name: json.loads(value) for name, value in self._db.execute("SELECT * FROM hosts")}

    def _write(self, work: Callable[[], object]) -> None:
        sizes, lines = dict(self._warc.sizes), self._lines
        try:
            self._db.execute("BEGIN IMMEDIATE")
            work()
            if self._warc.sizes != sizes:
                self._warc.sync()
                files = [(n, name_of(n), size) for n, size in self._warc.sizes.items()]
                self._db.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?)", files)
            if self._lines != lines:
                row = (_DOCUMENTS_FILE, DOCUMENTS, self._lines)
                self._db.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?)", row)
            self._db.execute("COMMIT")
        except (OSError, sqlite3.Error) as error:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            raise FolderFailed(
                f"cannot write to {self.folder}: {_reason(error)}; what was written before is "
                f"safe: see to it, then: wolfspider watch --resume {self.folder}"
            ) from error

    def _add(self, download: Download) -> None:
        number, db = self.downloads + 1, self._db
        for exchange in download.exchanges:
            if exchange.head:
                self._warc.add(number, exchange)
        at, status, error = download.at, download.status, download.error
        row = (number, _signed(download.address), at, status, error)
        db.execute("INSERT INTO downloads VALUES (?, ?, ?, ?, ?)", row)
        if download.held is not None:
            self._hold(download.held)
        links = [(_signed(address), url, at) for address, url in download.links]
        self._insert_links(links, at if download.again else None)
        dates = [(d.date, d.date, _signed(d.address)) for d in download.listed if d.date]
        # MIN of several values is NULL if one is
        query = "UPDATE addresses SET listed = min(?, coalesce(listed, ?)) WHERE address = ?"
        db.executemany(query, dates)
        if download.held is not None:
            page = _signed(download.held.address)
            hints = [(_signed(feed), page) for feed in download.feeds]
            db.executemany("INSERT OR IGNORE INTO hints VALUES (?, ?)", hints)
            if download.terms is not None:
                terms = (download.terms.ids.tobytes(), download.terms.counts.tobytes())
                db.execute("INSERT OR IGNORE INTO sample VALUES (?, ?, ?)", (page, *terms))
        if download.documents:
            self._insert_documents(download.documents)

    def _hold(self, held: Held) -> None:
        row = (
            _signed(held.address),
            held.at,
            _signed(held.document),
            held.published,
            held.feed,
            held.etag,
            held.modified,
            held.links.tobytes(),
            held.about.tobytes(),
        )
        self._db.execute(f"INSERT OR REPLACE INTO pages VALUES ({', '.join('?' * 9)})", row)

    def _insert_links(self, rows: Sequence[tuple[int, str, float]], appeared: float | None) -> None:
        query = "INSERT OR IGNORE INTO addresses VALUES (?, ?, ?, ?, NULL)"
        self._db.executemany(query, [(*row, appeared) for row in rows])

    def _insert_documents(self, documents: Sequence[Document]) -> None:
        rows = [
            (
                _signed(each.address),
                _signed(each.document),
                each.kind,
                each.found,
                each.published,
                each.url,
                each.title,
                each.source,
            )
            for each in documents
        ]
        self._db.executemany(
            f"INSERT INTO documents VALUES (NULL, {', '.join('?' * 8)})",
            rows,
        )
        lines = "".join(f"{each.line()}\n" for each in documents).encode("utf-8", "replace")
        with (self.folder / DOCUMENTS).open("ab") as file:
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())
        if not self._lines:
            sync_folder(self.folder)
        self._lines += len(lines)

    def _save_checkpoint(self, state: State) -> None:
        """Keep the last two: should one be unreadable, the other is."""
        name = f"checkpoint-{self.downloads}.npz"
        save_state(self.folder / name, state)
        self._db.execute("INSERT OR REPLACE INTO checkpoints VALUES (?, ?)", (self.downloads, name))
        rows = self._db.execute("SELECT name FROM checkpoints ORDER BY download DESC").fetchall()
        for (old,) in rows[2:]:
            self._db.execute("DELETE FROM checkpoints WHERE name = ?", (old,))
        kept = {name for (name,) in rows[:2]}
        for path in self.folder.glob("checkpoint-*"):
            if path.name not in kept:
                path.unlink(missing_ok=True)

    def _cut_documents(self) -> None:
        """Cut off lines that were never committed."""
        path = self.folder / DOCUMENTS
        found = path.stat().st_size if path.exists() else 0
        if found < self._lines:
            raise DamagedFile(
                f"{path} has {found:,} of {self._lines:,} bytes: bring it back from a copy"
            )
        if found > self._lines:
            os.truncate(path, self._lines)

    # -- the end -----------------------------------------------------------------------------

    def _row(self, query: str, *values: Any) -> tuple[Any, ...] | None:
        found: tuple[Any, ...] | None = self._db.execute(f"{query} LIMIT 1", values).fetchone()
        return found

    def _count(self, what: str) -> int:
        return int(self._db.execute(f"SELECT {what}").fetchone()[0] or 0)

    def close(self) -> None:
        self._warc.close()
        self._db.close()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _let_go(db: sqlite3.Connection | None, lock: Lock | None) -> None:
    """Of a folder that could not be opened."""
    if db is not None:
        db.close()
    if lock is not None:
        lock.release()


def _signed(number: int) -> int:
    """SQLite's whole numbers have a sign, fingerprints have none."""
    return number - (1 << 64) if number >= 1 << 63 else number


def _unsigned(number: int) -> int:
    return number + (1 << 64) if number < 0 else number


def _reason(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
