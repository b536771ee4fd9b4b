"""How long an answer may take and how much of it is taken in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Times in seconds, sizes in bytes. Nothing that a server does costs more than this."""

    connect: float = 10.0  # name, connection and TLS together
    first_byte: float = 20.0  # from the request to the first byte of the answer
    total: float = 60.0  # from the call to the last byte
    min_rate: float = 50.0  # bytes a second, on average over `rate_window`
    rate_window: float = 20.0
    header: int = 64 << 10  # status lines and headers, those of 1xx answers too
    body: int = 8 << 20  # as sent, before any decoding
    inflated: int = 16 << 20  # after decoding
