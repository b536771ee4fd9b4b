"""An HTTP answer as it came over the wire: status, header fields and the body behind them.

Archives hold what servers sent and what recorders made of it, such as headers without end.
Whatever can be read is read; nothing here raises.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from wolfspider.records import Headers
from wolfspider.webs.decoding import payload

MOST = 16 << 20  # bytes of a body after decoding; more is cut off

_END = re.compile(rb"\r?\n\r?\n")
_STATUS = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})(?!\d)")


@dataclass(frozen=True, slots=True)
class Message:
    """An answer. `status` 0 means that it does not begin like one."""

    status: int
    fields: Headers  # names in lower case
    body: bytes  # of `read_message`: without chunks and without content encoding

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.fields if key == name]

    def first(self, name: str) -> str:
        return next(iter(self.all(name)), "")


def read_message(data: bytes) -> Message:
    """The answer in these bytes; those that announce another (100 Continue) are passed over."""
    message = split_message(data)
    return replace(message, body=payload(message.fields, message.body, MOST).data)


def split_message(data: bytes) -> Message:
    """The same, with the body as it came."""
    while True:
        found = _STATUS.match(data)
        end = _END.search(data)
        head, rest = (data[: end.start()], data[end.end() :]) if end else (data, b"")
        status = int(found[1]) if found else 0
        if 100 <= status < 200 and _STATUS.match(rest):
            data = rest
            continue
        fields = header_fields(head) if found else ()
        return Message(status, fields, rest if found else b"")


def header_fields(head: bytes) -> Headers:
    """Names in lower case, and values, of a block whose first line is something else."""
    fields: list[tuple[str, str]] = []
    for line in text_of(head).replace("\r\n", "\n").split("\n")[1:]:
        name, colon, value = line.partition(":")
        if line[:1] in (" ", "\t") and fields:  # the value before goes on
            fields[-1] = (fields[-1][0], f"{fields[-1][1]} {line.strip()}")
        elif colon:
            fields.append((name.strip().lower(), value.strip()))
    return tuple(fields)


def text_of(data: bytes) -> str:
    """Header bytes as text: UTF-8, as browsers read it, or else Latin-1."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")
