"""The program of the processes that read pages: `python -m wolfspider.webs.live.parser_child`.

Requests and replies are framed by lengths. It ends when its parent hangs up.
"""

from __future__ import annotations

import resource
import signal
import socket
import struct
import sys
from collections.abc import Sequence
from contextlib import suppress

from wolfspider.pages import parse
from wolfspider.records import Headers, Response
from wolfspider.webs.decoding import payload
from wolfspider.webs.folder import pack_page

REQUEST = struct.Struct("<III")  # status, bytes of url and headers, bytes of the body
REPLY = struct.Struct("<5I")  # bytes of page, text, links, problem and damage
READY = REPLY.pack(0, 0, 0, 0, 0)  # what a child says first
ROOM = 256 << 10  # bytes of a buffer that most replies fit in
_HEADERS = frozenset(("content-type", "content-encoding", "transfer-encoding", "x-robots-tag"))


def written(url: str, headers: Headers) -> bytes:
    """URL, names and values in turn; there is no control character in any of them."""
    parts = [part for name, value in headers if name in _HEADERS for part in (name, value)]
    return "\0".join([url, *parts]).encode("utf-8", "surrogatepass")


def read_back(about: bytes) -> tuple[str, Headers]:
    url, *parts = about.decode("utf-8", "surrogatepass").split("\0")
    return url, tuple(zip(parts[::2], parts[1::2], strict=False))


def main(arguments: Sequence[str]) -> None:
    """Parse what comes in until the parent hangs up."""
    seconds, memory, inflated, descriptor = map(int, arguments)
    for number in (signal.SIGINT, signal.SIGTERM):  # the parent may still want its pages
        signal.signal(number, signal.SIG_IGN)
    _bound(resource.RLIMIT_CORE, 0)
    _bound(resource.RLIMIT_AS, memory)
    with socket.socket(fileno=descriptor) as parent, suppress(ConnectionError):
        _serve(parent, seconds, memory, inflated)


def _bound(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    with suppress(ValueError, OSError):  # not every system can
        resource.setrlimit(what, (most, most))


def _serve(parent: socket.socket, seconds: int, memory: int, inflated: int) -> None:
    parent.sendall(READY)
    requests = parent.makefile("rb", ROOM)
    while len(head := requests.read(REQUEST.size)) == REQUEST.size:
        status, about_size, size = REQUEST.unpack(head)
        about, body = requests.read(about_size), requests.read(size)
        if len(body) < size:
            return
        signal.alarm(2 * seconds + 1)  # a parent that died cannot end us when a page has no end
        url, headers = read_back(about)
        reply = _reply(url, status, headers, body, memory, inflated)
        signal.alarm(0)
        parent.sendall(reply)


def _reply(
    url: str, status: int, headers: Headers, body: bytes, memory: int, inflated: int
) -> bytes:
    damage = ""
    try:
        decoded = payload(headers, body, inflated)
        damage = decoded.damage
        page = parse(Response(url, status, headers, decoded.data))
        return _packed(pack_page(page), page.raw_text, page.links.buffer, "", damage)
    except MemoryError:
        problem = f"parsing needed more than {memory >> 20} MB"
    except Exception as error:  # a fault of ours; the pages that follow are not to blame
        problem = f"the parser failed: {type(error).__name__}"
    return _packed(b"", b"", b"", problem, damage)


def _packed(page: bytes, text: bytes, links: bytes, problem: str, damage: str) -> bytes:
    parts = (page, text, links, problem.encode(), damage.encode("utf-8", "replace"))
    return b"".join([REPLY.pack(*map(len, parts)), *parts])


if __name__ == "__main__":
    main(sys.argv[1:])
