"""Generated webs: written as WARC and labels, so that the lab reads them like any recording.

    Shape → Layout (pages) → Addresses (names) → Graph (links) → Prose (words) → HTML → Record

A generated web has what a focused crawler meets outside: hosts of very different sizes, in-degrees
by a power law, pages that cluster within a site, topics that keep to themselves, hubs, targets
behind off-topic tunnels, a trap that sounds on topic, anchors that mislead, moved and lost pages.
"""

from __future__ import annotations

import html as escaping
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wolfspider.webs.synthetic.addresses import Addresses, name_pages
from wolfspider.webs.synthetic.graph import Graph, link_up
from wolfspider.webs.synthetic.html import TEMPLATES, missing, moved, render
from wolfspider.webs.synthetic.layout import START, Layout, Role, lay_out
from wolfspider.webs.synthetic.prose import Author
from wolfspider.webs.synthetic.recording import Record, capture_of, save
from wolfspider.webs.synthetic.robots import robots_files
from wolfspider.webs.synthetic.shape import Shape
from wolfspider.webs.synthetic.words import Vocabulary, vocabulary

__all__ = ["Record", "Summary", "Synthetic", "capture_of", "save"]


@dataclass(frozen=True, slots=True)
class Summary:
    """What was written. Redirects and lost pages are not counted as pages."""

    pages: int
    links: int
    hosts: int
    start: str  # all pages can be reached from here
    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Synthetic(Shape):
    """A generated web. The same parameters give the same bytes, given the same NumPy.

    >>> web = Synthetic(pages=200, hosts=10, topics=3, seed=1)
    >>> next(web.records()).status
    200
    """

    def records(self) -> Iterator[Record]:
        """All answers of the web, page by page, the start first; then what is gone.

        A page is followed by the redirects that lead to it. Labels are the page's topic, and
        `role:hub`, `role:tunnel`, `role:trap`, or `role:general` for a page about nothing.
        """
        return _Plan.of(self).records()

    def robots(self) -> Iterator[Record]:
        """The robots.txt of the hosts, which are no pages and so not among `records`."""
        layout = lay_out(self)
        words = vocabulary(self.rng("words"), self.topics)
        return robots_files(layout, name_pages(layout, words))

    def summary(self) -> Summary:
        """What `write` would write."""
        return _Plan.of(self).summary()

    def write(self, warc: Path, labels: Path) -> Summary:
        """Write the web to a `.warc.gz` and its labels to a `.tsv`.

        With a progress bar: `save(track(web.records()), warc, labels, repr(web))`.
        """
        plan = _Plan.of(self)
        save(plan.records(), warc, labels, repr(self))
        return plan.summary()


@dataclass(frozen=True, slots=True, eq=False)
class _Plan:
    """Everything about a web but its words."""

    layout: Layout
    words: Vocabulary
    addresses: Addresses
    graph: Graph

    @classmethod
    def of(cls, shape: Shape) -> _Plan:
        layout = lay_out(shape)
        words = vocabulary(shape.rng("words"), shape.topics)
        return cls(layout, words, name_pages(layout, words), link_up(layout))

    def summary(self) -> Summary:
        return Summary(
            pages=self.layout.shape.pages,
            links=len(self.graph.source),
            hosts=len(self.addresses.sites),
            start=self.addresses.urls[START],
            topics=self.words.names,
        )

    def records(self) -> Iterator[Record]:
        urls, sites, hosts = self.addresses.urls, self.addresses.sites, self.layout.host.tolist()
        for prose in Author(self.layout, self.words, self.addresses, self.graph).pages():
            page, host = prose.page, hosts[prose.page]
            body = render(prose, sites[host], TEMPLATES[host % len(TEMPLATES)])
            yield _record(urls[page], 200, body, self._labels(page))
            if page in self.addresses.aliases:
                body = moved(escaping.escape(urls[page]))
                yield _record(self.addresses.aliases[page], 301, body, location=urls[page])
        for page in range(self.layout.shape.pages, len(urls)):
            yield _record(urls[page], 404, missing(sites[hosts[page]]))

    def _labels(self, page: int) -> tuple[str, ...]:
        topic, role = int(self.layout.topic[page]), Role(int(self.layout.role[page]))
        labels = [self.words.names[topic - 1]] if topic else []
        if role is not Role.PLAIN:
            labels.append(f"role:{role.name.lower()}")
        return tuple(labels) or ("role:general",)


def _record(
    url: str, status: int, text: str, labels: tuple[str, ...] = (), location: str = ""
) -> Record:
    body = text.encode()
    headers = [("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(body)))]
    if location:
        headers.append(("Location", location))
    return Record(url, status, tuple(headers), body, labels)
