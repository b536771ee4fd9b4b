"""Rules that end a hunt, in words.

    yield < 1/200           the share of relevant pages among the last fetches fell below it
    nothing for 500         no relevant page among the last 500 fetches
    forecast < 5 per 1000   even the upper end of the forecast for the next 1,000 is below it
    relevant 500, pages 10000, minutes 30, bytes 2G      budgets

A rule sees the verdict of every fetch, in order, and what waiting links promised then; nothing
else. Fetches that fail count, as fetches that found nothing; links that were refused were never
asked for and do not count.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wolfspider.errors import BadInput
from wolfspider.forecasting import NOTHING, Forecaster, Promised

NONE = "none"  # instead of rules: none of those of before
BUDGETS = ("pages", "relevant", "bytes", "minutes")
GRAMMAR = (
    '"yield < 1/200" (or 0.5%, 0.005), "nothing for 500", "forecast < 5 per 1000", '
    '"relevant 500", "pages 10000", "minutes 30", "bytes 2G"'
)
FEWEST = 100  # fetches that a yield is measured over, at least
FINDS = 3  # that a yield just at its threshold would bring in the fetches it is measured over
_MOST = 10_000_000  # fetches that a rule may look at
_AHEAD = 100_000  # and ahead
_DIGITS = 100  # of a number that is worth reading

_WRITTEN = {"bytes": ("number", "500M or 2G"), "minutes": ("number", "30 or 1.5")}
_SIZES = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_THOUSANDS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:,\d{3})+(?!\d|,\d)")
_NUMBER = r"(\d+(?:\.\d+)?|\.\d+)"
_YIELD = re.compile(rf"yield ?< ?(?:{_NUMBER} ?/ ?{_NUMBER}|{_NUMBER} ?(%?))")
_NOTHING = re.compile(r"nothing for (\d+)")
_FORECAST = re.compile(rf"forecast ?< ?{_NUMBER} (?:per|in) (\d+)")
_BUDGET = re.compile(rf"({'|'.join(BUDGETS)}) (\S+)")


class Rule(Protocol):
    """Sees every verdict, and says when the hunt is to end; as a `Forecaster` sees them."""

    def add(self, relevant: bool, promised: Promised | None = None) -> None: ...

    def extend(self, relevant: NDArray[np.bool_], promised: Promised = NOTHING) -> None:
        """Many at once, as if one after the other."""

    def reason(self) -> str:
        """Why the hunt ends now, in words; nothing if it goes on."""


class YieldBelow:
    """The share of relevant pages among the last fetches is below a threshold.

    They are as many as bring three relevant pages at the threshold, and at least 100: "< 1/200"
    looks at the last 600. Before there are so many it says nothing.
    """

    def __init__(self, threshold: float, shown: str = "") -> None:
        self.threshold = threshold
        self.shown = shown or f"{threshold:g}"
        self.window = max(FEWEST, math.ceil(FINDS / threshold - 1e-9))
        self._ring = bytearray(self.window)  # the verdict of fetch n stands at n modulo its length
        self._seen = self._found = 0

    def add(self, relevant: bool, promised: Promised | None = None) -> None:
        place = self._seen % self.window
        self._found += relevant - self._ring[place]
        self._ring[place] = relevant
        self._seen += 1

    def extend(self, relevant: NDArray[np.bool_], promised: Promised = NOTHING) -> None:
        last = relevant[-self.window :]
        self._seen += len(relevant) - len(last)
        for each in last.tolist():
            self.add(each)

    def reason(self) -> str:
        if self._seen < self.window or self._found >= self.threshold * self.window - 1e-9:
            return ""
        found = _pages(self._found) if self._found else "no relevant page"
        return f"yield fell below {self.shown}: {found} among the last {self.window:,} fetches"


class NothingFor:
    """No relevant page among the last so many fetches."""

    def __init__(self, fetches: int) -> None:
        self.fetches = fetches
        self._since = 0

    def add(self, relevant: bool, promised: Promised | None = None) -> None:
        self._since = 0 if relevant else self._since + 1

    def extend(self, relevant: NDArray[np.bool_], promised: Promised = NOTHING) -> None:
        found = np.flatnonzero(relevant)
        if len(found):
            self._since = len(relevant) - 1 - int(found[-1])
        else:
            self._since += len(relevant)

    def reason(self) -> str:
        if self._since < self.fetches:
            return ""
        return f"no relevant page among the last {self._since:,} fetches"


class ForecastBelow:
    """Even the upper end of the forecast is below a number of relevant pages.

    It is looked at ten times in each horizon, and not before one horizon is over.
    """

    def __init__(self, threshold: float, horizon: int) -> None:
        self.threshold = threshold
        self._forecaster = Forecaster(horizon)

    def add(self, relevant: bool, promised: Promised | None = None) -> None:
        self._forecaster.add(relevant, promised)

    def extend(self, relevant: NDArray[np.bool_], promised: Promised = NOTHING) -> None:
        self._forecaster.extend(relevant, promised)

    def reason(self) -> str:
        last = self._forecaster.last
        if self._forecaster.seen < last.horizon or last.high >= self.threshold:
            return ""
        return (
            f"forecast fell below {self.threshold:g} per {last.horizon:,}: the next "
            f"{last.horizon:,} fetches would bring {last.expected:.1f} relevant pages, "
            f"hardly more than {last.high}"
        )


class Rules:
    """All rules of a hunt; any of them ends it."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._rules = [rule for rule in map(parse, texts) if not isinstance(rule, dict)]

    def add(self, relevant: bool, promised: Promised | None = None) -> None:
        for rule in self._rules:
            rule.add(relevant, promised)

    def extend(self, relevant: NDArray[np.bool_], promised: Promised = NOTHING) -> None:
        for rule in self._rules:
            rule.extend(relevant, promised)

    def reason(self) -> str:
        return next((reason for rule in self._rules if (reason := rule.reason())), "")


