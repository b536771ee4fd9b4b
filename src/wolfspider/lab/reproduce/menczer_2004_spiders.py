"""Menczer, Pant & Srinivasan 2004 on InfoSpiders: sections 3.2, 5 and 6, with long crawls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

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
from wolfspider.records import Floats

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


def run_long(experiment: Experiment) -> Iterator[tuple[int, int]]:
    """Section 6: some of the topics, crawled until nothing is left.

    Does what is missing of it; gives how many of these runs are done, and how many there are.
    """
    entries = experiment.about["tasks"][:_LONG_TOPICS]
    tasks = tuple(replace(Task.of_json(entry["task"]), budget=None) for entry in entries)
    specs = [Spec.parse(with_buffer(name, BUFFERS[-1])) for name in LONG]
    longer = long_crawls(experiment)
    file = TaskFile(experiment.place(entries[0]["web"]), tasks)
    longer.ask([file], specs, 1, experiment.about["commands"][-1])
    total = len(longer.missing())
    for done, _ in enumerate(longer.run(), 1):
        yield done, total


def long_crawls(experiment: Experiment) -> Experiment:
    """The folder of the long crawls; empty as long as none was asked for."""
    return Experiment(experiment.folder / "long")


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
    agrees: bool | None = behind > 0 and still <= len(BUFFERS) / 2
    reason = (
        f"at β = 5 a link of score 0.4 is only {np.exp(2):.1f} times as likely as one of score 0: "
        "where few of the links that wait are good, they are a small part of the chances"
    )
    if not behind:
        agrees = False if any(map(better, early)) else None
        reason = "Best-First is not ahead after 200 pages: there is nothing to make up for"
    return Finding(
        "Best-First is ahead of InfoSpiders early in the crawl; after 1,000 pages the difference "
        "is no longer significant in most cases.",
        "section 3.2.1, figure 12",
        f"InfoSpiders less Best-First in recall: significantly behind with {behind} of "
        f"{len(BUFFERS)} buffers after 200 pages, with {still} after {PAGES:,}",
        agrees,
        "" if agrees else reason,
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
        ""
        if agrees
        else f"taken alone, evolution makes {found[1].difference:+.3f} (p = {found[1].p:.2g}) and "
        f"learning {found[2].difference:+.3f} (p = {found[2].p:.2g})",
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
        ""
        if agrees
        else "what a small frontier drops are links that it values least, and those are seldom "
        "chosen in a large one, too"
        if agrees is None
        else "a small frontier drops links here that would have paid",
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
        else "theirs has more links to compare the larger the frontier is; here the frontier is "
        "merged from sorted runs, and what costs is to look at every link of a page with a net",
    )


def overtaking(curve: Floats, other: Floats) -> int | None:
    """The page from which on a curve is ahead, and not behind again; None if there is none."""
    behind = np.flatnonzero(curve < other)
    begin = int(behind[-1]) + 1 if len(behind) else 0
    ahead = np.flatnonzero(curve[begin:] > other[begin:])
    return begin + int(ahead[0]) + 1 if len(ahead) else None


def _overtakes(summary: Summary) -> Finding:
    greedy, spiders, blind = (
        with_buffer(name, BUFFERS[-1]) for name in ("best-n-first:n=256", "infospiders", LONG[0])
    )
    curves = {}
    for policy in (greedy, spiders, blind):
        units = [unit for unit in summary.units if (policy, unit) in summary.by_unit]
        curves[policy], _ = band([summary.curve(policy, unit, "recall") for unit in units])
    last = len(curves[greedy]) - 1
    overtakes = overtaking(curves[spiders], curves[greedy])
    ahead = f"ahead from page {overtakes:,} on" if overtakes else "never ahead to stay"
    rows: list[tuple[str, ...]] = [("pages", "breadth-first", "best-n-first:n=256", "infospiders")]
    three = [curves[policy] for policy in (blind, greedy, spiders)]
    for page in np.unique(np.geomspace(min(50, last + 1), last + 1, 8).astype(int)).tolist():
        rows += [(f"{page:,}", *(f"{curve[page - 1]:.3f}" for curve in three))]
    half, final = (
        versus(summary, spiders, greedy, f"recall@{pages}") for pages in (last // 2 + 1, last + 1)
    )
    agrees = verdict(final)
    return Finding(
        "In long crawls InfoSpiders overtakes Best-First with N = 256 (after 7,500 pages).",
        "section 6.2, figure 24",
        f"crawls of the whole web, {last + 1:,} pages: InfoSpiders less Best-First halfway "
        f"{written(half)}, at the end {written(final)}; {ahead}",
        agrees,
        ""
        if agrees
        else "the web is small: it ends before agents have had 7,500 pages to learn from",
        tuple(rows),
    )
