"""All that is said of a web."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.lab.describe.clustering import Clustering, both_ways, clustering
from wolfspider.lab.describe.components import Components, bow_tie, strong, weak
from wolfspider.lab.describe.content import Content, content
from wolfspider.lab.describe.degrees import Degrees, in_degrees, out_degrees
from wolfspider.lab.describe.hosts import Hosts, reading_hosts
from wolfspider.lab.describe.reach import Reach, by_depth
from wolfspider.lab.describe.sampling import Sampling
from wolfspider.lab.describe.targets import Targets, heights
from wolfspider.webs.graph import Graph, Numbers
from wolfspider.webs.recorded import RecordedWeb

Found = TypeVar("Found")


@dataclass(frozen=True)
class Settings:
    """What to look at. All random choices come from `random_seed`."""

    label: str | None = None
    start: str | None = None  # the first page if not given
    height: int = 4
    sources: int = 200  # pages from which distances are measured
    random_seed: int = 0


@dataclass(frozen=True)
class Description:
    web: str
    digest: str
    pages: int
    links: int
    settings: Settings
    in_degrees: Degrees
    out_degrees: Degrees
    strong: Components
    weak: Components
    bow_tie: dict[str, int] | None
    directed: Reach
    undirected: Reach
    clustering: Clustering
    hosts: Hosts
    start: str
    depths: tuple[int, ...]  # pages 0, 1, … links from the start page
    unreachable: int  # from the start page
    targets: Targets | None
    content: Content

    def as_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        return asdict(self)


def describing(
    web: RecordedWeb, settings: Settings
) -> Generator[tuple[float, str], None, Description]:
    """Describe a web, step by step: yields the share that is done and what comes next."""
    start, labelled = _asked(web, settings)
    hosts = yield from _part(reading_hosts(web), 0.0, 0.1, "reading addresses")
    graph = Graph(web)
    sampling = Sampling(graph, labelled, settings.sources, settings.random_seed)
    yield 0.1, "fitting degrees"
    degrees = Degrees.of(in_degrees(graph)), Degrees.of(out_degrees(graph))
    yield 0.25, "finding components"
    strongly, weakly = strong(graph), weak(graph)
    components = Components.of(strongly), Components.of(weakly)
    tie = bow_tie(graph, strongly, weakly)
    yield 0.3, "counting triangles"
    neighbours = both_ways(graph)
    clustered = clustering(neighbours)
    steps = sampling.from_pages()
    directed, to_labelled, pairs = yield from _part(steps, 0.4, 0.6, "measuring distances")
    undirected = yield from _part(
        sampling.both_ways(neighbours), 0.6, 0.8, "measuring distances both ways"
    )
    depths = graph.distances_from(np.array([start]))
    targets = None
    if settings.label is not None:
        reaches = yield from _part(sampling.from_targets(), 0.8, 0.9, "measuring targets")
        targets = Targets(
            settings.label,
            len(labelled),
            *hosts.of(labelled),
            *reaches,
            to_labelled,
            heights(graph, labelled, settings.height),
            *by_depth(depths[labelled]),
        )
    yield 0.9, "comparing words"
    words = content(web, pairs, settings.random_seed)
    return Description(
        str(web.folder),
        web.digest,
        len(web),
        int(graph.links.nnz),
        settings,
        *degrees,
        *components,
        tie,
        directed,
        undirected,
        clustered,
        Hosts.of(hosts, graph),
        web.url(start),
        *by_depth(depths),
        targets,
        words,
    )


def _asked(web: RecordedWeb, settings: Settings) -> tuple[int, Numbers]:
    """The number of the start page, and the targets."""
    if not len(web):
        raise BadInput(f"{web.folder} has no pages; there is nothing to describe")
    start = 0 if settings.start is None else web.number(settings.start)
    if start < 0:
        raise BadInput(
            f"the start page {settings.start} is not in {web.folder}; "
            f"its first page is {web.url(0)}"
        )
    label = settings.label
    labelled = np.empty(0, np.int64) if label is None else web.label(label).astype(np.int64)
    return start, labelled


def _part(
    steps: Generator[float, None, Found], begin: float, end: float, what: str
) -> Generator[tuple[float, str], None, Found]:
    """Part of the work, from `begin` to `end` of all of it."""
    while True:
        try:
            yield begin + (end - begin) * next(steps), what
        except StopIteration as last:
            found: Found = last.value
            return found
