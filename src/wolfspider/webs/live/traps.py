"""URLs that look like a hall of mirrors: the page they name was made for the crawler.

What cannot be told from one URL alone is a matter of budgets (see `budgets`).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

_PATH_DATE = re.compile(
    r"/(2[0-9]{3})[/-](?:(?:0[1-9]|1[0-2])(?![0-9])|[1-9][/-][0-3]?[0-9](?![0-9]))"
)
_CALENDAR = re.compile(  # a folder of that name, and a month below it
    r"/(?:cal|calendars?|kalender|calendrier|calendario|agenda)/(?:[a-z_-]+/)?"
    r"([0-9]{4})[/-](?:0?[1-9]|1[0-2])(?![0-9])",
    re.I,
)
_ISO_DATE = re.compile(r"([0-9]{4})-(?:0?[1-9]|1[0-2])(?![0-9])")
_PLAIN_DATE = re.compile(r"([0-9]{4})(?:0[1-9]|1[0-2])(?:[0-3][0-9])?")
_YEARS = frozenset(("year", "y", "yr", "yyyy", "jahr", "annee", "anno", "ano"))
_MONTHS = frozenset(("month", "m", "mon", "mo", "mm", "monat", "mois", "mes", "mese", "week", "kw"))
_DATES = frozenset(("date", "day", "datum", "calendar", "cal", "tribe-bar-date"))
_ENDS = frozenset(("d", "month", "start", "end", "from", "to"))  # 203105 may be a place in a list

_SESSION_NAMES = """
session sess sid s_id sessid session_id sessionid session-id sessionkey phpsessid jsessionid
aspsessionid cfid cftoken oscsid zenid xtcsid visitorid
"""
_SESSIONS = frozenset(_SESSION_NAMES.split())
_ALWAYS = frozenset(("phpsessid", "jsessionid", "oscsid", "zenid", "xtcsid"))  # whatever it is
_TOKEN = re.compile(r"(?=.*[0-9])(?=.*[a-zA-Z])[0-9a-zA-Z_-]{16,}")
_PATH_SESSION = re.compile(r"/\((?:[A-Z]\([0-9a-zA-Z_-]{16,}\))+\)/|;[a-z]*sess(?:ion)?id=", re.I)


@dataclass(frozen=True)
class Traps:
    """How much oddness a URL may have.

    Dates too far ahead are refused wherever they stand, since calendars never end. Dates too
    far back only in parameters, newspapers keep /1851/09/18/, but `?year=1234` is a calendar;
    and in folders with the name of a calendar.
    """

    longest_url: int = 2000
    longest_query: int = 1000
    most_parameters: int = 16
    deepest_path: int = 20  # segments
    most_repeats: int = 2  # of a segment, or a row of segments, one right after the other
    years_ahead: int = 2
    years_back: int = 200
    calendar_back: int = 30  # years, in a folder that is called so
    wall: Callable[[], float] = time.time

    def refusal(self, url: str) -> str | None:
        """Why this canonical URL looks like a trap, or None."""
        address, _, query = url.partition("?")
        path = address[address.index("/", 8) :]
        parameters = query.split("&") if query else []
        return (
            self._too_big(url, path, query, parameters)
            or self._repeats(path[1:].removesuffix("/").split("/"))
            or _session(path, parameters)
            or self._calendar(path, parameters)
        )

    def _too_big(self, url: str, path: str, query: str, parameters: Sequence[str]) -> str | None:
        if len(url) > self.longest_url:
            return f"its URL is longer than {self.longest_url} characters"
        if len(query) > self.longest_query:
            return f"its query is longer than {self.longest_query} characters"
        if len(parameters) > self.most_parameters:
            return f"it has more than {self.most_parameters} parameters"
        if path.rstrip("/").count("/") > self.deepest_path:
            return f"its path is deeper than {self.deepest_path} segments"
        return None

    def _repeats(self, segments: Sequence[str]) -> str | None:
        """Whether a row of segments comes more than `most_repeats` times on end."""
        for length in range(1, len(segments) // (self.most_repeats + 1) + 1):
            run = 0  # segments that are as the one `length` before
            for now, then in zip(islice(segments, length, None), segments, strict=False):
                run = run + 1 if now == then else 0
                if run >= length * self.most_repeats:
                    return f"its path repeats itself more than {self.most_repeats} times"
        return None

    def _calendar(self, path: str, parameters: Sequence[str]) -> str | None:
        in_path = [int(year) for year in _PATH_DATE.findall(path)]
        in_query = _parameter_years(parameters) if parameters else []
        in_calendar = [int(year) for year in _CALENDAR.findall(path)]
        if not (in_path or in_query or in_calendar):
            return None
        now = time.gmtime(self.wall()).tm_year
        # A calendar is met at its near end; what is beyond a century is a number, not a year.
        far = [year for year in in_path if self.years_ahead < year - now < 100]
        far += [y for y in in_query if not -self.years_back <= y - now <= self.years_ahead]
        far += [y for y in in_calendar if not -self.calendar_back <= y - now <= self.years_ahead]
        return f"it is a calendar page of the year {far[0]}" if far else None


def _parameter_years(parameters: Sequence[str]) -> list[int]:
    """Years of dates in a query: `year=2031&month=5`, `date=2031-05-12`."""
    pairs = [(n.lower(), v) for n, _, v in (p.partition("=") for p in parameters)]
    names = {name for name, _ in pairs}
    years = []
    for name, value in pairs:
        if name in _YEARS and names & _MONTHS and re.fullmatch("[0-9]{1,6}", value):
            years.append(int(value))
        elif name in _DATES | _ENDS:
            date = _ISO_DATE.match(value) or (name in _DATES and _PLAIN_DATE.fullmatch(value))
            years += [int(date[1])] if date else []
    return years


def _session(path: str, parameters: Sequence[str]) -> str | None:
    """Whether the URL names a visitor, so that each visit would find new URLs."""
    if _PATH_SESSION.search(path):
        return "its path carries a session id"
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        named = name.lower()
        if named in _ALWAYS or (named in _SESSIONS and _TOKEN.fullmatch(value)):
            return f"its parameter {name} is a session id"
    return None
