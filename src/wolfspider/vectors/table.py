"""A table of word vectors, in a folder of arrays that are mapped into memory.

    ids.npy      term ids, sorted
    rows.npy     the row of each of them
    vectors.npy  float32, not normalised; the most frequent word first
    words.txt    the word of each row, for people
    about.json   source, width, count, format

Rows stand by frequency, as in the files: the rows a crawl needs lie close together.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from wolfspider.errors import BadInput, damage
from wolfspider.records import Rows, TermIds, find_terms
from wolfspider.text import term_id, term_ids
from wolfspider.vectors import cache, english, readers
from wolfspider.vectors.batches import Chunk, Matrix, chunks
from wolfspider.vectors.lookup import Lookup


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Vectors by term id: of several words with one stem the most frequent counts."""

    ids: TermIds  # sorted
    rows: Rows  # the row of each id
    vectors: Matrix
    source: str
    whole: int  # so many rows, the first, are vectors of words; others were put together of parts
    path: Path | None = None  # the folder; None for a table in memory only
    _words: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def width(self) -> int:
        return int(self.vectors.shape[1])

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The word of each row."""
        if self.path is None:
            return self._words
        return tuple((self.path / "words.txt").read_text("utf-8").split("\n"))[: len(self)]

    def find(self, ids: TermIds) -> tuple[Rows, NDArray[np.bool_]]:
        """The rows of those terms that have one, and which these are."""
        rows, here = self.locate(ids)
        return rows[here], here

    def locate(self, ids: TermIds) -> tuple[Rows, NDArray[np.bool_]]:
        """A row for every term, and which have it; that of the others is any."""
        places, here = self._lookup(ids)
        return self.rows.take(places, mode="clip"), here

    @cached_property
    def _lookup(self) -> Lookup:
        return Lookup(self.ids)

    def take(self, rows: Rows) -> Matrix:
        """A copy of some vectors, in single precision: sums of half precision would drift."""
        return self.vectors.take(rows, axis=0, mode="clip").astype(np.float32, copy=False)

    @classmethod
    def open(cls, path: str | Path | None = None, topic: str = "") -> WordVectors:
        """A folder, a file of any known format, or the English table that is always there.

        A file is compiled once, into the user's cache; where that cannot be used, into memory.
        The English table is read as one reads who knows the topic: for who asks for physics a stem
        means that as well as "physical", which is more frequent.
        """
        if path is None:
            return _english(topic)
        path = Path(path).expanduser()
        if path.is_dir():
            return _open_folder(path)
        if not path.is_file():
            raise BadInput(f"there is no file of word vectors {path}")
        return _compiled(readers.files(path), str(path), lambda: chunks(readers.read(path)))

    def _read_for(self, topic: str) -> WordVectors:
        """The same, but stems mean the topic's own words as well, where these are known."""
        known = _compiled(
            english.files(), "wordllama, written", english.written, english.WIDTH, "written"
        )
        vectors = self.vectors
        for word in dict.fromkeys(topic.lower().split()):
            written, ids = np.array([term_id(word)], np.uint32), term_ids(word)
            at, here = find_terms(known.ids, written)
            place, found = find_terms(self.ids, ids)
            if len(ids) != 1 or not (here.all() and found.all()):
                continue
            row, own = self.rows[place[0]], known.vectors[known.rows[at[0]]]
            if (self.vectors[row] != own).any():  # the stem is not its own
                vectors = self._writable() if vectors is self.vectors else vectors
                vectors[row] = (vectors[row] + own) / 2
        return self if vectors is self.vectors else replace(self, vectors=vectors)

    def _writable(self) -> Matrix:
        """The vectors for this process alone; of a mapped file only what is changed is copied."""
        if self.path is None:
            return self.vectors.copy()
        mapped: Matrix = np.load(self.path / "vectors.npy", mmap_mode="c").view(np.ndarray)
        return mapped

    def save(self, folder: Path) -> None:
        """Write the table to a new folder."""
        folder.mkdir(parents=True)
        order = np.argsort(self.rows)
        ids, words, at = self.ids[order], list(self.words), self.whole
        parts = [
            Chunk(ids[:at], words[:at], self.vectors[:at], True),
            Chunk(ids[at:], words[at:], self.vectors[at:], False),
        ]
        write([part for part in parts if len(part.ids)], self.source, folder)


_ENGLISH: WeakValueDictionary[tuple[Path, str], WordVectors] = WeakValueDictionary()


def _english(topic: str) -> WordVectors:
    """One for all who read with this topic in mind: a table takes memory, and three files."""
    files = english.files()
    key = cache.folder_for(files), topic
    table = _ENGLISH.get(key)
    if table is None:
        table = _compiled(files, "wordllama", english.read, english.WIDTH)
        table = _ENGLISH[key] = table._read_for(topic) if topic else table
    return table


