"""The records that travel between the rooms of the house.

    Link → Response → Page (with its Links and Terms) → Verdict → Visit

A `Link` is one chosen link; `Links` are all links of a page at once, as arrays.
Nothing here refers back to the web it came from: a policy that is handed a record
can look at everything in it and still learn nothing a live crawl would not have shown.
"""

from __future__ import annotations

import base64
import hashlib
import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntFlag
from typing import Any

import numpy as np
from numpy.typing import NDArray

Fingerprints = NDArray[np.uint64]
TermIds = NDArray[np.uint32]
Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
State = dict[str, Any]  # JSON values, arrays and lists of bytes, nested dicts of them; no code
Headers = tuple[tuple[str, str], ...]

BAGS = ("anchor", "context", "heading", "url")


class LinkFlag(IntFlag):
    """What the page said about a link beyond its words."""

    NOFOLLOW = 1  # rel=nofollow
    FRAME = 2  # frame or iframe
    IMAGE = 4  # the anchor words are an image's alt text
    REFRESH = 8  # meta refresh


class PageFlag(IntFlag):
    """What the page's robots meta asks for."""

    NOINDEX = 1
    NOFOLLOW = 2


@dataclass(frozen=True, slots=True)
class Clue:
    """One thing that spoke for a link, or against it."""

    kind: str  # which of the policy's clues; each policy has its own
    key: int  # what exactly: a term id, the hash of a tag path, of a host …; 0 for nothing
    weight: float  # what it added to the link's score


@dataclass(frozen=True, slots=True)
class Receipt:
    """Why a policy chose a link."""

    value: float  # expected yield, 0 … 1
    rank: int  # among the waiting links, by value; 1 is the best
    waiting: int  # links that waited, itself among them
    explored: bool  # chosen to learn something: without curiosity another one would have been
    clues: tuple[Clue, ...]  # the weightiest first


@dataclass(frozen=True, slots=True)
class Link:
    """One link to follow, with what its source page said about it."""

    url: str
    fingerprint: int
    host: str
    anchor: str = ""
    source: str = ""
    depth: int = 0
    position: int = 0
    relevance: float = 0.0  # of the source page
    score: float = 0.0  # the policy's own value when it was chosen
    receipt: Receipt | None = None  # why it was


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """A bag of words: sorted distinct term ids with their counts.

    A term id is a 32-bit hash of the stem (`text.term_id`), the same on every web,
    so no vocabulary has to be shared between a crawl and what it learned.
    """

    ids: TermIds
    counts: NDArray[np.float32]
    length: float  # total count
    norm: float  # Euclidean length of the counts

    @classmethod
    def of(cls, ids: TermIds, counts: NDArray[np.float32]) -> Terms:
        return cls(ids, counts, float(counts.sum()), float(np.sqrt(counts @ counts)))

    def frequencies(self, ids: TermIds) -> NDArray[np.float32]:
        """How often each of the given terms occurs here."""
        if not len(self.ids):
            return np.zeros(len(ids), np.float32)
        at, here = find_terms(self.ids, ids)
        found: NDArray[np.float32] = self.counts.take(at) * here
        return found


