"""Relevant is what speaks of the topic: in its own words, or in words that mean the like."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from wolfspider.errors import BadInput
from wolfspider.records import Page, Verdict
from wolfspider.topics import Topic
from wolfspider.vectors.meaning import Meaning

_USUAL = 0.3  # cosine up to which a page means nothing that others do not
_SHARE = 1.5  # of keywords, for which what it means beyond that counts
_ALONE = 0.3  # keywords, from which on a page is relevant where no word has a meaning


@dataclass(frozen=True)
class KeywordJudge:
    """k + 1.5 · max(0, cos − 0.3), at most 1; a page is a target when it is relevant, from 0.5 on.

    k is the mean over the keywords of tf / (tf + 1 + length / `pace`): a keyword counts half when
    it stands once, and once more for every `pace` words of the page, as a long page has to mean it.
    cos is the cosine of the page's 64 most frequent words to the keywords by word vectors.
    Where no keyword has a vector k counts alone, scaled so that 0.3 is 0.5.
    """

    topic: Topic
    pace: float = 200.0

    def __post_init__(self) -> None:
        if not self.topic.terms.length:
            raise BadInput("the topic has no keywords to look for in a page; give at least one")

    def judge(self, page: Page) -> Verdict:
        keywords, terms = self.topic.terms, page.terms
        if not terms.length:
            return Verdict(0.0, False)
        seen = terms.frequencies(keywords.ids)
        half = 1.0 + terms.length / self.pace
        relevance = sum([tf / (tf + half) for tf in seen.tolist()]) / len(keywords.ids)
        if self._meaning.is_known:
            relevance += _SHARE * max(0.0, self._meaning.of_page(terms) - _USUAL)
        else:
            relevance *= 0.5 / _ALONE
        return Verdict(min(1.0, relevance), relevance >= 0.5)

    @property
    def literal(self) -> tuple[str, ...]:
        """The keywords that count only where they stand, as they have no vector."""
        return self._meaning.unknown

    @cached_property
    def _meaning(self) -> Meaning:
        return Meaning(self.topic)
