"""Relevant is what speaks of the topic's keywords, often for its length."""

from __future__ import annotations

from dataclasses import dataclass

from wolfspider.errors import BadInput
from wolfspider.records import Page, Verdict
from wolfspider.topics import Topic


@dataclass(frozen=True)
class KeywordJudge:
    """Mean over the keywords of tf / (tf + 1 + length / `pace`), scaled so that `level` is 0.5.

    A keyword counts half when it stands once, and once more for every `pace` words of the
    page: a long page has to mean it. A page is a target when it is relevant.
    """

    topic: Topic
    pace: float = 200.0
    level: float = 0.3

    def __post_init__(self) -> None:
        if not self.topic.terms.length:
            raise BadInput("the topic has no keywords to look for in a page; give at least one")

    def judge(self, page: Page) -> Verdict:
        keywords, terms = self.topic.terms, page.terms
        if not terms.length:
            return Verdict(0.0, False)
        seen = terms.frequencies(keywords.ids)
        half = 1.0 + terms.length / self.pace
        mean = sum([tf / (tf + half) for tf in seen.tolist()]) / len(keywords.ids)
        relevance = min(1.0, 0.5 * mean / self.level)
        return Verdict(relevance, relevance >= 0.5)
