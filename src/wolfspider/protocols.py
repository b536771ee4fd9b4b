"""The protocols. Anything that keeps one of them can be plugged in.

seeds → Policy.start
  ┌→ Policy.next(busy hosts) → Link → Web.fetch → Response → parse → Page → Judge → Visit ─┐
  └──────────────────────────── Policy.learn(visit) ←──────────────────────────────────────┘
"""

from __future__ import annotations

import asyncio
from collections.abc import Container, Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from wolfspider.records import Clue, Floats, Link, Page, Receipt, Response, State, Verdict, Visit

Scores = Floats | float  # one per link, or one for all


@runtime_checkable
class Web(Protocol):
    """Where pages come from: live, recorded, generated or changing."""

    async def fetch(self, url: str) -> Response:
        """The answer for a URL; failures are responses with `.error`, never exceptions."""
        ...


@runtime_checkable
class PacedWeb(Web, Protocol):
    """A web whose hosts must rest, and which is asked by many at once."""

    @property
    def busy(self) -> Container[str]:
        """Hosts of which no link should be chosen now; `fetch` makes a host busy at once.

        It may have a method `freed()`: the hosts that may have left it since the last call.
        """
        ...

    @property
    def stirred(self) -> asyncio.Event:
        """Set when something changed that a crawl should look at: a fetch fell asleep."""
        ...

    @property
    def room(self) -> int:
        """How many fetches may begin now."""
        ...

    @property
    def asleep(self) -> int:
        """How many of those that began wait for a host, for seconds or hours."""
        ...

    def next_ready(self) -> float | None:
        """Seconds until a host that rests has rested; None if none will."""
        ...


@runtime_checkable
class Judge(Protocol):
    """Decides how relevant a page is. The policy only ever sees this verdict."""

    def judge(self, page: Page) -> Verdict: ...


@runtime_checkable
class Policy(Protocol):
    """Chooses the next link and learns from each visit. Owns its frontier."""

    def start(self, seeds: Sequence[Link]) -> None: ...

    def next(self, busy: Container[str] = ()) -> Link | None:
        """The link to follow now, never one of a busy host; None: nothing to fetch now."""
        ...

    def learn(self, visit: Visit) -> None:
        """Take in a visit: its page's links, known ones too, and its verdict."""
        ...

    def __len__(self) -> int:
        """Links waiting."""
        ...

    def state(self) -> State:
        """Everything needed to go on later exactly as now."""
        ...

    def restore(self, state: State) -> None: ...


@runtime_checkable
class Carrying(Protocol):
    """A policy that can begin a hunt with what it learned on another."""

    def carried(self) -> State: ...

    def carry(self, values: State) -> None:
        """Begin with it; raises `BadInput` when it does not fit."""
        ...


@runtime_checkable
class Explaining(Protocol):
    """A policy that can say why a link is worth what it is worth to it."""

    def receipt(self, fingerprint: int) -> Receipt | None:
        """Of a link that waits, or that was just chosen; None for one it does not know."""
        ...

    def name_of(self, clue: Clue, words: Mapping[int, str]) -> str:
        """A clue in words, such as `anchor "eclipse"`; `words` has the term ids that are known."""
        ...


@runtime_checkable
class Promising(Protocol):
    """A policy that expects of each link that waits a share of relevant pages."""

    def promises(self, most: int) -> Floats | NDArray[np.float32]:
        """Of the best links that wait, at most so many of them, in no order; NaN of those of which
        nothing can be said."""
        ...


@runtime_checkable
class Corrigible(Protocol):
    """A policy with a way of its own to learn that a verdict was wrong; others `learn` again."""

    def correct(self, visit: Visit) -> None: ...
