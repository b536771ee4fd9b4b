"""The frontier with millions of links: pushes and pops a second, and bytes a link.

    python -m benchmarks.frontier [--links 5000000] [--peer-links 1000000]

Pages of about 30 links, to one to three hosts and mostly to one; addresses of about 50 bytes,
anchors of a few words, a score for each link. All links are new and all leave again. The peer is
what one writes first: a heap of tuples, and a dict of the addresses that were seen.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, Protocol

import numpy as np

from benchmarks.measure import apart, memory, report
from wolfspider.frontier import Frontier, Origin
from wolfspider.records import BAGS, Floats, Link, Links
from wolfspider.urls import fingerprints

HOSTS = 20_000
LINKS = 30  # of a page, on average
WORDS = ("news", "about", "index", "archive", "people", "course", "planet", "river", "music")
AIMS = {"pushes": 150_000, "pops": 100_000, "memory": 150}


class Queue(Protocol):
    """What is measured: links of a page in, one link out."""

    def push(self, links: Links, scores: Floats, origin: Origin) -> object: ...

    def pop(self) -> Link | None: ...


class HeapAndDict:
    """A heap of tuples and a dict of what was seen; a link keeps what `Link` needs."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, str, str, str, Origin, int]] = []
        self._seen: dict[str, float] = {}

    def push(self, links: Links, scores: Floats, origin: Origin) -> None:
        heap, seen, hosts = self._heap, self._seen, links.hosts
        columns = zip(
            links.urls(), links.anchors(), links.host_of.tolist(), scores.tolist(), strict=True
        )
        for position, (url, anchor, host, score) in enumerate(columns):
            if url not in seen:
                seen[url] = score
                heappush(heap, (-score, len(seen), url, anchor, hosts[host], origin, position))

    def pop(self) -> Link | None:
        if not self._heap:
            return None
        score, _, url, anchor, host, origin, position = heappop(self._heap)
        return Link(
            url, 0, host, anchor, origin.source, origin.depth, position, origin.relevance, -score
        )


QUEUES: dict[str, Callable[[], Queue]] = {"frontier": Frontier, "heap": HeapAndDict}


@dataclass(slots=True)
class Batches:
    """Pages of links that are made when asked for and kept by nobody."""

    links: int
    seed: int = 0

    def __iter__(self) -> Iterator[tuple[Links, Floats, Origin]]:
        random = np.random.default_rng(self.seed)
        made = 0
        while made < self.links:
            count = min(int(random.poisson(LINKS)) + 1, self.links - made)
            yield self._page(random, made, count)
            made += count

    def _page(
        self, random: np.random.Generator, first: int, count: int
    ) -> tuple[Links, Floats, Origin]:
        drawn = HOSTS * random.random(3) ** 2  # a few hosts have many pages
        hosts = list(dict.fromkeys(f"www.site{int(number):05}.example" for number in drawn))
        host_of = np.minimum(random.geometric(0.85, count) - 1, len(hosts) - 1)
        words = random.integers(len(WORDS), size=(count, 3)).tolist()
        pairs = zip(range(first, first + count), host_of.tolist(), words, strict=True)
        urls, anchors = [], []
        for number, host, (a, b, c) in pairs:
            urls.append(f"http://{hosts[host]}/{WORDS[a]}/{number:09}.html")
            anchors.append(f"{WORDS[b]} {WORDS[c]}")
        links = Links.pack(
            fingerprints(urls),
            [f"{url}\n{anchor}".encode() for url, anchor in zip(urls, anchors, strict=True)],
            hosts,
            host_of,
            np.zeros(count),
            np.zeros(count),
            np.zeros(len(BAGS) * count + 1),
            np.empty(0),
        )
        return links, random.random(count), Origin(f"http://{hosts[0]}/{first:09}.html", 3, 0.5)


def measure(queue: Queue, links: int) -> dict[str, float]:
    """Rates by wall and by process time, and memory at the fullest moment."""
    for _ in Batches(10_000, seed=1):
        pass  # what making links costs once is not the queue's
    before = memory()
    wall = cpu = 0.0
    for page in Batches(links):
        wall_then, cpu_then = time.perf_counter(), time.process_time()
        queue.push(*page)
        wall, cpu = wall + time.perf_counter() - wall_then, cpu + time.process_time() - cpu_then
    held = memory() - before
    wall_then, cpu_then = time.perf_counter(), time.process_time()
    left = 0
    while queue.pop() is not None:
        left += 1
    pop_wall, pop_cpu = time.perf_counter() - wall_then, time.process_time() - cpu_then
    if left != links:
        raise RuntimeError(f"{links} different links came and {left} left")
    return {
        "pushes": links / wall,
        "pushes_cpu": links / cpu,
        "pops": links / pop_wall,
        "pops_cpu": links / pop_cpu,
        "memory": held / links,
    }


def run(links: int, peer_links: int) -> None:
    def of(name: str, count: int) -> dict[str, Any]:
        return apart("benchmarks.frontier", "--alone", name, "--links", str(count))

    same, peer, full = of("frontier", peer_links), of("heap", peer_links), of("frontier", links)
    compared = {"peer": "heap and dict", "peer_links": peer_links}
    for work in ("pushes", "pops"):
        report(
            f"frontier {work}",
            "links/s",
            value=round(full[work]),
            cpu_value=round(full[f"{work}_cpu"]),
            aim=AIMS[work],
            ratio=round(same[work] / peer[work], 3),
            links=links,
            **compared,
        )
    report(
        "frontier memory, address and anchor included",
        "bytes/link",
        value=round(full["memory"], 1),
        aim=AIMS["memory"],
        ratio=round(same["memory"] / peer["memory"], 3),
        links=links,
        **compared,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--links", type=int, default=5_000_000)
    parser.add_argument("--peer-links", type=int, default=1_000_000)
    parser.add_argument("--alone", choices=QUEUES, help="measure one queue in this process")
    given = parser.parse_args()
    if given.alone:
        print(json.dumps(measure(QUEUES[given.alone](), given.links)))
    else:
        run(given.links, given.peer_links)


if __name__ == "__main__":
    main()
