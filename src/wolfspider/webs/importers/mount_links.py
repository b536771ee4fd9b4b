"""Links that lead from one folder into another, made to lead to where that folder is mounted.

On disk `../../other/page.html`, `/usr/share/doc/other/page.html` and `file:///…` all lead there.
On the web they would lead nowhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote, unquote, unquote_to_bytes

from selectolax.lexbor import LexborHTMLParser
from url import URL

from wolfspider.pages.encodings import decode_utf8
from wolfspider.pages.tame import tame
from wolfspider.urls import resolve
from wolfspider.webs.importers.mounts import Mount, mounted

_LINKS = (("a[href], area[href]", "href"), ("frame[src], iframe[src]", "src"))


def mend_links(body: bytes, path: bytes, own: Mount, mounts: Sequence[Mount]) -> bytes | None:
    """The page at `path` in UTF-8 with such links changed; None if it has none.

    Which file a link leads to is told by its text alone: nothing on disk is looked at.
    """
    if not _may_leave(body, own.depth(path), mounts):
        return None
    tree = LexborHTMLParser(decode_utf8(tame(body)))
    said = tree.css_first("base[href]")
    page = _Page.of(path, own, mounts, said.attributes["href"] if said else None)
    changed = 0
    for selector, attribute in _LINKS:
        for node in tree.css(selector):
            if (to := page.target(node.attributes[attribute] or "")) is not None:
                node.attrs[attribute] = to
                changed += 1
    return (tree.html or "").encode("utf-8", "replace") if changed else None


def _may_leave(body: bytes, depth: int, mounts: Sequence[Mount]) -> bool:
    """A quick look at the bytes, which keeps ordinary pages from being parsed."""
    return (
        _climbing(depth + 1).search(body) is not None
        or any(each.folder in body or quote(each.folder).encode() in body for each in mounts)
        or b"<base" in body
        or b"<BASE" in body
    )


@lru_cache(maxsize=64)
def _climbing(steps: int) -> re.Pattern[bytes]:
    """So many `..` in one attribute; written out, because a search for plain bytes is quick."""
    step = rb"\.\./(?:(?!\.\.)[^\"'<>])*+"
    return re.compile(step * (steps - 1) + rb"\.\.[/\"'#?\s>]")


@dataclass(frozen=True, slots=True)
class _Page:
    """What links are relative to: on disk, and on the web."""

    file: URL | None
    web: URL | None
    own: Mount
    mounts: Sequence[Mount]

    @classmethod
    def of(cls, path: bytes, own: Mount, mounts: Sequence[Mount], base: str | None) -> _Page:
        file, web = resolve("file://" + quote(path)), resolve(own.url(path))
        if base is None:
            return cls(file, web, own, mounts)
        return cls(resolve(base, file), resolve(base, web), own, mounts)

    def target(self, href: str) -> str | None:
        """The web address for a link that leads into a mounted folder; None if it may stay."""
        url = resolve(href, self.file)
        if url is None or url.scheme != "file" or url.host is not None:
            return None
        path = unquote_to_bytes(url.path)
        to = self._address(os.path.normpath(path), slash=path.endswith(b"/"))
        if to is None or _same(to, resolve(href, self.web)):
            return None
        query = f"?{url.query}" if url.query else ""
        return to + query + (f"#{url.fragment}" if url.fragment else "")

    def _address(self, path: bytes, slash: bool) -> str | None:
        found = self.own if self.own.holds(path) else mounted(path, self.mounts)
        if found is None:
            return None
        url = found.url(path)
        return f"{url}/" if slash and not url.endswith("/") else url


def _same(url: str, web: URL | None) -> bool:
    """Whether two addresses differ only in escapes, or in what stands behind `?` and `#`."""
    return web is not None and unquote(url) == unquote(re.split("[?#]", str(web))[0])
