"""A hunt read back: beside the process that writes it, or after."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from wolfspider.errors import DamagedFile
from wolfspider.forecasting import PACE, SIZES, Promised
from wolfspider.records import Exchange, Link, Receipt, Verdict
from wolfspider.store import schema
from wolfspider.store.asked import read_asked
from wolfspider.store.members import Members
from wolfspider.store.receipts import kind_names, unpack
from wolfspider.urls import fingerprint, host
from wolfspider.webs.importers.http_message import header_fields
from wolfspider.webs.importers.warc_records import Splitter


@dataclass(frozen=True, slots=True)
class Kept:
    """A visit as it was kept."""

    link: Link
    url: str
    verdict: Verdict
    status: int
    error: str
    detail: str
    exchanges: tuple[Exchange, ...]
    digest: str
    step: int = 0
    refused: bool = False


class HuntReader:
    """The facts, visits and answers of a hunt."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked = read_asked(folder)
        self.db = schema.open_to_read(folder / schema.NAME)
        self.db.row_factory = sqlite3.Row
        self._members = Members(folder)
        self.damaged = 0  # visits whose answers could not be read back
        self.version: int = self.db.execute("PRAGMA user_version").fetchone()[0]

    def facts(self) -> dict[str, Any]:
        return {name: json.loads(value) for name, value in self.db.execute("SELECT * FROM hunt")}

    def count(self, what: str, *values: Any) -> int:
        """A number that one query gives."""
        return int(self.db.execute(f"SELECT {what}", values).fetchone()[0] or 0)

    def visits(self, after: int = 0) -> Iterator[Kept]:
        """The visits after a step, with their answers, in order.

        One whose answer is damaged comes with an error and without it.
        """
        return self._visits("step > ?", after)

    def visit_of(self, url: str) -> Kept | None:
        """The first visit that led to a page."""
        return next(self._visits("url = ? AND error = ''", url), None)

    def _visits(self, which: str, *values: Any) -> Iterator[Kept]:
        for row in self.db.execute(f"SELECT * FROM pages WHERE {which} ORDER BY step", values):
            captures = self.db.execute(
                "SELECT * FROM captures WHERE step = ? ORDER BY id", (row["step"],)
            ).fetchall()
            error, exchanges = row["error"], tuple[Exchange, ...]()
            try:
                exchanges = tuple(map(self.exchange, captures))
            except DamagedFile as problem:
                self.damaged += 1
                error = error or f"damaged: {problem}"
            yield Kept(
                _link(row),
                row["url"],
                Verdict(row["relevance"], bool(row["target"])),
                row["status"],
                error,
                row["detail"],
                exchanges,
                captures[-1]["digest"] if captures and not error else "",
                row["step"],
                self.version > 1 and bool(row["refused"]),
            )

    def receipt(self, step: int) -> Receipt | None:
        """Why the link of a visit was chosen; None where the policy could not say."""
        if self.version < 3:
            return None
        row = self.db.execute("SELECT packed FROM receipts WHERE step = ?", (step,)).fetchone()
        return None if row is None else unpack(row[0], kind_names(self.db))

    def promised(self, fetches: int) -> Promised:
        """What the policy promised until so many fetches were made, as a `Forecaster` takes it."""
        promised = np.full((fetches // PACE, len(SIZES)), np.nan, np.float32)
        if self.version >= 4:
            query = (
                "SELECT fetches / ?, sums FROM promises "
                "WHERE typeof(sums) = 'blob' AND length(sums) = ?"
            )
            for row, sums in self.db.execute(query, (PACE, promised.itemsize * len(SIZES))):
                if 0 < row <= len(promised):
                    promised[row - 1] = np.frombuffer(sums, np.float32)
        return promised

    def exchange(self, capture: sqlite3.Row) -> Exchange:
        """An answer as it came; that of a revisit record with the body it stands for."""
        head, body = self._message(capture)
        if capture["kind"] == "revisit":
            original = self.db.execute(
                f"SELECT * {schema.ORIGINAL}",
                (capture["digest"],),
            ).fetchone()
            body = self._message(original)[1] if original is not None else b""
        return Exchange(
            capture["url"],
            capture["status"],
            head,
            header_fields(head),
            body,
            capture["address"],
            truncated=capture["truncated"],
            at=capture["at"],
        )

    def _message(self, capture: sqlite3.Row) -> tuple[bytes, bytes]:
        _, member = self._members.read(capture)
        record = next(Splitter(verify=False).take(member), None)
        if record is None:
            raise DamagedFile(f"there is no record at byte {capture['offset']}")
        head, empty_line, body = record.block.partition(b"\r\n\r\n")
        return head + empty_line, body

    def close(self) -> None:
        self._members.close()
        self.db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _link(row: sqlite3.Row) -> Link:
    url = row["link"]
    return Link(
        url,
        fingerprint(url),
        host(url),
        row["anchor"],
        row["source"],
        row["depth"],
        row["position"],
        row["source_relevance"],
        row["score"],
    )
