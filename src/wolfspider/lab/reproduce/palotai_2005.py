"""Palotai, Farkas & Lőrincz 2005: Is Selection Optimal for Scale-Free Small Worlds?

Foragers look for new documents on a news site that changes: those that select where to begin
(WL) against those that learn in which order to go on (RL). Their site was CNN's, recorded in 18
days. Here it is a generated one, and its twin with rewired links; any other recorded web
that changes can be added.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.lab.reproduce.findings import Finding, Plot, Reproduction
from wolfspider.lab.watches import Watches, WatchSummary, WatchTask
from wolfspider.policies import Spec
from wolfspider.records import Floats
from wolfspider.watching.changes import RecordedChanges
from wolfspider.watching.records import NEW
from wolfspider.watching.simulation import COST
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.recorded import RecordedWeb
from wolfspider.webs.rewiring import rewire
from wolfspider.webs.synthetic.news import NewsSite

DAYS = 8
REPEATS = 3
NEWS, TWIN = "news", "news-rewired"
WL, RL, BOTH = (f"foragers:fleet={fleet}" for fleet in ("wl", "rl", "wlrl"))
OTHERS = ("breadth-first-recrawl", "change-rate")
POLICIES = (WL, RL, BOTH, *OTHERS)
MEASURES = (
    *("downloaded", "sent", "relevant", "found_urls", "download_efficiency", "sent_efficiency"),
    *("relative_found_urls", "freshness", "age_hours", "delay_hours"),
)


def prepare(
    web: Path | None,
    folder: Path,
    *,
    days: int = DAYS,
    articles: int = 300,
    cost: float = COST,
) -> Watches:
    """The runs of the paper: webs × fleets × three seeds; a download costs so many seconds."""
    if days < 1 or articles < 1:
        raise BadInput("--days and --articles are numbers from 1 on")
    watches = Watches(folder / "watches")
    news, twin = _webs(folder, days, articles)
    webs = {NEWS: news, TWIN: twin}
    tasks = [WatchTask(name, str(path), days=days, cost=cost) for name, path in webs.items()]
    if web is not None:  # the state with which a recording begins is no news
        begin = RecordedChanges(web).begin + NEW + 1
        tasks.append(WatchTask(web.name, str(web), begin=begin, days=days, cost=cost))
    more = f" --web {web}" if web is not None else ""
    command = (
        f"wolfspider lab reproduce palotai-2005{more} --days {days} --articles {articles} "
        f"-o {folder}"
    )
    watches.ask(tasks, map(Spec.parse, POLICIES), REPEATS, command)
    return watches


def _webs(folder: Path, days: int, articles: int) -> tuple[Path, Path]:
    """The news site and its twin, made if they are not there."""
    site = NewsSite(days=days + 2, articles_per_day=articles)
    name = f"{days + 2}-days-of-{articles}"
    news, twin = folder / "webs" / f"news-{name}", folder / "webs" / f"rewired-{name}"
    news.parent.mkdir(parents=True, exist_ok=True)
    if not news.exists():
        with Compiler(news, [repr(site)], changing=True) as compiler:
            for capture in site.captures():
                compiler.add(capture)
            compiler.finish()
    if not twin.exists():
        for _ in rewire(RecordedWeb(news), twin, 0):
            pass
    return news, twin


def conclude(watches: Watches) -> Reproduction:
    """Their findings, one by one."""
    runs = _Runs(WatchSummary(tuple(watches.watched())))
    others = [name for name in runs.summary.names if name not in (NEWS, TWIN)]
    findings = [_downloads(runs), _sent(runs), _found(runs), _fresh(runs), _age(runs)]
    findings += [_peaks(runs), _rewired(runs)]
    findings += [_elsewhere(runs, name) for name in others]
    findings.append(_going_round(runs))
    webs = ", ".join(f"{name} ({digest})" for name, digest in watches.about["webs"].items())
    return Reproduction(
        "Palotai, Farkas & Lőrincz 2005: foragers that find what is new",
        f"{webs}; {runs.days:g} days, {runs.downloads:,.0f} downloads at even prices; means ± "
        f"standard deviations of {REPEATS} runs with other seeds",
        findings,
        [*_plots(runs, NEWS), *_plots(runs, TWIN)],
    )


@dataclass(frozen=True)
class _Runs:
    """Runs by web and fleet."""

    summary: WatchSummary

    @property
    def days(self) -> float:
        return float(self.summary.runs[0].windows[-1])

    @property
    def downloads(self) -> float:
        return float(np.mean([len(run) for run in self.summary.runs]))

    def values(self, web: str, policy: str, measure: str) -> Floats:
        return self.summary.values(web, policy, measure)

    def written(self, web: str, policy: str, measure: str) -> str:
        values = self.values(web, policy, measure)
        digits = 0 if values.mean() >= 100 else 2 if values.mean() >= 1 else 4
        return f"{values.mean():,.{digits}f} ± {values.std():,.{digits}f}"

    def pair(self, web: str, measure: str) -> str:
        return f"WL {self.written(web, WL, measure)}, RL {self.written(web, RL, measure)}"

    def more(self, web: str, first: str, second: str, measure: str) -> bool | None:
        """Whether every run of the first has more than every one of the second; None: neither."""
        ours, theirs = self.values(web, first, measure), self.values(web, second, measure)
        if ours.min() > theirs.max():
            return True
        return False if ours.max() < theirs.min() else None

    def table(self, web: str) -> tuple[tuple[str, ...], ...]:
        rows = [(p, *(self.written(web, p, m) for m in MEASURES)) for p in POLICIES]
        return (("policy", *(name.replace("_", " ") for name in MEASURES)), *rows)


def _downloads(runs: _Runs) -> Finding:
    ours, theirs = (runs.values(NEWS, fleet, "download_efficiency") for fleet in (WL, RL))
    ratio = ours.mean() / theirs.mean()
    apart = runs.more(NEWS, WL, RL, "download_efficiency")
    agrees = 0.8 <= ratio <= 1.25 or apart is None
    return Finding(
        "RL and WL foragers have similar download efficiency (0.0045 and 0.0046).",
        "section 4.2.3, table 2",
        f"{runs.pair(NEWS, 'download_efficiency')}; ratio {ratio:.2f}",
        agrees,
        ""
        if agrees
        else f"the site is small: WL foragers found {runs.written(NEWS, WL, 'found_urls')} of its "
        f"addresses, RL foragers {runs.written(NEWS, RL, 'found_urls')}, and news that nobody "
        "looks at cannot be found",
        runs.table(NEWS),
    )


def _sent(runs: _Runs) -> Finding:
    agrees = runs.more(NEWS, WL, RL, "sent_efficiency")
    return Finding(
        "WL foragers have a higher sent efficiency: they divide the area better among each other "
        "(0.49 against 0.25).",
        "section 4.2.3, table 2",
        runs.pair(NEWS, "sent_efficiency"),
        agrees,
        "" if agrees else "both kinds of foragers look at the same few fronts",
    )


def _found(runs: _Runs) -> Finding:
    agrees = runs.more(NEWS, RL, WL, "relative_found_urls")
    return Finding(
        "RL foragers find more addresses for each download, for they explore more (0.058, 0.05).",
        "section 4.2.3, table 2",
        runs.pair(NEWS, "relative_found_urls"),
        agrees,
        ""
        if agrees
        else "RL foragers begin at ten fixed pages here, too, but those are fronts that lead to "
        "the same newest articles; a WL fleet has starts all over the site after a day",
    )


def _fresh(runs: _Runs) -> Finding:
    agrees = runs.more(NEWS, WL, RL, "freshness")
    return Finding(
        "What WL foragers have found is fresher (0.74 against 0.7).",
        "section 4.2.3, table 2, figure 3",
        runs.pair(NEWS, "freshness"),
        agrees,
        "" if agrees else "freshness is that of what was found, and the fleets found other things",
    )


def _age(runs: _Runs) -> Finding:
    agrees = runs.more(NEWS, RL, WL, "age_hours")
    return Finding(
        "What WL foragers have found is younger (1.56 h against 1.79 h).",
        "section 4.2.3, table 2, figure 3",
        f"{runs.pair(NEWS, 'age_hours')} hours; found after {runs.pair(NEWS, 'delay_hours')} hours",
        agrees,
        ""
        if agrees
        else "most documents are versions of fronts, which are replaced within the hour: age grows "
        "with the days that have passed since, whoever found them",
    )


def _peaks(runs: _Runs) -> Finding:
    """How much the efficiency of a window differs from that of the one before."""
    rough = {}
    for fleet in (WL, RL):
        curves = [run.curves["download_efficiency"] for run in runs.summary.of(NEWS, fleet)]
        steps = [[abs(b - a) for a, b in pairwise(curve.tolist())] for curve in curves]
        rough[fleet] = np.array(
            [np.mean(s) / max(np.mean(c), 1e-12) for s, c in zip(steps, curves, strict=True)]
        )
    agrees = True if rough[RL].min() > rough[WL].max() else None
    agrees = False if rough[RL].max() < rough[WL].min() else agrees
    return Finding(
        "The efficiency of RL foragers has more and sharper peaks.",
        "section 4.2.3, figure 2",
        "mean change from one window of three hours to the next, by the mean: "
        f"WL {rough[WL].mean():.2f} ± {rough[WL].std():.2f}, "
        f"RL {rough[RL].mean():.2f} ± {rough[RL].std():.2f}",
        agrees,
        ""
        if agrees
        else "day and night, which both fleets see, make most of the ups and downs of this site",
    )


def _rewired(runs: _Runs) -> Finding:
    before = runs.more(NEWS, RL, WL, "relevant")
    after = runs.more(TWIN, RL, WL, "relevant")
    agrees = None if after is None else after and not before
    ratios = [
        runs.values(web, RL, "relevant").mean() / runs.values(web, WL, "relevant").mean()
        for web in (NEWS, TWIN)
    ]
    return Finding(
        "With rewired links, where the world is not small, RL foragers do better than WL foragers.",
        "section 5",
        f"relevant documents found: {runs.pair(NEWS, 'relevant')} on the site, "
        f"{runs.pair(TWIN, 'relevant')} on its twin; RL finds {ratios[0]:.2f} times what WL does, "
        f"and on the twin {ratios[1]:.2f} times",
        agrees,
        ""
        if agrees
        else "the twin keeps which pages have many links: fronts are still replaced often and lead "
        "to new articles, so that a good place to begin is as good as before",
        runs.table(TWIN),
    )


def _elsewhere(runs: _Runs, name: str) -> Finding:
    sent = runs.more(name, WL, RL, "sent_efficiency")
    return Finding(
        f"On {name}, too, WL foragers divide the area better, and RL foragers explore more.",
        "section 4.2.3, table 2; not their web",
        f"sent efficiency {runs.pair(name, 'sent_efficiency')}; found URLs by downloads "
        f"{runs.pair(name, 'relative_found_urls')}; relevant {runs.pair(name, 'relevant')}",
        sent and runs.more(name, RL, WL, "relative_found_urls"),
        ""
        if sent
        else "little is new here in a day, and two foragers, too poor to multiply, do it all",
        runs.table(name),
    )


def _going_round(runs: _Runs) -> Finding:
    best = {policy: float(runs.values(NEWS, policy, "relevant").mean()) for policy in POLICIES}
    plain = max(OTHERS, key=lambda policy: best[policy])
    agrees = max(best[fleet] for fleet in (WL, RL, BOTH)) > best[plain]
    return Finding(
        "Not in the paper: foragers find more than going round does.",
        "",
        "relevant documents: " + ", ".join(f"{p} {n:,.0f}" for p, n in best.items()),
        agrees,
        ""
        if agrees
        else "a step downloads all links of a page, changed or not, again and again; a visit that "
        "is planned by how often a page changes costs one download",
    )


def _plots(runs: _Runs, web: str) -> Iterator[Plot]:
    for measure, title in (
        ("download_efficiency", "Fig. 2: download efficiency"),
        ("sent_efficiency", "sent efficiency"),
        ("freshness", "Fig. 3: freshness"),
        ("age_hours", "Fig. 3: age, hours"),
    ):
        curves = {p: runs.summary.curve(web, p, measure) for p in POLICIES}
        yield Plot(f"{title}, {web}", "days", curves)
