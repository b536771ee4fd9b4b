"""What pages say: running text, anchors and the words around links, a batch of pages at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.webs.synthetic.addresses import TITLE, Addresses
from wolfspider.webs.synthetic.graph import Graph, Pages, Part
from wolfspider.webs.synthetic.layout import Layout, Role
from wolfspider.webs.synthetic.wordlists import GENERIC
from wolfspider.webs.synthetic.words import Ids, Vocabulary

BATCH = 256  # pages; memory does not grow with the web
AROUND = 6  # words around a link, half of them before it
HINTED = 0.3  # share of them that belong to the link's target
LENGTH_SPREAD = 0.6  # of page lengths, on the log scale
TITLED = 0.5  # share of anchors that repeat the target's title
ALIASED = 0.4  # share of links to a page with two addresses that use the second
MARKED = 0.03  # share of links in the text that carry a fragment
SENTENCES = (9, 14, 6, 17, 11)  # words
HOME = "home"


@dataclass(frozen=True, slots=True, eq=False)
class Prose:
    """The words of one page."""

    page: int
    title: str
    sentences: list[str]
    headings: list[str]
    links: list[list[str]]  # by part; those of the text stand in a sentence of their own


@dataclass(frozen=True, slots=True, eq=False)
class Author:
    """Writes pages. What a page says depends on the shape and its number, nothing else."""

    layout: Layout
    words: Vocabulary
    addresses: Addresses
    graph: Graph

    def pages(self) -> Iterator[Prose]:
        """The prose of all pages, in order."""
        edges = self.graph.edges(self.layout.shape.pages)
        for first in range(0, len(edges), BATCH):
            yield from self._batch(first, edges[first : first + BATCH])

    def _batch(self, first: int, edges: Pages) -> Iterator[Prose]:
        rng = self.layout.shape.rng(f"prose {first}")
        pages = np.arange(first, first + len(edges))
        links = self._links(rng, int(edges[0, 0]), int(edges[-1, -1]))
        bounds = (edges - edges[0, 0]).tolist()
        texts = self._texts(rng, pages)
        titles = self.words.words[self.addresses.titles[pages]].tolist()
        headings = self._headings(rng, pages)
        for page, title, text, heads, at in zip(
            pages.tolist(), titles, texts, headings, bounds, strict=True
        ):
            parts = [links[begin:end] for begin, end in pairwise(at)]
            yield Prose(page, " ".join(title), _sentences(text), heads, parts)

    def _texts(self, rng: np.random.Generator, pages: Pages) -> Iterator[list[str]]:
        """Log-normal lengths; each word is on the page's subject with the page's own share."""
        median = self.layout.shape.words
        lengths = rng.lognormal(np.log(median), LENGTH_SPREAD, len(pages)).astype(int) + 10
        share = np.repeat(self._shares(rng, pages), lengths)
        subject = np.repeat(self.addresses.subject[pages], lengths)
        rows = np.where(rng.random(len(share)) < share, subject, 0)
        words = self.words.words[self.words.draw(rng, rows)].tolist()
        ends = np.cumsum(lengths).tolist()
        for begin, end in pairwise([0, *ends]):
            yield words[begin:end]

    def _shares(self, rng: np.random.Generator, pages: Pages) -> NDArray[np.float64]:
        """How much of a page's text is on its subject: about a third; very little in a trap."""
        share = rng.beta(6, 11, len(pages))
        return np.where(self.layout.role[pages] == Role.TRAP, 0.2 * share, share)

    def _headings(self, rng: np.random.Generator, pages: Pages) -> list[list[str]]:
        rows = np.repeat(self.addresses.subject[pages], 6).reshape(-1, 2)
        pairs = self.words.words[self.words.draw(rng, rows)].tolist()
        heads = [" ".join(pair) for pair in pairs]
        return [heads[at : at + 3] for at in range(0, len(heads), 3)]

    def _links(self, rng: np.random.Generator, begin: int, end: int) -> list[str]:
        """The HTML of links begin … end of the graph."""
        target, part = self.graph.target[begin:end], self.graph.part[begin:end]
        anchors = self._anchors(rng, target, part)
        hrefs = self._hrefs(rng, self.graph.source[begin:end], target, part)
        around = self._around(rng, target)
        pairs = zip(hrefs, anchors, strict=True)
        html = [f'<a href="{href}">{anchor}</a>' for href, anchor in pairs]
        half = AROUND // 2
        for at in np.flatnonzero(part == Part.TEXT).tolist():
            words = around[at]
            html[at] = _sentence(words[:half], f" {html[at]} {' '.join(words[half:])}")
        return html

    def _around(self, rng: np.random.Generator, target: Ids) -> list[list[str]]:
        subject = np.repeat(self.addresses.subject[target][:, None], AROUND, axis=1)
        rows = np.where(rng.random(subject.shape) < HINTED, subject, 0)
        words: list[list[str]] = self.words.words[self.words.draw(rng, rows)].tolist()
        return words

    def _anchors(self, rng: np.random.Generator, target: Ids, part: Ids) -> list[str]:
        """Words of the target, but for noise; templates say the same everywhere, without noise."""
        count, topics = len(target), len(self.words.names)
        content = np.isin(part, (Part.LISTING, Part.RELATED, Part.TEXT))
        noisy = content & (rng.random(count) < self.layout.shape.anchor_noise)
        generic = noisy & (rng.random(count) < 0.5)
        subject = self.addresses.subject[target]
        wrong = (subject - 1 + rng.integers(1, topics, count)) % topics + 1
        rows = np.where(noisy, wrong, subject)
        drawn = self.words.draw(rng, np.repeat(rows[:, None], TITLE, axis=1))
        titled = ~noisy & (~content | (rng.random(count) < TITLED))
        ids = np.where(titled[:, None], self.addresses.titles[target], drawn)
        length = np.where(content, rng.integers(1, TITLE + 1, count), 2).tolist()
        words = self.words.words[ids].tolist()
        anchors = [" ".join(row[:n]) for row, n in zip(words, length, strict=True)]
        self._replace(
            anchors, generic, [GENERIC[g] for g in rng.integers(len(GENERIC), size=count)]
        )
        home = (part == Part.CRUMBS) & np.isin(target, self.layout.home)
        self._replace(anchors, home, [HOME] * count)
        return anchors

    @staticmethod
    def _replace(anchors: list[str], where: NDArray[Any], by: list[str]) -> None:
        for at in np.flatnonzero(where).tolist():
            anchors[at] = by[at]

    def _hrefs(self, rng: np.random.Generator, source: Ids, target: Ids, part: Ids) -> list[str]:
        """Addresses as a page writes them: absolute, from the root, relative, or outdated."""
        layout, addresses = self.layout, self.addresses
        near = (part == Part.RELATED) & addresses.flat[source]
        form = np.where(layout.host[source] == layout.host[target], 1, 0)
        form = np.where(near, 2, form)
        outdated = addresses.aliased[target] & (rng.random(len(target)) < ALIASED)
        form = np.where(outdated, 3, form).tolist()
        hrefs = [addresses.hrefs[f][t] for f, t in zip(form, target.tolist(), strict=True)]
        marked = (part == Part.TEXT) & (rng.random(len(target)) < MARKED)
        self._replace(hrefs, marked, [href + "#part" for href in hrefs])
        return hrefs


def _sentence(words: list[str], rest: str = "") -> str:
    return f"{words[0].capitalize()} {' '.join(words[1:])}{rest}."


def _sentences(words: list[str]) -> list[str]:
    sentences, at, turn = [], 0, 0
    while at < len(words):
        end = at + SENTENCES[turn % len(SENTENCES)]
        sentences.append(_sentence(words[at:end]))
        at, turn = end, turn + 1
    return sentences
