"""What each part of the wolf buys: hunts without it, against whole ones.

python -m benchmarks.ablation tasks.toml … [--web webs/NAME] [--part 0.2] [--judge keywords]
                              [--chances 4] [--whole] [--without PART]

For every task the area under the recall curve over the first part of the web; printed are `gap`
(0 breadth-first, 1 optimal, pooled over the tasks) and what is lost without each part, with a
95 % bootstrap interval over tasks.

One step that is different may change all the rest of a hunt. With --chances each wolf hunts so many
times, first as it is and then with 12 % of chance in every weight that it begins with; what is
printed are means, and `error` their standard error. --whole hunts with the whole wolf alone,
--without with it and without one part, or several.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import report
from wolfspider.clues import evidence as seen
from wolfspider.clues.book import Numbers
from wolfspider.clues.evidence import FEATURES
from wolfspider.clues.priors import FIRMNESS, PRIOR
from wolfspider.clues.rates import Singles
from wolfspider.crawl import replay
from wolfspider.lab.ground import Ground
from wolfspider.lab.oracles import make_oracle
from wolfspider.lab.tasks import read_tasks
from wolfspider.learners.prior_logistic import PriorLogistic
from wolfspider.policies import Spec, looking_around, make
from wolfspider.policies.wolf import Wolf
from wolfspider.protocols import Policy
from wolfspider.records import Floats, Verdict, Visit
from wolfspider.topics import Topic
from wolfspider.webs.recorded import RecordedWeb

DRAWS = 10_000
CHANCE = 0.12  # standard deviation of weights to begin with, as a share of them
SEED = 1000
LIKE = ("anchor", "context", "heading", "url", "page", "led_by", "source_url", "title")


def blind(wolf: Wolf, *names: str) -> Wolf:
    """One that does not see these features; `means_*` are all that begin so."""
    hidden = [
        at
        for at, feature in enumerate(FEATURES)
        if any(feature == n or (n[-1] == "*" and feature.startswith(n[:-1])) for n in names)
    ]
    rows = wolf.evidence.rows

    def masked(numbers: Numbers) -> Singles:
        found = rows(numbers)
        found[:, hidden] = 0
        return found

    wolf.evidence.rows = masked  # type: ignore[method-assign]
    return wolf


def without_trips(wolf: Wolf) -> Wolf:
    """One that values a page by itself, and not by where it leads."""
    wolf.evidence.book._tell_the_way = lambda number, paid: []  # type: ignore[method-assign]
    return wolf


def without_prior(wolf: Wolf) -> Wolf:
    """One that begins with no opinion, but that links seldom pay."""
    wolf.opinion.learner = PriorLogistic(np.where(np.arange(len(PRIOR)) == 0, PRIOR, 0.0), FIRMNESS)
    return wolf


def without_learning(wolf: Wolf) -> Wolf:
    """One that keeps its first opinion of what clues are worth; it still counts what paid."""

    def scored_anew() -> bool:
        wolf._look_again(None)
        return True

    wolf._fit = scored_anew  # type: ignore[method-assign]
    return wolf


def without_patience(wolf: Wolf) -> Wolf:
    """One for which a few trials of a token say something, also where nothing has paid yet."""
    wolf.evidence.rates._pay = wolf.evidence.speech._pay = 0.0
    return wolf


def without_shades(wolf: Wolf) -> Wolf:
    """One that is paid for relevant pages alone, however relevant they and others are."""
    learn = wolf.learn

    def plain(visit: Visit) -> None:
        verdict = Verdict(float(visit.verdict.relevant), visit.verdict.target)
        learn(replace(visit, verdict=verdict))

    wolf.learn = plain  # type: ignore[method-assign]
    return wolf


WHOLE = "the whole wolf"
AGAIN = "labels after the fact"  # a constant of clues.evidence
GUIDES = "guides of who is lost"  # and one of looking_around
PARTS: dict[str, Callable[[Topic], Wolf]] = {
    WHOLE: lambda topic: Wolf(topic=topic),
    "keywords in words": lambda topic: blind(Wolf(topic=topic), *LIKE),
    "keywords in meaning": lambda topic: blind(Wolf(topic=topic), "means_*"),
    "keywords in both": lambda topic: blind(Wolf(topic=topic), *LIKE, "means_*"),
    "rates of tokens": lambda topic: blind(Wolf(topic=topic), "rate_*"),
    "how relevant pages talk": lambda topic: blind(Wolf(topic=topic), "talk*"),
    "relevance of source pages": lambda topic: blind(
        Wolf(topic=topic), "sources_paid", "some_paid"
    ),
    "links beside and alike": lambda topic: blind(Wolf(topic=topic), "alike_worth", "beside_paid"),
    "patience where pay is rare": lambda topic: without_patience(Wolf(topic=topic)),
    "shades of relevance": lambda topic: without_shades(Wolf(topic=topic)),
    "trips": lambda topic: without_trips(Wolf(topic=topic)),
    "the prior": lambda topic: without_prior(Wolf(topic=topic)),
    "fitting weights": lambda topic: without_learning(Wolf(topic=topic)),
    "curiosity": lambda topic: Wolf(topic=topic, curiosity=0.0),
    "breadth while lost": lambda topic: Wolf(topic=topic, breadth=0.0),
    AGAIN: lambda topic: Wolf(topic=topic),
    GUIDES: lambda topic: Wolf(topic=topic),
}


def area(ground: Ground, policy: Policy, fetches: int) -> float:
    """Under the recall curve over so many fetches."""
    found: set[int] = set()
    total = 0
    done = 0
    for visit in replay(ground.view, policy, ground.judge(), ground.seeds(), pages=fetches):
        page = -1 if visit.failed else ground.web.number(visit.page.url)
        if page >= 0 and ground.wanted[page]:
            found.add(page)
        total += len(found)
        done += 1
    total += len(found) * (fetches - done)
    return total / fetches / float(ground.wanted.sum())


def factors(chance: int) -> Floats:
    """What the weights to begin with are multiplied by; 0: they stay as they are."""
    if not chance:
        return np.ones(len(FEATURES))
    drawn = np.random.default_rng(SEED + chance).standard_normal(len(FEATURES))
    return 1 + CHANCE * drawn


def chancy(wolf: Wolf, chance: int) -> Wolf:
    """One that begins with other weights by chance, the same for all tasks."""
    wolf.opinion.learner = PriorLogistic(wolf.opinion.learner.prior * factors(chance), FIRMNESS)
    return wolf


@contextmanager
def instead(owner: object, **values: Any) -> Iterator[None]:
    """Other values of some names of a module or class, for a while."""
    kept = {name: getattr(owner, name) for name in values}
    for name, value in values.items():
        setattr(owner, name, value)
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(owner, name, value)


def hunted(ground: Ground, name: str, chances: int, fetches: int) -> list[float]:
    """Areas of a wolf without a part, as often as it hunts."""
    topic = ground.topic()
    again = {"_AGAIN": 0} if name == AGAIN else {}
    mute = {"_GUIDES": (slice(0),)} if name == GUIDES else {}
    with instead(seen, **again), instead(looking_around, **mute):
        return [
            area(ground, chancy(PARTS[name](topic), chance), fetches) for chance in range(chances)
        ]


Hunted = Callable[[Ground, str, int, int], list[float]]


def areas(
    asked: argparse.Namespace, hunt: Hunted, names: Sequence[str], path: Path, at: int
) -> dict[str, list[float]]:
    """Of one task: breadth-first, optimal, and every wolf, as often as it hunts."""
    file = read_tasks(path, asked.web)
    task = file.tasks[at]
    task = replace(task, judge=asked.judge, description=task.description or " ".join(task.keywords))
    ground = Ground.lay(RecordedWeb(file.web), task)
    fetches = max(1, int(asked.part * ground.budget))
    found = {
        "breadth-first": [area(ground, make("breadth-first", topic=ground.topic()), fetches)],
        "optimal": [area(ground, make_oracle(Spec.parse("optimal"), ground), fetches)],
    }
    return found | {name: hunt(ground, name, asked.chances, fetches) for name in names}


def run(asked: argparse.Namespace, hunt: Hunted, parts: Sequence[str]) -> None:
    """Report what the wolf loses without each part; the first of them is the whole wolf."""
    tasks = [
        (path, at) for path in asked.tasks for at in range(len(read_tasks(path, asked.web).tasks))
    ]
    if unknown := set(asked.without) - set(parts):
        raise SystemExit(f"no part is called {', '.join(unknown)}; known: {', '.join(parts[1:])}")
    few = asked.whole or asked.without
    work = partial(areas, asked, hunt, [*parts[:1], *asked.without] if few else parts)
    with ProcessPoolExecutor(asked.jobs) as pool:
        each = list(pool.map(work, *zip(*tasks, strict=True)))
    chances = {name: np.array([found[name] for found in each]) for name in each[0]}
    columns = {name: values.mean(axis=1) for name, values in chances.items()}
    low, high = columns.pop("breadth-first"), columns.pop("optimal")
    whole = columns[parts[0]]
    draws = np.random.default_rng(0).integers(len(tasks), size=(DRAWS, len(tasks)))
    room = (high - low)[draws].mean(axis=1)
    for name, column in columns.items():
        gaps = (chances[name] - low[:, None]).mean(axis=0) / (high - low).mean()
        lost = (whole - column)[draws].mean(axis=1) / room
        interval = [round(float(each), 3) for each in np.quantile(lost, [0.025, 0.975])]
        worst = float(((column - low) / np.maximum(high - low, 1e-9)).min())
        report(
            f"ablation {name}",
            "gap",
            value=round(float(gaps.mean()), 3),
            error=round(float(gaps.std(ddof=1)) / math.sqrt(len(gaps)), 4)
            if len(gaps) > 1
            else None,
            lost=round(float((whole - column).mean() / (high - low).mean()), 3),
            interval=interval,
            worst=round(worst, 3),
            tasks=len(tasks),
            part=asked.part,
            judge=asked.judge,
            chances=asked.chances,
        )


def read_asked(about: str | None, part: float = 0.2) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("tasks", nargs="+", type=Path)
    parser.add_argument("--web", type=Path)
    parser.add_argument("--part", type=float, default=part)
    parser.add_argument("--judge", default="targets")
    parser.add_argument("--chances", type=int, default=1)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--without", action="append", default=[], metavar="PART")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    run(read_asked(__doc__), hunted, list(PARTS))
