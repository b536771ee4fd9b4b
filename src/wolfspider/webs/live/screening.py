"""Which addresses a crawl may ask for, as far as the address itself tells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.records import Fingerprints, LinkFlag, Links, State
from wolfspider.urls import canonical, host
from wolfspider.webs.live.guard import Guard, is_public, name_of
from wolfspider.webs.live.scope import Scope
from wolfspider.webs.live.settings import LiveSettings
from wolfspider.webs.live.traps import Traps

_MEMO = 1 << 17  # links of which it is remembered that they passed
_MASK = np.uint64(_MEMO - 1)
_NOFOLLOW = int(LinkFlag.NOFOLLOW)


class Screening:
    """Scope, traps, and no public host without a contact.

    Seeds on public hosts are refused right away, with the way out, if there is no contact.
    """

    def __init__(self, seeds: Sequence[str], settings: LiveSettings) -> None:
        self._scope = Scope(
            seeds, stay_on=settings.stay_on, include=settings.include, exclude=settings.exclude
        )
        self._traps = Traps()
        self._seeds = {url for seed in seeds if (url := canonical(seed))}
        self._known = bool(settings.contact or settings.connect_to)
        self._passed: Fingerprints = np.zeros(_MEMO, np.uint64)  # by slot
        allowed = frozenset(name.lower() for name in settings.allow_hosts)
        self.guard = Guard(allowed, frozenset(_connects_to(settings.connect_to)))
        for seed in sorted(self._seeds):
            self._demand_public(seed, bool(settings.proxy or settings.connect_to))
            self._demand_contact(seed)

    def refusal(self, url: str) -> tuple[str, str] | None:
        """Kind and reason why this canonical URL is not asked for, or None."""
        if why := self._scope.refusal(url):
            return "out of scope", why
        if why := self.without_contact(url):
            return "no contact", why
        if why := self._traps.refusal(url):
            return "trap", why
        return None

    def links(self, links: Links) -> Links:
        """The links that may be followed.

        Pages of a site share most of their links, so those that passed lately are remembered.
        """
        if not len(links):
            return links
        follow = (links.flags & _NOFOLLOW) == 0
        fingerprints = links.fingerprints
        slots = (fingerprints & _MASK).view(np.int64)
        unknown = np.flatnonzero(follow & (self._passed[slots] != fingerprints))
        for row, text in zip(unknown.tolist(), links.texts(unknown), strict=True):
            follow[row] = not self.refusal(text.split(b"\n", 1)[0].decode())
        self._passed[slots[follow]] = fingerprints[follow]
        return links if follow.all() else links.take(np.flatnonzero(follow))

    def redirected(self, url: str, target: str) -> None:
        """Where a seed redirects to is where the person wanted to go."""
        if url in self._seeds and target not in self._seeds:
            self._seeds.add(target)
            self._scope.add(target)

    def without_contact(self, url: str) -> str:
        """Why an address is not asked for as long as nobody knows who we are."""
        name = host(url)
        if self._known or self.guard.names(name):
            return ""
        if _is_inside(name_of(name)):
            return f"{name} is not asked: it is not a public address, and no --allow-host names it"
        return f"{name} is not asked without a contact"

    def _demand_public(self, seed: str, elsewhere: bool) -> None:
        """What is plainly inside is told before anything is asked."""
        name = name_of(host(seed))
        if _is_inside(name) and not elsewhere and not self.guard.names(name):
            raise BadInput(
                f"{name} is not a public address; if it is yours, give --allow-host {name}"
            )

    def _demand_contact(self, seed: str) -> None:
        if why := self.without_contact(seed):
            raise BadInput(
                f"{why}: give --contact with an address where its owner can find out who "
                "crawls and why, such as --contact https://example.org/crawler or "
                "you@example.org; for a host of your own give --allow-host instead"
            )

    def state(self) -> State:
        return {"scope": self._scope.state(), "seeds": sorted(self._seeds)}

    def restore(self, state: State) -> None:
        self._scope.restore(state["scope"])
        self._seeds = set(state["seeds"])


def _is_inside(name: str) -> bool:
    return name == "localhost" or (_is_address(name) and not is_public(name))


def _is_address(name: str) -> bool:
    return ":" in name or name.rpartition(".")[2].isdigit()  # WHATWG: then it is IPv4


def _connects_to(address: str) -> list[str]:
    """Of `host:port`, or of nothing."""
    return [address.rsplit(":", 1)[0].strip("[]")] if address else []
