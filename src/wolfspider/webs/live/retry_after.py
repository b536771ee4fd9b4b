"""How long a server asks us to stay away: the Retry-After header."""

from __future__ import annotations

import math
import re
from datetime import UTC
from email.utils import parsedate_to_datetime

LONGEST = 3600.0  # seconds; who asks for more is asked again after an hour

_SECONDS = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,6})?")


def retry_after(header: str, now: float, longest: float = LONGEST) -> float | None:
    """Seconds to wait, 0…`longest`, or None when the header says nothing that can be read.

    `now` is wall time, the one clock an HTTP date can be compared with; better than ours is
    the Date header of the same answer. A date that has passed means 0. Fractions of a second,
    which RFC 9110 does not know, are taken as they are meant.

    >>> retry_after("120", now=0.0), retry_after("Thu, 01 Jan 1970 00:02:00 GMT", now=90.0)
    (120.0, 30.0)
    >>> retry_after("soon", now=0.0) is None
    True
    """
    text = header.strip()[:64]
    if _SECONDS.fullmatch(text):
        return min(float(text), longest)
    moment = http_date(text)
    return None if moment is None else min(max(moment - now, 0.0), longest)


def http_date(text: str) -> float | None:
    """Seconds since 1970 of an HTTP date, in any of its three spellings."""
    try:
        found = parsedate_to_datetime(text)
        moment = found.replace(tzinfo=found.tzinfo or UTC).timestamp()
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return moment if math.isfinite(moment) else None
