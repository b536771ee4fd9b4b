"""Whether a site's robots.txt lets us in: RFC 9309, failing closed.

    answer to /robots.txt                     means
    2xx                                       its rules, for 24 hours
    up to 5 redirects, to any host            the rules at their end, for the host asked first
    4xx but 429 (also 401 and 403)            there are no rules: everything is allowed, 24 hours
    a 6th redirect, a loop, one to nowhere    as 4xx: RFC 9309 §2.3.1.2 leaves this to us, and a
                                              server that sends every request round is no refusal
    429, 5xx, time-out, DNS, TLS, anything    nothing is allowed: asked again after a delay that
    else that is not an answer                doubles, and after some tries once in 24 hours

Rules older than 24 hours are not used when the new ones cannot be had. RFC 9309 §2.3.1.4 would
let a crawler in when robots.txt could not be reached for 30 days; we stay out.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from wolfspider.records import State
from wolfspider.urls import canonical
from wolfspider.webs.live.retry_after import retry_after
from wolfspider.webs.live.robots_rules import Rules, read_rules

MOST_REDIRECTS = 5
REDIRECTS = frozenset((301, 302, 303, 307, 308))
_NO_RULES = Rules()


@dataclass(frozen=True, slots=True)
class RobotsAnswer:
    """One answer, redirects not followed. The body may end after `robots_rules.MOST_BYTES`."""

    status: int = 0
    body: bytes = b""
    error: str = ""
    location: str = ""
    retry_after: str = ""


@dataclass(frozen=True, slots=True)
class Permission:
    """May this URL be asked for? `later` means: not known now, ask again in `wait` seconds."""

    answer: Literal["allowed", "disallowed", "later"]
    why: str
    wait: float = 0.0

    @property
    def allowed(self) -> bool:
        return self.answer == "allowed"


@dataclass(slots=True)
class _Known:
    """What is known of one origin; `rules` is None as long as they could not be had."""

    rules: Rules | None
    why: str
    until: float  # by the monotonic clock: ask again from then on
    failures: int = 0

    @property
    def cost(self) -> int:
        return 500 if self.rules is None else self.rules.cost


class Robots:
    """The robots.txt of every origin (scheme, host and port) we met, asked for when needed.

    However many ask at once, one origin is fetched once. `fetch` never raises. At most about
    `memory` bytes are kept; origins not looked at for longest are forgotten and fetched again.
    """

    def __init__(
        self,
        fetch: Callable[[str], Awaitable[RobotsAnswer]],
        *,
        agent: str = "wolfspider",
        lifetime: float = 86400.0,
        first_retry: float = 60.0,
        longest_retry: float = 3600.0,
        tries: int = 5,
        memory: int = 64 << 20,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.fetch = fetch
        self.agent = agent
        self.lifetime = lifetime
        self.first_retry = first_retry
        self.longest_retry = longest_retry
        self.tries = tries
        self.memory = memory
        self.clock = clock
        self.wall = wall
        self._known: dict[str, _Known] = {}  # looked at last comes last
        self._used = 0
        self._asking: dict[str, asyncio.Task[_Known]] = {}

    async def allows(self, url: str) -> Permission:
        """Whether the rules of the URL's origin let us ask for it, fetching them if need be."""
        origin = origin_of(url)
        known = self._known.get(origin)
        if known is None or self.clock() >= known.until:
            known = await self._ask(origin)
        else:
            self._known[origin] = self._known.pop(origin)
        return self._permission(known, url)

    def rules(self, url: str) -> Rules | None:
        """The rules of the URL's origin, with its Crawl-delay and sitemaps, if they are known."""
        known = self._known.get(origin_of(url))
        return None if known is None else known.rules

    async def close(self) -> None:
        """End what is being fetched."""
        tasks = list(self._asking.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _permission(self, known: _Known, url: str) -> Permission:
        if known.rules is None:
            wait = max(known.until - self.clock(), 0.0)
            gave_up = known.failures >= self.tries
            return Permission("disallowed" if gave_up else "later", known.why, wait)
        if known.rules.allow(url):
            return Permission("allowed", known.why)
        return Permission("disallowed", f"a rule in {origin_of(url)}/robots.txt forbids it")

    async def _ask(self, origin: str) -> _Known:
        task = self._asking.get(origin)
        if task is None:
            task = self._asking[origin] = asyncio.create_task(self._renew(origin))
            task.add_done_callback(lambda _: self._asking.pop(origin, None))
        return await asyncio.shield(task)  # one who stops waiting does not stop the others

    async def _renew(self, origin: str) -> _Known:
        first = url = f"{origin}/robots.txt"
        passed = {url}
        answer = await self.fetch(url)
        while not answer.error and answer.status in REDIRECTS:
            target = canonical(answer.location, url) if answer.location else None
            if target is None:
                return self._readable(origin, _NO_RULES, f"{first} redirects to nowhere")
            if target in passed:
                return self._readable(origin, _NO_RULES, f"{first} redirects in a circle")
            if len(passed) > MOST_REDIRECTS:
                why = f"{first} redirects more than {MOST_REDIRECTS} times"
                return self._readable(origin, _NO_RULES, why)
            passed.add(target)
            url = target
            answer = await self.fetch(url)
        return self._judge(origin, url, answer)

    def _judge(self, origin: str, url: str, answer: RobotsAnswer) -> _Known:
        status = answer.status
        if answer.error:
            # A link that is refused is another thing: one that may not be asked for.
            refused = answer.error == "closed"
            return self._unreachable(
                origin, answer, "connection refused" if refused else answer.error
            )
        if 200 <= status < 300:
            rules = read_rules(answer.body, url, self.agent)
            return self._readable(origin, rules, f"no rule in {origin}/robots.txt forbids it")
        if 400 <= status < 500 and status != 429:
            why = f"{origin} has no robots.txt (status {status})"
            return self._readable(origin, _NO_RULES, why)
        return self._unreachable(origin, answer, f"status {status}")

    def _readable(self, origin: str, rules: Rules, why: str) -> _Known:
        return self._keep(origin, _Known(rules, why, self.clock() + self.lifetime))

    def _unreachable(self, origin: str, answer: RobotsAnswer, problem: str) -> _Known:
        before = self._known.get(origin)
        failures = 1 + (before.failures if before else 0)
        wait = min(self.first_retry * 2.0 ** min(failures - 1, 60), self.longest_retry)
        wait = max(wait, retry_after(answer.retry_after, self.wall()) or 0.0)
        why = f"{origin}/robots.txt could not be read ({problem}), so nothing is allowed there yet"
        if failures >= self.tries:
            wait = self.lifetime
            why = f"{origin}/robots.txt could not be read {failures} times in a row ({problem})"
        return self._keep(origin, _Known(None, why, self.clock() + wait, failures))

    def _keep(self, origin: str, known: _Known) -> _Known:
        before = self._known.pop(origin, None)
        self._known[origin] = known
        self._used += known.cost - (before.cost if before else 0)
        while self._used > self.memory and len(self._known) > 1:
            self._used -= self._known.pop(next(iter(self._known))).cost
        return known

    # -- over a restart --------------------------------------------------------------------

    def state(self) -> State:
        """JSON values. Deadlines are in wall time, and with the seconds that were left."""
        return {"origins": {origin: self._entry(known) for origin, known in self._known.items()}}

    def _entry(self, known: _Known) -> State:
        left = max(known.until - self.clock(), 0.0)
        entry: State = {"why": known.why, "failures": known.failures}
        entry |= {"left": left, "until": self.wall() + left}
        if known.rules is not None:
            entry["lines"] = list(known.rules.lines)
            entry["crawl_delay"] = known.rules.crawl_delay
            entry["sitemaps"] = list(known.rules.sitemaps)
            entry["notes"] = list(known.rules.notes)
        return entry

    def restore(self, state: State) -> None:
        """Go on from a state. A clock set back does not make anything last longer than it did.

        An origin that did not answer at all is asked anew.
        """
        self._known, self._used = {}, 0
        for origin, entry in state["origins"].items():
            if "lines" not in entry and "(status " not in entry["why"]:
                continue
            left = max(min(entry["until"] - self.wall(), entry["left"]), 0.0)
            rules = None
            if "lines" in entry:
                rules = Rules(
                    tuple(entry["lines"]),
                    entry["crawl_delay"],
                    tuple(entry["sitemaps"]),
                    tuple(entry["notes"]),
                )
            self._keep(origin, _Known(rules, entry["why"], self.clock() + left, entry["failures"]))


def origin_of(url: str) -> str:
    """Scheme, host and port of a canonical URL.

    >>> origin_of("https://example.org:8443/a?b")
    'https://example.org:8443'
    """
    return url[: url.index("/", 8)]
