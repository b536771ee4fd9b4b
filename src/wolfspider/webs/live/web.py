"""The live web: every part of this room joined behind one `fetch`.

    url → scope, traps, shares → robots.txt → turn → client → answer → page, links screened
           ↑                                                     │
           └──────────── the next hop of a redirect ─────────────┘

What may fail does so as a response with an `error`; its kinds are those of `errors.KINDS`,
`status 404` and the like, and `REFUSALS`.
"""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import Any

from wolfspider.records import (
    NO_LINKS,
    Exchange,
    Headers,
    Links,
    Page,
    PageFlag,
    Response,
    State,
)
from wolfspider.urls import canonical, host, seed_link
from wolfspider.webs.decoding import payload
from wolfspider.webs.live.budgets import Budgets
from wolfspider.webs.live.client import Client
from wolfspider.webs.live.cookies import Cookies
from wolfspider.webs.live.errors import untrusted
from wolfspider.webs.live.memory import Memory
from wolfspider.webs.live.names import Names
from wolfspider.webs.live.parsing import NOT_STARTED, Parsers
from wolfspider.webs.live.politeness import Politeness
from wolfspider.webs.live.robots import REDIRECTS, Permission, Robots, RobotsAnswer, origin_of
from wolfspider.webs.live.robots_rules import MOST_BYTES
from wolfspider.webs.live.screening import Screening
from wolfspider.webs.live.settings import AGENT, LiveSettings
from wolfspider.webs.live.turns import GivenUp, Turns

REFUSALS = {
    "out of scope": "--stay-on, --include or --exclude leaves it out",
    "no contact": "a public host, and the crawl has no contact to show",
    "trap": "the address looks like one of an endless row",
    "share": "its site, host or folder has had its share of pages",
    "robots": "robots.txt forbids it, or cannot be read",
    "seen": "another address led to it before",
    "given up": "the host failed too often",
    "redirects": "too many redirects, or a circle of them",
    "not wanted": "neither HTML nor a sitemap, or too large",
    "parsing": "reading the page took too much time or memory",
}
_TRANSIENT = frozenset(("timeout", "reset", "closed", "unreachable", "proxy", "failed"))
_TRANSIENT_STATUS = frozenset((408, 429, 500, 502, 503, 504, 522, 524))
_BROKEN = ("time", "disconnect")  # truncations that another try may mend
_WANTED = ("html", "xml", "text/plain", "gzip", "octet-stream")  # parts of a Content-Type
_NOFOLLOW = int(PageFlag.NOFOLLOW)
_FOR_GOOD = 86400.0
_OUR_FILES = 40  # for database, WARC, parsers, look-ups
_PATIENCE, _PAUSE = 120, 0.5  # times, and seconds each, to wait for files to open

Conditions = Callable[[str], Mapping[str, str]]  # address → If-None-Match and If-Modified-Since


