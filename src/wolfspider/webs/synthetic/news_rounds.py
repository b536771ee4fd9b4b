"""What happens at a news site, in the order of time.

Articles appear, change and vanish at their own moments. Fronts and lists are made anew in rounds,
and captured if they differ from before: fronts in every round; archives, topics and feeds in every
sixth. A front lists all that its archive cannot have yet, so every article can be reached from the
front page at most one round after it appeared.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterator
from email.utils import format_datetime
from hashlib import sha1
from heapq import merge

from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.synthetic.html import missing
from wolfspider.webs.synthetic.news import DAY, NewsSite
from wolfspider.webs.synthetic.news_addresses import STATIC, NewsAddresses, moment, origin
from wolfspider.webs.synthetic.news_feeds import XML_TYPE, NewsFeeds
from wolfspider.webs.synthetic.news_pages import NewsPages
from wolfspider.webs.synthetic.news_plan import HEADER, TOPICS, plan
from wolfspider.webs.synthetic.news_prose import NewsProse
from wolfspider.webs.synthetic.recording import Record, wire

SLOW = 6  # rounds between two of archives, topics and feeds
SHOWN_DAYS = 2  # archives that a front links to; the calendar has all
SITEMAP = 1000  # entries at most, of the last day
HTML = "text/html; charset=utf-8"
Event = tuple[int, int, int]  # when, article, version; GONE for the end of it
GONE = -1


class Rounds:
    """One run through the time of a site."""

    def __init__(self, site: NewsSite) -> None:
        self.site = site
        self.plan = plan(site)
        self.prose = NewsProse(site, self.plan)
        self.origin = origin(site)
        name = self.origin.partition("www.")[2].partition(".")[0].replace("-", " ").title()
        self.name = name
        slugs = [title.lower().replace(" ", "-") for title in self.prose.titles]
        names, topics = self.prose.sections, self.prose.topics
        self.addresses = NewsAddresses(site, self.plan, names, topics, slugs)
        self.pages = NewsPages(self.plan, self.prose, self.addresses, name)
        self.feeds = NewsFeeds(self.plan, self.prose, self.addresses, self.origin, name)
        self._version: dict[int, int] = {}  # of every article that is there
        self._all: list[int] = []  # articles that are there, in order
        self._of_section: list[list[int]] = [[] for _ in range(site.sections)]
        self._of_topic: list[list[int]] = [[] for _ in range(site.sections * TOPICS)]
        self._of_day: dict[tuple[int, int], list[int]] = defaultdict(list)  # by section and day
        self._days: list[list[int]] = [[] for _ in range(site.sections)]  # that have an archive
        self._fronts = set(range(-1, site.sections))  # to be made anew; −1 is the front page
        self._archives: set[tuple[int, int]] = set()
        self._topics = set(range(site.sections * TOPICS))
        self._feeds = set(range(site.sections))
        self._seen: dict[str, bytes] = {}  # digest of each list

    def robots(self) -> Capture:
        text = (
            f"User-agent: *\nDisallow: /search/\nSitemap: {self.origin}{self.addresses.sitemap}\n"
        )
        return self._capture("/robots.txt", self.site.begin, text, (), "text/plain")

    def captures(self) -> Iterator[Capture]:
        for name in STATIC:
            page = self.pages.static(name)
            yield self._capture(self.addresses.static(name), self.site.begin, page, ("static",))
        events = self._events()
        event = next(events, None)
        step = self.site.every * 60
        for number, after in enumerate(range(self.site.begin, self.site.end + step, step)):
            now = min(after, self.site.end)
            while event is not None and event[0] <= now:
                yield self._happen(*event)
                event = next(events, None)
            if number % SLOW == 0 or now == self.site.end:
                yield from self._slow_lists(now)
            yield from self._make_fronts(now)

    # -- articles --------------------------------------------------------------------------

    def _events(self) -> Iterator[Event]:
        """Everything that happens to articles; what was before the beginning happens then."""
        begin = self.site.begin
        for article in range(len(self.plan.published)):
            if self.plan.published[article] > begin:
                break
            version = self.plan.version(article, begin)
            yield begin, article, version
        yield from merge(*self._later(begin))

    def _later(self, begin: int) -> list[list[Event]]:
        appear = [(t, a, 0) for a, t in enumerate(self.plan.published.tolist()) if t > begin]
        change = sorted(
            (time, article, version)
            for article, times in enumerate(self.plan.updates)
            for version, time in enumerate(times, 1)
            if time > begin
        )
        ends = enumerate(self.plan.gone.tolist())
        vanish = sorted((time, article, GONE) for article, time in ends if time < self.site.end)
        return [appear, change, vanish]

    def _happen(self, time: int, article: int, version: int) -> Capture:
        section, day = int(self.plan.section[article]), int(self.plan.published[article]) // DAY
        self._fronts |= {-1, section}
        self._feeds.add(section)
        url = self.addresses.article(article)
        if version == GONE or article not in self._version:
            self._archives.add((section, day))
            self._topics.update(self.plan.topics[article])
        if version == GONE:
            for articles in self._lists(article, section, day):
                del articles[bisect_left(articles, article)]
            del self._version[article]
            return self._capture(url, time, missing(self.name), status=404)
        if article not in self._version:
            for articles in self._lists(article, section, day):
                insort(articles, article)
        self._version[article] = version
        labels = (self.addresses.names[section], "article")
        changed = self.plan.modified(article, version)
        dated = changed if self.plan.tells[article] & HEADER else 0
        body = self.pages.article(article, version, time)
        return self._capture(url, time, body, labels, changed=dated)

    def _lists(self, article: int, section: int, day: int) -> list[list[int]]:
        topics = [self._of_topic[topic] for topic in self.plan.topics[article]]
        return [self._all, self._of_section[section], self._of_day[section, day], *topics]

    # -- lists -----------------------------------------------------------------------------

    def _make_fronts(self, now: int) -> Iterator[Capture]:
        for section in sorted(self._fronts):
            if section < 0:
                front = self.pages.front(self._newest(self._all))
                yield from self._changed("/", now, front, ("front",))
                continue
            since = now - (SLOW + 1) * self.site.every * 60
            articles = self._newest(self._of_section[section], since)
            page = self.pages.section(section, articles, self._days[section][-SHOWN_DAYS:])
            labels = ("front", self.addresses.names[section])
            yield from self._changed(self.addresses.section(section), now, page, labels)
        self._fronts.clear()

    def _slow_lists(self, now: int) -> Iterator[Capture]:
        """Archives, calendars, topics, feeds, the sitemap."""
        yield from self._make_archives(now)
        where = self.addresses
        for topic in sorted(self._topics):
            newest = [article for article, _ in self._newest(self._of_topic[topic])]
            page, labels = self.pages.topic(topic, newest), (where.names[topic // TOPICS],)
            yield from self._changed(where.topic(topic), now, page, labels)
        for section in sorted(self._feeds):
            articles = self._newest(self._of_section[section])
            feed, kind = self.feeds.feed(section, articles, now)
            labels = (where.names[section],)
            yield from self._changed(where.feed(section), now, feed, labels, kind)
        if self._feeds:
            since = bisect_left(self._all, now - DAY, key=self.plan.published.item)
            newest = self._all[since:][-SITEMAP:][::-1]
            yield from self._changed(where.sitemap, now, self.feeds.sitemap(newest), (), XML_TYPE)
        self._topics.clear()
        self._feeds.clear()

    def _make_archives(self, now: int) -> Iterator[Capture]:
        where, new = self.addresses, set[int]()
        for section, day in sorted(self._archives):
            page = self.pages.archive(section, day, self._of_day[section, day])
            labels = (where.names[section],)
            yield from self._changed(where.archive(section, day), now, page, labels)
            if day not in self._days[section]:
                self._days[section].append(day)
                new.add(section)
        if now == self.site.begin:
            new.update(range(self.site.sections))  # also one without articles
        for section in sorted(new):
            self._fronts.add(section)  # which shows the latest days
            page, labels = (
                self.pages.calendar(section, self._days[section]),
                (where.names[section],),
            )
            yield from self._changed(where.calendar(section), now, page, labels)
        self._archives.clear()

    def _newest(self, articles: list[int], since: int | None = None) -> list[tuple[int, int]]:
        """The newest articles with their versions, newest first; all that came after `since`."""
        count = self.site.listed
        if since is not None:
            later = len(articles) - bisect_left(articles, since, key=self.plan.published.item)
            count = max(count, later)
        return [(article, self._version[article]) for article in articles[-count:][::-1]]

    # -- captures --------------------------------------------------------------------------

    def _changed(
        self, path: str, now: int, text: str, labels: tuple[str, ...], kind: str = HTML
    ) -> Iterator[Capture]:
        """A capture of a list, if it is not as it was."""
        digest = sha1(text.encode(), usedforsecurity=False).digest()
        if self._seen.get(path) != digest:
            self._seen[path] = digest
            changed = 0 if kind == HTML else now
            yield self._capture(path, now, text, labels, kind, changed=changed)

    def _capture(
        self,
        path: str,
        time: int,
        text: str,
        labels: tuple[str, ...] = (),
        kind: str = HTML,
        *,
        status: int = 200,
        changed: int = 0,
    ) -> Capture:
        url, body = self.origin + path, text.encode()
        headers = [("Content-Type", kind), ("Content-Length", str(len(body)))]
        if changed:
            headers.append(("Last-Modified", format_datetime(moment(changed), usegmt=True)))
        message = wire(Record(url, status, tuple(headers), body, labels))
        return Capture(url, float(time), status, kind, body=body, labels=labels, message=message)
