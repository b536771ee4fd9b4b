"""URLs: WHATWG parsing, one canonical form, host, site, fingerprints and words.

Parsing and joining are the browser's (the Rust crate behind `url-py`); what we add is a single
spelling for each web address, so that two links to one page have one fingerprint.
Everything but `canonical`, `join_all` and `seed_link` expects a canonical URL and does not check.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import unquote

import numpy as np
from publicsuffixlist import PublicSuffixList
from url import URL, EmptyHost, URLError
from xxhash import xxh3_64_intdigest

from wolfspider.errors import BadInput
from wolfspider.records import Fingerprints, Link

MAX_LENGTH = 4096  # characters of a canonical URL; servers rarely take more, crawler traps do

_TRACKING_NAMES = """
gclid gclsrc gbraid wbraid dclid fbclid msclkid yclid ysclid twclid ttclid igshid igsh
mc_cid mc_eid _ga _gl _hsenc _hsmi __hssc __hstc __hsfp hsctatracking mkt_tok li_fat_id
vero_id vero_conv oly_anon_id oly_enc_id wickedid rb_clickid srsltid _openstat
phpsessid jsessionid
"""
TRACKING = frozenset(_TRACKING_NAMES.split())
TRACKING_PREFIXES = ("utm_", "aspsessionid")
SESSION = frozenset(("sid", "session_id", "sessionid", "oscsid", "zenid"))  # only with a hash

_WEB = ("http://", "https://")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_HEX = "0123456789abcdefABCDEF"
_ESCAPES = {
    f"%{a}{b}": char if (char := chr(int(a + b, 16))) in _UNRESERVED else f"%{a}{b}".upper()
    for a in _HEX
    for b in _HEX
}
# An escape right after a stray % stays as it is: decoding `%%341` would make a new escape, `%41`.
_ESCAPE = re.compile(r"(?<!%)(?<!%[0-9A-Fa-f])%[0-9A-Fa-f]{2}")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(?!\d+([/?#]|$))", re.IGNORECASE)  # a.test:80 has none
_JSESSIONID = re.compile(r";jsessionid=[^/;]*", re.IGNORECASE)
_SESSION_HASH = re.compile(r"(?=.*[0-9])(?=.*[a-z])(?:[0-9a-f]{16,}|[0-9a-v]{26}|[0-9a-v]{32})")
_EXTRA_SLASHES = re.compile(r"[\x00-\x20]*(?:[/\\][\t\n\r]*){3,}")

_WORD = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])|\d+")
_ASCII_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_PAGE_EXTENSION = re.compile(r"\.(?:html?|shtml|php|aspx?|jsp|cgi)(?=\?|$)", re.IGNORECASE)


def canonical(url: str, base: str | None = None) -> str | None:
    """The one spelling of a web address, or None if it is not one. Never raises.

    `canonical(canonical(u)) == canonical(u)`, and the result is plain ASCII:

    - parsed (and joined with `base`) as the WHATWG standard says: white space and control
      characters, lower-case scheme and host, IDNA, default port, dot segments;
    - only http and https with a host; at most `MAX_LENGTH` characters;
    - without fragment, user name, password, the dot after the host, an empty query and
      empty parameters (`?a=1&&b=2` is `?a=1&b=2`);
    - escapes in upper case, unreserved characters (letters, digits, `-._~`) not escaped;
      a stray `%` stays, as in browsers: old servers read `%u00e9`;
    - without tracking parameters and session ids: `TRACKING`, `TRACKING_PREFIXES`,
      `;jsessionid=…` in the path, and the names in `SESSION` when the value looks like a hash.

    Parameters that remain keep their order, because it can matter to the server: "sorted
    tracking parameters removed" means removed, not that the others are sorted. Repeated
    slashes, the case of the path and `index.html` stay too, for the same reason.

    >>> canonical("../B%7e?utm_source=x&id=2#top", "HTTP://Example.ORG:80/a/b/")
    'http://example.org/a/B~?id=2'
    """
    root = None
    if base is not None:
        root = resolve(base)
        if root is None:
            return None
    parsed = resolve(url, root)
    return None if parsed is None else _tidy(str(parsed))


def join_all(base: str, hrefs: Sequence[str]) -> list[str | None]:
    """`canonical(href, base)` for all links of one page; the base is parsed once."""
    root = resolve(base)
    if root is None:
        return [None] * len(hrefs)
    join = root.join
    found: list[str | None] = []
    for href in hrefs:
        try:
            text = str(join(href))
        except (URLError, UnicodeEncodeError):
            parsed = resolve(href, root)
            text = "" if parsed is None else str(parsed)
        found.append(_tidy(text))
    return found


def resolve(href: str, base: URL | None = None) -> URL | None:
    """What a browser makes of `href` on a page at `base`: any scheme; None if it fails.

    Mends two gaps of the parser: lone surrogates become U+FFFD, and `///host/` after a
    web base is `//host/`.
    """
    try:
        return URL.parse(href) if base is None else base.join(href)
    except UnicodeEncodeError:
        mended = href.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return resolve(mended, base)
    except EmptyHost:
        slashes = _EXTRA_SLASHES.match(href)
        return resolve("//" + href[slashes.end() :], base) if slashes and base else None
    except URLError:
        return None


def _tidy(text: str) -> str | None:
    """Our canonical form of what the parser wrote; most links need nothing and leave early."""
    if "#" in text:
        text = text[: text.index("#")]
    if not text.startswith(_WEB):
        return None
    if (
        "?" in text
        or "%" in text
        or ";" in text
        or "@" in text
        or "^" in text
        or "./" in text  # a host's last dot, or harmless
        or ".:" in text
    ):
        return _scrub(text)
    return text if len(text) <= MAX_LENGTH else None


def _scrub(text: str) -> str | None:
    """The slow half of `_tidy`."""
    if "%" in text:
        text = _ESCAPE.sub(_unescape, text)  # the parser leaves no escape in the host
    address, _, query = text.partition("?")
    begin = 8 if text[4] == "s" else 7
    end = address.index("/", begin)
    authority, path = address[begin:end], address[end:]
    kept_authority, kept_path = _bare(authority), path
    if not kept_authority:
        return None  # http://./a had a dot for a host; as http:///a its host would be a
    if "^" in path:
        kept_path = path = path.replace("^", "%5E")  # in WHATWG's path set since the crate's
    if ";" in path:
        kept_path = _JSESSIONID.sub("", path)
    if query:
        query = "&".join([p for p in query.split("&") if _wanted(p)])
    url = address[:begin] + kept_authority + kept_path + ("?" + query if query else "")
    if kept_authority != authority or kept_path != path:
        return canonical(url)  # 1.2.3.4.. is now an IP address, /..;jsessionid=1 a dot segment
    return url if len(url) <= MAX_LENGTH else None


def _bare(authority: str) -> str:
    """Host and port, without user name, password and the dot after the host."""
    if "@" in authority:
        authority = authority.rpartition("@")[2]
    if authority[-1] == "." or ".:" in authority:
        name, colon, port = authority.partition(":")
        authority = name.rstrip(".") + colon + port
    return authority


def _unescape(escape: re.Match[str]) -> str:
    return _ESCAPES[escape[0]]


def _wanted(parameter: str) -> bool:
    """Whether a query parameter may choose the page, rather than name the visitor or be empty."""
    name, _, value = parameter.lower().partition("=")
    if name in TRACKING or name.startswith(TRACKING_PREFIXES):
        return False
    return parameter != "" and not (name in SESSION and _SESSION_HASH.fullmatch(value))


def host(url: str) -> str:
    """Host name of a canonical URL, with `:port` unless it is the default one.

    >>> host("https://example.org:8443/a")
    'example.org:8443'
    """
    begin = 8 if url[4] == "s" else 7
    return url[begin : url.index("/", begin)]


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()  # reads the bundled list: 0.1 s, so only when first needed


def _without_port(host: str) -> str:
    return host[: host.find("]") + 1] if host.startswith("[") else host.partition(":")[0]


def _is_address(name: str) -> bool:
    return name.startswith("[") or name.rpartition(".")[2].isdigit()  # WHATWG: then it is IPv4


@lru_cache(maxsize=1 << 16)
def site(host: str) -> str:
    """Registered domain of a host (port ignored); the host itself where there is none.

    >>> site("news.bbc.co.uk:8080"), site("co.uk"), site("127.0.0.1:80")
    ('bbc.co.uk', 'co.uk', '127.0.0.1')
    """
    name = _without_port(host)
    return name if _is_address(name) else _suffixes().privatesuffix(name) or name


def fingerprint(url: str) -> int:
    """64-bit XXH3 of the URL's UTF-8 bytes; never 0, which marks an empty slot in hash tables."""
    return xxh3_64_intdigest(url.encode()) or 1


