"""A news site on loopback whose pages change when a test says so, and watches of it."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hostile import Hostile, Request, answer
from wolfspider.watching.folder_asked import read_asked
from wolfspider.watching.folder_records import Download
from wolfspider.watching.live import Watch
from wolfspider.watching.live_asked import WatchAsked
from wolfspider.watching.recrawl import BreadthFirstRecrawl
from wolfspider.webs.live.pace import Pace
from wolfspider.webs.live.settings import LiveSettings

A = "http://news.test/"
NOON = datetime(2026, 11, 15, 12, tzinfo=UTC).timestamp()
HOUR = 3600.0
_MATCH = re.compile(rb"^If-None-Match: *(.*?)\r?$", re.MULTILINE | re.IGNORECASE)


def iso(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%SZ}"


@dataclass
class News:
    """Pages by path, as HTML or XML; the front page links to `shown`, the latest first."""

    pages: dict[str, str] = field(default_factory=dict)
    shown: list[str] = field(default_factory=list)
    head: str = ""  # of the front page
    robots: str = "User-agent: *\nDisallow: /private/\n"
    log: list[tuple[str, int]] = field(default_factory=list)  # path and status
    every: int = 0  # an article appears after so many answers
    articles: int = 0  # that appeared so
    most: int = 0

    def publish(self, path: str, at: float | None = None, text: str = "", more: str = "") -> None:
        """An article, on the front page too; with a date, if there is one."""
        date = "" if at is None else f"<meta property=article:published_time content={iso(at)}>"
        words = text or f"What happened at {path} is told here."
        self.pages[path] = f"<title>About {path}</title>{date}{more}<p>{words}<p><a href=/>home</a>"
        self.shown.insert(0, path)

    def front(self) -> str:
        links = "".join(f"<li><a href={path}>Read {path}</a>" for path in self.shown[:8])
        return f"<title>News</title>{self.head}<h1>News</h1><ul>{links}</ul>"

    def status_of(self, path: str) -> list[int]:
        return [status for asked, status in self.log if asked == path]

    async def serve(self, request: Request) -> bool:
        path = request.target
        body = self.front() if path == "/" else self.pages.get(path)
        if path == "/robots.txt":
            body = self.robots
        tag = f'"{hashlib.sha1((body or "").encode()).hexdigest()}"'
        status = 404 if body is None else 200
        known = _MATCH.search(request.head)
        if body is not None and known and known[1].decode() == tag:
            status = 304
        self.log.append((path, status))
        await request.send(_message(status, body or "", tag, path))
        if self.every and len(self.log) % self.every == 0 and self.articles < self.most:
            self.articles += 1
            self.publish(f"/story/{self.articles}")
        return True


def _message(status: int, body: str, tag: str, path: str) -> bytes:
    if status == 304:
        return f"HTTP/1.1 304 Not Modified\r\nETag: {tag}\r\n\r\n".encode()
    if status == 404:
        return answer(b"<p>No", status="404 Not Found")
    kind = "application/xml" if path.endswith(".xml") else "text/html"
    return answer(body.encode(), f"ETag: {tag}").replace(b"text/html", kind.encode(), 1)


def rss(*items: tuple[str, float | None]) -> str:
    """A feed of paths with dates."""
    entries = "".join(
        f"<item><link>{A.rstrip('/')}{path}</link>"
        + ("" if at is None else f"<pubDate>{_rfc(at)}</pubDate>")
        + "</item>"
        for path, at in items
    )
    return f"<?xml version='1.0'?><rss version='2.0'><channel>{entries}</channel></rss>"


def _rfc(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%a, %d %b %Y %H:%M:%S GMT}"


FEED = "<link rel=alternate type=application/rss+xml href=/feed.xml>"


@dataclass
class Clock:
    """Stands still until it is moved."""

    now: float = NOON

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def newsroom(news: News) -> AsyncIterator[Hostile]:
    async with Hostile() as server:
        server.web["news.test/*"] = news.serve
        yield server


@asynccontextmanager
async def watching(
    server: Hostile,
    folder: Path,
    clock: Clock,
    *,
    policy: str = "breadth-first-recrawl",
    changes: bool = False,
    tries: int = 1,
) -> AsyncIterator[Rounds]:
    """A watch of the site, a new one or that of the folder."""
    pace = Pace(delay=0.0, address_delay=0.0)
    live = LiveSettings(connect_to=server.host_and_port(), pace=pace, tries=tries)
    if (folder / "watch.toml").exists():
        asked = replace(WatchAsked.of(read_asked(folder)), live=live)  # another port
        opening = Watch.resume(asked, folder, clock)
    else:
        asked = WatchAsked((A,), policy=policy, changes=changes, live=live)
        opening = Watch.begin(asked, folder, clock)
    async with opening as watch, aclosing(watch.downloads()) as downloads:
        yield Rounds(watch, downloads)
        watch.interrupt()
        async for _ in downloads:
            pass
        watch.finish()


@dataclass
class Rounds:
    """A watch that goes round: from the front page to everything and back."""

    watch: Watch
    downloads: AsyncGenerator[Download]

    async def round(self, count: int = 0) -> list[Download]:
        """The downloads of one round, or the next few."""
        begun: list[Download] = []
        async for download in self.downloads:
            begun.append(download)
            if len(begun) == count or (not count and self._over(download)):
                break
        return begun

    def _over(self, download: Download) -> bool:
        """Whether nothing waits and the page leads to nothing more."""
        going = self.watch.watcher
        assert isinstance(going, BreadthFirstRecrawl)
        held = download.held
        links = set() if held is None else set(self.watch.reader.snapshot(held).links.tolist())
        return not going._waiting and links <= going._found

    async def news(self) -> list[tuple[str, str, str]]:
        """Path, kind and source of each document of a round."""
        found = [document for each in await self.round() for document in each.documents]
        return [(d.url.removeprefix(A.rstrip("/")), d.kind, d.source) for d in found]


def lines(folder: Path) -> list[dict[str, Any]]:
    """What stands in documents.jsonl."""
    path = folder / "documents.jsonl"
    text = path.read_text("utf-8") if path.exists() else ""
    return [json.loads(line) for line in text.splitlines()]


def rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "watch.db", timeout=30)) as db:
        return db.execute(query).fetchall()
