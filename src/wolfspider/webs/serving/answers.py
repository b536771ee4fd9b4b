"""What is sent back: a recorded answer, or a sentence about why there is none."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from email.utils import formatdate
from http import HTTPStatus

from wolfspider.records import Headers
from wolfspider.webs.decoding import payload
from wolfspider.webs.importers.http_message import Message, split_message
from wolfspider.webs.importers.warc_records import Record

# They speak of the connection on which the answer was recorded.
_NAMES = """
connection keep-alive proxy-authenticate proxy-authentication-info proxy-authorization
proxy-connection te trailer trailers transfer-encoding upgrade content-length
"""
_OF_THE_CONNECTION = frozenset(_NAMES.split())
_WITHOUT_BODY = (204, 304)
_MOST = 256 << 20  # bytes of a body when unpacked; one that is larger is sent as it came
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_REASON = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})[ \t]+([^\r\n]*)")

Fields = Iterable[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Answer:
    """Ready to send: `head`, fields of the connection, an empty line, `body`."""

    status: int
    head: bytes  # status line and fields, each with its line end
    body: bytes

    @classmethod
    def of(cls, status: int, reason: str, fields: Fields, body: bytes) -> Answer:
        bare = status in _WITHOUT_BODY
        lines = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {value}" for name, value in fields)]
        lines += [] if bare else [f"Content-Length: {len(body)}"]
        return cls(status, "\r\n".join([*lines, ""]).encode(), b"" if bare else body)


def recorded(record: Record, date: float = 0.0) -> Answer:
    """A record's answer, decoded, with the status and the fields it was recorded with.

    One field is added, the date of the capture, if it has one (RFC 7089).
    """
    when = [("memento-datetime", formatdate(date, usegmt=True))] if date > 0 else []
    if record.fields.get("warc-type", "").lower() == "resource":
        kind = record.fields.get("content-type", "") or "application/octet-stream"
        return Answer.of(200, "OK", _kept([("content-type", kind), *when]), record.block)
    message = split_message(record.block)
    status = message.status or 200
    fields, body = _unpacked(message)
    return Answer.of(status, _reason(record.block, status), _kept([*fields, *when]), body)


def _unpacked(message: Message) -> tuple[Headers, bytes]:
    """Without the content encoding, which a client may not know; if it can be undone."""
    chunks = tuple(field for field in message.fields if field[0] == "transfer-encoding")
    body = payload(chunks, message.body, _MOST).data
    codings = tuple(field for field in message.fields if field[0] == "content-encoding")
    plain = payload(codings, body, _MOST)
    if codings and plain.damage:
        return message.fields, body
    return tuple(field for field in message.fields if field not in codings), plain.data


def explained(status: HTTPStatus, sentence: str, *fields: tuple[str, str]) -> Answer:
    """A page that says in a sentence what is wrong."""
    title, text = f"{status} {status.phrase}", html.escape(sentence)
    body = f"<!DOCTYPE html>\n<title>{title}</title>\n<h1>{title}</h1>\n<p>{text}</p>\n"
    kind = ("Content-Type", "text/html; charset=utf-8")
    return Answer.of(status, status.phrase, [kind, *fields], body.encode())


def _kept(fields: Fields) -> list[tuple[str, str]]:
    """The fields that can be sent again, in their order and safe to send."""
    fields = list(fields)
    named = {
        name.strip().lower()
        for key, value in fields
        if key == "connection"
        for name in value.split(",")
    }
    dropped = _OF_THE_CONNECTION | named
    return [
        ("-".join(part.capitalize() for part in name.split("-")), _CONTROL.sub(" ", value))
        for name, value in fields
        if name not in dropped and _NAME.fullmatch(name)
    ]


def _reason(block: bytes, status: int) -> str:
    """The words behind the status code as they were recorded, or else as they should be."""
    found = _REASON.match(block)
    if found and int(found[1]) == status:
        return _CONTROL.sub(" ", found[2].decode("latin-1")).encode("ascii", "replace").decode()
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
