"""What travels between a changing web and those who watch it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from wolfspider.records import Fingerprints, Floats, State

DAY = 86_400.0
NEW = DAY  # a document is new for so many seconds


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """A page as it was when it was downloaded."""

    address: int  # fingerprint of its URL
    document: int  # what it said: equal numbers, equal content
    published: float  # when that was new
    links: Fingerprints  # addresses
    state: Floats  # what its text is about

    def new_at(self, now: float) -> bool:
        return now - self.published <= NEW


NOWHERE = np.empty(0, np.uint64)


@dataclass(frozen=True, slots=True)
class Sent:
    """A document taken for news, and whether it was: new, and sent by nobody before."""

    document: int
    address: int
    relevant: bool


@runtime_checkable
class Watcher(Protocol):
    """Chooses what to download next, and hands over what is new."""

    def next(self, now: float) -> int | None:
        """The address to download now; None if there is nothing to do."""
        ...

    def learn(self, address: int, page: Snapshot | None, now: float) -> list[Sent]:
        """Take in what came, None for a page that is not there; gives what is sent now."""
        ...

    def state(self) -> State:
        """Everything needed to go on later exactly as now."""
        ...

    def restore(self, state: State) -> None: ...
