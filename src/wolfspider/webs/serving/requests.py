"""Requests as they come over the wire: GET, HEAD and CONNECT, without a body, HTTP/1.0 and 1.1."""

from __future__ import annotations

import re
from dataclasses import dataclass
from http import HTTPStatus
from string import printable
from urllib.parse import quote

MOST_HEAD = 64 << 10  # bytes

_END = re.compile(rb"\r?\n\r?\n")
_TOKEN = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_FIRST = re.compile(rb"(" + _TOKEN + rb") ([\x21-\x7e\x80-\xff]+) HTTP/1\.([01])")
_FIELD = re.compile(rb"(" + _TOKEN + rb"):[ \t]*([^\x00\r\n]*?)[ \t]*")
_HOST = re.compile(r"(?:(?![/?#@\\])[!-~])+")
_PORT = re.compile(r":[0-9]+$")
_TUNNEL = re.compile(r"((?:(?![/?#@\\:])[!-~])+|\[[0-9a-f:.]+\]):([0-9]{1,5})", re.IGNORECASE)
_ABSOLUTE = re.compile(r"(https?)://([^/?#]+)([^#]*)", re.IGNORECASE)


class Refused(Exception):
    """A request that gets no page, but a status and a sentence.

    `host` and `path` are what it asked for, as far as that can be read.
    """

    def __init__(self, status: HTTPStatus, sentence: str, host: str = "-", path: str = "-") -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.host = host
        self.path = path


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for. `scheme` is empty if only the host was named.

    CONNECT asks for a tunnel to `host`, in which https is spoken, or http if the port is 80.
    """

    method: str
    scheme: str
    host: str  # in lower case, maybe with a port; see `name`
    path: str  # and query, in ASCII
    old: bool  # HTTP/1.0
    keeps: bool  # the connection is to stay open afterwards


def name(host: str) -> str:
    """A host without its port."""
    return _PORT.sub("", host)


def cut_request(buffer: bytearray) -> bytes | None:
    """Take the head of the next request out of the buffer; None if it is not all there yet.

    Raises `Refused` for a head that is too long and for what will never be one.
    """
    if buffer.startswith((b"\r", b"\n")):  # some clients send an empty line after a body
        del buffer[: len(buffer) - len(buffer.lstrip(b"\r\n"))]
    if not buffer:
        return None
    if not re.match(_TOKEN, buffer):  # TLS, for example, would wait for an answer for ever
        raise Refused(HTTPStatus.BAD_REQUEST, "this is not an HTTP request")
    found = _END.search(buffer, 0, MOST_HEAD)
    if found is None:
        if len(buffer) < MOST_HEAD:
            return None
        raise Refused(
            HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
            f"the request is longer than {MOST_HEAD:,} bytes",
        )
    head = bytes(buffer[: found.start()])
    del buffer[: found.end()]
    return head


def read_request(head: bytes) -> Request:
    """The request with this head; `Refused` if it has a mistake or asks for something else."""
    first, *rest = head.replace(b"\r\n", b"\n").split(b"\n")
    line = _FIRST.fullmatch(first)
    if line is None:
        raise Refused(HTTPStatus.BAD_REQUEST, "the first line is not METHOD TARGET HTTP/1.1")
    method, fields = line[1].decode(), _fields(rest)
    target = quote(line[2], safe=printable)  # bytes that are not ASCII get escapes
    _check_method(method, fields.get("host", ""), target)
    if fields.get("content-length", "0") != "0" or "transfer-encoding" in fields:
        raise Refused(HTTPStatus.BAD_REQUEST, f"a {method} request has no body here")
    old = line[3] == b"0"
    if method == "CONNECT":
        scheme, host, path = _tunnel(target)
    else:
        scheme, host, path = _address(target, fields.get("host", ""))
    options = {word.strip() for word in _connection(fields).lower().split(",")}
    keeps = "close" not in options and (not old or "keep-alive" in options)
    return Request(method, scheme, host.lower(), path, old, keeps)


def _fields(lines: list[bytes]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for line in lines:
        found = _FIELD.fullmatch(line)
        if found is None:
            raise Refused(HTTPStatus.BAD_REQUEST, "a header line is not NAME: VALUE")
        name, value = found[1].decode().lower(), found[2].decode("latin-1")
        if name == "host" and name in fields:
            raise Refused(HTTPStatus.BAD_REQUEST, "the request has more than one Host")
        fields[name] = f"{fields[name]}, {value}" if name in fields else value
    return fields


def _check_method(method: str, host: str, target: str) -> None:
    if method in ("GET", "HEAD", "CONNECT"):
        return
    sentence = f"a recording takes GET and HEAD, not {method}"
    host = host.lower() if _HOST.fullmatch(host) else "-"
    raise Refused(HTTPStatus.METHOD_NOT_ALLOWED, sentence, host, target)


def _tunnel(target: str) -> tuple[str, str, str]:
    """What a tunnel is for; its path is empty."""
    found = _TUNNEL.fullmatch(target)
    if found is None:
        raise Refused(HTTPStatus.BAD_REQUEST, "a tunnel needs a target like www.example.org:443")
    scheme = "http" if found[2] == "80" else "https"
    return scheme, (found[1] if found[2] in ("80", "443") else target), ""


def _address(target: str, host: str) -> tuple[str, str, str]:
    """Scheme, host and path, of `/path` with a Host header or of a full URL."""
    if target.startswith("/"):
        scheme, path = "", target
    elif full := _ABSOLUTE.fullmatch(target):
        scheme, host, path = full[1].lower(), full[2].rpartition("@")[2], full[3]
        path = path if path.startswith("/") else f"/{path}"
    else:
        raise Refused(HTTPStatus.BAD_REQUEST, "the target is neither a path nor an http:// URL")
    if not _HOST.fullmatch(host):
        raise Refused(HTTPStatus.BAD_REQUEST, "the request names no host: it needs a Host header")
    return scheme, host, path


def _connection(fields: dict[str, str]) -> str:
    return fields.get("connection", "") or fields.get("proxy-connection", "")
