"""Who links to whom, and from which part of the page.

    LISTING   a page's children in the tree of the layout, and the link lists of hubs
    CRUMBS    home and the directories above
    MENU      home and the host's main sections, on all its pages
    RELATED   near pages of the same directory, which makes pages cluster
    TEXT      links in sentences, to pages of the same topic with probability `locality`
    FOOTER    the same two links on all pages of a host

Text links grow by copying (Simon 1955; Kumar et al. 2000): with probability `attachment` a link
goes where an earlier link on the same topic went, else to a page drawn evenly. In-degrees then
follow a power law with exponent 1 + 1/attachment.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.webs.synthetic.layout import PORTAL, Layout, Role
from wolfspider.webs.synthetic.words import Ids

SPREAD = 0.5  # of out-degrees, on the log scale
HUB_DEGREE = 2.5  # times the usual
HUB_LOCALITY = 0.95
TRAP_LOCALITY = 0.97
RELATED_SHARE = 0.2  # of a page's links, at most
REDRAWS = 4  # of links that stand on their page already
LOST = 3  # links to each address that is gone
MENU_SIZE = 7
ANYWHERE, IN_TRAP = -1, -2  # where a text link may lead, besides topics
Pages = NDArray[np.signedinteger[Any]]


class Part(IntEnum):
    """The part of a page that a link stands in."""

    LISTING = 0
    CRUMBS = 1
    MENU = 2
    RELATED = 3
    TEXT = 4
    FOOTER = 5


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """All links, sorted by source and part; a page links to another one once."""

    source: Ids
    target: Ids
    part: Ids  # Part

    def edges(self, pages: int) -> Pages:
        """For each page, where its links of each part begin, and where the last ones end."""
        key = self.source.astype(np.int64) * len(Part) + self.part
        wanted = np.arange(pages)[:, None] * len(Part) + np.arange(len(Part) + 1)
        return np.searchsorted(key, wanted)


Links = tuple[Pages, Pages, Part]


def link_up(layout: Layout) -> Graph:
    """Draw all links of a layout."""
    rng = layout.shape.rng("graph")
    template = [*_tree(layout), *_crumbs(layout), *_menu(layout), *_footer(layout, rng)]
    wanted = _out_degrees(layout, rng)
    near = layout.directories.size[layout.directory[: len(wanted)]] // 2
    related = np.minimum(wanted * RELATED_SHARE, near).astype(np.int64)
    links = [*template, *_related(layout, rng, related), *_lost(layout, rng)]
    used = np.bincount(_sorted(layout, links).source, minlength=len(wanted))
    text = np.maximum(wanted - used, 0)
    return _sorted(layout, [*links, *_text(layout, rng, text, links)])


def _real(layout: Layout) -> Pages:
    return np.arange(layout.shape.pages)


def _tree(layout: Layout) -> list[Links]:
    pages = _real(layout)[1:]
    return [(layout.parent[pages].astype(np.int64), pages, Part.LISTING)]


def _crumbs(layout: Layout) -> list[Links]:
    pages, directories = _real(layout), layout.directories
    above = directories.first[directories.above[layout.directory[pages]]]
    home = layout.home[layout.host[pages]]
    return [(pages, to, Part.CRUMBS) for to in (home, above, layout.index[pages])]


def _menu(layout: Layout) -> list[Links]:
    """The first few directories that stand in the root."""
    directories, pages = layout.directories, _real(layout)
    is_root = directories.above == np.arange(len(directories.above))
    top = np.flatnonzero(
        (directories.above == layout.directory[layout.home][directories.host]) & ~is_root
    )
    host = directories.host[top]
    rank = np.arange(len(top)) - np.searchsorted(host, host)
    table = np.repeat(layout.home[:, None], MENU_SIZE, axis=1)
    size = min(MENU_SIZE, int(layout.shape.links // 4))
    shown = rank < size
    table[host[shown], rank[shown]] = directories.first[top[shown]]
    return [(pages, table[layout.host[pages], column], Part.MENU) for column in range(size)]


def _footer(layout: Layout, rng: np.random.Generator) -> list[Links]:
    """The host's last page and the home of a partner; the portal has no partners."""
    pages, hosts = _real(layout), len(layout.home)
    partner = layout.home[rng.integers(hosts, size=hosts)]
    partner[PORTAL] = layout.home[PORTAL]
    last = np.append(layout.home[1:], layout.shape.pages) - 1
    return [(pages, to[layout.host[pages]], Part.FOOTER) for to in (last, partner)]


def _out_degrees(layout: Layout, rng: np.random.Generator) -> Pages:
    """How many links each page is to have: log-normal, more on hubs. The portal has a tree only."""
    shape = layout.shape
    mean = shape.links * np.where(layout.role[: shape.pages] == Role.HUB, HUB_DEGREE, 1.0)
    wanted = rng.lognormal(np.log(mean) - SPREAD**2 / 2, SPREAD).round().astype(np.int64)
    return np.where(layout.host[: shape.pages] == PORTAL, 0, wanted)


