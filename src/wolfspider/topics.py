"""What the user wants, as far as a policy may know it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.errors import BadInput
from wolfspider.records import BAGS, Bag, Floats, Links, TermIds, Terms
from wolfspider.text import cosine, count_terms, term_ids

NO_WORDS = "signs, single letters and the most common words of English count for nothing"


@dataclass(frozen=True)
class Topic:
    """Keywords, as a person types them.

    This is all that a policy is told. Descriptions, example pages and target URLs belong
    to judges and to the lab's tasks, so that no policy can come by them.
    """

    keywords: tuple[str, ...]

    @classmethod
    def of(cls, words: str) -> Topic:
        """The topic of a phrase such as "solar eclipse"."""
        topic = cls(tuple(words.split()))
        if not len(topic.terms.ids):
            raise BadInput(
                f"the topic {words!r} has no words to look for: {NO_WORDS}; "
                'give at least one word that counts, such as --topic "solar eclipse"'
            )
        return topic

    @cached_property
    def ignored(self) -> tuple[str, ...]:
        """The keywords that nobody looks for, because they have no word that counts."""
        return tuple(word for word in self.keywords if not len(term_ids(word)))

    @cached_property
    def terms(self) -> Terms:
        """The keywords' stems."""
        return count_terms(term_ids(" ".join(self.keywords)))

    @cached_property
    def _counts(self) -> dict[int, float]:
        """How often each term is a keyword."""
        return dict(zip(self.terms.ids.tolist(), self.terms.counts.tolist(), strict=True))

    def similarity(self, page: Terms) -> float:
        """Cosine of raw counts, sim(q, p) of Menczer et al. 2004, eq. 4."""
        return cosine(self.terms, page)

    def similarity_of(self, words: TermIds) -> float:
        """The same for a few words, such as a title, hardly any of them twice."""
        shared = sum(self._counts.get(word, 0.0) for word in words.tolist())
        return min(1.0, shared / (math.sqrt(len(words)) * self.terms.norm)) if shared else 0.0

    def similarities(self, *bags: Bag) -> Floats:
        """The same for each link, all its words in these bags taken together."""
        dots, lengths = np.zeros(len(bags[0])), np.zeros(len(bags[0]))
        ids, weights = None, None
        for bag in bags:
            if bag.ids is not ids:  # the bags of one page share theirs
                ids, weights = bag.ids, self._weights(bag.ids)
            if weights is not None:
                dots += bag.sums(weights)
            lengths += bag.ends - bag.starts
        # These texts are a few words, hardly any twice: their norm is the root of their length.
        norms = np.sqrt(np.maximum(lengths, 1.0)) * self.terms.norm
        similarities: Floats = np.minimum(1.0, dots / norms)
        return similarities

    def similarities_of(self, links: Links) -> Floats | None:
        """The same for each link and each of its bags apart, links × `BAGS`; None if all are 0."""
        starts, ids = links.bag_starts, links.bag_ids
        sums: NDArray[Any] | None = None
        for term, count in self._counts.items():
            here = (ids == term).nonzero()[0]
            if len(here):  # few: most words of a page are no keywords
                bags = starts.searchsorted(here, "right") - 1
                found = count * np.bincount(bags, minlength=len(starts) - 1)
                sums = found if sums is None else sums + found
        if sums is None:
            return None
        norms = np.sqrt(np.maximum(np.diff(starts), 1)) * self.terms.norm
        return np.minimum(1.0, sums / norms).reshape(-1, len(BAGS))

    def _weights(self, ids: TermIds) -> Floats | None:
        """How often each of the terms is a keyword; None if none of them is."""
        weights = None
        for term, count in self._counts.items():
            here = ids == term
            if np.count_nonzero(here):
                weights = count * here if weights is None else weights + count * here
        return weights


NO_TOPIC = Topic(())
"""Of who does not say what is wanted: nothing is like it."""
