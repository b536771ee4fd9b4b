"""Young 2005: Exploiting the Structure of the Web for Spidering (thesis, Brown University).

His web was WT10g and his targets those of three TREC tasks. Ours are the labels of a recorded
web, of which spiders see one part when they learn and another one when they hunt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.lab.experiment import Experiment
from wolfspider.lab.parts import mask_of
from wolfspider.lab.reproduce import young_2005_links
from wolfspider.lab.reproduce.findings import LEVEL, Figure, Finding, Reproduction
from wolfspider.lab.reproduce.young_2005_links import Told
from wolfspider.lab.reproduce.young_2005_runs import (
    FIRST,
    FOUND,
    GOLD,
    LEARNED,
    NAIVE,
    NAMES,
    POLICIES,
    RECALL,
    REWARD,
    SVMS,
    Runs,
    Table,
    interval,
    median_mean,
    signed,
)
from wolfspider.lab.reproduce.young_2005_starts import (
    CONDITIONS,
    FAR,
    FOUR,
    LEAST,
    SHORT,
    TARGETS,
    THREE,
    Condition,
    Split,
    label_of,
)
from wolfspider.lab.statistics import Comparison, bootstrap_interval
from wolfspider.lab.summary import Summary
from wolfspider.lab.tasks import TaskFile
from wolfspider.policies import Spec
from wolfspider.webs.graph import Graph
from wolfspider.webs.recorded import RecordedWeb

PARTS = 4
STARTS = 24
_REPEATS = 3  # of random order; he had 20
_SEVERAL = 2  # times as many
_ALIKE = 0.1  # of the way to the oracle, within which two spiders are alike
_QUARTER = 0.25  # of the targets, that he found in less than a tenth of the space
_DISTANCE, _REWARD = SVMS[:2], SVMS[2:]
_PLAIN, _DELTA = SVMS[::2], SVMS[1::2]
_RANDOM, _BREADTH, _DEPTH = NAIVE


def prepare(
    web: Path,
    folder: Path,
    *,
    labels: Sequence[str] | None = None,
    parts: int = PARTS,
    starts: int = STARTS,
) -> Experiment:
    """The runs of the thesis: labels × starts × depths × spiders."""
    if parts < 2:
        raise BadInput("--parts is a number from 2 on: one is learned from and one tested on")
    split = Split(RecordedWeb(web), parts)
    chosen = split.topics() if labels is None else list(labels)
    if not chosen:
        raise BadInput(
            f"no label of {web} has {LEAST} pages in each of {parts} parts, to which others lead; "
            "name some with --labels, or cut the web into fewer --parts"
        )
    tasks = split.tasks(chosen, starts)
    if not tasks:
        raise BadInput(f"no page of {web} is 3, 4, 5 or more links before a target, nor a target")
    experiment = Experiment(folder)
    command = (
        f"wolfspider lab reproduce young-2005 --web {web} --labels {','.join(chosen)} "
        f"--parts {parts} --starts {starts} -o {folder}"
    )
    specs = map(Spec.parse, POLICIES)
    experiment.ask([TaskFile(web, tuple(tasks))], specs, _REPEATS, command)
    return experiment


def measure(experiment: Experiment) -> Iterator[tuple[int, int]]:
    """What the learned spiders make of links that they have not seen."""
    return young_2005_links.measure(experiment)


def conclude(experiment: Experiment) -> Reproduction:
    """His findings, one by one; those of conditions without starts are left out."""
    summary = Summary.of(experiment)
    if summary.failed:
        raise BadInput(f"{len(summary.failed)} runs failed: {summary.failed[0].error[-200:]}")
    runs = Runs.of(summary)
    told, ran = young_2005_links.told(experiment), set(runs.conditions)
    found = [judge(runs, told) for needed, judge in _JUDGES if set(needed) <= ran]
    return Reproduction(
        "Young 2005: exploiting the structure of the web for spidering",
        _setting(experiment, runs),
        found,
        _figures(runs),
    )


def _setting(experiment: Experiment, runs: Runs) -> str:
    webs = ", ".join(f"{name} ({digest})" for name, digest in experiment.about["webs"].items())
    labels = dict.fromkeys(label_of(task) for task, _ in runs.summary.units)
    counts = [f"{condition} ({_cones(runs, condition)})" for condition in runs.conditions]
    missing = [str(each) for each in CONDITIONS if each not in runs.conditions]
    nowhere = f"; no page here starts: {'; '.join(missing)}" if missing else ""
    ground = next(iter(runs.summary.grounds.values()))
    graph = Graph(ground.web, mask_of(ground.web, ground.task.within))
    pages, links = int(graph.within.sum()), int(graph.links.sum())
    return (
        f"{webs}; targets are the pages of {', '.join(labels)}; trained on "
        f"{' '.join(ground.task.train)} (10 targets, height 4), tested on {ground.task.within}, "
        f"{pages:,} pages with {links / pages:.1f} links each. "
        f"Starts: {', '.join(counts)}{nowhere}"
    )


def _cones(runs: Runs, condition: Condition) -> str:
    grounds = runs.grounds([condition])
    pages = np.median([ground.budget for ground in grounds])
    targets = np.median([ground.wanted.sum() for ground in grounds])
    return f"{len(grounds)}, median {pages:.0f} pages with {targets:.0f} targets"


def _figures(runs: Runs) -> list[Figure]:
    chosen = (*GOLD, SVMS[1], SVMS[3], *LEARNED[4:], *NAIVE)
    figures = []
    for title, condition in (
        ("Fig. 5.31", FAR),
        ("Tab. 5.8", FOUR[-1]),
        ("Tab. 5.5", THREE[-1]),
    ):
        names = [unit[0] for unit in runs.units([condition])]
        if names:
            figures.append(Figure(f"{title}: recall, {condition}", "recall", chosen, tuple(names)))
    return figures


# -- findings --------------------------------------------------------------------------------


def _said(found: Comparison) -> str:
    """Median and mean of the differences, with the interval of the mean."""
    low, high = map(signed, found.interval)
    mean = f"{signed(found.difference)} [{low}, {high}]"
    return f"median {signed(found.median)}, mean {mean}, p = {found.p:.2g}"


def _verdict(found: Comparison) -> bool | None:
    """Whether the first is better at most starts; None where that could be chance."""
    return found.wins > found.losses if found.p < LEVEL else None


def _all(verdicts: Sequence[bool | None]) -> bool | None:
    """False if one is, True if all are."""
    return False if False in verdicts else None if None in verdicts else True


def _oracles(runs: Runs, _: Told) -> Finding:
    others = (*LEARNED, *NAIVE)
    verdicts, worst = [], ""
    rows: list[tuple[str, ...]] = [("start", *(f"less {NAMES[each]}" for each in others))]
    for condition in runs.conditions:
        cells = []
        for other in others:
            found = runs.versus(GOLD, [other], FIRST, [condition])
            verdicts.append(_verdict(found))
            cells.append(median_mean(found))
            if not verdicts[-1]:
                worst = f"; not, for one, against {NAMES[other]}, {condition}: {_said(found)}"
        rows.append((str(condition), *cells))
    agrees = _all(verdicts)
    return Finding(
        "Spiders with perfect knowledge of distance or reward are far better than all others, from "
        "everywhere.",
        "sections 5.1.1 and 5.1.2, tables 5.2 to 5.14",
        f"significantly fewer pages to the first target in {verdicts.count(True)} of "
        f"{len(verdicts)} comparisons of a start and another spider{worst}",
        agrees,
        "" if agrees else "a target is so near there that others find it nearly as soon",
        tuple(rows),
    )


def _three_away(runs: Runs, _: Told) -> Finding:
    pairs = ((_DEPTH, THREE[0]), (_BREADTH, THREE[-1]))
    found = [runs.versus(SVMS, [naive], REWARD, [where]) for naive, where in pairs]
    better = any(_verdict(each) for each in found)
    agrees = False if better else True if all(each.interval[0] <= 0 for each in found) else None
    seen = "; ".join(
        f"SVMs less {NAMES[naive]} at depth {where.cone}: {_said(each)}"
        for (naive, where), each in zip(pairs, found, strict=True)
    )
    return Finding(
        "From 3 away naive spiders keep up: the SVMs are not significantly better than depth-first "
        "in a cone of depth 3, nor than breadth-first in one of depth 5.",
        "section 5.1.2, tables 5.3 and 5.5",
        f"log10 of the discounted reward, {seen}",
        agrees,
        "" if agrees else f"{_telling(runs, THREE)}; {_layers(runs, THREE[-1:])}",
        runs.against_naive(LEARNED, THREE),
    )


def _four_away(runs: Runs, told: Told) -> Finding:
    found = {
        (naive, where): runs.versus(SVMS, [naive], REWARD, [where])
        for where in FOUR
        for naive in NAIVE
    }
    agrees = _all([_verdict(each) for each in found.values()])
    seen = "; ".join(
        f"SVMs less {NAMES[naive]} at depth {where.cone}: {_said(each)}"
        for (naive, where), each in found.items()
    )
    return Finding(
        "From 4 away the SVMs beat every naive spider, in median and in mean.",
        "section 5.1.2, tables 5.7 and 5.8",
        f"log10 of the discounted reward, {seen}",
        agrees,
        "" if agrees else f"{_telling(runs, FOUR)}; {told.said()}",
        runs.against_naive(LEARNED, FOUR),
    )


def _telling(runs: Runs, conditions: Sequence[Condition]) -> str:
    """How much of what may be fetched is, when a spider comes to the first target."""
    shares = {}
    sizes = runs.grounds(conditions)
    for name, policies in (("the SVMs", SVMS), *((NAMES[each], [each]) for each in NAIVE)):
        first = [
            np.mean([runs.values([policy], FIRST, [where]).mean() for policy in policies])
            for where in conditions
        ]
        shares[name] = float(np.mean(first)) / float(np.mean([each.budget for each in sizes]))
    first_found = ", ".join(f"{name} {share:.0%}" for name, share in shares.items())
    return f"to the first target it takes of the pages that may be fetched: {first_found}"


def _best_naive(runs: Runs, _: Told) -> Finding:
    shallow = {where: runs.versus([_DEPTH], [_BREADTH], FIRST, [where]) for where in _SHALLOW}
    deep = {where: runs.versus([_BREADTH], [_DEPTH], FIRST, [where]) for where in _DEEP}
    agrees = _all([_verdict(each) for each in (*shallow.values(), *deep.values())])
    seen = [f"depth-first less breadth-first, {where}: {_said(f)}" for where, f in shallow.items()]
    seen += [f"breadth-first less depth-first, {where}: {_said(f)}" for where, f in deep.items()]
    return Finding(
        "Depth-first is the best naive spider where the cone ends at the targets, and (in mean) "
        "breadth-first where it is deeper.",
        "section 5.1.2, tables 5.3, 5.5, 5.7 and 5.8",
        f"pages to the first target, {'; '.join(seen)}",
        agrees,
        "" if agrees else _layers(runs, (*_SHALLOW, *_DEEP)),
        _naive_table(runs, (*THREE, *FOUR)),
    )


_SHALLOW, _DEEP = (THREE[0], FOUR[0]), (THREE[-1], FOUR[-1])


def _layers(runs: Runs, conditions: Sequence[Condition]) -> str:
    """How dense targets are where a cone ends, and before."""
    texts = []
    for where in conditions:
        shares = []
        for ground in runs.grounds([where]):
            depth = ground.graph.distances_from(np.array(ground.starts))
            at = depth == where.away
            below = np.isfinite(depth) & (depth > where.away)
            shares.append(
                (
                    at.sum() / ground.reachable.sum(),
                    ground.targets[at].mean(),
                    ground.targets[below].mean() if below.any() else np.nan,
                )
            )
        of_cone, density, later = np.array(shares).mean(axis=0)
        text = f"{where}: {of_cone:.0%} of the pages are as far as the first target, {density:.1%}"
        texts.append(text + " of these are targets")
        if not np.isnan(later):
            texts[-1] += f", and {later:.1%} of the deeper ones"
    return "; ".join(texts)


def _naive_table(runs: Runs, conditions: Sequence[Condition]) -> Table:
    rows: list[tuple[str, ...]] = [
        ("pages to the first target", *(f"{NAMES[each]}: median, mean" for each in NAIVE))
    ]
    for where in conditions:
        cells = []
        for naive in NAIVE:
            values = runs.values([naive], FIRST, [where])
            cells.append(f"{np.median(values):.4g}, {interval(values)}")
        rows.append((str(where), *cells))
    return tuple(rows)


def _from_targets(runs: Runs, told: Told) -> Finding:
    found = {
        (naive, where): runs.versus(SVMS, [naive], REWARD, [where])
        for where in TARGETS[1:]
        for naive in NAIVE
    }
    agrees = _all([_verdict(each) for each in found.values()])
    seen = "; ".join(
        f"SVMs less {NAMES[naive]} at depth {where.cone}: {_said(each)}"
        for (naive, where), each in found.items()
    )
    return Finding(
        "Starting from targets the SVMs beat every naive spider.",
        "section 5.1.2, tables 5.11 and 5.12",
        f"log10 of the discounted reward, {seen}",
        agrees,
        "" if agrees else f"{_telling(runs, TARGETS)}; {_near(runs)}; {told.said()}",
        runs.against_naive(LEARNED, TARGETS),
    )


def _near(runs: Runs) -> str:
    """How far the nearest other target is, from a target."""
    far = []
    for ground in runs.grounds(TARGETS[:1]):
        distances = ground.graph.distances_from(np.array(ground.starts))
        far.append(distances[ground.targets].min())
    beside = np.mean(np.array(far) == 1)
    return f"{beside:.0%} of the targets that we start at link to another one"


def _smaller_gap(runs: Runs, _: Told) -> Finding:
    four, targets = (runs.versus(GOLD, SVMS, REWARD, [where]) for where in (FOUR[-1], TARGETS[-1]))
    apart = four.interval[0] > targets.interval[1]
    agrees = True if apart and four.median >= 10 * targets.median else None if apart else False
    return Finding(
        "From targets the SVMs are an order of magnitude nearer to the oracles than from 4 away.",
        "section 5.1.2, tables 5.9 and 5.13 (median 65.7 against 2.87)",
        f"log10 of the discounted reward at depth 5, oracles less SVMs from 4 away {_said(four)}; "
        f"from targets {_said(targets)}",
        agrees,
        "" if agrees else _near(runs),
    )


def _far_away(runs: Runs, told: Told) -> Finding:
    found = {naive: runs.versus(SVMS, [naive], FOUND, [FAR]) for naive in NAIVE}
    best = max(NAIVE, key=lambda naive: runs.values([naive], FOUND, [FAR]).mean())
    ours, theirs = (runs.values(each, FOUND, [FAR]) for each in (SVMS, [best]))
    agrees = _all([_verdict(each) for each in found.values()])
    agrees = agrees and bool(ours.mean() >= _SEVERAL * theirs.mean())
    times = f"{NAMES[best]}, the best of the naive ones, finds {interval(theirs)}"
    seen = "; ".join(f"less {NAMES[naive]}: {_said(each)}" for naive, each in found.items())
    return Finding(
        "From far away the SVMs find several times as many targets as the naive spiders (eight "
        "times the best of them from 8 away).",
        "section 5.1.3, figure 5.31",
        f"the SVMs find {interval(ours)} targets; {times}; SVMs {seen}",
        agrees,
        "" if agrees else f"{_telling(runs, [FAR])}; {told.said()}",
        runs.overview((FOUND, FIRST), FAR),
    )


def _quarter(runs: Runs, told: Told) -> Finding:
    values = runs.values(SVMS, RECALL, [FAR])
    low, high = bootstrap_interval(values)
    agrees = True if low > _QUARTER else False if high < _QUARTER else None
    each = ", ".join(f"{NAMES[p]} {runs.values([p], RECALL, [FAR]).mean():.0%}" for p in POLICIES)
    return Finding(
        "From far away learned spiders find more than 25 % of the targets in less than 10 % of the "
        "space.",
        "section 5.4",
        f"after a tenth of the pages that can be reached the SVMs have found {values.mean():.0%} "
        f"[{low:.0%}, {high:.0%}]; {each}",
        agrees,
        "" if agrees else told.said(),
        told.table(),
    )


def _same(claim: str, where: str, one: Sequence[str], other: Sequence[str], runs: Runs) -> Finding:
    """Two kinds of machines that should not differ by more than a tenth of what both lack."""
    short = [each for each in SHORT if each in runs.conditions]
    found = runs.versus(one, other, REWARD, short)
    room = _ALIKE * runs.versus(GOLD, SVMS, REWARD, short).difference
    within = max(map(abs, found.interval)) <= room
    agrees = False if found.p < LEVEL else True if within else None
    rows: list[tuple[str, ...]] = [("start", REWARD, FIRST)]
    for each in short:
        cells = [_said(runs.versus(one, other, what, [each])) for what in (REWARD, FIRST)]
        rows.append((str(each), *cells))
    if FAR in runs.conditions:
        rows.append((str(FAR), "", _said(runs.versus(one, other, FIRST, [FAR]))))
    few = f"the interval is wider than a tenth of the way to the oracles, {room:.3g}"
    return Finding(
        claim,
        where,
        f"log10 of the discounted reward over all short ranges, {_said(found)}; a tenth of the way "
        f"from the SVMs to the oracles is {room:.3g}",
        agrees,
        "" if agrees else few if agrees is None else _telling(runs, short),
        tuple(rows),
    )


def _distance_or_reward(runs: Runs, _: Told) -> Finding:
    return _same(
        "Machines trained on distance and on discounted reward perform alike.",
        "section 5.1.2, tables 5.9 and 5.13",
        _DISTANCE,
        _REWARD,
        runs,
    )


def _augmented_delta(runs: Runs, _: Told) -> Finding:
    return _same(
        "Augmented delta scores make no difference.",
        "section 5.1.2, discussion",
        _DELTA,
        _PLAIN,
        runs,
    )


def _random_between(runs: Runs, _: Told) -> Finding:
    between, outside = 0, []
    for where in runs.conditions:
        means = {naive: runs.values([naive], FIRST, [where]).mean() for naive in NAIVE}
        low, high = sorted((means[_BREADTH], means[_DEPTH]))
        between += bool(low <= means[_RANDOM] <= high)
        found = [runs.versus([_RANDOM], [end], FIRST, [where]) for end in (_DEPTH, _BREADTH)]
        verdicts = [_verdict(each) for each in found]
        if None not in verdicts and len(set(verdicts)) == 1:
            depth, breadth = map(_said, found)
            outside.append((where, f"less depth-first {depth}, less breadth-first {breadth}"))
    agrees = False if outside else True if between == len(runs.conditions) else None
    seen = "".join(f"; significantly outside, {where}: random {said}" for where, said in outside)
    reason = "where it does not, it cannot be told from one of the two"
    if outside:
        reason = "; ".join(_depths(runs, where) for where, _ in outside)
    return Finding(
        "Random order always lies between depth-first and breadth-first.",
        "section 5.1.2, discussion",
        f"so do its mean pages to the first target in {between} of {len(runs.conditions)} "
        f"conditions{seen}",
        agrees,
        "" if agrees else reason,
        _naive_table(runs, runs.conditions),
    )


def _depths(runs: Runs, where: Condition) -> str:
    """How far from the start naive spiders spend their time, and how far the targets are."""
    means = []
    for naive in NAIVE:
        far = []
        for unit in runs.units([where]):
            ground = runs.summary.grounds[unit]
            depth = ground.graph.distances_from(np.array(ground.starts))
            far += [depth[each.pages].mean() for each in runs.summary.by_unit[naive, unit]]
        means.append(f"{NAMES[naive]} {np.mean(far):.1f}")
    texts = f"{where}: the pages that a spider fetches are so many links from the start: "
    return texts + ", ".join(means)


def _ordering(runs: Runs, told: Told) -> Finding:
    found = runs.versus(["ordering:targets=10"], [_BREADTH], FOUND, [FAR])
    more = runs.versus(["ordering:targets=10"], SVMS, FOUND, [FAR])
    agrees = _verdict(found)
    return Finding(
        "The composite ordering of links finds more than breadth-first from far away.",
        "section 5.3.3, figure 5.75",
        f"targets found, ordering less breadth-first {_said(found)}; less the SVMs {_said(more)}",
        agrees,
        "" if agrees else told.said(),
        runs.everybody(FOUR[-1]) if FOUR[-1] in runs.conditions else (),
    )


_JUDGES: tuple[tuple[Sequence[Condition], Callable[[Runs, Told], Finding]], ...] = (
    ((), _oracles),
    (THREE, _three_away),
    (FOUR, _four_away),
    ((*THREE, *FOUR), _best_naive),
    (TARGETS, _from_targets),
    ((*FOUR, *TARGETS), _smaller_gap),
    ((FAR,), _far_away),
    ((FAR,), _quarter),
    (THREE, _distance_or_reward),
    (THREE, _augmented_delta),
    ((), _random_between),
    ((FAR,), _ordering),
)
