"""One request, one answer, byte for byte: libcurl behind a small interface.

    async with Client("my-crawler/1.0 (+https://example.org/bot)") as client:
        exchange = await client.get("https://example.org/")

`get` never raises for anything that a server, a network or a name server does. It follows no
redirect, keeps no cookie, reads no .netrc and no proxy from the environment, and opens only
sockets that the guard permits. The bytes it returns are those that came, for WARC; `decoding`
makes text of them.
"""

from __future__ import annotations

import asyncio
import re
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import pycurl

from wolfspider.urls import resolve
from wolfspider.webs.importers.http_message import header_fields
from wolfspider.webs.live.guard import Guard, is_public
from wolfspider.webs.live.limits import Limits
from wolfspider.webs.live.multi import Multi
from wolfspider.webs.live.sockets import Opener, no_files_left

Headers = tuple[tuple[str, str], ...]
Screen = Callable[[int, Headers], str]  # why a body is not wanted, or "" if it is

ACCEPT_ENCODING = "gzip, deflate, br, zstd"

_STATUS = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})(?!\d)")
_CONTROLS = dict.fromkeys([*range(32), 127], " ")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f]")
_QUICK_EXIT = 322  # CURLOPT_QUICK_EXIT has no name in pycurl: do not wait for a slow name server
_BUFFER = 128 << 10

KINDS = {
    "bad url": "not an http or https address, or one that no host can have",
    "dns": "the host's name has no address, or the name server does not say",
    "not allowed": "the guard forbids the address",
    "refused": "nobody listens there",
    "unreachable": "no way leads there",
    "tls": "no trusted encrypted connection: certificate, host name or handshake",
    "timeout": "no connection, or no whole header, in time",
    "reset": "the connection ended before the header did",
    "too large": "the header is longer than the limit",
    "bad answer": "what came is not HTTP",
    "proxy": "the proxy could not be used",
    "no files": "this process may open no more files or sockets",
    "failed": "anything else; the detail has libcurl's own words",
}

_TLS = frozenset((35, 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98))
_KIND_OF_CODE = {
    pycurl.E_UNSUPPORTED_PROTOCOL: "bad answer",  # HTTP/0.9; other schemes never get here
    pycurl.E_URL_MALFORMAT: "bad url",
    pycurl.E_COULDNT_RESOLVE_PROXY: "proxy",
    pycurl.E_COULDNT_RESOLVE_HOST: "dns",
    pycurl.E_COULDNT_CONNECT: "refused",
    8: "bad answer",  # CURLE_WEIRD_SERVER_REPLY
    16: "bad answer",  # CURLE_HTTP2
    92: "bad answer",  # CURLE_HTTP2_STREAM
    pycurl.E_OPERATION_TIMEDOUT: "timeout",
    pycurl.E_GOT_NOTHING: "reset",
    pycurl.E_SEND_ERROR: "reset",
    pycurl.E_RECV_ERROR: "reset",
    pycurl.E_PARTIAL_FILE: "reset",
    97: "proxy",  # CURLE_PROXY
    100: "too large",  # CURLE_TOO_LARGE
    **dict.fromkeys(_TLS, "tls"),
}
_TRUNCATED_OF_KIND = {"timeout": "time", "reset": "disconnect", "tls": "disconnect"}


@dataclass(frozen=True, slots=True)
class Exchange:
    """What became of one request.

    Either `error` names one of `KINDS` and there is no answer, or the header came whole and
    `truncated` tells why the body did not, in the words of WARC-Truncated: "length", "time",
    "disconnect" or "unspecified"; `detail` has a person's words for both.
    """

    url: str  # as it was asked for
    status: int = 0
    head: bytes = b""  # the last status line and its headers; folded lines are joined
    headers: Headers = ()  # names in lower case; no control characters
    body: bytes = b""  # still chunked and compressed, if the server did so
    address: str = ""  # the peer's: an IP address
    error: str = ""
    detail: str = ""
    truncated: str = ""
    seconds: float = 0.0


class Client:
    """Fetches from the live web. To be opened, used and closed on one running event loop.

    `screen` sees status and headers before the body is read, and may refuse it.
    `proxy` is a URL (http, https, socks5h); then it is the proxy that finds the host's address,
    so the guard can judge only addresses that are written in the URL.
    `connect_to` sends every request to one `host:port`, whatever the URL says, as in a
    demonstration with many host names on one machine; the guard still sees the address.
    `authorities` is a file of trusted certificates instead of the system's.
    """

    def __init__(
        self,
        user_agent: str,
        *,
        limits: Limits = Limits(),
        guard: Guard = Guard(),
        screen: Screen | None = None,
        proxy: str = "",
        connect_to: str = "",
        authorities: str = "",
        connections: int = 256,
    ) -> None:
        self.user_agent = user_agent
        self.limits = limits
        self.guard = guard
        self.screen = screen
        self.proxy = proxy
        self.connect_to = connect_to
        self.authorities = authorities or ssl.get_default_verify_paths().cafile or ""
        self.connections = connections  # kept open for later requests, at most
        self._multi: Multi | None = None
        self._idle: list[_Transfer] = []

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
        """Give up what is under way and close every connection."""
        multi, self._multi = self._multi, None
        if multi is not None:
            multi.close()
        while self._idle:
            self._idle.pop().curl.close()

    async def get(self, url: str, headers: Mapping[str, str] = {}) -> Exchange:  # noqa: B006
        """Ask for a URL. The caller's headers come on top of User-Agent and Accept-Encoding."""
        fields = [_field(name, value) for name, value in headers.items()]
        target = resolve(url)
        if target is None or target.scheme not in ("http", "https") or target.username:
            return Exchange(url, error="bad url", detail=f"not a web address: {url[:200]!r}")
        host = target.host_str.strip("[]")
        if self.proxy and not self._permits_literal(host):
            return Exchange(url, error="not allowed", detail=f"not a public address: {host}")
        if self._multi is None:
            self._multi = Multi(self.connections)
        transfer = self._idle.pop() if self._idle else _Transfer(self)
        try:
            return await transfer.run(self._multi, url, str(target), host, fields)
        finally:
            self._idle.append(transfer)

    def _permits_literal(self, host: str) -> bool:
        literal = ":" in host or host.rpartition(".")[2].isdigit()
        return not literal or self.guard.permits(host, host)


def _field(name: str, value: str) -> str:
    if _UNSAFE.search(name + value) or ":" in name:
        raise ValueError(f"a header must be one line: {name!r}: {value!r}")
    return f"{name}: {value}" if value else f"{name};"  # libcurl's way to send an empty one
