"""Relevant is what a regular expression finds."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wolfspider.errors import BadInput
from wolfspider.records import Page, Verdict


@dataclass(frozen=True)
class PatternJudge:
    """A page is a target when the pattern is found in its title or visible text.

    Case does not matter. Only the first `most` characters are searched, so that a careless
    pattern cannot stop a crawl at a huge page.
    """

    pattern: re.Pattern[str]
    most: int = 200_000

    @classmethod
    def of(cls, pattern: str) -> PatternJudge:
        try:
            return cls(re.compile(pattern, re.IGNORECASE))
        except re.error as error:
            raise BadInput(f"not a regular expression: {pattern!r} ({error})") from error

    def judge(self, page: Page) -> Verdict:
        found = bool(self.pattern.search(f"{page.title}\n{page.text[: self.most]}"))
        return Verdict(float(found), found)
