"""What the results say: the table with its marks, and one sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from wolfspider.errors import BadInput
from wolfspider.lab.metrics import POOLED, higher_is_better
from wolfspider.lab.oracles import ORACLES
from wolfspider.lab.report.glossary import title
from wolfspider.lab.statistics import Comparison
from wolfspider.lab.summary import Cell, Summary, cell

_LEVELS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
_TESTED_BY = {"gap": "auc", "gap20": "auc20", "worst": "auc", "performance_cost": "auc"}


def is_oracle(policy: str) -> bool:
    """Whether the policy knows the answers."""
    return policy.partition(":")[0] in ORACLES


@dataclass(frozen=True)
class Entry:
    """One cell of the table."""

    text: str
    error: str = ""
    better: bool | None = None  # than the baseline, beyond chance; None: chance could be
    stars: str = ""
    words: str = ""
    best: bool = False


@dataclass(frozen=True)
class Row:
    policy: str
    oracle: bool
    baseline: bool
    starts: int
    entries: tuple[Entry, ...]
    versus: Entry | None


@dataclass(frozen=True)
class Findings:
    """The results seen by one metric, against one baseline."""

    summary: Summary
    metric: str = "auc"
    baseline: str = "breadth-first"

    def check(self) -> None:
        """Say what is wrong with the metric or the baseline."""
        if self.baseline not in self.summary.policies:
            known = ", ".join(self.summary.policies)
            raise BadInput(f"no runs of {self.baseline!r} in these results; known: {known}")
        if self.metric == "performance_cost" and not self.summary.described:
            raise BadInput("performance_cost needs a description in every task of the results")
        if self.metric not in POOLED:
            self.summary.values(self.baseline, self.metric)

    @cached_property
    def table(self) -> dict[str, dict[str, Cell]]:
        """Every metric of every policy, the chosen one too."""
        table = {policy: dict(row) for policy, row in self.summary.table().items()}
        for policy, row in table.items():
            if self.metric not in row:
                row[self.metric] = cell(self.summary.values(policy, self.metric))
        return table

    @property
    def columns(self) -> list[str]:
        """The chosen metric first, then what most people look at."""
        usual = f"targets@{self.summary.budget} auc gap gap20 worst to50 to90 first_target"
        return list(dict.fromkeys([self.metric, *usual.split(), "cpu_ms_per_page"]))

    @property
    def tested(self) -> str:
        """The metric that the test is about: one number for all tasks allows none."""
        return _TESTED_BY.get(self.metric, self.metric)

    @property
    def high_is_good(self) -> bool:
        return higher_is_better(self.metric)

    @cached_property
    def order(self) -> list[str]:
        """Policies, best first."""
        sign = -1 if self.high_is_good else 1

        def rank(policy: str) -> float:
            mean = self.table[policy][self.metric]["mean"]
            return math.inf if mean is None else sign * mean

        return sorted(self.table, key=rank)

    def comparisons(self, name: str, baseline: str | None = None) -> dict[str, Comparison]:
        """Against the baseline; none where the metric allows no test."""
        if name in _TESTED_BY:
            return {}
        values = (self.summary.values(policy, name) for policy in self.summary.policies)
        if not all(math.isfinite(value) for each in values for value in each.values()):
            return {}
        return self.summary.compare(baseline or self.baseline, name)

    @cached_property
    def _against(self) -> dict[str, dict[str, Comparison]]:
        return {name: self.comparisons(name) for name in {*self.columns, self.tested}}

    @property
    def starts(self) -> int:
        return len(self.summary.units)

    # -- the table -------------------------------------------------------------------------

    def rows(self) -> list[Row]:
        best = {name: self._best(name) for name in self.columns}
        return [
            Row(
                policy,
                is_oracle(policy),
                policy == self.baseline,
                sum((policy, unit) in self.summary.by_unit for unit in self.summary.units),
                tuple(self._entry(policy, name, best[name] == policy) for name in self.columns),
                self._versus(policy),
            )
            for policy in self.order
        ]

    def _best(self, name: str) -> str | None:
        means = {p: self.table[p][name]["mean"] for p in self.table if not is_oracle(p)}
        known = {policy: mean for policy, mean in means.items() if mean is not None}
        choose = max if higher_is_better(name) else min
        return choose(known, key=lambda policy: known[policy]) if len(known) > 1 else None

    def _entry(self, policy: str, name: str, best: bool) -> Entry:
        found, among = self.table[policy][name], self._column(name)
        text, error = (number(found[key], among) for key in ("mean", "se"))
        compared = self._against[name].get(policy)
        if compared is None:
            return Entry(text, error, best=best)
        better, stars = verdict(compared, name)
        return Entry(text, error, better, stars, p_text(compared.p_holm), best)

    def _versus(self, policy: str) -> Entry | None:
        compared = self._against[self.tested].get(policy)
        if compared is None:
            return None
        better, stars = verdict(compared, self.tested)
        interval = f"{self._signed(compared.interval[0])} to {self._signed(compared.interval[1])}"
        words = f"{p_text(compared.p_holm)}, {compared.wins} of {compared.pairs}"
        return Entry(self._signed(compared.difference), interval, better, stars, words)

    def _column(self, name: str) -> float:
        """The largest size in a column, which decides about digits for all of it."""
        means = (row[name]["mean"] for row in self.table.values() if name in row)
        return max((abs(mean) for mean in means if mean is not None), default=0.0)

    def _signed(self, value: float) -> str:
        return number(value, self._column(self.tested), sign=True)

    def shown(self, policy: str, name: str) -> str:
        return number(self.table[policy][name]["mean"], self._column(name))

    # -- the sentence ----------------------------------------------------------------------

    @cached_property
    def best(self) -> str:
        """The best policy that does not know the answers."""
        return next((policy for policy in self.order if not is_oracle(policy)), self.order[0])

    @cached_property
    def second(self) -> str | None:
        others = (p for p in self.order if not is_oracle(p) and p != self.best)
        return next(others, None)

    def headline(self) -> str:
        """Who is best, by how much over the baseline, and whether chance could explain it."""
        return f"{self.best} {self.claim()}"

    def claim(self) -> str:
        """The headline after its first word, which is a policy."""
        what = f"{self.metric} ({title(self.metric)})"
        if self.table[self.best][self.metric]["mean"] is None:
            return f"comes first, but no policy has a finite {what} in these results."
        first = f"is best by {what}: {self.shown(self.best, self.metric)}"
        if self.best == self.baseline:
            return first + "; no policy here beats this baseline."
        compared = self._against[self.tested].get(self.best)
        if compared is not None:
            joined = ", which is" if self.tested == self.metric else f"; by {self.tested} it has"
            return f"{first}{joined} {self._lead(compared, self.baseline)}"
        if self.table[self.baseline][self.metric]["mean"] is None:
            return first + f"; {self.baseline} has no finite value."
        return first + f", against {self.shown(self.baseline, self.metric)} of {self.baseline}."

    def runner_up(self) -> str:
        """How safe the first place is."""
        if self.second is None or self.second == self.baseline or self.best == self.baseline:
            return ""
        compared = self.comparisons(self.tested, self.second).get(self.best)
        if compared is None:
            return ""
        score = self.shown(self.second, self.metric)
        by = "" if self.tested == self.metric else f" by {self.tested}"
        return f"Next is {self.second} with {score}; {self.best} has{by} " + self._lead(
            compared, "it"
        )

    def _lead(self, compared: Comparison, than: str) -> str:
        more = "more" if compared.difference >= 0 else "less"
        low, high = (self._signed(end) for end in compared.interval)
        size = self._signed(compared.difference).lstrip("+−")
        return (
            f"{size} {more} than {than} "
            f"(95 % interval of the difference {low} to {high}, {p_text(compared.p_holm)})"
            + self._doubt(compared)
        )

    def _doubt(self, compared: Comparison) -> str:
        if compared.p_holm < 0.05:
            return "."
        least = 2.0 ** (1 - compared.pairs) * (len(self.summary.policies) - 1)
        if least >= 0.05:  # even if every pair says the same
            starts = "one start" if compared.pairs == 1 else f"{compared.pairs} starts"
            return f"; with {starts} no difference can be told from chance."
        return "; chance could explain that."


def verdict(compared: Comparison, name: str) -> tuple[bool | None, str]:
    """Whether it is better than the baseline, and how surely; None if that is not clear."""
    stars = next((stars for level, stars in _LEVELS if compared.p_holm < level), "")
    if not stars:
        return None, ""
    return (compared.difference > 0) == higher_is_better(name), stars


def p_text(p: float) -> str:
    return "p\xa0<\xa00.001" if p < 0.001 else f"p\xa0=\xa0{p:.2g}" if p < 0.995 else "p\xa0=\xa01"


def number(value: float | None, among: float, *, sign: bool = False) -> str:
    """A number with as many digits as its column needs, which holds sizes up to `among`."""
    if value is None or not math.isfinite(value):
        return "–"
    digits = next(
        (d for least, d in ((100, 0), (10, 1), (0.01, 3)) if among >= least), 5 if among else 3
    )
    rounded = round(value, digits) or 0.0  # never −0
    return f"{rounded:{'+' if sign else ''},.{digits}f}".replace("-", "−")
