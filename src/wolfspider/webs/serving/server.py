"""The server: connections, the order of answers, the log."""

from __future__ import annotations

import asyncio
import os
import random
import socket
import ssl
import struct
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from errno import EADDRINUSE
from http import HTTPStatus
from math import inf
from typing import TextIO

from wolfspider.errors import BadInput, DamagedFile
from wolfspider.urls import canonical
from wolfspider.urls import host as host_of
from wolfspider.webs.serving.answers import Answer, explained
from wolfspider.webs.serving.certificates import Authority
from wolfspider.webs.serving.index import Index
from wolfspider.webs.serving.requests import (
    MOST_HEAD,
    Refused,
    Request,
    cut_request,
    name,
    read_request,
)
from wolfspider.webs.warc_writing import LATEST

LOOPBACK = "127.0.0.1"  # nobody else is to take a recording for the real thing
RESET = 0  # the status of no answer at all, in the log

_BACKLOG = 1024
_PIECE = 1 << 18  # bytes given to a connection at a time
_HANDSHAKE = 20.0  # seconds that a client has for it
_LINGER = 1.0  # seconds that a client may go on after it was refused
_AT_ONCE = struct.pack("ii", 1, 0)  # SO_LINGER: close with a reset


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


@asynccontextmanager
async def serving(index: Index, settings: Settings) -> AsyncIterator[int]:
    """Serve while entered; gives the port. `BadInput` if it cannot be had."""
    counter = _Counter(index, settings)
    loop = asyncio.get_running_loop()
    try:
        server = await loop.create_server(
            lambda: _Connection(counter), LOOPBACK, settings.port, backlog=_BACKLOG
        )
    except OSError as error:
        raise BadInput(_no_port(settings.port, error)) from error
    counter.port = server.sockets[0].getsockname()[1]
    try:
        yield counter.port
    finally:
        server.close()
        await counter.hang_up()
        await server.wait_closed()


def _no_port(port: int, error: OSError) -> str:
    if error.errno == EADDRINUSE:
        return f"port {port} is taken by another program; give another --port, or 0 for a free one"
    reason = os.strerror(error.errno) if error.errno else str(error)
    return f"cannot listen on port {port}: {reason}; give another --port, or 0 for any"


class _Counter:
    """Where requests are answered: what all connections share."""

    def __init__(self, index: Index, settings: Settings) -> None:
        self.port = settings.port
        self.latency = settings.latency
        self.connections: set[_Connection] = set()
        self._greetings: set[asyncio.Task[None]] = set()
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

    def greet(
        self, transport: asyncio.Transport, inside: _Connection, context: ssl.SSLContext
    ) -> None:
        """Begin TLS; the connection inside goes on when it stands."""
        task = asyncio.get_running_loop().create_task(_greeted(transport, inside, context))
        self._greetings.add(task)
        task.add_done_callback(self._greetings.discard)

    async def hang_up(self) -> None:
        """End all connections."""
        greetings = list(self._greetings)
        for task in greetings:
            task.cancel()
        await asyncio.gather(*greetings, return_exceptions=True)
        for connection in list(self.connections):
            connection.abort()
        await asyncio.sleep(0)  # the loop closes a socket in its next step

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


async def _greeted(
    transport: asyncio.Transport, inside: _Connection, context: ssl.SSLContext
) -> None:
    loop = asyncio.get_running_loop()
    secured = None
    try:
        with suppress(OSError):  # a client that does not trust us, or one that went away
            secured = await loop.start_tls(
                transport, inside, context, server_side=True, ssl_handshake_timeout=_HANDSHAKE
            )
    finally:
        if secured is None:
            transport.abort()
    if secured is not None:
        inside.connection_made(secured)


