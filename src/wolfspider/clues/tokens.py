"""The tokens of links: their words, and what else about them can be met again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from wolfspider.clues.rates import BITS, Hashes, Singles
from wolfspider.records import BAGS, Links, Rows, State, TermIds

MARKS = ("path", "template", "host", "folder", "shape")
KINDS = (*BAGS, "source", *MARKS)
"""The words of the four bags; the anchor words of the link that led to the source page; the tag
path, alone and together with the folder of the source page; host, folder and shape of the URL."""

VERSION = 3  # of tokens and what is made of them: what another one learned is of no use

_WORDY = len(KINDS) - len(MARKS)  # kinds of which a link has any number; of the others it has one
MOST_WORDS = 24  # words of a link in one bag
_GROWTH = 1.125  # of arrays; more is faster, and room that nobody uses
_DIGITS = frozenset(b"0123456789")

# Ids are hashes already. Their upper bits are the token of a word, in whatever bag it stands. Their
# lower bits are that of a word in its bag: the salt of a kind changes some that the upper lack.
_UPPER, _LOWER = np.array(32 - BITS, np.uint32), np.array((1 << BITS) - 1, np.uint32)
_SALTS = np.array([0x9E3779B1 * (n + 1) % (1 << 32) >> BITS for n in range(len(KINDS))], np.uint32)
_BLOCK = 1 << 10  # links for which the salts of words are written down once and for all
_ALL_SALTS = np.tile(_SALTS[:_WORDY], _BLOCK)

# What one word of so many in a bag counts for: in their mean; or in their sum over its root, where
# many words that agree say more than one, but not as much more as if each spoke for itself.
IN_MEAN = (1 / np.maximum(np.arange(256), 1)).astype(np.float32)
IN_MEAN[0] = 0
BY_ROOT = np.sqrt(IN_MEAN)


def hashed(ids: TermIds) -> Hashes:
    """Tokens of ids, as words of pages."""
    return (ids >> _UPPER).astype(np.intp)


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The tokens of n links; ids are salted by their kind."""

    words: TermIds  # link after link, and in each kind after kind
    counts: NDArray[np.uint8]  # of words, links × kinds
    marks: TermIds  # links × kinds

    def ids(self) -> TermIds:
        """The words without salt."""
        return self.words ^ _salts(self.counts)

    def all_ids(self) -> TermIds:
        """All words and then all marks without salt."""
        return np.concatenate([self.ids(), (self.marks ^ _SALTS[_WORDY:]).ravel()])

    def own(self) -> Hashes:
        """As tokens of their kinds: all words and then all marks."""
        tokens: Hashes = np.concatenate([self.words, self.marks.ravel()])
        tokens &= _LOWER
        return tokens

    def spoken(self) -> Hashes:
        """The words as those of pages."""
        return hashed(self.words)

    def anchor(self) -> TermIds:
        """The anchor words of the first link, as ids."""
        words: TermIds = self.words[: self.counts.item(0, 0)] ^ _SALTS[0]
        return words

    def for_each(self, values: NDArray[Any]) -> NDArray[Any]:
        """A value given for every link, for each of its tokens, in the order of `own`."""
        words = values.repeat(np.add.reduce(self.counts, axis=1, dtype=np.intp))
        return np.concatenate([words, values.repeat(len(MARKS))])

    def split(self, count: int) -> tuple[Tokens, Tokens]:
        """The tokens of the first so many links, and of the others."""
        words = int(np.add.reduce(self.counts[:count], axis=None, dtype=np.intp))
        first = Tokens(self.words[:words], self.counts[:count], self.marks[:count])
        return first, Tokens(self.words[words:], self.counts[count:], self.marks[count:])

    def pooled(self, *values: tuple[Singles, Singles]) -> list[Singles]:
        """For each link and kind what its words say together; 0 without any.

        `values` are given for every word, with what one of so many counts for.
        """
        counts = self.counts.ravel()
        starts = counts.cumsum(dtype=np.intp) - counts
        padded = np.zeros(len(self.words) + 1, np.float32)  # words that are missing at the end
        pooled: list[Singles] = []
        for each, part in values:
            padded[:-1] = each
            total: Singles = np.add.reduceat(padded, starts)
            total *= part.take(counts)
            pooled.append(total.reshape(self.counts.shape))
        return pooled


NO_TOKENS = Tokens(
    np.empty(0, np.uint32), np.zeros((1, _WORDY), np.uint8), np.empty((0, len(MARKS)), np.uint32)
)


