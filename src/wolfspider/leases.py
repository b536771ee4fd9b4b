"""Links that are out: chosen by a policy, and not yet come back as a visit."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from typing import Any

from wolfspider.protocols import Corrigible, Explaining, Policy
from wolfspider.records import Clue, Link, Receipt, State, Visit

_FIELDS = [name for name in Link.__slots__ if name != "receipt"]


class Leased:
    """A policy that remembers which of its links are out, so that none is lost over a restart.

    A link that was out when the state was taken is the first to go out again. Visits that came
    after the state was taken are told with `relearn`: their links are still waiting inside the
    policy, and are passed over when their turn comes.

    With `receipts` each link says why it was chosen, if the policy can explain itself.
    """

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self._explaining = policy if isinstance(policy, Explaining) else None
        self._out: dict[int, Link] = {}
        self._back: dict[int, Link] = {}  # to go out again
        self.done: set[int] = set()  # they wait inside the policy, and will not go out again
        self.receipts = False

    def start(self, seeds: Sequence[Link]) -> None:
        self.policy.start(seeds)

    def next(self, busy: Container[str] = ()) -> Link | None:
        for fingerprint, link in self._back.items():
            if link.host not in busy:
                del self._back[fingerprint]
                break
        else:
            found = self._next_new(busy)
            if found is None:
                return None
            link = self._with_receipt(found)
        self._out[link.fingerprint] = link
        return link

    def _next_new(self, busy: Container[str]) -> Link | None:
        while (link := self.policy.next(busy)) is not None:
            if link.fingerprint not in self.done:
                return link
            self.done.remove(link.fingerprint)
        return None

    def _with_receipt(self, link: Link) -> Link:
        if not self.receipts or self._explaining is None:
            return link
        return replace(link, receipt=self._explaining.receipt(link.fingerprint))

    def learn(self, visit: Visit) -> None:
        self._out.pop(visit.link.fingerprint, None)
        self.policy.learn(visit)

    def relearn(self, visit: Visit) -> None:
        """Take in a visit of which the restored state knows nothing."""
        fingerprint = visit.link.fingerprint
        if self._back.pop(fingerprint, None) is None:
            self.done.add(fingerprint)
        self.policy.learn(visit)

    def correct(self, visit: Visit) -> None:
        """Take in another verdict on a page that was visited."""
        if isinstance(self.policy, Corrigible):
            self.policy.correct(visit)
        else:
            self.policy.learn(visit)

    def __len__(self) -> int:
        waiting = len(self.policy)
        if waiting and self.done:  # some of these may have been dropped: it is empty when it is
            waiting = max(1, waiting - len(self.done))
        return waiting + len(self._back)

    def out(self) -> Iterator[Link]:
        yield from self._out.values()
        yield from self._back.values()

    def state(self) -> State:
        rows = list(map(_row, self.out()))
        return {"policy": self.policy.state(), "out": rows, "done": sorted(self.done)}

    def restore(self, state: State) -> None:
        self.policy.restore(state["policy"])
        links = list(map(_link, state["out"]))
        self._out, self._back = {}, {link.fingerprint: link for link in links}
        self.done = set(state["done"])


def _row(link: Link) -> list[Any]:
    """A link as JSON values."""
    row = [getattr(link, name) for name in _FIELDS]
    why = link.receipt
    if why is None:
        return row
    clues = [[clue.kind, int(clue.key), float(clue.weight)] for clue in why.clues]
    whole = [float(why.value), int(why.rank), int(why.waiting), bool(why.explored), clues]
    return [*row, whole]


def _link(row: list[Any]) -> Link:
    link, why = Link(*row[: len(_FIELDS)]), row[len(_FIELDS) :]
    if not why or why[0] is None:
        return link
    value, rank, waiting, explored, clues = why[0]
    receipt = Receipt(value, rank, waiting, explored, tuple(Clue(*clue) for clue in clues))
    return replace(link, receipt=receipt)
