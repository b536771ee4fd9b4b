"""Webs of a few pages, written down as letters, on which everything can be computed by hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from wolfspider.lab.ground import Ground
from wolfspider.lab.summary import Summary, unit_of
from wolfspider.lab.tasks import Task
from wolfspider.lab.trace import RunKey, Trace
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.recorded import RecordedWeb

# a ─ b ─ d        d, g and h are targets; h links to a, but nobody links to h.
#   │   └ e ─ g    Breadth-first goes a b c d e f g, the best crawl is a b d e g.
#   └ c ─ f
LINKS = {"a": "bc", "b": "de", "c": "f", "d": "", "e": "g", "f": "", "g": "", "h": "a"}
TARGETS = "dgh"
HOSTS = {"d": "x.example", "g": "y.example"}


def url(page: str, hosts: Mapping[str, str] = HOSTS) -> str:
    return f"http://{hosts.get(page, 'a.example')}/{page}"


def web_of(
    folder: Path,
    links: Mapping[str, str] = LINKS,
    labels: Mapping[str, str] | None = None,
    words: Mapping[str, str] | None = None,
    hosts: Mapping[str, str] = HOSTS,
    titles: Mapping[str, str] | None = None,
) -> RecordedWeb:
    """A compiled web. `links` says where each page leads; pages are numbered in its order.

    `labels` are the pages of each label, `words` the visible words of a page.
    """
    labels = {"target": TARGETS} if labels is None else labels
    with Compiler(folder, ["by hand"]) as compiler:
        for page, ends in links.items():
            anchors = "".join(f'<a href="{url(end, hosts)}"></a>' for end in ends)
            title = f"<title>{titles[page]}</title>" if titles else ""
            body = f"{title}<p>{(words or {}).get(page, '')}</p>{anchors}"
            compiler.add(Capture(url(page, hosts), 0.0, 200, "text/html", body=body.encode()))
        compiler.finish(
            [(url(page, hosts), name) for name, each in labels.items() for page in each]
        )
    return RecordedWeb(folder)


def task_of(starts: str = "a", **values: Any) -> Task:
    """The task to find the targets from the pages of these letters."""
    given: dict[str, Any] = {"name": "tiny", "keywords": ("spider",), "targets": "target"}
    return Task(**given | {"seeds": tuple(url(page) for page in starts)} | values)


def number(web: RecordedWeb, page: str) -> int:
    """Of the page of that letter; −1 for a failed fetch, written as a dash."""
    return -1 if page == "-" else web.number(url(page))


def trace_of(
    ground: Ground,
    pages: str,
    policy: str = "by-hand",
    *,
    repeat: int = 0,
    cpu_seconds: float = 0.0,
    error: str = "",
) -> Trace:
    """A crawl of the pages of these letters."""
    numbers = np.array([number(ground.web, page) for page in pages], np.int32)
    key = RunKey(ground.web.digest, ground.task.name, policy, repeat)
    judged = ground.targets[numbers] & (numbers >= 0)
    return Trace(key, numbers, judged, cpu_seconds, 1.0, ground.starts, error)


def letters(trace: Trace, ground: Ground) -> str:
    """The pages of a crawl as letters."""
    return "".join("-" if n < 0 else ground.web.url(n)[-1] for n in trace.pages.tolist())


def summary_of(*runs: tuple[Ground, Trace]) -> Summary:
    """The summary of runs made by hand."""
    grounds = {unit_of(trace): ground for ground, trace in runs}
    good = tuple(trace for _, trace in runs if not trace.error)
    return Summary(good, tuple(trace for _, trace in runs if trace.error), grounds)
