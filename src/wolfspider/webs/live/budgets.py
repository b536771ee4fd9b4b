"""How many pages any one place on the web may cost us.

Traps that no single URL gives away (calendars, facets, endless subdomains) end here: whatever
a site invents, it gets a bounded share of the crawl.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from xxhash import xxh3_64_intdigest

from wolfspider.records import State
from wolfspider.urls import host, site


@dataclass(frozen=True)
class Shares:
    """The most that may be fetched of each; a place that has it all is left alone."""

    per_site: int = 100_000  # pages of one registered domain, all its hosts together
    per_host: int = 50_000
    per_prefix: int = 20_000  # pages below the first two folders of a host
    hosts_per_site: int = 500  # hosts of one registered domain
    facets_per_path: int = 1_000  # pages of one path with three parameters or more
    filters_per_path: int = 32  # sets of parameter names on one path: ?a, ?b, ?a&b …


class Budgets:
    """Counts the pages of every site, host and folder, in 16 MB however many there are.

    `take` never lets through more pages of a place than its share. Counters are shared by
    chance (a count-min sketch), so with millions of places a share may end a little early.
    New hosts of a site and new sets of parameters are told from known ones in the same way:
    of these one in a great many may go uncounted; their pages are always counted.
    """

    rows, width = 4, 1 << 20

    def __init__(self, shares: Shares = Shares()) -> None:  # noqa: B008  # frozen
        self.shares = shares
        self._counts = np.zeros(self.rows * self.width, np.uint32)

    def take(self, url: str) -> str | None:
        """Count a page to be fetched; or, if a share is used up, say which and count nothing."""
        wanted = []
        for key, most, reason in self._places(url):
            cells = self._cells(key)
            count = min(map(self._counts.item, cells))
            if count >= most:
                return f"{reason} ({most})"
            wanted.append((cells, count + 1))
        for cells, count in wanted:
            for cell in cells:  # only what is below: others share these cells
                if self._counts.item(cell) < count:
                    self._counts[cell] = count
        return None

    def _places(self, url: str) -> Iterator[tuple[str, int, str]]:
        """Key, share and reason for everything a page counts towards."""
        shares, name = self.shares, host(url)
        domain = site(name)
        address, _, query = url.partition("?")
        path = address[address.index("/", 8) :]
        folder = "/".join(path.split("/")[:-1][:3])
        if not self._known(f"host {name}"):
            reason = f"{domain} has had its share of hosts"
            yield f"hosts {domain}", shares.hosts_per_site, reason
        yield f"site {domain}", shares.per_site, f"{domain} has had its share of pages"
        yield f"host {name}", shares.per_host, f"{name} has had its share of pages"
        reason = f"{name}{folder}/ has had its share of pages"
        yield f"prefix {name}{folder}", shares.per_prefix, reason
        if query:
            yield from self._facets(name + path, query)

    def _facets(self, page: str, query: str) -> Iterator[tuple[str, int, str]]:
        names = sorted({parameter.partition("=")[0] for parameter in query.split("&")})
        if len(names) >= 3:
            reason = f"{page} has had its share of pages with many parameters"
            yield f"facets {page}", self.shares.facets_per_path, reason
        filters = f"filters {page}?{'&'.join(names)}"
        if not self._known(filters):
            reason = f"{page} has had its share of sets of parameters"
            yield f"sets {page}", self.shares.filters_per_path, reason
        yield filters, 1 << 31, ""

    def _known(self, key: str) -> bool:
        return min(map(self._counts.item, self._cells(key))) > 0

    def _cells(self, key: str) -> list[int]:
        """One cell in each row; two halves of a hash are as good as four hashes."""
        number = xxh3_64_intdigest(key.encode())
        first, step, width = number & 0xFFFFFFFF, number >> 32 | 1, self.width
        return [row * width + (first + row * step) % width for row in range(self.rows)]

    def state(self) -> State:
        cells = np.flatnonzero(self._counts).astype(np.uint32)
        return {"cells": cells, "counts": self._counts[cells]}

    def restore(self, state: State) -> None:
        self._counts = np.zeros(self.rows * self.width, np.uint32)
        self._counts[np.asarray(state["cells"], np.intp)] = state["counts"]
