"""The tokens of links: their words, and what else about them can be met again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from wolfspider.clues.rates import BITS, Hashes
from wolfspider.records import BAGS, Floats, Links, Rows, State, TermIds

KINDS = (*BAGS, "source", "path", "template", "host", "folder", "shape")
"""The words of the four bags; the anchor words of the link that led to the source page; the tag
path, alone and together with the folder of the source page; host, folder and shape of the URL."""

_WORDS = len(BAGS)  # kinds of which a link has any number
_SOURCE = _WORDS
_MOST = 24  # words of a link in one bag
_SALTS = np.array([0x9E3779B1 * (kind + 1) & 0xFFFFFFFF for kind in range(len(KINDS))], np.uint32)
_BLOCK = 1 << 12  # links for which kinds and salts are written down once and for all
_KINDS = np.tile(np.arange(len(KINDS)), _BLOCK)
_ALL_SALTS = np.tile(_SALTS, _BLOCK)
_SPREAD, _FOLD, _SHIFT = np.uint32(0x85EBCA6B), np.uint32(15), np.uint32(32 - BITS)
_MASK = np.uint32((1 << BITS) - 1)
_GROWTH = 1.3  # of arrays; more is faster, and room that nobody uses
_DIGITS = frozenset(b"0123456789")


def hashed(ids: TermIds) -> Hashes:
    """Tokens of ids, as words of pages."""
    mixed = ids >> _FOLD
    mixed ^= ids
    mixed *= _SPREAD
    mixed >>= _SHIFT
    return mixed


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The tokens of n links in one array: link after link, and in each kind after kind."""

    ids: TermIds
    counts: NDArray[np.uint8]  # links × kinds

    def kinds(self) -> Rows:
        """The kind of each."""
        return _for_each(self.counts, _KINDS)

    def hashes(self) -> Hashes:
        """As words of pages."""
        return hashed(self.ids)

    def by_kind(self, hashes: Hashes) -> Hashes:
        """The same id is another token in another kind."""
        salted = _for_each(self.counts, _ALL_SALTS)
        salted += hashes
        salted &= _MASK
        return salted

    def own(self) -> Hashes:
        """As tokens of their kinds."""
        return self.by_kind(self.hashes())

    def means(self, *values: NDArray[Any]) -> list[Floats]:
        """For each link and kind the mean of a value given for every token; 0 without any."""
        counts = self.counts.ravel()
        full = counts.nonzero()[0]
        over = counts[full]
        starts = over.cumsum(dtype=np.intp) - over
        means = []
        for each in values:
            mean = np.zeros(len(counts))
            mean[full] = np.add.reduceat(each, starts) / over
            means.append(mean.reshape(self.counts.shape))
        return means


def _for_each(counts: NDArray[np.uint8], of_kinds: NDArray[Any]) -> NDArray[Any]:
    """What is known of kinds, for every token; `of_kinds` has it for `_BLOCK` links."""
    if len(counts) > _BLOCK:
        of_kinds = np.resize(of_kinds, counts.size)
    return of_kinds[: counts.size].repeat(counts.ravel())


NO_TOKENS = Tokens(np.empty(0, np.uint32), np.zeros((1, len(KINDS)), np.uint8))


def tokens_of(links: Links, rows: Rows, source: str, led_by: TermIds) -> Tokens:
    """The tokens of some links of a page, to which a link with these anchor words led."""
    count = len(rows)
    lengths = np.ones((count, len(KINDS)), np.int64)
    starts = links.bag_starts.astype(np.int64)
    sizes = (starts[1:] - starts[:-1]).reshape(-1, _WORDS)[rows]
    lengths[:, :_WORDS] = np.minimum(sizes, _MOST)
    lengths[:, _SOURCE] = len(led_by)
    words = lengths[:, :_WORDS].ravel()
    begins = starts[:-1].reshape(-1, _WORDS)[rows].ravel()
    places = (begins - (words.cumsum() - words)).repeat(words)
    places += np.arange(len(places))
    tokens = Tokens(np.empty(int(lengths.sum()), np.uint32), lengths.astype(np.uint8))
    kinds = tokens.kinds()
    tokens.ids[kinds < _WORDS] = links.bag_ids[places]
    if len(led_by):
        tokens.ids[kinds == _SOURCE] = np.tile(led_by, count)
    tokens.ids[kinds > _SOURCE] = _marks(links, rows, source).ravel()
    return tokens


