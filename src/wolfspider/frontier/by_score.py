"""Waiting links, best first, grouped by host.

The links that a page adds for one host are a *run*: rows that stand side by side in the
arrays, best first. A host is a heap of runs, each known by its best waiting row, and the
frontier is a heap of hosts. So a page costs one heap entry per host instead of one per
link, popping is a merge of sorted runs, and a waiting link is a few array cells and the
bytes of its URL and anchor.

A row never changes its score: it is alive, or it is dead (NaN). Re-scoring a link kills
its row and writes another one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Sequence
from heapq import heapify, heappop, heappush, heapreplace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.fingerprint_map import ABSENT, FingerprintMap, KeyMap, Slots
from wolfspider.frontier.table import LinkTable, Origin
from wolfspider.records import Fingerprints, Link, Links, Rows, State

_LEFT = -2  # the link has left; it will not come again
_DROPPED = -3  # pushed out of a full frontier; welcome when it is found again

Scores = NDArray[np.floating[Any]]
_Run = tuple[float, int, int, int]  # -score, arrival, row, end of run


class Frontier:
    """Waiting links, best first, grouped by host.

    A link leaves exactly once. `pop(busy)` never returns a link of a busy host.
    Ties leave in the order they came, so equal seeds give equal crawls. With a `bound`
    it never holds more links than that: the worst are dropped, the latest of equals first.
    `known` makes a map of links to their rows; who has a map of all links can share it.
    """

    compact_above = 4096  # rows, below which dead ones are not worth clearing away

    def __init__(
        self, bound: int | None = None, known: Callable[[], KeyMap] = FingerprintMap
    ) -> None:
        if bound is not None and bound < 1:
            raise ValueError(f"a frontier of at most {bound} links cannot hold any; give 1 or more")
        self.bound = bound
        self._known = known
        self._clear()

    def _clear(self) -> None:
        self._map = self._known()
        self._rows = LinkTable({"score": np.float64})
        self._waiting = 0
        self._runs: list[list[_Run]] = []  # per host, a heap
        self._heads: list[tuple[float, int, int]] = []  # -score, arrival, host; stale ones skipped
        self._parked: set[int] = set()  # hosts without a head, because they were busy
        self._busy: Container[str] = ()
        self._tails: list[tuple[float, int, int, int]] = []  # score, -arrival, row, start of run

    def __len__(self) -> int:
        return self._waiting

    def __contains__(self, fingerprint: int) -> bool:
        return self._map.get_one(fingerprint) >= 0

    def push(
        self,
        links: Links,
        scores: Scores | float,
        origin: Origin = Origin(),  # noqa: B008  # frozen
        *,
        raise_scores: bool = False,
        change_scores: bool = False,
        slots: Slots | None = None,
    ) -> int:
        """Take in the links that are new; returns how many came to wait.

        A link that waits already keeps its score, or with `raise_scores` takes a higher one, or
        with `change_scores` any other. `slots` may be given by who knows where the map has them.
        A score that is not a number counts as 0. Of links with one fingerprint the first counts.
        """
        if not len(links):
            return 0
        fingerprints = links.fingerprints
        if isinstance(scores, float | int):
            scores = 0.0 if math.isnan(scores) else scores
        else:
            scores = _numbers(scores)
        if slots is None:
            slots = self._map.find(fingerprints)
        rows = self._map.at(slots, fingerprints)
        wanted = (rows == ABSENT) | (rows == _DROPPED)
        if not (raise_scores or change_scores or np.count_nonzero(wanted)):
            return 0
        if len(set(fingerprints.tolist())) < len(links):
            first = np.sort(np.unique(fingerprints, return_index=True)[1])
            scores = scores if isinstance(scores, float | int) else scores[first]
            links = links.take(first)
            return self.push(
                links, scores, origin, raise_scores=raise_scores, change_scores=change_scores
            )
        if raise_scores:
            wanted |= self._outbid(rows, scores)
        if change_scores and not isinstance(scores, float | int):
            self._rescore_rows(rows, scores, slots)
        chosen = wanted.nonzero()[0]
        if not len(chosen):
            return 0
        before = self._waiting
        self._write(links, chosen, scores, slots, origin)
        self._trim()
        return self._waiting - before

    def knows(self, fingerprints: Fingerprints) -> NDArray[np.bool_]:
        """Which of the links wait here, or have left; one that was dropped is forgotten."""
        rows = self._map.get(fingerprints)
        known: NDArray[np.bool_] = (rows >= 0) | (rows == _LEFT)
        return known

    def holds_at(self, slots: Slots) -> NDArray[np.bool_]:
        """Which of the links that the map has wait here, by where it has them."""
        holds: NDArray[np.bool_] = self._map.held(slots) >= 0
        return holds

    def free_at(self, slots: Slots, busy: Container[str]) -> NDArray[np.bool_]:
        """Which of links that wait, by where the map has them, are of hosts that are not busy."""
        hosts = self._rows["host"].take(self._map.held(slots))
        names, which = np.unique(hosts, return_inverse=True)
        free = np.array([self._rows.hosts[host] not in busy for host in names.tolist()], np.bool_)
        return free[which]

    def remove(self, fingerprints: Fingerprints) -> list[Link]:
        """Take waiting links out as if they had never come; others are passed over."""
        rows = self._map.get(fingerprints)
        taken = []
        for row in rows[rows >= 0].tolist():
            link = self._rows.link(row, self._rows["score"].item(row))
            self._kill(row, link.fingerprint, _DROPPED)
            taken.append(link)
        self._compact_if_sparse()
        return taken

    def add(self, links: Sequence[Link]) -> None:
        """Take in links of any origin, each with its own score; those known already stay out."""
        origins: dict[Origin, dict[int, Link]] = {}
        for link in links:
            origin = Origin(link.source, link.depth, link.relevance)
            origins.setdefault(origin, {}).setdefault(link.fingerprint, link)
        for origin, found in origins.items():
            batch = Links.of(list(found.values()))
            slots = self._map.find(batch.fingerprints)
            rows = self._map.at(slots, batch.fingerprints)
            chosen = np.flatnonzero((rows == ABSENT) | (rows == _DROPPED))
            if len(chosen):
                scores = _numbers(np.array([link.score for link in found.values()]))
                positions = np.array([link.position for link in found.values()])
                self._write(batch, chosen, scores, slots, origin, positions)
        self._trim()

    def pop(self, busy: Container[str] = ()) -> Link | None:
        """The best waiting link of a host that is not busy, or None.

        Busy hosts are parked. If `busy` tells which hosts have been `freed` since the last
        call, a call costs nothing for those that are still busy.
        """
        self._unpark(busy)
        while self._heads:
            score, arrival, host = heappop(self._heads)
            run = self._head(host)
            if run is None or run[1] != arrival or run[0] != score:
                continue  # stale: the host has another best link by now, with a head of its own
            if self._rows.hosts[host] in busy:
                self._parked.add(host)
            else:
                return self._leave(run, host)
        return None

    def _unpark(self, busy: Container[str]) -> None:
        freed = getattr(busy, "freed", None) if busy is self._busy else None
        self._busy = busy
        hosts = (
            sorted(self._parked)  # sorted: a set's order must not matter
            if freed is None
            else map(self._rows.number_of, freed())
        )
        for host in hosts:
            if host is not None and host in self._parked:
                self._parked.remove(host)
                run = self._head(host)
                if run is not None:
                    heappush(self._heads, (run[0], run[1], host))

    def best(self, count: int) -> list[Link]:
        """The best waiting links as they would leave if no host were busy; none is taken.

        Costs a copy of the heap of hosts, and nothing changes: not even dead rows are cleared.
        """
        parked = ((*self._runs[host][0][:2], host) for host in self._parked if self._runs[host])
        heads = [*self._heads, *parked]
        heapify(heads)
        seen: dict[int, list[_Run]] = {}
        chosen: dict[int, list[_Run]] = {}  # the best `count` links are of the best `count` hosts
        while heads and len(chosen) < count:
            score, arrival, host = heappop(heads)
            runs = seen.get(host)
            if runs is None:
                runs = seen[host] = self._best_of(host, count)
                if runs:
                    heappush(heads, (runs[0][0], runs[0][1], host))
            elif runs and (runs[0][0], runs[0][1]) == (score, arrival):
                chosen[host] = runs
        found = sorted((run, host) for host, runs in chosen.items() for run in runs)
        return [self._rows.link(run[2], -run[0]) for run, _ in found[:count]]

    def _best_of(self, host: int, count: int) -> list[_Run]:
        """The host's best waiting rows, each as the head of what remains of its run."""
        heap, rows = self._runs[host].copy(), self._rows
        found: list[_Run] = []
        while heap and len(found) < count:
            _, _, row, end = run = heap[0]
            if not math.isnan(rows["score"].item(row)):
                found.append(run)
            row += 1
            while row < end and math.isnan(rows["score"].item(row)):
                row += 1
            if row == end:
                heappop(heap)
            else:
                following = (-rows["score"].item(row), rows["arrival"].item(row), row, end)
                heapreplace(heap, following)
        return found

    def waiting(self) -> Fingerprints:
        """Fingerprints of all waiting links, in the order of their rows."""
        alive = self._alive()
        fingerprints: Fingerprints = self._rows["fingerprint"][alive]
        return fingerprints

    def rescore(self, fingerprints: Fingerprints, scores: Scores) -> None:
        """Give waiting links another score; others are passed over. No link is named twice."""
        slots = self._map.find(fingerprints, new=False)
        self._rescore_rows(self._map.at(slots, fingerprints), _numbers(scores), slots)

    def rescore_at(self, slots: Slots, scores: Scores) -> None:
        """The same for links that the map has, by where it has them."""
        self._rescore_rows(self._map.held(slots), _numbers(scores), slots)

    def _rescore_rows(self, rows: NDArray[np.int32], scores: Scores, slots: Slots) -> None:
        changed = rows >= 0
        changed[changed] = self._rows["score"][rows[changed]] != scores[changed]
        rows, scores, slots = rows[changed], scores[changed], slots[changed]
        if not len(rows):
            return
        if 2 * len(rows) > self._waiting:
            self._rows["score"][rows] = scores
            self._sort()
            return
        hosts = self._rows["host"][rows]
        order = np.lexsort((self._rows["arrival"][rows], -scores, hosts))
        rows, scores, hosts, slots = rows[order], scores[order], hosts[order], slots[order]
        start, end = self._rows.copy(rows)
        self._rows["score"][rows] = np.nan
        self._rows["score"][start:end] = scores
        self._map.hold(slots, np.arange(start, end))
        self._add_runs(start, hosts)
        self._compact_if_sparse()

    def state(self) -> State:
        """Everything needed to go on as now; arrays and JSON values."""
        self._compact()
        state = self._rows.state()
        state["rows"]["score"] = state["rows"]["score"].copy()  # the others never change in place
        runs = [(h, row, end) for h, heap in enumerate(self._runs) for _, _, row, end in heap]
        return {
            **state,
            "runs": np.array(runs, np.int64).reshape(-1, 3),
            "known": self._map.state(),
        }

    def restore(self, state: State) -> None:
        """Go on from a state of a frontier with the same bound."""
        self._clear()
        self._rows.restore(state)
        self._waiting = self._rows.end
        self._runs = [[] for _ in self._rows.hosts]
        self._map.restore(state["known"])
        for host, row, end in np.asarray(state["runs"]).tolist():
            self._add_run(host, row, end)

    # -- rows ------------------------------------------------------------------------------

    def _alive(self) -> Rows:
        return np.flatnonzero(~np.isnan(self._rows["score"][: self._rows.end]))

    def _outbid(self, rows: NDArray[np.int32], scores: Scores | float) -> NDArray[np.bool_]:
        """Kill the rows of waiting links that now have a higher score."""
        better = rows >= 0
        if better.any():
            offered = scores if isinstance(scores, float | int) else scores[better]
            better[better] = offered > self._rows["score"][rows[better]]
            outbid = rows[better]
            self._rows["score"][outbid] = np.nan
            self._waiting -= len(outbid)
        return better

    def _write(
        self,
        links: Links,
        chosen: Rows,
        scores: Scores | float,
        slots: Slots,
        origin: Origin,
        positions: Rows | None = None,
    ) -> None:
        """Write new links as rows, a run for each host."""
        chosen, hosts = self._in_runs(links, chosen, scores)
        start, end = self._rows.write(links, chosen, hosts, origin, positions)
        value = scores if isinstance(scores, float | int) else scores[chosen]
        self._rows["score"][start:end] = value
        self._waiting += len(chosen)
        rows = np.arange(start, end, dtype=np.int32)
        self._map.set(self._rows["fingerprint"][start:end], rows, slots[chosen])
        self._add_runs(start, hosts)

    def _in_runs(
        self, links: Links, chosen: Rows, scores: Scores | float
    ) -> tuple[Rows, NDArray[np.int32]]:
        """The rows host by host, best first, with the number of their host."""
        value = None if isinstance(scores, float | int) else -scores[chosen]
        if len(links.hosts) == 1:
            chosen = chosen if value is None else chosen[value.argsort(kind="stable")]
            return chosen, self._rows.hosts_of(links, chosen)
        local = links.host_of[chosen]
        order = np.argsort(local, kind="stable") if value is None else np.lexsort((value, local))
        chosen = chosen[order]
        return chosen, self._rows.hosts_of(links, chosen)

    # -- runs ------------------------------------------------------------------------------

    def _add_runs(self, start: int, hosts: NDArray[np.int32]) -> None:
        """The rows from `start` on are new, grouped by host: a run for each."""
        self._runs += [[] for _ in range(len(self._rows.hosts) - len(self._runs))]
        edges = [0, *((hosts[1:] != hosts[:-1]).nonzero()[0] + 1).tolist(), len(hosts)]
        for a, b in pairwise(edges):
            self._add_run(hosts.item(a), start + a, start + b)

    def _add_run(self, host: int, start: int, end: int) -> None:
        rows = self._rows
        run = (-rows["score"].item(start), rows["arrival"].item(start), start, end)
        heap = self._runs[host]
        heappush(heap, run)
        if heap[0] is run:
            heappush(self._heads, (run[0], run[1], host))
        if self.bound is not None:
            self._add_tail(start, end - 1)

    def _head(self, host: int) -> _Run | None:
        """The host's best run, whose row is alive; dead rows in front of it are taken away."""
        heap, alive = self._runs[host], self._rows["score"].item
        while heap:
            _, _, row, end = run = heap[0]
            if (score := alive(row)) == score:  # not NaN
                return run
            while row < end and (score := alive(row)) != score:
                row += 1
            if row == end:
                heappop(heap)
            else:
                heapreplace(heap, (-score, self._rows["arrival"].item(row), row, end))
            if heap:
                heappush(self._heads, (heap[0][0], heap[0][1], host))
        return None

    def _leave(self, run: _Run, host: int) -> Link:
        link = self._rows.link(run[2], -run[0])
        self._kill(run[2], link.fingerprint, _LEFT)
        self._head(host)  # brings the host's next best link forward
        self._compact_if_sparse()
        return link

    def _kill(self, row: int, fingerprint: int, why: int) -> None:
        self._rows["score"][row] = math.nan
        self._map.set_one(fingerprint, why)
        self._waiting -= 1

    # -- bound -----------------------------------------------------------------------------

    def _add_tail(self, start: int, row: int) -> None:
        score = self._rows["score"]
        while row >= start and score.item(row) != score.item(row):
            row -= 1
        if row >= start:
            heappush(self._tails, (score.item(row), -self._rows["arrival"].item(row), row, start))

    def _trim(self) -> None:
        """Drop the worst links until the bound is kept."""
        if self.bound is None:
            return
        while self._waiting > self.bound:
            _, _, row, start = heappop(self._tails)
            if not np.isnan(self._rows["score"][row]):
                self._kill(row, self._rows["fingerprint"].item(row), _DROPPED)
            self._add_tail(start, row)
        self._compact_if_sparse()

    # -- memory ----------------------------------------------------------------------------

    def _compact_if_sparse(self) -> None:
        if self._rows.end > self.compact_above and self._rows.end > 2 * self._waiting:
            self._compact()

    def _sort(self) -> None:
        """Forget dead rows, and bring the others in order: one run for each host."""
        rows, alive = self._rows, self._alive()
        keys = rows["arrival"][alive], -rows["score"][alive], rows["host"][alive]
        self._map.translate(rows.arrange(alive[np.lexsort(keys)]))
        self._runs = [[] for _ in self._runs]
        self._heads, self._tails, self._parked = [], [], set()
        self._add_runs(0, rows["host"])

    def _compact(self) -> None:
        """Forget dead rows. Rows keep their order, so runs stay runs and ties stay ties."""
        old, self._runs = self._runs, [[] for _ in self._runs]
        rank = self._rows.keep(~np.isnan(self._rows["score"][: self._rows.end]))
        self._map.translate(rank)
        self._heads, self._tails = [], []
        for host, heap in enumerate(old):
            for _, _, start, end in heap:
                if rank[start] < rank[end]:
                    self._add_run(host, rank.item(start), rank.item(end))
        self._heads = [(h[0][0], h[0][1], n) for n, h in enumerate(self._runs) if h]
        heapify(self._heads)
        self._parked = set()


def _numbers(scores: Scores) -> Scores:
    """The scores as they are, but 0 for what is not a number."""
    strange = np.isnan(scores)
    return np.where(strange, 0.0, scores) if strange.any() else scores
