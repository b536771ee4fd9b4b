"""What is packed into a record comes out of it again."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.records import (
    BAGS,
    NO_LINKS,
    NO_TERMS,
    Bag,
    Link,
    Links,
    Page,
    Response,
    Terms,
    Verdict,
    Visit,
)

numbers = st.integers(0, 2**32 - 1)
words = st.lists(numbers, max_size=5)
text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=20)


@dataclass(frozen=True)
class Row:
    """One link, as plain values."""

    fingerprint: int
    url: str
    anchor: str
    host: str
    path: int
    flags: int
    bags: list[list[int]] = field(default_factory=lambda: [[]] * len(BAGS))


rows = st.builds(
    Row,
    st.integers(1, 2**64 - 1),
    text,
    text,
    st.sampled_from(["a.example", "b.example:8080", "ü.example"]),
    numbers,
    st.integers(0, 255),
    st.lists(words, min_size=4, max_size=4),
)
pages = st.lists(rows, max_size=8, unique_by=lambda row: row.fingerprint)


def row_numbers(page: list[Row], *, unique: bool = False) -> st.SearchStrategy[list[int]]:
    if not page:
        return st.just([])
    return st.lists(st.integers(0, len(page) - 1), max_size=8, unique=unique)


def pack(page: list[Row]) -> Links:
    hosts = list(dict.fromkeys(row.host for row in page))
    bags = [bag for row in page for bag in row.bags]
    return Links.pack(
        np.array([row.fingerprint for row in page], np.uint64),
        [f"{row.url}\n{row.anchor}".encode() for row in page],
        hosts,
        np.array([hosts.index(row.host) for row in page], np.intp),
        np.array([row.path for row in page], np.int64),
        np.array([row.flags for row in page], np.int64),
        np.cumsum([0, *map(len, bags)]),
        np.array([term for bag in bags for term in bag], np.int64),
    )


def unpack(links: Links) -> list[Row]:
    """Everything a record can tell, through its public properties."""
    bags = [links.bag(name) for name in BAGS]
    columns = (
        links.fingerprints.tolist(),
        links.urls(),
        links.anchors(),
        [links.hosts[number] for number in links.host_of],
        links.paths.tolist(),
        links.flags.tolist(),
        [[bag[row].tolist() for bag in bags] for row in range(len(links))],
    )
    return [Row(*values) for values in zip(*columns, strict=True)]


@given(pages)
def test_what_is_packed_comes_out_again(page: list[Row]) -> None:
    links = pack(page)
    assert len(links) == len(page)
    assert unpack(links) == page
    assert unpack(Links(bytes(bytearray(links.buffer)))) == page


@given(pages, st.data())
def test_rows_taken_are_the_rows_asked_for(page: list[Row], data: st.DataObject) -> None:
    links = pack(page)
    chosen = data.draw(row_numbers(page, unique=True))
    taken = links.take(np.array(chosen, np.intp))
    assert unpack(taken) == [page[row] for row in chosen]
    assert sorted(taken.hosts) == sorted({page[row].host for row in chosen})


@given(pages)
def test_arrays_stand_where_processors_like_them(page: list[Row]) -> None:
    links = pack(page)
    for array in (links.fingerprints, links.bag_starts, links.bag_ids, links.paths, links.host_of):
        assert array.flags.aligned
        assert not array.flags.writeable


@given(pages, st.data())
def test_texts_of_chosen_rows(page: list[Row], data: st.DataObject) -> None:
    links = pack(page)
    chosen = data.draw(row_numbers(page))
    expected = [f"{row.url}\n{row.anchor}".encode() for row in page]
    assert links.texts() == expected
    assert links.texts(np.array(chosen, np.intp)) == [expected[row] for row in chosen]


@given(pages)
def test_sums_are_taken_link_by_link(page: list[Row]) -> None:
    links = pack(page)
    for name, part in zip(BAGS, range(len(BAGS)), strict=True):
        bag = links.bag(name)
        values = bag.ids.astype(np.float64)
        assert bag.sums(values).tolist() == [float(sum(row.bags[part])) for row in page]


@given(pages)
def test_seeds_become_links_without_words(page: list[Row]) -> None:
    seeds = [Link(row.url, row.fingerprint, row.host, row.anchor) for row in page]
    plain = [Row(row.fingerprint, row.url, row.anchor, row.host, 0, 0) for row in page]
    assert unpack(Links.of(seeds)) == plain


def test_a_page_without_links_has_an_empty_record() -> None:
    assert len(NO_LINKS) == 0
    assert unpack(NO_LINKS) == []
    assert NO_LINKS.hosts == []
    assert len(NO_LINKS.take(np.empty(0, np.intp))) == 0
    assert NO_LINKS.bag("anchor").sums(np.empty(0)).tolist() == []


def test_a_bag_is_a_row_of_slices() -> None:
    ids = np.array([7, 8, 9], np.uint32)
    bag = Bag(np.array([0, 2], np.uint32), np.array([2, 2], np.uint32), ids)
    assert bag[0].tolist() == [7, 8]
    assert bag[1].tolist() == []
    assert bag.sums(np.array([1.0, 2.0, 4.0])).tolist() == [3.0, 0.0]


counts = st.dictionaries(numbers, st.integers(1, 100), max_size=12)


def bag_of(counted: dict[int, int]) -> Terms:
    ids = np.array(sorted(counted), np.uint32)
    return Terms.of(ids, np.array([counted[term] for term in sorted(counted)], np.float32))


@given(counts, st.lists(numbers, max_size=5))
def test_frequencies_are_those_counted(counted: dict[int, int], others: list[int]) -> None:
    terms = bag_of(counted)
    asked = [*counted, *others]
    found = terms.frequencies(np.array(asked, np.uint32))
    assert found.tolist() == [counted.get(term, 0) for term in asked]


@given(counts)
def test_length_and_norm_are_those_of_the_counts(counted: dict[int, int]) -> None:
    terms = bag_of(counted)
    assert terms.length == sum(counted.values())
    assert terms.norm == pytest.approx(sum(n * n for n in counted.values()) ** 0.5, rel=1e-6)


def test_no_terms_have_no_length() -> None:
    assert (NO_TERMS.length, NO_TERMS.norm) == (0.0, 0.0)
    assert NO_TERMS.frequencies(np.array([1, 2], np.uint32)).tolist() == [0.0, 0.0]


def test_a_page_is_relevant_from_one_half_on() -> None:
    assert Verdict(0.5, False).relevant
    assert not Verdict(0.4999, True).relevant


def test_a_visit_fails_when_its_response_has_an_error() -> None:
    link = Link("http://a.example/", 1, "a.example")
    assert not Visit(link, Page(link.url)).failed
    assert Visit(link, Page(link.url), response=Response(link.url, error="timed out")).failed


def test_text_with_broken_bytes_is_still_text() -> None:
    assert Page("http://a.example/", raw_text=b"caf\xc3\xa9 \xff").text == "café �"
