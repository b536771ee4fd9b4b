"""The page of a description: what is on it, and what cannot get onto it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from lab.described import described
from lab.tiny import web_of
from wolfspider.errors import BadInput
from wolfspider.lab.describe.description import Description
from wolfspider.lab.describe.facts import number, sections
from wolfspider.lab.describe.page import page, write_page
from wolfspider.webs.recorded import RecordedWeb

SECTIONS = ["degrees", "components", "distances", "clustering", "start", "hosts", "content"]
EVIL = '<script>alert("x")</script>'


@pytest.fixture(scope="module")
def found(recorded_web: RecordedWeb) -> Description:
    label = next(name for name in recorded_web.about["labels"] if ":" not in name)
    return described(recorded_web, label=label, sources=40)


def test_every_section_is_there(found: Description) -> None:
    html = LexborHTMLParser(page(found, "wolfspider web describe x"))
    headings = [heading.attributes["id"] for heading in html.css("h2")]
    assert headings == [*SECTIONS[:-1], "targets", "content", "repeat"]
    for link in html.css("nav a"):
        assert (link.attributes["href"] or "")[1:] in headings


def test_every_figure_has_a_title_named_axes_and_a_table(found: Description) -> None:
    html = LexborHTMLParser(page(found, ""))
    figures = html.css("figure")
    assert len(figures) >= 11
    for figure in figures:
        assert figure.css("h3")
        assert figure.css("details table tbody tr")
        drawing = figure.css("svg[role=img]")[0]
        assert drawing.attributes["aria-label"]
        if "chart" in (drawing.attributes["class"] or ""):
            assert len([text for text in drawing.css("text.axis") if text.text()]) == 2


def test_without_a_label_the_page_says_how_to_get_targets(recorded_web: RecordedWeb) -> None:
    html = page(described(recorded_web, sources=20), "")
    assert "--label LABEL" in html
    assert 'id="targets"' not in html


def test_everything_is_escaped(found: Description) -> None:
    assert found.targets is not None
    hosts = replace(found.hosts, biggest=((EVIL, 3),))
    targets = replace(found.targets, label=EVIL, biggest=((EVIL, 3),))
    evil = replace(found, web=EVIL, start=EVIL, hosts=hosts, targets=targets)
    html = page(evil, EVIL)
    assert "<script" not in html
    assert html.count("&lt;script&gt;") >= 6


def test_it_needs_neither_network_nor_scripts(found: Description) -> None:
    html = page(found, "")
    assert "<script" not in html
    assert not re.search(r'(?:src|href)="(?!#|data:)', html)
    assert "prefers-color-scheme: dark" in html
    assert "nan" not in re.sub(r"[a-z]*nan[a-z]+|[a-z]+nan", "", html.lower())


@pytest.mark.parametrize("links", [{"a": ""}, {"a": "", "b": ""}, {"a": "b", "b": "a"}])
def test_small_webs_make_a_page(tmp_path: Path, links: dict[str, str]) -> None:
    web = web_of(tmp_path / "web", links, labels={"wanted": "a"})
    for label in (None, "wanted"):
        html = page(described(web, label=label), "")
        assert "nan" not in html.lower()
        assert "inf %" not in html


def test_the_page_is_written_whole_or_not_at_all(found: Description, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "page.html"
    write_page(found, path, "")
    assert path.read_text().startswith("<!doctype html>")
    assert [each.name for each in path.parent.iterdir()] == ["page.html"]
    with pytest.raises(BadInput, match=r"cannot write the page"):
        write_page(found, tmp_path / "deep" / "page.html" / "below.html", "")
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(BadInput, match=r"cannot write the page .*folder.html"):
        write_page(found, tmp_path / "folder.html", "")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["deep", "folder.html"]


def test_numbers_are_short_and_do_not_round_to_what_is_not_so() -> None:
    assert [number(x) for x in (3.0, 12.345, 0.01234, 12345.6, None)] == [
        "3",
        "12.35",
        "0.012",
        "12,346",
        "none",
    ]


def test_sections_name_what_the_page_says(found: Description) -> None:
    said = sections(found)
    assert list(said)[-3:] == ["targets", "ways back", "content"]
    assert said["distances"]["measured from"] == "40 pages, drawn"
