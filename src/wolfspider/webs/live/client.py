"""One request, one answer, byte for byte: libcurl behind a small interface.

    async with Client("my-crawler/1.0 (+https://example.org/bot)") as client:
        exchange = await client.get("https://example.org/")

`get` raises for nothing that a server, a network or a name server does. It follows no
redirect, keeps no cookie, reads no .netrc and no proxy from the environment, and opens only
sockets that the guard permits. The bytes it returns are those that came, for WARC;
`webs.decoding.payload` takes chunks and compression off.
"""

from __future__ import annotations

import re
import ssl
import time
from collections.abc import Mapping
from dataclasses import replace
from types import TracebackType
from typing import Self

import pycurl

from wolfspider.records import Exchange
from wolfspider.urls import resolve
from wolfspider.webs.live.guard import Guard
from wolfspider.webs.live.limits import Limits
from wolfspider.webs.live.multi import Multi
from wolfspider.webs.live.names import Names
from wolfspider.webs.live.transfer import Request, Screen, Settings, Transfer

_UNSAFE = re.compile(r"[\x00-\x1f\x7f]")


class Client:
    """Fetches from the live web. To be used and closed on one running event loop.

    `screen` sees status and headers before the body is read, and may refuse it with a reason.
    `proxy` is a URL (http, https, socks5h …); then it is the proxy that finds the address of a
    name, and the guard can judge only addresses that are written in the URL itself.
    `connect_to` sends every request to one `host:port`, whatever the URL says, as when a
    machine plays many hosts; the guard sees the address that is really connected to.
    `authorities` is a file of trusted certificates, instead of the system's.
    `names` looks up the addresses of hosts; it may be shared, and is then closed by its owner.
    `connections` are kept open for later requests, at most.
    """

    def __init__(
        self,
        user_agent: str,
        *,
        limits: Limits | None = None,
        guard: Guard | None = None,
        screen: Screen | None = None,
        proxy: str = "",
        connect_to: str = "",
        authorities: str = "",
        names: Names | None = None,
        connections: int = 256,
    ) -> None:
        self._settings = Settings(
            user_agent=user_agent,
            limits=limits or Limits(),
            guard=guard or Guard(),
            screen=screen,
            proxy=proxy,
            connect_to=connect_to,
            authorities=authorities or ssl.get_default_verify_paths().cafile or "",
        )
        self._names = names or Names()
        self._owns_names = names is None
        self._connections = connections
        self._multi: Multi | None = None
        self._idle: list[Transfer] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Give up what is under way, as "failed", and close every connection."""
        multi, self._multi = self._multi, None
        if multi is not None:
            multi.close()
        while self._idle:
            self._idle.pop().close()
        if self._owns_names:
            self._names.close()

    async def get(
        self, url: str, headers: Mapping[str, str] | None = None, *, screened: bool = True
    ) -> Exchange:
        """Ask for a URL, with these headers beside User-Agent and Accept-Encoding."""
        fields = tuple(_field(name, value) for name, value in (headers or {}).items())
        target = resolve(url)
        if target is None or target.scheme not in ("http", "https") or not target.host_str:
            return Exchange(url, error="bad url", detail="not an http or https address")
        if target.username or target.password:
            return Exchange(url, error="bad url", detail="a user name or password in the address")
        port = target.port or (443 if target.scheme == "https" else 80)
        request = Request(str(target), target.host_str.strip("[]"), port, fields, screened)
        exchange = await self._get(request)
        return exchange if exchange.url == url else replace(exchange, url=url)

    async def _get(self, request: Request) -> Exchange:
        settings, limits, host = self._settings, self._settings.limits, request.host
        if settings.proxy and _is_address(host) and not settings.guard.permits(host, host):
            return Exchange(request.url, error="not allowed", detail=f"{host} is not public")
        if settings.proxy or settings.connect_to or _is_address(host) or _is_local(host):
            return await self._run(request, (), limits.total)
        answer = self._names.known(host)
        left = limits.total
        if answer is None:
            began = time.monotonic()
            answer = await self._names.look_up(host, min(limits.connect, limits.total))
            left -= time.monotonic() - began
        if answer.error:
            seconds = limits.total - left
            return Exchange(request.url, error=answer.error, detail=answer.detail, seconds=seconds)
        return await self._run(request, answer.addresses, left)

    async def _run(self, request: Request, addresses: tuple[str, ...], seconds: float) -> Exchange:
        try:
            multi = self._multi = self._multi or Multi(self._connections)
            transfer = self._idle.pop() if self._idle else Transfer(self._settings)
        except (pycurl.error, MemoryError) as error:  # libcurl needs a few files to begin with
            return Exchange(request.url, error="no files", detail=str(error))
        try:
            return await transfer.run(multi, request, addresses, seconds)
        finally:
            if multi is self._multi:
                self._idle.append(transfer)
            else:
                transfer.close()


def _is_address(host: str) -> bool:
    return ":" in host or host.rpartition(".")[2].isdigit()  # WHATWG: then it is IPv4


def _is_local(host: str) -> bool:
    """Names that libcurl knows by itself."""
    return host.rstrip(".").rpartition(".")[2] == "localhost"


def _field(name: str, value: str) -> str:
    if not name or ":" in name or _UNSAFE.search(name + value):
        raise ValueError(f"not a header: {name!r}: {value!r}; name and value must be one line")
    return f"{name}: {value}" if value else f"{name};"  # libcurl's way to send an empty one
