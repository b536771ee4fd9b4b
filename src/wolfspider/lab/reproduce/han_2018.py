"""Han, Wuillemin & Senellart 2018: Focused Crawling through Reinforcement Learning.

Their task: begin at the page of a topic and visit 10,000 pages of the Simple English Wikipedia;
relevant is what has the topic's word in it. Each crawl begins with the weights that the one before
has learned. Here the web is any recorded one with an article for each topic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.lab.experiment import Experiment
from wolfspider.lab.reproduce.findings import (
    Finding,
    Reproduction,
    only,
    verdict,
    written,
)
from wolfspider.lab.reproduce.han_2018_runs import (
    BLIND,
    POLICIES,
    THEIRS,
    UPDATES,
    Runs,
    crawler,
    times_as_many,
)
from wolfspider.lab.reproduce.han_2018_topics import SHARES, topics_of
from wolfspider.lab.statistics import Comparison, compare
from wolfspider.lab.summary import Summary, Unit
from wolfspider.lab.tasks import TaskFile
from wolfspider.policies import Spec
from wolfspider.states import load_state
from wolfspider.vectors import Likeness, WordVectors
from wolfspider.webs.recorded import RecordedWeb

LESSONS = 10

_LEVELS = 10
_DIVERGED = "sarsa diverges"  # in the error of a run
_ENDS = (slice(1), slice(-1, None))  # the first lesson, and the last
_MOST = 30 / (1 - 0.9)  # what can be had with their rewards and their γ
_HELPS = 1.2  # times as many, at least, they say


def prepare(
    web: Path, folder: Path, *, words: Sequence[str] | None = None, lessons: int = LESSONS
) -> Experiment:
    """The runs of the paper: topics × crawlers × lessons in a row."""
    if lessons < 2:
        raise BadInput(f"--lessons is {lessons}; a learning curve needs 2 or more")
    recorded = RecordedWeb(web)
    tasks = tuple(topics_of(recorded, words))
    experiment = Experiment(folder)
    told = ",".join(task.name for task in tasks)
    command = (
        f"wolfspider lab reproduce han-2018 --web {web} --words {told} --lessons {lessons} "
        f"-o {folder}"
    )
    experiment.ask([TaskFile(web, tasks)], map(Spec.parse, POLICIES), lessons, command, carry=True)
    return experiment


def conclude(experiment: Experiment) -> Reproduction:
    """Their findings, one by one, on the topics of which no crawl was stopped."""
    summary = Summary.of(experiment)
    runs = Runs(_whole(summary))
    judges: tuple[Callable[[Runs], Finding], ...]
    judges = (_learning_helps, _sync_best, _moderated_best, _moderated_beats_original)
    judges += (_lessons_help, _middle_levels, _costs, _lazy)
    webs = ", ".join(f"{name} ({digest})" for name, digest in experiment.about["webs"].items())
    counts = ", ".join(f"{unit[0]} {runs.relevant(unit)}" for unit in runs.summary.units)
    return Reproduction(
        "Han, Wuillemin & Senellart 2018: focused crawling through reinforcement learning",
        f"{len(runs.summary.units)} topics on {webs}, each from its article; relevant are the "
        f"pages with the word ({counts}); {runs.lessons} crawls in a row of {runs.budget:,} pages, "
        "each with the weights of the one before",
        [*(judge(runs) for judge in judges), _settles(summary, largest_weights(experiment))],
    )


def _whole(summary: Summary) -> Summary:
    """Without the topics on which values grew beyond all bounds: their lessons are cut off."""
    for trace in summary.failed:
        if _DIVERGED not in trace.error:
            raise BadInput(f"{len(summary.failed)} runs failed: {trace.error[-200:]}")
    lost = {trace.key.task for trace in summary.failed}
    kept = {unit[0] for unit in summary.units} - lost
    if len(kept) < 2:
        raise BadInput(
            f"values grew beyond all bounds on {', '.join(sorted(lost))}, and what is left is too "
            "little to compare; name other topics with --words"
        )
    return only(summary, kept)


def _ratios(runs: Runs, share: float) -> str:
    parts = []
    for update in UPDATES:
        value, low, high = times_as_many(
            runs.counts(crawler(update), share), runs.counts(BLIND, share)
        )
        parts.append(f"{update} {value:.2f} [{low:.2f}, {high:.2f}]")
    return ", ".join(parts)


def _learning_helps(runs: Runs) -> Finding:
    share = SHARES[1]
    together = np.mean([runs.counts(crawler(update), share) for update in THEIRS], axis=0)
    value, low, high = times_as_many(together, runs.counts(BLIND, share))
    agrees = False if high < _HELPS else True if low > 1 else None
    seen = "; ".join(f"after {s:.0%} of the pages {_ratios(runs, s)}" for s in SHARES)
    return Finding(
        "Crawlers that learn find 1.2 to 1.6 times as many relevant pages as word vectors alone.",
        "section 4, figures 1 and 3",
        f"their three together, after {share:.0%} of the pages: {value:.2f} "
        f"[{low:.2f}, {high:.2f}] times; {seen}",
        agrees,
        "" if agrees else _why_not(runs),
        runs.table(),
    )


def _why_not(runs: Runs) -> str:
    """What there was to find, and what is found without learning."""
    share = SHARES[1]
    all_pages = sum(map(runs.relevant, runs.summary.units))
    parts = {name: runs.counts(name, share).sum() / all_pages for name in ("breadth-first", BLIND)}
    times = []
    for each in SHARES:
        ours = np.mean([runs.counts(crawler(update), each) for update in THEIRS], axis=0)
        times.append(times_as_many(ours, runs.counts(BLIND, each))[0])
    course = ", ".join(f"{t:.2f} after {each:.0%}" for t, each in zip(times, SHARES, strict=True))
    then = "the less is left to gain" if times[1] >= 1 else "the more has been made up for"
    return (
        f"much is found without learning: {parts[BLIND]:.0%} of all relevant pages by word vectors "
        f"alone, {parts['breadth-first']:.0%} by breadth-first; and the more of the web is "
        f"visited, {then} ({course})"
    )


def _best_of(runs: Runs, best: str, units: Sequence[Unit]) -> tuple[str, bool | None]:
    share = SHARES[1]
    means = {u: float(runs.counts(crawler(u), share, units).mean()) for u in THEIRS}
    others = [update for update in THEIRS if update != best]
    found = [runs.versus(crawler(best), crawler(other), share, units) for other in others]
    seen = ", ".join(f"{update} {mean:.1f}" for update, mean in means.items())
    more = "; ".join(f"less {o}: {written(f)}" for o, f in zip(others, found, strict=True))
    topics = ", ".join(unit[0] for unit in units)
    return f"{topics}, after {share:.0%}: {seen}; {best} {more}", beats_all(found)


def beats_all(found: Sequence[Comparison]) -> bool | None:
    """True if it is better than each of the others, False if worse than one of them."""
    verdicts = [verdict(each) for each in found]
    return False if False in verdicts else True if all(verdicts) else None


def _noise(runs: Runs, units: Sequence[Unit], agrees: bool | None) -> str:
    """How the methods differ, beside how the lessons of one method do."""
    if agrees:
        return ""
    pages = int(SHARES[1] / SHARES[-1] * runs.budget)
    means = [runs.counts(crawler(update), SHARES[1], units).mean() for update in THEIRS]
    lessons = [
        np.std([runs.found(trace, unit, pages) for trace in runs.of(crawler(update), unit)], ddof=1)
        for update in THEIRS
        for unit in units
    ]
    if agrees is False:
        ends = [runs.counts(crawler("moderated"), SHARES[1], units, each).mean() for each in _ENDS]
        return (
            "moderated steps are a tenth as large, and less has been learned by the end: from the "
            f"first crawl to the last it still gains {ends[1] - ends[0]:+.1f} pages"
        )
    return (
        f"{len(units)} topics are few; the best and the worst method differ by "
        f"{max(means) - min(means):.1f} pages, and the lessons of one method on one topic have a "
        f"standard deviation of {np.mean(lessons):.1f}"
    )


def _sync_best(runs: Runs) -> Finding:
    seen, agrees = _best_of(runs, "sync", runs.abundant)
    return Finding(
        "On topics with many pages the synchronous method is the best.",
        "section 4, figure 3 (a)–(c)",
        seen,
        agrees,
        _noise(runs, runs.abundant, agrees),
        runs.table(runs.abundant),
    )


def _moderated_best(runs: Runs) -> Finding:
    seen, agrees = _best_of(runs, "moderated", runs.sparse)
    return Finding(
        "On topics with few pages the asynchronous method with moderated updates is the best.",
        "section 4, figure 3 (d)–(f)",
        seen,
        agrees,
        _noise(runs, runs.sparse, agrees),
        runs.table(runs.sparse),
    )


def _moderated_beats_original(runs: Runs) -> Finding:
    found = runs.versus(crawler("moderated"), crawler("async"), SHARES[1])
    agrees = verdict(found)
    return Finding(
        "Of the asynchronous methods the moderated update outperforms the original one.",
        "section 4, figure 3",
        f"relevant pages, moderated less original: {written(found)}",
        agrees,
        _noise(runs, runs.summary.units, agrees),
    )


def _lessons_help(runs: Runs) -> Finding:
    share, half = SHARES[1], runs.lessons // 2
    rows: list[tuple[str, ...]] = [("lesson", *UPDATES)]
    for lesson in range(runs.lessons):
        cells = (runs.counts(crawler(u), share, None, slice(lesson, lesson + 1)) for u in UPDATES)
        rows.append((str(lesson + 1), *(f"{each.mean():.1f}" for each in cells)))
    late, early = slice(half, None), slice(1)
    first, second, last = (
        np.mean([runs.counts(crawler(u), share, None, each).mean() for u in THEIRS])
        for each in (early, slice(1, 2), slice(runs.lessons - 1, None))
    )
    gains = [
        runs.counts(crawler(u), share, None, late) - runs.counts(crawler(u), share, None, early)
        for u in THEIRS
    ]
    found = compare(np.mean(gains, axis=0))
    agrees = verdict(found)
    return Finding(
        "With the weights of the crawls before, a crawl finds more.",
        "section 4, figure 3",
        f"relevant pages in crawls {half + 1} to {runs.lessons} less those in the first, their "
        f"three methods together: {written(found)}",
        agrees,
        ""
        if agrees
        else f"against the first, the second crawl finds {second - first:+.1f} pages and the last "
        f"one {last - first:+.1f}: so few weights have learned most after one crawl",
        tuple(rows),
    )


def _middle_levels(runs: Runs) -> Finding:
    table = WordVectors.open()
    there: Counter[int] = Counter()  # relevant pages of the web
    counts: dict[str, Counter[int]] = {policy: Counter() for policy in POLICIES}
    for unit in runs.summary.units:
        ground = runs.summary.grounds[unit]
        likeness = Likeness(table, [unit[0]])
        level: dict[int, int] = {}
        for page in np.flatnonzero(ground.wanted).tolist():
            value = likeness.of_terms(ground.web.page(page).terms).item(0)
            level[page] = min(int(max(value, 0) * _LEVELS), _LEVELS - 1)
            there[level[page]] += 1
        for policy in POLICIES:
            traces = runs.of(policy, unit)
            for trace in traces:
                pages = trace.pages[: int(SHARES[1] / SHARES[-1] * runs.budget)]
                for page in pages[ground.targets[pages]].tolist():
                    counts[policy][level[page]] += 1 / len(traces)  # type: ignore[assignment]
    rows: list[tuple[str, ...]] = [("relevance", *POLICIES, "all there are")]
    gains = {}
    for number in range(_LEVELS):
        values = [counts[policy][number] for policy in POLICIES]
        name = f"{number / _LEVELS:.1f} to {(number + 1) / _LEVELS:.1f}"
        rows.append((name, *map(_one, values), str(there[number])))
        gains[number] = float(np.mean(values[1:4]) - values[0])
    largest = max(gains, key=lambda number: gains[number])
    agrees = 2 <= largest <= 5 and gains[largest] > 0
    return Finding(
        "What learning adds are pages of middling relevance, of the third to sixth of ten levels.",
        "section 4, figure 2",
        f"relevant pages after {SHARES[1]:.0%}, by level of word-vector relevance, all topics: the "
        f"largest gain over word vectors alone is {gains[largest]:+.1f}, at level {largest + 1}",
        agrees,
        ""
        if agrees
        else f"with these word vectors {(there[0] + there[1]) / there.total():.0%} of the relevant "
        f"pages are of the first two levels, and {there[2] / there.total():.0%} of the third",
        tuple(rows),
    )


def _one(value: float) -> str:
    return f"{value:.1f}"


def _costs(runs: Runs) -> Finding:
    milliseconds = {
        policy: float(
            np.mean(
                [
                    1000 * t.cpu_seconds / len(t)
                    for u in runs.summary.units
                    for t in runs.of(policy, u)
                ]
            )
        )
        for policy in POLICIES
    }
    slow = milliseconds[crawler("sync")] / milliseconds[crawler("async")]
    return Finding(
        "Scoring everything anew takes 12 times as long as scoring new links (654 s against 55 s; "
        "28 s without learning).",
        "section 4",
        f"CPU milliseconds a page: {', '.join(f'{p} {m:.2f}' for p, m in milliseconds.items())}; "
        f"synchronous {slow:.1f} times asynchronous",
        slow > 6,
        ""
        if slow > 6
        else "here kinds of links are scored and not links: those with the same features share "
        "one score",
    )


def _lazy(runs: Runs) -> Finding:
    share = SHARES[1]
    value, low, high = times_as_many(
        runs.counts(crawler("lazy"), share), runs.counts(crawler("sync"), share)
    )
    return Finding(
        "Not in the paper: scoring a kind anew when it comes to the top is as good as scoring all.",
        "",
        f"lazy finds {value:.3f} [{low:.3f}, {high:.3f}] times as many relevant pages as sync",
        True if low >= 0.98 else False if high < 0.98 else None,
        "" if low >= 0.98 else "kinds that have become better are not seen before they come up",
    )


Largest = dict[tuple[str, str], float]  # topic, crawler → the largest weight of any lesson


def largest_weights(experiment: Experiment) -> Largest:
    """Without regard to the sign, from what the crawls have left."""
    found: Largest = {}
    for job in experiment.jobs:
        path = job.carried(experiment.folder)
        if job.carries and path.exists():
            weights = load_state(path)["weights"].values()
            most = max(abs(value) for each in weights for value in each)
            name = job.task.name, str(job.policy)
            found[name] = max(most, found.get(name, 0.0))
    return found


def _settles(summary: Summary, largest: Largest) -> Finding:
    """Whether values stay within what can be earned; stopped crawls are left out above."""
    crawls = [t for t in (*summary.traces, *summary.failed) if t.key.policy in POLICIES[1:]]
    stopped = [trace for trace in crawls if trace.error]
    where = ", ".join(
        f"{trace.key.task} ({trace.key.policy}, crawl {trace.key.repeat + 1})" for trace in stopped
    )
    topics = list(dict.fromkeys(topic for topic, _ in largest))
    rows: list[tuple[str, ...]] = [("largest weight", *UPDATES)]
    for topic in topics:
        cells = (largest.get((topic, crawler(update)), 0.0) for update in UPDATES)
        rows.append((topic, *(f"{value:,.1f}" for value in cells)))
    beyond = {
        update: [topic for topic in topics if largest.get((topic, crawler(update)), 0.0) > _MOST]
        for update in UPDATES
    }
    grown = "; ".join(f"{update}: {', '.join(each)}" for update, each in beyond.items() if each)
    agrees = not stopped and not grown
    return Finding(
        "Not in the paper: with its α of 0.001 weights settle.",
        "",
        f"weights beyond {_MOST:.0f}, which is more than any link can be worth: {grown or 'none'}; "
        f"{len(stopped)} of {len(crawls)} crawls were stopped for values beyond all bounds"
        f"{': ' + where + '; these topics are left out above' if where else ''}",
        agrees,
        ""
        if agrees
        else "indexes of buckets are used as numbers: on the way from a relevant page the distance "
        "rises, the next link looks worse in proportion, and each update makes it so; smaller "
        "steps (moderated, or the α of 0.0005 that they took for two topics) only take longer",
        tuple(rows),
    )
