"""What travels between a changing web and those who watch it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
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


def pack(pages: Sequence[Snapshot]) -> State:
    """Snapshots as arrays, to be kept."""
    return {
        "addresses": np.array([page.address for page in pages], np.uint64),
        "documents": np.array([page.document for page in pages], np.uint64),
        "published": np.array([page.published for page in pages], float),
        "lengths": np.array([len(page.links) for page in pages], np.int64),
        "links": np.concatenate([NOWHERE, *(page.links for page in pages)]),
        "states": np.array([page.state for page in pages], float).reshape(len(pages), -1)
        if pages
        else np.empty((0, 0)),
    }


def unpack(kept: State) -> list[Snapshot]:
    edges = [0, *np.cumsum(np.asarray(kept["lengths"])).tolist()]
    links, states = np.asarray(kept["links"], np.uint64), np.asarray(kept["states"], float)
    columns = (np.asarray(kept[name]).tolist() for name in ("addresses", "documents", "published"))
    return [
        Snapshot(address, document, since, links[a:b].copy(), state.copy())
        for address, document, since, (a, b), state in zip(
            *columns, pairwise(edges), states, strict=True
        )
    ]


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
