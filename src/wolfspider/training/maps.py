"""A part of a recorded web that is known, with its targets: all that an offline learner sees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.records import Page, TermIds
from wolfspider.text import term_ids, word_of
from wolfspider.topics import NO_TOPIC, Topic
from wolfspider.training.model import Model
from wolfspider.webs.graph import Graph, Mask, Numbers
from wolfspider.webs.recorded import RecordedWeb


@dataclass(frozen=True)
class Mapped:
    """A known page with the links on it that lead to known pages."""

    number: int
    page: Page  # its links are those of `leads_to`, row by row
    leads_to: Numbers


@dataclass(frozen=True)
class Map:
    """The known pages of a web, which of them are targets, and how one would ask for these."""

    web: RecordedWeb
    within: Mask
    targets: Mask
    topic: Topic = NO_TOPIC

    def __post_init__(self) -> None:
        if not self.within.any():
            raise BadInput(f"there is nothing to learn from: no page of {self.web.folder} is known")
        if not (self.targets & self.within).any():
            known = f"{int(self.within.sum()):,} known pages of {self.web.folder}"
            raise BadInput(f"there is nothing to learn from: none of the {known} is a target")

    @cached_property
    def graph(self) -> Graph:
        return Graph(self.web, self.within)

    @cached_property
    def known_targets(self) -> Numbers:
        return np.flatnonzero(self.targets & self.within)

    def named(self, model: Model) -> Model:
        """A model with the words of its terms, for people; reading them takes its time."""
        return replace(model, words=self.words_of(model.terms))

    def words_of(self, terms: TermIds) -> dict[int, str]:
        """The stems behind term ids, for people; pages are read until all have been found."""
        wanted = set(terms.tolist())
        found: dict[int, str] = {}
        for number in np.flatnonzero(self.within).tolist():
            if len(found) == len(wanted):
                break
            page = self.web.page(number)
            here = set(term_ids([page.text, page.title, *page.links.urls()]).tolist())
            for term in here & wanted - found.keys():
                if (word := word_of(term)) is not None:
                    found[term] = word
        return found

    def __iter__(self) -> Iterator[Mapped]:
        """Every known page with its known links, in order."""
        starts, targets = self.web.graph
        for number in np.flatnonzero(self.within).tolist():
            leads_to = targets[starts[number] : starts[number + 1]]
            kept = np.flatnonzero(self.within[leads_to])
            page = self.web.page(number)
            links = page.links if len(kept) == len(leads_to) else page.links.take(kept)
            yield Mapped(number, replace(page, links=links), leads_to[kept].astype(np.int64))
