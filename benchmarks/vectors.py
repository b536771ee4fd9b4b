"""Word vectors: how soon the table is there, microseconds a page and a link, words that it knows.

python -m benchmarks.vectors [--repeats 5] [--web webs/wpcd]

The table is compiled into a cache of its own. Pages and links are those of the web, all of them;
without one, a page of 300 words and its 30 links are made up from the table.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.measure import clocked, report
from wolfspider.records import Bag, Links, Terms
from wolfspider.text import count_terms
from wolfspider.vectors import Likeness, WordVectors
from wolfspider.webs.recorded import RecordedWeb

TEXTS = ("astronomy", "science", "earth", "health")
AIM = 50.0  # microseconds
AIM_COMPILE = 3.0  # seconds
_BAGS = ("url", "anchor", "context")
_AT_LEAST = 2000  # calls in a measurement


def made_up(vectors: WordVectors) -> tuple[list[Terms], list[list[Bag]]]:
    """A page of 300 distinct terms and 30 links of 25 words."""
    ids = np.random.default_rng(0).choice(vectors.ids, 300, replace=False)
    starts = np.arange(0, 750, 25, dtype=np.uint32)
    words = np.resize(ids, 750)
    return [count_terms(ids)], [[Bag(starts, starts + np.uint32(25), words)]]


def of_web(folder: Path) -> tuple[list[Terms], list[list[Bag]]]:
    web = RecordedWeb(folder)
    pages = [web.page(number) for number in range(len(web))]
    links: list[Links] = [page.links for page in pages if len(page.links)]
    return [page.terms for page in pages], [each.bags(*_BAGS) for each in links]


def microseconds(repeats: int, work: Callable[[], object], calls: int) -> float:
    times = [clocked(work).cpu for _ in range(repeats)]
    return round(median(times) / calls * 1e6, 2)


def run(repeats: int, folder: Path | None) -> None:
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        compiled = clocked(WordVectors.open)
        report(
            "vectors compile",
            "s",
            value=round(compiled.wall, 2),
            cpu_value=round(compiled.cpu, 2),
            aim=AIM_COMPILE,
        )
        opened = median(clocked(WordVectors.open).wall for _ in range(repeats))
        report("vectors open", "s", value=round(opened, 5))
        measure(WordVectors.open(), repeats, folder)


def measure(vectors: WordVectors, repeats: int, folder: Path | None) -> None:
    sets = {"made up": made_up(vectors)}
    if folder is not None:
        sets[folder.name] = of_web(folder)
    likeness = Likeness(vectors, TEXTS)
    for name, (pages, links) in sets.items():
        rounds = -(-_AT_LEAST // len(pages))
        rows = sum(len(bags[0]) for bags in links)
        facts = {"aim": AIM, "web": name, "table": len(vectors), "width": vectors.width}

        def all_pages(pages: list[Terms] = pages, rounds: int = rounds) -> None:
            for _ in range(rounds):
                for page in pages:
                    likeness.of_terms(page)

        def all_links(links: list[list[Bag]] = links, rounds: int = rounds) -> None:
            for _ in range(rounds):
                for bags in links:
                    likeness.of_bags(*bags)

        value = microseconds(repeats, all_pages, rounds * len(pages))
        terms = round(sum(len(page.ids) for page in pages) / len(pages))
        report("likeness of a page", "µs", value=value, terms=terms, **facts)
        value = microseconds(repeats, all_links, rounds * rows)
        per_page = round(rows / len(links), 1)
        report("likeness of a link", "µs", value=value, links=per_page, **facts)
        counts = np.concatenate([page.counts for page in pages])
        known = np.concatenate([vectors.find(page.ids)[1] for page in pages])
        share = round(float(counts[known].sum() / counts.sum()), 4)
        report("words with a vector", "share", value=share, web=name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--web", type=Path)
    given = parser.parse_args()
    run(given.repeats, given.web)


if __name__ == "__main__":
    main()