def find_terms(sorted_ids: TermIds, ids: TermIds) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Where each term stands among sorted ones, and whether it does; elsewhere any place."""
    if not len(sorted_ids):
        return np.zeros(len(ids), np.intp), np.zeros(len(ids), np.bool_)
    at = np.minimum(sorted_ids.searchsorted(ids), len(sorted_ids) - 1)
    return at, sorted_ids.take(at) == ids


NO_TERMS = Terms(np.empty(0, np.uint32), np.empty(0, np.float32), 0.0, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Bag:
    """One bag of words for each of n links, in CSR form: row i is ids[starts[i]:ends[i]]."""

    starts: NDArray[np.uint32]
    ends: NDArray[np.uint32]
    ids: TermIds

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, row: int) -> TermIds:
        return self.ids[self.starts[row] : self.ends[row]]

    def packed(self) -> Bag:
        """The same rows, with their own words only: `ids` may hold those of other bags, too."""
        counts = (self.ends - self.starts).astype(np.int64)
        ends = np.cumsum(counts)
        places = np.repeat(self.starts - (ends - counts), counts) + np.arange(counts.sum())
        ids = self.ids[places]
        return Bag((ends - counts).astype(np.uint32), ends.astype(np.uint32), ids)

    def rows(self) -> NDArray[np.intp]:
        """The row of each word of a packed bag."""
        return np.repeat(np.arange(len(self)), (self.ends - self.starts).astype(np.int64))

    def totals(self, values: NDArray[Any]) -> Floats:
        """Sums per row of a packed bag, of several values (columns) given for each word.

        Not differences of a running sum, as in `sums`: equal rows have exactly equal totals.
        """
        totals = np.zeros((len(self), values.shape[1]))
        filled = np.flatnonzero(self.ends > self.starts)
        if len(filled):
            totals[filled] = np.add.reduceat(values, self.starts[filled].astype(np.intp), axis=0)
        return totals

    def take(self, kept: NDArray[np.bool_]) -> Bag:
        """A packed bag with some of its words."""
        before = np.concatenate([[0], np.cumsum(kept)]).astype(np.uint32)
        return Bag(before[self.starts], before[self.ends], self.ids[kept])

    def sums(self, values: NDArray[Any]) -> Floats:
        """Sum per row of a value given for every term of `ids`."""
        total = np.zeros(len(values) + 1)
        np.cumsum(values, out=total[1:])
        result: Floats = total[self.ends] - total[self.starts]
        return result


class Links:
    """The outgoing links of one page: a struct of arrays in one packed buffer.

    One row per distinct target, in the order of the page; a target that stands on the
    page several times has its anchors joined. The buffer is written to a web folder as it
    is and copied out in one piece, so handing a page's links to a policy costs one memcpy,
    and every array below is a view made when it is asked for.
    """

    __slots__ = ("_at_bags", "_at_paths", "_at_text", "_ids", "_size", "_text", "buffer")

    _HEADER = struct.Struct("<4I16x")  # links, term ids, text bytes, host-name bytes

    def __init__(self, buffer: bytes) -> None:
        self.buffer = buffer
        size, self._ids, self._text, _ = self._HEADER.unpack_from(buffer)
        self._size: int = size
        # Where sections begin; they stand in order of falling item size, so all are aligned.
        self._at_bags = 32 + 8 * size
        self._at_paths = self._at_bags + 4 * (len(BAGS) * size + 1 + self._ids)
        self._at_text = self._at_paths + 4 * (2 * size + 1) + 3 * size

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        return f"Links({self._size} links, {len(self.buffer)} bytes)"

    @classmethod
    def pack(
        cls,
        fingerprints: Fingerprints,
        texts: Sequence[bytes],
        hosts: Sequence[str],
        host_of: NDArray[Any],
        paths: NDArray[Any],
        flags: NDArray[Any],
        bag_starts: NDArray[Any],
        bag_ids: NDArray[Any],
    ) -> Links:
        """Pack columns into a record.

        `texts` are `url + "\\n" + anchor` in UTF-8; `bag_starts` has 4·n + 1 entries, the four
        bags of `BAGS` link after link; `host_of` says which of `hosts` each link leads to.
        """
        text, names = b"".join(texts), "\n".join(hosts).encode()
        text_starts = np.zeros(len(texts) + 1, np.uint32)
        np.cumsum([len(t) for t in texts], out=text_starts[1:])
        columns: tuple[tuple[NDArray[Any], Any], ...] = (
            (fingerprints, np.uint64),
            (bag_starts, np.uint32),
            (bag_ids, np.uint32),
            (paths, np.uint32),
            (text_starts, np.uint32),
            (host_of, np.uint16),
            (flags, np.uint8),
        )
        head = cls._HEADER.pack(len(texts), len(bag_ids), len(text), len(names))
        arrays = [np.asarray(values, kind).tobytes() for values, kind in columns]
        return cls(b"".join([head, *arrays, text, names]))

    @classmethod
    def of(cls, links: Sequence[Link]) -> Links:
        """Links without words: seeds."""
        count = len(links)
        hosts = list(dict.fromkeys(link.host for link in links))
        numbers = {host: number for number, host in enumerate(hosts)}
        return cls.pack(
            np.array([link.fingerprint for link in links], np.uint64),
            [f"{link.url}\n{link.anchor}".encode() for link in links],
            hosts,
            np.array([numbers[link.host] for link in links], np.uint16),
            np.zeros(count, np.uint32),
            np.zeros(count, np.uint8),
            np.zeros(len(BAGS) * count + 1, np.uint32),
            np.empty(0, np.uint32),
        )

    def take(self, rows: Rows) -> Links:
        """The chosen rows as a record of their own."""
        starts, ids = self.bag_starts, self.bag_ids
        lengths = np.diff(starts).reshape(-1, len(BAGS))[rows].ravel()
        new_starts = np.zeros(len(lengths) + 1, np.uint32)
        np.cumsum(lengths, out=new_starts[1:])
        words = [ids[starts[4 * r] : starts[4 * r + 4]] for r in rows]
        used, host_of = np.unique(self.host_of[rows], return_inverse=True)
        hosts = self.hosts
        return Links.pack(
            self.fingerprints[rows],
            self.texts(rows),
            [hosts[h] for h in used],
            host_of,
            self.paths[rows],
            self.flags[rows],
            new_starts,
            np.concatenate(words) if words else ids[:0],
        )

    def join(self, more: Links) -> Links:
        """These links and then those; where both lead to one target these count."""
        if not len(more):
            return self
        new = ~np.isin(more.fingerprints, self.fingerprints)
        return Links.chain([self, more if new.all() else more.take(np.flatnonzero(new))])

    @classmethod
    def chain(cls, parts: Sequence[Links]) -> Links:
        """The links of all parts, one after the other."""
        hosts = list(dict.fromkeys(host for part in parts for host in part.hosts))
        numbers = {host: number for number, host in enumerate(hosts)}
        places = [np.array([numbers[host] for host in part.hosts], np.uint16) for part in parts]
        before = np.cumsum([0, *(part._ids for part in parts)], dtype=np.uint32)
        starts = [part.bag_starts[1:] + ids for part, ids in zip(parts, before[:-1], strict=True)]
        return cls.pack(
            np.concatenate([part.fingerprints for part in parts]),
            [text for part in parts for text in part.texts()],
            hosts,
            np.concatenate([at[part.host_of] for at, part in zip(places, parts, strict=True)]),
            np.concatenate([part.paths for part in parts]),
            np.concatenate([part.flags for part in parts]),
            np.concatenate([np.zeros(1, np.uint32), *starts]),
            np.concatenate([part.bag_ids for part in parts]),
        )

    @property
    def fingerprints(self) -> Fingerprints:
        return np.frombuffer(self.buffer, np.uint64, self._size, 32)

    @property
    def bag_starts(self) -> NDArray[np.uint32]:
        return np.frombuffer(self.buffer, np.uint32, len(BAGS) * self._size + 1, self._at_bags)

    @property
    def bag_ids(self) -> TermIds:
        at = self._at_bags + 4 * (len(BAGS) * self._size + 1)
        return np.frombuffer(self.buffer, np.uint32, self._ids, at)

    @property
    def paths(self) -> NDArray[np.uint32]:
        """A hash of each link's DOM tag path, e.g. of `body/div.menu/ul/li/a`."""
        return np.frombuffer(self.buffer, np.uint32, self._size, self._at_paths)

    @property
    def text_starts(self) -> NDArray[np.uint32]:
        at = self._at_paths + 4 * self._size
        return np.frombuffer(self.buffer, np.uint32, self._size + 1, at)

    @property
    def host_of(self) -> NDArray[np.uint16]:
        at = self._at_paths + 4 * (2 * self._size + 1)
        return np.frombuffer(self.buffer, np.uint16, self._size, at)

    @property
    def flags(self) -> NDArray[np.uint8]:
        at = self._at_paths + 4 * (2 * self._size + 1) + 2 * self._size
        return np.frombuffer(self.buffer, np.uint8, self._size, at)

    @property
    def hosts(self) -> list[str]:
        """Distinct hosts that the links lead to."""
        names = self.buffer[self._at_text + self._text :]
        return names.decode().split("\n") if names else []

    def bag(self, name: str) -> Bag:
        """One of the four bags of `BAGS` for every link."""
        return self.bags(name)[0]

    def bags(self, *names: str) -> list[Bag]:
        """Several of them; they share one array `ids`."""
        starts, ids = self.bag_starts, self.bag_ids
        places = [BAGS.index(name) for name in names]
        return [Bag(starts[at:-1:4], starts[at + 1 :: 4], ids) for at in places]

    def texts(self, rows: Rows | None = None) -> list[bytes]:
        """`url + "\\n" + anchor` of the chosen rows, or of all."""
        starts, text, buffer = self.text_starts, self._at_text, self.buffer
        begin, end = starts[:-1], starts[1:]
        if rows is not None:
            begin, end = begin[rows], end[rows]
        spans = zip(begin.tolist(), end.tolist(), strict=True)
        return [buffer[text + b : text + e] for b, e in spans]

    def urls(self) -> list[str]:
        return [text.split(b"\n", 1)[0].decode() for text in self.texts()]

    def anchors(self) -> list[str]:
        return [text.split(b"\n", 1)[1].decode() for text in self.texts()]


