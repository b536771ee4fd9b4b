"""All that the page tells of a hunt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.hunt_report.asking import how_it_was_asked
from wolfspider.hunt_report.finds import Find, best_finds
from wolfspider.outlook import Past
from wolfspider.standing import standing_of
from wolfspider.store import HuntReader
from wolfspider.why import Teller, Totals, clues_that_paid

_PAID, _MISLED, _WAITING = 10, 10, 10  # shown


@dataclass(frozen=True, slots=True)
class Waiting:
    """A link that waits."""

    url: str
    anchor: str
    expected: float | None  # yield; None where the policy leaves no receipts
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class Account:
    """A hunt as it was at one moment."""

    standing: Mapping[str, Any]  # the numbers of `status`
    verdicts: NDArray[np.bool_]  # whether each fetch brought a relevant page
    clues: Totals
    explains: bool  # whether the policy can say why it chooses a link
    finds: tuple[Find, ...]  # the best
    found: int  # of all that can be exported
    waiting: tuple[Waiting, ...]
    asked: Mapping[str, str]  # how it was asked, in words
    version: str  # of Wolfspider, that it was asked of
    at: datetime

    @classmethod
    def of(cls, reader: HuntReader, writer: int | None) -> Account:
        """`writer` is the process that writes to the hunt, as it was before the reader opened."""
        teller = Teller(reader)
        reader.db.execute("BEGIN")  # one moment for all numbers
        standing = standing_of(reader, writer)
        verdicts = Past.of(reader).relevant
        clues = clues_that_paid(reader, _PAID, _MISLED)
        found, finds = best_finds(reader, teller)
        reader.db.execute("ROLLBACK")  # what follows may last, and the hunt wants to tidy up
        return cls(
            standing,
            verdicts,
            clues,
            teller.can_explain,
            finds,
            found,
            () if standing["waiting"] == 0 else _waiting(teller),
            how_it_was_asked(reader.asked, standing["began_with"]),
            str(reader.asked.get("wolfspider", "")),
            datetime.now(UTC),
        )


def _waiting(teller: Teller) -> tuple[Waiting, ...]:
    best = teller.best_waiting(_WAITING)
    return tuple(Waiting(link.url, link.anchor, hope, link.score) for link, hope in best)
