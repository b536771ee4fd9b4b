"""Which clues paid, over all pages of a hunt."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from wolfspider.records import Clue
from wolfspider.store.reading import HuntReader
from wolfspider.store.receipts import AllClues, kind_names
from wolfspider.why.memory import name_of, policy_of
from wolfspider.why.words import Words
from wolfspider.wording import several

_FEW = 3  # pages below which a clue is left out
_NO_REASONS = "This hunt has no receipts: its policy cannot say why it chooses links."
_NO_RECEIPTS = "No receipts: no link was followed yet, or they were lost as hunt.db was made anew."
_TOO_FEW = "No clue has spoken for enough pages yet to say whether it pays."
_NONE_RELEVANT = "No relevant page yet, so no clue has paid."
_LOST = "Which clues led to {} more was lost as hunt.db was made anew."


@dataclass(frozen=True, slots=True)
class Paid:
    """A clue, and what came of the pages that it spoke for."""

    clue: str  # in words
    kind: str
    pages: int
    relevant: int
    weight: float  # how much it spoke for them, on average, in units of their scores


@dataclass(frozen=True, slots=True)
class Totals:
    """Clues that paid most, and clues that promised and did not pay."""

    pages: int = 0  # with a receipt
    relevant: int = 0
    paid: tuple[Paid, ...] = ()
    misled: tuple[Paid, ...] = ()
    lost: int = 0  # pages whose receipts were, and they are in none of the other numbers

    @property
    def loss(self) -> str:
        """That receipts were lost, in words; nothing if none were."""
        return _LOST.format(several(self.lost, "page")) if self.pages and self.lost else ""

    def lacking(self, explains: bool) -> str:
        """Why there are no clues to show, by whether the policy can say why it chooses links;
        nothing where there are some."""
        if self.paid or self.misled:
            return ""
        if self.pages:
            return _TOO_FEW if self.relevant else _NONE_RELEVANT
        return _NO_RECEIPTS if explains else _NO_REASONS

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def clues_that_paid(reader: HuntReader, best: int, worst: int = 0) -> Totals:
    """The clues that spoke for pages, by how many more of these were relevant than of as many
    pages of this hunt at random: relevant − pages · share of relevant pages in the hunt.

    Only pages with a receipt count, and only clues with a weight above 0 that spoke for at least
    three pages.
    """
    clues, lost = AllClues.of(reader.db), _lost(reader)
    spoke = clues.weights > 0
    if not spoke.any():
        return Totals(clues.pages, clues.relevant_pages, lost=lost)
    token = clues.kinds[spoke].astype(np.uint64) << np.uint64(32) | clues.keys[spoke]
    tokens, first, group = np.unique(token, return_index=True, return_inverse=True)
    pages = np.bincount(group)
    relevant = np.bincount(group, clues.relevant[spoke])
    weight = np.bincount(group, clues.weights[spoke]) / pages
    more = relevant - pages * (clues.relevant_pages / clues.pages)
    enough = np.flatnonzero(pages >= _FEW)
    order = enough[np.lexsort((-pages[enough], -more[enough]))]
    paid = [at for at in order[:best].tolist() if more[at] > 0]
    misled = [at for at in order[::-1][:worst].tolist() if more[at] < 0]

    names, policy, words = kind_names(reader.db), policy_of(reader), Words(reader)
    steps = clues.steps[spoke][first]

    def told(at: int) -> Paid:
        kind, key = names.get(int(tokens[at]) >> 32, "?"), int(tokens[at]) & 0xFFFFFFFF
        row = reader.db.execute(
            "SELECT link, anchor, source FROM pages WHERE step = ?", (int(steps[at]),)
        ).fetchone()
        clue = Clue(kind, key, float(weight[at]))
        name = name_of(policy, clue, words.of(row["link"], row["anchor"], row["source"]))
        return Paid(name, kind, int(pages[at]), int(relevant[at]), round(clue.weight, 4))

    return Totals(
        clues.pages, clues.relevant_pages, tuple(map(told, paid)), tuple(map(told, misled)), lost
    )


def _lost(reader: HuntReader) -> int:
    """Pages of which nobody knows who had a link to them, but for seeds."""
    count = reader.count("count(*) FROM pages WHERE NOT refused AND source = '' AND depth = 0")
    return max(0, count - len(reader.asked.get("seeds", ())))