def _marks(links: Links, rows: Rows, source: str) -> NDArray[np.uint32]:
    """For each link tag path, template, host, folder and shape."""
    paths = links.paths[rows]
    hosts = np.array([crc32(host.encode()) for host in links.hosts], np.uint32)
    marks = np.empty((len(rows), len(KINDS) - _SOURCE - 1), np.uint32)
    marks[:, 0] = paths
    marks[:, 1] = paths ^ np.uint32(crc32(source.rpartition("/")[0].encode()))
    marks[:, 2] = hosts[links.host_of[rows]]
    marks[:, 3:] = [_folder_and_shape(text) for text in links.texts(rows)]
    return marks


def _folder_and_shape(text: bytes) -> tuple[int, int]:
    """Hashes of a URL without its last part, and of how deep it is and how that part looks."""
    url = text.partition(b"\n")[0]
    folder, _, name = url.rpartition(b"/")
    suffix = name.rpartition(b".")[2] if b"." in name else b""
    looks = (b"?" in name) + 2 * (b"~" in url) + 4 * (not name) + 8 * (not _DIGITS.isdisjoint(name))
    return crc32(folder), crc32(suffix[:5], url.count(b"/") * 16 + looks)


class TokenPool:
    """The tokens of numbered links, four bytes each."""

    def __init__(self) -> None:
        self._ids = np.empty(1 << 14, np.uint32)
        self._starts = np.zeros(1 << 10, np.uint32)
        self._counts = np.zeros((1 << 10, len(KINDS)), np.uint8)
        self._end = 0

    def put(self, first: int, tokens: Tokens) -> None:
        """Keep the tokens of links with the numbers from `first` on."""
        count, end = len(tokens.counts), self._end + len(tokens.ids)
        self._ids = grown(self._ids, end)
        self._starts = grown(self._starts, first + count)
        self._counts = grown(self._counts, first + count)
        self._ids[self._end : end] = tokens.ids
        totals = tokens.counts.sum(axis=1, dtype=np.int64)
        self._starts[first : first + count] = self._end + np.cumsum(totals) - totals
        self._counts[first : first + count] = tokens.counts
        self._end = end

    def get(self, numbers: NDArray[Any]) -> Tokens:
        """Their tokens; a link without any has none."""
        counts = self._counts.take(numbers, axis=0)
        totals = counts.sum(axis=1, dtype=np.int64)
        places = (self._starts.take(numbers) - (totals.cumsum() - totals)).repeat(totals)
        places += np.arange(len(places))
        return Tokens(self._ids.take(places), counts)

    def get_one(self, number: int) -> Tokens:
        if number >= len(self._counts):
            return NO_TOKENS
        counts = self._counts[number : number + 1]
        start = self._starts.item(number)
        return Tokens(self._ids[start : start + int(counts.sum())], counts)

    def state(self, size: int) -> State:
        return {
            "ids": self._ids[: self._end],
            "starts": grown(self._starts, size)[:size],
            "counts": grown(self._counts, size)[:size],
        }

    def restore(self, state: State) -> None:
        self._ids = np.array(state["ids"], np.uint32)
        self._starts = np.array(state["starts"], np.uint32)
        self._counts = np.array(state["counts"], np.uint8).reshape(-1, len(KINDS))
        self._end = len(self._ids)


def grown(array: NDArray[Any], count: int) -> NDArray[Any]:
    """The array, or one that is long enough with the same beginning and zeros after it."""
    if count <= len(array):
        return array
    longer = np.zeros((max(int(_GROWTH * len(array)), count), *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
