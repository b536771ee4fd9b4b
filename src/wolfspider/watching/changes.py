"""A recorded web that changes, as watchers see it: the page that an address held at a moment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.records import Floats, Page
from wolfspider.urls import canonical, fingerprint
from wolfspider.watching.clusters import Clusters
from wolfspider.watching.records import Snapshot
from wolfspider.webs.history import Documents, History
from wolfspider.webs.recorded import RecordedWeb

_SAMPLE = 1000  # pages from which it is learned what texts are about


@dataclass
class RecordedChanges:
    """All versions of the pages of a web folder, each with what it is about.

    A document is what an address said without a break: captures in a row with equal text are
    one, new from the first of them on. What was replaced and returns is a document again.
    Documents are counted from 1.
    """

    folder: Path
    clusters: int = 50
    seed: int = 0

    def __post_init__(self) -> None:
        if (self.folder / "watch.toml").is_file():
            raise BadInput(
                f"{self.folder} is a watch; make a web of it: "
                f"wolfspider web import {self.folder} --all-captures -o FOLDER"
            )
        RecordedWeb(self.folder)  # says so if there is none
        self.history = History(self.folder)
        self.dates = self.history.dates
        if len(self.dates) < 2:
            raise BadInput(
                f"all pages of {self.folder} were recorded at one moment: nothing changes there"
            )
        self._known: dict[tuple[int, int], Snapshot] = {}  # by version and document

    @property
    def begin(self) -> float:
        return float(self.dates[0])

    @property
    def end(self) -> float:
        return float(self.dates[-1])

    @cached_property
    def documents(self) -> Documents:
        return self.history.documents()

    @property
    def lifetimes(self) -> tuple[Floats, Floats]:
        """Since when and until when each document was there; the first is document 1."""
        return self.documents.since, self.documents.until

    def page_of(self, document: int) -> Page:
        """A document as it was when it appeared."""
        return self.history.page(int(self.documents.versions[document - 1]))

    @cached_property
    def about(self) -> Clusters | None:
        """What texts are about, learned from a sample of all versions; None if nobody can tell."""
        random = np.random.default_rng(self.seed)
        chosen = random.permutation(len(self.history))[:_SAMPLE]
        terms = [self.history.page(version).terms for version in np.sort(chosen).tolist()]
        try:
            return Clusters.fit(terms, self.clusters, self.seed)
        except BadInput:  # no words in common
            return None

    def address(self, url: str) -> int:
        """The number of an address; a sentence if it is not in the web."""
        found = canonical(url)
        number = fingerprint(found) if found else 0
        if isinstance(self.history.version(number, self.end), str) and not self.ever(number):
            raise BadInput(f"{url} is not in {self.folder}; begin at a page of it")
        return number

    def ever(self, address: int) -> bool:
        """Whether there was a page at any time."""
        return any(not isinstance(self.history.version(address, d), str) for d in self.dates)

    def at(self, address: int, now: float) -> Snapshot | None:
        """What an address holds; None if there is nothing."""
        row = self.history.moment(address, now)
        if isinstance(row, str):
            return None
        version, document = self.history.answer(row), int(self.documents.of[row])
        known = self._known.get((version, document))
        if known is None:
            page = self.history.page(version)
            since = float(self.documents.since[document - 1])
            state = np.zeros(self.clusters) if self.about is None else self.about.of(page.terms)
            links = page.links.fingerprints.copy()
            known = Snapshot(fingerprint(page.url), document, since, links, state)
            self._known[version, document] = known
        return known
