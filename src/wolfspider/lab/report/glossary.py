"""Every metric in plain words."""

from __future__ import annotations

_WORDS = {
    "auc": (
        "area under the recall curve",
        "The share of the targets found so far, averaged over all fetches of the budget. "
        "1 would mean that every target was found at once; a crawl that finds them late is "
        "near 0. It rewards finding much and finding it early.",
    ),
    "auc20": (
        "area under the first fifth of the recall curve",
        "Like auc, but only over the first 20 % of the budget: how good the start is.",
    ),
    "gap": (
        "share of the possible gain",
        "How much of the way from breadth-first to the optimum a policy goes, measured by "
        "auc over all tasks together: 0 is as good as breadth-first, 1 is as good as an oracle "
        "that knows where the targets are, below 0 is worse than breadth-first.",
    ),
    "gap20": (
        "share of the possible gain, early",
        "Like gap, measured by auc20: the first 20 % of the budget only.",
    ),
    "worst": (
        "gap of the worst task",
        "The smallest gap among the tasks. A policy that is good on the average but fails on "
        "one kind of topic shows it here.",
    ),
    "targets": (
        "targets found",
        "How many targets were among the first N fetches.",
    ),
    "recall": (
        "recall",
        "Which share of the targets that can be reached was among the first N fetches.",
    ),
    "harvest": (
        "harvest rate",
        "Which share of the first N fetches were targets.",
    ),
    "similarity": (
        "similarity to the description",
        "How much the pages fetched so far resemble the task's description, on average "
        "(cosine of TF-IDF vectors). The crawler never sees the description.",
    ),
    "first_target": (
        "fetches to the first target",
        "How many fetches until the first target was found; one more than the budget where "
        "none was. Low is good.",
    ),
    "to": (
        "share of the web fetched until a share of the targets is found",
        "to50 is the share of the reachable pages that had to be fetched before half of the "
        "targets were found (to90: nine tenths). 1 where that never happened. Low is good.",
    ),
    "hosts": ("hosts with targets", "On how many different hosts targets were found."),
    "bytes": ("text fetched", "Bytes of visible text on the pages fetched."),
    "reward": (
        "discounted reward",
        "Each target counts γ to the power of the fetches before it, so that a late one counts "
        "less than an early one.",
    ),
    "log_reward": (
        "logarithm of the discounted reward",
        "The reward on a scale on which very small values can still be told apart.",
    ),
    "cpu_ms_per_page": (
        "processor time a page",
        "Milliseconds that the policy itself takes for each fetch, to choose and to learn, "
        "without fetching and parsing. It depends on the machine. Low is good.",
    ),
    "cost": (
        "relative cost",
        "The policy's processor time divided by the mean of all in these results but oracles: "
        "1 is as dear as the average, 2 twice as dear. Low is good.",
    ),
    "performance_cost": (
        "performance for its cost",
        "Mean recall times mean similarity, divided by the mean relative cost.",
    ),
}
_OTHER = (
    (
        "± and bands",
        "One standard error of the mean over starts. A start is a task from certain start pages; "
        "repeats from the same start are averaged first, because they are no new evidence "
        "about the web.",
    ),
    (
        "* ** ***",
        "p below 0.05, 0.01, 0.001: Wilcoxon signed-rank test over pairs of the same start, "
        "corrected for the number of policies compared (Holm). Without a star, chance could "
        "explain the difference.",
    ),
    (
        "interval",
        "95 % bootstrap interval of the mean difference over starts.",
    ),
    (
        "oracle",
        "A crawler that is given the link graph and the targets. It shows what would be "
        "possible; no real policy could do it.",
    ),
)


def title(name: str) -> str:
    """A metric in a few words: `targets@1000` is 'targets found in 1,000 fetches'."""
    kind, at, number = name.partition("@")
    words = _WORDS[_key(name)][0]
    if at:
        return f"{words} in {int(number):,} fetches"
    if _key(name) == "to":
        return f"share of the web fetched until {name[2:]} % of the targets are found"
    return words + (f", γ = {name.partition(':')[2]}" if ":" in kind else "")


def meaning(name: str) -> str:
    return _WORDS[_key(name)][1]


def glossary(names: list[str]) -> list[tuple[str, str, str]]:
    """Name, title and meaning of these metrics, each once, and of the signs used."""
    kinds = dict.fromkeys(map(_key, names))
    shown = {"to": "to50, to90"} | {kind: f"{kind}@N" for kind in ("targets", "recall", "harvest")}
    entries = [(shown.get(kind, kind), *_WORDS[kind]) for kind in kinds]
    return [*entries, *((name, "", words) for name, words in _OTHER)]


def _key(name: str) -> str:
    kind = name.partition("@")[0].partition(":")[0]
    return "to" if kind.startswith("to") and kind[2:].isdigit() else kind