# -- words ---------------------------------------------------------------------------------


def parse(text: str) -> Rule | dict[str, Any]:
    """A rule that has seen nothing yet, or a budget with its name."""
    words = _words(text)
    if words == NONE:
        raise BadInput(
            f"--stop {NONE} takes rules of before away; a new hunt has none, leave it out"
        )
    if match := _YIELD.fullmatch(words):
        return _yield_below(text, *match.groups())
    if match := _NOTHING.fullmatch(words):
        return NothingFor(_fetches(text, match[1], _MOST))
    if match := _FORECAST.fullmatch(words):
        return _forecast_below(text, match[1], match[2])
    if match := _BUDGET.fullmatch(words):
        return {match[1]: _amount(text, match[1], match[2])}
    raise BadInput(
        f"{text!r} is no rule to stop by; write one as {GRAMMAR}; resume takes {NONE}, too"
    )


def budgets_in(texts: Iterable[str]) -> dict[str, Any]:
    """The budgets among rules; of several with one name the smallest."""
    budgets: dict[str, Any] = {}
    for rule in map(parse, texts):
        for name, value in rule.items() if isinstance(rule, dict) else ():
            budgets[name] = min(value, budgets.get(name, value))
    return budgets


def without_budgets(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(text for text in texts if not isinstance(parse(text), dict))


def _words(text: str) -> str:
    """In small letters, one space between them, and no commas between thousands."""
    words = " ".join(text.lower().split())
    words = _THOUSANDS.sub(lambda number: number[0].replace(",", ""), words)
    if re.search(r",\d", words):
        raise BadInput(
            f"the comma in {text!r} does not stand between thousands, as in 10,000; "
            "write a fraction with a point, as in 0.5"
        )
    return words.replace(",", "")


def size_of(text: str) -> int:
    """Bytes, as 500M or 2G; ValueError for anything else."""
    bare = text.strip().lower().removesuffix("b").removesuffix("i")
    unit = _SIZES.get(bare[-1:], 1)
    try:
        return int(float(bare[:-1] if unit > 1 else bare) * unit)
    except (ValueError, OverflowError):
        raise ValueError(f"{text!r} is not a size; write it as 500M or 2G") from None


def _yield_below(text: str, part: str, whole: str, share: str, percent: str) -> YieldBelow:
    top, bottom = (part, whole) if part else (share, "100" if percent else "1")
    if not 0 < float(top) < float(bottom):
        raise BadInput(f"the yield of {text!r} is not between 0 and 1; write it as 1/200 or 0.5%")
    if float(bottom) / float(top) > _MOST / FINDS:
        raise BadInput(
            f"to measure the yield of {text!r} takes more than {_MOST:,} fetches; "
            f"the least that can be asked for is {FINDS}/{_MOST}"
        )
    shown = f"{part}/{whole}" if part else f"{share}{' %' if percent else ''}"
    return YieldBelow(float(top) / float(bottom), shown)


def _forecast_below(text: str, threshold: str, horizon: str) -> ForecastBelow:
    fetches = _fetches(text, horizon, _AHEAD)
    if not 0 < float(threshold) <= fetches:
        raise BadInput(
            f"{threshold} in {text!r} is not from above 0 to {fetches:,}, so it would always hold "
            "or never; write it as in: forecast < 5 per 1000"
        )
    return ForecastBelow(float(threshold), fetches)


def _fetches(text: str, number: str, most: int) -> int:
    if len(number) > _DIGITS:
        raise BadInput(f"a rule with a number of {len(number):,} digits; give from 1 to {most:,}")
    if not 1 <= int(number) <= most:
        raise BadInput(f"{text!r} is about {int(number):,} fetches; give from 1 to {most:,}")
    return int(number)


def _amount(text: str, name: str, value: str) -> int | float:
    try:
        return (
            size_of(value) if name == "bytes" else float(value) if name == "minutes" else int(value)
        )
    except ValueError:
        number, shown = _WRITTEN.get(name, ("whole number", "10000"))
        raise BadInput(f"{value!r} in {text!r} is no {number}; write it as {shown}") from None


def _pages(count: int) -> str:
    return f"{count:,} relevant page{'' if count == 1 else 's'}"
