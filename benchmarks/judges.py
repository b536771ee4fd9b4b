"""How often judges are right that know keywords or a few pages, and microseconds a page.

python -m benchmarks.judges TASKS.toml [TASKS.toml …] [--examples 10] [--draws 3]

Precision and recall of the verdict against the targets of each task, over all pages that the task
shows but those that a judge has learned from; means over tasks and draws. A judge that takes no
page has precision 0.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import mean

import numpy as np

from benchmarks.measure import clocked, report
from wolfspider.judges import ClassifierJudge, KeywordJudge
from wolfspider.lab.ground import draw_examples, target_mask
from wolfspider.lab.parts import mask_of
from wolfspider.lab.tasks import Task, read_tasks
from wolfspider.protocols import Judge
from wolfspider.records import Page, TermIds, Terms
from wolfspider.text import count_terms
from wolfspider.topics import Topic
from wolfspider.vectors import WordVectors
from wolfspider.webs.graph import Mask
from wolfspider.webs.recorded import RecordedWeb

Right = tuple[float, float, float]  # precision, recall, F1

AIM = 50.0  # microseconds
_CALLS = 20_000


def judges(
    task: Task, good: Mapping[str, Terms], bad: Mapping[str, Terms]
) -> Iterator[tuple[str, Judge]]:
    """The keyword judge, and classifiers with more and more counter-examples."""
    yield "keywords", KeywordJudge(Topic.of(" ".join(task.keywords)))
    for count in dict.fromkeys((0, len(good), len(bad))):
        some = dict(islice(bad.items(), count))
        yield f"classifier, {count} counter-examples", ClassifierJudge.learn(good, some)


def right(taken: Mask, targets: Mask) -> Right:
    hits = int((taken & targets).sum())
    both = int(taken.sum() + targets.sum())
    return hits / max(int(taken.sum()), 1), hits / max(int(targets.sum()), 1), 2 * hits / both


def measure(web: RecordedWeb, task: Task, draw: int) -> Iterator[tuple[str, Right]]:
    good, bad = draw_examples(web, task, draw)
    seen = mask_of(web, task.within) if task.within else np.ones(len(web), bool)
    seen[[web.number(url) for url in (*good, *bad)]] = False
    numbers = np.flatnonzero(seen)
    targets = target_mask(web, task)[numbers]
    pages = [web.page(number) for number in numbers.tolist()]
    for name, judge in judges(task, good, bad):
        taken = np.array([judge.judge(page).target for page in pages])
        yield name, right(taken, targets)


def quality(path: Path, examples: int, draws: int) -> None:
    file = read_tasks(path)
    web = RecordedWeb(file.web)
    found: dict[str, list[Right]] = {}
    for task in file.tasks:
        for draw in range(draws):
            for name, each in measure(web, replace(task, examples=examples), draw):
                found.setdefault(name, []).append(each)
    for name, all_of in found.items():
        precision, recall, f1 = (round(mean(column), 3) for column in zip(*all_of, strict=True))
        facts = {"tasks": len(file.tasks), "draws": draws, "examples": examples}
        report(
            f"judge {path.stem}: {name}",
            "F1",
            value=f1,
            precision=precision,
            recall=recall,
            **facts,
        )


def speed(terms: int = 300, known: int = 15_000) -> None:
    """One page of so many terms: half of them known to a classifier that has learned a lot, and one
    whose words all have vectors."""
    random = np.random.default_rng(0)
    ids = np.unique(random.integers(4, 2**32, known, np.uint32))
    judge = ClassifierJudge(ids, random.normal(size=len(ids)).astype(np.float32), 0.0)
    half = random.choice(ids, terms // 2, replace=False)
    new = random.integers(4, 2**32, terms - terms // 2, np.uint32)
    _time("classifier", judge, np.concatenate([half, new]), known=len(ids))
    words = random.choice(WordVectors.open().ids, terms, replace=False)
    _time("keywords", KeywordJudge(Topic.of("solar eclipse")), words, known=len(words))


def _time(name: str, judge: Judge, words: TermIds, known: int) -> None:
    page = Page("http://a.example/", terms=count_terms(words))
    time = clocked(lambda: [judge.judge(page) for _ in range(_CALLS)]).cpu / _CALLS * 1e6
    report(
        f"judge a page: {name}",
        "µs",
        value=round(time, 2),
        terms=len(words),
        known=known,
        aim=AIM,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", type=Path, nargs="*")
    parser.add_argument("--examples", type=int, default=10)
    parser.add_argument("--draws", type=int, default=3)
    given = parser.parse_args()
    speed()
    for path in given.tasks:
        quality(path, given.examples, given.draws)


if __name__ == "__main__":
    main()
