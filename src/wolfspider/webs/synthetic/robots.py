"""What the hosts of a generated web ask of robots.

Most forbid a directory that no page stands in, so that a polite crawler can still reach all
pages; some ask for a delay; one in ten has no robots.txt.
"""

from __future__ import annotations

from collections.abc import Iterator

from wolfspider.webs.synthetic.addresses import Addresses
from wolfspider.webs.synthetic.layout import Layout
from wolfspider.webs.synthetic.recording import Record

NONE = 0.1  # share of hosts without
DELAYED = 0.2  # share of hosts that ask for a delay
RULES = "User-agent: *\nDisallow: /private/\n"
DELAY = "Crawl-delay: 0.2\n"


def robots_files(layout: Layout, addresses: Addresses) -> Iterator[Record]:
    """A robots.txt for each host that has one, in the order of the hosts."""
    drawn = layout.shape.rng("robots").random(len(layout.home))
    for home, chance in zip(layout.home.tolist(), drawn.tolist(), strict=True):
        if chance < NONE:
            continue
        body = (RULES + (DELAY if chance < NONE + DELAYED else "")).encode()
        headers = (("Content-Type", "text/plain"), ("Content-Length", str(len(body))))
        yield Record(f"{addresses.urls[home]}robots.txt", 200, headers, body, ())
