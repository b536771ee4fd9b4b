"""One answer that somebody recorded: what every importer yields."""

from __future__ import annotations

from dataclasses import dataclass


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
