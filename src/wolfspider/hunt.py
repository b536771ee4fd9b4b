"""One hunt, from what was asked to its end.

    async with Hunt.begin(asked, folder) as hunt:
        async for visit in hunt.visits():
            …
    hunt.stopped        # why, in plain words

Every visit is on its way to disk before it is handed out. Now and then everything that is
needed to go on is kept: the policy with its frontier and the links that are out, and what the web
knows of hosts. `Hunt.resume` takes the last of these and tells the policy of the visits after it.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from wolfspider.asked import Asked
from wolfspider.carrying import Drifting, demand_place, put_down, take_up
from wolfspider.crawl import crawl
from wolfspider.forecasting import Forecast, Promised
from wolfspider.judges import CorrectedJudge
from wolfspider.leases import Leased
from wolfspider.outlook import Outlook, Past, promised_by
from wolfspider.policies import Spec, make
from wolfspider.protocols import Web
from wolfspider.recalling import recalled
from wolfspider.records import State, Verdict, Visit
from wolfspider.stopping import Rules
from wolfspider.store import HuntReader, HuntStore
from wolfspider.store.asked import read_asked, write_asked
from wolfspider.store.feedback import Feedback, FeedbackReader, all_feedback
from wolfspider.store.hunt_store import StoreFailed
from wolfspider.tally import Tally
from wolfspider.topics import Topic
from wolfspider.warm_start import keep_learned, start_warm, start_warm_again
from wolfspider.webs.live.web import LiveWeb

INTERRUPTED = "interrupted"
CHECKPOINT_SECONDS = 30.0
CHECKPOINT_EARLY = 5.0  # the first: a hunt that is killed soon has learned something, too
CHECKPOINT_VISITS = 5000
CHECKPOINT_SHARE = 0.05  # of the time, at most
DRIFT_PAGES = 25  # after so many it is told how foreign the web is
_BREATH = 0.05  # seconds
_HEED_SECONDS = 0.25  # between two looks at what a person said
_HOSTS_SECONDS = 0.5  # between two looks at what hosts asked for
_BEHIND = 2000  # visits of a recorded web that may be on their way to disk


class Hunt:
    """A hunt that is under way. `folder` may be None: then nothing is kept."""

    def __init__(self, asked: Asked, web: Web, store: HuntStore | None) -> None:
        self.asked = asked
        self.web = web
        self.store = store
        self.topic = Topic.of(asked.topic)
        self.judge = CorrectedJudge(asked.judge(self.topic), {})
        self.policy = self._new_policy()
        self.tally = Tally()
        self.rules = Rules(asked.stop)
        self.outlook = Outlook(self.rules)
        self.before = 0  # pages of earlier runs
        self.damaged = 0  # visits that could not be read back
        self.stopped = ""
        self.began_with = ""  # what another hunt learned, in words
        self.began_without = ""  # why what it began with could not be taken up once more
        self.drift: float | None = None  # how foreign this web is to it, once that can be told
        self._whole = True  # the policy knows of every visit on disk
        self.began = time.monotonic()
        self._first_failure = ""
        self._feedback: FeedbackReader | None = None
        self._unheeded: list[Feedback] = []  # about pages that are not on disk yet
        self._heard: dict[int, Verdict] = {}  # words by step, some of them on their way to disk
        self._heeded_at = 0.0
        self._told_again = math.inf  # steps after this one were learned with the verdicts on disk
        self._checkpoint_at = 0.0
        self._checkpoint_step = 0

    @classmethod
    @asynccontextmanager
    async def begin(cls, asked: Asked, folder: Path | None) -> AsyncIterator[Hunt]:
        """A new hunt; whatever is wrong with what was asked is said before anything is written."""
        web = asked.web_to_hunt_on()
        seeds = asked.seed_links(web)
        hunt = cls(asked, web, None)
        hunt._take_up()
        if folder is not None:
            hunt.store = HuntStore.create(folder, hunt.asked.values())
        async with hunt._open():
            hunt.policy.start(seeds)
            yield hunt

    @classmethod
    @asynccontextmanager
    async def resume(cls, asked: Asked, folder: Path) -> AsyncIterator[Hunt]:
        """Go on with the hunt in a folder."""
        web = asked.web_to_hunt_on()
        hunt = cls(asked, web, None)
        if asked.weights:
            demand_place(Path(asked.weights))
        hunt.store = HuntStore.open(folder)
        values = {name: value for name, value in asked.values().items() if value is not None}
        if read_asked(folder) != values:
            write_asked(folder, values)  # another budget counts from now on
        async with hunt._open():
            yield hunt

    def _new_policy(self) -> Leased:
        spec, model = Spec.parse(self.asked.policy), self.asked.trained_model()
        return Leased(make(spec, topic=self.topic, seed=self.asked.random_seed, model=model))

    def _take_up(self, *, again: bool = False) -> None:
        """What earlier hunts have learned; `again` for a hunt that lost what it knew of itself."""
        asked, policy = self.asked, self.policy.policy
        if asked.weights:
            take_up(Path(asked.weights), policy, self._policy_name)
        elif asked.warm_start and again:
            self.began_without = start_warm_again(asked, policy)
        elif asked.warm_start:
            self.asked, self.began_with = start_warm(asked, policy)

    @property
    def _policy_name(self) -> str:
        return Spec.parse(self.asked.policy).name

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[None]:
        self.policy.receipts = self.store is not None
        if self.store is not None:
            self._feedback = FeedbackReader(self.store.folder)
            for each in all_feedback(self.store.folder).values():
                self.judge.correct(each.url, each.verdict)
        try:
            if isinstance(self.web, LiveWeb):
                self.web.parsers.start()  # now: later there may be no file left to open
            yield
        finally:
            try:
                if isinstance(self.web, LiveWeb):
                    await self.web.aclose()
            finally:
                if self.store is not None:
                    self.store.close()

    # -- going on --------------------------------------------------------------------------

    async def recall(self) -> AsyncGenerator[tuple[int, int]]:
        """Take up where the last process was; gives visits read back, and how many there are."""
        assert self.store is not None
        self._whole = False
        with HuntReader(self.store.folder) as reader:
            self.tally = Tally.of(reader)
            self.outlook.extend(Past.of(reader))
            self.before = self.tally.pages
            step = self._where_it_was()
            if isinstance(self.web, LiveWeb):
                self.web.recall_changes(self.store.hosts())
            self._checkpoint_step = self._told_again = step
            total = self.store.steps - step
            for number, kept in enumerate(reader.visits(step), 1):
                visit = await recalled(kept, self.web)
                self.policy.relearn(visit)
                if kept.step >= DRIFT_PAGES:
                    self._look_for_drift()
                if isinstance(self.web, LiveWeb):
                    self.web.recall(visit.response)
                self.damaged = reader.damaged
                yield number, total
                if self.stopped:
                    return
        self._whole = True

    def _where_it_was(self) -> int:
        """Go on from the last checkpoint, or from the seeds; returns the steps it knows of.

        If none of the seeds could be had, they are tried once more, as if nothing had been.
        """
        assert self.store is not None
        in_vain = self.nothing_read and bool(self.tally.errors)
        step, state = self.store.last_checkpoint()
        if state is not None and not in_vain and self._restore(state):
            return step
        self._take_up(again=True)
        self.policy.start(self.asked.seed_links(self.web))
        return self.store.steps if in_vain else 0

    def state(self) -> State:
        web = self.web.state() if isinstance(self.web, LiveWeb) else {}
        read = 0 if self._feedback is None else self._feedback.offset
        state = {"policy": self.policy.state(), "web": web, "feedback": read}
        state["unheeded"] = [asdict(each) for each in self._unheeded]
        return state if self.drift is None else state | {"drift": self.drift}

    def _restore(self, state: State) -> bool:
        """Go on from a checkpoint; False if another version wrote it, and nothing was taken up."""
        try:
            self.policy.restore(state["policy"])
        except (LookupError, TypeError, ValueError):
            self.policy = self._new_policy()
            self.policy.receipts = True
            return False
        self.drift = state.get("drift")
        if self._feedback is not None:
            self._feedback.offset = state.get("feedback", 0)
            self._unheeded = [Feedback(**each) for each in state.get("unheeded", ())]
        if isinstance(self.web, LiveWeb):
            self.web.restore(state["web"])
        return True

    # -- under way -------------------------------------------------------------------------

    async def visits(self) -> AsyncGenerator[Visit]:
        """The visits, until something ends the hunt; then `stopped` says what."""
        self.began = time.monotonic()
        timer = self._deadline()
        keeper = asyncio.ensure_future(self._keep_hosts())
        try:
            await self._heed()
            if self.store is not None:
                self.store.tell({"began": time.time()})  # anew each time it goes on
            self._checkpoint(first=True)
            if not (self.stopped or self._spent()):
                async with aclosing(self._crawl()) as visits:
                    async for visit in visits:
                        yield visit
            await self._heed()
            self.stopped = self.stopped or self._spent() or self._nothing_left()
        finally:
            keeper.cancel()
            if timer is not None:
                timer.cancel()

    async def _crawl(self) -> AsyncGenerator[Visit]:
        left = None if self.asked.pages is None else self.asked.pages - self.tally.pages
        live = self.web if isinstance(self.web, LiveWeb) else None
        behind = _BEHIND if live is None else self.asked.behind
        breath = time.monotonic() + _BREATH
        crawling = crawl(
            self.web, self.policy, self.judge, pages=left, ended=lambda: bool(self.stopped)
        )
        async with aclosing(crawling) as visits:
            async for visit in visits:
                self.tally.add(visit)
                promised = None if visit.response.refused else self._look_ahead(visit)
                if self.tally.pages >= DRIFT_PAGES:
                    self._look_for_drift()
                if visit.failed and not self._first_failure:
                    reason = visit.response.detail or visit.response.error
                    named = visit.link.host in reason
                    self._first_failure = reason if named else f"{visit.link.url}: {reason}"
                if live is not None:
                    live.settle(visit.response)
                if self.store is not None:
                    self.store.add(visit, promised)
                    self._keep_changes()
                yield visit
                if self.stopped or self._spent():
                    return
                if self.store is not None:
                    if time.monotonic() >= self._heeded_at + _HEED_SECONDS:
                        await self._heed()
                    if self.store.behind >= behind:
                        await self.store.catch_up(behind // 2)
                    self._checkpoint()
                if live is None and time.monotonic() > breath:
                    await asyncio.sleep(0)  # a recorded web never waits, but signals must be heard
                    breath = time.monotonic() + _BREATH

    def _look_ahead(self, visit: Visit) -> tuple[int, Promised] | None:
        """What is to come by this fetch, too; returns what is to be kept of it, if anything."""
        fetches = self.tally.pages
        promised = promised_by(self.policy.policy, fetches)
        self.outlook.add(visit.verdict.relevant, promised)
        return None if promised is None else (fetches, promised)

    def _look_for_drift(self) -> None:
        policy = self.policy.policy
        if self.drift is None and isinstance(policy, Drifting):
            self.drift = policy.drift()

    async def _heed(self) -> None:
        """Learn from what a person has said since."""
        self._heeded_at = time.monotonic()
        if self._feedback is None or self.store is None:
            return
        self._unheeded += self._feedback.new()
        if not self._unheeded:
            return
        # At once: who else comes finds nothing. The last word on a page counts.
        waiting, self._unheeded = {each.url: each for each in self._unheeded}, []
        with HuntReader(self.store.folder) as reader:
            for each in waiting.values():
                kept = reader.visit_of(each.url)
                if kept is None:
                    self._unheeded.append(each)
                    continue
                known = self._heard.get(kept.step, kept.verdict)
                before = replace(await recalled(kept, self.web), verdict=known)
                self.judge.correct(each.url, each.verdict)
                self.tally.correct(before, each.verdict)
                if not (kept.step > self._told_again and known == each.verdict):
                    self.policy.correct(replace(before, verdict=each.verdict))
                self._heard[kept.step] = each.verdict
                self.store.correct(kept.step, each.verdict)

    def interrupt(self, reason: str = INTERRUPTED) -> None:
        """End the hunt now, or before it begins; what is under way is given up."""
        self.stopped = self.stopped or reason
        if isinstance(self.web, LiveWeb):
            self.web.stirred.set()

    def _deadline(self) -> asyncio.TimerHandle | None:
        if self.asked.minutes is None:
            return None
        reason = f"the {self.asked.minutes:g} minutes are over"
        loop = asyncio.get_running_loop()
        return loop.call_later(60 * self.asked.minutes, self.interrupt, reason)

    async def _keep_hosts(self) -> None:
        """Write down what hosts ask for, and hear what a person says, also while no visit comes."""
        with suppress(StoreFailed):  # the next visit will meet it, too
            while True:
                await asyncio.sleep(_HOSTS_SECONDS)
                self._keep_changes()
                await self._heed()

    def _keep_changes(self) -> None:
        if isinstance(self.web, LiveWeb) and self.store is not None:
            self.store.keep_hosts(self.web.changes())

    def _checkpoint(self, *, first: bool = False, last: bool = False) -> None:
        """Keep the state if it is time to."""
        if self.store is None or not self._whole:
            return
        now = time.monotonic()
        visits = self.store.steps - self._checkpoint_step
        due = visits >= CHECKPOINT_VISITS or (visits and now >= self._checkpoint_at)
        if not (first or last or (due and now >= self._checkpoint_at - CHECKPOINT_SECONDS * 0.9)):
            return
        self.store.checkpoint(self.state())
        took = time.monotonic() - now
        self._checkpoint_step = self.store.steps
        pace = CHECKPOINT_EARLY if first else CHECKPOINT_SECONDS
        self._checkpoint_at = now + max(pace, took / CHECKPOINT_SHARE)

    def finish(self) -> dict[str, Any]:
        """Keep where we are, what came of it and what was learned; gives the result."""
        self._look_for_drift()
        result = self.result()
        if self.store is not None:
            self._checkpoint(last=True)
            self.store.tell(result)
            self.store.flush()
            if self._whole and not self.nothing_read:
                keep_learned(self.store.folder, self.asked, self.policy.policy, self.store.steps)
        if self.asked.weights:
            put_down(Path(self.asked.weights), self.policy.policy, self._policy_name)
        return result

    # -- what is to come -------------------------------------------------------------------

    def forecasts(self) -> list[Forecast]:
        """What the next fetches will bring; nothing if none can follow."""
        return self.outlook.forecasts() if len(self.policy) else []

    # -- why it ends -----------------------------------------------------------------------

    @property
    def spent(self) -> str:
        """The name of the budget that is used up, if one is."""
        budgets = ((name, getattr(self.asked, name)) for name in ("pages", "relevant", "bytes"))
        return next((n for n, most in budgets if most and getattr(self.tally, n) >= most), "")

    def _spent(self) -> str:
        """The same in words, or why a rule ends the hunt."""
        name = self.spent
        if name == "relevant":
            return f"{self.tally.relevant:,} relevant pages found, as asked for"
        if name:
            return f"budget of {getattr(self.asked, name):,} {name} used up"
        return self.rules.reason()

    def _nothing_left(self) -> str:
        waiting = len(self.policy)
        if waiting:
            when = self._tried_again()
            return f"nothing left to follow but {waiting:,} links to hosts left alone {when}"
        if self.nothing_read and self.tally.errors:
            return f"no page could be had: {self._first_failure}"
        return "nothing left to follow"

    @property
    def nothing_read(self) -> bool:
        """Whether not a single page came."""
        return self.tally.pages + self.tally.refused == self.tally.errors.total()

    def _tried_again(self) -> str:
        seconds = self.web.politeness.tried_again() if isinstance(self.web, LiveWeb) else None
        if seconds is None:
            return "for now"
        hours, minutes = round(seconds / 3600), max(1, round(seconds / 60))
        return f"for {hours} hours" if hours > 1 else f"for {minutes} min"

    def result(self) -> dict[str, Any]:
        tally = self.tally
        seconds = time.monotonic() - self.began
        drift = {} if self.drift is None else {"drift": round(self.drift, 4)}
        return {
            "policy": self.asked.policy,
            "pages": tally.pages,
            "relevant": tally.relevant,
            "targets": tally.targets,
            "harvest_rate": round(tally.harvest_rate, 6),
            "seconds": round(seconds, 4),
            "pages_per_second": round((tally.pages - self.before) / max(seconds, 1e-9), 1),
            "stopped": self.stopped,
            "errors": tally.errors.total() - tally.refused,
            "refused": tally.refused,
            "bytes": tally.bytes,
            "waiting": len(self.policy),
            **drift,
            "forecast": [each.as_json() for each in self.forecasts()],
        }
