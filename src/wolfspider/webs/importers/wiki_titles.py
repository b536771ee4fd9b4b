"""Titles of a wiki: what a link's target names, and the address at which it stands."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape
from urllib.parse import quote, unquote, urlsplit

FILE, CATEGORY = 6, 14
ELSEWHERE = -100  # another wiki
LANGUAGE = -101  # the same page in another language

# Names that every wiki understands, whatever its language.
_CANONICAL = {
    "Media": -2,
    "Special": -1,
    "Talk": 1,
    "User": 2,
    "User talk": 3,
    "Project": 4,
    "Project talk": 5,
    "Image": FILE,
    "Image talk": 7,
    "File": FILE,
    "File talk": 7,
    "MediaWiki": 8,
    "MediaWiki talk": 9,
    "Template": 10,
    "Template talk": 11,
    "Help": 12,
    "Help talk": 13,
    "Category": CATEGORY,
    "Category talk": 15,
}
# Dumps do not list the prefixes of other wikis; these are Wikimedia's.
_PROJECT_PREFIXES = """
w wikt wiktionary n wikinews b wikibooks q wikiquote s wikisource v wikiversity voy wikivoyage
species wikispecies d wikidata c commons m meta metawikipedia mw mediawikiwiki wmf foundation
phab phabricator toolforge google imdbname imdbtitle iarchive doi hdl
"""
_PROJECTS = frozenset(_PROJECT_PREFIXES.split())
# `de:Haus`: small letters and no space, as in no title of an article.
_LANGUAGE = re.compile(r"(?:[a-z]{2,3}|simple|be-x-old)(?:-[a-z]{3,})*")
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f<>\[\]{}|]")
_DIRECTION = dict.fromkeys([0x200E, 0x200F, *range(0x202A, 0x202F)])  # marks nobody sees
_LEAVES = ";@$!*(),/:"  # not escaped in addresses
LONGEST_TARGET = 1000  # characters; entities and a section may make one longer than its title
_LONGEST = 255  # bytes of a title
_REMEMBERED = 1 << 14


@dataclass(frozen=True, slots=True)
class Place:
    """What a target names. `title` is "" where the wiki can have no such page."""

    namespace: int
    title: str = ""
    spoken_of: bool = False  # written with a colon before it: meant as a link, not as an order


@dataclass
class Titles:
    """The titles of one wiki.

    `base` is the address before a title. `first_letter` says that `car` and `Car` are one page.
    `names` are the namespaces as this wiki calls them, by number.
    """

    base: str
    first_letter: bool = True
    names: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._namespaces = {name.lower(): key for name, key in _CANONICAL.items()}
        self._namespaces |= {name.lower(): key for key, name in self.names.items() if name}
        canonical = {key: name for name, key in _CANONICAL.items()}
        self._names = canonical | self.names
        path = urlsplit(self.base).path
        whole = "?" in self.base or len(path) < 2  # `//x` would be a host
        self._path = self.base if whole else path
        self._remembered = lru_cache(_REMEMBERED)(self._place)

    def url(self, title: str) -> str:
        """The address of a page."""
        return self.base + _escaped(title)

    def path(self, title: str) -> str:
        """The address of a page as seen from another page of the wiki."""
        return self._path + _escaped(title)

    def place(self, target: str) -> Place:
        """What a target names, as it is written in a link: with entities, spaces, a section."""
        return self._remembered(target) if len(target) <= LONGEST_TARGET else Place(0)

    def _place(self, target: str) -> Place:
        target = _tidy(target)
        spoken_of = target.startswith(":")
        target = target.removeprefix(":").partition("#")[0].strip()
        prefix, colon, rest = target.partition(":")
        namespace = 0
        if colon:
            found = self._namespaces.get(prefix.rstrip().lower())
            if found is None and _leads_away(prefix, rest):
                away = ELSEWHERE if prefix.lower() in _PROJECTS else LANGUAGE
                return Place(away, spoken_of=spoken_of)
            namespace = found or 0
        name = self._capital(rest.strip() if namespace else target)
        if not name or _FORBIDDEN.search(name) or len(name.encode("utf-8", "replace")) > _LONGEST:
            return Place(namespace, spoken_of=spoken_of)
        title = f"{self._names[namespace]}:{name}" if namespace else name
        return Place(namespace, title, spoken_of)

    def _capital(self, name: str) -> str:
        first = name[:1].upper()
        return first + name[1:] if self.first_letter and len(first) == 1 else name  # ß has none


def base_of(address: str) -> str:
    """What stands before the title in the address of a wiki's page; "" if it is none.

    >>> base_of("https://simple.wikipedia.org/wiki/Main_Page")
    'https://simple.wikipedia.org/wiki/'
    """
    found = re.match(r"https?://[^/?#]+(?:[^?#]*[?][^#]*\btitle=|[^?#]*/)", address)
    return found[0] if found else ""


def _tidy(target: str) -> str:
    if "&" in target:
        target = unescape(target)
    if "%" in target:
        target = unquote(target, errors="replace")
    if not target.isascii():
        target = unicodedata.normalize("NFC", target.translate(_DIRECTION))
    return " ".join(target.replace("_", " ").split())


def _leads_away(prefix: str, rest: str) -> bool:
    if prefix.lower() in _PROJECTS:
        return True
    return bool(_LANGUAGE.fullmatch(prefix)) and not rest.startswith(" ")


def _escaped(title: str) -> str:
    return quote(title.replace(" ", "_"), safe=_LEAVES, errors="replace")
