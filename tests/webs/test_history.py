"""A changing web: every version of every page, and which one was there when."""

from __future__ import annotations

from pathlib import Path

import pytest

from recordings import compile_web, gone, moved, page, read, record
from wolfspider.errors import BadInput
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.history import History
from wolfspider.webs.recorded import RecordedWeb

A, B, C, D = (f"http://a.test/{name}" for name in "abcd")
DATES = [f"2005-01-0{day}T00:00:00Z" for day in range(1, 6)]
AT = [1104537600.0 + 86400 * day for day in range(5)]
CAPTURES = [
    page(A, f"<title>One</title><a href='{B}'>bee</a> <a href='{C}'>cee</a>", DATES[0]),
    page(B, "<title>Bee</title>", DATES[0]),
    page(A, f"<title>Two</title><a href='{B}'>bee</a> <a href='/never'>no</a>", DATES[1]),
    gone(B, DATES[2]),
    moved(C, A, DATES[1]),
    page(C, "<title>Cee</title>", DATES[3]),
    record("revisit", A, b"", DATES[4]),
]


def changing(folder: Path, captures: list[bytes] = CAPTURES) -> Path:
    found, _ = read(folder / "some.warc", b"".join(captures))
    with Compiler(folder / "web", ["some"], changing=True) as compiler:
        for capture in found:
            compiler.add(capture)
        compiler.finish()
    return folder / "web"


def titles(history: History, day: int) -> list[str]:
    found = [history.fetch(url, AT[day]) for url in (A, B, C)]
    return [each.page.title if each.page else each.error for each in found]


def test_each_day_has_its_pages(tmp_path: Path) -> None:
    history = History(changing(tmp_path))
    assert len(history) == 4
    assert history.dates.tolist() == AT
    assert [titles(history, day) for day in range(5)] == [
        ["One", "Bee", "not in this web"],
        ["Two", "Bee", "Two"],  # C has moved to A
        ["Two", "gone", "Two"],
        ["Two", "gone", "Cee"],
        ["Two", "gone", "Cee"],
    ]
    assert history.fetch(A, AT[0] - 1).error == "not in this web"
    assert history.fetch("mailto:x@a.test", AT[0]).error == "not in this web"


def test_links_lead_to_what_was_ever_there(tmp_path: Path) -> None:
    history = History(changing(tmp_path))
    links = [history.fetch(A, AT[day]).page for day in (0, 1)]
    assert [each.links.urls() for each in links if each] == [[B, C], [B]]


def test_the_last_state_is_the_web_itself(tmp_path: Path) -> None:
    web = RecordedWeb(changing(tmp_path))
    plain = compile_web(tmp_path / "plain", CAPTURES)
    assert web.about["versions"] == 4
    assert "earlier capture of a page" not in web.about["left_out"]
    assert plain.about["left_out"]["earlier capture of a page"] == 2
    assert [web.url(number) for number in range(len(web))] == [A, C]
    for name in ("pages.bin", "texts.bin", "links.bin", "graph_pages.npy", "addresses.npy"):
        assert (web.folder / name).read_bytes() == (plain.folder / name).read_bytes()
    assert web.digest != plain.digest  # an experiment can see the past


def test_a_circle_of_redirects_ends(tmp_path: Path) -> None:
    circle = [page(A), moved(C, D, DATES[0]), moved(D, C, DATES[0])]
    found = History(changing(tmp_path, circle)).fetch(C, AT[0])
    assert (found.status, found.error) == (404, "redirects in a circle")


def test_a_web_of_one_state_has_no_history(tmp_path: Path) -> None:
    web = compile_web(tmp_path / "web", CAPTURES)
    with pytest.raises(BadInput, match=r"has one state only; .* import .* with --all-captures"):
        History(web.folder)
