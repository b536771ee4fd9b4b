"""A watch on a recorded web: the clock moves on by the price of each download."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wolfspider.errors import BadInput
from wolfspider.records import Fingerprints, Floats
from wolfspider.watching.changes import RecordedChanges
from wolfspider.watching.records import Watcher

COST = 1.15  # seconds a download: 600,000 in eight days, as in the paper
_IDLE = 60.0  # seconds that a watcher with nothing to do waits
_REPORT = 3600.0


@dataclass
class Log:
    """Every download and everything sent, in order."""

    begin: float
    end: float
    times: array[float] = field(default_factory=lambda: array("d"))
    addresses: array[int] = field(default_factory=lambda: array("Q"))
    sent_at: array[float] = field(default_factory=lambda: array("d"))
    documents: array[int] = field(default_factory=lambda: array("Q"))
    relevant: array[int] = field(default_factory=lambda: array("b"))

    def downloads(self) -> tuple[Floats, Fingerprints]:
        """When something was downloaded, and from where."""
        return np.array(self.times), np.array(self.addresses, np.uint64)

    def sent(self) -> tuple[Floats, NDArray[np.int64], NDArray[np.bool_]]:
        """When a document was sent, which, and whether it was news."""
        documents = np.array(self.documents, np.int64)
        return np.array(self.sent_at), documents, np.array(self.relevant, bool)


def simulate(
    watcher: Watcher, web: RecordedChanges, log: Log, cost: float = COST
) -> Iterator[float]:
    """Watch from the log's begin to its end; gives the time now and then."""
    if not cost > 0:
        raise BadInput(f"a download costs {cost:g} seconds; it must be more than 0")
    if not log.begin < log.end:
        raise BadInput("the watch ends before it begins; give a later end or an earlier begin")
    now, report = log.begin, log.begin
    while now < log.end:
        address = watcher.next(now)
        if address is None:
            now += _IDLE
            continue
        now += cost
        log.times.append(now)
        log.addresses.append(address)
        for sent in watcher.learn(address, web.at(address, now), now):
            log.sent_at.append(now)
            log.documents.append(sent.document)
            log.relevant.append(sent.relevant)
        if now >= report:
            report = now + _REPORT
            yield now