def _related(layout: Layout, rng: np.random.Generator, count: Pages) -> list[Links]:
    pages = np.repeat(_real(layout), count)
    step = rng.geometric(0.2, len(pages)) * rng.choice([-1, 1], len(pages))
    size = layout.directories.size[layout.directory[pages]]
    near = layout.index[pages] + (layout.position[pages] + step) % size
    return [(pages, near, Part.RELATED)]


def _text(
    layout: Layout, rng: np.random.Generator, count: Pages, others: list[Links]
) -> list[Links]:
    """Links by topic. What stands on the page already is drawn again, to keep the locality."""
    pages = np.repeat(_real(layout), count)  # 64 bits: keys are products of page numbers
    aim = _aims(layout, rng, pages)
    pools = {kind: _pool(layout, kind) for kind in np.unique(aim).tolist()}
    target = np.empty(len(pages), np.int64)
    for kind, pool in pools.items():
        links = np.flatnonzero(aim == kind)
        target[links] = preferential(rng, pool, len(links), layout.shape.attachment)
    size = len(layout.parent)
    taken = np.concatenate([source * size + to for source, to, _ in others])
    for _ in range(REDRAWS):
        again = _repeated(pages, target, size, taken)
        for kind, pool in pools.items():
            links = again[aim[again] == kind]
            target[links] = preferential(rng, pool, len(links), 0.0)
    hub = layout.role[pages] == Role.HUB
    listed, told = (pages[hub], target[hub]), (pages[~hub], target[~hub])
    return [(*listed, Part.LISTING), (*told, Part.TEXT)]


def _repeated(pages: Pages, target: Pages, size: int, taken: Pages) -> Pages:
    """Which links lead to their own page or to one that their page links to already."""
    key = pages * size + target
    _, first = np.unique(key, return_index=True)
    repeated = np.ones(len(key), np.bool_)
    repeated[first] = False
    return np.flatnonzero(repeated | (pages == target) | np.isin(key, taken))


def _aims(layout: Layout, rng: np.random.Generator, pages: Pages) -> Ids:
    """The topic that each link is to lead to, or ANYWHERE, or IN_TRAP."""
    role = layout.role[pages]
    locality = np.where(role == Role.HUB, HUB_LOCALITY, layout.shape.locality)
    locality = np.where(role == Role.TRAP, TRAP_LOCALITY, locality)
    own = np.where(role == Role.TRAP, IN_TRAP, layout.topic[pages])
    return np.where(rng.random(len(pages)) < locality, own, ANYWHERE).astype(np.int32)


def _pool(layout: Layout, aim: int) -> Pages:
    """Pages that a link with this aim may lead to; homes and hubs count several times."""
    trap = layout.role == Role.TRAP
    fits = {ANYWHERE: np.ones_like(trap), IN_TRAP: trap}.get(aim, (layout.topic == aim) & ~trap)
    fits = fits & ~layout.hidden & (layout.host != PORTAL)
    home = np.isin(np.arange(len(trap)), layout.home)
    known = np.flatnonzero(fits & (home | (layout.role == Role.HUB)))
    return np.concatenate([np.flatnonzero(fits), np.repeat(known, 4)])


def preferential(rng: np.random.Generator, pool: Pages, count: int, attachment: float) -> Pages:
    """Targets of `count` links, each a copy of an earlier one with probability `attachment`."""
    origin = np.arange(count)
    copies = rng.random(count) < attachment
    origin[copies] = (rng.random(count) * origin).astype(np.int64)[copies]
    while True:  # follow copies of copies; the way to the first halves each time
        further = origin[origin]
        if np.array_equal(further, origin):
            break
        origin = further
    fresh = pool[rng.integers(len(pool), size=count)]
    return fresh[origin]


def _lost(layout: Layout, rng: np.random.Generator) -> list[Links]:
    gone = np.repeat(np.flatnonzero(layout.role == Role.GONE), LOST)
    return [(rng.integers(1, layout.shape.pages, len(gone)), gone, Part.TEXT)]


def _sorted(layout: Layout, links: list[Links]) -> Graph:
    """One table of all links; of equal ones the first stays. The tree must stand first."""
    source = np.concatenate([link[0] for link in links])
    target = np.concatenate([link[1] for link in links])
    part = np.concatenate([np.full(len(link[0]), link[2]) for link in links])
    keep = (source != target) & (~layout.hidden[target] | (layout.role[target] == Role.GONE))
    keep[: len(links[0][0])] = True  # the tree, which alone leads to hidden pages
    source, target, part = source[keep], target[keep], part[keep]
    _, first = np.unique(source * len(layout.parent) + target, return_index=True)
    order = first[np.lexsort((first, part[first], source[first]))]
    return Graph(*(column[order].astype(np.int32) for column in (source, target, part)))
