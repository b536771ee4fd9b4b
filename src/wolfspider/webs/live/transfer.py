"""One libcurl handle: its settings for life, and what it gathers during one request."""

from __future__ import annotations

import asyncio
import errno
import os
import re
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pycurl

from wolfspider.records import Exchange, Headers
from wolfspider.webs.importers.http_message import header_fields
from wolfspider.webs.live.errors import kind_of, truncation_of
from wolfspider.webs.live.guard import Guard
from wolfspider.webs.live.limits import Limits
from wolfspider.webs.live.multi import Multi
from wolfspider.webs.live.names import is_exhaustion, no_files_left

Screen = Callable[[int, Headers], str]  # why a body is not wanted, or "" if it is

ACCEPT_ENCODING = "gzip, deflate, br, zstd"

_ABORT = 0  # what a callback returns to libcurl that has taken none of the bytes
_STATUS = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})(?!\d)")
_CONTROLS = dict.fromkeys([*range(32), *range(127, 160)], " ")
_ODD = re.compile(rb"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\xff]|\r(?!\n)")
_BUFFER = 128 << 10
_NO_WAY = (errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


@dataclass(frozen=True, slots=True)
class Settings:
    """What all requests of a client have in common."""

    user_agent: str
    limits: Limits
    guard: Guard
    screen: Screen | None
    proxy: str
    connect_to: str
    authorities: str


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for, in the URL parser's own spelling."""

    url: str
    host: str  # without brackets
    port: int
    fields: tuple[str, ...] = ()  # "Name: value"
    screened: bool = True


class Transfer:
    """Carries out one request at a time, any number of times.

    Memory is bounded while bytes come in: whatever passes a limit ends the transfer at once.
    The address is checked when a socket is opened, and again when a request is about to go out
    on a connection of the pool; libcurl connects to the address that was checked, no other.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._limits = settings.limits
        self._curl = pycurl.Curl()
        self._fields: tuple[str, ...] = ()
        self._configure()
        self._begin("", "")

    def _configure(self) -> None:
        settings, limits = self._settings, self._settings.limits
        options: dict[int, Any] = {
            pycurl.PROTOCOLS: pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS,
            pycurl.REDIR_PROTOCOLS: 0,
            pycurl.FOLLOWLOCATION: 0,
            pycurl.HTTP_VERSION: pycurl.CURL_HTTP_VERSION_2TLS,
            pycurl.HTTP09_ALLOWED: 0,
            pycurl.HTTP_TRANSFER_DECODING: 0,
            pycurl.HTTP_CONTENT_DECODING: 0,
            pycurl.PATH_AS_IS: 1,
            pycurl.NOSIGNAL: 1,
            pycurl.NETRC: pycurl.NETRC_IGNORED,
            pycurl.PROXY: settings.proxy,  # empty: none, not even that of the environment
            pycurl.NOPROXY: "",
            pycurl.USERAGENT: settings.user_agent,
            pycurl.CONNECTTIMEOUT_MS: round(limits.connect * 1000),
            pycurl.DNS_CACHE_TIMEOUT: 60,  # addresses are given with each request
            pycurl.BUFFERSIZE: _BUFFER,
            pycurl.SSL_VERIFYPEER: 1,
            pycurl.SSL_VERIFYHOST: 2,
            pycurl.OPENSOCKETFUNCTION: self._on_open,
            pycurl.PREREQFUNCTION: self._on_request,
            pycurl.HEADERFUNCTION: self._on_header,
            pycurl.WRITEFUNCTION: self._on_body,
            pycurl.HTTPHEADER: [f"Accept-Encoding: {ACCEPT_ENCODING}"],
        }
        if settings.authorities:  # a file alone: libcurl reads it once, not for each connection
            options[pycurl.CAINFO] = options[pycurl.PROXY_CAINFO] = settings.authorities
        if settings.connect_to:
            options[pycurl.CONNECT_TO] = [f"::{settings.connect_to}"]
        for option, value in options.items():
            self._curl.setopt(option, value)

    def _begin(self, url: str, host: str) -> None:
        self._url = url
        self._host = host
        self._status = 0
        self._head = b""
        self._headers: Headers = ()
        self._lines: list[bytes] = []
        self._head_size = 0
        self._parts: list[bytes] = []
        self._size = 0
        self._address = ""
        self._failure: tuple[str, str] | None = None  # kind and detail, when we know better
        self._truncated = ""
        self._opened = False
        self._tunnel = self._settings.proxy.startswith("http") and url.startswith("https:")
        self._watch: asyncio.TimerHandle | None = None
        self._seen = 0  # bytes, when the pace was last checked
        self._screened = True

    async def run(
        self, multi: Multi, request: Request, addresses: Sequence[str], seconds: float
    ) -> Exchange:
        """Carry a request out in the seconds left for it. When cancelled, leaves nothing behind.

        Without addresses it is libcurl that finds them; it can do so for addresses and localhost.
        """
        self._begin(request.url, request.host)
        self._screened = request.screened
        self._curl.setopt(pycurl.URL, request.url)
        self._curl.setopt(pycurl.TIMEOUT_MS, max(1, round(seconds * 1000)))
        known = f"+{request.host}:{request.port}:{','.join(addresses)}"  # +: not for ever
        self._curl.setopt(pycurl.RESOLVE, [known] if addresses else [])
        fields = request.fields
        if fields != self._fields:
            common = [f"Accept-Encoding: {ACCEPT_ENCODING}"]
            self._curl.setopt(pycurl.HTTPHEADER, [*common, *fields])
            self._fields = fields
        self._loop = asyncio.get_running_loop()
        self._multi = multi
        self._future: asyncio.Future[tuple[int, str]] = self._loop.create_future()
        began = self._loop.time()
        multi.start(self._curl, self._on_done)
        try:
            code, message = await self._future
        finally:
            multi.stop(self._curl)
            if self._watch is not None:
                self._watch.cancel()
        before = self._limits.total - seconds  # spent on the name
        return self._result(code, message, before + self._loop.time() - began)

    def close(self) -> None:
        self._curl.close()

    # What libcurl reports while it works; exceptions would go nowhere.

    def _on_open(self, _purpose: int, address: tuple[int, int, int, tuple[Any, ...]]) -> object:
        family, kind, protocol, where = address
        if not self._permits(where[0]):
            if not self._opened:
                self._failure = ("not allowed", f"{self._host} is at {where[0]}")
            return pycurl.SOCKET_BAD
        try:
            lent = _Lent(socket.socket(family, kind, protocol).detach())
            os.close(os.dup(lent.fileno()))  # pycurl will, and not say why if it cannot
        except OSError as error:
            self._failure = (_kind_of_errno(error.errno), str(error))
            return pycurl.SOCKET_BAD
        self._opened, self._failure = True, None  # a name may have good and bad addresses
        return lent

    def _permits(self, address: str) -> bool:
        return bool(self._settings.proxy) or self._settings.guard.permits(self._host, address)

    def _on_request(self, address: str, *_ports: object) -> int:
        """The connection stands, new or from the pool; the request goes out next."""
        self._address = address
        if not self._permits(address):
            self._failure = ("not allowed", f"{self._host} is at {address}")
            return int(pycurl.PREREQFUNC_ABORT)
        if self._watch is not None:  # the connection of the pool was dead, this is a second one
            self._watch.cancel()
        self._watch = self._loop.call_later(self._limits.first_byte, self._on_first_check)
        return int(pycurl.PREREQFUNC_OK)

    def _on_header(self, line: bytes) -> int | None:
        self._head_size += len(line)
        if self._head_size > self._limits.header:
            return self._fail("too large", f"a header of more than {self._limits.header} bytes")
        if self._status:
            return None  # trailers
        self._lines.append(line)
        return self._on_head() if line in (b"\r\n", b"\n") else None

    def _on_head(self) -> int | None:
        """A status line and its headers are there: those of a proxy, a 1xx, or the answer's."""
        head = b"".join(self._lines)
        self._lines.clear()
        found = _STATUS.match(head)
        status = int(found[1]) if found else 0
        if self._tunnel and self._opened:  # on a connection that is used again the tunnel stands
            self._tunnel = not 200 <= status < 300
            return None
        if 100 <= status < 200 and status != 101:
            return None
        if status < 200:  # also 101: we asked for no other protocol
            return self._fail("bad answer", f"status line {head[:60]!r}")
        self._status, self._head = status, head
        self._headers = _clean(header_fields(head)) if _ODD.search(head) else header_fields(head)
        screen = self._settings.screen if self._screened else None
        reason = screen(status, self._headers) if screen is not None else ""
        return self._cut("unspecified", reason) if reason else None

    def _on_body(self, data: bytes) -> int | None:
        if not self._status:  # libcurl takes more for an empty line than we do
            return self._fail("bad answer", "no empty line ends the header")
        self._parts.append(data)
        self._size += len(data)
        if self._size > self._limits.body:
            return self._cut("length", f"a body of more than {self._limits.body} bytes")
        return None

    def _fail(self, kind: str, detail: str) -> int:
        self._failure = (kind, detail)
        return _ABORT

    def _cut(self, reason: str, detail: str) -> int:
        self._truncated = reason
        return self._fail("", detail)

    # What the clock reports.

    def _on_first_check(self) -> None:
        if not self._head_size:
            self._time_out(f"no byte in {self._limits.first_byte:g} s")
        else:
            self._check_later()

    def _check_later(self) -> None:
        self._seen = self._head_size + self._size
        self._watch = self._loop.call_later(self._limits.rate_window, self._on_check)

    def _on_check(self) -> None:
        window = self._limits.rate_window
        came = self._head_size + self._size - self._seen
        if came < self._limits.min_rate * window:
            self._time_out(f"{came} bytes in {window:g} s")
        else:
            self._check_later()

    def _time_out(self, detail: str) -> None:
        self._multi.stop(self._curl)
        self._on_done(pycurl.E_OPERATION_TIMEDOUT, detail)

    def _on_done(self, code: int, message: str) -> None:
        if not self._future.done():
            self._future.set_result((code, message))

    # What comes of it.

    def _result(self, code: int, message: str, seconds: float) -> Exchange:
        kind, detail = self._failure or self._judged(code, message)
        truncated = self._truncated
        if self._status and kind:
            truncated, kind = truncation_of(kind), ""
        elif not self._status and not kind:
            kind, detail = "reset", "the connection ended inside the header"
        body = b"".join(self._parts)
        self._parts.clear()
        return Exchange(
            url=self._url,
            status=self._status,
            head=self._head,
            headers=self._headers,
            body=body[: self._limits.body],
            address=self._address,
            error=kind,
            detail=detail,
            truncated=truncated,
            seconds=seconds,
            at=time.time() - seconds,
        )

    def _judged(self, code: int, message: str) -> tuple[str, str]:
        if code == pycurl.E_OK:
            return "", ""
        kind = kind_of(code, message)
        if code == pycurl.E_COULDNT_CONNECT:
            kind = _kind_of_errno(self._curl.getinfo(pycurl.OS_ERRNO))
        if self._settings.proxy and kind in ("closed", "unreachable"):
            return "proxy", message
        if self._tunnel and kind in ("reset", "bad answer", "failed"):
            return "proxy", message
        if kind in ("dns", "failed") and no_files_left():
            kind = "no files"
        return kind, message


class _Lent:
    """A socket for libcurl, which duplicates it; our copy closes when it is let go."""

    def __init__(self, number: int) -> None:
        self._number = number

    def fileno(self) -> int:
        return self._number

    def __del__(self) -> None:
        os.close(self._number)


def _clean(fields: Headers) -> Headers:
    """Without control characters, so that no value can pretend to be two lines anywhere."""
    return tuple((name.translate(_CONTROLS), value.translate(_CONTROLS)) for name, value in fields)


def _kind_of_errno(number: int | None) -> str:
    if is_exhaustion(number):
        return "no files"
    if number in _NO_WAY:
        return "unreachable"
    if number == errno.ETIMEDOUT:
        return "timeout"
    return "reset" if number == errno.ECONNRESET else "closed"
