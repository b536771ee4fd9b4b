"""Word vectors: links whose words mean what the topic means leave first.

Han, Wuillemin & Senellart 2018, section 4: the algorithm without learning.
"""

from __future__ import annotations

from pathlib import Path

from wolfspider.policies.scored import ScoredPolicy
from wolfspider.protocols import Scores
from wolfspider.records import Links, Visit
from wolfspider.topics import Topic
from wolfspider.vectors import Likeness, WordVectors


class WordVector(ScoredPolicy):
    """Follows links by what their words mean: the cosine of word vectors to the topic's.

    A link's words are those of its URL, its anchor and the text around it. `vectors` is a file of
    word vectors; without one, a small English table is used.
    """

    raise_scores = True

    def __init__(
        self, *, topic: Topic, vectors: Path | None = None, buffer: int | None = None
    ) -> None:
        super().__init__(buffer=buffer)
        self.likeness = Likeness(WordVectors.open(vectors), [" ".join(topic.keywords)])

    def score(self, links: Links, visit: Visit) -> Scores:
        return self.likeness.of_bags(*links.bags("url", "anchor", "context"))[:, 0]
