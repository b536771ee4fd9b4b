"""What the keys of clues stand for.

A receipt names words by term ids and tag paths by hashes. The page that a link was found on has
them all: it is read again, and every word on it is asked for its id.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from zlib import crc32

from wolfspider.errors import WolfspiderError
from wolfspider.pages import is_html, parse, tag_paths
from wolfspider.records import Page, Response
from wolfspider.store.opening import web_of
from wolfspider.store.reading import HuntReader
from wolfspider.text import term_ids
from wolfspider.urls import canonical, host, url_words
from wolfspider.webs.decoding import payload
from wolfspider.webs.importers.http_message import header_fields
from wolfspider.webs.recorded import RecordedWeb
from wolfspider.webs.serving.index import Index

_WORD = re.compile(r"[^\W_]+")
_MOST = 16 << 20  # bytes of a body after decoding, as when it was hunted
Paths = dict[int, str]


class Words:
    """Key → text, for the links of one hunt. `note` says why there is less than there could be."""

    def __init__(self, reader: HuntReader) -> None:
        self._reader = reader
        self._read: dict[str, tuple[Page, Paths]] = {}
        self._web: RecordedWeb | None = None
        self.note = ""
        self.live = reader.asked.get("web") == "live"
        if not self.live:
            self._open_web(reader)

    def _open_web(self, reader: HuntReader) -> None:
        try:
            self._web = web_of(reader)
        except WolfspiderError as error:
            self.note = f"some words are not known: {error}"

    def resolved(self, addresses: list[str]) -> list[str]:
        """The addresses, and on a recorded web the pages that they redirect to."""
        if self._web is None:
            return addresses
        numbers = map(self._web.number, addresses)
        pages = [self._web.url(number) for number in numbers if number >= 0]
        return list(dict.fromkeys([*addresses, *pages]))

    def of(self, url: str, anchor: str, source: str) -> dict[int, str]:
        """For a link: its own words first, then those of the page it was found on."""
        page, paths = self._page(source) if source else (Page(""), Paths())
        texts = [anchor, " ".join(url_words(url)), page.title, self._anchor_of(source), page.text]
        if address := canonical(source):
            texts.append(" ".join(url_words(address)))
        words = _hashed([host(url), url.rpartition("/")[0]])
        folder = crc32(source.rpartition("/")[0].encode())
        for key, path in paths.items():
            words |= {key: path, key ^ folder: path}  # the same, of one folder
        for word in _distinct(texts):
            ids = term_ids(word)
            if len(ids) == 1:
                words.setdefault(ids.item(0), word)
        return words

    def _anchor_of(self, url: str) -> str:
        """The anchor of the link by which a page was reached."""
        query = "SELECT anchor FROM pages WHERE url = ? AND error = '' ORDER BY step LIMIT 1"
        row = self._reader.db.execute(query, (url,)).fetchone()
        return str(row["anchor"]) if row else ""

    def _page(self, url: str) -> tuple[Page, Paths]:
        found = self._read.get(url)
        if found is None:
            try:
                found = self._of_warc(url) if self.live else self._of_web(url)
            except WolfspiderError as error:
                self.note = f"some words are not known: {error}"
                found = Page(url), Paths()
            self._read[url] = found
        return found

    def _of_warc(self, url: str) -> tuple[Page, Paths]:
        capture = self._capture(url)
        if capture is None:
            return Page(url), {}
        exchange = self._reader.exchange(capture)
        body = payload(exchange.headers, exchange.body, _MOST).data
        page = parse(Response(url, exchange.status, exchange.headers, body))
        return page, _paths(body, exchange.first("content-type"))

    def _capture(self, url: str) -> sqlite3.Row | None:
        query = (
            "SELECT captures.* FROM pages JOIN captures ON captures.id = pages.capture "
            "WHERE pages.url = ? AND error = '' ORDER BY pages.step LIMIT 1"
        )
        found: sqlite3.Row | None = self._reader.db.execute(query, (url,)).fetchone()
        return found

    def _of_web(self, url: str) -> tuple[Page, Paths]:
        number = -1 if self._web is None else self._web.number(url)
        if self._web is None or number < 0:
            return Page(url), {}
        return self._web.page(number), self._paths_in(self._web.folder, self._web.url(number))

    def _paths_in(self, folder: Path, url: str) -> Paths:
        """From the answer that the web folder keeps, if it keeps any."""
        try:
            index = Index.of(folder)
        except WolfspiderError:
            return {}
        try:
            answer = index.answer(url)
        finally:
            index.close()
        if answer is None:
            return {}
        kind = dict(header_fields(answer.head)).get("content-type", "")
        return _paths(answer.body, kind)


def _paths(body: bytes, kind: str) -> Paths:
    return tag_paths(body, content_type=kind) if is_html(body, kind) else {}


def _hashed(texts: Iterable[str]) -> dict[int, str]:
    return {crc32(text.encode()): text for text in texts}


def _distinct(texts: Iterable[str]) -> Iterator[str]:
    """Each word once, as it is first written."""
    seen = set()
    for text in texts:
        for word in _WORD.findall(text):
            if word not in seen:
                seen.add(word)
                yield word
