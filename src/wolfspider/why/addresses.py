"""Which link of a hunt a person means."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from wolfspider.store.reading import HuntReader
from wolfspider.urls import canonical, host, readings

_CANDIDATES = 3000  # URLs that are compared with one that is not there
_SUGGESTED = 3
_ALIKE = 0.75  # as difflib has it: a misspelt address, and not another host of the same web


def steps_of(reader: HuntReader, addresses: Iterable[str]) -> dict[str, int]:
    """For each address that the hunt has been to, the step at which; the best of several.

    As the link that was followed, as the page that it led to, or as a redirect on the way.
    """
    found = {}
    for address in addresses:
        row = reader.db.execute(
            "SELECT step FROM pages WHERE url = ?1 OR link = ?1 "
            "ORDER BY error != '', link != ?1, step LIMIT 1",
            (address,),
        ).fetchone()
        row = (
            row
            or reader.db.execute(
                "SELECT step FROM captures WHERE url = ? ORDER BY id LIMIT 1", (address,)
            ).fetchone()
        )
        if row is not None:
            found[address] = int(row["step"])
    return found


def close_to(reader: HuntReader, text: str, more: Iterable[str] = ()) -> list[str]:
    """Addresses of the hunt that look like one that is not there, the closest first.

    `more` are addresses that no visit has; those of the same host come before all others.
    """
    wanted = readings(text)[-1]
    place = wanted.partition("://")[2]
    inside, near = f"%{_escaped(text.strip())}%", f"%://{_escaped(host_of(wanted))}/%"
    known = dict.fromkeys(more)
    for pattern in (inside, near, "%"):
        query = r"SELECT url FROM pages WHERE url LIKE ? ESCAPE '\' ORDER BY step LIMIT ?"
        known |= dict.fromkeys(row["url"] for row in reader.db.execute(query, (pattern, 1000)))
    places = {url.partition("://")[2]: url for url in list(known)[:_CANDIDATES]}
    containing = [url for each, url in places.items() if text.strip() in each]
    alike = difflib.get_close_matches(place, places, _SUGGESTED, _ALIKE)
    chosen = [*(places[each] for each in alike), *containing]
    return list(dict.fromkeys(chosen))[:_SUGGESTED]


def host_of(address: str) -> str:
    """The host of an address, or nothing."""
    return host(address) if canonical(address) else ""


def _escaped(text: str) -> str:
    for sign in "\\%_":
        text = text.replace(sign, f"\\{sign}")
    return text
