"""What an answer means: for the folder, for the policy, and whether it is news."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from xxhash import xxh3_64_intdigest

from wolfspider.records import Exchange, Fingerprints, Page, PageFlag, Response
from wolfspider.urls import canonical, fingerprint
from wolfspider.watching.dates import Dating, Seen, dating
from wolfspider.watching.feeds import entries, is_feed, named_feeds, worth_a_look
from wolfspider.watching.folder import WatchFolder
from wolfspider.watching.folder_records import Document, Download, Held
from wolfspider.watching.live_topics import Topics
from wolfspider.watching.records import NEW, Snapshot
from wolfspider.watching.registry import CLUSTERS
from wolfspider.webs.decoding import payload
from wolfspider.webs.live.web import LiveWeb

_LONGEST_VALIDATOR = 1000  # characters of an ETag that are sent back
_NOINDEX = int(PageFlag.NOINDEX)
_GONE = (404, 410)
_UNKNOWN = 0.0  # a date on which nothing is new


@dataclass(frozen=True)
class Reader:
    """Reads answers beside what the folder knows; it writes nothing."""

    folder: WatchFolder
    web: LiveWeb
    topics: Topics
    seeds: Collection[int]
    changes: bool  # documents that changed are news, too

    def read(
        self, address: int, response: Response, now: float
    ) -> tuple[Download, Snapshot | None]:
        """What an answer means: for the folder, and for the policy."""
        at = fingerprint(response.url)
        before = self.folder.held(at)
        download = Download(
            address, now, response.status, response.error, exchanges=response.exchanges
        )
        if response.status == 304 and before is not None:
            held = replace(before, at=now)
            return replace(download, error="", held=held), self.snapshot(held)
        if response.page is None:
            return download, self.after_failure(address, response)
        answer = response.exchanges[-1]
        body = payload(answer.headers, answer.body, self.web.settings.limits.inflated).data
        if is_feed(answer.first("content-type"), response.url, body):
            download, hints = self._read_feed(download, response.page, body, before)
            held = self._held(answer, response.page, now, hints, feed=True)
            if before is not None and answer.truncated:
                held = _unchanged(held, before)
        else:
            download, links = self._read_page(download, response.page, body, before)
            held = self._held(answer, response.page, now, links)
            download, held = self._judge(download, held, before, response.page, body, answer)
        return replace(download, held=held), self.snapshot(held)

    def after_failure(self, address: int, response: Response) -> Snapshot | None:
        """What a policy is told: gone if the server says so, else that nothing has changed."""
        if response.status in _GONE:
            return None
        held = self.folder.led_to(address)
        return None if held is None else self.snapshot(held)

    def snapshot(self, held: Held) -> Snapshot:
        links = held.links
        if held.feed:
            links = self.folder.not_downloaded(links)
        about = held.about if len(held.about) == CLUSTERS else np.zeros(CLUSTERS)
        return Snapshot(held.address, held.document, held.published, links, about)

    def _read_feed(
        self, download: Download, page: Page, body: bytes, before: Held | None
    ) -> tuple[Download, Fingerprints]:
        """A feed is a page whose links are those of its entries that are worth a look."""
        allowed = set(page.links.fingerprints.tolist())
        listed = [entry for entry in entries(body, page.url) if entry.address in allowed]
        addresses = np.array([entry.address for entry in listed], np.uint64)
        again = self._again(before, page.url, download.at)
        appeared = self.folder.appeared(addresses, download.at - NEW, again=again)
        shown = worth_a_look(listed, appeared, now=download.at)
        links = tuple((entry.address, entry.url) for entry in listed)
        kept = replace(download, links=links, listed=tuple(listed), again=again)
        return kept, np.array([entry.address for entry in shown], np.uint64)

    def _read_page(
        self, download: Download, page: Page, body: bytes, before: Held | None
    ) -> tuple[Download, Fingerprints]:
        own = list(zip(page.links.fingerprints.tolist(), page.links.urls(), strict=True))
        named = [(fingerprint(url), url) for url in self._feeds(page, body)]
        feeds = tuple(address for address, _ in named)
        hints = self.folder.hints_of(fingerprint(page.url)).tolist()
        first = self._unclaimed(feeds)
        links = dict.fromkeys([*(a for a, _ in own), *hints, *first])
        sample = page.terms if self.topics.wants(page) else None
        kept = replace(
            download,
            links=tuple(dict(own + named).items()),
            again=self._again(before, page.url, download.at),
            feeds=feeds,
            terms=sample,
        )
        return kept, np.array(list(links), np.uint64)

    def _feeds(self, page: Page, body: bytes) -> list[str]:
        """The feeds that a page and the robots.txt of its host name, as far as they may be had."""
        if not self.web.settings.sitemaps:
            return []
        rules = self.web.robots.rules(page.url)
        listed = [] if rules is None else [canonical(each) for each in rules.sitemaps]
        named = [*named_feeds(body, page.url), *filter(None, listed)]
        return [url for url in dict.fromkeys(named) if not self.web.screening.refusal(url)]

    def _unclaimed(self, feeds: tuple[int, ...]) -> list[int]:
        """Each feed is a link of the page that named it first, or all pages would lead there."""
        return [feed for feed in feeds if not self.folder.is_hint(feed)]

    def _held(
        self, answer: Exchange, page: Page, now: float, links: Fingerprints, *, feed: bool = False
    ) -> Held:
        text = np.sort(page.links.fingerprints).tobytes() if feed else page.raw_text
        whole = not answer.truncated  # or half a page would be there for good
        return Held(
            fingerprint(page.url),
            now,
            xxh3_64_intdigest(text) or 1,
            _UNKNOWN,
            feed,
            _validator(answer.first("etag")) if whole else "",
            _validator(answer.first("last-modified")) if whole else "",
            links,
            self.topics.about(page),
        )

    def _again(self, before: Held | None, url: str, now: float) -> bool:
        """Whether a link that is new here can be told from one that only we did not know."""
        return before is not None and now - before.at <= NEW and not self.folder.cut_off(url)

    # -- is it news? -------------------------------------------------------------------------

    def _judge(
        self,
        download: Download,
        held: Held,
        before: Held | None,
        page: Page,
        body: bytes,
        answer: Exchange,
    ) -> tuple[Download, Held]:
        """Whether the page is a document that is new or has changed."""
        now = download.at
        if before is not None and before.document == held.document:
            return download, replace(held, published=before.published)
        if before is not None and answer.truncated:
            return download, _unchanged(held, before)
        if before is not None and not self.folder.came_whole(page.url):
            return download, replace(held, published=before.published)  # the rest of a text
        if before is not None:
            return self._judge_change(download, held, before, page)
        seen = self.folder.seen(held.address)
        if seen.linked is None:  # a redirect led here: what is known is known of the other address
            seen = self.folder.seen(download.address)
        said = _dated(page, body, answer, now, seen)
        if said.published is None:
            return download, held
        held = replace(held, published=said.published)
        fresh = now - said.published <= NEW and download.address not in self.seeds
        if fresh and not page.flags & _NOINDEX and not self.folder.reported(held.document):
            found = _document(held, page, said.published, said.source, "new")
            download = replace(download, documents=(found,))
        return download, held

    def _judge_change(
        self, download: Download, held: Held, before: Held, page: Page
    ) -> tuple[Download, Held]:
        """A text that changed is news only to those who asked for changes."""
        if not self.changes or page.flags & _NOINDEX:
            return download, held
        held = replace(held, published=download.at)
        found = _document(held, page, before.published or None, "text", "changed")
        return replace(download, documents=(found,)), held


def _unchanged(held: Held, before: Held) -> Held:
    """An answer that was cut off does not say that the text is another."""
    return replace(held, document=before.document, published=before.published)


def _dated(page: Page, body: bytes, answer: Exchange, now: float, seen: Seen) -> Dating:
    return dating(
        page.url,
        body,
        now=now,
        last_modified=answer.first("last-modified"),
        date=answer.first("date"),
        seen=seen,
    )


def _document(held: Held, page: Page, published: float | None, source: str, kind: str) -> Document:
    return Document(
        held.address, held.document, page.url, page.title, published, held.at, source, kind
    )


def _validator(value: str) -> str:
    """An ETag or a date as it may be sent back; nothing if it cannot be."""
    fits = len(value) <= _LONGEST_VALIDATOR and value.isascii() and value.isprintable()
    return value if fits else ""
