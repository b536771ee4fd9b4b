"""Links in any order, kept on disk, handed out by the page on which they stand."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from types import TracebackType

from wolfspider.errors import BadInput
from wolfspider.urls import fingerprint

_BATCH = 10_000  # links written at once
_CACHE = "-16384"  # kilobytes, as SQLite counts
_SIGN = 1 << 64

Row = tuple[int, str, str]


class LinkSpool:
    """An SQLite file in `folder` that takes links, then gives those of each page.

    Links of a page come out in the order in which they went in. Memory does not grow with them.
    """

    def __init__(self, folder: Path) -> None:
        self._batch: list[Row] = []
        self._sqlite = sqlite3.connect(folder / "links.sqlite", isolation_level=None)
        # A crash leaves nothing worth keeping, so there is no journal.
        for order in ("journal_mode=off", "synchronous=off", f"cache_size={_CACHE}"):
            self._sqlite.execute(f"PRAGMA {order}").close()
        self._sqlite.executescript(
            "CREATE TABLE links (source INTEGER, target TEXT, anchor TEXT);"
            "CREATE TABLE pages (source INTEGER PRIMARY KEY);"
            # Made before the rows: to sort them later SQLite would fill another disk.
            "CREATE INDEX by_source ON links (source);"
        )

    def __enter__(self) -> LinkSpool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._sqlite.close()
        if isinstance(error, sqlite3.OperationalError):  # the disk is full
            raise BadInput(f"cannot keep the links on disk: {error}") from error

    def add(self, source: str, target: str, anchor: str) -> None:
        self._batch.append((_key(source), target, anchor))
        if len(self._batch) >= _BATCH:
            self._write()

    def links_of(self, source: str, most: int) -> list[tuple[str, str]]:
        """Target and anchor of the links of a page, the first `most` of them."""
        self._write()
        key = _key(source)
        self._sqlite.execute("INSERT OR IGNORE INTO pages VALUES (?)", (key,)).close()
        query = "SELECT target, anchor FROM links WHERE source = ? ORDER BY rowid LIMIT ?"
        with closing(self._sqlite.execute(query, (key, most))) as rows:
            return rows.fetchall()

    def left(self) -> int:
        """How many links are of pages that nobody asked for."""
        return self._number("SELECT count(*) FROM links WHERE source NOT IN pages")

    def beyond(self, most: int) -> int:
        """How many links were not given, because their page has more than `most`."""
        more = "SELECT count(*) - ? AS more FROM links WHERE source IN pages GROUP BY source"
        return self._number(f"SELECT total(more) FROM ({more}) WHERE more > 0", most)

    def _number(self, query: str, *values: int) -> int:
        self._write()
        with closing(self._sqlite.execute(query, values)) as rows:
            return int(rows.fetchone()[0])

    def _write(self) -> None:
        if self._batch:
            self._batch.sort(key=lambda row: row[0])  # near each other in the index, so quicker
            self._sqlite.execute("BEGIN").close()
            self._sqlite.executemany("INSERT INTO links VALUES (?, ?, ?)", self._batch).close()
            self._sqlite.execute("COMMIT").close()
            self._batch.clear()


def _key(url: str) -> int:
    """The fingerprint, as SQLite's integers have a sign."""
    number = fingerprint(url)
    return number - _SIGN if number >= _SIGN // 2 else number