NO_LINKS = Links.pack(
    np.empty(0, np.uint64),
    (),
    (),
    np.empty(0, np.uint16),
    np.empty(0, np.uint32),
    np.empty(0, np.uint8),
    np.zeros(1, np.uint32),
    np.empty(0, np.uint32),
)


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """A parsed page. A page that could not be fetched or read is empty, never missing."""

    url: str
    title: str = ""
    raw_text: bytes = b""  # visible text in UTF-8
    terms: Terms = NO_TERMS
    links: Links = NO_LINKS
    flags: int = 0  # PageFlag

    @property
    def text(self) -> str:
        """The visible text."""
        return self.raw_text.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer, as it went over the wire.

    Either there is an `error` and no answer; or the header came whole, and `truncated` says in
    the words of WARC-Truncated why the body did not. `detail` is for people.
    """

    url: str  # as it was asked for
    status: int = 0
    head: bytes = b""  # status line, headers and the empty line; folded lines are joined
    headers: Headers = ()  # names in lower case, values without control characters
    body: bytes = b""  # as it came: still chunked and compressed, if the server did so
    address: str = ""  # the peer's IP address
    error: str = ""
    detail: str = ""
    truncated: str = ""
    seconds: float = 0.0
    at: float = field(default_factory=time.time)  # when it began, in seconds since 1970

    def first(self, name: str) -> str:
        """The first value of a header, or nothing."""
        return next((value for key, value in self.headers if key == name), "")

    def digest(self) -> str:
        """Of the body as it came, as WARC files write it."""
        return "sha1:" + base64.b32encode(hashlib.sha1(self.body).digest()).decode()


@dataclass(frozen=True, slots=True, eq=False)
class Response:
    """What came back for a URL. A failure is a response with `error`, never an exception."""

    url: str  # where the answer came from, after redirects
    status: int = 0
    headers: Headers = ()
    body: bytes = b""  # without chunks and compression
    error: str = ""  # what kind of failure
    page: Page | None = None  # already parsed
    detail: str = ""  # of the error, for people
    refused: bool = False  # it was never asked for: robots.txt, scope or a budget forbids it
    digest: str = ""  # of the body as it came
    copied: bool = False  # the same body came before, from somewhere else
    exchanges: tuple[Exchange, ...] = ()  # live: redirects on the way, and the answer


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's word on a page. A page counts as relevant from 0.5 on."""

    relevance: float
    target: bool

    @property
    def relevant(self) -> bool:
        return self.relevance >= 0.5


NOTHING = Verdict(0.0, False)


@dataclass(frozen=True, slots=True, eq=False)
class Visit:
    """Link followed + page + verdict: the unit that flows through everything."""

    link: Link
    page: Page
    verdict: Verdict = NOTHING
    response: Response = field(default_factory=lambda: Response(""))

    @property
    def failed(self) -> bool:
        return bool(self.response.error)
