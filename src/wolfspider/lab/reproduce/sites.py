"""Sites of a web by their labels, and tasks on each of them that leave it out of the training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.lab.tasks import Task
from wolfspider.urls import host
from wolfspider.webs.graph import Graph, Mask
from wolfspider.webs.recorded import RecordedWeb

PREFIX = "site:"
_WHOLE = 0.5  # of a site's pages, that can be reached from its root if it is one site
_LEAST = 5  # targets that can be reached
_LISTED = 0.25  # of a site's targets, that its list links to


@dataclass(frozen=True, eq=False)
class Site:
    """The pages with a label, as far as a crawl comes from the root."""

    label: str
    root: int
    graph: Graph
    reachable: Mask

    @property
    def name(self) -> str:
        return self.label.partition(":")[2] or self.label


def sites_of(web: RecordedWeb, prefix: str = PREFIX) -> list[Site]:
    """The sites whose labels begin so; a label of many sites that do not hang together is none.

    The root is a page at the path / of a host (any page, where there is none) from which half of
    the site can be reached: of several the one that most links of the site lead to.
    """
    labels = [label for label in web.about["labels"] if label.startswith(prefix)]
    sites = [site for label in labels if (site := _site(web, label)) is not None]
    if len(sites) < 2:
        raise BadInput(
            f"{web.folder} has {len(sites)} sites to learn from and to test on, and it takes two: "
            f"each page needs a label such as {prefix}cornell that says which site it is of, and "
            "half of a site must be reachable from its root; labels that begin otherwise are named "
            "by --sites"
        )
    return sites


def _site(web: RecordedWeb, label: str) -> Site | None:
    graph = Graph(web, _mask(web, label))
    pages = web.label(label).astype(np.int64)
    at_root = [page for page in pages.tolist() if _is_root(web.url(page))]
    popular = np.diff(graph.backlinks.indptr)
    for root in sorted(at_root or pages.tolist(), key=lambda page: (-popular[page], page)):
        reachable = _reachable(graph, root)
        if reachable.sum() >= _WHOLE * len(pages):
            return Site(label, root, graph, reachable)
    return None


def _is_root(url: str) -> bool:
    return url.endswith(f"//{host(url)}/")


def _reachable(graph: Graph, page: int) -> Mask:
    reachable: Mask = np.isfinite(graph.distances_from(np.array([page])))
    return reachable


def _mask(web: RecordedWeb, label: str) -> Mask:
    mask = np.zeros(len(web), bool)
    mask[web.label(label)] = True
    return mask


def many_targets(web: RecordedWeb, sites: Sequence[Site], labels: Sequence[str]) -> list[Task]:
    """On each site: find the pages with a label, of which there must be a few."""
    return [
        _task(web, f"{site.name}-{label}", label, label, site, sites)
        for label in labels
        for site in _with_targets(web, sites, label)
    ]


def _with_targets(web: RecordedWeb, sites: Sequence[Site], label: str) -> list[Site]:
    targets = _mask(web, label)
    found = [site for site in sites if (targets & site.reachable).sum() >= _LEAST]
    return found if len(found) > 1 else []


def single_targets(web: RecordedWeb, sites: Sequence[Site], labels: Sequence[str]) -> list[Task]:
    """On each site: find the one page that lists the pages with a label."""
    tasks = []
    for label in labels:
        lists = {site: page for site in sites if (page := list_page(web, site, label)) is not None}
        if len(lists) > 1:
            urls = tuple(web.url(page) for page in lists.values())
            tasks += [
                _task(web, f"{site.name}-{label}-list", label, urls, site, list(lists), until=1)
                for site in lists
            ]
    return tasks


def list_page(web: RecordedWeb, site: Site, label: str) -> int | None:
    """The page that links to most pages with a label, if these are a quarter of all there are.

    The root is no list, because that is where the search begins. Of several the first.
    """
    targets = np.flatnonzero(_mask(web, label) & site.reachable)
    if len(targets) < _LEAST:
        return None
    linked = site.graph.links.astype(bool).astype(np.int64)[:, targets]
    counts = np.asarray(linked.sum(axis=1)).ravel() * site.reachable
    counts[site.root] = 0
    best = int(counts.argmax())
    return best if counts[best] >= _LISTED * len(targets) else None


def _task(
    web: RecordedWeb,
    name: str,
    label: str,
    targets: str | tuple[str, ...],
    site: Site,
    sites: Sequence[Site],
    until: int | None = None,
) -> Task:
    return Task(
        name=name,
        keywords=(label.rsplit(":", 1)[-1],),
        targets=targets,
        seeds=(web.url(site.root),),
        within=site.label,
        train=tuple(other.label for other in sites if other is not site),
        until=until,
    )