def _compiled(files: tuple[Path, ...], source: str, read: Any, *more: object) -> WordVectors:
    folder = cache.folder_for(files, *more)
    if os.path.isdir(folder):  # not of pathlib, which raises where we may not look
        try:
            return _open_folder(folder)
        except BadInput as error:
            why = error.__cause__
            if isinstance(why, FileNotFoundError) or not isinstance(why, OSError):
                shutil.rmtree(folder, ignore_errors=True)  # damaged; it can be made again
    if cache.fill(folder, lambda beside: write(_some(read(), source), source, beside)):
        with suppress(BadInput):  # of another user, who keeps it closed
            return _open_folder(folder)
    return in_memory(_some(read(), source), source)


def _some(parts: Iterable[Chunk], source: str) -> Iterable[Chunk]:
    """The chunks of a file; a sentence if no word was in them."""
    count = 0
    for chunk in parts:
        count += len(chunk.ids)
        if len(chunk.ids):
            yield chunk
    if not count:
        raise BadInput(f"{source} has no words that pages could have; is it a file of vectors?")


def write(parts: Iterable[Chunk], source: str, folder: Path) -> None:
    """Write a table; vectors go to the disk as they come."""
    ids: list[TermIds] = []
    width, whole = 0, 0
    with (
        open(folder / "vectors.npy", "wb") as vectors,
        open(folder / "words.txt", "w", encoding="utf-8", newline="\n") as words,
    ):
        for part in parts:
            if not ids:
                width = part.vectors.shape[1]
                _header(vectors, 0, width)
            ids.append(part.ids)
            whole += len(part.ids) * part.whole
            vectors.write(np.ascontiguousarray(part.vectors, "<f4").tobytes())
            words.writelines(f"{word}\n" for word in part.words)
        vectors.seek(0)
        count = sum(map(len, ids))
        _header(vectors, count, width)  # as long as before: NumPy leaves room for the count
    sorted_ids, rows = _by_id(ids)
    np.save(folder / "ids.npy", sorted_ids)
    np.save(folder / "rows.npy", rows.astype(np.int64))
    about = {"source": source, "width": width, "count": count, "whole": whole}
    about["format"] = cache.FORMAT
    (folder / "about.json").write_text(json.dumps(about, indent=2) + "\n", "utf-8")


def _header(file: Any, count: int, width: int) -> None:
    about = {"descr": "<f4", "fortran_order": False, "shape": (count, width)}
    npy.write_array_header_1_0(file, about)


def in_memory(parts: Iterable[Chunk], source: str) -> WordVectors:
    """The same table without a disk."""
    parts = list(parts)
    ids, rows = _by_id([part.ids for part in parts])
    words = tuple(word for part in parts for word in part.words)
    whole = sum(len(part.ids) for part in parts if part.whole)
    vectors = np.concatenate([part.vectors for part in parts])
    return WordVectors(ids, rows, vectors, source, whole, None, words)


def _by_id(parts: list[TermIds]) -> tuple[TermIds, Rows]:
    ids = np.concatenate(parts)
    rows = np.argsort(ids)
    return ids[rows], rows


def _open_folder(folder: Path) -> WordVectors:
    try:
        about = json.loads((folder / "about.json").read_text("utf-8"))
        ids, rows, vectors = (
            np.load(folder / f"{name}.npy", mmap_mode="r") for name in ("ids", "rows", "vectors")
        )
        count, width = int(about["count"]), int(about["width"])
        fits = (
            about["format"] == cache.FORMAT
            and (ids.shape, ids.dtype) == ((count,), np.uint32)
            and (rows.shape, rows.dtype) == ((count,), np.int64)
            and vectors.shape == (count, width)
            and vectors.dtype in (np.float16, np.float32)
            and bool((ids[1:] > ids[:-1]).all())
            and count > 0
            and int(rows.min()) == 0
            and int(rows.max()) == count - 1
            and (folder / "words.txt").is_file()
        )
        source, whole = str(about["source"]), int(about["whole"])
    except (OSError, ValueError, KeyError, TypeError, EOFError) as error:
        raise BadInput(f"{folder} is not a folder of word vectors ({damage(error)})") from error
    if not fits:
        raise BadInput(f"{folder} is damaged: its arrays do not fit each other; make it again")
    # Plain views of the mapped files: indexing a memmap object costs more than what it reads.
    return WordVectors(
        ids.view(np.ndarray), rows.view(np.ndarray), vectors.view(np.ndarray), source, whole, folder
    )
