"""The page: what the template is given."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from markupsafe import Markup

from wolfspider import __version__
from wolfspider.drawing.axes import Axis
from wolfspider.drawing.charts import Series, line_chart
from wolfspider.drawing.html import environment, shown
from wolfspider.drawing.looks import Look, few
from wolfspider.forecasting import Forecast
from wolfspider.hunt_report import saying
from wolfspider.hunt_report.account import Account, Waiting
from wolfspider.records import Floats
from wolfspider.standing import LATELY
from wolfspider.webs.live.errors import KINDS
from wolfspider.webs.live.web import REFUSALS
from wolfspider.wording import percent

_WIDE, _NARROW = (1000, 360), (390, 280)
_POINTS, _FEW_POINTS = 300, 120
_ROWS = 10  # of the curve as a table
_FOUND, _MEAN = Look(0), Look(0, oracle=True)
_LONG = 180  # characters
_FIRST = 25  # finds that are seen at once; the others unfold


def html_of(account: Account) -> str:
    """The page as text."""
    made = environment("wolfspider.hunt_report")
    made.filters |= {"percent": lambda share: together(percent(share)), "short": short}
    made.tests["of_the_web"] = is_of_the_web
    template = made.get_template("hunt.html.j2")
    return template.render(page=Page(account), of=account, first=_FIRST)


def is_of_the_web(url: str) -> bool:
    """Whether a browser may be sent there: nothing that runs, and no file."""
    return url.startswith(("http://", "https://"))


def together(text: str) -> str:
    """A text in which no line ends between a number and its %."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def short(text: str, most: int = _LONG) -> str:
    """A text as far as there is room, without what no page can show."""
    text = shown(text)
    return text if len(text) <= most else f"{text[: most - 1]}…"


@dataclass(frozen=True)
class Page:
    """One page on one hunt."""

    of: Account

    @property
    def title(self) -> str:
        return str(self.of.standing["topic"] or "A hunt")

    @property
    def lead(self) -> str:
        parts = (saying.what_came, saying.how_long, saying.how_it_ended)
        return together(" ".join(filter(None, (part(self.of.standing) for part in parts))))

    @property
    def facts(self) -> list[tuple[str, str]]:
        of = self.of.standing
        failed = sum(each["count"] for each in of["errors"] if not each["refused"])
        said = [("pages", f"{of['pages']:,}"), ("relevant", f"{of['relevant']:,}")]
        said += [("harvest rate", percent(of["harvest_rate"]))]
        if of["pages"] > LATELY:
            said += [(f"of the last {LATELY}", percent(of["harvest_rate_lately"]))]
        if of["targets"] != of["relevant"]:
            said += [("targets", f"{of['targets']:,}")]
        counts = {"hosts": of["hosts"], "failed": failed, "refused": of["refused"]}
        counts |= {"links that wait": of["waiting"], "bytes": of["bytes"]}
        return said + [(name, f"{count:,}") for name, count in counts.items() if count]

    # -- the curve -------------------------------------------------------------------------

    @cached_property
    def _found(self) -> Floats:
        """Relevant pages after so many fetches, from none on."""
        return np.concatenate([[0.0], np.cumsum(self.of.verdicts, dtype=float)])

    def wide(self) -> Markup:
        return self._curve(_POINTS, _WIDE, (6, 5))

    def narrow(self) -> Markup:
        return self._curve(_FEW_POINTS, _NARROW, (4, 4))

    def _curve(self, points: int, size: tuple[int, int], about: tuple[int, int]) -> Markup:
        found = self._found
        last, all_found = float(len(found) - 1), float(found[-1])
        curve = Series("found", _FOUND, np.arange(len(found), dtype=float), found).thinned(points)
        mean = Series("at the mean rate", _MEAN, np.array([0.0, last]), np.array([0.0, all_found]))
        words = f"{all_found:,.0f} relevant pages in {last:,.0f} fetches"
        # At least so many, so that no half pages are marked.
        x, y = Axis("fetches", max(last, 6)), Axis("relevant pages", max(all_found, 5))
        return line_chart(words, [curve, mean], x, y, size=size, labels=False, about=about)

    def legend(self) -> list[tuple[Markup, str]]:
        mean = f"at the mean rate, {percent(self.of.standing['harvest_rate'])}"
        return [(_FOUND.swatch(), "relevant pages found"), (_MEAN.swatch(), mean)]

    def steps(self) -> list[tuple[int, int, str]]:
        """The curve as a table: fetches, relevant pages so far, harvest rate of the stretch."""
        last = len(self._found) - 1
        places = np.unique(np.linspace(0, last, min(_ROWS, last) + 1).round().astype(int)).tolist()
        found = self._found[places].astype(int).tolist()
        rates = np.diff(found) / np.diff(places)
        return list(zip(places[1:], found[1:], map(percent, rates.tolist()), strict=True))

    # -- tables ----------------------------------------------------------------------------

    def forecasts(self) -> list[Forecast]:
        return [Forecast.of(each) for each in self.of.standing["forecast"]]

    def bar(self, share: float, mean: float, look: int) -> Markup:
        """A bar for a share, with a mark where the whole hunt is."""
        end, middle = (f"{few(100 * each, 2)}%" for each in (share, mean))
        drawn = (
            '<svg class="share" width="100%" height="12" aria-hidden="true">'
            '<rect class="track" y="2" width="100%" height="8" rx="2"/>{}{}</svg>'
        )
        bar = Markup('<rect class="bar {}" y="2" width="{}" height="8" rx="2"/>')
        mark = Markup('<line class="whisker" x1="{0}" x2="{0}" y1="0" y2="12"/>').format(middle)
        return Markup(drawn).format(bar.format(Look(look).css, end), mark)

    @property
    def lack(self) -> str:
        """Why there are no clues to show."""
        return self.of.clues.lacking(self.of.explains)

    @property
    def mean(self) -> float:
        """The share of relevant pages among those that clues led to."""
        return self.of.clues.relevant / (self.of.clues.pages or 1)

    def hosts(self) -> list[dict[str, Any]]:
        return [each for each in self.of.standing["best_hosts"] if each["relevant"]]

    def meaning(self, kind: str) -> str:
        return REFUSALS.get(kind) or KINDS.get(kind) or ""

    @property
    def clues_of_finds(self) -> bool:
        """Whether something is known of what spoke for the finds."""
        return self.of.clues.pages > 0

    @property
    def measure(self) -> str:
        """What links that wait are compared by."""
        return "score" if self.of.waiting[0].expected is None else "expected yield"

    def promise(self, link: Waiting) -> str:
        return f"{link.score:.3g}" if link.expected is None else percent(link.expected)

    # -- commands and versions -------------------------------------------------------------

    def command(self, name: str, *more: str) -> str:
        return shlex.join(["wolfspider", name, self.of.standing["folder"], *more])

    @property
    def versions(self) -> str:
        asked = self.of.version
        return f"Wolfspider {__version__}" + (f" from a hunt of {asked}" * (asked != __version__))
