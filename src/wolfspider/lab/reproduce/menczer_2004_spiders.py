"""Menczer, Pant & Srinivasan 2004 on InfoSpiders: sections 3.2, 5 and 6, with long crawls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.lab.experiment import Experiment
from wolfspider.lab.reproduce.findings import (
    Figure,
    Finding,
    better,
    mean,
    verdict,
    versus,
    worse,
    written,
)
from wolfspider.lab.summary import Summary, band
from wolfspider.lab.tasks import Task, TaskFile
from wolfspider.policies import Spec

PAGES = 1000
BUFFERS = (256, 512, 1024, 2048)
SPIDERS = (
    "infospiders",
    "infospiders:learning=off",
    "infospiders:evolution=off",
    "infospiders:learning=off:evolution=off",
)
LONG = ("breadth-first", "best-n-first:n=256", "infospiders")
_LONG_TOPICS = 10


def with_buffer(name: str, size: int) -> str:
    return f"{name}:buffer={size}"


def long_crawls(experiment: Experiment) -> Experiment:
    """Section 6: some of the topics, crawled until nothing is left."""
    longer = Experiment(experiment.folder / "long")
    if not longer.about["tasks"]:
        entries = experiment.about["tasks"][:_LONG_TOPICS]
        tasks = tuple(replace(Task.of_json(entry["task"]), budget=None) for entry in entries)
        web = Path(entries[0]["web"])
        specs = [Spec.parse(with_buffer(name, BUFFERS[-1])) for name in LONG]
        longer.ask([TaskFile(web, tasks)], specs, 1, experiment.about["commands"][-1])
    return longer


def run_long(experiment: Experiment) -> Iterator[tuple[int, int]]:
    """Do them; gives how many are done, and how many there are."""
    longer = long_crawls(experiment)
    total = len(longer.missing())
    for done, _ in enumerate(longer.run(), 1):
        yield done, total


def findings(summary: Summary, experiment: Experiment) -> list[Finding]:
    """What the paper says of InfoSpiders, one by one."""
    longer = Summary.of(long_crawls(experiment))
    if longer.failed:
        raise BadInput(f"{len(longer.failed)} runs failed: {longer.failed[0].error[-200:]}")
    return [
        _beats_breadth(summary),
        _behind_then_level(summary),
        _adaptation_hinders(summary),
        _large_frontiers(summary),
        _efficient(summary),
        *([_overtakes(longer)] if longer.traces else []),
    ]


def figures() -> list[Figure]:
    return [
        Figure(
            f"Fig. 20: recall, InfoSpiders, buffer {size}",
            "recall",
            tuple(with_buffer(name, size) for name in (*SPIDERS, "best-first")),
        )
        for size in (BUFFERS[0], BUFFERS[-1])
    ]


def _beats_breadth(summary: Summary) -> Finding:
    rows: list[tuple[str, ...]] = [("buffer", "difference in recall", "difference in similarity")]
    hits = lost = 0
    for size in BUFFERS:
        pair = with_buffer("infospiders", size), with_buffer("breadth-first", size)
        found = [versus(summary, *pair, f"{m}@{PAGES}") for m in ("recall", "similarity")]
        hits += sum(map(better, found))
        lost += sum(map(worse, found))
        rows.append((str(size), *map(written, found)))
    total = 2 * len(BUFFERS)
    return Finding(
        "InfoSpiders significantly outperforms Breadth-First by the end of the crawl.",
        "section 3.2.1, figure 12",
        f"significantly better in {hits} of {total} settings, worse in {lost}",
        hits > total / 2,
        "" if hits > total / 2 else "the words near a link say little about the page behind it",
        tuple(rows),
    )


def _behind_then_level(summary: Summary) -> Finding:
    rows = [("buffer", "after 200 pages", f"after {PAGES:,} pages")]
    early, late = [], []
    for size in BUFFERS:
        pair = with_buffer("infospiders", size), with_buffer("best-first", size)
        early.append(versus(summary, *pair, "recall@200"))
        late.append(versus(summary, *pair, f"recall@{PAGES}"))
        rows.append((str(size), written(early[-1]), written(late[-1])))
    behind, still = sum(map(worse, early)), sum(map(worse, late))
    agrees = behind > 0 and still <= len(BUFFERS) / 2
    return Finding(
        "Best-First is ahead of InfoSpiders early in the crawl; after 1,000 pages the difference "
        "is no longer significant in most cases.",
        "section 3.2.1, figure 12",
        f"InfoSpiders less Best-First in recall: significantly behind with {behind} of "
        f"{len(BUFFERS)} buffers after 200 pages, with {still} after {PAGES:,}",
        agrees,
        ""
        if agrees
        else f"at β = 5 a link of score 0.4 is only {np.exp(2):.1f} times as likely as one of "
        "score 0: of the thousands of links that wait here, good ones are a small part of the "
        "chances, however well they are told apart",
        tuple(rows),
    )


def _adaptation_hinders(summary: Summary) -> Finding:
    size = BUFFERS[0]
    base = with_buffer(SPIDERS[-1], size)
    rows = [("variant", "recall less that without learning and evolution")]
    found = []
    for name in SPIDERS[:3]:
        found.append(versus(summary, with_buffer(name, size), base, f"recall@{PAGES}"))
        rows.append((name, written(found[-1])))
    agrees = verdict(found[0], low_is_good=True)
    return Finding(
        "With a small frontier (256) both learning and evolution hinder target recall.",
        "section 5.2.1, figure 20",
        f"with both, against neither: {written(found[0])}",
        agrees,
        "" if agrees else "the variants differ less here than topics do",
        tuple(rows),
    )


def _large_frontiers(summary: Summary) -> Finding:
    large, small = BUFFERS[-1], BUFFERS[0]
    rows = [("variant", f"recall with {large} less that with {small}")]
    found = []
    for name in SPIDERS:
        pair = with_buffer(name, large), with_buffer(name, small)
        found.append(versus(summary, *pair, f"recall@{PAGES}"))
        rows.append((name, written(found[-1])))
    down = sum(map(worse, found))
    agrees = True if down > len(found) / 2 else False if any(map(better, found)) else None
    return Finding(
        "InfoSpiders find less with a larger frontier.",
        "section 5.2.2, figure 22",
        f"significantly less in {down} of {len(found)} variants",
        agrees,
        "" if agrees else "what a small frontier drops here are the worst links",
        tuple(rows),
    )


def _efficient(summary: Summary) -> Finding:
    names = ("breadth-first", "best-first", "infospiders", "infospiders:learning=off")
    cost = {
        name: float(
            np.mean([mean(summary, with_buffer(name, s), "cpu_ms_per_page") for s in BUFFERS])
        )
        for name in names
    }
    agrees = cost["infospiders"] < cost["best-first"]
    return Finding(
        "InfoSpiders is almost as efficient as Breadth-First, and cheaper than Best-First.",
        "section 3.2.3, figure 15",
        "CPU milliseconds a page: " + ", ".join(f"{n} {c:.3f}" for n, c in cost.items()),
        agrees,
        ""
        if agrees
        else "theirs sorted the frontier for each page, which small frontiers make cheap; here "
        "no crawler sorts it, and a net has to look at every link",
    )


def _overtakes(summary: Summary) -> Finding:
    greedy, spiders, blind = (
        with_buffer(name, BUFFERS[-1]) for name in ("best-n-first:n=256", "infospiders", LONG[0])
    )
    curves = {}
    for policy in (greedy, spiders, blind):
        units = [unit for unit in summary.units if (policy, unit) in summary.by_unit]
        curves[policy], _ = band([summary.curve(policy, unit, "recall") for unit in units])
    ahead = curves[spiders] > curves[greedy]
    last = len(ahead) - 1
    behind = np.flatnonzero(~ahead)
    overtakes = int(behind[-1]) + 2 if len(behind) and behind[-1] < last else None
    rows: list[tuple[str, ...]] = [("pages", "breadth-first", "best-n-first:n=256", "infospiders")]
    three = [curves[policy] for policy in (blind, greedy, spiders)]
    for page in np.unique(np.geomspace(50, last + 1, 8).astype(int)).tolist():
        rows += [(f"{page:,}", *(f"{curve[page - 1]:.3f}" for curve in three))]
    final = versus(summary, spiders, greedy, f"recall@{last + 1}")
    agrees = verdict(final)
    return Finding(
        "In long crawls InfoSpiders overtakes Best-First with N = 256 (after 7,500 pages).",
        "section 6.2, figure 24",
        f"crawls of the whole web, {last + 1:,} pages: InfoSpiders less Best-First at the end "
        f"{written(final)}; ahead for good from page {overtakes or '–'} on",
        agrees,
        ""
        if agrees
        else "the web is small: it ends before agents have had 7,500 pages to learn from",
        tuple(rows),
    )
