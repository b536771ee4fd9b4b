"""Best-first: links of pages that resemble the topic leave first.

Menczer, Pant & Srinivasan 2004, section 3.1.2, eq. 4 and figure 6 (`on=source`).
"""

from __future__ import annotations

from typing import Literal

from wolfspider.policies.scored import ScoredPolicy
from wolfspider.protocols import Scores
from wolfspider.records import Links, Visit
from wolfspider.topics import Topic


class BestFirst(ScoredPolicy):
    """Follows links by the similarity of their source page to the topic's keywords.

    `on=link` compares the link's own words instead (anchor, words around it, URL);
    `on=both` adds to that how relevant the judge found the source page.
    """

    raise_scores = True

    def __init__(
        self,
        *,
        topic: Topic,
        on: Literal["source", "link", "both"] = "source",
        buffer: int | None = None,
    ) -> None:
        super().__init__(buffer=buffer)
        self.topic = topic
        self.on = on

    def score(self, links: Links, visit: Visit) -> Scores:
        if self.on == "source":
            return self.topic.similarity(visit.page.terms)
        similarity = self.topic.similarities(*links.bags("anchor", "context", "url"))
        return similarity if self.on == "link" else similarity + visit.verdict.relevance
