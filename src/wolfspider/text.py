"""Words: tokens, stop words, stems, term ids, bags of terms and how alike two bags are.

A term id is the low 32 bits of the xxh3 hash of a stem. It is the same on every machine and
every web, so a learner trained on one crawl reads the terms of another without a vocabulary.

What counts as a word: a run of ASCII letters and digits and of non-ASCII letters, in lower case,
of 2 to 40 characters, neither a stop word nor a number of more than four digits.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

import numpy as np
import Stemmer
from xxhash import xxh3_64_intdigest

from wolfspider.records import NO_TERMS, Floats, TermIds, Terms
from wolfspider.token_memo import TokenMemo

_STOP_WORDS = """
about above after again against all also although always am among an and another any are aren as
at be became because become been before being below between both but by can cannot could couldn
did didn do does doesn doing don done down during each either else etc even ever every few for
from further get got had hadn has hasn have haven having he hence her here hers herself him
himself his how however if in into is isn it its itself just ll may me might mine more most much
must mustn my myself neither no nor not now of off often on once one only onto or other others
otherwise our ours ourselves out over own per perhaps quite rather re same shall she should
shouldn since so some such than that the their theirs them themselves then there therefore these
they this those though through thus to too under until up upon us ve very via was wasn we were
weren what whatever when where whether which while who whom whose why will with within without won
would wouldn yet you your yours yourself yourselves
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
LONGEST = 40  # characters of a token; longer ones are data, not words
LONGEST_NUMBER = 4  # digits; years stay, telephone numbers go
LAST_MARK = 3  # a mark is a byte from 1 up to here; the id of a term is larger

_WORD_BYTES = b"0123456789abcdefghijklmnopqrstuvwxyz" + bytes(range(0x80, 0x100))
_MARKS = b"\x01\x02\x03"
# U+0080–U+00BF and U+2000–U+2FFF are signs and punctuation (“ ” – … « » and the hard space), all
# of them behind these first bytes. Turning the first byte into a space splits the words at no
# cost; the bytes left over stand at the head of the next token, and decoding drops them.
_SIGNS = b"\xc2\xe2"
_WIDE_SIGNS = (b"\xe3\x80", b"\xef\xbc")  # 、。「」 and ，！？: too many letters share a first byte


def _table(kept: bytes) -> bytes:
    """For `bytes.translate`: capitals become small, what is not kept becomes a space."""
    small = bytes(range(0x100)).lower()
    return bytes(b if b in kept and b not in _SIGNS else 0x20 for b in small)


_ID = struct.Struct("=I")
_LONG_TEXT = 4096  # bytes from which on the tokens are looked up all at once
_PLAIN = _table(_WORD_BYTES)
_MARKED = _table(_WORD_BYTES + _MARKS)


def term_id(stem: str) -> int:
    """The id of a stem: never 0, which stands for no term, nor that of a mark."""
    return max(xxh3_64_intdigest(stem.encode()) & 0xFFFFFFFF, LAST_MARK + 1)


class Words(dict[bytes, bytes]):
    """A memo token → term id, 0 for tokens that are not terms; asking for a token adds it.

    An id is kept as its four bytes, so that those of a whole text, joined, are an array.
    Never holds more than `limit` tokens: when full it forgets everything and starts anew, so a
    hostile web cannot fill the memory. Only the distinct tokens of a web are ever stemmed.
    """

    def __init__(self, language: str = "porter", limit: int = 1_000_000) -> None:
        super().__init__()
        self.limit = limit
        self._stemmer = Stemmer.Stemmer(language, 0)  # 0: no second memo inside
        self._stems: dict[int, str] = {}
        self._memo = TokenMemo()

    def ids(self, text: bytes) -> TermIds:
        """The id of each token of a text in which spaces stand between tokens."""
        if len(text) >= _LONG_TEXT:
            return self._memo.look_up(text, self.__getitem__)
        return np.frombuffer(b"".join(map(self.__getitem__, text.split())), np.uint32)

    def __missing__(self, token: bytes) -> bytes:
        if len(self) >= self.limit:
            self.clear()
            self._stems.clear()
            self._memo = TokenMemo()
        self[token] = found = _ID.pack(self._look(token))
        return found

    def _look(self, token: bytes) -> int:
        if token in (b"\x01", b"\x02", b"\x03"):
            return token[0]
        word = token.decode("utf-8", "ignore")
        if not _is_term(word):
            return 0
        stem = self.stem(word)
        found = term_id(stem)
        self._stems[found] = stem
        return found

    def stem(self, word: str) -> str:
        """The stem of a word; case does not matter."""
        stem: str = self._stemmer.stemWord(word.lower())
        return stem

    def word_of(self, term_id: int) -> str | None:
        """The stem behind a term id, if a word with this stem was seen lately."""
        return self._stems.get(int(term_id))


