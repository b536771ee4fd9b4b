"""Claims about pages that would make the parser run wild. A failure here is often a hang."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from wolfspider.pages.tame import MAX_BODY, MAX_DEPTH, MAX_TAGS, tame

FONTS = b"".join(b'<font size="%d">' % i for i in range(1900))
ATTRIBUTES = b" ".join(b'x%d=">"' % i for i in range(20_000))


def nodes(html: bytes) -> int:
    root = LexborHTMLParser(html).root
    assert root is not None
    return sum(1 for _ in root.traverse(include_text=True))


@pytest.mark.parametrize("rows", [1, 200, 2000])
def test_honest_page_is_handed_through(rows: int) -> None:
    page = b"<table>" + b'<tr><td><b>one</b><td><a href="/x">two</a></tr>' * rows + b"</table>"
    assert tame(page) == page


def test_formatting_of_a_big_page_loses_attributes_and_nothing_else() -> None:
    row = b"<tr><td><font%b>one</font><td><a href=/x>two</a></tr>"
    assert tame(row % b" size=2" * 1000) == row % b"" * 1000


def test_honest_page_with_a_long_attribute_is_handed_through() -> None:
    data = b",".join(b'"key %d": "a > b"' % i for i in range(10_000))
    page = b"<div data-state='{" + data + b"}'><a href=x>y</a></div>"
    assert tame(page) == page


def test_big_page_is_cut() -> None:
    assert len(tame(b"word " * MAX_BODY)) == MAX_BODY
    assert tame(b"<p>x" * (MAX_TAGS + 5)).count(b"<") == MAX_TAGS


@pytest.mark.parametrize("tag", [b"<div>", b"<ul><li>", b"<form><div></form>", b"<svg><desc>"])
def test_deep_nesting_is_cut(tag: bytes) -> None:
    left = tame(b"<p>start</p>" + tag * 50_000)
    assert left.startswith(b"<p>start</p>")
    assert left.count(b"<") < 20 * MAX_DEPTH


NAMES = b"b big code em font i s small strike strong tt u".split()
PLAIN = b"".join(b"<%b>" % name * 3 for name in NAMES)


@pytest.mark.parametrize("opened", [FONTS, PLAIN])
@pytest.mark.parametrize("tail", [b"<p>x" * 2000, b"<p>x</p>" * 1100, b"<p>x" * 20_000])
def test_unclosed_formatting_does_not_multiply(opened: bytes, tail: bytes) -> None:
    assert nodes(tame(b"<p>" + opened + tail)) < 300_000


def test_tag_with_thousands_of_attributes_is_cut_off() -> None:
    assert tame(b"<p>start</p><a " + ATTRIBUTES + b">end") == b"<p>start</p>"
