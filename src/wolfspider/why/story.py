"""What can be told about one link of a hunt."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

FETCHED, FAILED, REFUSED, OUT, WAITING = "fetched", "failed", "refused", "out", "waiting"


@dataclass(frozen=True, slots=True)
class NamedClue:
    """A clue in words."""

    clue: str
    kind: str
    weight: float  # how much it spoke for the link, or against it, in units of the link's score


@dataclass(frozen=True, slots=True)
class Found:
    """Where a link was found."""

    step: int | None  # at which that page was fetched
    on: str  # URL of the page
    title: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Other:
    """A page that was fetched first."""

    step: int
    url: str
    title: str
    expected: float | None  # yield, 0 … 1; None without a receipt
    score: float | None
    came: str  # relevant, not relevant, failed


@dataclass(frozen=True, slots=True)
class First:
    """What was fetched while a link waited; `best` are the few that promised most."""

    pages: int
    relevant: int
    best: tuple[Other, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """Everything that is known of one link; None where nothing is."""

    url: str
    state: str  # fetched, failed, refused, out, waiting
    sentence: str  # what became of it
    title: str = ""
    link: str = ""  # that was followed, where a redirect led to the page
    seed: bool = False
    step: int | None = None  # at which it was fetched, or for links that wait the last that counts
    steps: int = 0  # of the hunt, so far: pages that were asked for, and links that were refused
    steps_refused: int = 0  # so many of them are the latter
    relevant: bool | None = None
    relevance: float | None = None
    found: Found | None = None
    score: float | None = None
    expected: float | None = None  # yield: relevant pages on the best trip that begins with it
    rank: int | None = None  # among the waiting links
    waiting: int | None = None
    ahead: str = ""  # why none of those before it was chosen
    explored: bool | None = None
    clues: tuple[NamedClue, ...] = ()
    first: First | None = None
    notes: tuple[str, ...] = ()  # what else a person should know
    page: str = ""  # that it led to, where it redirects

    def as_json(self) -> dict[str, Any]:
        return asdict(self)
