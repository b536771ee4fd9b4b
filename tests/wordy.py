"""Pages and links made by hand, with given words."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from wolfspider.records import BAGS, Links
from wolfspider.text import term_ids
from wolfspider.urls import fingerprints, host

Words = Mapping[str, Mapping[str, str]]


def wordy(rows: Words) -> Links:
    """Links with given words: `{url: {"anchor": "…", "context": "…"}}`."""
    bags = [term_ids(words.get(name, "")) for words in rows.values() for name in BAGS]
    hosts = list(dict.fromkeys(map(host, rows)))
    return Links.pack(
        fingerprints(list(rows)),
        [f"{url}\n".encode() for url in rows],
        hosts,
        np.array([hosts.index(host(url)) for url in rows]),
        np.zeros(len(rows)),
        np.zeros(len(rows)),
        np.cumsum([0, *map(len, bags)]),
        np.concatenate(bags),
    )
