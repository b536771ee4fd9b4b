"""Where pages stand: hosts, directories, a tree of pages, and what each page is about.

    host 0       the portal: the start page and one section for each topic
    host 1       the trap, if there is one
    other hosts  a home page and directories, sizes by Zipf's law

Pages are numbered host by host and directory by directory; a directory's first page is its
index and a host's first page is its home. Every page but the start has a `parent` that links
to it, so all pages can be reached from the start.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from wolfspider.webs.synthetic.shape import SMALLEST, Shape
from wolfspider.webs.synthetic.words import Ids

START = 0
PORTAL, TRAP = 0, 1  # hosts
DEEPEST = 3  # pages of a tunnel
LISTED = 0.3  # share of hosts that the portal knows
NESTED = 0.35  # share of directories that stand in another one
IN_DIRECTORY = 16  # pages, on average
Flags = NDArray[np.bool_]


class Role(IntEnum):
    """What a page does for a crawler."""

    PLAIN = 0
    HUB = 1
    TUNNEL = 2
    TRAP = 3
    GONE = 4


@dataclass(frozen=True, slots=True, eq=False)
class Directories:
    """All directories of a web, as columns. A host's first directory is its root."""

    host: Ids
    size: Ids
    topic: Ids  # 0: about nothing in particular
    above: Ids  # the directory it stands in; a root stands in itself
    tunnel: Ids  # length of the tunnel at its head, mostly 0

    @property
    def first(self) -> Ids:
        """Each directory's index page."""
        return _starts(self.size)


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """All pages as columns; the last ones are addresses that are gone and have no parent.

    A hidden page is linked from its parent only.
    """

    shape: Shape
    directories: Directories
    main: Ids  # topic of each host
    home: Ids  # of each host
    directory: Ids
    host: Ids
    position: Ids  # in its directory
    parent: Ids  # -1: none
    topic: Ids  # 0: about nothing in particular
    role: Ids  # Role
    hidden: Flags

    @property
    def index(self) -> Ids:
        """The index page of each page's directory."""
        at: Ids = self.directories.first[self.directory]
        return at


def lay_out(shape: Shape) -> Layout:
    """Place all pages of a web."""
    rng = shape.rng("layout")
    sizes, main = _host_sizes(shape, rng), _host_topics(shape, rng)
    directories = _directories(shape, rng, sizes, main)
    directory = np.repeat(np.arange(len(directories.size), dtype=np.int32), directories.size)
    position = (np.arange(shape.pages) - directories.first[directory]).astype(np.int32)
    hidden = (directories.tunnel[directory] > 0) & (position > 0)
    parent = _parents(shape, rng, directories, directory, position)
    home = _starts(sizes)
    open_page = np.where(hidden, directories.first[directory], np.arange(shape.pages))
    parent[home] = _host_parents(rng, sizes, main, open_page)
    topic = _topics(shape, rng, directories, directory, position)
    role = _roles(shape, rng, directories, directory, position, topic)
    lost = rng.integers(shape.portal_pages, shape.pages, round(shape.gone * shape.pages))
    directory = np.append(directory, directory[lost]).astype(np.int32)
    return Layout(
        shape=shape,
        directories=directories,
        main=main,
        home=home,
        directory=directory,
        host=directories.host[directory],
        position=np.append(position, shape.pages + np.arange(len(lost))).astype(np.int32),
        parent=np.append(parent, np.full(len(lost), -1)).astype(np.int32),
        topic=np.append(topic, topic[lost]).astype(np.int32),
        role=np.append(role, np.full(len(lost), Role.GONE)).astype(np.int32),
        hidden=np.append(hidden, np.full(len(lost), True)),
    )


def _starts(sizes: Ids) -> Ids:
    starts: Ids = (np.cumsum(sizes) - sizes).astype(np.int32)
    return starts


def _host_sizes(shape: Shape, rng: np.random.Generator) -> Ids:
    room = shape.pages - shape.portal_pages - shape.trap_pages - SMALLEST * shape.sites
    weight = 1.0 / np.arange(1, shape.sites + 1)
    sizes = SMALLEST + np.floor(room * weight / weight.sum()).astype(np.int32)
    sizes[0] += shape.pages - shape.portal_pages - shape.trap_pages - sizes.sum()
    special = [shape.portal_pages] + [shape.trap_pages] * (shape.trap_pages > 0)
    return np.append(special, rng.permutation(sizes)).astype(np.int32)


def _host_topics(shape: Shape, rng: np.random.Generator) -> Ids:
    """A topic for every host; each topic has at least one."""
    more = rng.integers(1, shape.topics + 1, shape.sites - shape.topics)
    more[rng.random(len(more)) < shape.general / 2] = 0
    sites = rng.permutation(np.append(np.arange(1, shape.topics + 1), more))
    return np.append(np.zeros(shape.hosts - shape.sites), sites).astype(np.int32)


