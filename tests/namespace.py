"""Stories that need names and addresses of their own: run in a network namespace, as JSON.

    unshare --map-root-user --mount --net python tests/namespace.py resolv.conf

There `lo` also has a public address, and the name server is ours: `public.example` is at the
public address, `rebound.example` first there and then at 127.0.0.1, `mixed.example` at both;
`missing.…` does not exist, `broken.…` fails, and `slow….` never gets an answer.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from hostile import Hostile
from wolfspider.records import Exchange
from wolfspider.webs.live.client import Client
from wolfspider.webs.live.limits import Limits
from wolfspider.webs.live.names import Names

PUBLIC, INSIDE = "93.184.216.34", "127.0.0.1"
LIMITS = Limits(connect=3.0, first_byte=3.0, total=9.0)
AT_ONCE = 1.5  # seconds: as long as a busy machine may need, and half of our patience


def furnish(resolv_conf: Path) -> None:
    """Bring `lo` up with a public address too, and make ourselves the name server."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        up, running, set_flags, set_address = 1, 64, 0x8914, 0x8916
        fcntl.ioctl(control, set_flags, struct.pack("16sH14x", b"lo", up | running))
        where = struct.pack("HH4s8x", socket.AF_INET, 0, socket.inet_aton(PUBLIC))
        fcntl.ioctl(control, set_address, struct.pack("16s16s", b"lo:1", where))
    resolv_conf.write_text("nameserver 127.0.0.1\n")
    subprocess.run(["mount", "--bind", resolv_conf, "/etc/resolv.conf"], check=True)
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))  # before anybody asks
    threading.Thread(target=serve_names, args=(server,), daemon=True).start()


def serve_names(server: socket.socket) -> None:
    """A name server of thirty lines: A records, errors and silence."""
    asked = 0
    with server:
        while True:
            query, client = server.recvfrom(512)
            end = query.index(b"\0", 12)
            name, kind = query[13 : 13 + query[12]].decode(), query[end + 1 : end + 3]
            question = query[12 : end + 5]
            if name.startswith("slow"):
                continue
            code = {"missing": 3, "broken": 2}.get(name, 0)
            addresses: list[str] = []
            if kind == b"\0\1" and not code:
                asked += name == "rebound"
                flipped = INSIDE if asked > 1 else PUBLIC
                choice = {"mixed": [INSIDE, PUBLIC], "rebound": [flipped], "public": [PUBLIC]}
                addresses = choice.get(name, [INSIDE])
            head = query[:2] + struct.pack(">BBHHHH", 0x81, 0x80 | code, 1, len(addresses), 0, 0)
            record = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 0, 4)
            records = b"".join(record + socket.inet_aton(each) for each in addresses)
            server.sendto(head + question + records, client)


async def tell(port: int) -> dict[str, Any]:
    async with Client("namespace/1.0", limits=LIMITS, names=Names(keep=0.1)) as client:

        async def get(name: str) -> Exchange:
            return await client.get(f"http://{name}.example:{port}/")

        def brief(exchange: Exchange) -> list[Any]:
            return [exchange.status, exchange.error, exchange.address]

        story: dict[str, Any] = {}
        for name in ("public", "mixed", "inside", "missing", "broken", "rebound"):
            story[name] = brief(await get(name))
        await asyncio.sleep(0.2)  # what we know of the name is no longer good
        await client.aclose()  # nor is there a connection left
        story["rebound again"] = brief(await get("rebound"))
        waiting = [asyncio.create_task(get(f"slow{number}")) for number in range(50)]
        await asyncio.sleep(0.05)
        beside = await get("public")
        story["beside slow names"] = [beside.status, beside.seconds < AT_ONCE]
        story["slow"] = sorted({exchange.error for exchange in await asyncio.gather(*waiting)})
        began = time.monotonic()
        story["slow again"] = (await get("slow0")).error
        story["slow again is told at once"] = time.monotonic() - began < AT_ONCE
        under_way = asyncio.create_task(get("slower"))
        await asyncio.sleep(0.05)
        began = time.monotonic()
    story["closed at once"] = time.monotonic() - began < AT_ONCE
    under_way.cancel()
    return story


async def main() -> None:
    async with Hostile(address="0.0.0.0") as server:
        print(json.dumps(await tell(server.port)))


if __name__ == "__main__":
    furnish(Path(sys.argv[1]))
    asyncio.run(main())
