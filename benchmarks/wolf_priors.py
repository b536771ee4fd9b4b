"""What the wolf's clues were worth on some tasks: their mean over tasks, and how firm it is.

python -m benchmarks.wolf_priors tasks.toml … [--web webs/NAME] [--jobs 2]

The wolf hunts on every task, and its examples are fitted by empirical Bayes: each task has weights
of its own, drawn from a normal distribution over tasks, whose mean and variance are fitted, too.
Early examples count more, for that is when a prior matters. Printed beside what `clues.priors` has.

Examples are the links that were followed, so a weight that would send a hunt elsewhere cannot be
seen in them. That is why priors are rounded, and a few set by hand where the fitted one was worse.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np

from wolfspider.clues.evidence import FEATURES
from wolfspider.clues.priors import FIRMNESS, PRIOR
from wolfspider.crawl import replay
from wolfspider.lab.ground import Ground
from wolfspider.lab.tasks import read_tasks
from wolfspider.policies.wolf import Wolf
from wolfspider.records import Floats
from wolfspider.webs.recorded import RecordedWeb

ROUNDS = 25
STEPS = 12
COUNT = 400  # examples that a task counts for at most
FIRMEST = 100.0


def examples(path: Path, web: Path | None, at: int) -> tuple[Floats, Floats]:
    """The rows by which a hunt chose, and what came of them."""
    file = read_tasks(path, web)
    ground = Ground.lay(RecordedWeb(file.web), replace(file.tasks[at], judge="targets"))
    wolf = Wolf(topic=ground.topic())
    for _ in replay(ground.view, wolf, ground.judge(), ground.seeds(), pages=ground.budget):
        pass
    return wolf.examples.both()


def fitted(rows: Floats, labels: Floats, mean: Floats, firm: Floats) -> tuple[Floats, Floats]:
    """The weights of one task, and their variances."""
    weigh = 1 / np.sqrt(np.arange(1, len(labels) + 1))
    weigh *= min(len(labels), COUNT) / weigh.sum()
    weights = mean.copy()
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-np.clip(rows @ weights, -15, 15)))
        gradient = rows.T @ (weigh * (p - labels)) + firm * (weights - mean)
        curvature = (rows * (weigh * p * (1 - p))[:, None]).T @ rows + np.diag(firm)
        step = np.linalg.solve(curvature, gradient)
        weights = weights - step * min(1.0, 2 / max(float(np.abs(step).max()), 1e-9))
    return weights, np.diag(np.linalg.inv(curvature))


def run(paths: list[Path], web: Path | None, jobs: int) -> None:
    tasks = [(path, at) for path in paths for at in range(len(read_tasks(path, web).tasks))]
    with ProcessPoolExecutor(jobs) as pool:
        hunts = list(pool.map(examples, *zip(*((p, web, at) for p, at in tasks), strict=True)))
    hunts = [(rows, labels) for rows, labels in hunts if labels.any()]
    mean, firm = np.zeros(len(FEATURES)), np.ones(len(FEATURES))
    for _ in range(ROUNDS):
        each = [fitted(rows, labels, mean, firm) for rows, labels in hunts]
        weights, variances = (np.array(column) for column in zip(*each, strict=True))
        mean = weights.mean(axis=0)
        spread = ((weights - mean) ** 2 + variances).mean(axis=0)
        firm = np.clip(1 / np.maximum(spread, 1e-6), 0.1, FIRMEST)
    print(f"{'':16}{'fitted':>8}{'firm':>8}{'prior':>8}{'firm':>8}   {len(hunts)} tasks")
    for at, name in enumerate(FEATURES):
        held = f"{PRIOR[at]:8.2f}{FIRMNESS[at]:8.1f}"
        print(f"{name:16}{mean[at]:8.2f}{firm[at]:8.1f}{held}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="+", type=Path)
    parser.add_argument("--web", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    run(asked.tasks, asked.web, asked.jobs)
