"""How foreign webs are to what a hunt learned elsewhere: the numbers behind `carrying.FOREIGN`.

python -m benchmarks.drift

Hunts on one web, begins on another with what was learned, and asks the policy for its drift after
as many pages as a hunt does. The last column is what it is good for: relevant pages among the first
fetches, without and with what the longest hunt learned. Needs `webs/webkb`, `webs/wpcd`,
`webs/openbsd-2005` and `webs/generated` (made by `wolfspider web generate --pages 2000`); WebKB is
hunted site by site.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from wolfspider.carrying import FOREIGN
from wolfspider.crawl import crawl
from wolfspider.hunt import DRIFT_PAGES
from wolfspider.judges import KeywordJudge
from wolfspider.lab.parts import mask_of
from wolfspider.lab.view import View
from wolfspider.policies.wolf import Wolf
from wolfspider.records import State
from wolfspider.topics import Topic
from wolfspider.urls import seed_link
from wolfspider.webs.recorded import RecordedWeb

LONG = (100, 300, 1000)  # pages of the hunt before
FIRST = 200  # fetches


@dataclass(frozen=True)
class Place:
    """Where a hunt begins, and in which part of which web it stays."""

    web: str
    seed: str
    within: str = ""

    @property
    def name(self) -> str:
        return f"{self.web} {self.within}".strip()


_ARTICLES = "http://schools-wikipedia.org/wp/"
CORNELL = Place("webkb", "http://www.cs.cornell.edu/", "site:cornell")
TEXAS = Place("webkb", "http://www.cs.utexas.edu/", "site:texas")
WASHINGTON = Place("webkb", "http://www.cs.washington.edu/", "site:washington")
WISCONSIN = Place("webkb", "http://www.cs.wisc.edu/", "site:wisconsin")
EARTH = Place("wpcd", f"{_ARTICLES}e/Earth.htm")
MUSIC = Place("wpcd", f"{_ARTICLES}m/Music.htm")
GENERATED = Place("generated", "https://www.nithom.org.example/")
OPENBSD = Place("openbsd-2005", "http://www.openbsd.org/")
COURSES, STARS = "course homework lecture", "astronomy telescope"
PAIRS = [
    (COURSES, CORNELL, CORNELL),
    (STARS, EARTH, MUSIC),
    (STARS, GENERATED, GENERATED),
    (COURSES, CORNELL, TEXAS),
    (COURSES, TEXAS, WASHINGTON),
    (COURSES, WASHINGTON, WISCONSIN),
    (COURSES, EARTH, CORNELL),
    (COURSES, EARTH, TEXAS),
    (COURSES, OPENBSD, CORNELL),
    (COURSES, CORNELL, EARTH),
    (STARS, EARTH, GENERATED),
    (STARS, GENERATED, EARTH),
    (STARS, GENERATED, CORNELL),
]


@cache
def part(place: Place) -> View:
    web = RecordedWeb(Path("webs") / place.web)
    return View(web, mask_of(web, place.within) if place.within else np.ones(len(web), np.bool_))


async def hunt(
    topic: str, place: Place, pages: int, carried: State | None = None
) -> tuple[Wolf, int]:
    """The wolf after so many pages, and how many of them were relevant."""
    known = Topic.of(topic)
    wolf = Wolf(topic=known)
    if carried is not None:
        wolf.carry(carried)
    wolf.start([seed_link(place.seed)])
    found = 0
    async for visit in crawl(part(place), wolf, KeywordJudge(known), pages=pages):
        found += visit.verdict.relevant
    return wolf, found


def cells(topic: str, before: Place, after: Place) -> Iterator[str]:
    learned = None
    for pages in LONG:
        learned = asyncio.run(hunt(topic, before, pages))[0].carried()
        drift = asyncio.run(hunt(topic, after, DRIFT_PAGES, learned))[0].drift()
        yield "—" if drift is None else f"{drift:.2f}"
    found = [asyncio.run(hunt(topic, after, FIRST, each))[1] for each in (None, learned)]
    yield " → ".join(map(str, found))


def main() -> None:
    columns = [f"{pages:,} pages" for pages in LONG] + [f"relevant of {FIRST}"]
    print(f"drift after {DRIFT_PAGES} pages; foreign above {FOREIGN}\n")
    print(f"| topic | learned on | hunted on | {' | '.join(columns)} |")
    print(f"|---|---|---|{'---|' * len(columns)}")
    for topic, before, after in PAIRS:
        row = (topic, before.name, after.name, *cells(topic, before, after))
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