def _directories(shape: Shape, rng: np.random.Generator, sizes: Ids, main: Ids) -> Directories:
    per_host = [_split(shape, rng, host, int(size)) for host, size in enumerate(sizes)]
    size = np.concatenate(per_host).astype(np.int32)
    count = np.array([len(split) for split in per_host])
    host = np.repeat(np.arange(len(count), dtype=np.int32), count)
    root = _starts(count.astype(np.int32))[host]
    rank = np.arange(len(host)) - root
    nested = (rng.random(len(host)) < NESTED) & (rank > 1) & (host > PORTAL)
    above = root + np.where(nested, 1 + np.floor(rng.random(len(host)) * (rank - 1)), 0)
    topic = _directory_topics(shape, rng, main[host], rank)
    topic[1 : 1 + shape.topics + 1] = np.arange(shape.topics + 1)  # the portal's sections
    ordinary = host >= shape.hosts - shape.sites
    topic[(host > PORTAL) & ~ordinary] = 0
    tunnel = _tunnels(shape, rng, np.where(ordinary & (rank > 0) & (topic > 0), size, 0))
    return Directories(host, size, topic, above.astype(np.int32), tunnel)


def _split(shape: Shape, rng: np.random.Generator, host: int, pages: int) -> Ids:
    """Sizes of a host's directories, its root first, which holds the home page alone."""
    if host == PORTAL:
        return np.ones(pages, np.int32)
    trap = host == TRAP and shape.trap_pages > 0
    count = 1 if trap else max(1, round((pages - 1) / IN_DIRECTORY))
    more = rng.multinomial(pages - 1 - count, rng.dirichlet(np.full(count, 1.5)))
    return np.append(1, 1 + more).astype(np.int32)


def _directory_topics(
    shape: Shape, rng: np.random.Generator, main: Ids, rank: NDArray[np.int_]
) -> Ids:
    """Mostly the host's topic; sometimes another, or none. A root is about its host."""
    chance = rng.random(len(main))
    other = rng.integers(1, shape.topics + 1, len(main))
    topic = np.where(chance < shape.general / 2, 0, main)
    topic = np.where(chance > 0.85, other, topic)
    return np.where(rank == 0, main, topic).astype(np.int32)


def _tunnels(shape: Shape, rng: np.random.Generator, size: NDArray[np.int32]) -> Ids:
    """Length of the tunnel at the head of each directory, until enough pages are hidden."""
    wanted = shape.tunnels * size.sum()
    fit = rng.permutation(np.flatnonzero((size > DEEPEST) & (size <= 2.5 * IN_DIRECTORY)))
    before = np.cumsum(size[fit]) - size[fit]
    chosen = fit[before < wanted]
    tunnel = np.zeros(len(size), np.int32)
    tunnel[chosen] = rng.integers(1, DEEPEST + 1, len(chosen))
    return tunnel


def _parents(
    shape: Shape, rng: np.random.Generator, directories: Directories, directory: Ids, position: Ids
) -> Ids:
    """The tree within hosts: an index hangs on the index above, the rest in layers below it."""
    fan = rng.integers(5, 20, len(directories.size))[directory]
    tunnel = directories.tunnel[directory]
    behind = np.where(tunnel > 0, tunnel - 1, (position - 1) // fan)
    behind = np.where(position < tunnel, position - 1, behind)
    first = directories.first
    above = first[directories.above][directory]
    parent: Ids = np.where(position == 0, above, first[directory] + behind).astype(np.int32)
    return parent


def _host_parents(
    rng: np.random.Generator, sizes: Ids, main: Ids, open_page: NDArray[np.int_]
) -> Ids:
    """A page that links to each host's home: in the portal, or on a host that came before."""
    hosts, start = np.arange(len(sizes)), _starts(sizes)
    section = 1 + main
    known = np.maximum(1, hosts - 2)  # how many earlier hosts there are, portal and trap apart
    earlier = np.minimum(2 + np.floor(rng.random(len(hosts)) * known).astype(int), hosts - 1)
    page = open_page[start[earlier] + np.floor(rng.random(len(hosts)) * sizes[earlier]).astype(int)]
    listed = (rng.random(len(hosts)) < LISTED) | (hosts <= 2)
    parent: Ids = np.where(listed, section, page).astype(np.int32)
    parent[PORTAL] = -1
    return parent


def _topics(
    shape: Shape, rng: np.random.Generator, directories: Directories, directory: Ids, position: Ids
) -> Ids:
    """Mostly the directory's topic; never anything else on an index or behind a tunnel."""
    topic, tunnel = directories.topic[directory], directories.tunnel[directory]
    chance = rng.random(len(topic))
    mixed = np.where(chance < shape.general / 4, 0, topic)
    mixed = np.where(chance > 0.95, rng.integers(1, shape.topics + 1, len(topic)), mixed)
    topic = np.where((position == 0) | (tunnel > 0), topic, mixed)
    off_topic = (position < tunnel) | _in_trap(shape, directories.host[directory])
    return np.where(off_topic, 0, topic).astype(np.int32)


def _roles(
    shape: Shape,
    rng: np.random.Generator,
    directories: Directories,
    directory: Ids,
    position: Ids,
    topic: Ids,
) -> Ids:
    host, tunnel = directories.host[directory], directories.tunnel[directory]
    hub = (rng.random(len(host)) < shape.hubs) & (position > 0) & (topic > 0) & (tunnel == 0)
    hub |= (host == PORTAL) & (topic > 0)
    role = np.where(hub, Role.HUB, Role.PLAIN)
    role = np.where(position < tunnel, Role.TUNNEL, role)
    return np.where(_in_trap(shape, host), Role.TRAP, role).astype(np.int32)


def _in_trap(shape: Shape, host: Ids) -> Flags:
    inside: Flags = (host == TRAP) & (shape.trap_pages > 0)
    return inside
