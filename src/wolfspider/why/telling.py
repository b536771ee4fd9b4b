"""The story of one link of a hunt: found, chosen, passed over for others, or still waiting."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Sequence
from functools import cached_property
from heapq import nlargest
from typing import Any

from wolfspider.asked import Asked
from wolfspider.errors import BadInput, WolfspiderError
from wolfspider.protocols import Explaining, Policy
from wolfspider.records import Link, PageFlag, Receipt
from wolfspider.store.feedback import all_feedback
from wolfspider.store.reading import HuntReader
from wolfspider.store.receipts import value_of
from wolfspider.urls import canonical, fingerprint, readings
from wolfspider.webs.live.errors import KINDS
from wolfspider.webs.live.screening import Screening
from wolfspider.webs.live.web import REFUSALS
from wolfspider.why.addresses import close_to, steps_of
from wolfspider.why.memory import Memory, name_of, policy_of
from wolfspider.why.story import (
    FAILED,
    FETCHED,
    OUT,
    REFUSED,
    WAITING,
    First,
    Found,
    NamedClue,
    Other,
    Story,
)
from wolfspider.why.words import Words

_SHOWN = 5  # of the pages that were fetched first
_LOOKED_AT = 500  # waiting links that a wrong address is compared with
_OTHERS = (
    "SELECT step, url, title, relevance, error, score, packed FROM pages "
    "LEFT JOIN receipts USING (step) WHERE NOT refused AND step > ? AND step < ?"
)


class Teller:
    """Tells the stories of the links of one hunt."""

    def __init__(self, reader: HuntReader) -> None:
        self._reader = reader
        self._steps = reader.count("max(step) FROM pages")
        self._refused = reader.count("sum(refused) FROM pages")

    @cached_property
    def _words(self) -> Words:
        return Words(self._reader)

    @cached_property
    def _policy(self) -> Policy | None:
        return policy_of(self._reader)

    @property
    def can_explain(self) -> bool:
        """Whether the policy of the hunt can say why it chooses links."""
        return isinstance(self._policy, Explaining)

    @cached_property
    def memory(self) -> Memory | None:
        """What the hunt had in mind at its last checkpoint."""
        return Memory.of(self._reader)

    def tell(self, text: str) -> Story:
        """The story of the link with this address; `BadInput` if the hunt knows none."""
        addresses = self._words.resolved(readings(text))
        steps = steps_of(self._reader, addresses)
        self._demand_one(text, steps)
        for address, step in steps.items():
            return self._of_visit(address, step)
        found = {}
        for address in addresses:
            if (story := self._of_link(address)) is not None:
                found[address] = story
        self._demand_one(text, {address: at for at, address in enumerate(found)})
        for story in found.values():
            return story
        raise BadInput(self._unknown(text, addresses[-1]))

    def _demand_one(self, text: str, found: dict[str, int]) -> None:
        if len(set(found.values())) > 1 and text not in found:
            raise BadInput(f"{text} can be {' or '.join(found)}; say which")

    # -- a link that was followed ----------------------------------------------------------

    def spoke_most(self, step: int) -> str:
        """The clue that spoke most for the link of a visit, in words; nothing where none did."""
        row = self._reader.db.execute("SELECT * FROM pages WHERE step = ?", (step,)).fetchone()
        link = row["link"] or row["url"]
        if self._is_seed(row, link):
            return "a seed: the hunt began with it"
        receipt = self._reader.receipt(step)
        best = max(receipt.clues if receipt else (), key=lambda clue: clue.weight, default=None)
        if best is None or not best.weight > 0:
            return ""
        return name_of(self._policy, best, self._words.of(link, row["anchor"], row["source"]))

    def _of_visit(self, address: str, step: int) -> Story:
        row = self._reader.db.execute("SELECT * FROM pages WHERE step = ?", (step,)).fetchone()
        receipt = self._reader.receipt(step)
        link = row["link"] or row["url"]
        seed = self._is_seed(row, link)
        found = self._found(row["source"], row["anchor"])
        state = REFUSED if row["refused"] else FAILED if row["error"] else FETCHED
        relevant = row["relevance"] >= 0.5 if state == FETCHED else None
        words = self._words.of(link, row["anchor"], row["source"]) if receipt else {}
        begun = found.step if found is not None else None
        return Story(
            address if address == link else row["url"],
            state,
            self._sentence(row, state, link, address, seed),
            row["title"],
            link if link != row["url"] else "",
            seed,
            step,
            self._steps,
            self._refused,
            relevant,
            round(row["relevance"], 4) if state == FETCHED else None,
            found,
            _finite(row["score"]) if found is not None else None,
            **_hopes(None if seed else receipt),
            ahead=self._ahead(None if seed else receipt),
            clues=self._named(None if seed else receipt, words),
            first=None if begun is None else self._first(begun, step),
            notes=tuple(self._notes(row, receipt, seed, found)),
            page=row["url"] if address == link != row["url"] else "",
        )

    def _is_seed(self, row: sqlite3.Row, link: str) -> bool:
        if row["source"] or row["depth"]:
            return False
        seeds = self._reader.asked.get("seeds", ())
        return not self._words.live or link in map(canonical, seeds)  # else hunt.db was made anew

    def _sentence(self, row: sqlite3.Row, state: str, link: str, address: str, seed: bool) -> str:
        which = "it is a seed: the hunt began with it, no link led to it" if seed else ""
        if address not in (link, row["url"]):
            which = f"it is a redirect on the way from {link} to {row['url']}"
        elif link != row["url"] and address == link:
            which = f"{which + '; ' if which else ''}it redirects to {row['url']}"
        elif link != row["url"]:
            which = f"{link} redirects to it"
        return "; ".join(filter(None, [which, _came_of(row, state)]))

    def _notes(
        self, row: sqlite3.Row, receipt: Receipt | None, seed: bool, found: Found | None
    ) -> Iterable[str]:
        if row["flags"] & PageFlag.NOINDEX:
            yield "the page asks not to be indexed, so it never counts as relevant"
        if row["copy_of"]:
            yield f"the same page came before, from {row['copy_of']}, so it does not count again"
        if row["url"] in all_feedback(self._reader.folder):
            yield "its verdict is the word of a person, not that of the judge"
        if found is None and not seed:
            yield "where its link was found is not known: hunt.db was made anew from the WARC files"
        if receipt is None and not seed:
            yield self._no_receipt()
        if receipt is not None and self._words.note:
            yield self._words.note

    def _no_receipt(self) -> str:
        name = self._reader.asked.get("policy", "")
        if self._policy is None:
            return f"there is no receipt, and the policy {name} cannot be made here to ask it"
        if not isinstance(self._policy, Explaining):
            return f"there is no receipt: the policy {name} cannot say why it chooses a link"
        return "there is no receipt: none was kept when this link was followed"

    # -- a link that was not ---------------------------------------------------------------

    def _of_link(self, address: str) -> Story | None:
        memory = self.memory
        key = fingerprint(address) if canonical(address) == address else 0
        if memory is None or not key:
            return None
        out = memory.out(key)
        receipt = out.receipt if out is not None else memory.receipt(key)
        link = out or memory.waiting(key)
        if link is None and receipt is None:
            return None
        sentence = "it has not been followed yet: it waits"
        if out is not None:
            sentence = (
                "it was chosen, and had not come back when the hunt last wrote down where it is"
            )
        elif link is None and memory.is_bounded:
            sentence = "it was found and dropped, because more links waited than `buffer` allows"
        link = link or Link(address, key, "")
        found = self._found(link.source, link.anchor)
        words = self._words.of(address, link.anchor, link.source) if receipt else {}
        begun = 0 if found is None or found.step is None else found.step
        since = self._steps - memory.step
        many = "1 page has" if since == 1 else f"{since:,} pages have"
        notes = [f"{many} been fetched since, which may have changed this"]
        return Story(
            address,
            OUT if out is not None else WAITING,
            sentence,
            seed=not link.source and not link.depth,
            step=memory.step,
            steps=self._steps,
            steps_refused=self._refused,
            found=found,
            score=_finite(link.score),
            **_hopes(receipt),
            ahead=self._ahead(receipt) if out is not None else "",
            clues=self._named(receipt, words),
            first=self._lately(begun),
            notes=tuple(
                (notes if since else [])
                + ([self._words.note] if self._words.note else [])
                + ([self._no_receipt()] if receipt is None else [])
            ),
        )

    def _unknown(self, text: str, address: str) -> str:
        waiting = [] if self.memory is None else self.memory.best(_LOOKED_AT)
        close = close_to(self._reader, text, (link.url for link in waiting))
        what = (
            f"the hunt in {self._reader.folder} has not followed a link to {text}, and none waits"
            f"{self._up_to()}"
        )
        parts = [
            what if canonical(address) else f"{text} is not a web address",
            self._out_of_scope(address),
            f"did you mean {' or '.join(close)}?"
            if close
            else f"where it has been is listed by: wolfspider export {self._reader.folder}",
        ]
        return "; ".join(filter(None, parts))

    def _up_to(self) -> str:
        memory = self.memory
        if memory is None:
            return " (there is no checkpoint that tells which links wait)"
        if memory.step < self._steps:
            return (
                f" (links found after step {memory.step:,} of {self._steps:,} are seen here when "
                "the hunt has written its next checkpoint; one that was killed, when it is resumed)"
            )
        return ""

    def best_waiting(self, count: int) -> list[tuple[Link, float | None]]:
        """The links that would leave first, each with its expected yield.

        Doubt counts for a link, too, so the first need not be the one with the highest. Those that
        have been fetched since the checkpoint that tells of them are left out.
        """
        memory = self.memory
        if memory is None:
            return []
        been = set()
        for query in ("SELECT url, link FROM pages", "SELECT url, url AS link FROM captures"):
            for row in self._reader.db.execute(f"{query} WHERE step > ?", (memory.step,)):
                been |= {row["url"], row["link"]}
        waiting = [link for link in memory.best(count + len(been)) if link.url not in been][:count]
        receipts = [memory.receipt(link.fingerprint) for link in waiting]
        hopes = [None if each is None else each.value for each in receipts]
        return list(zip(waiting, hopes, strict=True))

    def _out_of_scope(self, address: str) -> str:
        """Links that a live hunt may not follow never come to its policy."""
        if not self._words.live or canonical(address) is None:
            return ""
        try:
            asked = Asked.of(self._reader.asked)
            screening = Screening(asked.seeds, asked.live)
            if self.memory is not None and "screening" in self.memory.web:
                screening.restore(self.memory.web["screening"])
            refusal = screening.refusal(address)
        except WolfspiderError:
            return ""
        return f"it would not be followed: {refusal[1]} ({refusal[0]})" if refusal else ""

    # -- parts -----------------------------------------------------------------------------

    def _found(self, source: str, anchor: str) -> Found | None:
        if not source:
            return None
        query = "SELECT step, title FROM pages WHERE url = ? AND error = '' ORDER BY step LIMIT 1"
        row = self._reader.db.execute(query, (source,)).fetchone()
        step, title = (row["step"], row["title"]) if row else (None, "")
        return Found(step, source, title, anchor)

    def _first(self, begun: int, step: int) -> First:
        """What was fetched between two steps, the most promising of it first."""
        rows = self._reader.db.execute(_OTHERS, (begun, step)).fetchall()
        others = list(map(_other, rows))
        best = nlargest(
            _SHOWN, others, key=lambda other: (_or_less(other.expected), _or_less(other.score))
        )
        return First(len(others), _relevant(others), tuple(best))

    def _lately(self, begun: int) -> First:
        """What has been fetched since a step, the last of it first."""
        rows = self._reader.db.execute(_OTHERS, (begun, self._steps + 1)).fetchall()
        others = list(map(_other, rows))
        return First(len(others), _relevant(others), tuple(others[: -_SHOWN - 1 : -1]))

    def _ahead(self, receipt: Receipt | None) -> str:
        """Why no link of a better rank was chosen."""
        if receipt is None or receipt.rank <= 1 or receipt.explored or not self._words.live:
            return ""
        return "better ones waited until their hosts may be asked again"

    def _named(self, receipt: Receipt | None, words: dict[int, str]) -> tuple[NamedClue, ...]:
        clues = () if receipt is None else receipt.clues
        return tuple(
            NamedClue(name_of(self._policy, clue, words), clue.kind, round(clue.weight, 4))
            for clue in clues
        )


def _hopes(receipt: Receipt | None) -> dict[str, Any]:
    if receipt is None:
        return {}
    return {
        "expected": round(receipt.value, 4),
        "rank": receipt.rank,
        "waiting": receipt.waiting,
        "explored": receipt.explored,
    }


def _came_of(row: sqlite3.Row, state: str) -> str:
    if state == FETCHED:
        return f"it was fetched, and is {'' if row['relevance'] >= 0.5 else 'not '}relevant"
    kind = row["error"]
    why = row["detail"] or REFUSALS.get(kind) or KINDS.get(kind) or kind
    if kind == "seen":
        elsewhere = row["link"] not in ("", row["url"])
        return f"it was not fetched: {'that page came before' if elsewhere else why}"
    named = f"{kind}: {why}" if why != kind else why
    if state == REFUSED:
        return f"it was chosen, but not asked for ({named})"
    return f"it was asked for, but could not be had ({named})"


def _other(row: sqlite3.Row) -> Other:
    came = "relevant" if row["relevance"] >= 0.5 else "not relevant"
    return Other(
        row["step"],
        row["url"],
        row["title"],
        None if row["packed"] is None else round(value_of(row["packed"]), 4),
        _finite(row["score"]),
        "failed" if row["error"] else came,
    )


def _finite(score: float) -> float | None:
    """A score that JSON can write."""
    return score if math.isfinite(score) else None


def _or_less(value: float | None) -> float:
    return -math.inf if value is None else value


def _relevant(others: Sequence[Other]) -> int:
    return sum(other.came == "relevant" for other in others)
