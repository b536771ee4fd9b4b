"""Claims about the memo of tokens."""

from __future__ import annotations

import struct

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.token_memo import LONGEST, TokenMemo

TOKENS = st.lists(st.binary(min_size=1, max_size=40).map(lambda b: b.translate(None, b" \0")))


class Asked(dict[bytes, bytes]):
    """Numbers tokens in the order in which they are asked for, and remembers how often."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, token: bytes) -> bytes:
        self.times += 1
        return self.setdefault(token, struct.pack("=I", len(self)))


@given(st.lists(TOKENS, max_size=4))
def test_answers_what_was_asked_for(texts: list[list[bytes]]) -> None:
    memo, asked = TokenMemo(), Asked()
    for tokens in texts:
        text = b" ".join(tokens)
        found = memo.look_up(text, asked)
        assert found.tobytes() == b"".join(asked[token] for token in text.split(b" ") if token)


def test_known_tokens_are_not_asked_for_again_unless_they_are_long() -> None:
    memo, asked = TokenMemo(), Asked()
    text = b"wolf spider %b %b" % (b"a" * LONGEST, b"b" * (LONGEST + 1))
    first = memo.look_up(text, asked)
    assert asked.times == 4
    assert memo.look_up(text, asked).tolist() == first.tolist()
    assert asked.times == 5


def test_tokens_with_a_common_beginning_are_told_apart() -> None:
    memo, asked = TokenMemo(), Asked()
    tokens = [b"a" * length for length in range(1, 40)]
    for _ in range(2):
        assert len(set(memo.look_up(b" ".join(tokens), asked).tolist())) == len(tokens)


def test_more_tokens_than_places_are_answered_right() -> None:
    memo, asked = TokenMemo(), Asked()
    text = b" ".join(b"t%d" % number for number in range(100_000))
    for _ in range(2):
        assert np.array_equal(memo.look_up(text, asked), np.arange(100_000))


def test_text_without_tokens_has_no_ids() -> None:
    assert TokenMemo().look_up(b"   ", Asked()).tolist() == []
    assert TokenMemo().look_up(b"", Asked()).tolist() == []
