"""A vocabulary: which words a topic uses, and how often.

Words are either read from `wordlists` or coined from syllables. Within a row they follow the law
of Zipf and Mandelbrot, p(rank) ∝ 1 / (rank + 2.7), real words first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wolfspider.webs.synthetic.wordlists import GENERAL, INSTITUTION, RUNNING, TOPICS, listed

Ids = NDArray[np.int32]

ONSETS = listed("b c d f g h l m n p r s t v z b d l m n r s t v br ch dr gl pl st th tr")
VOWELS = listed("a e i o u a e i o a e o ia ea")
CODAS = ("", "", "", *listed("n r l s m nt"))

COMMON = 1500  # coined words that belong to no topic
OWN = 220  # coined words of one topic
SHARED = 60  # coined words that a topic shares with its family
FAMILY = 4  # topics in a family: chemistry is harder to tell from physics than from football
QUANTILES = 1 << 14


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """All words of a web, in rows by what they are about.

    Row 0 is running text, rows 1 … n are the topics, then follow `institution` and `general`.
    """

    words: NDArray[Any]  # of str, by word id
    names: tuple[str, ...]  # of the topics
    tables: Ids  # one row of word ids at equal quantiles of its distribution

    @property
    def institution(self) -> int:
        return len(self.names) + 1

    @property
    def general(self) -> int:
        return len(self.names) + 2

    def draw(self, rng: np.random.Generator, rows: NDArray[Any]) -> Ids:
        """One word id for each given row, by the row's distribution."""
        at = rng.integers(QUANTILES, size=rows.shape, dtype=np.int32)
        drawn: Ids = self.tables[rows, at]
        return drawn


def coin(rng: np.random.Generator, count: int, taken: set[str]) -> list[str]:
    """Pronounceable words, all different and none of them taken; takes them."""
    coined: list[str] = []
    while len(coined) < count:
        onsets, vowels = (rng.integers(len(part), size=(count, 4)) for part in (ONSETS, VOWELS))
        codas, syllables = rng.integers(len(CODAS), size=count), rng.choice([2, 2, 3, 3, 4], count)
        columns = (column.tolist() for column in (onsets, vowels, codas, syllables))
        for onset, vowel, coda, length in zip(*columns, strict=True):
            stem = "".join([ONSETS[onset[i]] + VOWELS[vowel[i]] for i in range(length)])
            coined.append(stem + CODAS[coda])
        coined = [word for word in dict.fromkeys(coined) if word not in taken]
    taken.update(coined[:count])
    return coined[:count]


def reserved() -> set[str]:
    """Real words, which no coined word may repeat."""
    return {*RUNNING, *GENERAL, *INSTITUTION, *(w for words in TOPICS.values() for w in words)}


def vocabulary(rng: np.random.Generator, topics: int) -> Vocabulary:
    """The vocabulary of a web with so many topics; past the real names they are coined."""
    taken = reserved()
    common = coin(rng, COMMON, taken)
    real = list(TOPICS.values())[:topics]
    real += [(name,) for name in coin(rng, topics - len(real), taken)]
    rows = [[*RUNNING, *common], *_topic_rows(rng, real, taken)]
    rows += [[*INSTITUTION, *common[:200]], [*GENERAL, *common[:400]]]
    words = list(dict.fromkeys(word for row in rows for word in row))
    number = {word: i for i, word in enumerate(words)}
    tables = np.stack([_quantiles([number[word] for word in row]) for row in rows])
    return Vocabulary(np.array(words, object), tuple(row[0] for row in real), tables)


def _topic_rows(
    rng: np.random.Generator, real: Sequence[tuple[str, ...]], taken: set[str]
) -> list[list[str]]:
    rows = []
    for topic, words in enumerate(real):
        if topic % FAMILY == 0:
            shared = coin(rng, SHARED, taken)
        own = coin(rng, OWN, taken)
        both = [*own, *shared]
        rng.shuffle(both)
        rows.append([*words, *both])
    return rows


def _quantiles(ids: Sequence[int]) -> Ids:
    """Word ids at equal steps of the cumulative distribution: a draw is then one look-up."""
    share = np.cumsum(1.0 / (np.arange(len(ids)) + 3.7))
    steps = (np.arange(QUANTILES) + 0.5) / QUANTILES * share[-1]
    at = np.minimum(np.searchsorted(share, steps), len(ids) - 1)
    table: Ids = np.asarray(ids, np.int32)[at]
    return table
