"""Captures → web folder, in two passes with flat memory.

The first pass parses each capture and spools it. When all addresses are known, the second
resolves every link to the page it leads to, through redirects, and leaves out the rest.
"""

from __future__ import annotations

import math
import shutil
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from wolfspider.errors import BadInput
from wolfspider.pages import is_html, parse
from wolfspider.records import Links, Page, Response
from wolfspider.urls import canonical, fingerprint, host
from wolfspider.webs.archive import ArchiveWriter
from wolfspider.webs.folder import (
    HISTORY,
    KINDS,
    Blobs,
    BlobWriter,
    GroupWriter,
    Labels,
    pack_page,
    page_url,
)
from wolfspider.webs.history import HistoryWriter
from wolfspider.webs.importers.captures import GONE, REDIRECT, Capture
from wolfspider.webs.new_folder import NewFolder
from wolfspider.webs.originals import Originals
from wolfspider.webs.resolving import GONE as GONE_ANSWER
from wolfspider.webs.resolving import Answers, Resolver

_BREATH = 256  # pages of the second pass between two times that memory is given back


@dataclass
class Compiler:
    """Takes captures, then writes the folder.

    Nothing appears under `folder` before `finish` has succeeded: all is written beside it
    and moved there at the end. Of several captures of an address the latest counts; of several
    at one moment the last, but any other before a redirect. A revisit of another address counts as
    a redirect to it.
    """

    folder: Path
    sources: list[str] = field(default_factory=list)
    until: float = math.inf  # captures after this date are left out
    keep: bool = True  # the answers themselves, so that the web can be served
    changing: bool = False  # keep every version of a page, not only the last
    left_out: Counter[str] = field(default_factory=Counter)  # captures by reason

    def __post_init__(self) -> None:
        self._new = NewFolder(self.folder)
        self._beside = self._new.path
        self._open: list[BlobWriter | GroupWriter | ArchiveWriter] = []
        self._spool = {kind: self._blobs(f"spooled_{kind}") for kind in KINDS}
        self._spooled = 0
        self._answers = Answers()
        self._originals = Originals()
        self._archive = ArchiveWriter(self._beside) if self.keep else None
        self._open += [self._archive] if self._archive else []
        self._history = HistoryWriter() if self.changing else None
        self._label_rows = (array("q"), array("I"))  # spooled page and label
        self._label_names: dict[str, int] = {}
        self._dates = [math.inf, 0.0]

    def __enter__(self) -> Compiler:
        return self

    def __exit__(self, *_: object) -> None:
        for writer in self._open:
            writer.abandon()
        self._new.leave()

    @property
    def scratch(self) -> Path:
        """A folder for whatever an importer has to put somewhere; it goes away by itself."""
        folder = self._beside / "scratch"
        folder.mkdir(exist_ok=True)
        return folder

    def _blobs(self, name: str) -> BlobWriter:
        self._open.append(writer := BlobWriter(self._beside, name))
        return writer

    def _groups(self, name: str) -> GroupWriter:
        self._open.append(writer := GroupWriter(self._beside, name))
        return writer

    # -- first pass ------------------------------------------------------------------------

    def add(self, capture: Capture) -> None:
        """Take in one capture; what is no page is counted in `left_out`."""
        url = canonical(capture.url)
        if url is None:
            self.left_out["not a web address"] += 1
        elif capture.date > self.until:
            self.left_out["later than the date that was asked for"] += 1
        else:
            self.keep_answer(capture, url)
            self._add(capture, url)

    def keep_answer(self, capture: Capture, url: str) -> None:
        """Keep what was answered, to be served again; it need not be a page."""
        if self._archive is not None:
            self._archive.add(url, capture)
        if capture.date > 0:
            first, last = self._dates
            self._dates = [min(first, capture.date), max(last, capture.date)]

    def _add(self, capture: Capture, url: str) -> None:
        if capture.status in REDIRECT:
            self._add_redirect(capture, url)
        elif capture.status in GONE:
            self._place(fingerprint(url), capture.date, GONE_ANSWER)
        elif capture.copy_of:
            self._add_copy(capture, url)
        elif capture.status != 200:
            self.left_out[f"status {capture.status}" if capture.status else "not HTTP"] += 1
        else:
            self._add_page(capture, url)

    def _add_page(self, capture: Capture, url: str) -> None:
        headers = [("Content-Type", capture.content_type)]
        headers += [("X-Robots-Tag", value) for value in capture.robots]
        page = parse(Response(url, 200, tuple(headers), capture.body))
        if not len(page.links) and not is_html(capture.body, capture.content_type):
            self.left_out["not HTML"] += 1  # nor a sitemap that lists anything
            return
        self._place(fingerprint(url), capture.date, self._spooled)
        self._originals.note(fingerprint(url), capture.date, self._spooled)
        self._spool_page(page, capture.labels)  # also an earlier one: a revisit may name it

    def _spool_page(self, page: Page, labels: tuple[str, ...]) -> None:
        for label in labels:
            number = self._label_names.setdefault(label, len(self._label_names))
            self._label_rows[0].append(self._spooled)
            self._label_rows[1].append(number)
        self._spool["page"].append(pack_page(page))
        self._spool["text"].append(page.raw_text)
        self._spool["link"].append(page.links.buffer)
        self._spooled += 1

    def _place(self, key: int, date: float, answer: int) -> None:
        """Note what an address answers."""
        passed = self._answers.place(key, date, answer)
        if self._history is not None:
            self._history.note(key, date, answer)
        else:
            self.left_out["earlier capture of a page"] += passed

    def _add_redirect(self, capture: Capture, url: str) -> None:
        target = canonical(capture.location, url)
        if target is None or not capture.location:
            self.left_out["redirect to nowhere"] += 1
        elif target != url:  # otherwise another spelling of the same, or a cookie was set
            self._place_redirect(url, target, capture.date)

    def _add_copy(self, capture: Capture, url: str) -> None:
        """A revisit record: the content is that of another capture, maybe of another URL."""
        original = canonical(capture.copy_of)
        if original is not None and original != url:
            self._place_redirect(url, original, capture.date)
        else:
            self._originals.copy(fingerprint(url), capture)

    def _place_copies(self) -> None:
        """Revisits can be placed when all captures are known."""
        for key, date, row in self._originals.copies():
            if row < 0:
                self.left_out["revisit of a capture that is not here"] += 1
            else:
                self._place(key, date, row)

    def _place_redirect(self, url: str, target: str, date: float) -> None:
        self._place(fingerprint(url), date, self._answers.redirect(fingerprint(target)))

    # -- second pass -----------------------------------------------------------------------

    def finish(self, labels: Iterable[tuple[str, str]] = (), *, skip_unknown: bool = False) -> None:
        """Resolve the links, write everything and move the folder to its place."""
        for _ in self.finishing(labels, skip_unknown=skip_unknown):
            pass

    def finishing(
        self, labels: Iterable[tuple[str, str]] = (), *, skip_unknown: bool = False
    ) -> Iterator[tuple[int, int]]:
        """`finish`, step by step: yields pages done and pages in all."""
        self._end_first_pass()
        resolver = self._answers.resolver()
        if not len(resolver.used):
            raise BadInput(self._nothing())
        self.left_out["redirect that leads nowhere"] += resolver.lost
        by_label = self._labels(resolver, labels, skip_unknown)
        total = len(resolver.used) + self._versions
        graph, hosts = self._groups("graph"), set[str]()
        for done in self._write_pages(resolver, graph, hosts):
            yield done, total
        for done in self._write_history():
            yield len(resolver.used) + done, total
        self._remove_spool()
        np.save(self._beside / "addresses.npy", resolver.keys)
        np.save(self._beside / "address_pages.npy", resolver.pages)
        self._write_labels(by_label)
        about = {
            "pages": len(resolver.used),
            "links": graph.close(),
            "hosts": len(hosts),
            "sources": self.sources,
            "left_out": dict(sorted(self.left_out.items())),
            "dates": self._dates if self._dates[1] else [],
            "versions": self._versions,
        }
        self._new.complete(about, by_label)

    @property
    def _versions(self) -> int:
        return self._spooled if self.changing else 0

    def _end_first_pass(self) -> None:
        for writer in self._spool.values():
            writer.close()
        if self._archive is not None:
            self._archive.close()
        self._place_copies()

    def _nothing(self) -> str:
        """What to say when there is no page, and why there is none."""
        reasons = [f"{count:,} × {reason}" for reason, count in self.left_out.items() if count]
        why = f" (left out: {', '.join(reasons)})" if reasons else ""
        return f"nothing to import: no page in {', '.join(self.sources)}{why}"

    def _write_history(self) -> Iterator[int]:
        if self._history is not None:
            folder, redirects = self._beside / HISTORY, self._answers.redirects
            for done, _ in self._history.write(folder, self._beside, redirects):
                yield done

    def _write_pages(
        self, resolver: Resolver, graph: GroupWriter, hosts: set[str]
    ) -> Iterator[int]:
        spool = {kind: Blobs(self._beside, f"spooled_{kind}") for kind in KINDS}
        out = {kind: self._blobs(kind) for kind in KINDS}
        for done, row in enumerate(resolver.used.tolist()):
            page = spool["page"][row]
            hosts.add(host(page_url(page)))
            links, leads_to = resolver.resolve(Links(spool["link"][row]), done, spool["page"])
            out["page"].append(page)
            out["text"].append(spool["text"][row])
            out["link"].append(links.buffer)
            graph.append(leads_to)
            if done % _BREATH == 0:
                for blobs in spool.values():
                    blobs.let_go()  # or the whole spool would end up in memory
            yield done + 1
        for writer in out.values():
            writer.close()

    def _remove_spool(self) -> None:
        for kind in KINDS:
            (self._beside / f"spooled_{kind}s.bin").unlink(missing_ok=True)
            (self._beside / f"spooled_{kind}_starts.npy").unlink(missing_ok=True)
        shutil.rmtree(self._beside / "scratch", ignore_errors=True)

    def _labels(
        self, resolver: Resolver, labels: Iterable[tuple[str, str]], skip_unknown: bool
    ) -> Labels:
        """Pages of each label, in order; labels sorted by name."""
        pages = self._own_labels(resolver)
        unknown = []
        for url, label in labels:
            address = canonical(url)
            page = resolver.page(address) if address else -1
            if page < 0:
                unknown.append(url)
            else:
                pages.setdefault(label, set()).add(page)
        if unknown and not skip_unknown:
            raise BadInput(
                f"labels for addresses that are not pages of the recording: {len(unknown):,}, "
                f"the first for {unknown[0]!r}; correct them or give --skip-unknown-labels"
            )
        self.left_out["label for an unknown address"] += len(unknown)
        self.left_out += Counter()  # drops zero counts
        return {name: np.array(sorted(pages[name]), np.int32) for name in sorted(pages)}

    def _own_labels(self, resolver: Resolver) -> dict[str, set[int]]:
        """What the recording itself said about its pages."""
        rows, numbers = (np.frombuffer(column, column.typecode) for column in self._label_rows)
        at = np.minimum(np.searchsorted(resolver.used, rows), len(resolver.used) - 1)
        counts = resolver.used[at] == rows
        pages: dict[str, set[int]] = {}
        names = list(self._label_names)
        for page, number in zip(at[counts].tolist(), numbers[counts].tolist(), strict=True):
            pages.setdefault(names[number], set()).add(page)
        return pages

    def _write_labels(self, by_label: Labels) -> None:
        writer = self._groups("labels")
        for group in by_label.values():
            writer.append(group)
        writer.close()
