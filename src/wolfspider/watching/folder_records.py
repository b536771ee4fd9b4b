"""What a watch keeps of a page, of a download and of a document."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime

from wolfspider.records import Exchange, Fingerprints, Floats, Terms
from wolfspider.watching.feeds import Listed


@dataclass(frozen=True, slots=True)
class Document:
    """A document that is new, or one that has changed."""

    address: int
    document: int  # hash of its text
    url: str
    title: str
    published: float | None
    found: float
    source: str  # what says when it was published
    kind: str  # new or changed

    def line(self) -> str:
        """As one line of JSON."""
        values = {
            "url": self.url,
            "title": self.title,
            "published": None if self.published is None else written(self.published),
            "found": written(self.found),
            "source": self.source,
            "kind": self.kind,
        }
        return json.dumps(values, ensure_ascii=False)


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """What an address held when it was last downloaded."""

    address: int
    at: float
    document: int
    published: float  # 0 if it is not known
    feed: bool
    etag: str
    modified: str
    links: Fingerprints
    about: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Download:
    """One download with all that comes of it: what one transaction keeps."""

    address: int  # that was asked for
    at: float
    status: int
    error: str
    exchanges: tuple[Exchange, ...] = ()
    held: Held | None = None  # if a page came
    links: tuple[tuple[int, str], ...] = ()  # all that stand on it: address and URL
    again: bool = False  # the page was downloaded before, not long ago
    listed: tuple[Listed, ...] = ()  # if it is a feed
    feeds: tuple[int, ...] = ()  # that the page names
    terms: Terms | None = None  # for the sample
    documents: tuple[Document, ...] = ()


def written(at: float) -> str:
    """A moment as people and programs read it: 2026-11-15T08:30:00Z."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%SZ}"
