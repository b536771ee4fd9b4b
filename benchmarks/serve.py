"""A web folder over HTTP: requests a second that the server answers on one core.

    python -m benchmarks.serve [--requests 6000] [--repeats 3]

The server runs in a process of its own. Clients on kept-open connections ask for every page of
the web in turn, first as a proxy for http, then through TLS tunnels. What counts is the
processor time of the server, so that the clients on the other core do not matter.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.measure import Clock, rates, report
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.recorded import RecordedWeb
from wolfspider.webs.synthetic import Synthetic, capture_of

AIM = 2000  # requests/s
PAGES = 3000
CONNECTIONS = 16
TICKS = 100  # of the kernel's clock, a second


@dataclass
class Server:
    """`wolfspider web serve` on a free port."""

    process: subprocess.Popen[str]
    port: int
    certificate: Path

    def cpu(self) -> float:
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS


def start(folder: Path, scratch: Path) -> Server:
    certificate = scratch / "ca.pem"
    command = [
        sys.executable,
        "-c",
        "from wolfspider.cli import main; main()",
        "web",
        "serve",
        str(folder),
        "--port",
        "0",
    ]
    command += ["--json", "--ca", str(certificate), "--seconds", "600"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout
    return Server(process, json.loads(process.stdout.readline())["port"], certificate)


async def fetch_all(server: Server, urls: Sequence[str], tunnels: bool) -> None:
    """Every URL once, over connections that each ask for their share, one after the other."""
    await asyncio.gather(
        *(_connection(server, urls[n::CONNECTIONS], tunnels) for n in range(CONNECTIONS))
    )


async def _connection(server: Server, urls: Sequence[str], tunnels: bool) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    if tunnels:
        name = urlsplit(urls[0]).hostname
        writer.write(f"CONNECT {name}:443 HTTP/1.1\r\n\r\n".encode())
        await reader.readuntil(b"\r\n\r\n")
        await writer.start_tls(
            ssl.create_default_context(cafile=str(server.certificate)), server_hostname=name
        )
    for url in urls:
        target = urlsplit(url)._replace(scheme="", netloc="").geturl() if tunnels else url
        writer.write(f"GET {target} HTTP/1.1\r\nHost: {urlsplit(url).netloc}\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        await reader.readexactly(int(head.rpartition(b"Content-Length: ")[2].split()[0]))
    writer.close()


def measured(server: Server, urls: Sequence[str], tunnels: bool) -> Clock:
    wall, cpu = time.perf_counter(), server.cpu()
    asyncio.run(fetch_all(server, urls, tunnels))
    return Clock(time.perf_counter() - wall, server.cpu() - cpu)


def run(requests: int, repeats: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "web")
        with Compiler(folder, ["generated"]) as compiler:
            for record in Synthetic(pages=PAGES, hosts=40, topics=12, seed=1).records():
                compiler.add(capture_of(record))
            compiler.finish()
        web = RecordedWeb(folder)
        urls = [web.url(number) for number in range(len(web))]
        plain = [url for url in urls if url.startswith("http:")]
        secure = max(
            ([url for url in urls if url.startswith(f"https://{host}/")] for host in _hosts(urls)),
            key=len,
        )
        server = start(folder, Path(scratch))
        try:
            for name, some, tunnels in (("http", plain, False), ("https", secure, True)):
                asked = (some * (1 + requests // len(some)))[:requests]
                clocks = [measured(server, asked, tunnels) for _ in range(repeats)]
                by_cpu = [Clock(clock.cpu, clock.cpu) for clock in clocks]
                wall = [round(requests / clock.wall) for clock in clocks]
                figures = rates(requests, by_cpu)
                report(f"serve, {name}", "requests/s", **figures, aim=AIM, on_the_wall=wall)
        finally:
            server.process.terminate()
            server.process.wait(20)


def _hosts(urls: Sequence[str]) -> set[str]:
    return {urlsplit(url).netloc for url in urls if url.startswith("https:")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--requests", type=int, default=6000)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    run(given.requests, given.repeats)


if __name__ == "__main__":
    main()
