"""Webs from a table of pages and a table of links."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.errors import BadInput, DamagedFile, WolfspiderError
from wolfspider.pages import parse_html
from wolfspider.records import Page
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.importers.label_cells import join_labels, split_labels
from wolfspider.webs.importers.link_spool import LinkSpool
from wolfspider.webs.importers.tables import TableWeb
from wolfspider.webs.recorded import RecordedWeb
from wolfspider.webs.tabulating import tabulate

A, B, C = "https://a.test/1", "https://a.test/2", "https://c.test/"
PAGES = f"url\ttext\ttitle\tlabel\n{A}\tSpiders hunt.\tOne\tspider|hunter\n{B}\tBees fly.\tTwo\t\n"
LINKS = f"source\ttarget\tanchor\n{B}\t{A}\tback\n{A}\t{C}\tfirst\n{A}\t{B}\tsecond\n"


def table(
    folder: Path, pages: str | bytes = PAGES, links: str | bytes = LINKS, at: str = ""
) -> Any:
    for name, data in (("pages", pages), ("links", links)):
        (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return TableWeb(folder / "pages", folder / "links", at, folder)


def parsed(capture: Capture) -> Page:
    return parse_html(capture.body, capture.url, content_type=capture.content_type)


def links_of(capture: Capture) -> list[tuple[str, str]]:
    texts = [text.decode().split("\n") for text in parsed(capture).links.texts()]
    return [(text[0], text[1]) for text in texts]


def test_a_row_is_a_page_with_its_links_in_order(tmp_path: Path) -> None:
    web = table(tmp_path)
    first, second = web
    assert (first.url, first.status, first.labels) == (A, 200, ("spider", "hunter"))
    assert parsed(first).title == "One"
    assert parsed(first).text.startswith("Spiders hunt.")
    assert links_of(first) == [(C, "first"), (B, "second")]
    assert (links_of(second), second.labels) == ([(A, "back")], ())
    assert (web.records, web.position, web.truncated, +web.left_out) == (2, web.size, False, {})


def test_columns_come_in_any_order_and_others_are_passed_over(tmp_path: Path) -> None:
    pages = f"\ufeffTEXT\tyear\tUrl\r\nSpiders hunt.\t2020\t{A}\r\n"
    links = f"year\tTarget\tSource\r\n2020\t{B}\t{A}\r\n"
    (capture,) = table(tmp_path, pages, links)
    assert (capture.url, links_of(capture)) == (A, [(B, B)])


def test_a_missing_anchor_is_the_address(tmp_path: Path) -> None:
    links = f"source\ttarget\tanchor\n{A}\t{B}\t\n{A}\t{C}\n"
    assert links_of(next(iter(table(tmp_path, links=links)))) == [(B, B), (C, C)]


def test_escapes_stand_for_tabs_and_lines(tmp_path: Path) -> None:
    pages = f"url\ttext\n{A}\tone\\ttwo\\n\\nthree \\\\n four \\d\n"
    (capture,) = table(tmp_path, pages)
    assert b"<p>one\ttwo\n<p>three \\n four \\d\n" in capture.body


def test_markup_in_a_table_is_text(tmp_path: Path) -> None:
    pages = f"url\ttext\ttitle\n{A}\t<a href=/x>&amp;\t<b>\n"
    links = f"source\ttarget\tanchor\n{A}\t{B}?a=1&b='\"\t<i>&\n"
    page = parsed(next(iter(table(tmp_path, pages, links))))
    assert page.title == "<b>"
    assert page.text.startswith("<a href=/x>&amp;")
    assert page.links.texts()[0].decode().split("\n")[:2] == [f"{B}?a=1&b=%27%22", "<i>&"]


def test_names_stand_below_an_address(tmp_path: Path) -> None:
    pages = "url\ttext\nAC/DC\tRock.\nWhat? 50%\tJazz.\n"
    links = f"source\ttarget\nAC/DC\tWhat? 50%\nAC/DC\té\nAC/DC\t{C}\n"
    first, second = table(tmp_path, pages, links, "https://n.test/wiki")
    assert (first.url, second.url) == (
        "https://n.test/wiki/AC%2FDC",
        "https://n.test/wiki/What%3F%2050%25",
    )
    assert links_of(first) == [
        (second.url, "What? 50%"),
        ("https://n.test/wiki/%C3%A9", "é"),
        (C, C),
    ]


@pytest.mark.parametrize("at", ["", "https://n.test/"])
@pytest.mark.parametrize("name", ["..", ".", "http://"])
def test_what_is_no_address_is_named_with_its_line(tmp_path: Path, name: str, at: str) -> None:
    pages = PAGES + f"{name}\ttext\t\t\n"
    with pytest.raises(BadInput, match=r"pages, line 4: not a web address: '.*'"):
        list(table(tmp_path, pages, at=at))
    web = table(tmp_path, links=f"source\ttarget\n{A}\t{name}\n", at=at)
    assert len(list(web)) == 2  # one bad link ends nothing
    assert web.left_out["link that has no web address"] == 1


def test_names_need_an_address(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="'spider'; give full URLs, or --at URL for names below it"):
        list(table(tmp_path, "url\ttext\nspider\tIt hunts.\n"))


def test_rows_that_are_not_whole_are_counted(tmp_path: Path) -> None:
    pages = f"url\ttext\n{A}\n\n\ttext\n{B}\t\\N\n{C}\tone\ttwo\n{C}\t\n"
    links = f"source\ttarget\n{A}\n{A}\t\n\t{A}\n{C}\t{A}\n"
    web = table(tmp_path, pages, links)
    assert [(each.url, links_of(each)) for each in web] == [(C, [(A, A)])]
    assert +web.left_out == {"row with missing cells": 6, "row with too many cells": 1}


def test_links_of_unknown_pages_are_counted(tmp_path: Path) -> None:
    web = table(tmp_path, links=LINKS + f"{C}\t{A}\tx\n{C}\t{B}\ty\n")
    assert len(list(web)) == 2
    assert +web.left_out == {"link whose source is no page": 2}


def test_links_nobody_reads_are_counted(tmp_path: Path) -> None:
    links = "source\ttarget\n" + "".join(f"{A}\t{C}{n}\n" for n in range(5003))
    web = table(tmp_path, links=links)
    assert len(links_of(next(iter(web)))) == 5000
    web = table(tmp_path, links=links)
    list(web)
    assert +web.left_out == {"link behind 5,000 others of a page": 3}


def test_a_long_text_leaves_room_for_links(tmp_path: Path) -> None:
    links = "source\ttarget\tanchor\n"
    links += "".join(f"{A}\t{C}{n}\tanchor number {n}\n" for n in range(5000))
    web = table(tmp_path, f"url\ttext\n{A}\t{'&é ' * 400_000}\n", links)
    (capture,) = web
    assert links_of(capture)[-1] == (f"{C}4999", "anchor number 4999")
    assert web.left_out["end of a text that is too long"] == 1


def test_of_two_rows_of_a_page_the_later_counts(tmp_path: Path) -> None:
    pages = f"url\ttext\n{A}\tfirst\n{B}\tx\n{A}#part\tsecond\n"
    with Compiler(tmp_path / "web") as compiler:
        for capture in table(tmp_path, pages):
            compiler.add(capture)
        compiler.finish()
    web = RecordedWeb(tmp_path / "web")
    assert (web.about["pages"], web.about["links"]) == (2, 2)
    assert web.about["left_out"] == {"earlier capture of a page": 1}


def test_gzip_reads_alike(tmp_path: Path) -> None:
    plain = list(table(tmp_path))
    packed = table(tmp_path, gzip.compress(PAGES.encode()), gzip.compress(LINKS.encode()))
    assert list(packed) == plain
    assert packed.position == packed.size


def parquet(rows: list[dict[str, Any]] | pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    made = rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(rows)
    pq.write_table(made, sink, row_group_size=2)
    return bytes(sink.getvalue())


PARQUET_PAGES = parquet(
    [
        {"text": "Spiders hunt.", "url": A, "title": "One", "labels": ["spider", "hunter"]},
        {"text": "Bees fly.", "url": B, "title": "Two", "labels": None},
        {"text": None, "url": C, "title": None, "labels": []},
    ]
)
PARQUET_LINKS = parquet(
    [
        {"target": A, "source": B, "anchor": "back"},
        {"target": C, "source": A, "anchor": "first"},
        {"target": B, "source": A, "anchor": "second"},
    ]
)


def test_parquet_reads_alike(tmp_path: Path) -> None:
    web = table(tmp_path, PARQUET_PAGES, PARQUET_LINKS)
    found = list(web)
    assert +web.left_out == {"row with missing cells": 1}
    assert web.position == web.size
    assert found == list(table(tmp_path))


def test_numbers_are_names_too(tmp_path: Path) -> None:
    pages = parquet([{"url": 1, "text": "one"}, {"url": 2, "text": "two"}])
    links = parquet([{"source": 1, "target": 2}])
    first, second = table(tmp_path, pages, links, "https://n.test/")
    assert links_of(first) == [(second.url, "2")]


def test_rows_of_parquet_are_named_as_rows(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="pages, row 1: not a web address: 'x'"):
        list(table(tmp_path, parquet([{"url": "x", "text": "x"}]), PARQUET_LINKS))


def test_bytes_in_parquet_are_utf_8(tmp_path: Path) -> None:
    rows = [{"url": A.encode(), "text": "café ".encode() + b"\xff", "labels": [b"wolf", None]}]
    (capture,) = table(tmp_path, parquet(rows), PARQUET_LINKS)
    assert (capture.url, capture.labels) == (A, ("wolf",))
    assert parsed(capture).text.startswith("café \ufffd")


def test_of_two_columns_with_one_name_the_first_counts(tmp_path: Path) -> None:
    cells = [pa.array([A]), pa.array(["first"]), pa.array(["second"])]
    twice = pa.Table.from_arrays(cells, names=["url", "text", "text"])
    for pages in (parquet(twice), f"url\ttext\ttext\n{A}\tfirst\tsecond\n"):
        (capture,) = table(tmp_path, pages)
        assert parsed(capture).text.startswith("first")


@pytest.mark.parametrize(
    ("kind", "number", "text"),
    [
        (pa.timestamp("ns"), 1234567890123456789, "2009-02-13 23:31:30.123456789"),
        (pa.timestamp("us", "UTC"), 0, "1970-01-01 00:00:00.000000Z"),
        (pa.date32(), 366, "1971-01-02"),
    ],
)
def test_dates_in_parquet_are_text(
    tmp_path: Path, kind: pa.DataType, number: int, text: str
) -> None:
    pages = parquet(pa.table({"url": [A], "text": pa.array([number], kind)}))
    (capture,) = table(tmp_path, pages)
    assert parsed(capture).text.startswith(text)


def test_types_that_cannot_be_text_are_named_with_their_column(tmp_path: Path) -> None:
    pages = parquet(pa.table({"url": [A], "text": pa.array([1], pa.duration("ns"))}))
    with pytest.raises(BadInput, match=r"pages: the column text has the type duration\[ns\]"):
        list(table(tmp_path, pages))


# -- labels --------------------------------------------------------------------------------

_BARS = ("A|B", "|", "\\", "C:\\|", "a\\\\|b", "two words")


def test_bars_in_labels_go_out_and_come_in_again(tmp_path: Path) -> None:
    with Compiler(tmp_path / "web") as compiler:
        for capture in table(tmp_path):
            compiler.add(capture)
        compiler.finish([(A, label) for label in _BARS])
    web = RecordedWeb(tmp_path / "web")
    list(tabulate(web, tmp_path / "tables"))
    tables = tmp_path / "tables"
    first, _ = TableWeb(tables / "pages.tsv", tables / "links.tsv", scratch=tmp_path)
    assert sorted(first.labels) == sorted([*_BARS, "spider", "hunter"])


def test_labels_of_a_list_are_whole_and_those_of_a_cell_are_split(tmp_path: Path) -> None:
    rows = [{"url": A, "text": "x", "label": r"a|b\|c", "labels": [*_BARS, None]}]
    (capture,) = table(tmp_path, parquet(rows), PARQUET_LINKS)
    assert capture.labels == ("a", "b|c", *_BARS)


@given(st.lists(st.text("ab|\\ ", min_size=1).filter(lambda label: label == label.strip())))
def test_any_labels_fit_into_a_cell(labels: list[str]) -> None:
    assert split_labels(join_labels(labels)) == labels


@pytest.mark.parametrize(
    "pages",
    [b"url\tbody\tyear\n", b"url\tbody\tyear", parquet([{"url": A, "body": "x", "year": 1}])],
)
def test_missing_columns_are_named(tmp_path: Path, pages: bytes) -> None:
    with pytest.raises(BadInput, match="pages has no column text; its columns: url, body, year"):
        list(table(tmp_path, pages))


def test_an_empty_file_has_no_columns(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no column source and no column target; its columns: none"):
        list(table(tmp_path, links=""))


def test_bytes_that_are_not_utf_8_are_told_with_their_line(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"pages, line 4: not UTF-8 \(invalid start byte\)"):
        list(table(tmp_path, PAGES.encode() + b"\xff\ttext\n"))


def test_damaged_files_are_told(tmp_path: Path) -> None:
    rows = "".join(f"https://a.test/{n * 7919}\ttext\n" for n in range(99))
    packed = gzip.compress(f"url\ttext\n{rows}".encode())
    for damaged in (
        packed[:-20],
        packed[:-6] + b"xxxxxx",
        packed[:40] + bytes(40) + packed[80:],
        PARQUET_PAGES[:200],
        b"PAR1",
    ):
        with pytest.raises(DamagedFile, match="pages"):
            list(table(tmp_path, damaged))


def test_files_and_folders_that_are_not_there_are_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"cannot read .*nowhere: No such file"):
        TableWeb(tmp_path / "nowhere", tmp_path / "nowhere")
    web = table(tmp_path)
    web.scratch = tmp_path / "nowhere"
    with pytest.raises(BadInput, match=r"cannot write to .*nowhere: No such file"):
        list(web)


def test_the_scratch_folder_is_left_as_it_was(tmp_path: Path) -> None:
    captures = iter(table(tmp_path))
    next(captures)
    captures.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["links", "pages"]


def test_links_of_a_page_keep_their_order_across_batches(tmp_path: Path) -> None:
    with LinkSpool(tmp_path) as spool:
        for number in range(25_000):
            spool.add(f"https://a.test/{number % 7}", str(number), "")
        found = [int(target) for target, _ in spool.links_of("https://a.test/3", 10_000)]
        assert found == list(range(3, 25_000, 7))
        assert spool.left() == 25_000 - len(found)
        assert spool.beyond(71) == len(found) - 71


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


_CELLS = st.lists(st.sampled_from(["\t", "\n", "\\", A, B, "x", "\\N", "\r", "\0", "é", ""]))


@given(_CELLS, _CELLS)
def test_any_text_is_read_or_refused_with_a_sentence(
    folder: Path, pages: list[str], links: list[str]
) -> None:
    try:
        list(table(folder, "url\ttext\n" + "".join(pages), "source\ttarget\n" + "".join(links)))
    except WolfspiderError as error:
        assert "line" in str(error)  # noqa: PT017


@given(st.data(), st.binary(min_size=1, max_size=8), st.booleans())
def test_damaged_parquet_is_read_or_refused_with_a_sentence(
    folder: Path, data: st.DataObject, rubbish: bytes, cut: bool
) -> None:
    at = data.draw(st.integers(4, len(PARQUET_PAGES) - 1), "where")
    rest = b"" if cut else PARQUET_PAGES[at + len(rubbish) :]
    try:
        list(table(folder, PARQUET_PAGES[:at] + rubbish + rest))
    except WolfspiderError as error:
        assert "pages" in str(error)  # noqa: PT017


_MEASURE = """
import resource, sys
from pathlib import Path
from wolfspider.webs.importers.tables import TableWeb
folder = Path(sys.argv[1])
pages = sum(1 for _ in TableWeb(folder / "pages", folder / "links", scratch=folder))
print(pages, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_memory_does_not_grow_with_the_tables(tmp_path: Path) -> None:
    peaks = []
    for pages in (1000, 10_000):
        with (tmp_path / "pages").open("w") as file:
            file.write("url\ttext\n")
            file.writelines(f"https://a.test/{n}\t{'spider ' * 50}\n" for n in range(pages))
        with (tmp_path / "links").open("w") as file:
            file.write("source\ttarget\n")
            file.writelines(
                f"https://a.test/{n % pages}\thttps://a.test/{n * 7 % pages}\n"
                for n in range(pages * 10)
            )
        command = [sys.executable, "-c", _MEASURE, str(tmp_path)]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        count, peak = map(int, run.stdout.split())
        assert count == pages
        peaks.append(peak << 10)
    assert peaks[1] - peaks[0] < 24 << 20  # SQLite's cache fills up once
