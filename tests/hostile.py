"""A server on loopback that does what servers must not: each misdeed has a path.

    async with Hostile() as server:
        await client.get(server.url("/endless"))

`ANSWERS` are sent as they are, and then the connection is closed; a test adds its own with
`server.answers[path] = bytes`. `MISDEEDS` take longer or keep the connection. Any other path
is a small page. `server.log` has each request's path as it came, `server.connections` counts
connections. Where the event loop is not at hand, as in tests of the command line,
`hostile_thread()` serves from a thread.

A test that needs many hosts writes them down: `server.web["a.test/page?x=1"]` is an answer or a
misdeed, `server.web["a.test/*"]` is for all else of a host, and `server.web["*"]` for all other
hosts. Then what is neither there nor a misdeed is not found, `server.asked` has each request as
host and target, and `server.requests` who came when.
"""

from __future__ import annotations

import asyncio
import gzip
import io
import socket
import ssl
import struct
import threading
import time
import zlib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from html import escape
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs, urlsplit

from fastwarc.stream_io import BrotliWriter, ZstdWriter

PAGE = b"<title>Spiders</title><p>Wolf spiders hunt.<a href='/next'>next</a>"
LOOPBACK = frozenset(("127.0.0.1", "localhost"))  # for a Guard's allowed_hosts


def answer(body: bytes = PAGE, *fields: str, status: str = "200 OK", length: int = -1) -> bytes:
    """An HTTP/1.1 answer with Content-Length (which may be a lie) and these headers."""
    size = f"Content-Length: {len(body) if length < 0 else length}"
    lines = [f"HTTP/1.1 {status}", "Content-Type: text/html", size, *fields]
    return "\r\n".join([*lines, "", ""]).encode() + body


def linked(*links: str, title: str = "", words: str = "", head: str = "") -> bytes:
    """A page with these links; without a title of its own it is like no other page."""
    title = title or f"A page with {' '.join(links)}"
    anchors = "".join(f"<a href='{escape(link)}'>link</a> " for link in links)
    return f"<title>{escape(title)}</title>{head}<p>{escape(words)}<p>{anchors}".encode()


def page_with(*links: str, words: str = "", fields: tuple[str, ...] = ()) -> bytes:
    """An answer: a page with these links."""
    return answer(linked(*links, words=words), *fields)


def moved(location: str, *fields: str) -> bytes:
    return answer(b"", f"Location: {location}", *fields, status="302 Found")


def missing() -> bytes:
    return answer(b"<p>Not here", status="404 Not Found")


def rules(text: str, *fields: str, status: str = "200 OK") -> bytes:
    """An answer to /robots.txt."""
    return answer(text.encode(), *fields, status=status)


def bare(body: bytes = PAGE, *fields: str) -> bytes:
    """An answer without Content-Length: it goes on until the connection ends, or as told."""
    return "\r\n".join(["HTTP/1.1 200 OK", *fields, "", ""]).encode() + body


