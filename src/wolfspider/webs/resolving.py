"""From addresses to pages: which page an address ends at, and where links lead."""

from __future__ import annotations

from array import array

import numpy as np
from numpy.typing import NDArray

from wolfspider.fingerprint_map import FingerprintMap
from wolfspider.records import Fingerprints, Links
from wolfspider.urls import fingerprint, host
from wolfspider.webs.folder import Blobs, page_url

GONE = -2
MOVED = -3  # and below: the redirect with number −3 − row
HOPS = 10  # before a chain of redirects counts as endless


class Answers:
    """What each address answers, noted while the captures come: the latest counts.

    An answer is the row of a spooled page, `GONE`, or a redirect from `MOVED` down. Of several
    at one moment the last counts, but any other before a redirect.
    """

    def __init__(self) -> None:
        self._rows = FingerprintMap()  # fingerprint → row of the columns below
        self._answers = array("q")
        self._dates = array("d")
        self.redirects = array("Q")  # fingerprints to which they lead

    def place(self, key: int, date: float, answer: int) -> bool:
        """Note an answer, unless a later one is noted; says whether a page does not count now."""
        row = self._rows.get_one(key)
        if row < 0:
            self._rows.set_one(key, len(self._answers))
            self._answers.append(answer)
            self._dates.append(date)
            return False
        known, when = self._answers[row], self._dates[row]
        stays = date < when or (date == when and known > MOVED and answer <= MOVED)
        if not stays:
            self._answers[row], self._dates[row] = answer, date
        return known != answer and (answer if stays else known) >= 0

    def redirect(self, target: int) -> int:
        """A new answer: a redirect to this fingerprint."""
        self.redirects.append(target)
        return MOVED - len(self.redirects) + 1

    def resolver(self) -> Resolver:
        keys, rows = self._rows.items()
        order = np.argsort(keys)
        answers = np.frombuffer(self._answers, np.int64)[rows[order]]
        return Resolver(keys[order], answers, np.frombuffer(self.redirects, np.uint64))


class Resolver:
    """Numbers the pages in the order in which they were spooled, and resolves links to them."""

    def __init__(
        self, keys: Fingerprints, answers: NDArray[np.int64], redirects: Fingerprints
    ) -> None:
        self.used = np.sort(answers[answers >= 0])  # rows of the spool, by page
        pages = np.where(answers >= 0, np.searchsorted(self.used, answers), -1).astype(np.int32)
        self._main = keys[answers >= 0][np.argsort(pages[answers >= 0])]  # by page
        ends = _follow(keys, answers, redirects)
        self.lost = int((ends < 0).sum())  # redirects that lead nowhere
        self.keys, self.pages = keys[ends >= 0], pages[ends[ends >= 0]]
        self._page_of = FingerprintMap(len(self.keys))
        self._page_of.set(self.keys, np.where(self.pages < 0, GONE, self.pages))

    def page(self, address: str) -> int:
        """The page at a canonical URL; negative if there is none."""
        return self._page_of.get_one(fingerprint(address))

    def resolve(self, links: Links, page: int, spooled: Blobs) -> tuple[Links, NDArray[np.int32]]:
        """The links that lead to another page of this web, one for each such page."""
        leads_to = self._page_of.get(links.fingerprints)
        rows = np.flatnonzero((leads_to >= 0) & (leads_to != page))
        _, first = np.unique(leads_to[rows], return_index=True)
        rows = rows[np.sort(first)]
        leads_to = leads_to[rows]
        kept = links.take(rows)
        moved = np.flatnonzero(kept.fingerprints != self._main[leads_to])
        if not len(moved):
            return kept, leads_to
        new = [page_url(spooled[int(self.used[leads_to[row]])]) for row in moved.tolist()]
        return renamed(kept, self._main[leads_to], dict(zip(moved.tolist(), new, strict=True))), (
            leads_to
        )


def renamed(links: Links, keys: Fingerprints, urls: dict[int, str]) -> Links:
    """The links with new fingerprints, and new URLs in some rows."""
    texts = links.texts()
    for row, url in urls.items():
        texts[row] = url.encode() + b"\n" + texts[row].split(b"\n", 1)[1]
    names = [host(text.split(b"\n", 1)[0].decode()) for text in texts]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return Links.pack(
        keys,
        texts,
        list(numbers),
        np.array([numbers[name] for name in names]),
        links.paths,
        links.flags,
        links.bag_starts,
        links.bag_ids,
    )


def _follow(
    keys: Fingerprints, answers: NDArray[np.int64], redirects: Fingerprints
) -> NDArray[np.intp]:
    """At which of the addresses each of them ends up; −1 for endless chains and outside."""
    moved = answers <= MOVED
    hop = np.arange(len(keys))
    targets = redirects[MOVED - answers[moved]]
    at = np.minimum(np.searchsorted(keys, targets), max(0, len(keys) - 1))
    hop[moved] = np.where(keys[at] == targets, at, -1) if len(keys) else at
    ends = hop.copy()
    for _ in range(HOPS - 1):
        ends[ends >= 0] = hop[ends[ends >= 0]]
    ends[ends >= 0] = np.where(moved[ends[ends >= 0]], -1, ends[ends >= 0])
    return ends
