"""When things happen at a news site: mostly by day, and on workdays more than on Sundays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wolfspider.webs.synthetic.news import BACKLOG, DAY, NewsSite

Times = NDArray[np.int64]  # whole seconds since 1970

HOURS = (2, 1, 1, 1, 2, 4, 7, 10, 12, 13, 13, 12, 11, 12, 12, 13, 12, 11, 9, 8, 7, 6, 4, 3)
WEEK = (1.15, 1.2, 1.2, 1.15, 1.1, 0.65, 0.55)  # Monday first; one on average
MOST_UPDATES = 5
PAUSE = 5400.0  # seconds between two updates, on average
SHORTEST_PAUSE = 120
VANISHES = (1.0, 6.0)  # days after it appeared
NEVER = np.iinfo(np.int64).max


def publications(site: NewsSite) -> Times:
    """When each article appears, in order: a Poisson process with a rate for each hour."""
    rng = site.rng("times")
    hours = np.arange(site.begin - BACKLOG * DAY, site.end, 3600)
    weekday = (hours // DAY + 3) % 7  # 1970 began on a Thursday
    share = np.array(HOURS)[hours % DAY // 3600] / sum(HOURS)
    counts = rng.poisson(site.articles_per_day * np.array(WEEK)[weekday] * share)
    times = np.repeat(hours, counts) + rng.integers(3600, size=int(counts.sum()))
    return np.sort(times)


def endings(site: NewsSite, published: Times) -> Times:
    """When each article vanishes; NEVER for those that stay."""
    rng = site.rng("endings")
    after = (rng.uniform(*VANISHES, len(published)) * DAY).astype(np.int64)
    goes = rng.random(len(published)) < site.vanishing
    times = np.where(goes, published + after, NEVER)
    return np.where(times < site.end, times, NEVER)


def update_times(site: NewsSite, published: Times, gone: Times) -> list[list[int]]:
    """When each article is updated: up to five times, most in the first hours."""
    rng = site.rng("updates")
    counts = rng.binomial(MOST_UPDATES, site.updates, len(published))
    pauses = rng.exponential(PAUSE, (len(published), MOST_UPDATES)).astype(np.int64)
    times = published[:, None] + np.cumsum(pauses + SHORTEST_PAUSE, axis=1)
    last = np.minimum(gone, site.end)
    rows = zip(times.tolist(), counts.tolist(), last.tolist(), strict=True)
    return [[time for time in row[:count] if time < end] for row, count, end in rows]
