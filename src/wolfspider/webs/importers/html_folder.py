"""Folders of HTML files, mounted at web addresses, as captures.

    files, sorted → address and type of each → links into other folders mended → Capture

The `index.html` of a folder is the folder itself. Other spellings of an address are redirected,
as a web server does.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from mimetypes import MimeTypes
from pathlib import Path

from wolfspider.errors import BadInput
from wolfspider.pages import is_html
from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.importers.folder_walk import File, walk
from wolfspider.webs.importers.http_message import MOST
from wolfspider.webs.importers.mount_links import mend_links
from wolfspider.webs.importers.mounts import mount

_HTML, _XHTML = "text/html", "application/xhtml+xml"
_PAGES = {".htm": _HTML, ".html": _HTML, ".shtml": _HTML, ".xhtml": _XHTML}
_PAGE_TYPES = (_HTML, _XHTML)
_OTHER = "application/octet-stream"
_TYPES = MimeTypes()  # Python's own table; the one of the machine would differ elsewhere
_MARKUP = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!--.*?-->\s*+)*+"
    rb"<(?:!doctype html|html|head|title|meta|body|h1|div|table|p|a)[\s>]",
    re.IGNORECASE | re.DOTALL,
)
_FIRST_LOOK = 1 << 14  # bytes in which the markup has to begin


class HtmlFolder:
    """The files of one folder, at the addresses below `at`; iterate once.

    `mounts` are all folders of the web with their addresses: links that lead into one of them
    on disk lead there on the web, too. Every other body is the file, byte for byte. `position`
    of `size` are bytes of files, `records` counts files.
    """

    def __init__(self, path: Path, at: str, mounts: Sequence[tuple[Path, str]] = ()) -> None:
        self.path = path
        self.mount = mount(path, at)
        self.mounts = list(dict.fromkeys([self.mount, *(mount(*each) for each in mounts)]))
        self.size = sum(file.size for file in walk(self.mount.folder, MOST, Counter()))
        self.position = 0
        self.records = 0
        self.truncated = False
        self._left_out: Counter[str] = Counter()

    @property
    def left_out(self) -> Counter[str]:
        return self._left_out

    def __iter__(self) -> Iterator[Capture]:
        pages = 0
        for file in walk(self.mount.folder, MOST, self._left_out):
            self.records += 1
            self.position += file.size
            try:
                body = Path(os.fsdecode(file.path)).read_bytes()
            except OSError:
                self._left_out["file that cannot be read"] += 1
                continue
            capture = self._capture(file, body)
            pages += capture.content_type.startswith(_PAGE_TYPES)
            yield capture
            yield from self._redirects(file, capture.url)
        if not pages:
            raise BadInput(f"there is no HTML file in {self.path}; give a folder that has some")

    def _capture(self, file: File, body: bytes) -> Capture:
        """Without charset, so that the page itself says it, unless its links were mended."""
        content_type = _content_type(file.path, body)
        if content_type in _PAGE_TYPES:
            mended = mend_links(body, file.path, self.mount, self.mounts)
            if mended is not None:
                body, content_type = mended, f"{_HTML}; charset=utf-8"
        return Capture(self._url(file), file.date, 200, content_type, body=body)

    def _url(self, file: File) -> str:
        """Its address; an index has that of its folder, which ends with a slash."""
        url = self.mount.url(file.path)
        return url[: url.rindex("/") + 1] if file.is_index else url

    def _redirects(self, file: File, url: str) -> Iterator[Capture]:
        """Other spellings: escapes that browsers leave out, an index by its name, no last slash."""
        others = [self.mount.url(file.path), self.mount.escaped_url(file.path)]
        if file.is_index and url.count("/") > 3:  # not at the root of a host
            others.append(url[:-1])
        for other in dict.fromkeys(others):
            if other != url:
                yield Capture(other, file.date, 301, location=url)


def _content_type(path: bytes, body: bytes) -> str:
    """By the name; where the name says nothing, by how the file begins."""
    name = os.fsdecode(os.path.basename(path))
    ending = os.path.splitext(name)[1].lower()
    if ending in _PAGES:
        return _PAGES[ending]
    guess, packed = _TYPES.guess_type(f"x{ending}")
    if guess is not None and packed is None:
        return guess
    if packed is None and is_html(body, "") and _MARKUP.match(body[:_FIRST_LOOK]):
        return _HTML
    return _OTHER
