"""Clues in words: what a row of numbers says about a link, for people."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from wolfspider.clues.book import Count
from wolfspider.clues.evidence import AT, Evidence
from wolfspider.clues.rates import Singles
from wolfspider.clues.tokens import KINDS
from wolfspider.records import BAGS, Clue, Floats

_MOST = 8  # clues of a receipt
_TINY = 0.005  # weight
_LARGEST = 0xFFFF  # a clue's key holds two counts of so much

_TOKENS = {
    "anchor": 'link text "{}"',
    "context": 'words around it "{}"',
    "heading": 'heading above it "{}"',
    "url": 'its address "{}"',
    "source": 'the page it was found on was linked as "{}"',
    "path": "place on the page, {}",
    "template": "place on pages of that folder, {}",
    "host": "its host {}",
    "folder": "its folder {}",
    "shape": "form of its address",
}
_SAID = {
    "like_anchor": "link text has words of the topic",
    "like_context": "words of the topic stand around it",
    "like_heading": "heading above it has words of the topic",
    "like_url": "its address has words of the topic",
    "like_page": "the page it was found on has words of the topic",
    "like_led_by": "the link to the page it was found on had words of the topic",
    "like_source_url": "the address of the page it was found on has words of the topic",
    "like_title": "the title of the page it was found on has words of the topic",
    "like_means_anchor": "link text is near the topic in meaning",
    "like_means_context": "words around it are near the topic in meaning",
    "like_means_heading": "heading above it is near the topic in meaning",
    "like_means_url": "its address is near the topic in meaning",
    "like_same_host": "same host as the page it was found on",
    "like_same_folder": "same folder as the page it was found on",
    "like_upward": "leads to a folder above the page it was found on",
    "like_near": "found {} after the last relevant page",
    "like_shallow": "{} away from the seeds",
    "like_alone": "how many links its page has",
    "talk": "pages with this link use the words of relevant pages",
    "sources": "linked from {}",
}
_BELOW_ZERO = {  # the same, where the number is below 0
    "like_means_anchor": "link text is far from the topic in meaning",
    "like_means_context": "words around it are far from the topic in meaning",
    "like_means_heading": "heading above it is far from the topic in meaning",
    "like_means_url": "its address is far from the topic in meaning",
    "talk": "pages with this link use other words than relevant pages",
}
_FAR = 6  # links from the last relevant page, or more, or there was none
_COUNTED = {"like_near": "link", "like_shallow": "link", "sources": "page"}
_COUNTS = {
    "sources_paid": (Count.PAID, Count.SOURCES, "{} of {} pages with this link are relevant"),
    "alike_paid": (
        Count.ALIKE_PAID,
        Count.ALIKE,
        "{} of {} links at the same place of its pages led to relevant pages",
    ),
    "beside_paid": (
        Count.BESIDE_PAID,
        Count.BESIDE,
        "{} of {} links beside it led to relevant pages",
    ),
}
_SAME = {"sources_paid": ("sources_paid", "some_paid")}  # how many are, and that one is: one clue
_SAID_FEATURES = [(name, AT[name.removeprefix("like_")]) for name in _SAID]
_Weights = dict[tuple[str, int], float]  # of clues by kind and key
KIND_NAMES = (*_TOKENS, *_SAID, *_COUNTS)


def clues_of(evidence: Evidence, number: int, row: Singles, weights: Floats) -> tuple[Clue, ...]:
    """The weightiest clues about a link, first those that say most."""
    shares = row * weights
    clues = {
        **_of_tokens(evidence, number, weights),
        **_of_counts(evidence, number, shares),
        **_of_the_rest(row, shares),
    }
    most = sorted(clues.items(), key=lambda clue: -abs(clue[1]))[:_MOST]
    return tuple(Clue(*what, weight) for what, weight in most if abs(weight) > _TINY)


def _of_tokens(evidence: Evidence, number: int, weights: Floats) -> _Weights:
    """Words and other tokens; each has its part in the mean of its kind."""
    tokens = evidence.book.tokens.get_one(number)
    kinds, counts = tokens.kinds(), np.ones(len(KINDS))
    counts[: tokens.counts.shape[1]] = np.maximum(tokens.counts[0], 1)
    rates = evidence.rates.lift(tokens.own(), evidence.base)
    talks = np.zeros(len(rates))
    talks[: len(tokens.words)] = evidence.speech.lift(tokens.spoken(), evidence.page_base)
    by_rate = weights[AT["rate_anchor"] : AT["rate_anchor"] + len(KINDS)]
    by_talk = np.zeros(len(KINDS))
    by_talk[: len(BAGS)] = weights[AT["talk_anchor"] : AT["talk_anchor"] + len(BAGS)]
    shares = (rates * by_rate[kinds] + talks * by_talk[kinds]) / counts[kinds]
    ids = tokens.all_ids().tolist()
    total: _Weights = {}
    for kind, key, share in zip(kinds.tolist(), ids, shares.tolist(), strict=True):
        clue = KINDS[kind], key
        total[clue] = total.get(clue, 0.0) + share
    return total


def _of_counts(evidence: Evidence, number: int, shares: Floats) -> _Weights:
    count_of = partial(evidence.book.count_of, number)
    clues = {}
    for name, (paid, seen, _) in _COUNTS.items():
        if count_of(seen):
            key = _count(count_of(paid)) << 16 | _count(count_of(seen))
            features = _SAME.get(name, (name,))
            clues[name, key] = sum(shares.item(AT[each]) for each in features)
    return clues


def _of_the_rest(row: Singles, shares: Floats) -> _Weights:
    return {(name, _key(name, row.item(at))): shares.item(at) for name, at in _SAID_FEATURES}


def _key(name: str, value: float) -> int:
    """How many links or pages there are; of others, whether the number is below 0."""
    if name in _COUNTED:
        return _count(np.expm1(value) if name == "sources" else abs(value))
    return int(value < 0 and name in _BELOW_ZERO)


def _count(value: float) -> int:
    return min(_LARGEST, round(value))


def name_of(clue: Clue, words: Mapping[int, str]) -> str:
    """A clue in words; `words` has the texts of tokens that are known."""
    if clue.kind in _TOKENS:
        return _TOKENS[clue.kind].format(words.get(clue.key, "?"))
    if clue.kind in _COUNTS:
        return _COUNTS[clue.kind][2].format(clue.key >> 16, clue.key & _LARGEST)
    if clue.kind == "like_near" and clue.key >= _FAR:
        return "found far from any relevant page"
    if clue.kind in _COUNTED:
        what = _COUNTED[clue.kind] + ("" if clue.key == 1 else "s")
        return _SAID[clue.kind].format(f"{clue.key} {what}")
    names = _BELOW_ZERO if clue.key and clue.kind in _BELOW_ZERO else _SAID
    return names.get(clue.kind, clue.kind)
