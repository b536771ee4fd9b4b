"""Menczer, Pant & Srinivasan 2004: Topical Web Crawlers: Evaluating Adaptive Algorithms.

Their task: seeds D = 3 links before the targets, 1,000 pages, buffers of 256 … 2,048 links.
Their web was the live one of 2002 and their topics leaves of the Open Directory; ours is a
recorded web with labels. What they say of InfoSpiders is in `menczer_2004_spiders`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.lab.experiment import Experiment
from wolfspider.lab.reproduce import menczer_2004_spiders as spiders
from wolfspider.lab.reproduce.findings import (
    Figure,
    Finding,
    Reproduction,
    better,
    mean,
    verdict,
    versus,
    worse,
    written,
)
from wolfspider.lab.reproduce.menczer_2004_spiders import BUFFERS, PAGES, with_buffer
from wolfspider.lab.summary import Summary, band
from wolfspider.lab.tasks import Away, TaskFile
from wolfspider.lab.writing import tasks_for_labels
from wolfspider.policies import Spec
from wolfspider.webs.recorded import RecordedWeb

AWAY = 3
_LEAST = 10  # pages of a label that makes a topic
_CRAWLERS = (
    "breadth-first",
    "best-first",
    "best-n-first:n=256",
    "shark-search",
    "shark-search:n=256",
    "pagerank",
)


def prepare(web: Path, folder: Path, *, topics: int = 25) -> Experiment:
    """The runs of the paper: topics × crawlers × buffers."""
    recorded = RecordedWeb(web)
    seeds = Away(AWAY, count=10, nearest=False)  # as they followed backlinks from the targets
    tasks, left_out = tasks_for_labels(
        recorded, None, least=_LEAST, most=topics, seeds=seeds, budget=PAGES
    )
    if not tasks:
        raise BadInput(f"no label of {web} makes a topic: {'; '.join(left_out[:3])}")
    crawlers = (*_CRAWLERS, *spiders.SPIDERS)
    specs = [Spec.parse(with_buffer(name, size)) for size in BUFFERS for name in crawlers]
    experiment = Experiment(folder)
    command = f"wolfspider lab reproduce menczer-2004 --web {web} --topics {topics} -o {folder}"
    experiment.ask([TaskFile(web, tuple(tasks))], specs, 1, command)
    return experiment


def conclude(experiment: Experiment) -> Reproduction:
    """Their findings, one by one."""
    summary = Summary.of(experiment)
    if summary.failed:
        raise BadInput(f"{len(summary.failed)} runs failed: {summary.failed[0].error[-200:]}")
    judges = (_best_beats_breadth, _shark_like_breadth, _best_beats_shark, _pagerank_worst)
    more = (_exploration_pays_later, _shark_explores, _buffer_matters_little, _cost, _performance)
    webs = ", ".join(f"{name} ({digest})" for name, digest in experiment.about["webs"].items())
    return Reproduction(
        "Menczer, Pant & Srinivasan 2004: topical crawlers",
        f"{len(summary.units)} topics on {webs}; 10 seeds, each {AWAY} links before a target; "
        f"{PAGES:,} pages; buffers {', '.join(map(str, BUFFERS))}; keywords from the label, "
        "description from the titles of the targets",
        [*(judge(summary) for judge in (*judges, *more)), *spiders.findings(summary, experiment)],
        [*_figures(), *spiders.figures()],
    )


def _figures() -> list[Figure]:
    figures = []
    for size in BUFFERS:
        crawlers = tuple(with_buffer(name, size) for name in _CRAWLERS if "n=256" not in name)
        figures += [
            Figure(f"Fig. 12: {metric}, buffer {size}", metric, crawlers)
            for metric in ("recall", "similarity")
        ]
    for name in ("best-first", "shark-search"):
        batched = "best-n-first:n=256" if name == "best-first" else "shark-search:n=256"
        pair = (with_buffer(name, 256), with_buffer(batched, 256))
        figures += [
            Figure(f"Fig. 18: {metric}, {name}, N = 1 and 256", metric, pair)
            for metric in ("recall", "similarity")
        ]
    return figures


def _count(summary: Summary, policy: str, other: str, sign: int) -> tuple[int, int]:
    """In how many settings (buffer × measure) the policy is significantly better or worse."""
    hits = total = 0
    for size in BUFFERS:
        for metric in (f"recall@{PAGES}", f"similarity@{PAGES}"):
            found = versus(summary, with_buffer(policy, size), with_buffer(other, size), metric)
            hits += better(found) if sign > 0 else worse(found)
            total += 1
    return hits, total


def _pairwise(summary: Summary, policy: str, other: str) -> tuple[tuple[str, ...], ...]:
    """Differences between two crawlers at every buffer, as a table."""
    rows = [("buffer", "difference in recall", "difference in similarity")]
    for size in BUFFERS:
        pair = with_buffer(policy, size), with_buffer(other, size)
        recall = written(versus(summary, *pair, f"recall@{PAGES}"))
        similar = written(versus(summary, *pair, f"similarity@{PAGES}"))
        rows.append((str(size), recall, similar))
    return tuple(rows)


def _depth(summary: Summary, policy: str) -> float:
    """Mean distance from the seeds of the pages visited."""
    means = []
    for unit in summary.units:
        for trace in summary.by_unit.get((policy, unit), []):
            ground = summary.grounds[unit]
            distances = ground.graph.distances_from(np.array(ground.starts))
            means.append(float(distances[trace.pages[trace.pages >= 0]].mean()))
    return float(np.mean(means))


def _shallow(summary: Summary, name: str = "breadth-first", size: int = BUFFERS[-1]) -> str:
    policy = with_buffer(name, size)
    return (
        f"pages have many links here: {name} with a buffer of {size} spends its {PAGES:,} pages "
        f"{_depth(summary, policy):.1f} links from the seeds on average"
    )


def _best_beats_breadth(summary: Summary) -> Finding:
    hits, total = _count(summary, "best-first", "breadth-first", +1)
    return Finding(
        "Best-First finds more targets and more similar pages than Breadth-First.",
        "section 3.2.1, figure 12",
        f"significantly better in {hits} of {total} settings",
        hits > total / 2,
        "" if hits > total / 2 else "links of similar pages are not better links on this web",
        _pairwise(summary, "best-first", "breadth-first"),
    )


def _shark_like_breadth(summary: Summary) -> Finding:
    hits, total = _count(summary, "shark-search", "breadth-first", +1)
    agrees = hits <= 1
    return Finding(
        "Shark-Search is not significantly better than Breadth-First, but for one case.",
        "section 3.2.1, figure 12",
        f"significantly better in {hits} of {total} settings",
        agrees,
        ""
        if agrees
        else f"{_shallow(summary)}, so that anything with an eye for the topic beats it",
        _pairwise(summary, "shark-search", "breadth-first"),
    )


def _best_beats_shark(summary: Summary) -> Finding:
    hits, total = _count(summary, "best-first", "shark-search", +1)
    lost, _ = _count(summary, "best-first", "shark-search", -1)
    agrees = hits > total / 2
    return Finding(
        "Best-First significantly outperforms Shark-Search by the end of the crawl.",
        "section 3.2.1, figure 12",
        f"significantly better in {hits} of {total} settings, worse in {lost}",
        agrees,
        "" if agrees else "the words of a link say as much here as the page it stands on",
        _pairwise(summary, "best-first", "shark-search"),
    )


def _pagerank_worst(summary: Summary) -> Finding:
    hits, total = _count(summary, "pagerank", "breadth-first", -1)
    agrees = hits > total / 2
    return Finding(
        "PageRank is worse than Breadth-First.",
        "section 3.2.1, figure 11",
        f"significantly worse in {hits} of {total} settings",
        agrees,
        ""
        if agrees
        else f"{_shallow(summary)}; PageRank is as blind to the topic, but prefers pages that many "
        "link to, and those are near to everything",
        _pairwise(summary, "pagerank", "breadth-first"),
    )


def _exploration_pays_later(summary: Summary) -> Finding:
    greedy, wide = with_buffer("best-first", 256), with_buffer("best-n-first:n=256", 256)
    early = versus(summary, wide, greedy, "recall@200")
    late = versus(summary, wide, greedy, f"recall@{PAGES}")
    curves = {}
    for policy in (greedy, wide):
        units = [unit for unit in summary.units if (policy, unit) in summary.by_unit]
        curves[policy], _ = band([summary.curve(policy, unit, "recall") for unit in units])
    ahead = np.flatnonzero(curves[wide] >= curves[greedy])
    overtakes = next((int(n) + 1 for n in ahead if n > 250), None)
    agrees: bool | None = None
    if early.difference >= 0 or worse(late):
        agrees = False
    elif better(late):
        agrees = True
    return Finding(
        "With N = 256 Best-First pays at first, catches up after about 500 pages and ends ahead.",
        "section 4.2.1, figure 18",
        f"difference to N = 1 in recall after 200 pages {written(early)}, after {PAGES:,} "
        f"{written(late)}; the mean curve is level or ahead from page {overtakes or '–'} on",
        agrees,
        ""
        if agrees
        else "a batch of 256 is a quarter of the crawl, and about as many links as the seeds have "
        "here: the first batch is breadth-first, whatever the links are worth"
        if agrees is False
        else "the difference at the end could be chance",
    )


def _shark_explores(summary: Summary) -> Finding:
    found = versus(
        summary,
        with_buffer("shark-search:n=256", 256),
        with_buffer("shark-search", 256),
        f"recall@{PAGES}",
    )
    agrees = verdict(found)
    return Finding(
        "For Shark-Search exploration helps: N = 256 finds more than N = 1.",
        "section 4.2.1, figure 18",
        f"recall after {PAGES:,} pages {written(found)}",
        agrees,
        ""
        if agrees
        else "what a batch costs at the start it brings back later, and no more: the difference "
        "cannot be told from chance"
        if agrees is None
        else "a batch of 256 is a quarter of the crawl, and what it costs is not made up for",
    )


def _buffer_matters_little(summary: Summary) -> Finding:
    rows = [("crawler", f"recall with {BUFFERS[-1]} less that with {BUFFERS[0]}")]
    touched = []
    for name in ("breadth-first", "shark-search", "best-first"):
        large, small = with_buffer(name, BUFFERS[-1]), with_buffer(name, BUFFERS[0])
        found = versus(summary, large, small, f"recall@{PAGES}")
        rows.append((name, written(found)))
        if better(found) or worse(found):
            touched.append(f"{name} by {found.difference:+.3f}")
    return Finding(
        "Breadth-First, Shark-Search and Best-First are hardly affected by the frontier's size.",
        "section 3.2.2, figure 13",
        f"significantly affected: {', '.join(touched) or 'none'}",
        not touched,
        f"a page has so many links here that a buffer of {BUFFERS[0]} is full after a few pages, "
        "and what it drops is missed later"
        if touched
        else "",
        tuple(rows),
    )


def _cost(summary: Summary) -> Finding:
    names = ("breadth-first", "best-first", "shark-search")
    cost = {
        name: float(
            np.mean([mean(summary, with_buffer(name, s), "cpu_ms_per_page") for s in BUFFERS])
        )
        for name in names
    }
    agrees = cost["breadth-first"] < cost["best-first"] < cost["shark-search"]
    return Finding(
        "Shark-Search is the most expensive crawler, Breadth-First the cheapest.",
        "section 3.2.3, figure 15",
        "CPU milliseconds a page: " + ", ".join(f"{n} {c:.3f}" for n, c in cost.items()),
        agrees,
        "" if agrees else "the costs are within noise of each other in this implementation",
    )


def _performance(summary: Summary) -> Finding:
    names = ("breadth-first", "best-first", "shark-search")
    rows: list[tuple[str, ...]] = [("buffer", *names)]
    ahead = 0
    for size in BUFFERS:
        value = {}
        for name in names:
            policy = with_buffer(name, size)
            value[name] = (
                mean(summary, policy, f"recall@{PAGES}")
                * mean(summary, policy, f"similarity@{PAGES}")
                / mean(summary, policy, "cpu_ms_per_page")
            )
        ahead += value["breadth-first"] > value["best-first"]
        rows.append((str(size), *(f"{value[name]:.4f}" for name in names)))
    agrees = ahead >= len(BUFFERS) - 1
    return Finding(
        "For its price Best-First is surpassed by Breadth-First for all but the smallest frontier.",
        "section 3.2.3, figure 15",
        f"recall × similarity ÷ CPU milliseconds: breadth-first is ahead in {ahead} of "
        f"{len(BUFFERS)} buffers",
        agrees,
        ""
        if agrees
        else "the best link costs little more than the oldest in this implementation, which merges "
        "sorted runs and does not sort the frontier",
        tuple(rows),
    )
