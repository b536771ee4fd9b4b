"""The tokens of links, and how they are kept."""

from __future__ import annotations

from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from checks import through_disk
from wolfspider.clues.rates import BITS
from wolfspider.clues.tokens import (
    BY_ROOT,
    IN_MEAN,
    KINDS,
    MARKS,
    NO_TOKENS,
    TokenPool,
    Tokens,
    grown,
    hashed,
    tokens_of,
)
from wolfspider.records import BAGS
from wolfspider.text import term_ids
from wordy import wordy

WORDY = len(KINDS) - len(MARKS)
SOURCE = "http://a.test/list/index.html"
MANY = " ".join(f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyzabcdefgh")
LINKS = wordy(
    {
        "http://a.test/one.html": {"anchor": "solar eclipse", "heading": "moon"},
        "http://b.test/x/2?page=3": {"context": MANY, "url": "page"},
        "http://a.test/": {},
    }
)


def found(rows: list[int], led_by: str = "") -> Tokens:
    return tokens_of(LINKS, np.array(rows, np.intp), SOURCE, term_ids(led_by))


def kinds_of(tokens: Tokens) -> NDArray[np.intp]:
    """The kind of each token, in the order of `own`."""
    words = np.tile(np.arange(WORDY), len(tokens.counts)).repeat(tokens.counts.ravel())
    return np.concatenate([words, np.tile(np.arange(WORDY, len(KINDS)), len(tokens.marks))])


def of_kind(tokens: Tokens, link: int, kind: str) -> list[int]:
    whose = tokens.for_each(np.arange(len(tokens.counts)))
    chosen = (whose == link) & (kinds_of(tokens) == KINDS.index(kind))
    return [int(each) for each in tokens.all_ids()[chosen]]


@pytest.mark.parametrize("first", range(4))
def test_tokens_of_some_links_are_those_of_each(first: int) -> None:
    rows = [2, 0, 1]
    for whole, rest in zip(
        found(rows, "planet").split(first), (rows[:first], rows[first:]), strict=True
    ):
        assert len(whole.counts) == len(whole.marks) == len(rest)
        if rest:
            alone = found(rest, "planet")
            assert whole.words.tolist() == alone.words.tolist()
            assert whole.counts.tolist() == alone.counts.tolist()
            assert whole.marks.tolist() == alone.marks.tolist()


def test_words_stand_by_bag_and_at_most_24_of_one() -> None:
    tokens = found([0, 1, 2], "planet")
    assert of_kind(tokens, 0, "anchor") == term_ids("solar eclipse").tolist()
    assert of_kind(tokens, 0, "heading") == term_ids("moon").tolist()
    assert of_kind(tokens, 0, "context") == []
    assert of_kind(tokens, 1, "context") == term_ids(MANY).tolist()[:24]
    assert of_kind(tokens, 1, "url") == term_ids("page").tolist()
    assert [of_kind(tokens, link, "source") for link in range(3)] == [
        term_ids("planet").tolist()
    ] * 3
    assert tokens.counts.sum() == len(tokens.words)


def test_marks_are_host_folder_and_shape() -> None:
    tokens = found([0, 1, 2])
    hosts = [of_kind(tokens, link, "host") for link in range(3)]
    assert hosts == [[crc32(b"a.test")], [crc32(b"b.test")], [crc32(b"a.test")]]
    assert of_kind(tokens, 0, "folder") == of_kind(tokens, 2, "folder") == [crc32(b"http://a.test")]
    shapes = [of_kind(tokens, link, "shape") for link in range(3)]
    assert len({tuple(shape) for shape in shapes}) == 3
    assert of_kind(tokens, 0, "path") == [0]
    assert of_kind(tokens, 0, "template") == [crc32(b"http://a.test/list")]


def test_chosen_links_have_the_tokens_they_have_among_all() -> None:
    everything, some = found([0, 1, 2], "planet"), found([2, 1], "planet")
    for kind in KINDS:
        assert of_kind(some, 0, kind) == of_kind(everything, 2, kind)
        assert of_kind(some, 1, kind) == of_kind(everything, 1, kind)


def test_the_same_word_is_another_token_in_another_bag_and_one_word_of_pages() -> None:
    links = wordy({"http://a.test/1": dict.fromkeys(BAGS, "moon")})
    tokens = tokens_of(links, np.array([0]), SOURCE, term_ids("moon"))
    words = kinds_of(tokens) <= len(BAGS)
    assert len(set(tokens.own()[words].tolist())) == len(BAGS) + 1
    assert set(tokens.spoken().tolist()) == set(hashed(term_ids("moon")).tolist())
    assert tokens.ids().tolist() == term_ids("moon").tolist() * (len(BAGS) + 1)


def test_different_words_are_different_tokens_but_for_chance() -> None:
    """Of 500 in half a million cells hardly a pair meets."""
    ids = np.random.default_rng(1).integers(0, 2**32, 500, dtype=np.uint32)
    counts = np.zeros((50, WORDY), np.uint8)
    counts[:, 1] = 10
    marks = np.zeros((0, len(MARKS)), np.uint32)
    assert len(set(Tokens(ids, counts, marks).own().tolist())) >= 497


@given(st.lists(st.integers(0, 2**32 - 1), max_size=20))
def test_hashes_are_in_range_and_leave_the_ids_alone(values: list[int]) -> None:
    ids = np.array(values, np.uint32)
    assert (hashed(ids) < 1 << BITS).all()
    assert ids.tolist() == values


def tokens_with(counts: NDArray[np.uint8]) -> Tokens:
    """Words with running numbers, and marks with others."""
    words = np.arange(counts.sum(), dtype=np.uint32)
    marks = np.arange(1, 1 + len(counts) * len(MARKS), dtype=np.uint32)
    return Tokens(words, counts, marks.reshape(-1, len(MARKS)))


def test_words_pooled_by_hand() -> None:
    counts = np.zeros((3, WORDY), np.uint8)
    counts[0, 0], counts[0, 2], counts[2, 1] = 2, 1, 3
    tokens = tokens_with(counts)
    values = np.array([1.0, 2.0, 5.0, 0.0, 3.0, 6.0], np.float32)
    means, roots = tokens.pooled((values, IN_MEAN), (2 * values, BY_ROOT))
    expected = np.zeros((3, WORDY))
    expected[0, 0], expected[0, 2], expected[2, 1] = 1.5, 5.0, 3.0
    assert means.tolist() == expected.tolist()
    expected[0, 0], expected[0, 2], expected[2, 1] = 6 / 2**0.5, 10.0, 18 / 3**0.5
    assert roots == pytest.approx(expected, abs=1e-5)


def test_a_value_of_each_link_for_each_token() -> None:
    counts = np.zeros((3, WORDY), np.uint8)
    counts[0, 0], counts[0, 4], counts[2, 1] = 2, 1, 1
    values = tokens_with(counts).for_each(np.array([7, 8, 9]))
    assert values.tolist() == [7, 7, 7, 9] + [7] * 5 + [8] * 5 + [9] * 5


def test_salts_of_more_links_than_are_written_down() -> None:
    count = 5000
    counts = np.zeros((count, WORDY), np.uint8)
    counts[:, 3] = 2
    tokens = Tokens(np.zeros(2 * count, np.uint32), counts, np.zeros((count, 5), np.uint32))
    assert len(set(tokens.ids().tolist())) == 1


@given(st.lists(st.lists(st.integers(0, 3), min_size=5, max_size=5), min_size=1, max_size=12))
def test_a_pool_gives_back_what_was_put(rows: list[list[int]]) -> None:
    counts = np.array(rows, np.uint8)
    whole = tokens_with(counts)
    half = len(rows) // 2
    cut = int(counts[:half].sum())
    pool = TokenPool()  # two links without tokens before it
    pool.put(2, Tokens(whole.words[:cut], counts[:half], whole.marks[:half]))
    pool.put(2 + half, Tokens(whole.words[cut:], counts[half:], whole.marks[half:]))
    copy = TokenPool()
    copy.restore(through_disk(pool.state(2 + len(rows))))
    for each in (pool, copy):
        order = np.arange(len(rows))[::-1]
        back = each.get(order + 2)
        assert back.counts.tolist() == counts[::-1].tolist()
        assert back.marks.tolist() == whole.marks[::-1].tolist()
        for number, row in enumerate(rows):
            start = int(counts[:number].sum())
            one = each.get_one(number + 2)
            assert one.words.tolist() == list(range(start, start + sum(row)))
            assert one.marks.tolist() == [whole.marks[number].tolist()]
        assert each.get_one(0) is NO_TOKENS


def test_a_link_without_tokens_has_none() -> None:
    pool = TokenPool()
    pool.make_room(10**4)
    assert pool.get_one(10**4 - 1) is NO_TOKENS
    assert not len(pool.get(np.array([10**4 - 1])).words)
    assert len(NO_TOKENS.all_ids()) == len(NO_TOKENS.own()) == 0


@pytest.mark.parametrize("count", [0, 3, 4, 5, 100])
def test_a_grown_array_begins_alike_and_ends_with_zeros(count: int) -> None:
    array = np.arange(1, 9).reshape(4, 2)
    longer = grown(array, count)
    assert len(longer) >= max(4, count)
    assert longer[:4].tolist() == array.tolist()
    assert not longer[4:].any()


def test_links_without_words_have_marks() -> None:
    tokens = found([2])
    assert (tokens.counts.tolist(), len(tokens.marks)) == ([[0, 0, 0, 0, 0]], 1)
    assert len(tokens.own()) == len(MARKS)
