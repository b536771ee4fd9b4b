"""The wolf: pages a second, time to score links, bytes of a waiting link, and a live hunt.

    python -m benchmarks.wolf [--repeats 3] [--live] [--links 200000]

Replays of a whole web take turns with two policies that learn nothing; `ratio` is against
breadth-first. Memory is that of a process of its own, and of each array by name. --live hunts on
nginx over loopback, as benchmarks.live does, and takes minutes.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import timeit
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.live import HOSTS, Command, Cost, Site, free_ports, ours_command, served
from benchmarks.live import run as live_run
from benchmarks.live import summary as live_summary
from benchmarks.measure import (
    Clock,
    Recording,
    apart,
    clocked,
    compile_web,
    memory,
    rates,
    recording,
    report,
)
from benchmarks.replay import crawl_all
from wolfspider.clues.tokens import MARKS
from wolfspider.crawl import replay
from wolfspider.judges import KeywordJudge
from wolfspider.policies import make
from wolfspider.policies.wolf import Wolf
from wolfspider.records import BAGS, Links, Page, Terms, Verdict, Visit
from wolfspider.topics import Topic
from wolfspider.urls import fingerprints, seed_link
from wolfspider.webs.recorded import RecordedWeb

POLICIES = ("breadth-first", "best-first", "wolf")
AIM_REPLAY, AIM_SCORE, AIM_BYTES = 2_000, 0.2, 300  # pages/s, ms for 50 links, bytes a link
SCORED, LEARNED = 50, 1_000  # links, after so many pages
LINKS = 30  # of a page, on average
WORDS = {"anchor": 2, "context": 12, "heading": 2, "url": 5}  # of a link, as in webs/wpcd
VOCABULARY, PATHS, FOLDERS = 30_000, 12, 25
PAGE_WORDS = 200  # different ones


# -- replay and scoring --------------------------------------------------------------------


def replays(folder: Path, web: Recording, repeats: int) -> None:
    pages: dict[str, int] = {}
    clocks: dict[str, list[Clock]] = {spec: [] for spec in POLICIES}

    def work(spec: str) -> None:
        pages[spec] = crawl_all(folder, spec, web.topic, web.start)

    make("wolf", topic=Topic.of(web.topic))  # the table of word vectors is compiled once
    for _ in range(repeats):
        for spec, seen in clocks.items():
            seen.append(clocked(lambda spec=spec: work(spec)))  # type: ignore[misc]
    speeds = {spec: rates(pages[spec], clocks[spec]) for spec in POLICIES}
    for spec, speed in speeds.items():
        report(
            f"wolf replay {spec}",
            "pages/s",
            **speed,
            aim=AIM_REPLAY if spec == "wolf" else None,
            ratio=round(speed["cpu_value"] / speeds["breadth-first"]["cpu_value"], 3),
            peer="breadth-first",
            web=web.name,
            pages=pages[spec],
            repeats=repeats,
        )


def scoring(folder: Path, web: Recording, repeats: int) -> None:
    """Milliseconds for the features and scores of some links that wait."""
    topic = Topic.of(web.topic)
    wolf = Wolf(topic=topic)
    for _ in replay(
        RecordedWeb(folder), wolf, KeywordJudge(topic), [seed_link(web.start)], pages=LEARNED
    ):
        pass
    book = wolf.evidence.book
    waiting = np.flatnonzero(book.page[: book.size] == 0)
    some = np.random.default_rng(0).choice(waiting, SCORED, replace=False)
    times = timeit.repeat(lambda: wolf.opinion.score(some), number=100, repeat=5 * repeats)
    report(
        f"wolf scores {SCORED} links",
        "ms",
        value=round(10 * median(times), 4),
        least=round(10 * min(times), 4),
        aim=AIM_SCORE,
        web=web.name,
        waiting=len(waiting),
    )


# -- memory --------------------------------------------------------------------------------


def pages(seed: int = 0) -> Iterator[Page]:
    """Pages with new links, whose words follow the law of Zipf."""
    random = np.random.default_rng(seed)
    ids = np.unique(random.integers(1, 1 << 32, VOCABULARY, dtype=np.uint64)).astype(np.uint32)
    random.shuffle(ids)
    share = np.cumsum(1 / np.arange(5.0, len(ids) + 5))
    share /= share[-1]

    def words(count: int) -> Any:
        return ids[np.searchsorted(share, random.random(count))]

    paths = random.integers(1 << 32, size=PATHS, dtype=np.uint64)
    made = 0
    while True:
        count = int(random.poisson(LINKS)) + 1
        sizes = random.poisson(list(WORDS.values()), (count, len(BAGS))).ravel()
        host = f"www.site{made % 997:03}.example"
        urls = [
            f"http://{host}/folder{n % FOLDERS}/name-of-page-{n}.html"
            for n in range(made, made + count)
        ]
        links = Links.pack(
            fingerprints(urls),
            [f"{url}\nwords of a link".encode() for url in urls],
            [host],
            np.zeros(count),
            np.sort(random.choice(paths, count)),
            np.zeros(count),
            np.concatenate([[0], np.cumsum(sizes)]),
            words(int(sizes.sum())),
        )
        terms = np.unique(words(2 * PAGE_WORDS))[:PAGE_WORDS]
        yield Page(urls[0], terms=Terms.of(terms, np.ones(len(terms), np.float32)), links=links)
        made += count


def full_wolf(links: int) -> Wolf:
    """A wolf that found nothing until so many links waited."""
    wolf = Wolf(topic=Topic.of("solar eclipse"), breadth=0.0)
    wolf.start([seed_link("http://www.example/")])
    for page in pages():
        link = wolf.next()
        assert link is not None
        wolf.learn(Visit(link, page, Verdict(0.0, False)))
        if len(wolf) >= links:
            return wolf
    raise AssertionError("there are pages without end")


def parts_of(wolf: Wolf) -> dict[str, int]:
    """Bytes of every array, by name; rows that are not in use yet count, too."""
    book, table = wolf.evidence.book, wolf.frontier._rows
    parts = {f"book.{name}": array.nbytes for name, array in _arrays(book)}
    parts |= {f"tokens.{name}": array.nbytes for name, array in _arrays(book.tokens)}
    parts |= {f"map of the book.{name}": each.nbytes for name, each in _arrays(book._numbers)}
    parts |= {f"frontier.{name}": column.nbytes for name, column in table.columns.items()}
    parts["frontier.texts"] = sum(map(len, table._texts))
    parts |= {f"rows by number.{n}": each.nbytes for n, each in _arrays(wolf.frontier._map)}
    parts |= {f"ranking.{name}": array.nbytes for name, array in _arrays(wolf.ranking)}
    return parts


def _arrays(owner: object) -> list[tuple[str, Any]]:
    found = vars(owner).items()
    return [(name, each) for name, each in found if isinstance(each, np.ndarray)]


def alone(links: int) -> dict[str, Any]:
    full_wolf(1000)  # what is loaded once is not the links'
    before = memory()
    wolf = full_wolf(links)
    held = memory() - before
    book, waiting = wolf.evidence.book, len(wolf)
    fixed = sum(each._both.nbytes for each in (wolf.evidence.rates, wolf.evidence.speech))
    fixed += wolf.evidence.meaning._vectors._lookup._begins.nbytes  # of words, not of links
    parts = parts_of(wolf)
    return {
        "value": round((held - fixed) / waiting, 1),
        "in_use": round(in_use(wolf) / waiting, 1),
        "waiting": waiting,
        "tokens_each": round(book.tokens._end / book.size + len(MARKS), 1),
        "parts": {name: round(size / waiting, 1) for name, size in parts.items() if size > waiting},
        "fixed_mb": round(fixed / 1e6, 1),
    }


def in_use(wolf: Wolf) -> int:
    """Bytes of the state, which has nothing but what is in use."""

    def size(value: Any) -> int:
        if isinstance(value, dict):
            return sum(map(size, value.values()))
        if isinstance(value, list):
            return sum(map(size, value))
        return len(value) if isinstance(value, bytes) else getattr(value, "nbytes", 8)

    state = wolf.state()
    for name in ("rates", "speech"):  # no link's own
        del state["evidence"][name]
    return size(state)


# -- live ----------------------------------------------------------------------------------


def hunting_with(policy: str) -> Command:
    return lambda folder, start, pages: [
        *ours_command(folder, start, pages),
        *("--policy", policy),
    ]


def live(count: int, rounds: int) -> None:
    costs: dict[str, list[Cost]] = {"best-first": [], "wolf": []}
    with tempfile.TemporaryDirectory() as scratch:
        ports = free_ports()
        Site(ports, max(count, HOSTS)).write(Path(scratch, "pages"))
        with served(Path(scratch), ports) as server:
            for _ in range(rounds):
                for policy, seen in costs.items():
                    seen.append(live_run(hunting_with(policy), ports[0], count, server))
    found = {policy: live_summary(each, count) for policy, each in costs.items()}
    wolf, peer = found["wolf"], found["best-first"]
    report(
        "wolf live",
        "pages/s",
        value=wolf["pages_per_second"],
        ratio=round(wolf["pages_per_second"] / peer["pages_per_second"], 3),
        cpu_ratio=round(wolf["cpu_per_1000_pages"] / peer["cpu_per_1000_pages"], 3),
        peak_mb={policy: each["peak_mb"] for policy, each in found.items()},
        peer="best-first",
        pages=count,
        rounds=rounds,
        cpu_per_1000_pages={p: each["cpu_per_1000_pages"] for p, each in found.items()},
    )


def run(repeats: int, links: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        web = recording(Path(scratch))
        folder = compile_web(web, Path(scratch, "web"))
        replays(folder, web, repeats)
        scoring(folder, web, repeats)
    found = apart("benchmarks.wolf", "--alone", "--links", str(links))
    report("wolf memory", "bytes per waiting link", aim=AIM_BYTES, **found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--links", type=int, default=200_000, help="links that wait")
    parser.add_argument("--pages", type=int, default=2_000, help="pages of a live hunt")
    parser.add_argument("--live", action="store_true", help="hunt over loopback instead")
    parser.add_argument("--alone", action="store_true", help="memory, in this process")
    given = parser.parse_args()
    if given.alone:
        print(json.dumps(alone(given.links)))
    elif given.live:
        live(given.pages, given.repeats)
    else:
        run(given.repeats, given.links)


if __name__ == "__main__":
    main()
