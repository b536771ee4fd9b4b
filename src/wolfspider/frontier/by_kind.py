"""Waiting links by kind: all links of a kind are worth the same, and what that is may change.

A policy that tells a few thousand kinds of links apart does not have to score links at all: it
scores kinds, anew after every visit if it likes, and takes a link of the best kind.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container

import numpy as np
from numpy.typing import NDArray

from wolfspider.fingerprint_map import ABSENT, FingerprintMap
from wolfspider.frontier.table import LinkTable, Origin
from wolfspider.records import Fingerprints, Floats, Link, Links, Rows, State

Kinds = NDArray[np.int64]

_LEFT = -2  # the link has left; it will not come again
_DROPPED = -3  # pushed out of a full frontier; welcome when it is found again
_DEAD = -1  # group of a row that no longer waits


class FrontierByKind:
    """Waiting links in groups, one for each kind and host; within a group first come, first served.

    `worth` has the value of each kind, and whoever owns the frontier writes it. A link waits once:
    found again as another kind, it takes the kind that is worth more at that moment. With a `bound`
    it never holds more links than that: those of the worst kinds are dropped, the latest first.
    """

    compact_above = 4096  # rows, below which dead ones are not worth clearing away

    def __init__(self, bound: int | None = None) -> None:
        if bound is not None and bound < 1:
            raise ValueError(f"a frontier of at most {bound} links cannot hold any; give 1 or more")
        self.bound = bound
        self.worth: Floats = np.zeros(0)
        self._clear()

    def _clear(self) -> None:
        self._map = FingerprintMap()
        self._rows = LinkTable({"group": np.int32})
        self._waiting = 0
        self._queues: list[deque[int]] = []  # rows of each group
        self._numbers: dict[tuple[int, int], int] = {}  # kind and host → group
        self._kind = np.zeros(256, np.int64)  # of each group
        self._host = np.zeros(256, np.int32)
        self._count = np.zeros(256, np.int64)  # links that wait

    def __len__(self) -> int:
        return self._waiting

    def __contains__(self, fingerprint: int) -> bool:
        return self._map.get_one(fingerprint) >= 0

    def push(self, links: Links, kinds: Kinds, origin: Origin) -> int:
        """Take in links of the given kinds; returns how many more wait now."""
        fingerprints = links.fingerprints
        if len(set(fingerprints.tolist())) < len(links):
            first = np.sort(np.unique(fingerprints, return_index=True)[1])
            return self.push(links.take(first), kinds[first], origin)
        slots = self._map.find(fingerprints)
        rows = self._map.at(slots, fingerprints)
        wanted = (rows == ABSENT) | (rows == _DROPPED)
        waiting = np.flatnonzero(rows >= 0)
        if len(waiting):
            old = self._kind[self._rows["group"][rows[waiting]]]
            better = waiting[self.worth[kinds[waiting]] > self.worth[old]]
            self._bury(rows[better])
            wanted[better] = True
        chosen = np.flatnonzero(wanted)
        if not len(chosen):
            return 0
        before = self._waiting
        hosts = self._rows.hosts_of(links, chosen)
        start, end = self._rows.write(links, chosen, hosts, origin)
        new = np.arange(start, end, dtype=np.int32)
        self._map.set(fingerprints[chosen], new, slots[chosen])
        pairs = zip(kinds[chosen].tolist(), hosts.tolist(), strict=True)
        known = self._numbers.get
        groups = [self._group(*pair) if (n := known(pair)) is None else n for pair in pairs]
        self._rows["group"][start:end] = groups
        for row, group in enumerate(groups, start):
            self._queues[group].append(row)
        np.add.at(self._count, groups, 1)
        self._waiting += len(chosen)
        self._trim()
        return self._waiting - before

    def pop(
        self, busy: Container[str] = (), value: Callable[[int], float] | None = None
    ) -> tuple[Link, int] | None:
        """A link of the best kind, the oldest of its host, which is not busy; with its kind.

        With `value`, which tells what a kind is worth now, a kind that looks best must be worth
        more than all others look, or it takes its place behind them.
        """
        ready = np.flatnonzero(self._count[: len(self._queues)])
        proven: set[int] = set()
        while len(ready):
            group = ready.item(int(self.worth[self._kind[ready]].argmax()))
            host, kind = self._host.item(group), self._kind.item(group)
            if self._rows.hosts[host] in busy:
                ready = self._of_free_hosts(ready, busy)
            elif value is None or kind in proven:
                return self._leave(group)
            else:
                proven.add(kind)
                self.worth[kind] = value(kind)
        return None

    def pop_any(
        self, random: np.random.Generator, busy: Container[str] = ()
    ) -> tuple[Link, int] | None:
        """A link of any kind, each as likely as the other."""
        ready = np.flatnonzero(self._count[: len(self._queues)])
        while len(ready):
            kinds, first = np.unique(self._kind[ready], return_index=True)
            group = ready.item(first.item(int(random.integers(len(kinds)))))
            host = self._host.item(group)
            if self._rows.hosts[host] not in busy:
                return self._leave(group)
            ready = self._of_free_hosts(ready, busy)
        return None

    def _of_free_hosts(self, groups: Rows, busy: Container[str]) -> Rows:
        """The groups without those of busy hosts."""
        hosts = np.unique(self._host[groups]).tolist()
        names = self._rows.hosts
        return groups[~np.isin(self._host[groups], [h for h in hosts if names[h] in busy])]

    def kind_of(self, fingerprint: int) -> int | None:
        """The kind that a link waits as; None for one that does not wait."""
        row = self._map.get_one(fingerprint)
        return None if row < 0 else self._kind.item(self._rows["group"].item(row))

    def left(self, fingerprints: Fingerprints) -> NDArray[np.bool_]:
        """Which of the links have left."""
        gone: NDArray[np.bool_] = self._map.get(fingerprints) == _LEFT
        return gone

    def kinds(self) -> Kinds:
        """The kinds of which links wait, sorted."""
        return np.unique(self._kind[: len(self._queues)][self._count[: len(self._queues)] > 0])

    def best(self, count: int) -> list[Link]:
        """The links that would leave next if no host were busy and nothing changed."""
        groups = np.flatnonzero(self._count[: len(self._queues)])
        worth = self.worth[self._kind[groups]]
        found: list[Link] = []
        for at in np.argsort(-worth, kind="stable").tolist():
            rows = [row for row in self._queues[groups[at]] if self._rows["group"][row] != _DEAD]
            found += [self._rows.link(row, worth.item(at)) for row in rows[: count - len(found)]]
            if len(found) == count:
                break
        return found

    def state(self) -> State:
        """Everything needed to go on as now; arrays and JSON values."""
        self._compact()
        size = len(self._queues)
        state = self._rows.state()
        state["rows"]["group"] = state["rows"]["group"].copy()
        return {
            **state,
            "worth": self.worth.copy(),
            "kinds": self._kind[:size].copy(),
            "group_hosts": self._host[:size].copy(),
            "known": self._map.state(),
        }

    def restore(self, state: State) -> None:
        """Go on from a state of a frontier with the same bound."""
        self._clear()
        self._rows.restore(state)
        self._map.restore(state["known"])
        self.worth = np.array(state["worth"])
        groups = zip(
            np.asarray(state["kinds"]).tolist(),
            np.asarray(state["group_hosts"]).tolist(),
            strict=True,
        )
        for kind, host in groups:
            self._group(kind, host)
        self._waiting = self._rows.end
        for row, group in enumerate(self._rows["group"].tolist()):
            self._queues[group].append(row)
            self._count[group] += 1

    # --------------------------------------------------------------------------------------

    def _group(self, kind: int, host: int) -> int:
        number = self._numbers.setdefault((kind, host), len(self._queues))
        if number == len(self._queues):
            self._queues.append(deque())
            if number == len(self._kind):
                self._kind, self._host, self._count = (
                    np.concatenate([column, np.zeros_like(column)])
                    for column in (self._kind, self._host, self._count)
                )
            self._kind[number], self._host[number], self._count[number] = kind, host, 0
        return number

    def _leave(self, group: int) -> tuple[Link, int]:
        queue, groups, kind = self._queues[group], self._rows["group"], self._kind.item(group)
        while groups.item(row := queue.popleft()) == _DEAD:
            pass
        link = self._rows.link(row, self.worth.item(kind))
        groups[row] = _DEAD
        self._count[group] -= 1
        self._waiting -= 1
        self._map.set_one(link.fingerprint, _LEFT)
        self._compact_if_sparse()
        return link, kind

    def _bury(self, rows: NDArray[np.int32] | NDArray[np.intp]) -> None:
        """The rows wait no longer; their places in queues are passed over."""
        groups = self._rows["group"][rows]
        np.subtract.at(self._count, groups, 1)
        self._rows["group"][rows] = _DEAD
        self._waiting -= len(rows)

    def _trim(self) -> None:
        """Drop the latest links of the worst kinds until the bound is kept."""
        if self.bound is None or self._waiting <= self.bound:
            return
        rows = np.flatnonzero(self._rows["group"][: self._rows.end] != _DEAD)
        worth = self.worth[self._kind[self._rows["group"][rows]]]
        dropped = rows[np.lexsort((-rows, worth))[: self._waiting - self.bound]]
        self._map.set(self._rows["fingerprint"][dropped], _DROPPED)
        self._bury(dropped)
        self._compact_if_sparse()

    def _compact_if_sparse(self) -> None:
        if self._rows.end > self.compact_above and self._rows.end > 2 * self._waiting:
            self._compact()

    def _compact(self) -> None:
        """Forget dead rows and empty groups; those that stay keep their order."""
        size = len(self._queues)
        alive = self._rows["group"][: self._rows.end] != _DEAD
        self._map.translate(self._rows.keep(alive))
        used = np.flatnonzero(self._count[:size])
        renamed = np.zeros(size, np.int32)
        renamed[used] = np.arange(len(used))
        self._rows["group"][:] = renamed[self._rows["group"]]
        kinds, hosts = self._kind[used].tolist(), self._host[used].tolist()
        counts = self._count[used]
        self._queues, self._numbers = [], {}
        for kind, host in zip(kinds, hosts, strict=True):
            self._group(kind, host)
        self._count[: len(used)] = counts
        for row, group in enumerate(self._rows["group"].tolist()):
            self._queues[group].append(row)
