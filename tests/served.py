"""A recording behind a server, for tests that ask it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from wolfspider.webs.serving import Index, Settings, serving


@contextmanager
def served(index: Index, settings: Settings | None = None) -> Iterator[int]:
    """A server in a thread of its own; gives the port."""
    ready, ports = threading.Event(), list[int]()
    loop = asyncio.new_event_loop()
    end = asyncio.Event()

    async def serve() -> None:
        async with serving(index, settings or Settings(port=0)) as port:
            ports.append(port)
            ready.set()
            await end.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    try:
        assert ready.wait(20)
        yield ports[0]
    finally:
        loop.call_soon_threadsafe(end.set)
        thread.join(20)
        loop.close()
        index.close()
