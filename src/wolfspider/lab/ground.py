"""Ground truth of one task with its start pages: what can be reached, and what is a target.

Only the lab holds this. A policy is given the topic's keywords, the seed links and visits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.judges import ClassifierJudge, CosineJudge, KeywordJudge, TargetJudge
from wolfspider.judges.classifier import FEWEST, content
from wolfspider.lab.parts import mask_of
from wolfspider.lab.tasks import Away, Task
from wolfspider.lab.view import View
from wolfspider.protocols import Judge
from wolfspider.records import Link, Terms
from wolfspider.topics import Topic
from wolfspider.urls import fingerprint, seed_link
from wolfspider.webs.graph import Graph, Mask, Numbers
from wolfspider.webs.recorded import RecordedWeb

Examples = dict[str, Terms]  # by address

COUNTER_EXAMPLES = 10  # for each example: most of a web is something else
_NOT_STARTS = 1  # start pages are drawn by draw and name, too, and must not decide the examples


@dataclass(frozen=True)
class Ground:
    """A task laid out on its web, from certain start pages."""

    web: RecordedWeb
    task: Task
    graph: Graph
    targets: Mask
    starts: tuple[int, ...]

    @classmethod
    def lay(cls, web: RecordedWeb, task: Task, repeat: int = 0) -> Ground:
        """Find targets and start pages; drawn start pages differ from repeat to repeat."""
        graph = _graph(web, task.within)
        targets = target_mask(web, task) & graph.within
        if not targets.any():
            raise BadInput(f"task {task.name!r} has no target on {web.folder}")
        for label in task.train:
            mask_of(web, label)  # says so when no page has it
        if task.judge == "classifier":
            draw_examples(web, task)  # says so when there are too few
        starts = _starts(web, task, graph, targets, repeat)
        if task.cone is not None:
            near = graph.distances_from(np.array(starts)) <= task.cone
            graph = Graph(web, graph.within & near)
        ground = cls(web, task, graph, targets, tuple(int(page) for page in starts))
        if not (ground.reachable & targets).any():
            raise BadInput(f"task {task.name!r}: no target can be reached from its seeds")
        return ground

    @cached_property
    def reachable(self) -> Mask:
        """Pages that a crawl from the start pages can come to."""
        return np.isfinite(self.graph.distances_from(np.array(self.starts)))

    @cached_property
    def wanted(self) -> Mask:
        """Targets that can be reached."""
        return self.reachable & self.targets

    @cached_property
    def budget(self) -> int:
        """Fetches that make sense: all that can be reached, or fewer."""
        all_pages = int(self.reachable.sum())
        return all_pages if self.task.budget is None else min(self.task.budget, all_pages)

    @cached_property
    def view(self) -> View:
        """The web as the crawl sees it."""
        return View(self.web, None if self.graph.within.all() else self.graph.within)

    def seeds(self) -> list[Link]:
        return [seed_link(self.web.url(page)) for page in self.starts]

    def topic(self) -> Topic:
        try:
            return Topic.of(" ".join(self.task.keywords))
        except BadInput:
            raise BadInput(
                f"task {self.task.name!r}: its keywords {list(self.task.keywords)} have no word to "
                "look for; give at least one that is not a stop word"
            ) from None

    def judge(self) -> Judge:
        if self.task.judge == "keywords":
            return KeywordJudge(self.topic())
        if self.task.judge == "cosine":
            return CosineJudge.of([self.task.description])
        if self.task.judge == "classifier":
            return _classifier(self.web, self.task)
        urls = (self.web.url(int(page)) for page in np.flatnonzero(self.targets))
        return TargetJudge(frozenset(map(fingerprint, urls)))


@lru_cache(maxsize=8)
def _graph(web: RecordedWeb, within: str) -> Graph:
    return Graph(web, mask_of(web, within) if within else None)


def target_mask(web: RecordedWeb, task: Task) -> Mask:
    """Which pages of the whole web are targets of a task."""
    targets = np.zeros(len(web), bool)
    if isinstance(task.targets, str):
        targets[web.label(task.targets)] = True
        return targets
    for url in task.targets:
        page = web.number(url)
        if page < 0:
            raise BadInput(f"task {task.name!r}: its target {url} is not in {web.folder}")
        targets[page] = True
    return targets


@lru_cache(maxsize=64)
def _classifier(web: RecordedWeb, task: Task) -> ClassifierJudge:
    return ClassifierJudge.learn(*draw_examples(web, task))


def draw_examples(web: RecordedWeb, task: Task, draw: int = 0) -> tuple[Examples, Examples]:
    """Targets for a judge to learn from, and ten times as many other pages.

    From the pages that `train` names, else from those of the task itself. The task's name decides
    which, so that every policy and every repeat meets the same judge; other `draw`s give others.
    """
    labels = task.train or ((task.within,) if task.within else ())
    pool = np.zeros(len(web), bool) if labels else np.ones(len(web), bool)
    for label in labels:
        pool |= mask_of(web, label)
    targets = target_mask(web, task)
    random = np.random.default_rng([draw, fingerprint(task.name), _NOT_STARTS])
    wanted, others = (
        random.permutation(np.flatnonzero(each & pool)) for each in (targets, ~targets)
    )
    seen: set[bytes] = set()  # mirrors of an example are no counter-examples
    examples = _with_words(web, wanted, task.examples, seen)
    counter_examples = _with_words(web, others, COUNTER_EXAMPLES * task.examples, seen)
    for found, what in ((examples, "targets"), (counter_examples, "other pages")):
        if len(found) < FEWEST:
            where = f"in {', '.join(labels)}" if labels else f"on {web.folder}"
            raise BadInput(
                f"task {task.name!r}: the judge 'classifier' learns from {what} {where}, and "
                f"{len(found)} of them have words; it needs at least {FEWEST}"
            )
    return examples, counter_examples


def _with_words(web: RecordedWeb, pages: Numbers, most: int, seen: set[bytes]) -> Examples:
    """The first of the pages that have words, and not those of a page that was seen."""
    found: Examples = {}
    for number in pages.tolist():
        if len(found) == most:
            break
        page = web.page(number)
        words = content(page.terms)
        if page.terms.length and words not in seen:
            seen.add(words)
            found[page.url] = page.terms
    return found


def _starts(web: RecordedWeb, task: Task, graph: Graph, targets: Mask, repeat: int) -> Numbers:
    if isinstance(task.seeds, Away):
        return _draw(web, task, task.seeds, graph, targets, repeat)
    starts = []
    for url in task.seeds:
        page = web.number(url)
        if page < 0 or not graph.within[page]:
            raise BadInput(f"task {task.name!r}: its seed {url} is not among the pages it may see")
        starts.append(page)
    return np.array(list(dict.fromkeys(starts)))


def _draw(
    web: RecordedWeb, task: Task, seeds: Away, graph: Graph, targets: Mask, repeat: int
) -> Numbers:
    """Pages exactly so many links before a target, drawn anew for each repeat."""
    random = np.random.default_rng([repeat, fingerprint(task.name)])
    if not seeds.nearest:
        return _in_no_order(web, _draw_each(task, seeds, graph, targets, random))
    distances = graph.distances_to(np.flatnonzero(targets))
    pages = np.flatnonzero((distances == seeds.away) & graph.within)
    if not len(pages):
        raise BadInput(
            f"task {task.name!r}: no page of {web.folder} is exactly {seeds.away} links before "
            f"a target; the farthest is {int(distances[np.isfinite(distances)].max())}"
        )
    drawn = random.choice(pages, min(seeds.count, len(pages)), replace=False)
    return _in_no_order(web, drawn)


def _draw_each(
    task: Task, seeds: Away, graph: Graph, targets: Mask, random: np.random.Generator
) -> Numbers:
    """For one target after the other a page so many links before it, until there are enough."""
    drawn: set[int] = set()
    for target in random.permutation(np.flatnonzero(targets)).tolist() * seeds.count:
        distances = graph.distances_to(np.array([target]))
        pages = np.flatnonzero((distances == seeds.away) & graph.within)
        if len(pages):
            drawn.add(int(random.choice(pages)))
        if len(drawn) == seeds.count:
            break
    if not drawn:
        raise BadInput(f"task {task.name!r}: no page is exactly {seeds.away} links before a target")
    return np.array(sorted(drawn))


def _in_no_order(web: RecordedWeb, pages: Numbers) -> Numbers:
    """An order that is the same for the same pages, but tells nothing of their numbers."""
    pages = np.sort(pages)
    return pages[np.argsort([fingerprint(web.url(page)) for page in pages.tolist()])]
