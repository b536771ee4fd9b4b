"""Receipts on disk: packed, in the transaction of their visit, and read back."""

from __future__ import annotations

import math
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.records import Clue, Link, Page, Receipt, Response, Verdict, Visit
from wolfspider.store import HuntReader, HuntStore
from wolfspider.store.hunt_store import StoreFailed
from wolfspider.store.opening import open_hunt
from wolfspider.store.receipts import AllClues, ReceiptWriter, kind_names, pack, unpack, value_of
from wolfspider.store.schema import VERSION

ASKED = {"topic": "wolf", "seeds": ["http://a.test/"], "web": "webs/none"}
RECEIPT = Receipt(0.75, 3, 500, True, (Clue("anchor", 7, 0.5), Clue("path", 2**32 - 1, -0.25)))
NUMBERS = {"anchor": 0, "path": 1}
NAMES = {0: "anchor", 1: "path"}


def visit(number: int, receipt: Receipt | None, relevance: float = 1.0) -> Visit:
    url = f"http://a.test/{number}"
    link = Link(url, number + 1, "a.test", "anchor", "http://a.test/", 1, receipt=receipt)
    verdict = Verdict(relevance, relevance >= 0.5)
    return Visit(link, Page(url), verdict, Response(url, 200))


def test_what_a_receipt_is_on_disk() -> None:
    packed = pack(RECEIPT, NUMBERS.__getitem__)
    head = b"\x00\x00\x40\x3f" + b"\x03\x00\x00\x00" + b"\xf4\x01\x00\x00" + b"\x01"
    anchor = b"\x00\x00" + b"\x07\x00\x00\x00" + b"\x00\x38"
    path = b"\x01\x00" + b"\xff\xff\xff\xff" + b"\x00\xb4"
    assert packed == head + anchor + path
    assert unpack(packed, NAMES) == RECEIPT
    assert value_of(packed) == 0.75


_WEIGHTS = st.floats(-1000, 1000, width=16)
_CLUES = st.builds(Clue, st.sampled_from(sorted(NUMBERS)), st.integers(0, 2**32 - 1), _WEIGHTS)


@given(
    st.builds(
        Receipt,
        st.floats(0, 1, width=32),
        st.integers(0, 2**32 - 1),
        st.integers(0, 2**32 - 1),
        st.booleans(),
        st.lists(_CLUES, max_size=8).map(tuple),
    )
)
def test_a_receipt_comes_back(receipt: Receipt) -> None:
    packed = pack(receipt, NUMBERS.__getitem__)
    assert len(packed) == 13 + 8 * len(receipt.clues) <= 80
    assert unpack(packed, NAMES) == receipt


def test_what_does_not_fit_is_as_near_as_can_be() -> None:
    clues = tuple(Clue("anchor", key, 1.0) for key in range(9))
    strange = Receipt(math.nan, -1, 2**40, False, (Clue("path", 2**32 + 5, math.inf), *clues))
    found = unpack(pack(strange, NUMBERS.__getitem__), NAMES)
    assert (found.value, found.rank, found.waiting) == (0.0, 0, 2**32 - 1)
    assert found.clues[0] == Clue("path", 5, 65504.0)
    assert found.clues[1:] == clues[:7]
    worse = replace(strange, value=2.0, clues=(Clue("path", 0, math.nan),))
    found = unpack(pack(worse, NUMBERS.__getitem__), NAMES)
    assert (found.value, found.clues) == (1.0, (Clue("path", 0, 0.0),))


def test_a_clue_of_a_kind_beyond_counting_is_left_out() -> None:
    found = unpack(pack(RECEIPT, {"anchor": 1 << 16, "path": 1}.__getitem__), NAMES)
    assert found.clues == RECEIPT.clues[1:]


def test_receipts_are_kept_with_their_visits_and_kinds_once(tmp_path: Path) -> None:
    with HuntStore.create(tmp_path, ASKED) as store:
        store.add(visit(1, None))
        store.add(visit(2, RECEIPT))
    more = replace(RECEIPT, clues=(Clue("path", 1, 1.0), Clue("host", 2, 2.0)))
    with HuntStore.open(tmp_path) as store:
        store.add(visit(3, more))
    with HuntReader(tmp_path) as reader:
        assert [reader.receipt(step) for step in (1, 2, 3, 4)] == [None, RECEIPT, more, None]
        assert kind_names(reader.db) == {0: "anchor", 1: "path", 2: "host"}


def test_a_visit_and_its_receipt_are_written_together_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = HuntStore.create(tmp_path, ASKED)
    store.add(visit(1, RECEIPT))
    store.flush()

    def fail(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(ReceiptWriter, "add", fail)
    store.add(visit(2, RECEIPT))
    with pytest.raises(StoreFailed):
        store.flush()
    with pytest.raises(StoreFailed):
        store.close()
    with HuntReader(tmp_path) as reader:
        assert reader.count("count(*) FROM pages") == reader.count("count(*) FROM receipts") == 1


def of_format_2(folder: Path) -> None:
    """A hunt as the version before receipts left it."""
    with HuntStore.create(folder, ASKED) as store:
        store.add(visit(1, None))
    with closing(sqlite3.connect(folder / "hunt.db")) as db:
        db.executescript(
            "DROP TABLE receipts; DROP TABLE clue_kinds; DROP TABLE promises;"
            "PRAGMA user_version = 2; VACUUM;"
        )


def test_a_hunt_from_before_has_none_and_gets_some_when_it_goes_on(tmp_path: Path) -> None:
    of_format_2(tmp_path)
    before = (tmp_path / "hunt.db").read_bytes()
    with open_hunt(tmp_path) as reader:
        assert reader.receipt(1) is None
        assert AllClues.of(reader.db).pages == 0
        assert reader.count("count(*) FROM pages") == 1
    assert (tmp_path / "hunt.db").read_bytes() == before
    with HuntStore.open(tmp_path) as store:
        store.add(visit(2, RECEIPT))
    with open_hunt(tmp_path) as reader:
        assert [reader.receipt(step) for step in (1, 2)] == [None, RECEIPT]
        assert reader.version == VERSION


def test_all_clues_of_a_hunt_as_columns(tmp_path: Path) -> None:
    refused = replace(visit(4, RECEIPT), response=Response("", error="robots", refused=True))
    with HuntStore.create(tmp_path, ASKED) as store:
        store.add(visit(1, None))
        store.add(visit(2, RECEIPT, 0.0))
        store.add(visit(3, replace(RECEIPT, clues=RECEIPT.clues[:1])))
        store.add(refused)
        store.add(visit(5, replace(RECEIPT, clues=())))
    with HuntReader(tmp_path) as reader:
        clues = AllClues.of(reader.db)
    assert (clues.pages, clues.relevant_pages) == (3, 2)
    assert clues.steps.tolist() == [2, 2, 3]
    assert clues.relevant.tolist() == [False, False, True]
    assert clues.kinds.tolist() == [0, 1, 0]
    assert clues.keys.tolist() == [7, 2**32 - 1, 7]
    assert np.array_equal(clues.weights, [0.5, -0.25, 0.5])
