"""What can be chosen about a generated web."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SMALLEST = 4  # pages of a host


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The parameters of a web. Equal shapes give equal webs, byte for byte."""

    pages: int = 2000
    hosts: int = 40
    topics: int = 12
    links: float = 30.0  # mean out-degree
    locality: float = 0.6  # P(a link in the text of a page leads to the page's own topic)
    anchor_noise: float = 0.2  # share of anchors that say nothing or name a wrong topic
    attachment: float = 0.75  # P(a link copies an earlier one): in-degree exponent 1 + 1/attachment
    general: float = 0.25  # share of pages that are about nothing in particular, more or less
    hubs: float = 0.03  # share of topic pages that are link lists
    tunnels: float = 0.1  # share of topic pages that stand behind 1–3 off-topic pages only
    trap: float = 0.1  # share of all pages on one off-topic host that sounds on topic; 0: no trap
    redirects: float = 0.05  # share of pages with a second address that answers 301
    gone: float = 0.02  # addresses that answer 404, for every page
    words: int = 250  # median length of a page
    seed: int = 0
    plain_http: bool = False  # no host has https; otherwise every second one, by chance

    def __post_init__(self) -> None:
        self._check_shares()
        self._check_sizes()

    @property
    def portal_pages(self) -> int:
        """The start page, one section for each topic and one for everything else."""
        return self.topics + 2

    @property
    def trap_pages(self) -> int:
        pages = round(self.trap * self.pages)
        return pages if pages >= SMALLEST else 0

    @property
    def sites(self) -> int:
        """Hosts that are neither the portal nor the trap."""
        return self.hosts - 1 - (self.trap_pages > 0)

    def rng(self, part: str) -> np.random.Generator:
        """A generator for one part of the work, so that parts do not disturb each other."""
        return np.random.default_rng([self.seed, *part.encode()])

    def _check_shares(self) -> None:
        for name in ("locality", "anchor_noise", "general", "hubs", "redirects", "gone"):
            _within(name, getattr(self, name), 0.0, 1.0)
        for name in ("tunnels", "trap"):
            _within(name, getattr(self, name), 0.0, 0.5)
        _within("attachment", self.attachment, 0.0, 0.95)

    def _check_sizes(self) -> None:
        _within("links", self.links, 5, 500)
        _within("words", self.words, 20, 20_000)
        if self.topics < 2:
            raise ValueError(f"topics is {self.topics}; a web needs at least 2 to tell them apart")
        if self.seed < 0:
            raise ValueError(f"seed is {self.seed}; it must be 0 or more")
        if self.sites < self.topics:
            need = self.topics + self.hosts - self.sites
            raise ValueError(
                f"hosts is {self.hosts}, too few for {self.topics} topics, each of which has a "
                f"host of its own beside the portal and the trap; give at least {need}"
            )
        need = self.portal_pages + self.trap_pages + SMALLEST * self.sites
        if self.pages < need:
            raise ValueError(
                f"pages is {self.pages}, too few for {self.hosts} hosts and {self.topics} topics; "
                f"give at least {need}, or fewer hosts"
            )


def _within(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:  # also turns nan away
        raise ValueError(f"{name} is {value}; it must lie between {low} and {high}")
