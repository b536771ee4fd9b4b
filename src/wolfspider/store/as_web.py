"""A hunt as a recording: what it fetched, as a web folder to hunt on again.

    as_web(Path("hunts/x"))    →  hunts/x/web, made if it is not there or the hunt has gone on

Its labels are the verdicts of the hunt: `relevant` and `target`.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from wolfspider.errors import BadInput, DamagedFile
from wolfspider.store import schema
from wolfspider.store.feedback import FeedbackReader
from wolfspider.store.members import Members
from wolfspider.store.opening import is_hunt, open_hunt, web_named
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.folder import ABOUT, FORMAT
from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.importers.warc import capture_of
from wolfspider.webs.importers.warc_records import Splitter

NAME = "web"
_STEP = 500  # captures read at a time
_READING = 0.9  # of the work; the rest is resolving links


def as_web(folder: Path) -> Path:
    """The web folder of a hunt; any other folder is given back as it is."""
    if not is_hunt(folder):
        return folder
    for _ in making(folder):
        pass
    return folder / NAME


def making(folder: Path) -> Generator[tuple[float, int]]:
    """`as_web` of a hunt, step by step: yields the share that is done, and records or pages.

    Nothing is yielded when the web is there and the hunt has not gone on since.
    """
    with recording_of(folder) as recording, _alone(folder):
        if _sources(folder / NAME) == recording.sources:
            return
        new = folder / f"{NAME}.new"
        shutil.rmtree(new, ignore_errors=True)  # left by one that was killed
        with Compiler(new, recording.sources, keep=False) as compiler:
            for capture in recording:
                compiler.add(capture)
                share = recording.position / max(recording.size, 1)
                yield _READING * share, recording.records
            compiler.left_out.update(recording.left_out)
            for done, total in compiler.finishing(recording.labels(), skip_unknown=True):
                yield _READING + (1 - _READING) * done / total, done
        _put_in_place(new, folder / NAME)


@contextmanager
def recording_of(folder: Path) -> Iterator[HuntRecording]:
    """The captures of the hunt in a folder; a database that turns out damaged is a sentence."""
    with schema.readable(folder / schema.NAME), HuntRecording(folder) as recording:
        yield recording


class HuntRecording:
    """The captures of a hunt on the live web, up to what was committed when it was opened.

    A `Recording` like those of importers. An answer that the hunt could
    not read, since it was too large or too much for the parser, is none here either.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder
        self._reader = open_hunt(folder)
        web = web_named(self._reader)
        if web != "live":
            self.close()
            raise BadInput(
                f"{folder} is a hunt on a recorded web and has no WARC of its own; "
                f"its web folder is {web}: use that"
            )
        self._steps = self._reader.count("max(step) FROM pages")
        self.size = self._reader.count("sum(length) FROM captures WHERE step <= ?", self._steps)
        self.position = 0
        self.records = 0
        self.left_out: Counter[str] = Counter()
        self.truncated = False

    @property
    def sources(self) -> list[str]:
        """What the web is made of; another list after the hunt has gone on, or was corrected."""
        visits = f"{self._steps:,} visits of the hunt {self.path.absolute().name}"
        words = len(FeedbackReader(self.path).new())
        return [visits, *([f"{words:,} words of feedback"] if words else [])]

    def __iter__(self) -> Iterator[Capture]:
        query = (
            "SELECT captures.*, pages.error != '' AS failed FROM captures JOIN pages USING (step) "
            f"WHERE captures.id > ? AND step <= ? ORDER BY captures.id LIMIT {_STEP}"
        )
        after = 0
        with Members(self.path) as members:
            while rows := self._reader.db.execute(query, (after, self._steps)).fetchall():
                for row in rows:
                    self.position += row["length"]
                    unread = row["failed"] and row["status"] == 200
                    if not unread and (capture := self._capture(row, members)) is not None:
                        yield capture
                after = rows[-1]["id"]

    def _capture(self, row: Any, members: Members) -> Capture | None:
        try:
            record = next(Splitter(verify=False).take(members.read(row)[1]))
        except (DamagedFile, StopIteration):
            self.left_out["damaged record"] += 1
            return None
        self.records += 1
        return capture_of(record)

    def labels(self) -> Iterator[tuple[str, str]]:
        """Address and label, for each verdict."""
        relevant, target = "relevance >= 0.5", "target"
        labels = [("relevant", relevant), ("target", target)]
        if not self._reader.count(f"count(*) FROM pages WHERE ({relevant}) != ({target})"):
            labels.pop()  # two names for one thing would look like two things
        for label, verdict in labels:
            query = f"SELECT url FROM pages WHERE {verdict} AND error = '' AND step <= ?"
            for row in self._reader.db.execute(query, (self._steps,)):
                yield row["url"], label

    def close(self) -> None:
        self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One at a time makes a hunt's web; the others wait and find it made."""
    if not os.access(folder, os.W_OK):
        raise BadInput(
            f"cannot write to {folder}, where the web of the hunt belongs; make it elsewhere "
            f"with: wolfspider web import {folder} -o FOLDER"
        )
    # The folder itself: its file `lock` is that of the process that hunts.
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


def _sources(web: Path) -> list[str] | None:
    """What a web was made of; None if there is none that this version reads."""
    try:
        about = json.loads((web / ABOUT).read_text("utf-8"))
        return about["sources"] if about["format"] == FORMAT else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _put_in_place(new: Path, web: Path) -> None:
    old = web.with_name(f"{web.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if web.exists():
        web.rename(old)
    new.rename(web)
    shutil.rmtree(old, ignore_errors=True)
