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
from wolfspider.records import Links, Page, Response
from wolfspider.urls import canonical, fingerprint, host
from wolfspider.webs.folder import FORMAT, Blobs, pack_page, page_url, save_groups
from wolfspider.webs.importers.captures import Capture

_GONE = -2
_REDIRECTS = 10  # hops before a chain counts as endless
_REDIRECT = (301, 302, 303, 307, 308)


@dataclass
class Compiler:
    """Takes captures, then writes the folder.

    Nothing appears under `folder` before `finish` has succeeded: all is written beside it
    and moved there at the end. Of several captures of an address the latest counts.
    """

    folder: Path
    sources: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)  # captures by reason

    def __post_init__(self) -> None:
        if self.folder.exists():
            raise BadInput(f"{self.folder} exists already; choose another folder or remove it")
        self._beside = self.folder.with_name(f".{self.folder.name}.partial")
        shutil.rmtree(self._beside, ignore_errors=True)
        try:
            self._beside.mkdir(parents=True)
        except OSError as error:
            raise BadInput(f"cannot write to {self.folder.parent}: {error.strerror}") from error
        self._spool = {name: Blobs(self._beside, f"spooled_{name}") for name in _KINDS}
        self._spooled = 0
        self._addresses = FingerprintMap()  # fingerprint → row of the lists below
        self._captured: array[int] = array("q")  # spool row, or _GONE
        self._dates: array[float] = array("d")
        self._redirects: dict[int, int] = {}  # fingerprint → fingerprint

    def __enter__(self) -> Compiler:
        return self

    def __exit__(self, *_: object) -> None:
        for blobs in self._spool.values():
            blobs.abandon()
        shutil.rmtree(self._beside, ignore_errors=True)  # after success it has moved away

    # -- first pass ------------------------------------------------------------------------

    def add(self, capture: Capture) -> None:
        """Take in one capture; what is no page is counted in `left_out`."""
        url = canonical(capture.url)
        if url is None:
            self.left_out["not a web address"] += 1
        elif capture.copy_of:
            self._add_copy(capture, url)
        elif capture.status in _REDIRECT:
            self._add_redirect(capture, url)
        elif capture.status in (404, 410):
            self._place(url, capture.date, _GONE)
        elif capture.status != 200:
            self.left_out[f"status {capture.status}"] += 1
        else:
            self._add_page(capture, url)

    def _add_page(self, capture: Capture, url: str) -> None:
        headers = (("Content-Type", capture.content_type), ("X-Robots-Tag", capture.robots))
        if not is_html(capture.body, capture.content_type):
            self.left_out["not HTML"] += 1
        else:
            self._spool_page(parse(Response(url, 200, headers, capture.body)), capture.date)

    def _spool_page(self, page: Page, date: float) -> None:
        if self._place(page.url, date, self._spooled):
            self._spool["page"].append(pack_page(page))
            self._spool["text"].append(page.raw_text)
            self._spool["link"].append(page.links.buffer)
            self._spooled += 1

    def _place(self, url: str, date: float, row: int) -> bool:
        """Point the address at a spooled page, unless a later capture is there already."""
        key = fingerprint(url)
        known = self._addresses.get_one(key)
        if known < 0:
            self._addresses.set_one(key, len(self._captured))
            self._captured.append(row)
            self._dates.append(date)
            return True
        self.left_out["earlier capture of a page"] += 1
        if date < self._dates[known]:
            return False
        self._captured[known], self._dates[known] = row, date
        return True

    def _add_redirect(self, capture: Capture, url: str) -> None:
        target = canonical(capture.location, url)
        if target is None:
            self.left_out["redirect to nowhere"] += 1
        elif target != url:
            self._redirects[fingerprint(url)] = fingerprint(target)

    def _add_copy(self, capture: Capture, url: str) -> None:
        """A revisit record: the content is that of an earlier capture, maybe of another URL."""
        original = canonical(capture.copy_of)
        known = self._addresses.get_one(fingerprint(original)) if original else -1
        if known < 0 or self._captured[known] < 0:
            self.left_out["revisit of a capture that is not here"] += 1
        elif original == url:
            self._dates[known] = max(self._dates[known], capture.date)
        else:
            self._redirects[fingerprint(url)] = fingerprint(original or "")

    # -- second pass -----------------------------------------------------------------------

    def finish(self, labels: Iterable[tuple[str, str]] = (), *, skip_unknown: bool = False) -> None:
        """Resolve the links, write everything and move the folder to its place."""
        for _ in self.finishing(labels, skip_unknown=skip_unknown):
            pass

    def finishing(
        self, labels: Iterable[tuple[str, str]] = (), *, skip_unknown: bool = False
    ) -> Iterator[tuple[int, int]]:
        """`finish`, step by step: yields pages done and pages in all."""
        for blobs in self._spool.values():
            blobs.close()
        spool = {name: Spool(self._beside, name) for name in _KINDS}
        used = self._number_pages()
        pages = len(used)
        if not pages:
            raise BadInput(f"nothing to import: no HTML page in {', '.join(self.sources)}")
        by_label = self._labels(labels, skip_unknown)
        out = {name: Blobs(self._beside, name) for name in _KINDS}
        targets: list[NDArray[np.int32]] = []
        hosts = set()
        for done, row in enumerate(used):
            page = spool["page"][row]
            hosts.add(host(page_url(page)))
            links, leads_to = self._resolve(Links(spool["link"][row]), done, used, spool["page"])
            out["page"].append(page)
            out["text"].append(spool["text"][row])
            out["link"].append(links.buffer)
            targets.append(leads_to)
            yield done + 1, pages
        for blobs in out.values():
            blobs.close()
        self._write_addresses()
        save_groups(self._beside, "graph", targets)
        save_groups(self._beside, "labels", by_label.values())
        for name in _KINDS:
            (self._beside / f"spooled_{name}s.bin").unlink()
            (self._beside / f"spooled_{name}_starts.npy").unlink()
        about = {
            "format": FORMAT,
            "pages": pages,
            "links": sum(map(len, targets)),
            "hosts": len(hosts),
            "labels": {name: len(group) for name, group in by_label.items()},
            "digest": _digest(self._beside),
            "sources": self.sources,
            "left_out": dict(sorted(self.left_out.items())),
        }
        (self._beside / "web.json").write_text(json.dumps(about, indent=1, ensure_ascii=False))
        self._beside.rename(self.folder)

    def _number_pages(self) -> list[int]:
        """Give each address its page: pages stand in the order in which they were spooled."""
        captured = np.array(self._captured, np.int64)
        used = np.sort(captured[captured >= 0])
        keys, rows = self._addresses.items()
        order = np.argsort(keys)
        keys, spooled = keys[order], captured[rows[order]]
        page_of = np.where(spooled >= 0, np.searchsorted(used, spooled), -1).astype(np.int32)
        known = dict(zip(keys.tolist(), page_of.tolist(), strict=True))
        for alias in self._redirects:
            if alias not in known and (page := self._follow(alias, known)) is not None:
                known[alias] = page
        self._keys = np.array(sorted(known), np.uint64)
        self._page_of = np.array([known[key] for key in sorted(known)], np.int32)
        self._address_page = FingerprintMap(len(known))
        self._address_page.set(self._keys, np.where(self._page_of < 0, _GONE, self._page_of))
        self._main = keys[page_of >= 0][np.argsort(page_of[page_of >= 0])]  # by page
        return [int(row) for row in used]

    def _follow(self, alias: int, known: dict[int, int]) -> int | None:
        for _ in range(_REDIRECTS):
            alias = self._redirects.get(alias, alias)
            if alias in known:
                return known[alias]
        self.left_out["redirect that leads nowhere"] += 1
        return None

    def _resolve(
        self, links: Links, page: int, used: list[int], spooled: Spool
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
            url = page_url(spooled[used[leads_to[row]]])
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
                f"{len(unknown)} labels are for addresses that are not in the recording, "
                f"the first for {unknown[0]!r}; correct them or give --skip-unknown-labels"
            )
        self.left_out["label for an unknown address"] += len(unknown)
        self.left_out += Counter()  # drops zero counts
        return {name: np.array(sorted(pages[name]), np.int32) for name in sorted(pages)}

    def _write_addresses(self) -> None:
        np.save(self._beside / "addresses.npy", self._keys)
        np.save(self._beside / "address_pages.npy", self._page_of)


_KINDS = ("page", "text", "link")


class Spool:
    """Random access to what the first pass wrote."""

    def __init__(self, folder: Path, kind: str) -> None:
        self._starts = np.load(folder / f"spooled_{kind}_starts.npy").tolist()
        self._data = np.memmap(folder / f"spooled_{kind}s.bin", np.uint8, "r")

    def __getitem__(self, row: int) -> bytes:
        return self._data[self._starts[row] : self._starts[row + 1]].tobytes()


def _digest(folder: Path) -> str:
    """Over everything a crawl or an experiment can see."""
    digest = hashlib.sha256()
    for name in sorted(path.name for path in folder.iterdir()):
        digest.update(name.encode())
        with (folder / name).open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()[:16]