class LiveWeb:
    """Pages of the live web, asked for politely and screened before they are handed out.

    A `Web` that is paced: `busy`, `room`, `asleep` and `next_ready` tell a crawl whom it may ask.
    Of a page's links only those remain that may be followed. `fetch` asks for an address once,
    `fetch_again` as often as it is told.
    To be used on one running event loop, and closed.
    """

    def __init__(self, seeds: Sequence[str], settings: LiveSettings = LiveSettings()) -> None:  # noqa: B008  # frozen
        self.settings = settings
        self.screening = Screening(seeds, settings)
        self.budgets = Budgets(settings.shares)
        self.politeness = Politeness(settings.pace)
        self._names = Names()
        direct = not (settings.proxy or settings.connect_to)
        self.turns = Turns(self.politeness, self._names if direct else None, settings.at_once)
        self.robots = Robots(self._ask_robots, agent=AGENT, first_retry=5.0, tries=3)
        self.parsers = Parsers(settings.parsers, inflated=settings.limits.inflated)
        self.client = Client(
            settings.user_agent,
            limits=settings.limits,
            guard=self.screening.guard,
            screen=self._screen,
            proxy=settings.proxy,
            connect_to=settings.connect_to,
            authorities=settings.authorities,
            names=self._names,
            connections=min(4 * settings.at_once, _spare_files() // 2),
        )
        self._asked = Memory()  # addresses
        self._bodies = Memory()  # digests
        self._announced = Memory()  # origins whose sitemaps were told
        self._listed: dict[str, Sequence[str]] = {}  # sitemaps of origins, of an earlier run
        self._new: State = {}  # those that were told lately

    # -- pace ------------------------------------------------------------------------------

    @property
    def busy(self) -> Any:
        return self.turns.busy

    @property
    def stirred(self) -> asyncio.Event:
        return self.turns.stirred

    @property
    def room(self) -> int:
        return self.turns.room

    @property
    def asleep(self) -> int:
        return self.turns.asleep

    def next_ready(self) -> float | None:
        return self.politeness.next_ready()

    # -- fetch -----------------------------------------------------------------------------

    def fetch(self, url: str) -> Coroutine[Any, Any, Response]:
        """The answer for a URL. Its host is busy from this call on."""
        address = canonical(url)
        if address is None:
            return _no_address(url)
        self.turns.enter(host(address))
        return self._fetch(address)

    async def _fetch(self, url: str) -> Response:
        try:
            if url in self._asked:
                why = "another address led to it before"
                return Response(url, error="seen", detail=why, refused=True)
            return await self._follow(url)
        finally:
            self.turns.leave(host(url))

    def fetch_again(self, url: str, conditions: Conditions) -> Coroutine[Any, Any, Response]:
        """The answer for a URL, however often it was asked for before.

        `conditions` has the headers for each address on the way; a server that has nothing new
        answers with status 304. A share counts pages, so only the first time takes from it.
        """
        address = canonical(url)
        if address is None:
            return _no_address(url)
        self.turns.enter(host(address))
        return self._fetch_again(address, conditions)

    async def _fetch_again(self, url: str, conditions: Conditions) -> Response:
        try:
            return await self._follow(url, conditions)
        finally:
            self.turns.leave(host(url))

    async def _follow(self, url: str, conditions: Conditions | None = None) -> Response:
        """Hop by hop to the end of the redirects; each hop is checked like a link of its own."""
        target, hops = url, list[Exchange]()
        cookies = Cookies() if self.settings.cookies else None
        while True:
            try:
                counted = conditions is not None and target in self._asked
                if refusal := await self._refusal(target, counted=counted):
                    return self._failure(target, *refusal, hops)
                once = conditions is None and target not in [hop.url for hop in hops]
                if once and target in self._asked:
                    return self._failure(target, "seen", f"it leads to {target}", hops)
                self._asked.note(target)  # before it is asked for: others may be led there, too
                headers = {} if conditions is None else conditions(target)
                exchange = await self._ask_patiently(target, cookies, headers)
            except GivenUp as reason:
                self._asked.forget(target)
                named = str(reason) if host(target) in str(reason) else f"{host(target)}: {reason}"
                return self._failure(target, "given up", named, hops)
            hops.append(exchange)
            location = _location(exchange)
            if not location:
                return await self._answer(target, exchange, hops)
            following = canonical(location, target)
            if following is None:
                return self._failure(target, "redirects", f"it leads to {location[:200]!r}", hops)
            if cookies is not None:
                cookies.take(target, exchange)
            passed = following in [hop.url for hop in hops]
            circle = passed and not (cookies is not None and cookies.changed)
            if circle or len(hops) > self.settings.most_redirects:
                what = "in a circle" if circle else f"more than {len(hops) - 1} times"
                return self._failure(target, "redirects", f"it redirects {what}", hops)
            self.screening.redirected(url, following)
            target = following

    def _failure(self, url: str, error: str, detail: str, hops: Sequence[Exchange]) -> Response:
        status = hops[-1].status if hops else 0
        return Response(
            url, status, error=error, detail=detail, refused=not hops, exchanges=tuple(hops)
        )

    # -- may it be asked for? --------------------------------------------------------------

    async def _refusal(self, url: str, *, counted: bool = False) -> tuple[str, str] | None:
        """Kind and reason why this address is not asked for, or None."""
        if refusal := self.screening.refusal(url):
            return refusal
        # First: endless subdomains all have a robots.txt.
        if not counted and (why := self.budgets.take(url)):
            return "share", why
        permission = await self._permission(url)
        return None if permission.allowed else ("robots", permission.why)

    async def _permission(self, url: str) -> Permission:
        permission = await self.robots.allows(url)
        while permission.answer == "later":
            await self.turns.sleep(permission.wait + 0.01)
            permission = await self.robots.allows(url)
        rules = self.robots.rules(url)
        if rules is None:  # they could not be had; the host's other links wait with this one
            if self.robots.rules(_other_scheme(url)) is None:
                self.politeness.give_up(host(url), permission.why, permission.wait)
            raise GivenUp(permission.why)
        if rules.crawl_delay:
            self.politeness.slow_down(host(url), rules.crawl_delay)
        return permission

    async def _ask_robots(self, url: str) -> RobotsAnswer:
        if why := self.screening.without_contact(url):
            return RobotsAnswer(error=why)
        try:
            exchange = await self._ask(url, {}, screened=False)
        except GivenUp as reason:
            return RobotsAnswer(error=str(reason))
        if exchange.error == "not allowed":  # that will not change; nobody need ask again
            why = f"{exchange.detail}, which is not public; if it is yours: --allow-host"
            self.politeness.give_up(host(url), why, _FOR_GOOD)
            raise GivenUp(why)
        body = payload(exchange.headers, exchange.body, MOST_BYTES + 1).data
        if exchange.truncated and len(body) <= MOST_BYTES:  # what did not come may forbid all
            return RobotsAnswer(error=f"it was cut off: {exchange.detail}")
        return RobotsAnswer(
            exchange.status,
            body,
            untrusted(exchange.detail) if exchange.error == "tls" else exchange.error,
            exchange.first("location"),
            exchange.first("retry-after"),
        )

    # -- asking ----------------------------------------------------------------------------

    async def _ask_patiently(
        self, url: str, cookies: Cookies | None, conditions: Mapping[str, str]
    ) -> Exchange:
        """Ask, and ask again if it failed in a way that may pass."""
        headers = {**conditions} | ({} if cookies is None else cookies.headers(url))
        exchange = await self._ask(url, headers)
        for _ in range(self.settings.tries - 1):
            if not _may_pass(exchange):
                break
            exchange = await self._ask(url, headers, again=True)
        return exchange

    async def _ask(
        self, url: str, headers: Mapping[str, str], *, screened: bool = True, again: bool = False
    ) -> Exchange:
        """One request; as long as this process may open no more files, that is waited for."""
        exchange = await self._ask_once(url, headers, screened, again)
        for _ in range(_PATIENCE):
            if exchange.error != "no files":
                break
            await self.turns.sleep(_PAUSE)
            exchange = await self._ask_once(url, headers, screened, again)
        return exchange

    async def _ask_once(
        self, url: str, headers: Mapping[str, str], screened: bool, again: bool
    ) -> Exchange:
        """One request, when its turn has come."""
        name = host(url)
        async with self.turns.turn(name, name.rsplit(":", 1)[0].strip("[]")):
            try:
                exchange = await self.client.get(url, headers, screened=screened)
            except BaseException:
                self.politeness.let_go(name)
                raise
            if exchange.error == "no files":
                self.politeness.let_go(name)
            else:
                self.politeness.ended(
                    name,
                    exchange.status,
                    error=exchange.error,
                    retry_after=exchange.first("retry-after"),
                    again=again,
                )
        return exchange

    def _screen(self, status: int, headers: Headers) -> str:
        """Why a body is not worth reading, by what its header says."""
        fields = dict(reversed(headers))
        length = fields.get("content-length", "")
        if length.isdecimal() and len(length) < 20 and int(length) > self.settings.limits.body:
            return f"a body of {int(length):,} bytes"
        kind = fields.get("content-type", "").partition(";")[0].strip().lower()
        if kind and not any(part in kind for part in _WANTED):
            return f"its type is {kind[:60]}"
        return ""

    # -- answers ---------------------------------------------------------------------------

    async def _answer(self, url: str, exchange: Exchange, hops: Sequence[Exchange]) -> Response:
        if exchange.error:
            return self._failure(url, exchange.error, exchange.detail, hops)
        if exchange.status >= 300:
            return self._failure(url, f"status {exchange.status}", exchange.detail, hops)
        if exchange.truncated == "unspecified" and not exchange.body:
            return self._failure(url, "not wanted", exchange.detail, hops)
        page, problem = await self.read(url, exchange)
        if problem:
            return self._failure(url, "parsing", problem, hops)
        digest = exchange.digest()
        return Response(
            url,
            exchange.status,
            exchange.headers,
            page=page,
            digest=digest,
            copied=self._came_before(digest) if exchange.body else False,
            exchanges=tuple(hops),
        )

    def settle(self, response: Response) -> None:
        """Keep in mind, over a restart too, that this answer has come to its visit."""
        for exchange in response.exchanges:
            self._asked.keep(exchange.url)
        if response.digest:
            self._bodies.keep(response.digest)
        if response.page is not None:
            origin = origin_of(response.url)
            if self.robots.rules(response.url) is not None or origin in self._listed:
                self._announced.keep(origin)

    async def read(self, url: str, exchange: Exchange) -> tuple[Page, str]:
        """The page of an answer with the links that may be followed, and what went wrong."""
        parsed = await self.parsers.parse(url, exchange)
        for _ in range(_PATIENCE):
            if not parsed.problem.startswith(NOT_STARTED):
                break
            await self.turns.sleep(_PAUSE)
            parsed = await self.parsers.parse(url, exchange)
        page = parsed.page
        if parsed.problem:
            return page, parsed.problem
        links = NO_LINKS if page.flags & _NOFOLLOW else self.screening.links(page.links)
        links = links.join(self._sitemaps(url))
        return page if links is page.links else replace(page, links=links), ""

    def _came_before(self, digest: str) -> bool:
        before = digest in self._bodies
        self._bodies.note(digest)
        return before

    def _sitemaps(self, url: str) -> Links:
        """What robots.txt lists, as links of the first page of its host that was read."""
        origin, rules = origin_of(url), self.robots.rules(url)
        listed = self._listed.get(origin) if rules is None else rules.sitemaps
        if listed is None or not self.settings.sitemaps or origin in self._announced:
            return NO_LINKS
        self._announced.note(origin)
        if listed:
            self._new[origin] = {"sitemaps": list(listed)}
        addresses = dict.fromkeys(filter(None, map(canonical, listed)))
        followed = [address for address in addresses if not self.screening.refusal(address)]
        return Links.of([replace(seed_link(each), anchor="sitemap") for each in followed])

    # -- life ------------------------------------------------------------------------------

    async def __aenter__(self) -> LiveWeb:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self.robots.close()
        await self.client.aclose()
        self._names.close()
        await self.parsers.aclose()

    def state(self) -> State:
        return {
            "robots": self.robots.state(),
            "politeness": self.politeness.state(),
            "budgets": self.budgets.state(),
            "screening": self.screening.state(),
            "asked": self._asked.state(),
            "bodies": self._bodies.state(),
            "announced": self._announced.state(),
        }

    def changes(self) -> State:
        """What hosts asked for, and origins listed, since this was last asked: by name."""
        new, self._new = self._new, {}
        hosts: State = self.politeness.changes()["hosts"]
        return hosts | new

    def recall_changes(self, changes: State) -> None:
        """Take in what was told after the state that this web goes on from."""
        origins = {name: entry for name, entry in changes.items() if "://" in name}
        self._listed = {name: tuple(entry["sitemaps"]) for name, entry in origins.items()}
        hosts = {name: entry for name, entry in changes.items() if name not in origins}
        self.politeness.recall({"hosts": hosts})

    def recall(self, response: Response) -> None:
        """Take in an answer that came after the state was taken that this web goes on from."""
        for exchange in response.exchanges:
            self.budgets.take(exchange.url)
        self.settle(response)

    def restore(self, state: State) -> None:
        self.robots.restore(state["robots"])
        self.politeness.restore(state["politeness"])
        self.budgets.restore(state["budgets"])
        self.screening.restore(state["screening"])
        self._asked.restore(state["asked"])
        self._bodies.restore(state["bodies"])
        self._announced.restore(state["announced"])


def _other_scheme(url: str) -> str:
    """http for https, and the other way round: a host may answer to one of them alone."""
    return url.replace("https:", "http:", 1) if url[4] == "s" else url.replace("http:", "https:", 1)


def _spare_files() -> int:
    """How many files connections may take up, so that other things can still be opened."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(2, most - _OUR_FILES) if most != resource.RLIM_INFINITY else 1 << 20


async def _no_address(text: str) -> Response:
    return Response(text, error="bad url", detail="not a web address", refused=True)


def _location(exchange: Exchange) -> str:
    return exchange.first("location") if exchange.status in REDIRECTS else ""


def _may_pass(exchange: Exchange) -> bool:
    return (
        exchange.error in _TRANSIENT
        or exchange.status in _TRANSIENT_STATUS
        or exchange.truncated in _BROKEN
    )
