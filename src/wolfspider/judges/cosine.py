"""Relevant is what resembles a description or example pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.records import Page, Terms, Verdict
from wolfspider.text import cosine, terms


@dataclass(frozen=True)
class CosineJudge:
    """The largest cosine (log-damped counts) to any example, scaled so that `level` is 0.5."""

    examples: Sequence[Terms]
    level: float = 0.25

    @classmethod
    def of(cls, texts: Sequence[str], level: float = 0.25) -> CosineJudge:
        examples = [_damped(found) for text in texts if (found := terms(text)).length]
        if not examples:
            raise BadInput("the description or example pages have no words to compare with")
        return cls(examples, level)

    def judge(self, page: Page) -> Verdict:
        damped = _damped(page.terms)
        nearest = max(cosine(damped, example) for example in self.examples)
        relevance = min(1.0, 0.5 * nearest / self.level)
        return Verdict(relevance, relevance >= 0.5)


def _damped(terms: Terms) -> Terms:
    """A word that stands ten times says more than one that stands once, but not ten times more."""
    return Terms.of(terms.ids, np.log1p(terms.counts))
