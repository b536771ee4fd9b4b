"""What a hunt has brought so far, counted as it goes or from its folder."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, field

from wolfspider.records import Verdict, Visit
from wolfspider.store import HuntReader

BEST = 10  # pages that a tally remembers


@dataclass
class Tally:
    """What a hunt has brought so far."""

    pages: int = 0  # asked for
    relevant: int = 0
    targets: int = 0
    refused: int = 0  # links that were not asked for
    bytes: int = 0
    highest: float = 0.0  # relevance of any page, by the judge
    errors: Counter[str] = field(default_factory=Counter)
    best: list[tuple[float, int, str, str]] = field(default_factory=list)  # a heap, see `add`

    def add(self, visit: Visit) -> None:
        response = visit.response
        self.pages += not response.refused
        self.refused += response.refused
        self.relevant += visit.verdict.relevant
        self.targets += visit.verdict.target
        self.highest = max(self.highest, visit.verdict.relevance)
        for exchange in response.exchanges:
            self.bytes += len(exchange.head) + len(exchange.body)
        if visit.failed:
            self.errors[response.error] += 1
        if visit.verdict.relevant:
            order = -(self.pages + self.refused)
            found = (visit.verdict.relevance, order, visit.page.url, visit.page.title)
            (heapq.heappush if len(self.best) < BEST else heapq.heappushpop)(self.best, found)

    def correct(self, visit: Visit, verdict: Verdict) -> None:
        """A visit that was counted has another verdict now."""
        self.relevant += verdict.relevant - visit.verdict.relevant
        self.targets += verdict.target - visit.verdict.target
        page = visit.page
        self.best = [each for each in self.best if each[2] != page.url]
        if verdict.relevant:
            self.best.append((verdict.relevance, 0, page.url, page.title))
        self.best = heapq.nlargest(BEST, self.best)
        heapq.heapify(self.best)

    @classmethod
    def of(cls, reader: HuntReader) -> Tally:
        """Of the visits that are on disk."""
        sums = (
            "count(*) - sum(refused), sum(relevance >= 0.5), sum(target), sum(refused), "
            "sum(bytes), max(relevance)"
        )
        row = reader.db.execute(f"SELECT {sums} FROM pages").fetchone()
        pages, relevant, targets, refused, size, highest = (value or 0 for value in row)
        tally = cls(pages, relevant, targets, refused, size, highest)
        errors = "SELECT error, count(*) FROM pages WHERE error != '' GROUP BY error"
        tally.errors.update(dict(map(tuple, reader.db.execute(errors))))
        best = (
            "SELECT relevance, -step, url, title FROM pages WHERE relevance >= 0.5 "
            f"ORDER BY relevance DESC, step LIMIT {BEST}"
        )
        tally.best = [tuple(row) for row in reader.db.execute(best)]
        heapq.heapify(tally.best)
        return tally

    @property
    def harvest_rate(self) -> float:
        return self.relevant / self.pages if self.pages else 0.0
