"""Cookies of one chain of redirects: some sites set one and send us to the same page again.

They are forgotten at the end of the chain, and go back only to the host that set them.
"""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie

from wolfspider.records import Exchange
from wolfspider.urls import host

_MOST = 50
_LONGEST = 4096


class Cookies:
    """What hosts have set so far; `changed` says whether the last answer set anything new."""

    def __init__(self) -> None:
        self.changed = False
        self._of: dict[str, dict[str, str]] = {}

    def take(self, url: str, exchange: Exchange) -> None:
        jar = self._of.setdefault(host(url), {})
        before = dict(jar)
        for name, value in exchange.headers:
            if name == "set-cookie" and len(value) <= _LONGEST:
                jar.update(_pair(value))
        while len(jar) > _MOST:
            del jar[next(iter(jar))]
        self.changed = jar != before

    def headers(self, url: str) -> dict[str, str]:
        jar = self._of.get(host(url))
        return {"Cookie": "; ".join(f"{k}={v}" for k, v in jar.items())} if jar else {}


def _pair(value: str) -> dict[str, str]:
    try:
        found = {name: morsel.coded_value for name, morsel in SimpleCookie(value).items()}
    except CookieError:
        return {}
    return {n: v for n, v in found.items() if (n + v).isascii() and (n + v).isprintable()}
