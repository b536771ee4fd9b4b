"""A judge with somebody looking over its shoulder."""

from __future__ import annotations

from collections.abc import Mapping

from wolfspider.protocols import Judge
from wolfspider.records import Page, Verdict


class CorrectedJudge:
    """Another judge's word, but for pages on which a person has had the last."""

    def __init__(self, judge: Judge, corrections: Mapping[str, Verdict]) -> None:
        self._judge = judge
        self._corrections = dict(corrections)  # by URL

    def correct(self, url: str, verdict: Verdict) -> None:
        self._corrections[url] = verdict

    def judge(self, page: Page) -> Verdict:
        return self._corrections.get(page.url) or self._judge.judge(page)
