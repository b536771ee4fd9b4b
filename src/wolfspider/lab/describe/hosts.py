"""Pages of each host, and links that stay on it."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from wolfspider.lab.describe.degrees import Counts, counted
from wolfspider.urls import host
from wolfspider.webs.graph import Graph, Numbers
from wolfspider.webs.recorded import RecordedWeb

_MOST = 10  # hosts that are named
Named = tuple[tuple[str, int], ...]  # hosts with how many pages
_STEP = 5000  # pages read between signs of life


@dataclass(frozen=True)
class HostsOfPages:
    """Names of the hosts, and the number of each page's host."""

    names: list[str]
    numbers: Numbers

    def of(self, pages: Numbers) -> tuple[int, Named]:
        """How many hosts have any of these pages, and those that have most of them."""
        sizes = np.bincount(self.numbers[pages], minlength=len(self.names))
        order = sorted(np.flatnonzero(sizes).tolist(), key=lambda k: (-sizes[k], self.names[k]))
        return len(order), tuple((self.names[k], int(sizes[k])) for k in order[:_MOST])


@dataclass(frozen=True)
class Hosts:
    count: int
    biggest: Named
    mean: float  # pages of a host
    median: float
    largest: int
    sizes: Counts
    links_within: int
    links_across: int

    @classmethod
    def of(cls, hosts: HostsOfPages, graph: Graph) -> Hosts:
        sizes = np.bincount(hosts.numbers)
        links = graph.links.tocoo()
        within = int((hosts.numbers[links.row] == hosts.numbers[links.col]).sum())
        return cls(
            *hosts.of(np.arange(graph.size)),
            float(sizes.mean()),
            float(np.median(sizes)),
            int(sizes.max()),
            counted(sizes),
            within,
            links.nnz - within,
        )


def reading_hosts(web: RecordedWeb) -> Generator[float, None, HostsOfPages]:
    """The hosts of a web; yields the share of the pages that are read."""
    names: dict[str, int] = {}
    numbers = np.empty(len(web), np.int64)
    for page in range(len(web)):
        if page % _STEP == 0:
            yield page / len(web)
        numbers[page] = names.setdefault(host(web.url(page)), len(names))
    return HostsOfPages(list(names), numbers)
