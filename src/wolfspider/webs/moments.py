"""The answers of a recording by address and date: where each lies, and which one counts when."""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.pages import is_html
from wolfspider.records import Fingerprints
from wolfspider.urls import canonical, fingerprint, host
from wolfspider.webs.importers.captures import GONE, REDIRECT, Capture
from wolfspider.webs.originals import Originals

CIRCLE, FAILED, MOVED, LOST, OTHER, PAGE = range(6)  # kinds of answers; the first two are weak
_COLUMNS = [("date", "<f8"), ("frame", "<i8"), ("skip", "<i8"), ("length", "<i8")]
_ROW = np.dtype([*_COLUMNS, ("volume", "<u4"), ("kind", "u1")])
_KEYS, _ROWS, _HOSTS = "answer_keys.npy", "answers.npy", "answer_hosts.txt"

Place = tuple[int, int, int]  # frame, bytes to skip in it, bytes of the record


class MomentsWriter:
    """Takes captures with the places where they lie, in the order in which they were recorded."""

    def __init__(self) -> None:
        self.lost = 0  # copies of answers that are not here; known after `moments`
        self._originals = Originals()
        self._keys = array("Q")
        self._dates = array("d")
        self._places = (array("q"), array("q"), array("q"))
        self._volumes = array("I")
        self._kinds = array("B")
        self._hosts: set[str] = set()

    def note(self, url: str, capture: Capture, volume: int, place: Place) -> None:
        self._put(url, capture.date, _kind(capture, url), volume, place)

        if _kind(capture, url) > LOST:
            self._originals.note(fingerprint(url), capture.date, len(self._keys) - 1)

    def copy(self, url: str, capture: Capture) -> None:
        """A revisit: the answer is that of its original, wherever it will be found to stand."""
        self._hosts.add(host(url))
        self._originals.copy(fingerprint(url), capture)

    def _put(self, url: str, date: float, kind: int, volume: int, place: Place) -> None:
        self._hosts.add(host(url))
        self._append(fingerprint(url), date, kind, volume, place)

    def _append(self, key: int, date: float, kind: int, volume: int, place: Place) -> None:
        self._keys.append(key)
        self._dates.append(date)
        self._volumes.append(volume)
        self._kinds.append(kind)
        for column, value in zip(self._places, place, strict=True):
            column.append(value)

    def moments(self) -> Moments:
        """All of them, sorted."""
        self._add_copies()
        rows = np.empty(len(self._keys), _ROW)
        columns: list[array[Any]] = [self._dates, *self._places, self._volumes, self._kinds]
        for name, column in zip(_ROW.names or (), columns, strict=True):
            rows[name] = np.frombuffer(column, column.typecode)
        keys = np.frombuffer(self._keys, np.uint64)
        strong = rows["kind"] > FAILED
        order = np.lexsort((rows["kind"] != MOVED, rows["date"], strong, keys))
        return Moments(keys[order], rows[order], sorted(self._hosts))

    def _add_copies(self) -> None:
        for key, date, row in self._originals.copies():
            if row < 0:
                self.lost += 1
                continue
            frame, skip, length = (column[row] for column in self._places)
            place = (frame, skip, length)
            self._append(key, date, self._kinds[row], self._volumes[row], place)


class Moments:
    """Answers sorted by address and, within an address, by what counts.

    At a moment the latest answer up to then counts; of several of one date the last, but any
    other before a redirect. Two kinds count only if there is nothing else: a redirect from one
    spelling of an address to another one, which would lead in a circle, and an error that is not
    the end of a page, such as 503. So an address answers as it does in a replay.
    """

    def __init__(self, keys: Fingerprints, rows: NDArray[np.void], hosts: list[str]) -> None:
        self.hosts = hosts
        self._keys = keys
        self._rows = rows
        self._dates = np.ascontiguousarray(rows["date"])
        self._weak = rows["kind"] <= FAILED

    def __len__(self) -> int:
        """How many addresses have an answer."""
        return int(self._last().sum())

    def pages(self, at: float = np.inf) -> int:
        """How many of them are HTML pages at a moment; others are redirects, errors, files."""
        there = self._dates <= at
        last = np.unique(self._keys[there][::-1], return_index=True)[1]
        return int((self._rows["kind"][there][::-1][last] == PAGE).sum())

    def span(self) -> tuple[float, float]:
        """The first and the last date; 0, 0 if there is none."""
        dated = self._dates[self._dates > 0]
        return (float(dated.min()), float(dated.max())) if len(dated) else (0.0, 0.0)

    def row(self, url: str, at: float = np.inf) -> int:
        """The row that counts for a canonical URL at a moment; −1 if there is none yet."""
        key = np.uint64(fingerprint(url))
        begin = int(self._keys.searchsorted(key))
        if begin == len(self._keys) or self._keys[begin] != key:
            return -1
        end = begin + int(self._keys[begin:].searchsorted(key, "right"))
        strong = begin + int(self._weak[begin:end].sum())
        row = strong + int(self._dates[strong:end].searchsorted(at, "right")) - 1
        if row >= strong:
            return row
        row = begin + int(self._dates[begin:strong].searchsorted(at, "right")) - 1
        return row if row >= begin else -1

    def kind(self, row: int) -> int:
        return int(self._rows["kind"][row])

    def date(self, row: int) -> float:
        return float(self._dates[row])

    def place(self, row: int) -> tuple[int, Place]:
        """The volume in which the answer lies, and where."""
        found = self._rows[row]
        return int(found["volume"]), (
            int(found["frame"]),
            int(found["skip"]),
            int(found["length"]),
        )

    def save(self, folder: Path) -> None:
        np.save(folder / _KEYS, self._keys)
        np.save(folder / _ROWS, self._rows)
        (folder / _HOSTS).write_text("".join(f"{name}\n" for name in self.hosts), "utf-8")

    @classmethod
    def load(cls, folder: Path) -> Moments:
        hosts = (folder / _HOSTS).read_text("utf-8").split("\n")[:-1]
        return cls(np.load(folder / _KEYS), np.load(folder / _ROWS), hosts)

    def _last(self) -> NDArray[np.bool_]:
        """Which rows are the last of their address."""
        return np.append(self._keys[1:] != self._keys[:-1], [True] * bool(len(self._keys)))


def _kind(capture: Capture, url: str) -> int:
    if capture.status in REDIRECT:
        return CIRCLE if canonical(capture.location, url) == url else MOVED
    if capture.status >= 400:
        return LOST if capture.status in GONE else FAILED
    page = capture.status == 200 and is_html(capture.body, capture.content_type)
    return PAGE if page else OTHER
