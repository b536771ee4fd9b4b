"""The figures of the page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import zeta

from wolfspider.drawing.axes import Axis
from wolfspider.drawing.bars import Bar
from wolfspider.drawing.charts import Series
from wolfspider.drawing.columns import Columns
from wolfspider.drawing.looks import Look
from wolfspider.lab.describe.clustering import Clustering
from wolfspider.lab.describe.components import PARTS
from wolfspider.lab.describe.content import Content
from wolfspider.lab.describe.degrees import Counts, Degrees
from wolfspider.lab.describe.description import Description
from wolfspider.lab.describe.facts import estimate, number
from wolfspider.lab.describe.figure import Figure, Table, bars, columns, lines
from wolfspider.lab.describe.reach import Reach
from wolfspider.lab.describe.targets import Targets
from wolfspider.records import Floats
from wolfspider.wording import percent

_DOTS = 25  # in each power of ten


def degrees(title: str, what: str, of: Degrees, pages: int) -> Figure | None:
    """Share of the pages with at least k links, both axes logarithmic, and the fit."""
    law = of.power_law
    series = [_at_least("pages", Look(0), of.counts, pages)]
    if not len(series[0].x):
        return None
    x = _log(what, series[0].x)
    y = Axis("share of pages with at least so many", 1, True, min(1 / pages, 0.5), log=True)
    if law is not None:
        ks = np.unique(np.geomspace(law.minimum, max(of.largest, law.minimum + 1), 60).round())
        tail = law.share * zeta(law.alpha, ks) / zeta(law.alpha, law.minimum)
        seen = tail >= y.low
        name = f"power law, α = {law.alpha:.2f}, from {law.minimum:,} on"
        series.append(Series(name, Look(1), ks[seen], tail[seen]))
    caption = "Both axes are logarithmic: a power law is a straight line."
    rows = [(f"{value:,}", f"{count:,}") for value, count in of.counts]
    return lines(title, series, x, y, Table((what, "pages"), rows), caption)


def sizes(title: str, what: str, groups: Sequence[tuple[str, Counts]]) -> Figure | None:
    """How many components or hosts have at least so many pages; none for a single one."""
    if all(sum(count for _, count in counts) < 2 for _, counts in groups):
        return None
    series = [_at_least(name, Look(at), counts, 1) for at, (name, counts) in enumerate(groups)]
    high = max(float(each.y.max()) for each in series)
    x = _log("pages", np.concatenate([each.x for each in series]))
    y = Axis(f"{what} with at least so many", max(high, 2), low=1, log=True)
    rows = [(name, f"{size:,}", f"{count:,}") for name, counts in groups for size, count in counts]
    caption = "Both axes are logarithmic."
    return lines(title, series, x, y, Table((what, "pages", "how many"), rows), caption)


def bow_tie(found: Description) -> Figure | None:
    parts = found.bow_tie
    if parts is None:
        return None
    drawn = [
        Bar(name, Look(at), parts[name], 0.0, percent(parts[name] / found.pages))
        for at, name in enumerate(PARTS)
    ]
    rows = [(name, f"{parts[name]:,}", percent(parts[name] / found.pages)) for name in PARTS]
    return bars("Parts of the bow-tie", drawn, Table(("part", "pages", "share"), rows))


def named(title: str, hosts: Sequence[tuple[str, int]], count: int) -> Figure:
    """Hosts with most pages, or most targets."""
    drawn = [Bar(name, Look(0), size, 0.0, f"{size:,}") for name, size in hosts]
    rows = [(name, f"{size:,}") for name, size in hosts]
    rest = count - len(hosts)
    caption = f"And {rest:,} more host{'s' if rest > 1 else ''}." if rest else ""
    return bars(title, drawn, Table(("host", "pages"), rows), caption)


def clustering(of: Clustering) -> Figure | None:
    """The clustering coefficients beside what chance would give."""
    known = {"average": of.average, "transitivity": of.transitivity}
    known["expected of a random graph"] = of.expected
    values = {name: value for name, value in known.items() if value is not None}
    if len(values) < len(known):
        return None
    drawn = [Bar(name, Look(0), value, 0.0, number(value)) for name, value in values.items()]
    rows = [(name, number(value)) for name, value in values.items()]
    return bars("Clustering coefficient", drawn, Table(("", "coefficient"), rows))


def distances(title: str, groups: Sequence[tuple[str, Reach]]) -> Figure | None:
    """Share of the pairs with a way that are 1, 2, … links apart."""
    known = [(name, reach) for name, reach in groups if reach.pairs]
    if not known:
        return None
    series, rows = [], []
    most = max(_nearly_all(reach.pairs) for _, reach in known)
    for at, (name, reach) in enumerate(known):
        shares = np.array(reach.pairs[:most], float) / sum(reach.pairs)
        steps = np.arange(1.0, len(shares) + 1)
        series += [Series(name, Look(at), steps, shares, dots=dots) for dots in (False, True)]
        rows += [(name, str(k), f"{count:,}") for k, count in enumerate(reach.pairs, 1)]
    x = Axis("links", most + 0.5)
    y = Axis("share of pairs with a way", 1.1 * max(each.y.max() for each in series), percent=True)
    longest = max(len(reach.pairs) for _, reach in known)
    caption = f"A few pairs are further apart, up to {longest} links." if longest > most else ""
    return lines(title, series, x, y, Table(("from, to", "links", "pairs"), rows), caption)


def _nearly_all(pairs: Sequence[int]) -> int:
    """The distance within which all but one in a thousand pairs are."""
    return int(np.searchsorted(np.cumsum(pairs), 0.999 * sum(pairs))) + 1


def depths(found: Description) -> Figure:
    """Pages, and targets, at each depth from the start page."""
    known: list[tuple[str, Sequence[int], int]] = [("pages", found.depths, found.unreachable)]
    if found.targets is not None:
        known.append(("targets", found.targets.depths, found.targets.unreachable))
    names = [*map(str, range(len(found.depths))), "none"]
    groups, table = [], []
    for at, (name, counts, unreachable) in enumerate(known):
        padded = [*counts, *[0] * (len(found.depths) - len(counts)), unreachable]
        total = max(1, sum(padded))
        groups.append(Columns(name, Look(at), [count / total for count in padded]))
        table.append([f"{count:,}" for count in padded])
    rows = list(zip(names, *table, strict=True))
    caption = "“none”: no way from the start page."
    heads = ("depth", *(name for name, _, _ in known))
    y = _above(groups, " and of ".join(["share of pages", "targets"][: len(known)]), percent=True)
    return columns(
        "Depth from the start page", names, groups, "depth", y, Table(heads, rows), caption
    )


def heights(of: Targets) -> Figure:
    """Ancestors of the targets by height, and how many of them are descendants."""
    whole = [each.ancestors or 1 for each in of.heights]
    groups = [
        Columns(
            "also descendants within that height",
            Look(0),
            [each.both / all_ for each, all_ in zip(of.heights, whole, strict=True)],
        ),
        Columns(
            "also descendants at any distance",
            Look(1),
            [each.both_at_all / all_ for each, all_ in zip(of.heights, whole, strict=True)],
        ),
    ]
    rows = [
        tuple(f"{n:,}" for n in (h.height, h.ancestors, h.descendants, h.both, h.both_at_all))
        for h in of.heights
    ]
    heads = ("height", "ancestors", "descendants", "both", "ancestors, descendants at any distance")
    return columns(
        "Ancestors of targets that are descendants, too",
        [str(each.height) for each in of.heights],
        groups,
        "height: links to a target, at most",
        _above(groups, "share of the ancestors", percent=True),
        Table(heads, rows),
        "Ancestors lead to a target, descendants are led to by one; targets are neither.",
    )


def similarity(of: Content) -> Figure | None:
    """Mean similarity of pages at each distance."""
    known = [each for each in of.by_distance if each.similarity is not None]
    if not known:
        return None
    found = [each.similarity for each in known if each.similarity is not None]
    names = ["no way" if each.distance is None else str(each.distance) for each in known]
    lows = [each.low for each in found]
    highs = [each.high for each in found]
    group = Columns("similarity", Look(0), [each.value for each in found], lows, highs)
    rows = [
        (name, f"{each.pairs:,}", estimate(each.similarity))
        for name, each in zip(names, known, strict=True)
    ]
    heads = ("links", "pairs", "similarity [95 % interval]")
    return columns(
        "Similarity of two pages by link distance",
        names,
        [group],
        "links from one page to the other",
        _above([group], "mean cosine similarity"),
        Table(heads, rows),
        "Whiskers are 95 % intervals.",
    )


def _at_least(name: str, look: Look, counts: Counts, whole: int) -> Series:
    """Values above 0 with the share of all that are as large or larger."""
    values, times = np.array(counts, float).reshape(-1, 2).T
    shares = np.cumsum(times[::-1])[::-1] / whole
    above = values > 0
    values, shares = values[above], shares[above]
    # Dots that would lie on each other are drawn once.
    _, kept = np.unique(np.round(np.log10(values) * _DOTS), return_index=True)
    return Series(name, look, values[kept], shares[kept], dots=True)


def _log(label: str, values: Floats) -> Axis:
    return Axis(label, max(2.0, float(values.max())), low=1, log=True)


def _above(groups: Sequence[Columns], label: str, percent: bool = False) -> Axis:
    """An axis with some room above the highest column and whisker."""
    tops = [v for group in groups for v in (*group.values, *group.highs) if v is not None]
    return Axis(label, 1.1 * max(tops, default=0) or 1.0, percent)