def _is_term(word: str) -> bool:
    if not 1 < len(word) <= LONGEST or word in STOP_WORDS:
        return False
    return len(word) <= LONGEST_NUMBER or not word.isdecimal()


WORDS = Words()  # one memo for the process: terms mean the same everywhere


def stem(word: str) -> str:
    """The Porter stem of a word; case does not matter."""
    return WORDS.stem(word)


def word_of(term_id: int) -> str | None:
    """The stem behind a term id, for explaining a model; None if it was not seen lately."""
    return WORDS.word_of(term_id)


def term_ids(text: str | Sequence[str], words: Words = WORDS) -> TermIds:
    """The terms of a text, or of several, in order and with repeats."""
    data = (text if isinstance(text, str) else " ".join(text)).encode("utf-8", "replace")
    found = _look_up(data, _PLAIN, words)
    kept: TermIds = found[found != 0]
    return kept


def marked_ids(data: bytes, words: Words = WORDS) -> TermIds:
    """Every token of a UTF-8 text in order: its term id, or 0 for one that is not a term.

    The bytes 1, 2 and 3 are marks; one that stands alone between white space is a token of its
    own with that value. So one pass tells the terms of many parts of a text.
    """
    return _look_up(data, _MARKED, words)


def _look_up(data: bytes, table: bytes, words: Words) -> TermIds:
    if not data.isascii():
        for sign in _WIDE_SIGNS:
            data = data.replace(sign, b" ")
    return words.ids(data.translate(table))


def terms(text: str, words: Words = WORDS) -> Terms:
    """The bag of terms of a text."""
    return count_terms(term_ids(text, words))


def count_terms(ids: TermIds) -> Terms:
    """The bag of given term ids, which may repeat."""
    if not len(ids):
        return NO_TERMS
    ordered = np.sort(ids)
    edges = np.ones(len(ordered) + 1, np.bool)
    np.not_equal(ordered[1:], ordered[:-1], out=edges[1:-1])
    at = edges.nonzero()[0]
    return Terms.of(ordered[at[:-1]], (at[1:] - at[:-1]).astype(np.float32))


def cosine(a: Terms, b: Terms) -> float:
    """Cosine of two bags of raw counts: Σ f_ka·f_kb / √(Σ f_ka² · Σ f_kb²); 0 for an empty bag.

    Menczer, Pant & Srinivasan, Topical web crawlers (2004), equation 4.
    """
    if not a.norm or not b.norm:
        return 0.0
    few, many = (a, b) if len(a.ids) <= len(b.ids) else (b, a)
    shared = float(few.counts.dot(many.frequencies(few.ids)))
    return min(shared / (a.norm * b.norm), 1.0)


class TfIdf:
    """Weights f·ln(N/df), with document frequencies gathered from the bags given to `add`.

    f is the raw count of a term in the bag, N the number of bags added and df the number of those
    with the term. A term never seen weighs like one seen once, df = 1. A term that is in every
    bag weighs 0, and so does every term before the second bag.
    """

    def __init__(self) -> None:
        self.documents = 0
        self._frequency: dict[int, int] = {}

    def add(self, terms: Terms) -> None:
        """Count one more document."""
        self.documents += 1
        frequency = self._frequency
        for term in terms.ids.tolist():
            frequency[term] = frequency.get(term, 0) + 1

    def idf(self, ids: TermIds) -> Floats:
        """ln(N/df) of each term."""
        seen = self._frequency
        df = np.fromiter((seen.get(term, 1) for term in ids.tolist()), np.float64, len(ids))
        return math.log(max(self.documents, 1)) - np.log(df)

    def weights(self, terms: Terms) -> Floats:
        """The weight of each of `terms.ids`."""
        return terms.counts * self.idf(terms.ids)

    def cosine(self, a: Terms, b: Terms) -> float:
        """Cosine of the two weighted bags; 0 if one of them weighs nothing."""
        left, right = self.weights(a), self.weights(b)
        size = math.sqrt(float(left @ left) * float(right @ right))
        if not size:
            return 0.0
        _, at_a, at_b = np.intersect1d(a.ids, b.ids, assume_unique=True, return_indices=True)
        return min(float(left[at_a] @ right[at_b]) / size, 1.0)
