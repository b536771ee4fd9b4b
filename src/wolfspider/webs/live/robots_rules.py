"""What a robots.txt says to one crawler.

Lines and groups are read here, as RFC 9309 has them; which rule is the longest match for a
path is protego's work. Two things keep us from handing protego the whole file: it takes a
group for `wolf` as meant for `wolfspider`, and lets Crawl-delay end a list of user agents.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from protego import Protego

from wolfspider.urls import canonical

MOST_BYTES = 500 * 1024  # RFC 9309 asks for at least so many; what follows is not read
LONGEST_CRAWL_DELAY = 60.0
MOST_SITEMAPS = 100

_FIELDS = {
    "user-agent": ("user-agent", "useragent", "user agent"),
    "allow": ("allow",),
    # the misspellings that Google's parser knows too
    "disallow": ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"),
    "crawl-delay": ("crawl-delay", "crawldelay", "crawl delay"),
    "sitemap": ("sitemap", "sitemaps", "site-map"),
}
_FIELD = {name: field for field, names in _FIELDS.items() for name in names}
_LINE_END = re.compile(r"\r\n?|\n")
_PRODUCT = re.compile(r"[^\s/;,()*]+")
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


@dataclass(frozen=True)
class Rules:
    """The rules for us, and for nobody else."""

    lines: tuple[str, ...] = ()  # "Allow: …" and "Disallow: …", in their order
    crawl_delay: float | None = None  # seconds, 0…LONGEST_CRAWL_DELAY
    sitemaps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # what was read otherwise than it was written

    def allow(self, url: str) -> bool:
        """Whether the longest rule that matches the URL, if any does, is an Allow."""
        return not self.lines or self._matcher.can_fetch(url, "*")

    @cached_property
    def _matcher(self) -> Protego:
        return Protego.parse("\n".join(("User-agent: *", *self.lines)))

    @property
    def cost(self) -> int:
        """About how many bytes of memory these rules take."""
        return 2000 + 600 * len(self.lines) + 4 * sum(map(len, self.lines + self.sitemaps))


def read_rules(body: bytes, url: str, agent: str) -> Rules:
    """The rules of a robots.txt, found at `url`, for the product token `agent`.

    All groups that name the agent count as one; only without any do those for `*` count.
    Anything can stand in the file: what is not a line of rules is passed over.
    """
    agent = agent.lower()
    rules: dict[str, list[str]] = {}
    delays: dict[str, list[str]] = {}
    sitemaps: dict[str, None] = {}
    named: set[str] = set()  # by the user agents of this group: the agent, "*" or neither
    open_ = True  # whether the next user agent joins this group
    for field, value in _fields(body):
        if field == "user-agent":
            named = named if open_ else set()
            open_ = True
            if (product := _product(value)) in (agent, "*"):
                named.add(product)
                rules.setdefault(product, [])
        elif field == "sitemap":
            address = canonical(value, url)
            if address is not None and len(sitemaps) < MOST_SITEMAPS:
                sitemaps[address] = None
        elif field == "crawl-delay":
            for product in named:
                delays.setdefault(product, []).append(value)
        else:
            open_ = False
            for product in named:
                if value:
                    rules[product].append(f"{field.capitalize()}: {value}")
    ours = agent if agent in rules else "*"
    delay, notes = _crawl_delay(delays.get(ours, []))
    return Rules(tuple(rules.get(ours, ())), delay, tuple(sitemaps), (*_remarks(body), *notes))


def _fields(body: bytes) -> Iterator[tuple[str, str]]:
    for line in _LINE_END.split(_text(body)):
        content = line.partition("#")[0].strip()
        name, _, value = content.partition(":")
        field = _FIELD.get(" ".join(name.lower().split()))
        if field is None:  # `Disallow /a`: people forget the colon
            name, _, value = content.partition(" ")
            field = _FIELD.get(name.lower())
        if field is not None:
            # Single spaces, so that no odd line end hides in a value: protego knows more of them.
            yield field, " ".join(value.split())


def _text(body: bytes) -> str:
    cut = body[:MOST_BYTES]
    if len(body) > MOST_BYTES:  # half a rule would be another rule
        cut = cut[: max(cut.rfind(b"\n"), cut.rfind(b"\r")) + 1]
    for mark, encoding in _BOMS:
        if cut.startswith(mark):
            return cut[len(mark) :].decode(encoding, "replace")
    return cut.decode("utf-8", "replace")


def _product(value: str) -> str:
    """The product token of a user-agent line: `Wolfspider/1.0 (beta)` is `wolfspider`."""
    if value.startswith("*"):
        return "*" if value[1:2] in ("", " ") else ""
    found = _PRODUCT.match(value)
    return found[0].lower() if found else ""


def _crawl_delay(values: list[str]) -> tuple[float | None, list[str]]:
    """The longest of the delays that can be read, and a note on each that was not taken as is."""
    delays, notes = [], []
    for value in values:
        delay = clamped_delay(value)
        if delay is None:
            notes.append(f"Crawl-delay {value[:40]!r} is not a number of seconds; passed over")
            continue
        if delay != float(value):
            notes.append(f"Crawl-delay {value[:40]} is taken as {delay:g} s")
        delays.append(delay)
    return max(delays, default=None), notes


def clamped_delay(value: str) -> float | None:
    """Seconds between 0 and LONGEST_CRAWL_DELAY, or None if no number of seconds.

    >>> clamped_delay("2.5"), clamped_delay("1e9"), clamped_delay("-1"), clamped_delay("nan")
    (2.5, 60.0, None, None)
    """
    try:
        seconds = float(value)
    except ValueError:
        return None
    return None if math.isnan(seconds) or seconds < 0 else min(seconds, LONGEST_CRAWL_DELAY)


def _remarks(body: bytes) -> Iterator[str]:
    if len(body) > MOST_BYTES:
        yield f"robots.txt is longer than {MOST_BYTES // 1024} KiB; the rest was not read"
    if body[:1000].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<":
        yield "robots.txt looks like a web page; only lines that read as rules count"
