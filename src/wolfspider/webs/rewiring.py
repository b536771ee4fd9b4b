"""A web with the same pages whose links lead elsewhere: degrees stay, clusters go.

Palotai, Farkas and Lőrincz (2005, section 4.1) put the origins and the ends of all links into
random order and join them anew. Every page keeps how many links it has and how many lead to it.
A link takes its words along, so it still speaks of the page that it leads to.

Of a changing web the links of all versions are rewired; see `rewiring_history`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wolfspider.errors import BadInput
from wolfspider.records import NO_LINKS, Links
from wolfspider.webs.folder import HISTORY, BlobWriter, GroupWriter
from wolfspider.webs.new_folder import NewFolder
from wolfspider.webs.recorded import RecordedWeb
from wolfspider.webs.rewiring_history import rewire_history

_ROUNDS = 1000  # of repairs before a web counts as too dense
_TRIES = 4096  # exchanges looked at in a round, at least
_UNCHANGED = """
address_pages.npy addresses.npy labels_pages.npy labels_starts.npy page_starts.npy pages.bin
text_starts.npy texts.bin
"""

Numbers = NDArray[np.int64]


def rewired(sources: Numbers, targets: Numbers, pages: int, seed: int) -> tuple[Numbers, Numbers]:
    """Origins, and the links whose ends they get, in random order.

    No page links to itself, and none twice to another; where chance would have it so, ends are
    exchanged with those of other links.
    """
    random = np.random.default_rng(seed)
    origins = sources[random.permutation(len(sources))]
    ends = random.permutation(len(targets))
    for _ in range(_ROUNDS):
        wrong = _wrong(origins, targets[ends], pages)
        if not len(wrong):
            return origins, ends
        wrong = np.tile(wrong, 1 + _TRIES // len(wrong))  # the last ones are hard to place
        others = random.integers(len(ends), size=len(wrong))
        _exchange(origins, ends, targets, wrong, others, pages)
    raise BadInput("the pages of this web link to nearly all others, so it cannot be rewired")


def _wrong(origins: Numbers, targets: Numbers, pages: int) -> Numbers:
    """Links from a page to itself, and second links to the same page."""
    pairs = origins * pages + targets
    order = np.argsort(pairs, kind="stable")
    second = order[1:][pairs[order][1:] == pairs[order][:-1]]
    return np.union1d(second, np.flatnonzero(origins == targets))


def _exchange(
    origins: Numbers, ends: Numbers, targets: Numbers, wrong: Numbers, others: Numbers, pages: int
) -> None:
    """Let wrong links exchange ends with others, where both are right afterwards."""
    mine, theirs = targets[ends[others]], targets[ends[wrong]]
    made = np.stack([origins[wrong] * pages + mine, origins[others] * pages + theirs])
    there = np.isin(made, origins * pages + targets[ends]).any(0)
    itself = (origins[wrong] == mine) | (origins[others] == theirs)
    good = np.flatnonzero(~there & ~itself & ~np.isin(others, wrong))
    for one in (wrong, others, *made):  # nothing is in two exchanges
        good = good[np.unique(one[good], return_index=True)[1]]
    good = good[~np.isin(made[0][good], made[1][good])]
    wrong, others = wrong[good], others[good]
    ends[wrong], ends[others] = ends[others], ends[wrong]


def rewire(web: RecordedWeb, folder: Path, seed: int) -> Iterator[tuple[int, int]]:
    """Write the rewired web, step by step: yields pages done and pages in all."""
    new = NewFolder(folder)
    try:
        for name in _UNCHANGED.split():
            shutil.copyfile(web.folder / name, new.path / name)
        changing = (web.folder / HISTORY).is_dir()
        yield from (
            rewire_history(web.folder, new.path, seed)
            if changing
            else _rewire_state(web, new.path, seed)
        )
        source = f"{web.folder.name} ({web.digest}), rewired with seed {seed}"
        about = {key: web.about.get(key, []) for key in ("pages", "hosts", "dates")}
        about |= {"links": len(np.load(new.path / "graph_pages.npy", mmap_mode="r"))}
        about |= {"sources": [source], "left_out": {}, "versions": web.about.get("versions", 0)}
        new.complete(about, {name: web.label(name) for name in web.about["labels"]})
    finally:
        new.leave()


def _rewire_state(web: RecordedWeb, folder: Path, seed: int) -> Iterator[tuple[int, int]]:
    """Rewire a web that has one state only."""
    starts, graph = web.graph
    pages, targets = len(web), graph.astype(np.int64)
    sources = np.repeat(np.arange(pages), np.diff(starts))
    origins, ends = rewired(sources, targets, pages, seed)
    order = np.lexsort((ends, origins))
    ends, counts = ends[order], np.bincount(origins, minlength=pages)
    yield from _write(web, folder, ends, np.concatenate([[0], np.cumsum(counts)]))


def _write(
    web: RecordedWeb, folder: Path, ends: Numbers, starts: Numbers
) -> Iterator[tuple[int, int]]:
    before, targets = web.graph
    owners = np.searchsorted(before, ends, "right") - 1  # the page each link was on
    blobs, graph = BlobWriter(folder, "link"), GroupWriter(folder, "graph")
    try:
        for page in range(len(web)):
            mine = slice(starts[page], starts[page + 1])
            rows = ends[mine] - before[owners[mine]]
            parts = [
                web.links(owner).take(np.array([row]))
                for owner, row in zip(owners[mine].tolist(), rows.tolist(), strict=True)
            ]
            blobs.append((Links.chain(parts) if parts else NO_LINKS).buffer)
            graph.append(targets[ends[mine]])
            yield page + 1, len(web)
        blobs.close()
        graph.close()
    finally:
        blobs.abandon()
        graph.abandon()
