"""The page about a hunt: nothing that was crawled can do harm there, and it fits any screen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from looking import VIEWS, chromium, in_browser, show
from naughty import HOSTILE, naughty_strings
from wolfspider.drawing.html import write_page
from wolfspider.hunt_report import Account, html_of
from wolfspider.hunt_report.account import Waiting
from wolfspider.hunt_report.asking import how_it_was_asked
from wolfspider.hunt_report.finds import Find
from wolfspider.hunt_report.page import is_of_the_web, short
from wolfspider.records import Clue, Link, Page, Receipt, Response, Verdict, Visit
from wolfspider.store import HuntStore
from wolfspider.store.opening import open_hunt

A = "http://a.test/"
EVIL = "<script>alert(1)</script>"
RUNS = ["javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "file:///etc/passwd"]
ASKED = {"topic": EVIL, "seeds": [A, EVIL], "web": "live", "policy": EVIL, "stop": [EVIL]}


def visit(url: str, title: str, *, error: str = "", receipt: Receipt | None = None) -> Visit:
    """A relevant page; or one that could not be had, with an error that wants to do harm."""
    link = Link(url, 1, title, title, A, 1, receipt=receipt)
    response = Response(url, 0 if error else 200, error=error, detail=error)
    verdict = Verdict(0.0, False) if error else Verdict(0.9, True)
    return Visit(link, Page(url, title), verdict, response)


def hunted(folder: Path, titles: Sequence[str]) -> Path:
    """A hunt that has been killed, on pages with these titles."""
    paid, misled = (Receipt(0.5, 1, 9, False, (Clue(EVIL, key, 0.5),)) for key in (1, 2))
    with HuntStore.create(folder, ASKED) as store:
        for number, title in enumerate(titles):
            text = title.encode("utf-8", "replace").decode()
            store.add(visit(f"{A}{number}?{text}", text, receipt=paid))
            store.add(visit(f"{A}{number}/gone", text, error=text or "none", receipt=misled))
    return folder


def page_of(folder: Path) -> str:
    return html_of(account_of(folder))


def account_of(folder: Path) -> Account:
    with open_hunt(folder) as reader:
        return Account.of(reader, None)


def first(tree: LexborHTMLParser, where: str) -> LexborNode:
    node = tree.css_first(where)
    assert node is not None, where
    return node


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = hunted(tmp_path_factory.mktemp("hostile") / "hunt", HOSTILE)
    path = folder / "report.html"
    write_page(page_of(folder), path)
    return path


def test_row_49_whatever_was_crawled_is_text(tmp_path: Path) -> None:
    html = page_of(hunted(tmp_path / "hunt", naughty_strings()))
    tree = LexborHTMLParser(html)
    assert not tree.css("script, img, iframe, object, embed, form, base, video, audio, input")
    assert not [name for node in tree.css("*") for name in node.attributes if name[:2] == "on"]
    for link in tree.css("body a"):
        assert (link.attributes["href"] or "").startswith(("http://", "https://"))
        assert link.attributes["rel"] == "noopener noreferrer nofollow"
    for node in tree.css("[src], [action], [srcset], [data], [style]"):
        raise AssertionError(node.html)


def test_row_49_titles_stand_there_as_they_were_written(hostile: Path) -> None:
    tree = LexborHTMLParser(hostile.read_text())
    titles = {node.text() for node in tree.css(".finds th > a, .finds th > bdi")}
    assert titles >= {short(title) for title in HOSTILE}
    assert [node.text() for node in tree.css("h1")] == [EVIL]
    clues = [node.text() for node in tree.css("#clues ~ .pair .shares bdi")]
    assert clues == [EVIL, EVIL], "one paid, one misled"
    assert first(tree, ".asked").text().count(EVIL) == 4


def test_row_49_only_addresses_of_the_web_are_links(hostile: Path) -> None:
    finds = tuple(Find(1, url, "Click me", 1.0, "") for url in [*RUNS, A])
    waiting = tuple(Waiting(url, "Me, too", None, 0.0) for url in [*RUNS, A])
    account = replace(account_of(hostile.parent), finds=finds, waiting=waiting)
    tree = LexborHTMLParser(html_of(account))
    assert [link.attributes["href"] for link in tree.css("body a")] == [A, A]
    assert all(url in first(tree, ".finds").text() for url in RUNS)
    assert not any(map(is_of_the_web, [*RUNS, " http://a.test/", "//a.test/", "vbscript:x", ""]))


def test_the_page_needs_nothing_from_elsewhere(hostile: Path) -> None:
    tree = LexborHTMLParser(hostile.read_text())
    policy = first(tree, "meta[http-equiv=Content-Security-Policy]")
    assert policy.attributes["content"] == (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )
    assert first(tree, "meta[name=referrer]").attributes["content"] == "no-referrer"
    assert not re.search(r"url\(|@import|expression", first(tree, "style").text())
    assert [node.attributes["href"] for node in tree.css("link")] == ["data:,"]


def test_many_finds_are_a_hundred_and_a_way_to_all(tmp_path: Path) -> None:
    with HuntStore.create(tmp_path / "hunt", ASKED | {"topic": "wolf"}) as store:
        for number in range(130):
            store.add(visit(f"{A}{number}", f"Wolf {number}"))
    tree = LexborHTMLParser(page_of(tmp_path / "hunt"))
    assert len(tree.css(".finds tbody tr")) == 100
    assert [node.text() for node in tree.css("details summary")][-1] == "75 more"
    said = first(tree, "#finds + .hint").text()
    assert said.startswith("The most relevant 100 of 130.")
    assert f"wolfspider export {tmp_path / 'hunt'} --relevant " in said


def test_how_a_hunt_was_asked_is_told_in_words() -> None:
    asked = {
        "topic": "wolf",
        "seeds": [f"{A}{number}" for number in range(12)],
        "web": "live",
        "policy": "wolf:curiosity=0.2",
        "random_seed": 7,
        "pages": 1,
        "bytes": 2000,
        "minutes": 1.5,
        "stop": ["nothing for 500"],
        "stay_on": "domain",
        "exclude": ["print"],
        "examples": ["a.html", "b.html"],
        "counter_examples": ["c.html"],
    }
    said = how_it_was_asked(asked, "what hunts/before learned")
    assert list(said) == [
        *("topic", "relevant is", "web", "seeds", "where to", "policy", "began with"),
        *("budget", "stops by"),
    ]
    assert said["relevant is"] == "what looks like 2 examples, told from 1 counter-example"
    assert said["seeds"].endswith("http://a.test/9 and 2 more")
    assert said["where to"] == "only the domain of the seeds; no addresses with print"
    assert said["policy"] == "wolf:curiosity=0.2, random seed 7"
    assert said["budget"] == "1 page, 2,000 bytes, 1.5 minutes"
    assert said["stops by"] == "nothing for 500"
    judges = {"pattern": "wol[fv]", "like": ["a wolf"], "targets": [A], "": ""}
    told = [how_it_was_asked({name: value}, None) for name, value in judges.items()]
    assert [each["relevant is"] for each in told] == [
        "what this regular expression finds: wol[fv]",
        "what resembles 1 text: a wolf",
        "what is on a list of 1 address",
        "what has the words of the topic, or words that mean the like",
    ]


def test_a_hunt_toml_written_by_hand_does_no_harm() -> None:
    for value in (None, 3, "text", ["a", 3], {"a": 1}, 2.5, True):
        names = ("topic", "seeds", "web", "stop", "pages", "minutes", "like", "include", "policy")
        assert how_it_was_asked(dict.fromkeys(names, value), None)


# -- in a browser ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as driver:
        yield driver


@in_browser
@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_the_page_fits_and_is_quiet(browser: Any, hostile: Path, width: int, scheme: str) -> None:
    show(browser, hostile, width, scheme)
    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert browser.get_log("browser") == []
    ground = "return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
    assert (max(browser.execute_script(ground)) < 60) == (scheme == "dark")


@in_browser
@pytest.mark.parametrize("width", [390, 1280])
def test_the_curve_and_the_bars_can_be_seen(browser: Any, hostile: Path, width: int) -> None:
    show(browser, hostile, width)
    every = "return [...document.querySelectorAll(arguments[0])]"
    sizes = f"{every}.map(e => e.getBoundingClientRect())"
    [curve] = [box for box in browser.execute_script(sizes, "polyline.p0") if box["width"]]
    assert curve["width"] > width / 2
    assert curve["height"] > 100
    bars = browser.execute_script(sizes, ".shares .share")
    assert len(bars) == 3
    assert all(bar["width"] > 250 and bar["height"] == 12 for bar in bars)
    assert browser.execute_script("return document.title").startswith(EVIL)