class _Connection(asyncio.Protocol):
    """One client. Answers leave in the order of the requests, one after the other.

    A client that asks for a tunnel goes on with a connection of its own inside of it.
    """

    def __init__(self, counter: _Counter, tunnel: Request | None = None) -> None:
        self._counter = counter
        self._tunnel = tunnel  # the request for it, if this is the inside of one
        self._made = False
        self._buffer = bytearray()
        self._waiting = False  # an answer is on its way
        self._full = False  # the client does not read
        self._last = False  # the answer that is being sent is the last
        self._ended = False  # it will ask for nothing more
        self._refused = False  # whatever else it says is passed over
        self._timer: asyncio.TimerHandle | None = None
        self._rest = memoryview(b"")  # of a body that is being sent

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._made = True
        self._counter.connections.add(self)
        self._go_on()  # a request may have come with the end of the handshake

    def connection_lost(self, exc: Exception | None) -> None:
        self._counter.connections.discard(self)
        if self._timer is not None:
            self._timer.cancel()

    def abort(self) -> None:
        self._transport.abort()

    def data_received(self, data: bytes) -> None:
        if not self._refused:
            self._buffer += data
            if self._made:
                self._go_on()

    def eof_received(self) -> bool:
        self._ended = True
        pending = self._waiting or self._full or bool(self._rest)  # there is still to be sent
        return pending and self._transport.can_write_eof()  # TLS has no half of an end

    def pause_writing(self) -> None:
        self._full = True

    def resume_writing(self) -> None:
        self._full = False
        self._send_rest()
        self._go_on()

    def _go_on(self) -> None:
        """Answer what has been asked, as far as that goes at once."""
        while not (self._waiting or self._full or self._rest or self._over()):
            if not self._next():
                break
        else:
            if len(self._buffer) > MOST_HEAD and not self._over():
                self._transport.pause_reading()
            return
        self._transport.resume_reading()
        if self._ended:
            self._transport.close()

    def _over(self) -> bool:
        return self._refused or self._transport.is_closing()

    def _next(self) -> bool:
        """Take up the next request; False if there is none."""
        try:
            head = cut_request(self._buffer)
            if head is None:
                return False
            request = read_request(head)
            if request.method == "CONNECT":
                return self._open_tunnel(request)
        except Refused as refused:
            self._refuse(refused)
            return True
        if self._tunnel is not None:
            request = replace(request, scheme=self._tunnel.scheme, host=self._tunnel.host)
        if not self._counter.latency > 0:
            self._answer(request)
            return True
        self._waiting = True
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._counter.latency, self._answer_late, request)
        return True

    def _open_tunnel(self, request: Request) -> bool:
        """Go on inside; False, since on this connection there is nothing more to answer."""
        authority = self._counter.authority
        if self._tunnel is not None:
            raise Refused(HTTPStatus.BAD_REQUEST, "there is no tunnel in a tunnel", request.host)
        if authority is None and request.scheme == "https":
            sentence = "there are no tunnels for https here; ask for http:// addresses"
            raise Refused(HTTPStatus.METHOD_NOT_ALLOWED, sentence, request.host, request.host)
        if self._counter.is_broken(request.host):
            self._counter.note(request, RESET)
            self._reset()
            return False
        if self._buffer and request.scheme == "https":
            sentence = "in a tunnel TLS begins when its opening was answered, not before"
            raise Refused(HTTPStatus.BAD_REQUEST, sentence, request.host)
        self._transport.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        inside = _Connection(self._counter, request)
        self._counter.connections.discard(self)
        if request.scheme == "https":
            assert authority is not None
            context = authority.context(name(request.host))
            self._counter.greet(self._transport, inside, context)
        else:
            self._transport.set_protocol(inside)
            inside._buffer += self._buffer
            inside.connection_made(self._transport)
        return False

    def _answer_late(self, request: Request) -> None:
        self._waiting = False
        self._answer(request)
        self._go_on()

    def _answer(self, request: Request) -> None:
        answer = self._counter.answer(request)
        self._counter.note(request, RESET if answer is None else answer.status)
        if answer is None:
            self._reset()
            return
        state = b"" if request.keeps else b"Connection: close\r\n"
        if request.old and request.keeps:
            state = b"Connection: keep-alive\r\n"
        body = b"" if request.method == "HEAD" else answer.body
        self._last = not request.keeps
        self._transport.write(b"".join((answer.head, state, b"\r\n", body[:_PIECE])))
        self._rest = memoryview(body)[_PIECE:]
        self._send_rest()

    def _send_rest(self) -> None:
        """As much of the body as the client takes: who does not read is to hold no copy of it."""
        while self._rest and not (self._full or self._transport.is_closing()):
            piece, self._rest = self._rest[:_PIECE], self._rest[_PIECE:]
            self._transport.write(piece)
        if self._last and not self._rest:
            self._transport.close()

    def _refuse(self, refused: Refused) -> None:
        """Where the next request begins is not known after such a one, so it is the last."""
        allowed = [("Allow", "GET, HEAD")] * (refused.status == HTTPStatus.METHOD_NOT_ALLOWED)
        answer = explained(refused.status, refused.sentence, *allowed)
        self._counter.note(refused, refused.status)
        self._transport.write(answer.head + b"Connection: close\r\n\r\n" + answer.body)
        self._buffer.clear()
        self._refused = True
        if self._ended:
            self._transport.close()
            return
        # to close while the client is still sending would be a reset, and it would lose the answer
        if self._transport.can_write_eof():
            self._transport.write_eof()
        self._timer = asyncio.get_running_loop().call_later(_LINGER, self._transport.close)

    def _reset(self) -> None:
        connected = self._transport.get_extra_info("socket")
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
        self._transport.abort()
