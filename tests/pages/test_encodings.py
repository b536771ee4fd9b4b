"""Claims about character encodings, and the html5lib suite."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.pages.encodings import _CODECS, _LABELS, decode_utf8, detect_encoding, encoding_of

SUITE = Path(__file__).resolve().parents[3] / "shared/suites/html5lib-encoding/encoding"


@pytest.mark.parametrize(
    ("file", "cases"), [("tests1.dat", 59), ("tests2.dat", 22), ("test-yahoo-jp.dat", 1)]
)
def test_html5lib_suite(file: str, cases: int) -> None:
    if not SUITE.is_dir():
        pytest.skip("the html5lib encoding suite is not beside the project")
    parts = [case.split(b"\n#encoding\n") for case in _cases(SUITE / file)]
    wrong = [
        (data[-200:], wanted, detect_encoding(data))
        for data, wanted in parts
        if detect_encoding(data) != wanted.split(b"\n")[0].decode().lower()
    ]
    assert not wrong
    assert len(parts) == cases


def _cases(file: Path) -> list[bytes]:
    return file.read_bytes().split(b"#data\n")[1:]


def test_byte_order_mark_beats_header_beats_meta_beats_guess() -> None:
    page = b'<meta charset="iso-8859-2">\xc3\xa9'
    header = "text/html; charset=Shift_JIS"
    assert detect_encoding(b"\xef\xbb\xbf" + page, header) == "utf-8"
    assert detect_encoding(page, header) == "shift_jis"
    assert detect_encoding(page, "text/html") == "iso-8859-2"
    assert detect_encoding(b"\xc3\xa9") == "utf-8"
    assert detect_encoding(b"\xe9") == "windows-1252"


def test_unknown_charset_in_the_header_is_passed_over() -> None:
    assert detect_encoding(b"<meta charset=koi8-r>", "text/html; charset=none") == "koi8-r"


@pytest.mark.parametrize(
    "header", ['a/b;charset="latin1"', "a/b; charset='L1' ;x=y", "a/b;CHARSET=l1"]
)
def test_header_charset_may_be_quoted(header: str) -> None:
    assert detect_encoding(b"\xc3\xa9", header) == "windows-1252"


def test_xml_declaration_counts_when_there_is_no_meta() -> None:
    assert detect_encoding(b'<?xml version="1.0" encoding="euc-jp"?><p>') == "euc-jp"


def test_late_meta_counts_but_not_one_in_a_script() -> None:
    late = b" " * 2000 + b"<meta charset=koi8-r>"
    assert detect_encoding(late) == "koi8-r"
    assert (
        detect_encoding(b" " * 2000 + b"<script>'<meta charset=koi8-r>'</script>") == "windows-1252"
    )


def test_labels_are_read_as_the_standard_says() -> None:
    assert encoding_of("\tLatin1 ") == "windows-1252"
    assert encoding_of("gb2312") == "gbk"
    assert encoding_of("utf-7") is None


def test_every_encoding_has_a_codec() -> None:
    for name in _LABELS:
        codecs.lookup(_CODECS.get(name, name))


@pytest.mark.parametrize(
    ("name", "text"),
    [("shift_jis", "日本語"), ("gbk", "中文"), ("euc-kr", "한국어"), ("windows-1251", "Москва")],
)
def test_page_comes_out_in_utf8(name: str, text: str) -> None:
    assert decode_utf8(text.encode(name), f"text/html; charset={name}").decode() == text


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-8"])
def test_byte_order_mark_is_taken_off(codec: str) -> None:
    assert decode_utf8("\ufeffé".encode(codec)) == "é".encode()


@given(st.binary(max_size=200), st.sampled_from(sorted(_LABELS)))
def test_no_bytes_fail_in_any_encoding(body: bytes, name: str) -> None:
    assert isinstance(decode_utf8(body, f"text/html; charset={name}"), bytes)
    assert detect_encoding(body) in _LABELS
