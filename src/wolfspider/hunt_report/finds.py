"""The pages that a hunt was made for."""

from __future__ import annotations

from dataclasses import dataclass

from wolfspider.store import HuntReader
from wolfspider.store.exporting import CHOICES
from wolfspider.why import Teller

MOST = 100  # on the page; `export` hands out all
_FINDS = CHOICES["relevant"]


@dataclass(frozen=True, slots=True)
class Find:
    """A relevant page, and what led to it."""

    step: int
    url: str
    title: str
    relevance: float
    clue: str  # that said most for its link, in words; nothing where none is known


def best_finds(reader: HuntReader, teller: Teller) -> tuple[int, tuple[Find, ...]]:
    """How many pages `export --relevant` would hand out, and the most relevant of them."""
    found = reader.count(f"count(*) FROM pages WHERE {_FINDS}")
    rows = reader.db.execute(
        f"SELECT step, url, title, relevance FROM pages WHERE {_FINDS} "
        f"ORDER BY relevance DESC, step LIMIT {MOST}"
    ).fetchall()
    return found, tuple(
        Find(
            row["step"], row["url"], row["title"], row["relevance"], teller.spoke_most(row["step"])
        )
        for row in rows
    )