def tokens_of(links: Links, rows: Rows, source: str, led_by: TermIds) -> Tokens:
    """The tokens of some links of a page, to which a link with these anchor words led."""
    ids, starts = links.bag_ids, links.bag_starts
    begins, ends = np.empty((2, len(rows), _WORDY), np.intp)
    begins[:, : len(BAGS)] = starts[:-1].reshape(-1, len(BAGS)).take(rows, axis=0)
    ends[:, : len(BAGS)] = starts[1:].reshape(-1, len(BAGS)).take(rows, axis=0)
    begins[:, len(BAGS)], ends[:, len(BAGS)] = len(ids), len(ids) + len(led_by)
    counts = np.minimum(ends - begins, MOST_WORDS)
    places = ragged(begins.ravel(), counts.ravel())
    words = np.concatenate([ids, led_by]).take(places)
    words ^= _salts(counts)
    marks = np.array(_marks(links, rows, source), np.uint32) ^ _SALTS[_WORDY:]
    return Tokens(words, counts.astype(np.uint8), marks)


def ragged(begins: NDArray[Any], counts: NDArray[Any]) -> Rows:
    """All places of some ranges, one range after the other."""
    before = counts.cumsum() - counts
    places: Rows = (begins - before).repeat(counts)
    places += np.arange(len(places))
    return places


def _salts(counts: NDArray[Any]) -> TermIds:
    """The salt of each word, of counts of links × kinds."""
    salts = (
        _ALL_SALTS[: counts.size] if len(counts) <= _BLOCK else np.resize(_ALL_SALTS, counts.size)
    )
    return salts.repeat(counts.ravel())


def _marks(links: Links, rows: Rows, source: str) -> list[tuple[int, ...]]:
    """For each link tag path, template, host, folder and shape."""
    folder = crc32(source.rpartition("/")[0].encode())
    hosts = [crc32(host.encode()) for host in links.hosts]
    paths, host_of = links.paths[rows].tolist(), links.host_of[rows].tolist()
    return [
        (path, path ^ folder, hosts[host], *_folder_and_shape(text))
        for path, host, text in zip(paths, host_of, links.texts(rows), strict=True)
    ]


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
        self._words = np.empty(1 << 14, np.uint32)
        self._starts = np.zeros(1 << 10, np.uint32)
        self._counts = np.zeros((1 << 10, _WORDY), np.uint8)
        self._marks = np.zeros((1 << 10, len(MARKS)), np.uint32)
        self._end = 0

    def make_room(self, count: int) -> None:
        """For so many links; those without tokens have none."""
        if count > len(self._starts):
            for name in _ROWS:
                setattr(self, name, grown(getattr(self, name), count))

    def put(self, first: int, tokens: Tokens) -> None:
        """Keep the tokens of links with the numbers from `first` on."""
        last, end = first + len(tokens.counts), self._end + len(tokens.words)
        self._words = grown(self._words, end)
        self.make_room(last)
        self._words[self._end : end] = tokens.words
        totals = np.add.reduce(tokens.counts, axis=1, dtype=np.intp)
        self._starts[first:last] = self._end + totals.cumsum() - totals
        self._counts[first:last] = tokens.counts
        self._marks[first:last] = tokens.marks
        self._end = end

    def get(self, numbers: NDArray[Any]) -> Tokens:
        """Their tokens; a link that has none has no words, and marks that nobody has."""
        counts = self._counts.take(numbers, axis=0)
        totals = np.add.reduce(counts, axis=1, dtype=np.intp)
        places = ragged(self._starts.take(numbers), totals)
        return Tokens(self._words.take(places), counts, self._marks.take(numbers, axis=0))

    def get_one(self, number: int) -> Tokens:
        if not self._marks.item(number, 0):
            return NO_TOKENS
        counts, start = self._counts[number : number + 1], self._starts.item(number)
        words = self._words[start : start + sum(counts[0].tolist())]
        return Tokens(words, counts, self._marks[number : number + 1])

    def state(self, size: int) -> State:
        rows = {name: getattr(self, name)[:size] for name in _ROWS}
        return {"words": self._words[: self._end], **rows}

    def restore(self, state: State) -> None:
        self._words = np.array(state["words"], np.uint32)
        for name in _ROWS:
            setattr(self, name, np.array(state[name]))
        self._end = len(self._words)


_ROWS = ("_starts", "_counts", "_marks")


def grown(array: NDArray[Any], count: int) -> NDArray[Any]:
    """The array, or one that is long enough with the same beginning and zeros after it."""
    if count <= len(array):
        return array
    longer = np.zeros((max(int(_GROWTH * len(array)), count), *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