def chunked(data: bytes, size: int = 16) -> bytes:
    parts = [data[at : at + size] for at in range(0, len(data), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in [*parts, b""])


def deflated(data: bytes, wrapping: int = 15) -> bytes:
    deflate = zlib.compressobj(9, zlib.DEFLATED, wrapping)
    return deflate.compress(data) + deflate.flush()


def brotli(data: bytes) -> bytes:
    return _written(BrotliWriter, data)


def zstandard(data: bytes) -> bytes:
    return _written(ZstdWriter, data)


def _written(kind: type[BrotliWriter] | type[ZstdWriter], data: bytes) -> bytes:
    out = io.BytesIO()
    writer = kind(out)
    writer.write(data)
    writer.close()  # finish() would leave out the last byte of br
    return out.getvalue()


_STEPS = 8  # of an event loop, from a connection that is accepted to its task
ZEROS = bytes(32 << 20)
CHUNKED = "Transfer-Encoding: chunked"

ANSWERS: dict[str, Callable[[], bytes]] = {
    # good ones
    "/chunked": lambda: bare(chunked(PAGE), CHUNKED),
    "/gzip": lambda: answer(gzip.compress(PAGE), "Content-Encoding: gzip"),
    "/gzip-chunked": lambda: bare(chunked(gzip.compress(PAGE)), "Content-Encoding: gzip", CHUNKED),
    "/deflate": lambda: answer(deflated(PAGE), "Content-Encoding: deflate"),
    "/deflate-bare": lambda: answer(deflated(PAGE, -15), "Content-Encoding: deflate"),
    "/br": lambda: answer(brotli(PAGE), "Content-Encoding: br"),
    "/zstd": lambda: answer(zstandard(PAGE), "Content-Encoding: zstd"),
    "/no-length": lambda: bare(PAGE),
    "/early-hints": lambda: b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + answer(),
    # bombs
    "/gzip-bomb": lambda: answer(gzip.compress(ZEROS), "Content-Encoding: gzip"),
    "/br-bomb": lambda: answer(brotli(ZEROS), "Content-Encoding: br"),
    "/zstd-bomb": lambda: answer(zstandard(ZEROS), "Content-Encoding: zstd"),
    "/nested-bomb": lambda: answer(
        gzip.compress(gzip.compress(gzip.compress(ZEROS))), "Content-Encoding: gzip, gzip, gzip"
    ),
    "/many-codings": lambda: answer(PAGE, "Content-Encoding: " + ", ".join(["gzip"] * 100)),
    "/many-members": lambda: answer(gzip.compress(b"") * 100_000, "Content-Encoding: gzip"),
    "/header-line-bomb": lambda: answer(PAGE, "X-Bomb: " + "x" * (1 << 20)),
    "/1xx-flood": lambda: b"HTTP/1.1 100 Continue\r\n\r\n" * 100_000 + answer(),
    # damage
    "/bad-chunk": lambda: bare(b"5\r\nhello\r\nzz\r\nworld", CHUNKED),
    "/huge-chunk": lambda: bare(b"ffffffffffffffffff\r\nhello", CHUNKED),
    "/cut-chunks": lambda: bare(chunked(PAGE)[:30], CHUNKED),
    "/cut-gzip": lambda: answer(gzip.compress(PAGE)[:-20], "Content-Encoding: gzip"),
    "/not-gzip": lambda: answer(PAGE, "Content-Encoding: gzip"),
    "/short": lambda: answer(PAGE, length=len(PAGE) + 100),
    "/long": lambda: answer(PAGE, length=10),
    "/half-header": lambda: b"HTTP/1.1 200 OK\r\nContent-Type: te",
    "/nothing": lambda: b"",
    "/http-0.9": lambda: PAGE,
    "/no-status": lambda: b"HTTP/1.1\r\n\r\n" + PAGE,
    "/status-2000": lambda: answer(status="2000 OK"),
    "/status-99": lambda: answer(status="99 Low"),
    "/switch": lambda: b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n" + answer(),
    "/two-lengths": lambda: answer(PAGE, "Content-Length: 3"),
    "/negative-length": lambda: bare(PAGE, "Content-Length: -3"),
    "/cr-in-header": lambda: answer(PAGE, "X-Game: a\rWARC-Type: request"),
    "/nul-in-header": lambda: answer(PAGE, "X-Game: a\0b"),
    "/folded-header": lambda: answer(PAGE, "X-Game: a\r\n WARC-Type: request"),
    "/bare-lf": lambda: answer().replace(b"\r\n", b"\n"),
    "/utf-8-header": lambda: answer(PAGE, "X-Name: Spinne Übermut"),
    "/binary-header": lambda: answer(PAGE, "X-Name: @").replace(b"@", b"\xff\xfe\x80"),
    "/204-body": lambda: answer(PAGE, status="204 No Content"),
    "/304-body": lambda: answer(PAGE, status="304 Not Modified"),
    "/trailer": lambda: bare(
        chunked(PAGE)[:-2] + b"X-Late: 1\r\nSet-Cookie: a=b\r\n\r\n", CHUNKED, "Trailer: X-Late"
    ),
    # redirects
    "/loop": lambda: answer(b"", "Location: /loop", status="302 Found"),
    "/self": lambda: answer(b"", "Location: /self", "Set-Cookie: a=b", status="302 Found"),
    "/to-file": lambda: answer(b"", "Location: file:///etc/passwd", status="302 Found"),
    "/to-data": lambda: answer(b"", "Location: data:text/html,hi", status="302 Found"),
    "/to-metadata": lambda: answer(b"", "Location: http://169.254.169.254/", status="302 Found"),
}


@dataclass(slots=True)
class Request:
    """One request, and the connection to misbehave on."""

    server: Hostile
    target: str
    head: bytes
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    number: int  # of the request on its connection, from 1

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    def reset(self) -> None:
        """End the connection with RST instead of FIN."""
        raw: socket.socket = self.writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


Misdeed = Callable[[Request], Awaitable[bool]]  # whether the connection goes on


async def page(request: Request) -> bool:
    await request.send(answer())
    return True


async def echo(request: Request) -> bool:
    """The request itself."""
    await request.send(answer(request.head))
    return True


async def count(request: Request) -> bool:
    """How many requests there were on this connection."""
    await request.send(answer(b"%d" % request.number))
    return True


async def big(request: Request) -> bool:
    """As many bytes as asked for: /big?bytes=1000."""
    wanted = int(parse_qs(urlsplit(request.target).query)["bytes"][0])
    await request.send(answer(bytes(wanted)))
    return True


async def keeps_chunked(request: Request) -> bool:
    await request.send(bare(chunked(PAGE), CHUNKED))
    return True


async def redirect(request: Request) -> bool:
    """To where asked: /redirect?to=…"""
    to = parse_qs(urlsplit(request.target).query)["to"][0]
    await request.send(answer(b"", f"Location: {to}", status="302 Found"))
    return True


async def endless(request: Request) -> bool:
    await request.send(bare(b""))
    while True:
        await request.send(bytes(65536))


async def endless_chunks(request: Request) -> bool:
    await request.send(bare(b"", CHUNKED))
    while True:
        await request.send(chunked(bytes(4096), 4096)[: -len(b"0\r\n\r\n")])


async def endless_header(request: Request) -> bool:
    await request.send(b"HTTP/1.1 200 OK\r\n")
    while True:
        await request.send(b"X-More: and more\r\n" * 100)


async def trickle(request: Request) -> bool:
    await request.send(answer(b"", length=1 << 20))
    while True:
        await request.send(b".")
        await asyncio.sleep(request.server.pace)


async def trickled_header(request: Request) -> bool:
    await request.send(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while True:
        await request.send(b".")
        await asyncio.sleep(request.server.pace)


async def trickled_1xx(request: Request) -> bool:
    while True:
        await request.send(b"HTTP/1.1 102 Processing\r\n\r\n")
        await asyncio.sleep(request.server.pace)


async def silent(request: Request) -> bool:
    await request.reader.read()  # until the client gives up
    return False


async def stops_in_body(request: Request) -> bool:
    await request.send(answer(PAGE, length=1 << 20))
    await request.reader.read()  # until the client gives up
    return False


async def late(request: Request) -> bool:
    """A page after a moment: /late?seconds=0.2"""
    await asyncio.sleep(float(parse_qs(urlsplit(request.target).query)["seconds"][0]))
    return await page(request)


async def reset(request: Request) -> bool:
    request.reset()
    return False


async def reset_in_body(request: Request) -> bool:
    await request.send(answer(PAGE, length=1 << 20))
    await asyncio.sleep(0.05)  # a reset overtakes bytes that are still waiting
    request.reset()
    return False


async def drops_second(request: Request) -> bool:
    """Answers the first request of a connection and closes at the second without a word."""
    return await page(request) if request.number == 1 else False


def broken(status: str = "503 Service Unavailable", *fields: str) -> Misdeed:
    """Always this status."""

    async def refuse(request: Request) -> bool:
        await request.send(answer(b"", *fields, status=status))
        return True

    return refuse


def once(first: bytes, later: bytes) -> Misdeed:
    """One answer to whoever comes first, another to all others."""
    answers = iter([first])

    async def serve(request: Request) -> bool:
        await request.send(next(answers, later))
        return True

    return serve


def slowly(data: bytes, seconds: float) -> Misdeed:
    async def serve(request: Request) -> bool:
        await asyncio.sleep(seconds)
        await request.send(data)
        return True

    return serve


MISDEEDS: dict[str, Misdeed] = {
    "/echo": echo,
    "/count": count,
    "/big": big,
    "/keeps-chunked": keeps_chunked,
    "/redirect": redirect,
    "/endless": endless,
    "/endless-chunks": endless_chunks,
    "/endless-header": endless_header,
    "/trickle": trickle,
    "/trickled-header": trickled_header,
    "/trickled-1xx": trickled_1xx,
    "/silent": silent,
    "/stops-in-body": stops_in_body,
    "/late": late,
    "/reset": reset,
    "/reset-in-body": reset_in_body,
    "/drops-second": drops_second,
}


@dataclass(slots=True)
class Visitor:
    """One request of a web of many hosts."""

    host: str
    began: float
    ended: float = float("inf")


class Hostile:
    """Serves on a free port; `tls` makes it https."""

    def __init__(
        self,
        tls: ssl.SSLContext | None = None,
        pace: float = 0.05,
        address: str = "127.0.0.1",
    ) -> None:
        self.pace = pace  # seconds between the bytes of a trickle
        self.answers: dict[str, bytes] = {}
        self.web: dict[str, bytes | Misdeed] = {}  # by host and target
        self.asked: list[str] = []  # host and target
        self.requests: list[Visitor] = []
        self.log: list[str] = []
        self.connections = 0
        self.port = 0
        self.tunnel_to = 0  # port of another server, for which this one is a proxy
        self._tls = tls
        self._address = address
        self._tasks: set[asyncio.Task[None]] = set()

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"{'https' if self._tls else 'http'}://{host}:{self.port}{path}"

    def host_and_port(self) -> str:
        return f"{self._address}:{self.port}"

    def counted(self) -> Counter[str]:
        """How often each URL was asked for, robots.txt apart."""
        return Counter(f"http://{each}" for each in self.asked if not each.endswith("/robots.txt"))

    def most_at_once(self, host: str) -> int:
        """How many requests of a host were ever under way together."""
        ours = [each for each in self.requests if each.host == host]
        return max(sum(a.began <= b.began < a.ended for a in ours) for b in ours)

    def times(self, *urls: str) -> list[int]:
        """How often each of these was asked for."""
        counts = Counter(self.asked)
        return [counts[url.partition("://")[2]] for url in urls]

    @property
    def open_connections(self) -> int:
        return len(self._tasks)

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(
            self._connected, self._address, 0, ssl=self._tls, backlog=1024
        )
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        loop = asyncio.get_running_loop()
        for each in self._server.sockets:
            loop.remove_reader(each)  # nobody is accepted any more,
        for _ in range(_STEPS):
            await asyncio.sleep(0)  # and who just was comes to have a task
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._server.close()
        for _ in range(_STEPS):  # who was cancelled while it closed a connection comes to close it
            await asyncio.sleep(0)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                number = 1
                while await self._answer(reader, writer, number):
                    number += 1
        finally:
            writer.close()
            try:
                with suppress(OSError):
                    await writer.wait_closed()
            finally:
                writer.transport.abort()  # TLS may still wait for a goodbye when it is cancelled

    async def _answer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int
    ) -> bool:
        begin = await reader.readexactly(1)
        if not begin.isupper():  # TLS, for instance
            writer.write(answer(status="400 Bad Request"))
            return False
        head = begin + await reader.readuntil(b"\r\n\r\n")
        target = head.split(b" ", 2)[1].decode()
        self.log.append(target)
        request = Request(self, target, head, reader, writer, number)
        if head.startswith(b"CONNECT "):
            return await self._tunnel(request)
        if self.web:
            return await self._answer_for_host(request)
        path = urlsplit(target).path
        if path in self.answers or path in ANSWERS:
            await request.send(self.answers[path] if path in self.answers else ANSWERS[path]())
            return False
        return await MISDEEDS.get(path, page)(request)

    async def _answer_for_host(self, request: Request) -> bool:
        name = request.head.partition(b"\r\nHost: ")[2].partition(b"\r\n")[0].decode()
        visitor = Visitor(name, time.monotonic())
        self.asked.append(name + request.target)
        self.requests.append(visitor)
        path = urlsplit(request.target).path
        found = self.web.get(name + request.target) or self.web.get(f"{name}/*")
        found = found or MISDEEDS.get(path)
        try:
            if found is None and path in ANSWERS:
                await request.send(ANSWERS[path]())
                return False
            found = found or self.web.get("*")
            if callable(found):
                return await found(request)
            await request.send(found or missing())
            return True
        finally:
            visitor.ended = time.monotonic()

    async def _tunnel(self, request: Request) -> bool:
        """A proxy for https, to one server whatever host is asked for; or to none."""
        if not self.tunnel_to:
            await request.send(answer(b"", status="403 Forbidden"))
            return False
        reader, writer = await asyncio.open_connection("127.0.0.1", self.tunnel_to)
        try:
            await request.send(b"HTTP/1.1 200 Connection established\r\nX-Proxy: 1\r\n\r\n")
            await asyncio.gather(_pump(request.reader, writer), _pump(reader, request.writer))
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()
        return False


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


@contextmanager
def hostile_thread() -> Iterator[Hostile]:
    """A hostile server with a thread and an event loop of its own."""
    server, ready, over = Hostile(), threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with server:
            ready.set()
            await over.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    ready.wait()
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()
