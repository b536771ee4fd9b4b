"""What came of a watch, in the numbers of Palotai et al. (table 1), over windows of three hours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wolfspider.records import Floats
from wolfspider.watching.changes import RecordedChanges
from wolfspider.watching.simulation import Log

WINDOW = 3 * 3600.0


@dataclass(frozen=True)
class Measured:
    """Totals, means over windows, and curves with one value for each window."""

    totals: dict[str, float]
    windows: Floats  # when each ends
    curves: dict[str, Floats]


def measure(log: Log, web: RecordedChanges, window: float = WINDOW) -> Measured:
    """Counts at the end; efficiencies, freshness and age as means over windows.

    The last window ends with the watch, so it may be shorter. A download that was under way at
    the end does not count.
    """
    times, addresses = log.downloads()
    sent_at, documents, relevant = log.sent()
    addresses, times = addresses[times <= log.end], times[times <= log.end]
    in_time = sent_at <= log.end
    sent_at, documents, relevant = sent_at[in_time], documents[in_time], relevant[in_time]
    found_at, found = sent_at[relevant], documents[relevant] - 1
    edges = _edges(log.begin, log.end, window)
    downloaded, sent, news = (
        np.histogram(when, edges)[0].astype(float) for when in (times, sent_at, found_at)
    )
    ends = edges[1:]
    fresh, age = _freshness(found_at, found, ends, web)
    curves = {
        "downloaded": downloaded,
        "sent": sent,
        "relevant": news,
        "download_efficiency": news / np.maximum(downloaded, 1),
        "sent_efficiency": np.divide(news, sent, out=np.full(len(sent), np.nan), where=sent > 0),
        "freshness": fresh,
        "age_hours": age / 3600,
    }
    urls = len(np.unique(addresses))
    totals = {
        "downloaded": float(len(times)),
        "sent": float(len(sent_at)),
        "relevant": float(len(found)),
        "found_urls": float(urls),
        "relative_found_urls": urls / max(len(times), 1),
        "delay_hours": _delay(found_at, found, web) / 3600,
    }
    totals |= {name: _mean(curves[name]) for name in list(curves)[3:]}
    return Measured(totals, ends, curves)


def _edges(begin: float, end: float, window: float) -> Floats:
    """The begin, every whole window after it that is before the end, and the end."""
    edges = begin + window * np.arange(np.ceil((end - begin) / window))
    return np.append(edges[edges < end], end)


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def _delay(found_at: Floats, found: NDArray[np.int64], web: RecordedChanges) -> float:
    """How long after its appearance a document was found, on average."""
    since = web.lifetimes[0][found]
    return float((found_at - since).mean()) if len(found) else float("nan")


def _freshness(
    found_at: Floats, found: NDArray[np.int64], moments: Floats, web: RecordedChanges
) -> tuple[Floats, Floats]:
    """Which share of what was found is still what its address holds, and how long it is not.

    Freshness and age of Cho & Garcia-Molina: a document that was replaced or removed is as old as
    that is ago.
    """
    until = web.lifetimes[1][found]
    fresh, age = np.full((2, len(moments)), np.nan)
    for at, moment in enumerate(moments.tolist()):
        here = until[found_at <= moment]
        if len(here):
            fresh[at] = float((here > moment).mean())
            age[at] = float(np.maximum(moment - here, 0).mean())
    return fresh, age
