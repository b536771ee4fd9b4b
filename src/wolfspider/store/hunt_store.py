"""Visits on their way to disk."""

from __future__ import annotations

import asyncio
import json
import math
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from wolfspider.errors import BadInput, WolfspiderError
from wolfspider.forecasting import Promised
from wolfspider.records import Exchange, State, Verdict, Visit
from wolfspider.states import load_state, save_state
from wolfspider.store import asked as asked_file
from wolfspider.store import schema
from wolfspider.store.lock import NAME as LOCK
from wolfspider.store.lock import Lock
from wolfspider.store.receipts import ReceiptWriter
from wolfspider.store.warc import Original, Place, WarcWriter, name_of
from wolfspider.webs.new_folder import make_folder, remove_empty

_PAGE = (
    *("step", "url", "title", "relevance", "target", "status", "error", "depth", "source"),
    *("anchor", "score", "link", "detail", "refused", "position", "source_relevance", "flags"),
    *("copy_of", "at", "seconds", "bytes", "capture"),
)
INSERT_PAGE = f"INSERT INTO pages ({', '.join(_PAGE)}) VALUES ({', '.join('?' * len(_PAGE))})"
INSERT_CAPTURE = """
INSERT INTO captures
    (step, url, status, kind, file, offset, length, record, at, address, truncated, digest)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_FIRST = (LOCK, schema.NAME, f"{schema.NAME}-wal", f"{schema.NAME}-shm", asked_file.PARTIAL)
_BREATH = 0.005  # seconds in which visits gather, so that one fsync serves many


class StoreFailed(WolfspiderError):
    """Nothing more can be written; what was committed is safe."""


class HuntStore:
    """Takes visits and writes them in the background; what is committed stays whatever happens.

    A thread of its own writes what has gathered: WARC records, fsync, one transaction. `behind`
    visits are not on disk yet. When writing fails, everything that was not committed is undone
    and the next call raises `StoreFailed`.
    """

    def __init__(self, folder: Path, db: sqlite3.Connection, lock: Lock) -> None:
        self.folder = folder
        self._db = db
        self._lock = lock
        self._receipts = ReceiptWriter(db)
        self._warc = WarcWriter(folder, dict(db.execute("SELECT id, committed FROM files")))
        if asked_file.read_asked(folder).get("web") == "live":
            try:
                self._warc.open()  # now: later there may be no file left to open
            except OSError:
                self._warc.close()
                raise
        self.steps: int = db.execute("SELECT coalesce(max(step), 0) FROM pages").fetchone()[0]
        self.behind = 0
        self._jobs: list[Callable[[], None]] = []
        self._failure: Exception | None = None
        self._closing = False
        self._changed = threading.Condition()
        self._waiters: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
        self._thread = threading.Thread(target=self._work, name="store", daemon=True)
        self._thread.start()

    @classmethod
    def create(cls, folder: Path, asked: Mapping[str, Any]) -> Self:
        """A new hunt; refuses a folder that holds one already, and leaves nothing behind then."""
        if (folder / asked_file.NAME).exists():
            raise BadInput(
                f"{folder} already holds a hunt; choose another folder with -o, "
                f"or go on with it: wolfspider resume {folder}"
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
            if db is not None:
                db.close()
            if lock is not None:
                lock.release()
            for name in (asked_file.NAME, *_FIRST, name_of(1)):
                with suppress(OSError):
                    (folder / name).unlink()
            remove_empty(made)
            raise BadInput(
                f"cannot write to {folder}: {_reason(error)}; choose another folder with -o"
            ) from error

    @classmethod
    def open(cls, folder: Path) -> Self:
        """A hunt to go on with."""
        asked_file.read_asked(folder)  # says so if there is no hunt
        try:
            lock = Lock(folder)
        except OSError as error:
            raise _unwritable(folder, error) from error
        try:
            db = schema.open_database(folder / schema.NAME)
            return cls(folder, db, lock)
        except (OSError, sqlite3.OperationalError) as error:
            lock.release()
            raise _unwritable(folder, error) from error
        except BaseException:
            lock.release()
            raise

    # -- taking in -------------------------------------------------------------------------

    def add(self, visit: Visit, promised: tuple[int, Promised] | None = None) -> None:
        """A visit; and what the best links that wait promise together after so many fetches."""
        self.steps += 1
        with self._changed:
            self.behind += 1
        self._enter(_Adding(self, self.steps, visit, promised))

    def checkpoint(self, state: State) -> None:
        """What is needed to go on from here; it comes after all visits added so far."""
        step = self.steps
        self._enter(lambda: self._save_checkpoint(step, state))

    def correct(self, step: int, verdict: Verdict) -> None:
        """Another verdict on the page of a visit."""
        values = (verdict.relevance, verdict.target, step)
        query = "UPDATE pages SET relevance = ?, target = ? WHERE step = ?"
        self._enter(lambda: self._db.execute(query, values))

    def tell(self, facts: Mapping[str, Any]) -> None:
        """Facts about the whole hunt."""
        rows = [(name, json.dumps(value)) for name, value in facts.items()]
        self._enter(lambda: self._db.executemany("INSERT OR REPLACE INTO hunt VALUES (?, ?)", rows))

    def keep_hosts(self, hosts: Mapping[str, State]) -> None:
        """What hosts have asked for lately; it outlives a kill between two checkpoints."""
        rows = [(name, json.dumps(entry)) for name, entry in hosts.items()]
        if rows:
            self._enter(
                lambda: self._db.executemany("INSERT OR REPLACE INTO hosts VALUES (?, ?)", rows)
            )

    def hosts(self) -> dict[str, State]:
        return {n: json.loads(value) for n, value in self._db.execute("SELECT * FROM hosts")}

    def _enter(self, job: Callable[[], object]) -> None:
        with self._changed:
            self._raise_failure()
            self._jobs.append(job)  # type: ignore[arg-type]  # what it returns is not looked at
            self._changed.notify_all()

    async def catch_up(self, behind: int) -> None:
        """Wait until at most so many visits are not on disk."""
        while self.behind > behind:
            event = asyncio.Event()
            with self._changed:
                self._raise_failure()
                self._waiters.append((asyncio.get_running_loop(), event))
            if self.behind > behind:
                await event.wait()
        self._raise_failure()

    def flush(self) -> None:
        """Wait until everything is on disk."""
        with self._changed:
            while self._jobs or self._writing:
                self._raise_failure()
                self._changed.wait()
            self._raise_failure()

    # -- going on --------------------------------------------------------------------------

    def last_checkpoint(self) -> tuple[int, State | None]:
        """The latest that can be read, and after which step it was taken."""
        rows = self._db.execute("SELECT step, name FROM checkpoints ORDER BY step DESC").fetchall()
        for step, name in rows:
            with suppress(WolfspiderError):
                return step, load_state(self.folder / Path(name).name)
        return 0, None

    # -- the writing thread ----------------------------------------------------------------

    _writing = False

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._jobs and not self._closing:
                    self._changed.wait()
                if not self._jobs:
                    return
            if not self._closing:
                time.sleep(_BREATH)
            with self._changed:
                jobs, self._jobs = self._jobs, []
                self._writing = True
            try:
                self._write(jobs)
            except Exception as error:
                self._failure = error
            with self._changed:
                self._writing = False
                self.behind -= sum(isinstance(job, _Adding) for job in jobs)
                self._changed.notify_all()
                self._wake()
            if self._failure is not None:
                return

    def _wake(self) -> None:
        for loop, event in self._waiters:
            with suppress(RuntimeError):  # that loop has been closed
                loop.call_soon_threadsafe(event.set)
        self._waiters.clear()

    def _write(self, jobs: Sequence[Callable[[], None]]) -> None:
        """All of it or nothing."""
        before = dict(self._warc.sizes)
        self._db.execute("BEGIN IMMEDIATE")
        try:
            for job in jobs:
                job()
            if self._warc.sizes != before:
                self._warc.sync()
                files = [(n, name_of(n), size) for n, size in self._warc.sizes.items()]
                self._db.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?)", files)
            self._db.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            raise
        self._forget_checkpoints()

    def _keep_promised(self, fetches: int, promised: Promised) -> None:
        row = fetches, promised.tobytes()
        self._db.execute("INSERT OR REPLACE INTO promises VALUES (?, ?)", row)

    def _add(self, step: int, visit: Visit) -> None:
        link, page, response = visit.link, visit.page, visit.response
        answers = [exchange for exchange in response.exchanges if exchange.head]
        capture, copy_of = None, ""
        for exchange in answers:
            last = exchange is answers[-1]
            capture, copy_of = self._capture(step, exchange, response.digest if last else "")
        asked = response.exchanges
        row = (
            step,
            page.url,
            page.title,
            0.0 if math.isnan(visit.verdict.relevance) else visit.verdict.relevance,
            visit.verdict.target,
            response.status,
            response.error,
            link.depth,
            link.source,
            link.anchor,
            link.score,
            link.url,
            response.detail,
            response.refused,
            link.position,
            link.relevance,
            page.flags,
            copy_of if response.copied else "",
            asked[-1].at if asked else time.time(),
            sum(exchange.seconds for exchange in asked),
            sum(len(exchange.head) + len(exchange.body) for exchange in asked),
            capture,
        )
        self._db.execute(INSERT_PAGE, row)
        if link.receipt is not None:
            self._receipts.add(step, link.receipt)

    def _capture(self, step: int, exchange: Exchange, digest: str) -> tuple[int | None, str]:
        """Write one record; gives its number, and where its payload came from before."""
        digest = digest or exchange.digest()
        original = self._original(digest) if exchange.body and not exchange.truncated else None
        place: Place = self._warc.append(exchange, digest, original)
        row = (
            step,
            exchange.url,
            exchange.status,
            "response" if original is None else "revisit",
            place.file,
            place.offset,
            place.length,
            place.record,
            exchange.at,
            exchange.address,
            exchange.truncated,
            digest,
        )
        number = self._db.execute(INSERT_CAPTURE, row).lastrowid
        return number, original.url if original else ""

    def _original(self, digest: str) -> Original | None:
        found = self._db.execute(
            f"SELECT url, at, record {schema.ORIGINAL}",
            (digest,),
        ).fetchone()
        return None if found is None else Original(*found)

    def _save_checkpoint(self, step: int, state: State) -> None:
        name = f"checkpoint-{step}.npz"
        save_state(self.folder / name, state)
        row = (step, name, time.time())
        self._db.execute("INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?)", row)

    def _forget_checkpoints(self) -> None:
        """Keep the last two: should one be unreadable, the other takes longer but loses nothing."""
        rows = self._db.execute("SELECT name FROM checkpoints ORDER BY step DESC").fetchall()
        kept = {name for (name,) in rows[:2]}
        for (name,) in rows[2:]:
            self._db.execute("DELETE FROM checkpoints WHERE name = ?", (name,))
        if len(rows) > 2:
            for path in self.folder.glob("checkpoint-*"):
                if path.name not in kept:
                    path.unlink(missing_ok=True)

    # -- the end ---------------------------------------------------------------------------

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise StoreFailed(
                f"cannot write to {self.folder}: {_reason(self._failure)}; what was written "
                f"before is safe: see to it, then: wolfspider resume {self.folder}"
            ) from self._failure

    def close(self) -> None:
        """Write what is left, then let the folder go."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join()
        self._warc.close()
        self._db.close()
        self._lock.release()
        self._raise_failure()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            self.close()
        except StoreFailed:
            if kind is None:
                raise


class _Adding:
    """A visit to be written, and what was promised then."""

    def __init__(
        self, store: HuntStore, step: int, visit: Visit, promised: tuple[int, Promised] | None
    ) -> None:
        self._store, self._step, self._visit, self._promised = store, step, visit, promised

    def __call__(self) -> None:
        self._store._add(self._step, self._visit)
        if self._promised is not None:
            self._store._keep_promised(*self._promised)


def _unwritable(folder: Path, error: Exception) -> BadInput:
    return BadInput(
        f"cannot write to {folder}: {_reason(error)}; see to it, then: wolfspider resume {folder}"
    )


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return str(error)
