"""Policies that learn on the way: what updates cost, and what the lazy one loses.

python -m benchmarks.online [--repeats 3] [--harvest]

Replays of a whole web, in turns; `ratio` is against `sarsa:update=async`. With --harvest also the
relevant pages that `lazy` finds against `sync`, over topics × seeds, after a fifth of the web.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.measure import Clock, clocked, compile_web, rates, recording, report
from benchmarks.replay import crawl_all
from wolfspider.crawl import replay
from wolfspider.judges import KeywordJudge
from wolfspider.policies import make
from wolfspider.topics import Topic
from wolfspider.urls import seed_link
from wolfspider.webs.recorded import RecordedWeb

PEER = "sarsa:update=async"
RATES = {PEER: 1_500, "infospiders": 1_500, "word-vector": None}  # pages a second, at least
TIMES = {"sarsa:update=sync": 2.0, "sarsa:update=lazy": 1.2, "sarsa:update=moderated": None}
LEAST = 0.98  # of what sync finds
TOPICS = 6
SEEDS = 5


def run(repeats: int, harvest: bool) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        web = recording(Path(scratch))
        folder = compile_web(web, Path(scratch, "web"))
        pages: dict[str, int] = {}
        clocks: dict[str, list[Clock]] = {spec: [] for spec in [*RATES, *TIMES]}

        def work(spec: str) -> None:
            pages[spec] = crawl_all(folder, spec, web.topic, web.start)

        make(PEER, topic=Topic.of(web.topic))  # the table of word vectors is compiled once
        for _ in range(repeats):
            for spec, seen in clocks.items():
                seen.append(clocked(lambda spec=spec: work(spec)))  # type: ignore[misc]
        speeds = {spec: rates(pages[spec], clocks[spec]) for spec in clocks}
        base = speeds[PEER]["value"]
        for spec, speed in speeds.items():
            report(
                f"online {spec}",
                "pages/s",
                **speed,
                aim=RATES.get(spec),
                times=round(base / speed["value"], 3),
                times_aim=TIMES.get(spec),
                peer=PEER,
                web=web.name,
                pages=pages[spec],
                repeats=repeats,
            )
        if harvest:
            _harvest(folder, web.name, web.start)


def _harvest(folder: Path, name: str, start: str) -> None:
    """Relevant pages that lazy finds against sync."""
    web = RecordedWeb(folder)
    labels = sorted(web.about["labels"])
    chosen = [labels[at] for at in np.linspace(0, len(labels) - 1, TOPICS).round().astype(int)]
    found = {"lazy": 0, "sync": 0}
    for label in chosen:
        topic = Topic.of(label.replace(".", " ").replace("_", " "))
        for update in found:
            for seed in range(SEEDS):
                policy = make(f"sarsa:update={update}", topic=topic, seed=seed)
                visits = replay(
                    web, policy, KeywordJudge(topic), [seed_link(start)], pages=len(web) // 5
                )
                found[update] += sum(visit.verdict.relevant for visit in visits)
    report(
        "harvest of sarsa:update=lazy",
        "of sync's",
        value=round(found["lazy"] / found["sync"], 4),
        aim=LEAST,
        relevant=found,
        topics=chosen,
        seeds=SEEDS,
        web=name,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--harvest", action="store_true")
    given = parser.parse_args()
    run(given.repeats, given.harvest)


if __name__ == "__main__":
    main()
