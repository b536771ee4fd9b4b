"""What a person says about pages of a hunt, while it runs or after: one JSON line for each word.

A process of its own appends lines to `feedback.jsonl`; the hunt under way, or the next one to
resume it, reads what is new. The last word on a page counts.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from wolfspider.errors import BadInput
from wolfspider.records import Verdict

NAME = "feedback.jsonl"


@dataclass(frozen=True, slots=True)
class Feedback:
    """A person's word on a page."""

    url: str
    relevant: bool
    at: float

    @property
    def verdict(self) -> Verdict:
        return Verdict(float(self.relevant), self.relevant)


def say(folder: Path, url: str, *, relevant: bool) -> Feedback:
    """Append a line, whole and on disk; what somebody left half written is ended first."""
    feedback = Feedback(url, relevant, time.time())
    line = json.dumps(asdict(feedback), ensure_ascii=False).encode() + b"\n"
    try:
        file = os.open(folder / NAME, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o644)
        try:
            if not _ends_a_line(file):
                line = b"\n" + line
            if os.write(file, line) < len(line):
                raise BadInput(f"{folder / NAME} took only part of a line; is the disk full?")
            os.fsync(file)
        finally:
            os.close(file)
    except OSError as error:
        raise BadInput(f"cannot write to {folder / NAME}: {error.strerror}") from error
    return feedback


def _ends_a_line(file: int) -> bool:
    size = os.fstat(file).st_size
    return size == 0 or os.pread(file, 1, size - 1) == b"\n"


class FeedbackReader:
    """The lines of a hunt's feedback from some byte on, as they come."""

    def __init__(self, folder: Path, offset: int = 0) -> None:
        self._path = folder / NAME
        self.offset = offset

    def new(self) -> list[Feedback]:
        """What has been said since the last call; a line that is not whole yet is left."""
        try:
            if self._path.stat().st_size <= self.offset:
                return []
            with self._path.open("rb") as file:
                file.seek(self.offset)
                data = file.read()
        except FileNotFoundError:
            return []
        whole = data[: data.rfind(b"\n") + 1]
        self.offset += len(whole)
        return [found for line in whole.splitlines() if (found := _read(line)) is not None]


def all_feedback(folder: Path) -> dict[str, Feedback]:
    """The last word on each page, by URL."""
    return {each.url: each for each in FeedbackReader(folder).new()}


def _read(line: bytes) -> Feedback | None:
    """A line of ours; whatever else somebody wrote there is passed over."""
    try:
        values = json.loads(line)
        return Feedback(str(values["url"]), bool(values["relevant"]), float(values["at"]))
    except (ValueError, KeyError, TypeError):
        return None
