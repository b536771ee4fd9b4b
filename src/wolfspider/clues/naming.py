"""Clues in words: what a row of numbers says about a link, for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import expm1

import numpy as np

from wolfspider.clues.book import Count
from wolfspider.clues.evidence import AT, HEARD, Evidence
from wolfspider.clues.rates import Singles
from wolfspider.clues.tokens import BY_ROOT, IN_MEAN, KINDS, MOST_WORDS
from wolfspider.records import BAGS, Clue, Floats

_MOST = 8  # clues of a receipt
_TINY = 0.005  # weight
_TRIFLE = _TINY / MOST_WORDS  # weight of one word: as many as a bag holds weigh no more than that
_LARGEST = 0xFFFF  # a clue's key holds two counts of so much

_TOKENS = {  # with the word or place, and where the page that says it cannot be read any more
    "anchor": ('link text "{}"', "words of the link text"),
    "context": ('words around it "{}"', "words around it"),
    "heading": ('heading above it "{}"', "words of the heading above it"),
    "url": ('its address "{}"', "words of its address"),
    "source": (
        'the page it was found on was linked as "{}"',
        "words with which the page it was found on was linked",
    ),
    "path": ("place on the page, {}", "place on the page"),
    "template": ("place on pages of that folder, {}", "place on pages of that folder"),
    "host": ("its host {}", "its host"),
    "folder": ("its folder {}", "its folder"),
    "shape": ("form of its address", "form of its address"),
}
# Of several pages with a link the one that says most counts; of meaning the first, and what was far
# from the topic is neither near nor far when a second page has the link.
_SAID = {
    "like_anchor": "a link text of it has words of the topic",
    "like_context": "words of the topic stand around a link to it",
    "like_heading": "a heading above a link to it has words of the topic",
    "like_url": "its address has words of the topic",
    "like_page": "a page that links to it has words of the topic",
    "like_led_by": "a link to a page that links to it had words of the topic",
    "like_source_url": "the address of a page that links to it has words of the topic",
    "like_title": "the title of a page that links to it has words of the topic",
    "like_means_anchor": "its first link text is near the topic in meaning",
    "like_means_context": "words around its first link are near the topic in meaning",
    "like_means_heading": "the heading above its first link is near the topic in meaning",
    "like_means_url": "its address is near the topic in meaning",
    "like_same_host": "same host as the first page that links to it",
    "like_same_folder": "same folder as the first page that links to it",
    "like_upward": "leads to a folder above the first page that links to it",
    "like_near": "found {} after a relevant page",
    "like_shallow": "{} away from the seeds",
    "like_alone": "one of about {} of a page that links to it",
    "talk": "pages that link to it use the words of relevant pages more than usual",
    "sources": "linked from {}",
}
_HEARD = {  # of further links to a page, by who hears them
    "heard_anchor": "the text of another link to it has words that paid",
    "heard_context": "words around another link to it paid",
}
_OTHERWISE = {  # the same, where the number is below 0, or is 0 where it says yes or no
    "like_means_anchor": "its first link text is far from the topic in meaning",
    "like_means_context": "words around its first link are far from the topic in meaning",
    "like_means_heading": "the heading above its first link is far from the topic in meaning",
    "like_means_url": "its address is far from the topic in meaning",
    "like_same_host": "another host than the first page that links to it",
    "like_same_folder": "another folder than the first page that links to it",
    "like_upward": "does not lead to a folder above the first page that links to it",
    "talk": "pages that link to it use the words of relevant pages less than usual",
}
_YES_OR_NO = ("like_same_host", "like_same_folder", "like_upward")
_FAR = 6  # links from the last relevant page, or more, or there was none
_COUNTED = {"like_near": "link", "like_shallow": "link", "like_alone": "link", "sources": "page"}
_COUNTS = {  # features, what was paid or was worth, by how many; told in percent
    "sources_share": (
        ("sources_paid", "some_paid"),
        Count.PAID,
        Count.SOURCES,
        "pages that link to it were {0} % relevant on average",
    ),
    "alike_worth": (
        ("alike_worth",),
        Count.ALIKE_WORTH,
        Count.ALIKE,
        "links at the same place of its pages, {1} so far, yielded {0} %",
    ),
    "beside_share": (
        ("beside_paid",),
        Count.BESIDE_PAID,
        Count.BESIDE,
        "links beside it led to pages that were {0} % relevant on average",
    ),
}
_EXACT = "alike_worth"  # of the others tens are enough, so that those of many links are one clue
_IN_PERCENT = {kind: words for kind, (*_, words) in _COUNTS.items()}
_IN_COUNTS = {  # receipts of before
    "sources_paid": "{} of {} pages that link to it are relevant",
    "alike_paid": "{} of {} links at the same place of its pages led to relevant pages",
    "beside_paid": "{} of {} links beside it led to relevant pages",
}
_PERCENT = 0x7F  # of a key, above a count; and above that how it differs from what is usual
_LESS, _MORE = 1 << 24, 1 << 25  # if it speaks for less, or against more
_UNUSUAL = {
    0: "",
    _LESS: ", less than usual, which speaks for it",
    _MORE: ", more than usual, which speaks against it",
}
_RELATIVE = slice(AT["same_host"], AT["rate_anchor"])  # places and counts: 0 of these says nothing
_PLAIN = {kind: AT[kind.removeprefix("like_")] for kind in _SAID}  # features that are clues as such
_KINDS = np.array(KINDS, object)
_RATES = slice(AT["rate_anchor"], AT["rate_anchor"] + len(KINDS))
_TALKS = slice(AT["talk_anchor"], AT["talk_anchor"] + len(BAGS))
_Weights = dict[tuple[str, int | None], float]  # of clues by kind and key, or none yet
KIND_NAMES = (*_TOKENS, *_SAID, *_HEARD, *_COUNTS)


def clues_of(
    evidence: Evidence, number: int, row: Singles, weights: Floats, usual: Singles
) -> tuple[Clue, ...]:
    """The weightiest clues about a link, first those that say most.

    Where it stands and what was counted is compared with a row of what is usual: that it is as far
    from the seeds as all others is no clue.
    """
    shares = row * weights
    shares[_RELATIVE] -= usual[_RELATIVE] * weights[_RELATIVE]
    said = _of_tokens(evidence, number, weights) | _of_features(evidence, number, shares.tolist())
    most = [(what, weight) for what, weight in said.items() if abs(weight) > _TINY]
    most.sort(key=lambda clue: -abs(clue[1]))
    return tuple(
        Clue(kind, _key(kind, evidence, number, row, usual, weight) if key is None else key, weight)
        for (kind, key), weight in most[:_MOST]
    )


def _of_tokens(evidence: Evidence, number: int, weights: Floats) -> _Weights:
    """Words and other tokens; each has its part in what its kind says."""
    tokens = evidence.book.tokens.get_one(number)
    counts = np.full(len(KINDS), len(tokens.marks))
    counts[: tokens.counts.shape[1]] = tokens.counts[0]
    scales = (weights[_RATES] * BY_ROOT.take(counts)).repeat(counts)
    shares = scales * evidence.rates.lift(tokens.own(), evidence.base)
    of_bags = counts[: len(BAGS)]
    talks = (weights[_TALKS] * IN_MEAN.take(of_bags)).repeat(of_bags)
    spoken = tokens.spoken()[: len(talks)]
    shares[: len(talks)] += talks * evidence.speech.lift(spoken, evidence.page_base)
    some = (np.abs(shares) > _TRIFLE).nonzero()[0]  # most words were never met, and say nothing
    kinds, ids = _KINDS.repeat(counts).take(some), tokens.all_ids().take(some)
    total: _Weights = {}
    for kind, key, share in zip(
        kinds.tolist(), ids.tolist(), shares.take(some).tolist(), strict=True
    ):
        total[kind, key] = total.get((kind, key), 0.0) + share
    if evidence.hears_again:
        total |= _of_further_links(evidence, number, weights)
    return total


def _of_further_links(evidence: Evidence, number: int, weights: Floats) -> _Weights:
    """How much more the words of another link to it say than those of the first."""
    tokens = evidence.book.tokens.get_one(number)
    rates = evidence.rates.lift(tokens.own()[: len(tokens.words)], evidence.base)
    (own,) = tokens.pooled((rates, BY_ROOT))
    heard = evidence.heard(np.array([number]))[0]
    more = (heard - own[0, : len(HEARD)]).clip(0).tolist()
    return {
        (f"heard_{kind}", 0): weights.item(AT[f"rate_{kind}"]) * each
        for kind, each in zip(HEARD, more, strict=True)
    }


def _of_features(evidence: Evidence, number: int, shares: Sequence[float]) -> _Weights:
    """What was counted, and what pages say."""
    said: _Weights = {
        (kind, None): sum(shares[AT[each]] for each in features)
        for kind, (features, _, seen, _) in _COUNTS.items()
        if evidence.book.count_of(number, seen)
    }
    return said | {(kind, None): shares[at] for kind, at in _PLAIN.items()}


def _key(
    kind: str, evidence: Evidence, number: int, row: Singles, usual: Singles, weight: float
) -> int:
    """How many links or pages there are, or which share of them was relevant; of others, whether
    it is otherwise than its name says."""
    if kind in _COUNTS:
        (feature, *_), *what, _ = _COUNTS[kind]
        paid, seen = (evidence.book.count_of(number, each) for each in what)
        percent = round(100 * paid / seen, 0 if kind == _EXACT else -1)
        more = row.item(AT[feature]) - usual.item(AT[feature])
        unusual = 0 if more * weight >= 0 else _LESS if more < 0 else _MORE
        return unusual | int(percent) << 16 | (_count(seen) if kind == _EXACT else 0)
    at = _PLAIN[kind]
    value = row.item(at)
    if kind in _COUNTED:
        in_logs = kind in ("sources", "like_alone")
        return _count(expm1(abs(value)) if in_logs else abs(value))
    if kind in _YES_OR_NO:
        return int(value <= 0)
    return int(kind in _OTHERWISE and value < (usual.item(at) if kind == "talk" else 0))


def _count(value: float) -> int:
    return min(_LARGEST, round(value))


def name_of(clue: Clue, words: Mapping[int, str]) -> str:
    """A clue in words; `words` has the texts of tokens that are known."""
    if clue.kind in _TOKENS:
        word = words.get(clue.key)
        named, unnamed = _TOKENS[clue.kind]
        return unnamed if word is None else named.format(word)
    if clue.kind in _IN_PERCENT:
        told = _IN_PERCENT[clue.kind].format(clue.key >> 16 & _PERCENT, clue.key & _LARGEST)
        return told + _UNUSUAL[clue.key & (_LESS | _MORE)]
    if clue.kind in _IN_COUNTS:
        return _IN_COUNTS[clue.kind].format(clue.key >> 16, clue.key & _LARGEST)
    if clue.kind == "like_near" and clue.key >= _FAR:
        return "found far from any relevant page"
    if clue.kind == "like_near" and not clue.key:
        return "found on a relevant page"
    if clue.kind == "like_alone" and not clue.key:
        return "how many links its page has"  # receipts of before do not say
    if clue.kind in _COUNTED:
        what = _COUNTED[clue.kind] + ("" if clue.key == 1 else "s")
        return _SAID[clue.kind].format(f"{clue.key} {what}")
    names = _OTHERWISE if clue.key and clue.kind in _OTHERWISE else _SAID | _HEARD
    return names.get(clue.kind, clue.kind)
