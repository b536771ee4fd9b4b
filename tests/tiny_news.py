"""A tiny changing web, made by hand."""

from __future__ import annotations

import numpy as np

from wolfspider.records import Floats
from wolfspider.watching.records import Snapshot

HOUR = 3600.0
DAY = 24 * HOUR


def page(
    address: int,
    links: tuple[int, ...] = (),
    *,
    document: int | None = None,
    published: float = -10 * DAY,
    state: tuple[float, ...] = (0.0, 0.0),
) -> Snapshot:
    """A page that is old news, unless told otherwise."""
    number = 1000 + address if document is None else document
    about: Floats = np.array(state)
    return Snapshot(address, number, published, np.array(links, np.uint64), about)
