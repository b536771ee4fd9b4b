"""Replay of a recorded web with its judge: pages a second on one core, and how soon it opens.

python -m benchmarks.replay [--repeats 5]

The policies take turns, so that a noisy minute is noisy for all of them.
"""

from __future__ import annotations

import argparse
import tempfile
from functools import lru_cache
from pathlib import Path
from statistics import median

from benchmarks.measure import (
    Clock,
    clocked,
    compile_web,
    model_for,
    rates,
    recording,
    report,
)
from wolfspider.crawl import replay
from wolfspider.judges import KeywordJudge
from wolfspider.policies import make
from wolfspider.topics import Topic
from wolfspider.training.model import Model
from wolfspider.urls import seed_link
from wolfspider.webs.recorded import RecordedWeb

AIMS = {
    "breadth-first": 10_000,
    "best-first": 5_000,
    "best-first:on=link": 5_000,
    "shark-search": 2_000,
    "rl-immediate": 1_500,
    "rl-future": 1_500,
    "word-vector": None,  # no aim of its own
    "sarsa": 1_250,  # lazy: 1.2 times what scoring new links only takes, see online.py
    "infospiders": 1_500,
    "arachnid": None,
    "pagerank": None,  # ranks the whole graph again and again; no aim
}
AIM_OPEN = 0.5  # seconds


def crawl_all(folder: Path, spec: str, words: str, start: str) -> int:
    """Follow every link that can be reached; how many pages that were."""
    topic = Topic.of(words)
    policy = make(spec, topic=topic, model=trained(folder, spec))
    visits = replay(RecordedWeb(folder), policy, KeywordJudge(topic), [seed_link(start)])
    return sum(1 for _ in visits)


@lru_cache
def trained(folder: Path, spec: str) -> Model | None:
    """What a policy that is trained learns of the first label."""
    web = RecordedWeb(folder)
    return model_for(spec, web, next(iter(web.about["labels"])))


def run(repeats: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        web = recording(Path(scratch))
        folder = compile_web(web, Path(scratch, "web"))
        opened = [clocked(lambda: RecordedWeb(folder)).wall for _ in range(repeats)]
        report("open", "s", value=round(median(opened), 5), aim=AIM_OPEN, web=web.name)
        pages: dict[str, int] = {}
        clocks: dict[str, list[Clock]] = {spec: [] for spec in AIMS}

        def work(spec: str) -> None:
            pages[spec] = crawl_all(folder, spec, web.topic, web.start)

        for spec in AIMS:
            trained(folder, spec)  # not part of a replay
        for _ in range(repeats):
            for spec, seen in clocks.items():
                seen.append(clocked(lambda spec=spec: work(spec)))  # type: ignore[misc]
    base = rates(pages["breadth-first"], clocks["breadth-first"])["value"]
    for spec, aim in AIMS.items():
        speed = rates(pages[spec], clocks[spec])
        report(
            f"replay {spec}",
            "pages/s",
            **speed,
            aim=aim,
            ratio=round(speed["value"] / base, 3),
            peer="breadth-first",
            web=web.name,
            pages=pages[spec],
            repeats=repeats,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--repeats", type=int, default=5)
    run(parser.parse_args().repeats)


if __name__ == "__main__":
    main()
