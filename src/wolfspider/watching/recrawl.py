"""Two ways of going round: everything in turn, or each page as often as it pays.

`breadth-first-recrawl` walks the web from the seeds, breadth first, and then again.

`change-rate` is that of Cho & Garcia-Molina: pages change at random, as a Poisson process does; how
often each does is estimated from what was seen at visits, and visits are shared out so that as
many copies as possible are up to date. A page that changes all the time gets none.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Sequence

import numpy as np

from wolfspider.records import Floats, State
from wolfspider.watching.records import Sent, Snapshot

_PLAN = 3600.0  # seconds between two plans
_FIRST = 1 / 86_400  # changes a second that a page is taken to have before anything is known
_SECOND_VISIT = 3600.0  # seconds after the first one


class _Going:
    """What both share: everything new that is met is sent."""

    def __init__(self, seeds: Sequence[int]) -> None:
        if not seeds:
            raise ValueError("a watch needs at least one address to begin at")
        self._seeds = list(seeds)
        self._seen: dict[int, None] = {}  # documents

    def _sent(self, page: Snapshot | None, now: float) -> list[Sent]:
        if page is None or page.document in self._seen:
            return []
        self._seen[page.document] = None
        return [Sent(page.document, page.address, True)] if page.new_at(now) else []


class BreadthFirstRecrawl(_Going):
    """Goes round the web, breadth first, again and again."""

    def __init__(
        self, *, seeds: Sequence[int], clusters: int = 0, pages: int | None = None
    ) -> None:
        """A round has at most so many `pages`; all that are found, unless told."""
        if pages is not None and pages < 1:
            raise ValueError(f"pages is {pages}; a round has 1 or more")
        super().__init__(seeds)
        self._most = pages
        self._waiting: deque[int] = deque()
        self._found: set[int] = set()
        self._out: int | None = None

    def next(self, now: float) -> int | None:
        if self._out is None:
            if not self._waiting:
                self._waiting, self._found = deque(self._seeds), set(self._seeds)
            self._out = self._waiting.popleft()
        return self._out

    def learn(self, address: int, page: Snapshot | None, now: float) -> list[Sent]:
        self._out = None
        if page is not None:
            for link in page.links.tolist():
                if link not in self._found and (
                    self._most is None or len(self._found) < self._most
                ):
                    self._found.add(link)
                    self._waiting.append(link)
        return self._sent(page, now)

    def state(self) -> State:
        waiting = [*([] if self._out is None else [self._out]), *self._waiting]
        return {
            "waiting": np.array(waiting, np.uint64),
            "found": np.array(sorted(self._found), np.uint64),
            "seen": np.array(list(self._seen), np.uint64),
        }

    def restore(self, state: State) -> None:
        self._waiting = deque(np.asarray(state["waiting"]).tolist())
        self._found = set(np.asarray(state["found"]).tolist())
        self._seen = dict.fromkeys(np.asarray(state["seen"]).tolist())
        self._out = None


class ChangeRate(_Going):
    """Visits pages as often as their changes make it worth, by Cho & Garcia-Molina."""

    def __init__(self, *, seeds: Sequence[int], clusters: int = 0, plan: float = _PLAN) -> None:
        """Every `plan` seconds it is decided anew how often each page is visited."""
        if not plan > 0:
            raise ValueError(f"plan is {plan:g}; it must be above 0 seconds")
        super().__init__(seeds)
        self._plan_seconds = plan
        self._rows: dict[int, int] = {}  # by address
        self._addresses: list[int] = []  # by row
        self._documents: list[int] = []  # the last one seen at each
        self._columns = np.zeros((256, 5))  # visits, changes, first and last visit, visits a second
        self._due: list[tuple[float, int]] = []
        self._new: deque[int] = deque(self._seeds)  # never visited
        self._found = dict.fromkeys(self._seeds)
        self._planned = -np.inf
        self._spent = 0  # downloads since the plan
        self._began: float | None = None
        self._out: int | None = None

    def next(self, now: float) -> int | None:
        """New pages first; then those whose time has come; or the one whose time comes next."""
        if self._out is None:
            if now - self._planned >= self._plan_seconds:
                self._plan(now)
            if self._new:
                self._out = self._new.popleft()
            elif self._due:
                self._out = self._addresses[heapq.heappop(self._due)[1]]
        return self._out

    def learn(self, address: int, page: Snapshot | None, now: float) -> list[Sent]:
        self._out = None
        self._spent += 1
        row = self._rows.get(address)
        document = 0 if page is None else page.document
        if row is None:
            row = self._add(address, document, now)
        else:
            visits = self._columns[row]
            visits[0] += 1
            visits[1] += document != self._documents[row]
            visits[3] = now
            self._documents[row] = document
        rate = self._columns.item(row, 4)
        if rate > 0 and (page is not None or self._columns.item(row, 1)):
            heapq.heappush(self._due, (now + 1 / rate, row))
        if page is not None:
            for link in page.links.tolist():
                if link not in self._found:
                    self._found[link] = None
                    self._new.append(link)
        return self._sent(page, now)

    def _add(self, address: int, document: int, now: float) -> int:
        row = self._rows[address] = len(self._rows)
        self._addresses.append(address)
        self._documents.append(document)
        if row == len(self._columns):
            self._columns = np.concatenate([self._columns, np.zeros_like(self._columns)])
        self._columns[row] = [0, 0, now, now, 1 / _SECOND_VISIT]
        return row

    def _plan(self, now: float) -> None:
        """Share out as many visits as there were since the last plan."""
        elapsed = now - self._planned
        self._planned = now
        size = len(self._rows)
        if not size or not np.isfinite(elapsed):
            return
        budget = max(self._spent, 1) / elapsed
        self._spent = 0
        columns = self._columns[:size]
        columns[:, 4] = visit_rates(change_rates(columns), budget)
        live = np.flatnonzero(columns[:, 4] > 0)
        due = columns[live, 3] + 1 / columns[live, 4]
        self._due = list(zip(due.tolist(), live.tolist(), strict=True))
        heapq.heapify(self._due)

    def state(self) -> State:
        size = len(self._rows)
        new = [*([] if self._out is None else [self._out]), *self._new]
        return {
            "addresses": np.array(list(self._rows), np.uint64),
            "documents": np.array(self._documents, np.uint64),
            "columns": self._columns[:size].copy(),
            "due": np.array(sorted(self._due)).reshape(-1, 2),
            "new": np.array(new, np.uint64),
            "found": np.array(list(self._found), np.uint64),
            "seen": np.array(list(self._seen), np.uint64),
            "planned": self._planned,
            "spent": self._spent,
        }

    def restore(self, state: State) -> None:
        self._addresses = np.asarray(state["addresses"]).tolist()
        self._rows = {address: row for row, address in enumerate(self._addresses)}
        self._documents = np.asarray(state["documents"]).tolist()
        self._columns = np.concatenate([state["columns"], np.zeros((256, 5))])
        self._due = [(when, int(row)) for when, row in np.asarray(state["due"]).tolist()]
        self._new = deque(np.asarray(state["new"]).tolist())
        self._found = dict.fromkeys(np.asarray(state["found"]).tolist())
        self._seen = dict.fromkeys(np.asarray(state["seen"]).tolist())
        self._planned, self._spent = float(state["planned"]), int(state["spent"])
        self._out = None


def change_rates(columns: Floats) -> Floats:
    """Changes a second: −log((n − X + ½) / (n + 1)) / interval, of n visits with X changes.

    Nearly the estimator of Cho & Garcia-Molina (2003) for visits at even intervals: it does not
    take a page that had changed at each visit for one that changes at each visit only. Theirs has
    n + ½ below the line, and gives up a page for good that has not changed so far.
    """
    visits, changes, first, last = columns[:, :4].T
    interval = np.maximum(last - first, 1.0) / np.maximum(visits, 1)
    seen: Floats = -np.log((visits - changes + 0.5) / (visits + 1)) / interval
    return np.where(visits > 0, seen, _FIRST)


def visit_rates(changes: Floats, budget: float) -> Floats:
    """Visits a second for each page, `budget` in all, so that most copies are up to date.

    A visit more is worth the same everywhere: g(r) / λ = μ with r = λ / f and
    g(r) = 1 − (1 + r) e^−r (Cho & Garcia-Molina 2000). Pages with λ μ ≥ 1 get no visits.
    """
    changing = changes > 0
    rates = np.zeros(len(changes))
    if not changing.any():
        return np.full(len(changes), budget / max(len(changes), 1))
    lam = changes[changing]
    low, high = 0.0, float(1 / lam.min())
    for _ in range(60):  # the larger μ, the fewer visits
        middle = (low + high) / 2
        if _rates(lam, middle).sum() > budget:
            low = middle
        else:
            high = middle
    rates[changing] = _rates(lam, high)
    total = rates.sum()
    return rates * (budget / total) if total > 0 else np.full(len(changes), budget / len(changes))


_GRID = np.concatenate([[0.0], np.geomspace(1e-6, 60.0, 4000)])
_WORTH = 1 - (1 + _GRID) * np.exp(-_GRID)


def _rates(lam: Floats, price: float) -> Floats:
    """f with g(λ / f) = λ · price, read off a grid; 0 where that is 1 or more."""
    wanted = lam * price
    ratio = np.interp(wanted, _WORTH, _GRID)
    found: Floats = np.where(wanted >= _WORTH[-1], 0.0, lam / np.maximum(ratio, 1e-6))
    return found
