"""What one page costs with each HTTP client: pages a second, and CPU milliseconds a page.

    python -m benchmarks.clients [--pages 5000] [--at-once 16] [--rounds 3]

A server process on loopback sends pages of 40 KB, gzip or plain, on connections that stay open.
Each client runs in a process of its own, and the rounds take turns. Ours is measured with all
it does: guard, limits, exact bytes. The peers are measured where they are installed:
pycurl's own asyncio wrapper, and aiohttp; each also on uvloop, if that is there.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import multiprocessing
import random
import time
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from multiprocessing.connection import Connection
from statistics import median
from typing import Any

from benchmarks.measure import apart, report

SIZE = 40_000
LOOPS = ("asyncio", "uvloop")
Get = Callable[[str], Awaitable[int]]  # fetches a page, returns its size after decoding


def page() -> bytes:
    """Text that compresses about as well as pages do."""
    choose = random.Random(1)
    words = ["".join(choose.choices("etaoinshrdlu", k=2 + number % 7)) for number in range(2000)]
    frequent = [1 / (1 + rank) for rank in range(len(words))]
    link = '<li class="item"><a href="/{0}/{1}.html">{0} {1}</a> {2}</li>\n'
    lines = [link.format(*choose.choices(words, frequent, k=3)) for _ in range(SIZE // 40)]
    return "".join(["<html><body><ul>", *lines]).encode().ljust(SIZE)[:SIZE]


class Pages(asyncio.Protocol):
    """Answers whatever is asked with the same bytes."""

    def __init__(self, sent: bytes) -> None:
        self._sent = sent

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport

    def data_received(self, data: bytes) -> None:
        for _ in range(data.count(b"\r\n\r\n")):
            self._transport.write(self._sent)


def serve(ready: Connection, packed: bool) -> None:
    body = gzip.compress(page(), 6) if packed else page()
    coding = "Content-Encoding: gzip\r\n" if packed else ""
    head = (
        "HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Sun, 01 Nov 2026 00:00:00 GMT\r\n"
        "Content-Type: text/html; charset=utf-8\r\nLast-Modified: Sat, 31 Oct 2026 00:00:00 GMT\r\n"
        f'ETag: "67234500-9c40"\r\nVary: Accept-Encoding\r\n{coding}'
        f"Content-Length: {len(body)}\r\nConnection: keep-alive\r\n\r\n"
    )

    async def run() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Pages(head.encode() + body), "127.0.0.1", 0)
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


async def with_ours(work: Callable[[Get], Awaitable[None]]) -> None:
    from wolfspider.webs.decoding import payload
    from wolfspider.webs.live.client import Client
    from wolfspider.webs.live.guard import Guard
    from wolfspider.webs.live.limits import Limits

    limits = Limits()
    guard = Guard(frozenset({"127.0.0.1"}))
    async with Client("benchmark/1.0", limits=limits, guard=guard) as client:

        async def get(url: str) -> int:
            exchange = await client.get(url)
            return len(payload(exchange.headers, exchange.body, limits.inflated).data)

        await work(get)


async def with_pycurl(work: Callable[[Get], Awaitable[None]]) -> None:
    """The wrapper that comes with pycurl, a new handle for each page, decoded by libcurl."""
    import pycurl

    async with pycurl.AsyncCurlMulti() as multi:

        async def get(url: str) -> int:
            parts: list[bytes] = []
            head: list[bytes] = []
            curl = pycurl.Curl()
            curl.setopt(pycurl.URL, url)
            curl.setopt(pycurl.ACCEPT_ENCODING, "gzip")
            curl.setopt(pycurl.WRITEFUNCTION, parts.append)
            curl.setopt(pycurl.HEADERFUNCTION, head.append)
            await multi.perform(curl)
            curl.close()
            return len(b"".join(parts))

        await work(get)


async def with_aiohttp(work: Callable[[Get], Awaitable[None]]) -> None:
    import aiohttp

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def get(url: str) -> int:
            async with session.get(url, allow_redirects=False) as answer:
                return len(await answer.read())

        await work(get)


CLIENTS: dict[str, Callable[[Callable[[Get], Awaitable[None]]], Awaitable[None]]] = {
    "ours": with_ours,
    "pycurl": with_pycurl,
    "aiohttp": with_aiohttp,
}


def measure(name: str, loop: str, port: int, pages: int, at_once: int) -> None:
    """Fetch, and print wall and CPU seconds as JSON."""
    clocks: dict[str, float] = {}

    async def work(get: Get) -> None:
        async def fetch(count: int) -> None:
            for number in range(count):
                assert await get(f"http://127.0.0.1:{port}/page/{number}") == SIZE

        await asyncio.gather(*(fetch(5) for _ in range(at_once)))  # warm up
        wall, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(fetch(pages // at_once) for _ in range(at_once)))
        clocks.update(wall=time.perf_counter() - wall, cpu=time.process_time() - cpu)

    async def main() -> None:
        await CLIENTS[name](work)

    if loop == "uvloop":
        import uvloop

        uvloop.run(main())
    else:
        asyncio.run(main())
    print(json.dumps(clocks))


def installed() -> list[tuple[str, str]]:
    needs = {"ours": "pycurl", "pycurl": "pycurl", "aiohttp": "aiohttp"}
    loops = [loop for loop in LOOPS if find_spec(loop)]
    return [(name, loop) for name in CLIENTS for loop in loops if find_spec(needs[name])]


def compare(options: argparse.Namespace, packed: bool) -> None:
    ready, sender = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(sender, packed), daemon=True)
    server.start()
    port = ready.recv()
    pages = options.pages // options.at_once * options.at_once
    clocks: dict[tuple[str, str], list[dict[str, float]]] = {each: [] for each in installed()}
    for _ in range(options.rounds):
        for (name, loop), found in clocks.items():
            arguments = [name, loop, str(port), str(pages), str(options.at_once)]
            found.append(apart("benchmarks.clients", "--one", *arguments))
    server.terminate()
    for (name, loop), found in clocks.items():
        label = f"client {name} on {loop}, {'gzip' if packed else 'plain'}"
        speed = pages / median(each["wall"] for each in found)
        cost = 1000 * median(each["cpu"] for each in found) / pages
        report(label, "pages/s", value=round(speed, 1))
        report(label, "CPU ms/page", value=round(cost, 3))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=5000)
    parser.add_argument("--at-once", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        name, loop, port, pages, at_once = options.one
        measure(name, loop, int(port), int(pages), int(at_once))
        return
    for packed in (True, False):
        compare(options, packed)


if __name__ == "__main__":
    main()
