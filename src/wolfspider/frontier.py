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
from collections.abc import Container
from dataclasses import dataclass
from heapq import heapify, heappop, heappush, heapreplace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.fingerprint_map import ABSENT, FingerprintMap
from wolfspider.records import Fingerprints, Floats, Link, Links, Rows, State

_LEFT = -2  # the link has left; it will not come again
_DROPPED = -3  # pushed out of a full frontier; welcome when it is found again

_Run = tuple[float, int, int, int]  # -score, arrival, row, end of run
_COLUMNS = {
    "score": np.float64,
    "fingerprint": np.uint64,
    "begin": np.uint32,  # of its text in the text of its batch
    "length": np.uint32,
    "host": np.int32,
    "arrival": np.int64,  # number of its batch, and in the low half its position there
}
_POSITION = (1 << 32) - 1


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a batch of links was found."""

    source: str = ""
    depth: int = 0
    relevance: float = 0.0


class Frontier:
    """Waiting links, best first, grouped by host.

    A link leaves exactly once. `pop(busy)` never returns a link of a busy host.
    Ties leave in the order they came, so equal seeds give equal crawls. With a `bound`
    it never holds more links than that: the worst are dropped, the latest of equals first.
    """

    compact_above = 4096  # rows, below which dead ones are not worth clearing away

    def __init__(self, bound: int | None = None) -> None:
        if bound is not None and bound < 1:
            raise ValueError(f"a frontier of at most {bound} links cannot hold any; give 1 or more")
        self.bound = bound
        self._clear()

    def _clear(self) -> None:
        self._map = FingerprintMap()
        self._rows: dict[str, NDArray[Any]]
        self._rows = {name: np.empty(256, kind) for name, kind in _COLUMNS.items()}
        self._end = 0  # rows in use, dead ones included
        self._waiting = 0
        self._origins: list[Origin] = []  # one for each batch of links
        self._texts: list[bytes] = []  # their URLs and anchors
        self._names: list[str] = []  # of hosts
        self._prefixes: list[tuple[bytes, bytes]] = []  # how their URLs begin, http and https
        self._hosts: dict[str, int] = {}
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
        scores: Floats | float,
        origin: Origin = Origin(),  # noqa: B008  # frozen
        *,
        raise_scores: bool = False,
    ) -> int:
        """Take in the links that are new; returns how many came to wait.

        A link that waits already keeps its score, or with `raise_scores` takes a higher one.
        A score that is not a number counts as 0. Of links with one fingerprint the first counts.
        """
        if not len(links):
            return 0
        fingerprints = links.fingerprints
        if isinstance(scores, float | int):
            scores = 0.0 if math.isnan(scores) else scores
        else:
            scores = _numbers(scores)
        if len(set(fingerprints.tolist())) < len(links):
            first = np.sort(np.unique(fingerprints, return_index=True)[1])
            scores = scores if isinstance(scores, float | int) else scores[first]
            return self.push(links.take(first), scores, origin, raise_scores=raise_scores)
        slots = self._map.find(fingerprints)
        rows = self._map.at(slots, fingerprints)
        wanted = (rows == ABSENT) | (rows == _DROPPED)
        if raise_scores:
            wanted |= self._outbid(rows, scores)
        chosen = np.flatnonzero(wanted)
        if not len(chosen):
            return 0
        before = self._waiting
        self._origins.append(origin)
        self._write(links, chosen, scores, slots)
        self._trim()
        return self._waiting - before

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
            if self._names[host] in busy:
                self._parked.add(host)
            else:
                return self._leave(run, host)
        return None

    def _unpark(self, busy: Container[str]) -> None:
        freed = getattr(busy, "freed", None) if busy is self._busy else None
        self._busy = busy
        known = self._hosts
        hosts = (
            sorted(self._parked)  # sorted: a set's order must not matter
            if freed is None
            else [known[name] for name in freed() if name in known]
        )
        for host in hosts:
            if host in self._parked:
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
        return [self._link(run, host) for run, host in found[:count]]

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

    def rescore(self, fingerprints: Fingerprints, scores: Floats) -> None:
        """Give waiting links another score; others are passed over. No link is named twice."""
        rows = self._map.get(fingerprints)
        scores = _numbers(scores)
        changed = rows >= 0
        changed[changed] = self._rows["score"][rows[changed]] != scores[changed]
        rows, scores = rows[changed], scores[changed]
        if not len(rows):
            return
        hosts = self._rows["host"][rows]
        order = np.lexsort((self._rows["arrival"][rows], -scores, hosts))
        rows, scores, hosts = rows[order], scores[order], hosts[order]
        start = self._end
        self._reserve(len(rows))
        for column in self._rows.values():
            column[start : start + len(rows)] = column[rows]
        self._rows["score"][rows] = np.nan
        self._rows["score"][start : start + len(rows)] = scores
        self._map.set(
            self._rows["fingerprint"][start : start + len(rows)],
            np.arange(start, start + len(rows)),
        )
        self._end += len(rows)
        self._add_runs(start, hosts)
        self._compact_if_sparse()

    def state(self) -> State:
        """Everything needed to go on as now; arrays and JSON values."""
        self._compact()
        rows = {name: column[: self._end] for name, column in self._rows.items()}
        rows["score"] = rows["score"].copy()  # the others never change where rows stand
        runs = [(h, row, end) for h, heap in enumerate(self._runs) for _, _, row, end in heap]
        return {
            "rows": rows,
            "texts": list(self._texts),  # not copied: bytes never change
            "text_lengths": np.array([len(text) for text in self._texts], np.int64),
            "origins": [[o.source, o.depth, o.relevance] for o in self._origins],
            "hosts": list(self._names),
            "runs": np.array(runs, np.int64).reshape(-1, 3),
            "known": self._map.state(),
        }

    def restore(self, state: State) -> None:
        """Go on from a state of a frontier with the same bound."""
        self._clear()
        self._rows = {name: np.array(column) for name, column in state["rows"].items()}
        self._end = self._waiting = len(self._rows["score"])
        texts = _bytes_of(state["texts"])
        ends = np.cumsum(np.asarray(state["text_lengths"])).tolist()
        self._texts = [texts[a:b] for a, b in pairwise([0, *ends])]
        self._origins = [Origin(*origin) for origin in state["origins"]]
        self._map.restore(state["known"])
        for name in state["hosts"]:
            self._host(name)
        for host, row, end in np.asarray(state["runs"]).tolist():
            self._add_run(host, row, end)

    # -- rows ------------------------------------------------------------------------------

    def _alive(self) -> Rows:
        return np.flatnonzero(~np.isnan(self._rows["score"][: self._end]))

    def _reserve(self, count: int) -> None:
        size = len(self._rows["score"])
        if self._end + count <= size:
            return
        for name, column in self._rows.items():
            self._rows[name] = np.empty(max(2 * size, self._end + count), column.dtype)
            self._rows[name][: self._end] = column[: self._end]  # the rest stays untouched memory

    def _outbid(self, rows: NDArray[np.int32], scores: Floats | float) -> NDArray[np.bool_]:
        """Kill the rows of waiting links that now have a higher score."""
        better = rows >= 0
        if better.any():
            offered = scores if isinstance(scores, float | int) else scores[better]
            better[better] = offered > self._rows["score"][rows[better]]
            outbid = rows[better]
            self._rows["score"][outbid] = np.nan
            self._waiting -= len(outbid)
        return better

    def _host(self, name: str) -> int:
        number = self._hosts.setdefault(name, len(self._runs))
        if number == len(self._runs):
            self._runs.append([])
            self._names.append(name)
            self._prefixes.append((f"http://{name}/".encode(), f"https://{name}/".encode()))
        return number

    def _write(
        self, links: Links, chosen: Rows, scores: Floats | float, slots: NDArray[np.intp]
    ) -> None:
        """Write new links as rows, a run for each host."""
        chosen, hosts = self._in_runs(links, chosen, scores)
        start, end = self._end, self._end + len(chosen)
        self._reserve(len(chosen))
        texts = self._shortened(links.texts(chosen), hosts)
        lengths = np.fromiter(map(len, texts), np.uint32, len(texts))
        rows = self._rows
        rows["score"][start:end] = scores if isinstance(scores, float | int) else scores[chosen]
        rows["fingerprint"][start:end] = fingerprints = links.fingerprints[chosen]
        rows["begin"][start:end] = np.cumsum(lengths) - lengths
        rows["length"][start:end] = lengths
        rows["host"][start:end] = hosts
        rows["arrival"][start:end] = chosen + (len(self._origins) - 1 << 32)
        self._texts.append(b"".join(texts))
        self._end = end
        self._waiting += len(chosen)
        self._map.set(fingerprints, np.arange(start, end, dtype=np.int32), slots[chosen])
        self._add_runs(start, hosts)

    def _shortened(self, texts: list[bytes], hosts: NDArray[np.int32]) -> list[bytes]:
        """Texts without what the host tells: `/path` for http, `s/path` for https."""
        short = []
        for text, host in zip(texts, hosts.tolist(), strict=True):
            plain, secure = self._prefixes[host]
            if text.startswith(plain):
                short.append(text[len(plain) - 1 :])
            elif text.startswith(secure):
                short.append(b"s" + text[len(secure) - 1 :])
            else:
                short.append(text)
        return short

    def _in_runs(
        self, links: Links, chosen: Rows, scores: Floats | float
    ) -> tuple[Rows, NDArray[np.int32]]:
        """The rows host by host, best first, with the number of their host."""
        value = None if isinstance(scores, float | int) else -scores[chosen]
        names = links.hosts
        if len(names) == 1:
            chosen = chosen if value is None else chosen[np.argsort(value, kind="stable")]
            return chosen, np.full(len(chosen), self._host(names[0]), np.int32)
        local = links.host_of[chosen]
        order = np.argsort(local, kind="stable") if value is None else np.lexsort((value, local))
        local = local[order]
        numbers = {h: self._host(names[h]) for h in dict.fromkeys(local.tolist())}
        return chosen[order], np.array([numbers[h] for h in local.tolist()], np.int32)

    # -- runs ------------------------------------------------------------------------------

    def _add_runs(self, start: int, hosts: NDArray[np.int32]) -> None:
        """The rows from `start` on are new, grouped by host: a run for each."""
        edges = [0, *(np.flatnonzero(hosts[1:] != hosts[:-1]) + 1).tolist(), len(hosts)]
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
        link = self._link(run, host)
        self._kill(run[2], link.fingerprint, _LEFT)
        self._head(host)  # brings the host's next best link forward
        self._compact_if_sparse()
        return link

    def _link(self, run: _Run, host: int) -> Link:
        """The link at the head of a run."""
        rows = self._rows
        score, arrival, row, _ = run
        batch, begin = arrival >> 32, rows["begin"].item(row)
        text = self._texts[batch][begin : begin + rows["length"].item(row)]
        url, _, anchor = text.decode().partition("\n")
        if url.startswith("/"):
            url = f"http://{self._names[host]}{url}"
        elif url.startswith("s/"):
            url = f"https://{self._names[host]}{url[1:]}"
        origin = self._origins[batch]
        return Link(
            url,
            rows["fingerprint"].item(row),
            self._names[host],
            anchor,
            origin.source,
            origin.depth,
            arrival & _POSITION,
            origin.relevance,
            -score,
        )

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
        if self._end > self.compact_above and self._end > 2 * self._waiting:
            self._compact()

    def _compact(self) -> None:
        """Forget dead rows. Rows keep their order, so runs stay runs and ties stay ties."""
        alive = ~np.isnan(self._rows["score"][: self._end])
        rank = np.zeros(self._end + 1, np.int32)  # how many rows are alive before each
        np.cumsum(alive, out=rank[1:])
        runs = [[(rank.item(r), rank.item(e)) for _, _, r, e in heap] for heap in self._runs]
        for name in _COLUMNS:  # one after the other: a large frontier is not held twice
            self._rows[name] = self._rows[name][: self._end][alive]
        self._map.translate(rank[: self._end])
        self._end = rank.item(-1)
        del alive, rank
        self._compact_batches()
        self._heads, self._tails = [], []
        self._runs = [[] for _ in runs]
        for host, heap in enumerate(runs):
            for start, end in heap:
                if start < end:
                    self._add_run(host, start, end)
        self._heads = [(h[0][0], h[0][1], n) for n, h in enumerate(self._runs) if h]
        heapify(self._heads)
        self._parked = set()

    def _compact_batches(self) -> None:
        """Keep only the batches, and of their texts only the parts, that a row still needs."""
        rows = self._rows
        batch = (rows["arrival"] >> 32).astype(np.int32)
        counts = np.bincount(batch, minlength=len(self._origins))
        used = np.flatnonzero(counts)
        order = np.argsort(batch, kind="stable")
        edges = [0, *np.cumsum(counts[used]).tolist()]
        texts = []
        for old, (start, end) in zip(used.tolist(), pairwise(edges), strict=True):
            texts.append(self._shrunk(self._texts[old], order[start:end]))
            self._texts[old] = b""  # so that old and new never stand side by side as a whole
        self._texts = texts
        self._origins = [self._origins[old] for old in used.tolist()]
        renamed = np.cumsum(counts > 0, dtype=np.int64) - 1
        rows["arrival"] &= _POSITION
        rows["arrival"] |= renamed[batch] << 32

    def _shrunk(self, text: bytes, rows: Rows) -> bytes:
        """The parts of a batch's text that these rows need; says in `begin` where they are now."""
        begins, lengths = self._rows["begin"], self._rows["length"]
        kept = lengths[rows].astype(np.int64)
        if int(kept.sum()) == len(text):
            return text
        spans = zip(begins[rows].tolist(), kept.tolist(), strict=True)
        shrunk = b"".join([text[begin : begin + length] for begin, length in spans])
        begins[rows] = np.cumsum(kept) - kept
        return shrunk


def _bytes_of(value: Any) -> bytes:
    """Bytes out of a state: pieces when it was just taken, an array when it comes from disk."""
    return b"".join(value) if isinstance(value, list) else np.asarray(value, np.uint8).tobytes()


def _numbers(scores: Floats) -> Floats:
    """The scores as they are, but 0 for what is not a number."""
    strange = np.isnan(scores)
    return np.where(strange, 0.0, scores) if strange.any() else scores
