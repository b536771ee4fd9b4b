"""The answers of a watch as WARC records: in full the first time, then as revisits."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from wolfspider.records import Exchange
from wolfspider.store.warc import Original, Place, WarcWriter
from wolfspider.webs.warc_writing import HTTP, Draft, drawn_id, written_date

NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"


class Captures(WarcWriter):
    """Appends records, and a row for each to the table of captures."""

    def __init__(self, folder: Path, db: sqlite3.Connection, committed: dict[int, int]) -> None:
        super().__init__(folder, committed)
        self._db = db

    def add(self, number: int, exchange: Exchange) -> None:
        """Write one record.

        A revisit names an earlier answer of the same address only: an importer takes one that
        names another address for a redirect, and that one may change.
        """
        digest, original = self._original(exchange)
        if original is None:
            kind = "response"
            place = self.append(exchange, digest, None)
        else:
            kind = "revisit"
            if exchange.status == 304:
                place = self._not_modified(exchange, digest, original)
            else:
                place = self.append(exchange, digest, original)
        row = (
            *(number, exchange.url, exchange.status, kind, place.file, place.offset),
            *(place.length, place.record, exchange.at, exchange.truncated, digest),
        )
        columns = "download, url, status, kind, file, offset, length, record, at, truncated, digest"
        query = f"INSERT INTO captures ({columns}) VALUES ({', '.join('?' * 11)})"
        self._db.execute(query, row)

    def _original(self, exchange: Exchange) -> tuple[str, Original | None]:
        """The digest of the payload, and the record that has it already."""
        digest = exchange.digest()
        if exchange.status == 304:  # of what came last, be it a revisit
            row = self._row(
                "SELECT digest FROM captures WHERE url = ? AND status = 200 AND truncated = '' "
                "ORDER BY id DESC LIMIT 1",
                exchange.url,
            )
            digest = digest if row is None else row[0]
        elif not exchange.body or exchange.truncated or exchange.status != 200:
            return digest, None
        found = self._row(
            "SELECT url, at, record FROM captures WHERE url = ? AND digest = ? AND "
            "kind = 'response' AND truncated = '' AND status = 200 ORDER BY id LIMIT 1",
            exchange.url,
            digest,
        )
        return digest, None if found is None else Original(*found)

    def _not_modified(self, exchange: Exchange, digest: str, original: Original) -> Place:
        """The header of a 304, and where that stands which it speaks of (WARC 1.1, 6.7.3)."""
        if self._file is None or self._full():
            self.open()
        fields = {
            "WARC-Target-URI": exchange.url,
            "Content-Type": HTTP,
            "WARC-Payload-Digest": digest,
            "WARC-IP-Address": exchange.address,
            "WARC-Profile": NOT_MODIFIED,
            "WARC-Refers-To": original.record,
            "WARC-Refers-To-Target-URI": original.url,
            "WARC-Refers-To-Date": written_date(original.at),
        }
        known = {name: value for name, value in fields.items() if value}
        date = written_date(exchange.at)
        return self._put(Draft("revisit", date, exchange.head, known, drawn_id()))

    def _row(self, query: str, *values: str) -> tuple[Any, ...] | None:
        found: tuple[Any, ...] | None = self._db.execute(query, values).fetchone()
        return found
