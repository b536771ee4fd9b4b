"""One answer that somebody recorded: what every importer yields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Protocol

REDIRECT = (301, 302, 303, 307, 308)
GONE = (404, 410)


@dataclass(frozen=True, slots=True)
class Capture:
    """A recorded answer for a URL at a date."""

    url: str
    date: float  # seconds since 1970
    status: int
    content_type: str = ""
    robots: tuple[str, ...] = ()  # X-Robots-Tag, one for each header
    body: bytes = b""
    location: str = ""  # where a redirect leads
    copy_of: str = ""  # the URL whose earlier capture had the same content (a revisit record)
    copy_date: float = 0.0  # and its date, if the record tells
    labels: tuple[str, ...] = ()  # what the recording itself says about the page
    message: bytes = b""  # the answer as it came over the wire, if it did

    @property
    def is_copy(self) -> bool:
        """Whether the answer is that of another capture."""
        return bool(self.copy_of) and self.status not in (*REDIRECT, *GONE)

    def wire(self) -> bytes:
        """The answer as it came, or as a server would have sent it."""
        return self.message or b"".join((self._head(), self.body))

    def _head(self) -> bytes:
        fields = [("Content-Type", self.content_type), ("Location", self.location)]
        fields += [("X-Robots-Tag", value) for value in self.robots]
        lines = [f"HTTP/1.1 {self.status} {_phrase(self.status)}"]
        lines += [f"{name}: {value}" for name, value in fields if value]
        return "\r\n".join([*lines, "", ""]).encode()


class Recording(Protocol):
    """Where captures come from; iterate once, in the order in which they were recorded.

    `position` of `size` is how far the iteration has come, for a progress bar. After it,
    `left_out` counts what could not be read, by reason, and `truncated` says whether the
    recording ends in the middle of something.
    """

    path: Path
    size: int
    position: int
    records: int  # seen so far, also those that are no captures
    truncated: bool

    @property
    def left_out(self) -> Counter[str]: ...

    def __iter__(self) -> Iterator[Capture]: ...


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