def fingerprints(urls: Sequence[str]) -> Fingerprints:
    """`fingerprint` of many URLs."""
    return np.fromiter((xxh3_64_intdigest(u.encode()) or 1 for u in urls), np.uint64, len(urls))


def url_words(url: str) -> list[str]:
    """Lower-case words of a canonical URL: host labels, then path and query.

    Cut at anything but letters and digits, between letters and digits, and where camelCase
    turns. Left out: scheme, `www`, the public suffix, IP addresses, extensions of pages
    (`.html`, `.php` …) and numbers of more than four digits.

    >>> url_words("http://www.cs.cornell.edu/Info/courseNotes97.html?page=2")
    ['cs', 'cornell', 'info', 'course', 'notes', '97', 'page', '2']
    """
    begin = 8 if url[4] == "s" else 7
    end = url.index("/", begin)
    return [*_host_words(url[begin:end]), *_words(_PAGE_EXTENSION.sub("", url[end:]))]


def _words(text: str) -> list[str]:
    if "%" in text:
        text = unquote(text, errors="replace")
    found = (_ASCII_WORD if text.isascii() else _WORD).findall(text)
    return [word.lower() for word in found if len(word) < 5 or not word.isdigit()]


@lru_cache(maxsize=1 << 16)
def _host_words(host: str) -> tuple[str, ...]:
    name = _without_port(host)
    if _is_address(name):
        return ()
    suffix = _suffixes().publicsuffix(name) or ""
    labels = name.removesuffix(suffix).split(".")
    text = ".".join(_label(label) for label in labels if label != "www")
    return tuple(_words(text))


def _label(label: str) -> str:
    """A host label as people read it: `xn--mnchen-3ya` is `münchen`."""
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode().decode("punycode")
    except UnicodeError:
        return label


def readings(text: str) -> list[str]:
    """The addresses that a text may stand for: as it is, canonical, or without its scheme."""
    text = text.strip()
    given = [text] if _SCHEME.match(text) else [f"https://{text}", f"http://{text}"]
    found = [text, *(address for each in given if (address := canonical(each)))]
    return list(dict.fromkeys(found))


def seed_link(url: str) -> Link:
    """The link for an address that a person typed; `BadInput` if it is not a full web URL."""
    address = canonical(url)
    if address is None:
        full = " or ".join(readings(url)[1:]) or "a full URL such as https://example.org/"
        raise BadInput(f"not a web address: {url!r}; give {full}")
    return Link(address, fingerprint(address), host(address))
