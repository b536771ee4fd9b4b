"""Where requests are answered: which record, at which moment, with which mishap."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from math import inf
from typing import TextIO

from wolfspider.errors import DamagedFile
from wolfspider.urls import canonical
from wolfspider.urls import host as host_of
from wolfspider.webs.serving.answers import Answer, explained
from wolfspider.webs.serving.certificates import Authority
from wolfspider.webs.serving.index import Index
from wolfspider.webs.serving.requests import Refused, Request
from wolfspider.webs.warc_writing import LATEST


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a recording is served."""

    port: int = 8080  # 0: any free one
    latency: float = 0.0  # seconds before each answer
    error_rate: float = 0.0  # share of requests that get a 503
    seed: int = 0  # of chance, for these errors
    broken_hosts: int = 0  # the last ones by name reset every connection
    at: float = inf  # the moment of the recording that is served, in seconds since 1970
    speed: float = 0.0  # seconds of the recording that pass in a second
    authority: Authority | None = None  # without one there are no tunnels for https
    log: TextIO | None = None  # a line for each request: time, host, path, status


class Counter:
    """What all connections share."""

    def __init__(self, index: Index, settings: Settings) -> None:
        self.port = settings.port
        self.latency = settings.latency
        self.authority = settings.authority
        self._index = index
        self._log = settings.log
        self._at, self._speed = settings.at, settings.speed
        self._begin = time.monotonic()
        self._error_rate = settings.error_rate
        self._chance = random.Random(settings.seed)
        ordered = index.moments.hosts
        self._broken = frozenset(ordered[max(0, len(ordered) - settings.broken_hosts) :])

    def now(self) -> float:
        """The moment of the recording that is served."""
        if self._at == inf:
            return inf
        return min(self._at + self._speed * (time.monotonic() - self._begin), LATEST)

    def is_broken(self, host: str) -> bool:
        """Whether connections to a host are reset."""
        return host in self._broken

    def answer(self, request: Request) -> Answer | None:
        """What a request gets; None: a reset."""
        addresses = self._addresses(request)
        if any(host_of(url) in self._broken for url in addresses):
            return None
        if self._error_rate and self._chance.random() < self._error_rate:
            return explained(HTTPStatus.SERVICE_UNAVAILABLE, "an error, as --error-rate asks for")
        now = self.now()
        try:
            answers = (self._index.answer(url, now) for url in addresses)
            found = next((answer for answer in answers if answer is not None), None)
        except DamagedFile as error:
            return explained(HTTPStatus.INTERNAL_SERVER_ERROR, str(error))
        if found is not None:
            return found
        asked = f"{request.scheme or 'http'}://{request.host}{request.path}"
        when = "" if now == inf else f" at {datetime.fromtimestamp(now, UTC):%Y-%m-%d %H:%M} UTC"
        return explained(HTTPStatus.NOT_FOUND, f"not in the recording{when}: {asked}")

    def note(self, asked: Request | Refused, status: int) -> None:
        """A line in the log."""
        if self._log is not None:
            host = self._bare(asked.host)
            self._log.write(f"{time.time():.3f}\t{host}\t{asked.path}\t{status}\n")
            self._log.flush()

    def _addresses(self, request: Request) -> list[str]:
        """The URLs that may be meant, best first.

        A request that names only a host comes from someone who takes us for that host, maybe
        with our port behind its name; whether by http or https it does not say.
        """
        hosts = dict.fromkeys((request.host, self._bare(request.host)))
        schemes = (request.scheme,) if request.scheme else ("http", "https")
        texts = [f"{scheme}://{host}{request.path}" for host in hosts for scheme in schemes]
        return [url for url in map(canonical, texts) if url is not None]

    def _bare(self, host: str) -> str:
        return host.removesuffix(f":{self.port}")
