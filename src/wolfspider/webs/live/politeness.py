"""Whom we may ask now.

A host rests after each answer, longer after a refusal or a failure; hosts at one address share
a rest. Times are those of a monotonic clock, so setting the computer's clock changes nothing;
only what is kept over a restart is wall time.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from functools import lru_cache
from heapq import heappop, heappush, heapreplace
from ipaddress import IPv6Address, ip_address

from wolfspider.records import State
from wolfspider.webs.live.pace import Pace
from wolfspider.webs.live.retry_after import retry_after as seconds_asked
from wolfspider.webs.live.robots_rules import LONGEST_CRAWL_DELAY

MOST_HOSTS = 200_000  # remembered; above that, hosts with nothing to remember are forgotten


class _Resting:
    """A host or an address that may not be asked before `until`, which only ever grows."""

    __slots__ = ("name", "queued", "until")

    def __init__(self, name: str) -> None:
        self.name = name
        self.until = -math.inf
        self.queued = False


class _Host(_Resting):
    __slots__ = ("address", "crawl_delay", "failures", "flying", "given_up", "unanswered")

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.flying = 0
        self.failures = 0  # in a row
        self.crawl_delay = 0.0
        self.address = ""
        self.given_up = ""  # why
        self.unanswered = False  # the last failure was no answer at all


class Politeness:
    """Which hosts may be asked, and when the next one may.

    For each request: `began(host)`, perhaps `met(host, address)`, `ended(host, …)`. Between
    them and while it rests a host is not `ready`; `turns` tells crawls. A host that
    failed `give_up_after` times in a row is given up for an hour, then tried once more.
    """

    def __init__(
        self,
        pace: Pace = Pace(),  # noqa: B008  # frozen
        *,
        seed: int = 0,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.pace = pace
        self.clock = clock
        self.wall = wall
        self._random = random.Random(seed)
        self._hosts: dict[str, _Host] = {}
        self._addresses: dict[str, _Resting] = {}  # only those that rest
        self._residents: dict[str, dict[str, None]] = {}  # hosts known to be at an address
        self._given_up: list[tuple[float, str]] = []  # until when, host; a heap
        self._freed: dict[str, None] = {}
        self._changed: dict[str, None] = {}  # hosts whose entry in the state is another one now
        self._queue: list[tuple[float, int, _Resting]] = []  # not after its until, arrival, who
        self._arrivals = 0

    def ready(self, host: str) -> bool:
        """Whether a request to this host may begin now."""
        known = self._hosts.get(host)
        return known is None or (
            known.flying < self.pace.connections_per_host and self._rested(known) <= self.clock()
        )

    def wait(self, host: str) -> float:
        """Seconds until the host has rested; 0 if it has. Requests in flight do not count."""
        known = self._hosts.get(host)
        return 0.0 if known is None else max(self._rested(known) - self.clock(), 0.0)

    def given_up(self, host: str) -> str:
        """Why the host is given up for now; nothing if it is not."""
        known = self._hosts.get(host)
        return "" if known is None or known.until <= self.clock() else known.given_up

    def slow_down(self, host: str, crawl_delay: float) -> None:
        """The host's own wish, from robots.txt; the longer of it and our delay counts."""
        known, seconds = self._host(host), min(max(crawl_delay, 0.0), LONGEST_CRAWL_DELAY)
        if known.crawl_delay != seconds and not math.isnan(crawl_delay):
            known.crawl_delay = seconds
            self._rest(known, seconds)  # robots.txt itself was a request
            self._changed[host] = None

    # -- a request -------------------------------------------------------------------------

    def began(self, host: str) -> None:
        """A request to the host is on its way."""
        known = self._host(host)
        known.flying += 1
        known.given_up = ""  # its time has passed
        if known.flying < self.pace.connections_per_host:  # else it rests when one has ended
            self._rest(known, self._delay(known))
        if known.address:
            self._turn(known.address)
        self._sweep(self.clock())

    def met(self, host: str, address: str) -> float:
        """The host turned out to be at this IP address: seconds to wait before connecting.

        To be called when the name has been resolved. Of many new hosts at one address each is
        given a turn of its own; for a host already known to be there its turn came before.
        """
        known, network = self._host(host), network_of(address)
        if known.address == network:
            return 0.0
        self._residents.get(known.address, {}).pop(host, None)
        self._residents.setdefault(network, {})[host] = None
        known.address = network
        return self._turn(network)

    def queue(self, host: str, address: str) -> float:
        """Seconds for which the turns at an address are taken, if the host is new there."""
        network = network_of(address)
        at, known = self._addresses.get(network), self._hosts.get(host)
        if at is None or (known is not None and known.address == network):
            return 0.0
        return max(at.until - self.clock(), 0.0)

    def ended(
        self,
        host: str,
        status: int = 0,
        *,
        error: str = "",
        retry_after: str = "",
        again: bool = False,
    ) -> None:
        """The request is over. Status 429, 5xx and errors are failures, all else is success.

        A page that is broken, and is still when it is asked for `again`, is one failure: the
        host answers, and other pages of it may be well.
        """
        known = self._landed(host)
        if not error and status != 429 and 0 < status < 500:
            if known.failures or known.given_up:
                known.failures, known.given_up = 0, ""
                self._changed[host] = None
            self._rest(known, self._delay(known))
            return
        if not (again and not error and status >= 500 and status != 503):
            known.failures += 1
        known.unanswered = bool(error)
        self._changed[host] = None
        if known.failures >= self.pace.give_up_after:
            problem = error or f"status {status}"
            reason = f"{known.failures} failures in a row, the last: {problem}"
            self._give_up(known, reason, self.pace.try_again_after)
        else:
            backoff = self._backoff(known.failures, status, retry_after)
            self._rest(known, max(backoff, self._delay(known)))

    def let_go(self, host: str) -> None:
        """The request is over, and nothing about the host was learned: it was cancelled."""
        known = self._landed(host)
        self._rest(known, self._delay(known))

    def give_up(self, host: str, reason: str, seconds: float) -> None:
        """Leave a host alone, for a reason that others have found."""
        self._give_up(self._host(host), reason, seconds)

    def _give_up(self, host: _Host, reason: str, seconds: float) -> None:
        host.given_up = reason
        self._changed[host.name] = None
        self._rest(host, seconds)
        heappush(self._given_up, (host.until, host.name))

    def _landed(self, name: str) -> _Host:
        known = self._host(name)
        if not known.flying:
            raise ValueError(f"a request to {name} ended that never began")
        known.flying -= 1
        return known

    def _backoff(self, failures: int, status: int, header: str) -> float:
        pace, asked = self.pace, None
        if status in (429, 503):
            asked = seconds_asked(header, self.wall(), pace.longest_retry_after)
        if asked is not None:
            failures -= 1  # the first time its word is enough; later it might be 0 for ever
        ours = pace.first_backoff * 2.0 ** min(failures - 1, 60) if failures else 0.0
        wait = max(min(ours, pace.longest_backoff), asked or 0.0)
        return wait * (1 + pace.jitter * self._random.random())

    # -- the next one ----------------------------------------------------------------------

    def next_ready(self) -> float | None:
        """Seconds until a host or an address that rests now has rested, None if none does.

        Hosts with as many requests in flight as they may have come back with `ended`, and
        hosts that were given up do not count: nobody should wait an hour for them.
        Everyone has at most one entry in the queue, so this is O(log n), amortised.
        """
        now, queue = self.clock(), self._queue
        self._sweep(now)
        while queue:
            who = queue[0][2]
            if not self._counts(who):
                heappop(queue)
                who.queued = False
            elif not self._put_off():
                return who.until - now
        return None

    def freed(self) -> list[str]:
        """Hosts that may have become free since this was last asked; some may be busy again."""
        now = self.clock()
        self._sweep(now)
        while self._given_up and self._given_up[0][0] <= now:
            self._freed[heappop(self._given_up)[1]] = None
        freed, self._freed = list(self._freed), {}
        return freed

    def tried_again(self) -> float | None:
        """Seconds until the first host that was given up is tried again."""
        now = self.clock()
        return min((until - now for until, _ in self._given_up if until > now), default=None)

    def left_alone(self) -> dict[str, str]:
        """Hosts that are given up now, with the reason."""
        names = dict.fromkeys(name for _, name in sorted(self._given_up))
        return {name: why for name in names if (why := self.given_up(name))}

    def _sweep(self, now: float) -> None:
        """Take those from the queue that have rested."""
        queue = self._queue
        while queue and queue[0][0] <= now:
            who = queue[0][2]
            if who.until > now:
                self._put_off()
                continue
            heappop(queue)
            who.queued = False
            if not isinstance(who, _Host):
                del self._addresses[who.name]
                self._freed |= self._residents.get(who.name, {})
                continue
            self._freed[who.name] = None
            if len(self._hosts) > MOST_HOSTS and not (
                who.flying or who.failures or who.crawl_delay
            ):
                del self._hosts[who.name]
                self._residents.get(who.address, {}).pop(who.name, None)

    def _put_off(self) -> bool:
        """Move the first entry to where it belongs, if its rest has grown since it came."""
        time_, arrival, who = self._queue[0]
        if who.until > time_:
            heapreplace(self._queue, (who.until, arrival, who))
        return who.until > time_

    def _counts(self, who: _Resting) -> bool:
        """Whether its own rest is what keeps it, rather than a request or its address."""
        if not isinstance(who, _Host):
            return True
        at = self._addresses.get(who.address)
        shared = at is not None and at.until >= who.until  # that entry stands for this one
        free = who.flying < self.pace.connections_per_host
        return free and not who.given_up and not shared

    def _rest(self, who: _Resting, seconds: float) -> None:
        """Of several reasons to rest the longest counts."""
        now = self.clock()
        who.until = max(who.until, now + seconds)
        if who.until <= now:
            self._freed[who.name] = None
        elif not who.queued:
            who.queued = True
            self._arrivals += 1
            heappush(self._queue, (who.until, self._arrivals, who))

    def _turn(self, network: str) -> float:
        """Take the next turn at an address: seconds until it comes."""
        at = self._addresses.get(network)
        if at is None:
            if not self.pace.address_delay:
                return 0.0
            at = self._addresses[network] = _Resting(network)
        wait = max(at.until - self.clock(), 0.0)
        self._rest(at, wait + self.pace.address_delay)
        return wait

    def _rested(self, host: _Host) -> float:
        at = self._addresses.get(host.address)
        return host.until if at is None else max(host.until, at.until)

    def _delay(self, host: _Host) -> float:
        return max(self.pace.delay, host.crawl_delay)

    def _host(self, name: str) -> _Host:
        known = self._hosts.get(name)
        if known is None:
            known = self._hosts[name] = _Host(name)
        return known

    # -- over a restart --------------------------------------------------------------------

    def state(self) -> State:
        """JSON values: hosts with more to remember than an ordinary rest."""
        hosts = self._hosts.items()
        worth = {n: h for n, h in hosts if h.failures or h.crawl_delay or h.given_up}
        return {"hosts": {name: self._entry(host) for name, host in worth.items()}}

    def changes(self) -> State:
        """A state of those hosts alone whose entries have changed since this was last asked."""
        changed, self._changed = self._changed, {}
        return {"hosts": {n: self._entry(self._hosts[n]) for n in changed if n in self._hosts}}

    def _entry(self, host: _Host) -> State:
        left = max(host.until - self.clock(), 0.0)
        entry: State = {"left": left, "until": self.wall() + left, "failures": host.failures}
        entry |= {"crawl_delay": host.crawl_delay, "given_up": host.given_up}
        return entry | {"unanswered": host.unanswered}

    def restore(self, state: State) -> None:
        """Go on from a state. A clock set back does not make a rest longer than it was."""
        self._hosts, self._addresses, self._queue = {}, {}, []
        self._residents, self._given_up, self._freed, self._changed = {}, [], {}, {}
        self.recall(state)

    def recall(self, state: State) -> None:
        """Take in changes that came after the state that this goes on from.

        What a host asked for still counts. One that did not answer at all is tried once more.
        """
        for name, entry in state["hosts"].items():
            host = self._host(name)
            host.failures, host.given_up = entry["failures"], entry["given_up"]
            host.crawl_delay, host.until = entry["crawl_delay"], -math.inf
            left = max(min(entry["until"] - self.wall(), entry["left"]), 0.0)
            if host.given_up and entry.get("unanswered"):
                host.given_up, left = "", 0.0
            if host.given_up:
                self._give_up(host, host.given_up, left)
            else:
                self._rest(host, left)


@lru_cache(maxsize=65536)
def network_of(address: str) -> str:
    """What counts as one address: an IPv4 address, or the /64 that one IPv6 machine may fill."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        return str(found.ipv4_mapped or IPv6Address(int(found) >> 64 << 64))
    return str(found)
