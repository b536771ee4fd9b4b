"""What a hunt shows while it runs: a few calm lines on a terminal, plain ones elsewhere.

hunting  photography camera                             0:35, 1:10 left
         342 of 1,000 pages, 9.8/s, harvest rate 0.412, 141 relevant
         ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 34 %
harvest  ▁▂▅▇█▆▅▄  peak 0.62
next     100 fetches: 38 (20–55), 1,000 fetches: 290 (80–520)
hosts    12 asked, 15 resting, 3 given up, 4,321 links wait
errors   5 status 404, 3 timeout, 12 links refused

found, waiting, busiest: five lines each
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Self

from rich.console import Console, Group
from rich.control import Control
from rich.live import Live
from rich.segment import ControlType
from rich.text import Text

from wolfspider.cli.curve import Curve, Pace
from wolfspider.cli.foreseen import forecast_line
from wolfspider.cli.lines import (
    LABEL,
    ROWS,
    bar,
    bare,
    clock,
    counts,
    find,
    host_lines,
    label_line,
    largest,
    list_of,
)
from wolfspider.cli.output import plain, promise
from wolfspider.cli.progress import Meter
from wolfspider.frontier import Frontier
from wolfspider.hunt import Hunt
from wolfspider.protocols import Explaining
from wolfspider.records import Link, Visit
from wolfspider.store import HuntReader
from wolfspider.urls import host as host_of
from wolfspider.webs.live.web import LiveWeb
from wolfspider.wording import several

_EVERY = 0.25  # seconds between two drawings
_LOOK_EVERY = 1.0  # between two looks at hosts and waiting links: lists that run cannot be read
_RECENT, _LATELY = 10.0, 60.0  # seconds that make the rate shown, and the time left
_PATIENCE = 1.0  # without a visit, after which the view says what is waited for
_LONG = 3.0  # seconds of rest that are worth a word
_MOST_HOSTS = 10_000  # remembered, half of them after a clearing
_HEAD = 100  # columns at most, of lines that would tear apart on a wide terminal


class HuntView:
    """A view on a terminal, plain lines elsewhere, silence if asked.

    `show` is for every visit and costs next to nothing between two drawings. On a terminal the
    view also moves while no visit comes, as long as an event loop runs; no thread is started.
    """

    def __init__(self, hunt: Hunt, *, quiet: bool, console: Console | None = None) -> None:
        console = console or Console(stderr=True)
        drawn = console.is_terminal and not console.is_dumb_terminal and not quiet
        self._hunt = hunt
        self._screen = Screen(hunt, console) if drawn else None
        self._meter = Meter(
            "hunting", hunt.asked.pages, unit="pages", quiet=quiet, before=hunt.before
        )

    def __enter__(self) -> Self:
        (self._screen or self._meter).__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        (self._screen or self._meter).__exit__(*error)  # type: ignore[arg-type]

    def show(self, visit: Visit) -> None:
        if self._screen is not None:
            self._screen.show(visit)
            return
        tally = self._hunt.tally
        self._meter.show(tally.pages, tally.pages, f"harvest rate {tally.harvest_rate:.3f}")


class Hosts(NamedTuple):
    """What the hosts of a live hunt are doing."""

    asked: int = 0
    resting: int = 0
    given_up: int = 0
    next: str = ""  # who has rested first
    at: float = 0.0  # and when


class Screen:
    """The view on a terminal. Whatever comes from the web is made plain, and never markup."""

    def __init__(self, hunt: Hunt, console: Console) -> None:
        self.hunt = hunt
        self.curve = Curve()
        self.visited: dict[str, list[int]] = {}  # host: pages, relevant pages
        self.found: deque[tuple[str, str]] = deque(maxlen=ROWS)  # title, URL; the last is first
        self.errors: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self._console = console
        self._live = Live(
            console=console, transient=True, auto_refresh=False, redirect_stdout=False
        )
        self._pace = Pace()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._due = self._look_due = 0.0
        self._visited_at = time.monotonic()
        self._hosts = Hosts()
        self._foreseen = ""
        self._lists: list[Text] = []
        self._drawn: tuple[int, list[Text]] = 0, []  # columns, lines

    def __enter__(self) -> Self:
        if self.hunt.tally.pages and self.hunt.store is not None:
            self._look_back(self.hunt.store.folder)
        self._live.start()
        try:
            self._loop = asyncio.get_running_loop()
        except RuntimeError:  # then visits alone keep the view moving
            self.draw(time.monotonic())
        else:
            self._tick()
        return self

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._live.stop()

    def show(self, visit: Visit) -> None:
        now = self._visited_at = time.monotonic()
        response, page = visit.response, visit.page
        if response.error:
            (self.refused if response.refused else self.errors)[response.error] += 1
        if not response.refused:
            self._count(visit.link.host, page.title, page.url, visit.verdict.relevance >= 0.5)
        if now >= self._due:
            self.draw(now)

    def _count(self, host: str, title: str, url: str, relevant: bool) -> None:
        self.curve.add(relevant)
        if relevant:
            self.found.appendleft((title, url))
        counts = self.visited.get(host)
        if counts is None:
            counts = self.visited[host] = [0, 0]
            if len(self.visited) > _MOST_HOSTS:
                self.visited = dict(largest(self.visited, _MOST_HOSTS // 2))
        counts[0] += 1
        counts[1] += relevant

    def _look_back(self, folder: Path) -> None:
        """Take in what an earlier process has visited."""
        query = "SELECT url, title, relevance, error, refused FROM pages ORDER BY step"
        with HuntReader(folder) as reader:
            for url, title, relevance, error, refused in reader.db.execute(query):
                if error:
                    (self.refused if refused else self.errors)[error] += 1
                if not refused:
                    self._count(host_of(url), title, url, relevance >= 0.5)

    # -- drawing ---------------------------------------------------------------------------

    def _tick(self) -> None:
        assert self._loop is not None
        now = time.monotonic()
        if now >= self._due:
            self.draw(now)
        self._timer = self._loop.call_later(max(self._due - now, 0.01), self._tick)

    def draw(self, now: float) -> None:
        tally = self.hunt.tally
        self._pace.note(now, tally.pages, tally.relevant, tally.bytes)
        width, height = self._console.size
        young = now < self.hunt.began + _LOOK_EVERY  # a fast hunt brings much until the next look
        if young or now >= self._look_due or self._drawn[0] != width:
            self._hosts = self._look_at_hosts(now)
            self._foreseen = forecast_line(self.hunt.forecasts())
            self._lists = list(self._list_lines(width))
            self._look_due = now + _LOOK_EVERY
        lines = [*self._head_lines(now, width), *self._lists]
        lines = lines[: max(height - 1, 1)]  # the bottom line of a terminal scrolls when written to
        for line in lines:
            line.truncate(width, overflow="ellipsis")
        self._step_back(width)
        self._live.update(Group(*lines), refresh=True)
        self._drawn = width, lines
        # Counted from the end: a terminal that is slow to write to gets fewer drawings.
        self._due = time.monotonic() + _EVERY

    def _step_back(self, width: int) -> None:
        """To where the last drawing ends, had the terminal not been made narrower since.

        Its long lines are broken by now and take more rows than are known to be ours.
        """
        lines = self._drawn[1]
        more = sum(-(-line.cell_len // width) or 1 for line in lines) - len(lines)
        for _ in range(more):
            self._console.control(
                Control((ControlType.ERASE_IN_LINE, 2), (ControlType.CURSOR_UP, 1))
            )

    def _head_lines(self, now: float, width: int) -> Iterator[Text]:
        room = min(width, _HEAD) - LABEL
        yield self._title(now, room)
        yield from self._numbers(room)
        if (share := self._share(now)) is not None:
            yield label_line("", bar(share, room))
        curve, peak = self.curve.line(room - 11)
        yield label_line("harvest", Text(curve, "green"), f"  peak {peak:.2f}" if curve else "")
        yield label_line("next", self._foreseen)
        yield label_line("hosts", self._host_facts())
        yield label_line("errors", counts(self.errors))
        yield label_line("refused", counts(self.refused))
        yield label_line("", Text(self._waiting(now), "yellow"))

    def _title(self, now: float, room: int) -> Text:
        left = self._seconds_left(now)
        times = clock(now - self.hunt.began)
        times += "" if left is None else f", {clock(left)} left"
        topic = Text(plain(self.hunt.asked.topic), "bold")
        topic.truncate(max(room - len(times) - 2, 1), overflow="ellipsis", pad=True)
        return label_line("hunting", topic, f"  {times}")

    def _numbers(self, room: int) -> Iterator[Text]:
        asked, tally = self.hunt.asked, self.hunt.tally
        of = f" of {asked.pages:,}" if asked.pages is not None else ""
        rate = self._pace.speed(0, _RECENT)
        speed = f"{rate:,.0f}/s" if rate >= 9.95 else f"{rate:.1f}/s"
        of_relevant = f" of {asked.relevant:,}" if asked.relevant is not None else ""
        first = f"{tally.pages:,}{of} pages, {speed}"
        second = f"harvest rate {tally.harvest_rate:.3f}, {tally.relevant:,}{of_relevant} relevant"
        if room >= 62:  # by the room and not by their length, or the lines below would jump
            yield label_line("", f"{first}, {second}")
        else:
            yield from (label_line("", first), label_line("", second))

    def _host_facts(self) -> str:
        hosts = self._hosts
        facts = [f"{len(self.visited):,} visited"]
        if isinstance(self.hunt.web, LiveWeb):
            facts = [f"{hosts.asked:,} asked", f"{hosts.resting:,} resting"]
            facts.append(f"{hosts.given_up:,} given up")
        return ", ".join([*facts, several(len(self.hunt.policy), "link waits", "links wait")])

    def _waiting(self, now: float) -> str:
        """What keeps a hunt of which nothing is under way."""
        hosts = self._hosts
        if hosts.asked or not hosts.next or now - self._visited_at < _PATIENCE:
            return ""
        return f"waiting for {plain(hosts.next)}, {clock(max(hosts.at - now, 0.0))}"

    # -- how far -----------------------------------------------------------------------------

    def _budgets(self) -> list[tuple[int, int]]:
        """What has come and what is asked for, in the order of the pace's numbers."""
        asked, tally = self.hunt.asked, self.hunt.tally
        done = (tally.pages, tally.relevant, tally.bytes)
        goals = (asked.pages, asked.relevant, asked.bytes)
        return [(d, g or 0) for d, g in zip(done, goals, strict=True)]

    def _share(self, now: float) -> float | None:
        """Of the budget that is nearest to its end; None if there is none."""
        shares = [done / goal for done, goal in self._budgets() if goal]
        if (minutes := self.hunt.asked.minutes) is not None:
            shares.append((now - self.hunt.began) / (60 * minutes))
        return min(max(shares), 1.0) if shares else None

    def _seconds_left(self, now: float) -> float | None:
        left = []
        for number, (done, goal) in enumerate(self._budgets()):
            if goal and (speed := self._pace.speed(number, _LATELY)):
                left.append((goal - done) / speed)
        if (minutes := self.hunt.asked.minutes) is not None:
            left.append(self.hunt.began + 60 * minutes - now)
        return max(min(left), 0.0) if left else None

    # -- looking -----------------------------------------------------------------------------

    def _look_at_hosts(self, now: float) -> Hosts:
        web = self.hunt.web
        if not isinstance(web, LiveWeb):
            return Hosts()
        under_way = {link.host: None for link in self.hunt.policy.out()}
        waits, given_up = {}, 0
        for host in under_way | dict.fromkeys(self.visited):
            if web.politeness.given_up(host):
                given_up += 1
            elif wait := web.politeness.wait(host):
                waits[host] = wait
        first = min((h for h in under_way if h in waits), key=waits.__getitem__, default="")
        first = first or min(waits, key=waits.__getitem__, default="")
        asked = max(web.turns.inside - web.turns.asleep, 0)
        return Hosts(asked, len(waits), given_up, first, now + waits.get(first, 0.0))

    def _list_lines(self, width: int) -> Iterator[Text]:
        room = width - LABEL
        yield from list_of("found", (find(title, url, room) for title, url in self.found))
        yield from list_of("waiting", self._link_lines(self._best_waiting()))
        yield from list_of("busiest", host_lines(largest(self.visited, ROWS)))

    def _link_lines(self, links: list[Link]) -> Iterator[Text]:
        hopes = list(map(self._hope, links))
        width = max(map(len, hopes), default=0)
        for link, hope in zip(links, hopes, strict=True):
            line = Text(f"{hope:>{width}}  {plain(bare(link.url))}")
            rest = self._rest(link.host)
            yield line.append(f"  rests {clock(rest)}" if rest >= _LONG else "", "yellow")

    def _hope(self, link: Link) -> str:
        """What is expected of a link, as `wolfspider why` says it."""
        policy = self.hunt.policy.policy
        receipt = policy.receipt(link.fingerprint) if isinstance(policy, Explaining) else None
        return promise(link, None if receipt is None else receipt.value)

    def _rest(self, host: str) -> float:
        web = self.hunt.web
        return web.politeness.wait(host) if isinstance(web, LiveWeb) else 0.0

    def _best_waiting(self) -> list[Link]:
        frontier = getattr(self.hunt.policy.policy, "frontier", None)
        return frontier.best(ROWS) if isinstance(frontier, Frontier) else []
