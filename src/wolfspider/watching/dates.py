"""When a document was published: what its address, its page and its answer say, and what is sane.

    order   source      what says so
    1       meta        <meta> article:published_time, date, dc.date, pubdate …
    2       json-ld     datePublished, if all that are on the page agree
    3       time        <time> with itemprop=datePublished or pubdate; any, if all agree
    4       url         /2026/11/15/story or story-2026-11-15 in the path
    5       first link  a link to it appeared on a page that we had before without it

The first that is sane counts. Then it may become older, but never younger: a day in the address
holds against a date on the page that is later, for an address does not change with an edit; and
nothing is younger than the first link to it that was seen. Where the page itself says nothing,
what a feed tells of it and Last-Modified make it older in the same way. So neither can make an
old page new.

Not sane are dates in the future and before 1990, and a Last-Modified that is the Date of the same
answer: it was made up on the spot. A date without a time is noon, one without a zone is in UTC.

Pages are scanned here, in the crawler's own process, with expressions that pass over the first
half megabyte once: no tree is built, so there is nothing that a hostile page could make grow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from wolfspider.webs.live.retry_after import http_date

EARLIEST = datetime(1990, 1, 1, tzinfo=UTC).timestamp()
MOST_BYTES = 512 << 10  # of a page that are looked at
AHEAD = 300.0  # seconds by which clocks differ
_ZONES = 14 * 3600.0  # the zone farthest ahead of UTC
_DAY = 86_400.0
_MADE_UP = 2.0  # seconds between Last-Modified and Date that mean nothing
_MOST_SCRIPTS = 50

_PUBLISHED = frozenset(
    [
        "article:published_time",
        "og:article:published_time",
        "article.published",
        "datepublished",
        "date",
        "dc.date",
        "dc.date.issued",
        "dc.date.created",
        "dcterms.date",
        "dcterms.issued",
        "dcterms.created",
        "pubdate",
        "publishdate",
        "publish-date",
        "publication_date",
        "publication-date",
        "parsely-pub-date",
        "sailthru.date",
        "citation_publication_date",
        "originalpublicationdate",
    ]
)
_MODIFIED = frozenset(
    [
        "article:modified_time",
        "og:updated_time",
        "og:article:modified_time",
        "datemodified",
        "dc.date.modified",
        "dcterms.modified",
        "last-modified",
        "lastmod",
        "revised",
    ]
)
# `<` ends each of them, so that no tag is looked at twice.
_META = re.compile(r"<meta\s([^<>]{1,1000})>", re.IGNORECASE)
_TIME = re.compile(r"<time\s([^<>]{1,1000})>", re.IGNORECASE)
_SCRIPT = re.compile(r"<script\s[^<>]{0,300}ld\+json[^<>]{0,300}>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"([a-z:.-]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+)))?", re.I)
_LD_PUBLISHED = re.compile(r'"datePublished"\s{0,20}:\s{0,20}"([^"\\]{4,40})"')
_LD_MODIFIED = re.compile(r'"dateModified"\s{0,20}:\s{0,20}"([^"\\]{4,40})"')
_PATH_DAY = re.compile(
    r"(?<![0-9])((?:19|20)[0-9]{2})(?:/([01]?[0-9])/([0-3]?[0-9])|-([01][0-9])-([0-3][0-9]))(?![0-9])"
)
_DAY_LIST = re.compile(
    rf"(?:^|/){_PATH_DAY.pattern}/?(?:index)?(?:\.[a-z]{{2,5}})?$", re.IGNORECASE
)
_SPACED_ZONE = re.compile(r"\s+([+-][0-9]{2}:?[0-9]{2})$")


@dataclass(frozen=True, slots=True)
class Seen:
    """What we know of an address before we have its page."""

    linked: float | None = None  # the first link to it that we saw
    appeared: float | None = None  # that link was not there when we had the page before
    listed: float | None = None  # the earliest date that a feed gave


@dataclass(frozen=True, slots=True)
class Dating:
    """When a document was published and last modified, and what says so; None if nothing does."""

    published: float | None = None
    modified: float | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class _Claims:
    """What a page says of itself, in the order in which it counts, not yet looked at."""

    published: tuple[tuple[str, tuple[str, ...]], ...]  # source, texts that must agree
    modified: tuple[str, ...]


def dating(
    url: str,
    body: bytes,
    *,
    now: float,
    last_modified: str = "",
    date: str = "",
    seen: Seen = Seen(),  # noqa: B008  # frozen
) -> Dating:
    """When the document in a decoded body was published; `now` is when it was downloaded."""
    claims = _claims(body[:MOST_BYTES].decode("latin-1"))
    changed = _last_modified(last_modified, date, now)
    published, source = _own(claims, url, now)
    if published is None and seen.appeared is not None:
        published = _oldest(seen.appeared, seen.listed, changed)
        source = "first link"
    if published is not None:
        published = _oldest(published, seen.linked)
    said = (moment(text, now) for text in claims.modified)
    modified = next((each for each in said if each is not None), changed)
    if published is not None and modified is not None and modified < published:
        modified = None
    return Dating(published, modified, source if published is not None else "")


def moment(text: str, now: float) -> float | None:
    """The time that a date means, if it is sane now.

    >>> moment("1970-01-02", now=2e9), moment("2001-09-09T01:46:40Z", now=2e9)
    (None, 1000000000.0)
    """
    text = text.strip()[:64]
    near = _SPACED_ZONE.sub(r"\1", text).replace(" UTC", "Z").replace(" GMT", "Z")
    try:
        found = datetime.fromisoformat(near)
        at = found.replace(tzinfo=found.tzinfo or UTC).timestamp()
    except (ValueError, OverflowError):
        spelled = http_date(text)
        return None if spelled is None else _sane(spelled, now)
    if len(text) <= len("2026-11-15"):
        return _sane_day(at, now)
    if found.tzinfo is None and now < at <= now + _ZONES:
        return now  # in its own zone it has been
    return _sane(at, now)


def path_day(url: str, now: float) -> float | None:
    """The day in the path of a URL, as noon.

    >>> path_day("https://example.org/2001/9/9/spiders", now=2e9)
    1000036800.0
    """
    for found in _PATH_DAY.finditer(_path(url)):
        year, month, day = (int(part) for part in found.groups() if part is not None)
        try:
            begin = datetime(year, month, day, tzinfo=UTC).timestamp()
        except ValueError:
            continue
        return _sane_day(begin, now)
    return None


def _own(claims: _Claims, url: str, now: float) -> tuple[float | None, str]:
    """What the page and its address say, and which of them.

    A path that ends with nothing but a day is that day's list: its day makes no page new.
    """
    day = path_day(url, now)
    for source, texts in claims.published:
        said = {at for text in texts if (at := moment(text, now)) is not None}
        if len(said) == 1:
            at = said.pop()
            # a day and a half after noon: whatever the zone, that day is over
            return (at, source) if day is None or at <= day + 1.5 * _DAY else (day, "url")
    return (day, "url") if day is not None and not _DAY_LIST.search(_path(url)) else (None, "")


def _path(url: str) -> str:
    return url.partition("://")[2].partition("/")[2].partition("?")[0]


def _oldest(first: float, *others: float | None) -> float:
    return min([first, *(each for each in others if each is not None)])


def _sane(at: float, now: float) -> float | None:
    return min(at, now) if EARLIEST <= at <= now + AHEAD else None


def _sane_day(begin: float, now: float) -> float | None:
    """Noon of a day; somewhere on earth tomorrow has begun."""
    return min(begin + _DAY / 2, now) if EARLIEST <= begin <= now + _ZONES else None


def _last_modified(text: str, date: str, now: float) -> float | None:
    at, answered = http_date(text) if text else None, http_date(date) if date else None
    if at is None or (answered is not None and abs(at - answered) <= _MADE_UP):
        return None
    return _sane(at, now)


# -- what a page says -----------------------------------------------------------------------


def _claims(html: str) -> _Claims:
    metas = list(_metas(html))
    scripts = list(_scripts(html))
    named, times = _times(html)
    meta = next((text for name, text in metas if name in _PUBLISHED), "")
    published = (
        ("meta", (meta,) if meta else ()),
        ("json-ld", _found(_LD_PUBLISHED, scripts)),
        ("time", named or times),
    )
    modified = tuple(text for name, text in metas if name in _MODIFIED)
    return _Claims(published, modified + _found(_LD_MODIFIED, scripts)[:1])


def _metas(html: str) -> Iterator[tuple[str, str]]:
    for tag in _META.finditer(html):
        fields = attributes(tag[1])
        name = fields.get("property") or fields.get("name") or fields.get("itemprop", "")
        if content := fields.get("content", ""):
            yield name.strip().lower(), content


def _times(html: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those that say they are the publication's, and all."""
    named, times = dict[str, None](), dict[str, None]()
    for tag in _TIME.finditer(html):
        fields = attributes(tag[1])
        text = fields.get("datetime", "")
        if text:
            times[text] = None
            if "pubdate" in fields or fields.get("itemprop", "").lower() == "datepublished":
                named[text] = None
    return tuple(named), tuple(times)


def _scripts(html: str) -> Iterator[str]:
    for number, tag in enumerate(_SCRIPT.finditer(html)):
        if number == _MOST_SCRIPTS:
            return
        end = html.find("</script", tag.end())
        yield html[tag.end() : end if end >= 0 else len(html)]


def _found(expression: re.Pattern[str], texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for text in texts for each in expression.findall(text)))


def attributes(tag: str) -> dict[str, str]:
    """Names in lower case and values of what stands inside a tag; of several the first."""
    found: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(tag):
        found.setdefault(name.lower(), double or single or bare)
    return found
