"""What happened, in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from wolfspider.wording import lasting, percent

Standing = Mapping[str, Any]


def what_came(of: Standing) -> str:
    """How many pages, and how many of them are wanted."""
    if not of["pages"]:
        return "No page was fetched."
    if of["pages"] == 1:
        return f"1 page was fetched, and it is {'' if of['relevant'] else 'not '}relevant."
    fetched = "were fetched" if of["state"] == "stopped" else "have been fetched so far"
    relevant = f"{of['relevant']:,} of them relevant ({percent(of['harvest_rate'])})"
    return f"{of['pages']:,} pages {fetched}, {relevant}."


def how_long(of: Standing) -> str:
    """When it began and how long it took; nothing where no times were kept."""
    if not of["started"]:
        return ""
    first, last = map(datetime.fromisoformat, (of["started"], of["last_visit"]))
    began = f"The first came on {first.day} {first:%B %Y} at {first:%H:%M} UTC"
    if of["pages"] == 1:
        return f"It came{began.removeprefix('The first came')}."
    seconds = (last - first).total_seconds()
    return f"{began}, the last {lasting(seconds) + ' later' if seconds else 'in the same second'}."


def how_it_ended(of: Standing) -> str:
    if of["state"] == "running":
        return "It still runs."
    if of["state"] == "killed":
        return "It has not come to its end: it was killed, lost power or could not write."
    return f"It stopped: {of['stopped']}."
