"""Captures → web folder, in two passes with flat memory.

The first pass parses each capture and spools it. When all addresses are known, the second
resolves every link to the page it leads to, through redirects, and leaves out the rest.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wolfspider.errors import BadInput
from wolfspider.fingerprint_map import FingerprintMap
from wolfspider.pages import is_html, parse
from wolfspider.records import Fingerprints, Links, Page, Response
from wolfspider.urls import canonical, fingerprint, host
from wolfspider.webs.folder import (
    FORMAT,
    KINDS,
    Blobs,
    BlobWriter,
    GroupWriter,
    make_folder,
    pack_page,
    page_url,
    remove_empty,
)
from wolfspider.webs.importers.captures import Capture

_GONE = -2
_MOVED = -3  # and below: the redirect with number −3 − row
_REDIRECTS = 10  # hops before a chain counts as endless
_BREATH = 256  # pages of the second pass between two times that memory is given back
_REDIRECT = (301, 302, 303, 307, 308)


@dataclass
class Compiler:
    """Takes captures, then writes the folder.

    Nothing appears under `folder` before `finish` has succeeded: all is written beside it
    and moved there at the end. Of several captures of an address the latest counts; of several
    at one moment the last, but a page before a redirect.
    """

    folder: Path
    sources: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)  # captures by reason

    def __post_init__(self) -> None:
        if self.folder.exists():
            raise BadInput(f"{self.folder} exists already; choose another folder or remove it")
        self._beside = self.folder.with_name(f".{self.folder.name}.partial")
        shutil.rmtree(self._beside, ignore_errors=True)  # left by one that was killed
        try:
            self._made = make_folder(self._beside)
        except OSError as error:
            raise BadInput(
                f"cannot write to {self.folder.parent}: {error.strerror}; choose another folder"
            ) from error
        self._open: list[BlobWriter | GroupWriter] = []
        self._spool = {kind: self._blobs(f"spooled_{kind}") for kind in KINDS}
        self._spooled = 0
        self._addresses = FingerprintMap()  # fingerprint → row of the arrays below
        self._captured = array("q")  # spooled page, _GONE, or a redirect from _MOVED down
        self._dates = array("d")
        self._redirects = array("Q")  # fingerprints to which they lead

    def __enter__(self) -> Compiler:
        return self

    def __exit__(self, *_: object) -> None:
        for writer in self._open:
            writer.abandon()
        shutil.rmtree(self._beside, ignore_errors=True)  # after success it has moved away
        remove_empty(self._made)

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
        elif capture.status in _REDIRECT:
            self._add_redirect(capture, url)
        elif capture.status in (404, 410):
            self._place(url, capture.date, _GONE)
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
        else:
            self._spool_page(page, capture.date)

    def _spool_page(self, page: Page, date: float) -> None:
        if self._place(page.url, date, self._spooled):
            self._spool["page"].append(pack_page(page))
            self._spool["text"].append(page.raw_text)
            self._spool["link"].append(page.links.buffer)
            self._spooled += 1

    def _place(self, url: str, date: float, what: int) -> bool:
        """Note what an address answers, unless something later is noted already."""
        key = fingerprint(url)
        row = self._addresses.get_one(key)
        if row < 0:
            self._addresses.set_one(key, len(self._captured))
            self._captured.append(what)
            self._dates.append(date)
            return True
        known, when = self._captured[row], self._dates[row]
        stays = date < when or (date == when and known >= 0 and what <= _MOVED)
        self.left_out["earlier capture of a page"] += (what if stays else known) >= 0
        if stays:
            return False
        self._captured[row], self._dates[row] = what, date
        return True

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
            return
        row = self._addresses.get_one(fingerprint(url))
        if row < 0 or self._captured[row] < 0:
            self.left_out["revisit of a capture that is not here"] += 1
        else:
            self._dates[row] = max(self._dates[row], capture.date)

    def _place_redirect(self, url: str, target: str, date: float) -> None:
        if self._place(url, date, _MOVED - len(self._redirects)):
            self._redirects.append(fingerprint(target))

    # -- second pass -----------------------------------------------------------------------

    def finish(self, labels: Iterable[tuple[str, str]] = (), *, skip_unknown: bool = False) -> None:
        """Resolve the links, write everything and move the folder to its place."""
        for _ in self.finishing(labels, skip_unknown=skip_unknown):
            pass

    def finishing(
        self, labels: Iterable[tuple[str, str]] = (), *, skip_unknown: bool = False
    ) -> Iterator[tuple[int, int]]:
        """`finish`, step by step: yields pages done and pages in all."""
        for writer in self._spool.values():
            writer.close()
        spool = {kind: Blobs(self._beside, f"spooled_{kind}") for kind in KINDS}
        used = self._number_pages()
        if not len(used):
            raise BadInput(f"nothing to import: no HTML page in {', '.join(self.sources)}")
        by_label = self._labels(labels, skip_unknown)
        out = {kind: self._blobs(kind) for kind in KINDS}
        graph = self._groups("graph")
        hosts = set()
        for done, row in enumerate(used.tolist()):
            page = spool["page"][row]
            hosts.add(host(page_url(page)))
            links, leads_to = self._resolve(Links(spool["link"][row]), done, used, spool["page"])
            out["page"].append(page)
            out["text"].append(spool["text"][row])
            out["link"].append(links.buffer)
            graph.append(leads_to)
            if done % _BREATH == 0:
                for blobs in spool.values():
                    blobs.let_go()  # or the whole spool would end up in memory
            yield done + 1, len(used)
        for writer in out.values():
            writer.close()
        link_count = graph.close()
        for kind, blobs in spool.items():
            blobs.remove(self._beside, f"spooled_{kind}")
        self._write_addresses()
        self._write_labels(by_label)
        about = {
            "format": FORMAT,
            "pages": len(used),
            "links": link_count,
            "hosts": len(hosts),
            "labels": {name: len(group) for name, group in by_label.items()},
            "digest": _digest(self._beside, list(by_label)),
            "sources": self.sources,
            "left_out": dict(sorted(self.left_out.items())),
        }
        text = json.dumps(about, indent=1, ensure_ascii=False)
        (self._beside / "web.json").write_text(text, "utf-8")
        self._beside.rename(self.folder)

    def _number_pages(self) -> NDArray[np.int64]:
        """Give each address its page: pages stand in the order in which they were spooled."""
        captured = np.frombuffer(self._captured, np.int64)
        used = np.sort(captured[captured >= 0])
        keys, rows = self._addresses.items()
        order = np.argsort(keys)
        keys, answers = keys[order], captured[rows[order]]
        page_of = np.where(answers >= 0, np.searchsorted(used, answers), -1).astype(np.int32)
        self._main = keys[answers >= 0][np.argsort(page_of[answers >= 0])]  # by page
        ends = self._follow(keys, answers)
        self.left_out["redirect that leads nowhere"] += int((ends < 0).sum())
        self._keys, self._page_of = keys[ends >= 0], page_of[ends[ends >= 0]]
        self._address_page = FingerprintMap(len(self._keys))
        self._address_page.set(self._keys, np.where(self._page_of < 0, _GONE, self._page_of))
        return used

    def _follow(self, keys: Fingerprints, answers: NDArray[np.int64]) -> NDArray[np.intp]:
        """At which of the addresses each of them ends up; −1 for endless chains and outside."""
        moved = answers <= _MOVED
        hop = np.arange(len(keys))
        targets = np.frombuffer(self._redirects, np.uint64)[_MOVED - answers[moved]]
        at = np.minimum(np.searchsorted(keys, targets), max(0, len(keys) - 1))
        hop[moved] = np.where(keys[at] == targets, at, -1) if len(keys) else at
        ends = hop.copy()
        for _ in range(_REDIRECTS - 1):
            ends[ends >= 0] = hop[ends[ends >= 0]]
        ends[ends >= 0] = np.where(moved[ends[ends >= 0]], -1, ends[ends >= 0])
        return ends

    def _resolve(
        self, links: Links, page: int, used: NDArray[np.int64], spooled: Blobs
    ) -> tuple[Links, NDArray[np.int32]]:
        """The links that lead to another page of this web, one for each such page."""
        leads_to = self._address_page.get(links.fingerprints)
        rows = np.flatnonzero((leads_to >= 0) & (leads_to != page))
        _, first = np.unique(leads_to[rows], return_index=True)
        rows = rows[np.sort(first)]
        leads_to = leads_to[rows]
        kept = links.take(rows)
        moved = np.flatnonzero(kept.fingerprints != self._main[leads_to])
        if not len(moved):
            return kept, leads_to
        texts = kept.texts()
        for row in moved.tolist():
            url = page_url(spooled[int(used[leads_to[row]])])
            texts[row] = url.encode() + b"\n" + texts[row].split(b"\n", 1)[1]
        names = [host(text.split(b"\n", 1)[0].decode()) for text in texts]
        hosts = list(dict.fromkeys(names))
        return (
            Links.pack(
                self._main[leads_to],
                texts,
                hosts,
                np.array([hosts.index(name) for name in names]),
                kept.paths,
                kept.flags,
                kept.bag_starts,
                kept.bag_ids,
            ),
            leads_to,
        )

    def _labels(
        self, labels: Iterable[tuple[str, str]], skip_unknown: bool
    ) -> dict[str, NDArray[np.int32]]:
        """Pages of each label, in order; labels sorted by name."""
        pages: dict[str, set[int]] = {}
        unknown = []
        for url, label in labels:
            address = canonical(url)
            page = self._address_page.get_one(fingerprint(address)) if address else -1
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

    def _write_addresses(self) -> None:
        np.save(self._beside / "addresses.npy", self._keys)
        np.save(self._beside / "address_pages.npy", self._page_of)

    def _write_labels(self, by_label: dict[str, NDArray[np.int32]]) -> None:
        writer = self._groups("labels")
        for group in by_label.values():
            writer.append(group)
        writer.close()


def _digest(folder: Path, labels: list[str]) -> str:
    """Over everything a crawl or an experiment can see."""
    digest = hashlib.sha256(json.dumps(labels).encode())
    for name in sorted(path.name for path in folder.iterdir()):
        digest.update(name.encode())
        with (folder / name).open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()[:16]
