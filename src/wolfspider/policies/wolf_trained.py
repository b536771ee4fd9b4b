"""The wolf that has hunted before: on maps, where it is known what a hunt would find."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from wolfspider.policies.trained import Lesson, Trained
from wolfspider.policies.wolf import Wolf
from wolfspider.records import Links, Verdict, Visit
from wolfspider.topics import Topic
from wolfspider.training.maps import Map
from wolfspider.training.model import Model
from wolfspider.urls import seed_link


class TrainedWolf(Trained, Wolf):
    """Wolf that begins with what it learned when it hunted on a map."""

    name = "wolf-trained"

    def __init__(
        self,
        *,
        topic: Topic,
        model: Model,
        curiosity: float = 0.3,
        breadth: float = 0.2,
        held_back: float = 2.0,
        buffer: int | None = None,
    ) -> None:
        super().__init__(
            topic=topic,
            curiosity=curiosity,
            breadth=breadth,
            held_back=held_back,
            buffer=buffer,
        )
        self.carry(self.made_for(model).state)

    @classmethod
    def fit(cls, known: Map) -> Lesson:
        """Hunt on the map until every page was fetched, from the shortest addresses on.

        The hunt knows no keywords, so what it learns about words holds for any way to ask.
        """
        wolf = Wolf(topic=Topic(()))
        for visit in _hunt(wolf, known):
            wolf.learn(visit)
        about = {"pages_hunted": wolf.evidence.visits, "relevant": int(wolf.evidence.paid)}
        return Lesson(wolf.carried(), np.empty(0, np.uint32), about)

    def overlap(self) -> float | None:
        drift = self.drift()
        return None if drift is None else 1 - drift


def _hunt(wolf: Wolf, known: Map) -> Iterator[Visit]:
    """Visits of a hunt on a map. Where nothing is left to follow, it begins again elsewhere."""
    web = known.web
    pages = np.flatnonzero(known.within).tolist()
    left = dict.fromkeys(sorted(pages, key=lambda number: (len(web.url(number)), web.url(number))))
    starts, targets = web.graph
    while left:
        link = wolf.next()
        if link is None:
            link = seed_link(web.url(next(iter(left))))
            wolf.evidence.sow(link.fingerprint)
        number = web.number(link.url)
        left.pop(number, None)
        page = web.page(number)
        kept = np.flatnonzero(known.within[targets[starts[number] : starts[number + 1]]])
        target = bool(known.targets[number])
        found: Links = page.links.take(kept)
        yield Visit(link, replace(page, links=found), Verdict(float(target), target))
