"""One client: requests in, answers out in their order, and tunnels in which it goes on."""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus

from wolfspider.webs.serving.answers import explained
from wolfspider.webs.serving.counter import Counter
from wolfspider.webs.serving.requests import (
    MOST_HEAD,
    Refused,
    Request,
    cut_request,
    name,
    read_request,
)

RESET = 0  # the status of no answer at all, in the log

_STEPS = 10  # of the loop, in which connections that were being accepted have come and ended
_PIECE = 1 << 18  # bytes given to a connection at a time
_HANDSHAKE = 20.0  # seconds that a client has for it
_LINGER = 1.0  # seconds that a client may go on after it was refused
_AT_ONCE = struct.pack("ii", 1, 0)  # SO_LINGER: close with a reset


class Clients:
    """All connections of a server."""

    def __init__(self, counter: Counter) -> None:
        self.counter = counter
        self.connections: set[Connection] = set()
        self._greetings: dict[asyncio.Task[None], asyncio.Transport] = {}

    def greet(
        self, transport: asyncio.Transport, inside: Connection, context: ssl.SSLContext
    ) -> None:
        """Begin TLS; the connection inside goes on when it stands."""
        task = asyncio.get_running_loop().create_task(_greeted(transport, inside, context))
        self._greetings[task] = transport
        task.add_done_callback(self._greetings.pop)

    async def hang_up(self) -> None:
        """End all connections."""
        for _ in range(_STEPS):
            for task, transport in list(self._greetings.items()):
                task.cancel()
                transport.abort()  # a task that has not begun yet would not do it
            for connection in list(self.connections):
                connection.abort()
            await asyncio.sleep(0)


async def _greeted(
    transport: asyncio.Transport, inside: Connection, context: ssl.SSLContext
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


class Connection(asyncio.Protocol):
    """One client. Answers leave in the order of the requests, one after the other.

    A client that asks for a tunnel goes on with a connection of its own inside of it.
    """

    def __init__(self, clients: Clients, tunnel: Request | None = None) -> None:
        self._clients = clients
        self._counter = clients.counter
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
        self._clients.connections.add(self)
        self._go_on()  # a request may have come with the end of the handshake

    def connection_lost(self, exc: Exception | None) -> None:
        self._clients.connections.discard(self)
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
        inside = Connection(self._clients, request)
        self._clients.connections.discard(self)
        if request.scheme == "https":
            assert authority is not None
            context = authority.context(name(request.host))
            self._clients.greet(self._transport, inside, context)
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
