"""How fast a crawl goes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from wolfspider.errors import BadInput
from wolfspider.webs.live.retry_after import LONGEST


@dataclass(frozen=True)
class Pace:
    """How fast we ask, and how patient we are. All but the counts and the share are seconds."""

    delay: float = 1.0  # between an answer of a host and the next request to it
    address_delay: float = 0.25  # between requests to one IP address, whatever the host
    connections_per_host: int = 1
    first_backoff: float = 5.0  # after a failure; doubles with each one more in a row
    longest_backoff: float = 600.0
    longest_retry_after: float = LONGEST
    jitter: float = 0.1  # waits after failures grow by up to this share, so that herds scatter
    give_up_after: int = 5  # failures in a row
    try_again_after: float = 3600.0  # a host that was given up

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (math.isfinite(value) and value >= 0):
                raise BadInput(f"{_option(name)} must be a number from 0 on, not {value}")
        for name in ("connections_per_host", "give_up_after"):
            if (count := getattr(self, name)) < 1:
                raise BadInput(f"{_option(name)} must be at least 1, not {count}")


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
