r"""Datasets without HTML, a table of pages and one of links, as captures.

links → LinkSpool, by the page on which they stand
pages → a small HTML document of each, with its links → Capture

A page may have several labels, with `|` between them. In a label `\|` and `\\` stand for bar and
backslash, below what the table itself escapes: in a text table they are written `\\|` and `\\\\`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from urllib.parse import quote

from wolfspider.errors import BadInput
from wolfspider.pages.outline import MAX_ANCHOR, MAX_LINKS
from wolfspider.pages.parsing import MAX_TEXT
from wolfspider.urls import canonical
from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.importers.files import new_folder
from wolfspider.webs.importers.label_cells import split_labels
from wolfspider.webs.importers.link_spool import LinkSpool
from wolfspider.webs.importers.mounts import base_url
from wolfspider.webs.importers.table_rows import Table

_WEB = ("http://", "https://")
_HTML = "text/html; charset=utf-8"
# Of a page the parser reads so much that this text and its links behind it fit in.
_MOST_TEXT = MAX_TEXT * 4 // 5  # bytes
_MOST_PARAGRAPHS = 10_000


class TableWeb:
    """Pages from a table with the columns url and text, links from one with source and target.

    Pages may also have a title, and a label or labels with `|` between them; links an anchor.
    Addresses are full URLs, or, with `at`, any names: each is one step below `at`. Links of a
    page keep their order. `scratch` is a folder on a disk with room for all links. `position`
    of `size` are bytes of both files, `records` counts pages.
    """

    def __init__(self, pages: Path, links: Path, at: str = "", scratch: Path | None = None) -> None:
        self.path = pages
        self.scratch = scratch
        self.at = base_url(at) if at else ""
        self.position = 0
        self.records = 0
        self.truncated = False
        self._pages = Table(pages, ("url", "text"), ("title", "label", "labels"))
        self._links = Table(links, ("source", "target"), ("anchor",))
        self._left_out: Counter[str] = Counter()
        self.size = self._pages.size + self._links.size

    @property
    def left_out(self) -> Counter[str]:
        return self._left_out + self._pages.left_out + self._links.left_out

    def __iter__(self) -> Iterator[Capture]:
        with new_folder(".links-", self.scratch) as folder, LinkSpool(Path(folder)) as spool:
            for _, (source, target, anchor) in self._links:
                self._spool(spool, source or "", target or "", anchor)
            yield from self._captures(spool)
            self.position = self.size
            self._left_out["link whose source is no page"] += spool.left()
            self._left_out[f"link behind {MAX_LINKS:,} others of a page"] += spool.beyond(MAX_LINKS)

    def _spool(self, spool: LinkSpool, source: str, target: str, anchor: str | None) -> None:
        urls = self._url(source), self._url(target)
        if not (source and target):
            self._left_out["row with missing cells"] += 1
        elif urls[0] is None or urls[1] is None:
            self._left_out["link that has no web address"] += 1
        else:
            spool.add(urls[0], urls[1], anchor or target)

    def _captures(self, spool: LinkSpool) -> Iterator[Capture]:
        for number, (name, text, title, *labels) in self._pages:
            self.records += 1
            self.position = self._links.size + self._pages.position
            if not name:
                self._left_out["row with missing cells"] += 1
                continue
            url = self._url(name)
            if url is None:
                give = "" if self.at else "; give full URLs, or --at URL for names below it"
                where = self._pages.place(number)
                raise BadInput(f"{where}: not a web address: {name[:200]!r}{give}")
            shown = _shown(text or "")
            self._left_out["end of a text that is too long"] += len(shown) == _MOST_TEXT
            body = _document(title or "", shown, spool.links_of(url, MAX_LINKS))
            yield Capture(url, 0.0, 200, _HTML, body=body, labels=_labels(labels))

    def _url(self, name: str) -> str | None:
        """The URL that is meant, in canonical form."""
        if name.lower().startswith(_WEB) or not self.at:
            return canonical(name)
        return None if name in (".", "..") else canonical(self.at + quote(name, safe=""))


def _labels(cells: Iterable[str | None]) -> tuple[str, ...]:
    """Every label once, in the order in which they are given."""
    return tuple(dict.fromkeys(label for cell in cells if cell for label in split_labels(cell)))


def _shown(text: str) -> bytes:
    """The text as HTML."""
    return escape(text, quote=False).encode("utf-8", "replace")[:_MOST_TEXT]


def _document(title: str, shown: bytes, links: Iterable[tuple[str, str]]) -> bytes:
    """The page: its text in paragraphs, then its links in a list."""
    head = f"<!doctype html>\n<title>{escape(title)}</title>\n".encode("utf-8", "replace")
    paragraphs = shown.split(b"\n\n", _MOST_PARAGRAPHS)
    text = [b"<p>%b\n" % each for each in paragraphs if each.strip()]
    items = [_item(url, anchor[:MAX_ANCHOR]) for url, anchor in links]
    return b"".join([head, *text, b"<ul>\n", *items, b"</ul>\n"])


def _item(url: str, anchor: str) -> bytes:
    item = f'<li><a href="{escape(url)}">{escape(anchor)}</a>\n'
    return item.encode("utf-8", "replace")
