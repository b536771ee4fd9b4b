"""Everything about a news site but its words: articles, stories, links, updates, false dates.

Links in the text grow by copying, as in `graph`: with probability `attachment` a link goes where
an earlier one went, else to one of the latest articles. Articles of a story also name each other,
which makes them cluster.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wolfspider.webs.synthetic.graph import Pages
from wolfspider.webs.synthetic.news import DAY, NewsSite
from wolfspider.webs.synthetic.news_times import Times, endings, publications, update_times

TOPICS = 6  # topic pages of a section
LOCAL = 0.7  # share of links that stay in their section
MOST_LINKS = 40  # in the text of an article
TAIL = 1.2  # exponent of how many there are: P(more than k) ∝ k^−TAIL
RECENT = 1.0  # days that a new link looks back, on average
STORY = 0.7  # days that a story lasts after its last article, on average
SECOND_TOPIC = 0.4  # share of articles with two topics
VISIBLE, META, JSON_LD, HEADER = 1, 2, 4, 8  # where an article tells its date
TELLS = {VISIBLE: 0.95, META: 0.9, JSON_LD: 0.75, HEADER: 0.8}  # share of articles that do


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """All articles in the order in which they appear."""

    published: Times
    gone: Times  # NEVER for those that stay
    updates: list[list[int]]  # when each is updated
    section: NDArray[np.int64]
    story: NDArray[np.int64]
    members: list[list[int]]  # articles of each story, in order
    topics: list[list[int]]  # of each article; numbers of topic pages
    links: list[list[int]]  # of each article, to earlier ones
    tells: NDArray[np.int64]  # VISIBLE | META | JSON_LD | HEADER; 0 for undated articles
    shift: NDArray[np.int64]  # seconds by which the date on an article is wrong

    def version(self, article: int, at: float) -> int:
        """How many times an article has been updated at a moment."""
        return sum(time <= at for time in self.updates[article])

    def modified(self, article: int, version: int) -> int:
        """When a version of an article appeared."""
        return self.updates[article][version - 1] if version else int(self.published[article])


def plan(site: NewsSite) -> Plan:
    published = publications(site)
    gone = endings(site, published)
    section = _sections(site, len(published))
    story, members = _stories(site, published, section)
    return Plan(
        published=published,
        gone=gone,
        updates=update_times(site, published, gone),
        section=section,
        story=story,
        members=members,
        topics=_topics(site, section, story),
        links=_links(site, published, gone, section),
        tells=_tells(site, len(published)),
        shift=_shifts(site, len(published)),
    )


def _sections(site: NewsSite, count: int) -> NDArray[np.int64]:
    """Sections of unequal size."""
    share = 1.0 / (np.arange(site.sections) + 3.0)
    return site.rng("sections").choice(site.sections, count, p=share / share.sum())


def _stories(
    site: NewsSite, published: Times, section: NDArray[np.int64]
) -> tuple[NDArray[np.int64], list[list[int]]]:
    """Which story each article belongs to: a new one, or that of a recent article."""
    rng = site.rng("stories")
    joins = (rng.random(len(section)) < site.related).tolist()
    back = (published - rng.exponential(STORY * DAY, len(section))).tolist()
    story, members = np.empty(len(section), np.int64), list[list[int]]()
    for number in range(site.sections):
        mine = np.flatnonzero(section == number)
        near = np.searchsorted(published[mine], np.array(back)[mine]).tolist()
        for place, article in enumerate(mine.tolist()):
            if joins[article] and 0 < near[place] < place:
                found = int(story[mine[near[place]]])
            else:
                found = len(members)
                members.append([])
            story[article] = found
            members[found].append(article)
    return story, members


def _topics(
    site: NewsSite, section: NDArray[np.int64], story: NDArray[np.int64]
) -> list[list[int]]:
    """One topic by the story, perhaps another one of the section; popular ones come first."""
    rng = site.rng("topics")
    share = 1.0 / (np.arange(TOPICS) + 1.5)
    share /= share.sum()
    first = rng.choice(TOPICS, int(story.max(initial=-1)) + 1, p=share)[story]
    second = rng.choice(TOPICS, len(story), p=share)
    both = rng.random(len(story)) < SECOND_TOPIC
    pairs = np.stack([first, np.where(both, second, first)]) + section * TOPICS
    return [list(dict.fromkeys(pair)) for pair in pairs.T.tolist()]


def _links(
    site: NewsSite, published: Times, gone: Times, section: NDArray[np.int64]
) -> list[list[int]]:
    """Where the links in the text of each article lead, each of them once."""
    rng, count = site.rng("links"), len(published)
    wanted = np.minimum(2 * (1 + rng.pareto(TAIL, count)) - 1, MOST_LINKS).astype(np.int64)
    source = np.repeat(np.arange(count), wanted)
    local = rng.random(len(source)) < LOCAL
    target = np.full(len(source), -1)
    for aim in range(-1, site.sections):
        rows = np.flatnonzero(~local if aim < 0 else local & (section[source] == aim))
        pool = np.arange(count) if aim < 0 else np.flatnonzero(section == aim)
        target[rows] = _grown(rng, source[rows], pool, published, site.attachment)
    there = (target >= 0) & (gone[target] > published[source])
    links: list[dict[int, None]] = [{} for _ in range(count)]
    for one, other in zip(source[there].tolist(), target[there].tolist(), strict=True):
        links[one][other] = None
    return [list(row) for row in links]


def _grown(
    rng: np.random.Generator, source: Pages, pool: Pages, published: Times, attachment: float
) -> Pages:
    """Targets in `pool` of links in the order of their sources, all earlier; −1 where none is."""
    count = len(source)
    age = published[source] - published[:1]
    back = published[source] - rng.exponential(RECENT * DAY, count) % np.maximum(age, 1)
    place = np.searchsorted(published[pool], back)
    fresh = pool[np.minimum(place, len(pool) - 1)] if len(pool) else np.full(count, -1)
    fresh = np.where(fresh < source, fresh, -1)
    origin = np.arange(count)
    copies = rng.random(count) < attachment
    earlier = (rng.random(count) * np.searchsorted(source, source)).astype(np.int64)
    origin[copies] = earlier[copies]
    while not np.array_equal(further := origin[origin], origin):  # copies of copies
        origin = further
    found = fresh[origin]
    return np.where(found < source, found, -1)


def _tells(site: NewsSite, count: int) -> NDArray[np.int64]:
    rng = site.rng("dates")
    tells = np.zeros(count, np.int64)
    for place, share in TELLS.items():
        tells |= np.where(rng.random(count) < share, place, 0)
    tells = np.where(tells == 0, VISIBLE, tells)
    return np.where(rng.random(count) < site.undated, 0, tells)


def _shifts(site: NewsSite, count: int) -> NDArray[np.int64]:
    """Lies: half are some hours off, as in a wrong time zone; half are days too early."""
    rng = site.rng("lies")
    hours = rng.integers(1, 13, count) * rng.choice([-3600, 3600], count)
    days = rng.integers(1, 31, count) * -DAY
    wrong = np.where(rng.random(count) < 0.5, hours, days)
    return np.where(rng.random(count) < site.misdated, wrong, 0)
