"""Label files as people and spreadsheets write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from wolfspider.errors import BadInput
from wolfspider.webs.labels import read_labels

ROWS = [("http://a.test/", "course"), ("http://a.test/", "site:cornell"), ("http://b.test/", "ü")]
PLAIN = "url\tlabel\nhttp://a.test/\tcourse\nhttp://a.test/\tsite:cornell\nhttp://b.test/\tü\n"


def rows(tmp_path: Path, text: str | bytes) -> list[tuple[str, str]]:
    path = tmp_path / "labels.tsv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(read_labels(path))


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.rstrip("\n"),
        PLAIN.replace("\n", "\r\n"),
        "\ufeff" + PLAIN,
        PLAIN.replace("\n", "\n\n \t \n"),
        PLAIN.replace("url\tlabel", "URL\tLabel"),
        PLAIN.replace("http", " http").replace("course", "course "),
        "label\turl\ncourse\thttp://a.test/\nsite:cornell\thttp://a.test/\nü\thttp://b.test/\n",
        "id\turl\tlabel\tnote\n1\thttp://a.test/\tcourse\n2\thttp://a.test/\tsite:cornell\tx\n"
        "3\thttp://b.test/\tü\t\n",
    ],
    ids=[
        "plain",
        "no newline at the end",
        "CRLF",
        "byte order mark",
        "empty lines",
        "capital letters",
        "spaces",
        "another order",
        "more columns, some missing",
    ],
)
def test_all_ways_to_write_the_same_labels(tmp_path: Path, text: str) -> None:
    assert rows(tmp_path, text) == ROWS


def test_a_header_alone_holds_no_labels(tmp_path: Path) -> None:
    assert rows(tmp_path, "url\tlabel\n") == []


@pytest.mark.parametrize("text", ["", "\n", "http://a.test/\tcourse\n", "url,label\n", "url\n"])
def test_columns_that_are_missing_are_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInput, match=r"labels\.tsv needs a first line with the columns url and"):
        rows(tmp_path, text)


@pytest.mark.parametrize("line", ["http://a.test/", "http://a.test/\t", "\tcourse"])
def test_a_row_without_url_or_label_is_named_by_its_line(tmp_path: Path, line: str) -> None:
    with pytest.raises(BadInput, match=r"labels\.tsv, line 3: needs a url and a label"):
        rows(tmp_path, f"url\tlabel\nhttp://b.test/\tx\n{line}\n")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"cannot read the labels in .*nowhere\.tsv: No such file"):
        list(read_labels(tmp_path / "nowhere.tsv"))
    with pytest.raises(BadInput, match="not UTF-8"):
        rows(tmp_path, b"url\tlabel\nhttp://a.test/\tcaf\xe9\n")
