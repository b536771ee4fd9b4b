"""The server: a port on loopback."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from errno import EADDRINUSE

from wolfspider.errors import BadInput
from wolfspider.webs.serving.connection import Clients, Connection
from wolfspider.webs.serving.counter import Counter, Settings
from wolfspider.webs.serving.index import Index

LOOPBACK = "127.0.0.1"  # nobody else is to take a recording for the real thing
_BACKLOG = 1024


@asynccontextmanager
async def serving(index: Index, settings: Settings) -> AsyncIterator[int]:
    """Serve while entered; gives the port. `BadInput` if it cannot be had."""
    counter = Counter(index, settings)
    clients = Clients(counter)
    loop = asyncio.get_running_loop()
    try:
        server = await loop.create_server(
            lambda: Connection(clients), LOOPBACK, settings.port, backlog=_BACKLOG
        )
    except OSError as error:
        raise BadInput(_no_port(settings.port, error)) from error
    counter.port = server.sockets[0].getsockname()[1]
    try:
        yield counter.port
    finally:
        for each in server.sockets:
            loop.remove_reader(each)  # or one accepted in the last moment would find no server
        await clients.hang_up()
        server.close()
        await server.wait_closed()


def _no_port(port: int, error: OSError) -> str:
    if error.errno == EADDRINUSE:
        return f"port {port} is taken by another program; give another --port, or 0 for a free one"
    reason = os.strerror(error.errno) if error.errno else str(error)
    return f"cannot listen on port {port}: {reason}; give another --port, or 0 for any"
