"""The judge of a hunt: somebody looks over its shoulder, and pages have a say."""

from __future__ import annotations

from collections.abc import Mapping

from wolfspider.protocols import Judge
from wolfspider.records import NOTHING, Page, PageFlag, Verdict

_NOINDEX = int(PageFlag.NOINDEX)  # enumerations are slow to ask


class CorrectedJudge:
    """Another judge's word, but for pages on which a person has had the last.

    A page that asks not to be indexed is never a find of a hunt. In the lab it is what it is: which
    pages are targets there is said by the task, and nobody is asked for anything.
    """

    def __init__(self, judge: Judge, corrections: Mapping[str, Verdict]) -> None:
        self.uncorrected = judge
        self._corrections = dict(corrections)  # by URL

    def correct(self, url: str, verdict: Verdict) -> None:
        self._corrections[url] = verdict

    def judge(self, page: Page) -> Verdict:
        if page.flags & _NOINDEX:
            return NOTHING
        return self._corrections.get(page.url) or self.uncorrected.judge(page)
