"""Bodies without chunks and compression: rows 35 and 36 of FAULTS.md."""

from __future__ import annotations

import gzip
import time
import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostile import PAGE, ZEROS, brotli, chunked, deflated, zstandard
from wolfspider.webs.decoding import MOST_CODINGS, MOST_MEMBERS, Decoded, payload, undone

LIMIT = 1 << 20
CODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": deflated,
    "br": brotli,
    "zstd": zstandard,
}
coding_names = pytest.mark.parametrize("name", CODERS)


def undo(body: bytes, *fields: tuple[str, str], limit: int = LIMIT) -> Decoded:
    return payload(fields, body, limit)


def coded(name: str, body: bytes) -> Decoded:
    return undo(body, ("content-encoding", name))


@coding_names
def test_each_coding_is_undone(name: str) -> None:
    assert coded(name, CODERS[name](PAGE)) == Decoded(PAGE)


def test_a_plain_body_stays() -> None:
    assert undo(PAGE) == Decoded(PAGE)
    assert coded("identity", PAGE) == Decoded(PAGE)
    assert coded("gzip", b"") == Decoded(b"")


def test_bare_deflate_is_undone() -> None:
    assert coded("deflate", deflated(PAGE, -15)) == Decoded(PAGE)


def test_names_are_read_whatever_their_case() -> None:
    assert coded("X-GZip ", gzip.compress(PAGE)) == Decoded(PAGE)


def test_codings_are_undone_in_the_order_they_were_put_on() -> None:
    body = chunked(deflated(brotli(gzip.compress(PAGE))))
    fields = (
        ("content-encoding", "gzip"),
        ("content-encoding", "br, deflate"),
        ("transfer-encoding", "chunked"),
    )
    assert undo(body, *fields) == Decoded(PAGE)


def test_gzip_of_several_members_is_one_body() -> None:
    assert coded("gzip", gzip.compress(PAGE) * 3) == Decoded(PAGE * 3)


def test_what_follows_a_compressed_body_is_ignored() -> None:
    assert coded("gzip", gzip.compress(PAGE) + bytes(512)) == Decoded(PAGE)


@coding_names
def test_row_35_a_bomb_stops_at_the_limit(name: str) -> None:
    bomb = CODERS[name](ZEROS)
    tracemalloc.start()
    found = coded(name, bomb)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.data == bytes(LIMIT)
    assert "limit" in found.damage
    assert peak < 4 * LIMIT


@coding_names
def test_row_35_a_body_of_just_the_limit_is_whole(name: str) -> None:
    assert coded(name, CODERS[name](bytes(LIMIT))) == Decoded(bytes(LIMIT))


def test_row_35_nested_bombs_stop_at_the_limit() -> None:
    body = gzip.compress(gzip.compress(gzip.compress(ZEROS)))
    found = coded("gzip, gzip, gzip", body)
    assert found.data == bytes(LIMIT)


def test_row_35_many_codings_are_not_even_begun() -> None:
    found = coded(",".join(["gzip"] * (MOST_CODINGS + 1)), PAGE)
    assert found == Decoded(PAGE, f"{MOST_CODINGS + 1} codings on one body")


def test_row_35_many_small_members_cost_little_time() -> None:
    began = time.process_time()
    found = coded("gzip", gzip.compress(b"x") * 200_000)
    assert found.data == b"x" * MOST_MEMBERS
    assert "members" in found.damage
    assert time.process_time() - began < 1.0  # copying the rest each time would take minutes


@coding_names
def test_row_36_half_a_body_is_better_than_none(name: str) -> None:
    text = "".join(f"line {number} of a long page\n" for number in range(20_000)).encode()
    body = CODERS[name](text)
    found = coded(name, body[: len(body) // 2])
    assert len(found.data) > len(text) // 4
    assert text.startswith(found.data)


@pytest.mark.parametrize("name", ["gzip", "deflate"])
def test_row_36_half_a_body_is_told(name: str) -> None:
    assert coded(name, CODERS[name](PAGE)[:-10]).damage == "ends early"


def test_row_36_a_wrong_checksum_keeps_the_text() -> None:
    body = gzip.compress(PAGE)
    found = coded("gzip", body[:-8] + b"\0" * 8)
    assert PAGE.startswith(found.data)
    assert found.damage == "damaged"


@coding_names
def test_row_36_plain_text_under_a_false_name_stays(name: str) -> None:
    assert coded(name, PAGE) == Decoded(PAGE, f"not {name}")


def test_row_36_an_unknown_coding_is_told() -> None:
    assert coded("rot13", PAGE) == Decoded(PAGE, "unknown coding 'rot13'")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"5\r\nhello\r\n0\r\n\r\n", Decoded(b"hello")),
        (b"5;name=value\r\nhello\r\n0\r\nX-Trailer: 1\r\n\r\n", Decoded(b"hello")),
        (b"5\nhello\n0\n\n", Decoded(b"hello")),
        (b"5\r\nhello\r\n", Decoded(b"hello", "chunks end early")),
        (b"9\r\nhello", Decoded(b"hello", "chunks end early")),
        (b"5\r\nhello\r\nzz\r\nworld", Decoded(b"hello", "bad chunk")),
        (b"hello", Decoded(b"hello", "not chunked")),
    ],
)
def test_row_36_chunks_are_put_together_as_far_as_they_go(body: bytes, expected: Decoded) -> None:
    assert undo(body, ("transfer-encoding", "chunked")) == expected


@coding_names
def test_one_coding_can_be_undone_by_its_name(name: str) -> None:
    assert undone(name, CODERS[name](PAGE), LIMIT) == Decoded(PAGE)
    assert undone(name, CODERS[name](PAGE), 10).data == PAGE[:10]


def test_headers_that_name_no_coding_change_nothing() -> None:
    assert undo(PAGE, ("content-type", "gzip"), ("content-encoding", " , ")) == Decoded(PAGE)


coding_lists = st.lists(st.sampled_from([*CODERS, "chunked", "identity", "x"]), max_size=7)


@given(st.binary(max_size=2000), coding_lists)
def test_any_bytes_under_any_codings_decode_to_something_bounded(
    body: bytes, codings: list[str]
) -> None:
    found = undo(body, ("content-encoding", ",".join(codings)), limit=500)
    assert len(found.data) <= 500


@given(st.binary(max_size=500), st.sampled_from(sorted(CODERS)), st.data())
def test_a_damaged_body_never_raises(text: bytes, name: str, data: st.DataObject) -> None:
    body = bytearray(CODERS[name](text))
    where = data.draw(st.integers(0, len(body) - 1))
    body[where] ^= data.draw(st.integers(1, 255))
    coded(name, bytes(body[: data.draw(st.integers(0, len(body)))]))
