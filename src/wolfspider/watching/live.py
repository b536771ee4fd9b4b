"""One watch of the live web.

    async with Watch.begin(asked, folder) as watch:
        async for download in watch.downloads():
            for document in download.documents: …
    watch.stopped        # why, in plain words

    Watcher.next → address → LiveWeb.fetch_again → Snapshot → Watcher.learn
                                                 └→ Document, if it is new → WatchFolder

A download is handed out before it is committed and committed before the next one begins: whoever
prints documents may print one twice after a kill, and never misses one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from wolfspider.records import Response, State
from wolfspider.urls import fingerprint
from wolfspider.watching.folder import WatchFolder
from wolfspider.watching.folder_records import Download
from wolfspider.watching.live_asked import WatchAsked
from wolfspider.watching.live_reading import Reader
from wolfspider.watching.live_topics import Topics
from wolfspider.watching.registry import make_watcher
from wolfspider.webs.live.web import LiveWeb

INTERRUPTED = "interrupted"
CHECKPOINT_SECONDS = 30.0
CHECKPOINT_SHARE = 0.05  # of the time, at most
_IDLE = 60.0  # seconds that a watcher with nothing to do waits, at most
_HOSTS_SECONDS = 0.5  # between two looks at what hosts asked for
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 60.0  # seconds, while a host is left alone
_MANY = 1000  # refusals in a row after which there is no hurry

Clock = Callable[[], float]


class Watch:
    """A watch that is under way. One download at a time: a news site is a host that wants rest."""

    def __init__(
        self, asked: WatchAsked, folder: WatchFolder, web: LiveWeb, clock: Clock = time.time
    ) -> None:
        self.asked, self.folder, self.web, self.clock = asked, folder, web, clock
        self.seeds = [fingerprint(url) for url in asked.addresses]
        self.watcher = make_watcher(asked.policy, self.seeds, seed=asked.random_seed)
        self.topics = Topics(folder.sample(), asked.random_seed)
        self.reader = Reader(folder, web, self.topics, self.seeds, asked.changes)
        self.stopped = ""
        self.failure = ""  # the first, for people
        self.last_find: float | None = None
        self.found = {"new": 0, "changed": 0}  # by this process
        self._to_ask = set(self.seeds)  # those never asked for by this process
        self._stop = asyncio.Event()
        self._refused = 0  # in a row
        self._checkpoint_at = 0.0

    @classmethod
    @asynccontextmanager
    async def begin(
        cls, asked: WatchAsked, path: Path, clock: Clock = time.time
    ) -> AsyncIterator[Watch]:
        """A new watch; whatever is wrong with what was asked is said before anything is written."""
        make_watcher(asked.policy, [1])
        web = _web(asked)
        try:
            folder = WatchFolder.create(path, asked.values())
            with folder:
                folder.begin(asked.addresses, clock())
                yield cls(asked, folder, web, clock)
        finally:
            await web.aclose()

    @classmethod
    @asynccontextmanager
    async def resume(
        cls, asked: WatchAsked, path: Path, clock: Clock = time.time
    ) -> AsyncIterator[Watch]:
        """Go on with the watch in a folder."""
        web = _web(asked)
        try:
            with WatchFolder.open(path) as folder:
                folder.begin(asked.addresses, clock())  # it may have been killed before
                watch = cls(asked, folder, web, clock)
                if (state := folder.last_checkpoint()) is not None:
                    watch._restore(state)
                web.recall_changes(folder.hosts())
                yield watch
        finally:
            await web.aclose()

    # -- under way ---------------------------------------------------------------------------

    async def downloads(self) -> AsyncGenerator[Download]:
        """Every download, until something ends the watch; then `stopped` says what."""
        timer = self._deadline()
        try:
            while not self.stopped:
                address = self.watcher.next(self.clock())
                if address is None:
                    await self._pause(_IDLE)
                    continue
                response = await self._fetch(self.folder.url(address))
                if response is None:  # stopped meanwhile
                    break
                self._to_ask.discard(address)
                now = self.clock()
                if response.refused:
                    self.watcher.learn(address, self.reader.after_failure(address, response), now)
                    await self._after_refusal(response)
                else:
                    self._refused = 0
                    download, snapshot = self.reader.read(address, response, now)
                    yield download
                    self._settle(download, response)
                    self.watcher.learn(address, snapshot, now)
                    self._learn_topics()
                    self._checkpoint()
                self._give_up(response)
        finally:
            if timer is not None:
                timer.cancel()

    def interrupt(self, reason: str = INTERRUPTED) -> None:
        """End the watch; a download that is under way is given up."""
        self.stopped = self.stopped or reason
        self._stop.set()

    def finish(self) -> dict[str, Any]:
        """Keep where we are; gives what came of it, earlier runs included."""
        self._checkpoint(last=True)
        result: dict[str, Any] = {"policy": self.asked.policy}
        left_alone = self.web.politeness.left_alone()
        return result | self.folder.tally() | {"left_alone": left_alone, "stopped": self.stopped}

    @property
    def nothing_read(self) -> bool:
        """Whether not a single page ever came."""
        return self.folder.empty

    def _deadline(self) -> asyncio.TimerHandle | None:
        seconds = self.asked.seconds
        if seconds is None:
            return None
        loop = asyncio.get_running_loop()
        return loop.call_later(seconds, self.interrupt, "the time is over")

    async def _fetch(self, url: str) -> Response | None:
        fetching = asyncio.ensure_future(self.web.fetch_again(url, self.folder.conditions))
        stopping = asyncio.ensure_future(self._stop.wait())
        either = {fetching, stopping}
        try:
            while not (fetching.done() or stopping.done()):
                first = asyncio.FIRST_COMPLETED
                await asyncio.wait(either, timeout=_HOSTS_SECONDS, return_when=first)
                self.folder.keep_hosts(self.web.changes())  # a host may ask us to wait an hour
            return fetching.result() if fetching.done() else None
        finally:
            stopping.cancel()
            if not fetching.done():
                fetching.cancel()
                await asyncio.wait({fetching})

    async def _pause(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._stop.wait(), seconds)
        except TimeoutError:
            return

    async def _after_refusal(self, response: Response) -> None:
        """Where nothing may be asked for there is no hurry."""
        self._refused += 1
        if response.error == "given up":
            pause = min(_FIRST_PAUSE * 2.0 ** min(self._refused, 20), _LONGEST_PAUSE)
        else:
            pause = 0.0 if self._refused < _MANY else 1.0
        await self._pause(pause)

    def _give_up(self, response: Response) -> None:
        """End when the pages to begin at were asked for and not one could be had."""
        if response.error and not self.failure:
            self.failure = f"{response.url}: {response.detail or response.error}"
        if not self._to_ask and not self.stopped and self.folder.empty:
            self.interrupt(f"no page could be had: {self.failure}")

    # -- what is kept ------------------------------------------------------------------------

    def _settle(self, download: Download, response: Response) -> None:
        self.folder.keep(download)
        self.web.settle(response)
        if download.terms is not None and download.held is not None:
            self.topics.add(download.held.address, download.terms)
        for document in download.documents:
            self.found[document.kind] += 1
            self.last_find = document.found

    def _learn_topics(self) -> None:
        if about := self.topics.learned():
            self.folder.describe(about)
            self._checkpoint(last=True)

    def _checkpoint(self, *, last: bool = False) -> None:
        now = time.monotonic()
        if last or now >= self._checkpoint_at:
            self.folder.checkpoint(self.state())
            took = time.monotonic() - now
            self._checkpoint_at = now + max(CHECKPOINT_SECONDS, took / CHECKPOINT_SHARE)

    def state(self) -> State:
        web, topics = self.web.state(), self.topics.state()
        return {"watcher": self.watcher.state(), "web": web, "topics": topics}

    def _restore(self, state: State) -> None:
        self.watcher.restore(state["watcher"])
        self.web.restore(state["web"])
        self.topics.restore(state["topics"])


def _web(asked: WatchAsked) -> LiveWeb:
    return LiveWeb(asked.seeds, replace(asked.live, at_once=1, parsers=1))
