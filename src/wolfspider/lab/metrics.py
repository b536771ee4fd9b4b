"""Metrics: each a small function of a trace and the ground truth.

N is always a number of fetches, failed ones too. A crawl that ends before N has found what it
has found: its curve goes on flat. A page counts once, however often a policy comes back to it.

Recall is of the targets that can be reached from the seeds, so that 1 is possible in every task
and means the same as in `to25` … `to90`. Menczer et al. divide by all targets; on the live web
nobody could tell which can be reached. `Metric = Callable[[Trace, Ground], float]`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from weakref import WeakKeyDictionary

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.lab.ground import Ground
from wolfspider.lab.trace import Trace
from wolfspider.records import Floats
from wolfspider.urls import host

Metric = Callable[[Trace, Ground], float]

_curves: WeakKeyDictionary[Trace, tuple[Ground, Floats]] = WeakKeyDictionary()


def found(trace: Trace, ground: Ground) -> Floats:
    """Targets found after each fetch, 1 … budget; flat where the crawl has ended.

    Computed once for a trace, because nearly every metric begins here.
    """
    known = _curves.get(trace)
    if known is None or known[0] is not ground:
        known = _curves[trace] = ground, _found(trace, ground)
    return known[1]


def _found(trace: Trace, ground: Ground) -> Floats:
    pages, first = np.unique(trace.pages, return_index=True)
    hits = np.zeros(max(ground.budget, len(trace)))
    hits[first] = ground.wanted[pages] & (pages >= 0)
    curve: Floats = np.cumsum(hits)
    curve.flags.writeable = False  # everybody who asks is given the same
    return curve


def targets(trace: Trace, ground: Ground, n: int) -> float:
    """Distinct targets among the first n fetches."""
    curve = found(trace, ground)
    return float(curve[min(n, len(curve)) - 1])


def recall(trace: Trace, ground: Ground, n: int) -> float:
    """Share of the reachable targets found in the first n fetches: |S ∩ T| ÷ |T|.

    Menczer et al. 2004, eq. 1, with T the targets that can be reached from the seeds.
    """
    return targets(trace, ground, n) / float(ground.wanted.sum())


def harvest(trace: Trace, ground: Ground, n: int) -> float:
    """Targets ÷ fetches, of the first n fetches or as many as there were; 0 without any."""
    fetched = min(n, len(trace))
    return targets(trace, ground, n) / fetched if fetched else 0.0


def first_target(trace: Trace, ground: Ground) -> float:
    """Fetches until the first target; budget + 1 if none was found."""
    curve = found(trace, ground)
    return float(np.argmax(curve > 0) + 1) if curve[-1] else float(ground.budget + 1)


def to_share(trace: Trace, ground: Ground, share: float) -> float:
    """Fetches until this share of the reachable targets is found, as a share of reachable pages.

    1 if that never happens: the whole web would have to be fetched.
    """
    needed = np.ceil(share * float(ground.wanted.sum()) - 1e-9)
    curve = found(trace, ground)
    if curve[-1] < needed:
        return 1.0
    return float(np.argmax(curve >= needed) + 1) / float(ground.reachable.sum())


def auc(trace: Trace, ground: Ground, part: float = 1.0) -> float:
    """Area under the recall curve: mean recall over the first part of the budget's fetches."""
    length = max(1, int(part * ground.budget))
    return float(found(trace, ground)[:length].mean() / ground.wanted.sum())


def log_reward(trace: Trace, ground: Ground, gamma: float) -> float:
    """log Σ γ^t over the fetches t = 0, 1, … that bring a target; −inf without any."""
    curve = found(trace, ground)
    steps = np.flatnonzero(np.diff(curve, prepend=0.0) > 0)
    if not len(steps):
        return -np.inf
    # The first term is taken out, because γ^t of a late target is 0 in floating point.
    powers = (steps - steps[0]) * np.log(gamma)
    return float(steps[0] * np.log(gamma) + np.log(np.exp(powers).sum()))


def reward(trace: Trace, ground: Ground, gamma: float) -> float:
    """Σ γ^t over the fetches t = 0, 1, … that bring a target."""
    return float(np.exp(log_reward(trace, ground, gamma)))


def relevant_hosts(trace: Trace, ground: Ground) -> float:
    """Distinct hosts on which targets were found."""
    pages = trace.pages[trace.pages >= 0]
    urls = (ground.web.url(int(page)) for page in pages[ground.wanted[pages]])
    return float(len({host(url) for url in urls}))


def text_bytes(trace: Trace, ground: Ground) -> float:
    """Bytes of visible text fetched, a page as often as it was fetched."""
    lengths = ground.web.text_lengths
    return float(lengths[trace.pages[trace.pages >= 0]].sum())


def cpu_ms_per_page(trace: Trace, ground: Ground) -> float:
    """The policy's own processor time for each fetch, in milliseconds."""
    return 1000.0 * trace.cpu_seconds / max(1, len(trace))


_PLAIN: dict[str, Metric] = {
    "first_target": first_target,
    "to25": partial(to_share, share=0.25),
    "to50": partial(to_share, share=0.50),
    "to75": partial(to_share, share=0.75),
    "to90": partial(to_share, share=0.90),
    "auc": auc,
    "auc20": partial(auc, part=0.2),
    "hosts": relevant_hosts,
    "bytes": text_bytes,
    "cpu_ms_per_page": cpu_ms_per_page,
}
_AT = {"targets": targets, "recall": recall, "harvest": harvest}
_GAMMA = {"reward": reward, "log_reward": log_reward}
POOLED = ("gap", "gap20", "worst", "cost", "performance_cost")  # over all runs: see summary.py
LOW_IS_GOOD = ("first_target", "to25", "to50", "to75", "to90", "bytes", "cpu_ms_per_page", "cost")


def metric(name: str) -> Metric:
    """The metric of a name such as `targets@1000`, `to75` or `reward:0.9`."""
    if name in _PLAIN:
        return _PLAIN[name]
    kind, at, number = name.partition("@")
    if at and kind in _AT and number.isdigit() and int(number) > 0:
        return partial(_AT[kind], n=int(number))
    kind, colon, number = name.partition(":")
    if colon and kind in _GAMMA:
        try:
            gamma = float(number)
        except ValueError:
            gamma = 0.0
        if 0 < gamma < 1:
            return partial(_GAMMA[kind], gamma=gamma)
    raise BadInput(
        f"unknown metric {name!r}; known: {', '.join(_PLAIN)}, "
        "targets@N, recall@N, harvest@N, similarity@N, reward:G, log_reward:G with 0 < G < 1, "
        + ", ".join(POOLED)
    )


def higher_is_better(name: str) -> bool:
    return name not in LOW_IS_GOOD
