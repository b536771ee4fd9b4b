"""Captures in, web folder out: what is kept, what is merged, what is left out and said."""

from __future__ import annotations

import shutil
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recordings import compile_web, gone, http, moved, page, read, record
from wolfspider.errors import BadInput
from wolfspider.pages import parse_html
from wolfspider.records import BAGS
from wolfspider.webs import new_folder
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.importers.warc import WarcFile
from wolfspider.webs.labels import read_labels
from wolfspider.webs.recorded import RecordedWeb

WEBS = Path(__file__).resolve().parents[3] / "shared" / "webs"
A, B, C, D = (f"http://a.test/{name}" for name in "abcd")


def links(web: RecordedWeb, url: str) -> list[str]:
    return web.page(web.number(url)).links.urls()


def linking(*urls: str) -> str:
    return "<h1>Links</h1>" + "".join(f"<p>See <a href='{url}'>this one</a> now." for url in urls)


# -- pages and their links -----------------------------------------------------------------


def test_a_page_is_read_back_as_it_was_parsed(tmp_path: Path) -> None:
    html = f"<title>Wolf spiders é</title><h1>Hunters</h1><p>They {linking(B, C)} run. <img alt=x>"
    web = compile_web(tmp_path / "web", [page(A, html), page(B, "b"), page(C, "c")])
    parsed = parse_html(html.encode(), A, content_type="text/html")
    found = web.page(web.number(A))
    assert (found.url, found.title, found.text) == (A, parsed.title, parsed.text)
    assert found.flags == parsed.flags
    assert found.terms.ids.tolist() == parsed.terms.ids.tolist()
    assert found.terms.counts.tolist() == parsed.terms.counts.tolist()
    assert (found.terms.length, found.terms.norm) == (parsed.terms.length, parsed.terms.norm)
    assert found.links.buffer == parsed.links.buffer


def test_links_lead_to_pages_of_the_web_only(tmp_path: Path) -> None:
    body = linking("http://elsewhere.test/", B, "/gone", "mailto:a@b.test", A, "#top")
    web = compile_web(tmp_path / "web", [page(A, body), page(B), gone("http://a.test/gone")])
    assert links(web, A) == [B]
    kept, parsed = web.page(0).links, parse_html(body.encode(), A).links
    row = parsed.urls().index(B)
    assert kept.anchors() == ["this one"]
    for name in BAGS:
        assert kept.bag(name)[0].tolist() == parsed.bag(name)[row].tolist()
    assert kept.paths.tolist() == parsed.paths[[row]].tolist()
    assert kept.hosts == ["a.test"]


def test_the_graph_is_the_links_by_number(tmp_path: Path) -> None:
    web = compile_web(
        tmp_path / "web", [page(A, linking(B, C)), page(B), page(C, linking(A)), page(D)]
    )
    starts, pages = web.graph
    assert starts.tolist() == [0, 2, 2, 3, 3]
    assert pages.tolist() == [1, 2, 0]
    assert web.about["links"] == 3


def test_pages_without_text_or_links_are_pages(tmp_path: Path) -> None:
    web = compile_web(tmp_path / "web", [page(A, "<img src=x>")])
    assert len(web) == 1
    assert (web.page(0).text, len(web.page(0).links)) == ("", 0)


def test_hosts_and_pages_are_counted(tmp_path: Path) -> None:
    urls = [A, B, "https://a.test/a", "http://a.test:81/", "http://b.test/"]
    web = compile_web(tmp_path / "web", map(page, urls))
    assert (web.about["pages"], web.about["hosts"]) == (5, 3)
    assert [web.url(n) for n in range(5)] == urls


def test_one_address_in_several_spellings_is_one_page(tmp_path: Path) -> None:
    web = compile_web(
        tmp_path / "web",
        [page("HTTP://A.test:80/a#x", "one"), page(A + "?utm_source=y", "two"), page(B)],
    )
    assert (len(web), web.page(0).text) == (2, "two")
    assert web.about["left_out"] == {"earlier capture of a page": 1}


# -- captures by date ----------------------------------------------------------------------

OLD, NEW, NEWEST = "2020-01-01T00:00:00Z", "2020-06-01T00:00:00Z", "2021-01-01T00:00:00Z"


@pytest.mark.parametrize("turn", [list, lambda records: records[::-1]], ids=["sorted", "reversed"])
def test_the_latest_capture_counts(
    tmp_path: Path, turn: Callable[[Sequence[bytes]], list[bytes]]
) -> None:
    captures = [page(A, "old", OLD), page(A, "new", NEW), page(B, linking(A), OLD)]
    web = compile_web(tmp_path / "web", turn(captures))
    assert web.page(web.number(A)).text == "new"
    assert links(web, B) == [A]
    assert web.about["left_out"] == {"earlier capture of a page": 1}


def test_a_page_that_was_gone_at_last_is_gone(tmp_path: Path) -> None:
    web = compile_web(tmp_path / "web", [page(A, "x", OLD), gone(A, NEW), page(B, linking(A))])
    assert web.number(A) == -1
    assert links(web, B) == []
    back = compile_web(tmp_path / "back", [gone(A, OLD), page(A, "x", NEW)])
    assert A in back


def test_a_page_that_moved_at_last_has_moved(tmp_path: Path) -> None:
    web = compile_web(
        tmp_path / "web", [page(A, "here", OLD), moved(A, B, NEW), page(B, "there"), page(C)]
    )
    assert web.page(web.number(A)).text == "there"
    back = compile_web(
        tmp_path / "back", [moved(A, B, OLD), page(A, "here", NEW), page(B, "there")]
    )
    assert back.page(back.number(A)).text == "here"


def test_at_one_moment_a_page_counts_before_a_redirect(tmp_path: Path) -> None:
    for name, order in (("first", 1), ("last", -1)):
        captures = [page(A, "here"), moved(A, B)][::order]
        web = compile_web(tmp_path / name, [*captures, page(B, "there")])
        assert web.page(web.number(A)).text == "here"


# -- redirects -----------------------------------------------------------------------------


def test_links_through_redirects_lead_to_the_page(tmp_path: Path) -> None:
    web = compile_web(
        tmp_path / "web",
        [
            page(A, linking("/1", "http://elsewhere.test/")),
            moved("http://a.test/1", "2", status=302),
            moved("http://a.test/2", "http://a.test/3", status=307),
            moved("http://a.test/3", "//b.test/end", status=308),
            page("http://b.test/end"),
        ],
    )
    found = web.page(0).links
    assert found.urls() == ["http://b.test/end"]
    assert (found.anchors(), found.hosts) == (["this one"], ["b.test"])
    for alias in ("1", "2", "3"):
        assert web.number(f"http://a.test/{alias}") == 1
    assert web.about["left_out"] == {}


def test_a_page_and_its_alias_are_one_target(tmp_path: Path) -> None:
    web = compile_web(
        tmp_path / "web",
        [page(A, linking(C, B, "/alias")), page(B), page(C), moved("http://a.test/alias", B)],
    )
    assert links(web, A) == [C, B]


def test_a_link_to_an_alias_of_the_page_itself_is_none(tmp_path: Path) -> None:
    web = compile_web(tmp_path / "web", [page(A, linking(B)), moved(B, A)])
    assert links(web, A) == []


def test_redirects_in_a_circle_or_to_the_outside_lead_nowhere(tmp_path: Path) -> None:
    web = compile_web(
        tmp_path / "web",
        [page(A, linking(B, C, D)), moved(B, C), moved(C, B), moved(D, "http://elsewhere.test/")],
    )
    assert links(web, A) == []
    assert [web.number(url) for url in (B, C, D)] == [-2, -2, -2]
    assert web.about["left_out"] == {"redirect that leads nowhere": 3}


def test_ten_redirects_are_followed_and_no_more(tmp_path: Path) -> None:
    chain = [moved(f"http://a.test/{n}", f"/{n + 1}") for n in range(11)]
    web = compile_web(tmp_path / "web", [*chain, page("http://a.test/11")])
    assert web.number("http://a.test/1") == 0
    assert web.number("http://a.test/0") == -2


def test_a_redirect_to_a_lost_page_is_lost(tmp_path: Path) -> None:
    web = compile_web(tmp_path / "web", [page(A, linking(B)), moved(B, C), gone(C)])
    assert web.number(B) == -1
    assert links(web, A) == []


def test_a_redirect_to_itself_and_to_no_address_are_no_pages(tmp_path: Path) -> None:
    nowhere = record("response", C, http(b"", 301))
    web = compile_web(tmp_path / "web", [page(A), moved(B, B + "#x"), nowhere, moved(D, "data:,x")])
    assert [web.number(url) for url in (B, C, D)] == [-2, -2, -2]
    assert web.about["left_out"] == {"redirect to nowhere": 2}


# -- revisits and what is no page ----------------------------------------------------------


def revisit(url: str, of: str = "", date: str = NEWEST, block: bytes = b"") -> bytes:
    headers = [("WARC-Refers-To-Target-URI", of)] if of else []
    return record("revisit", url, block or http(), date, headers)


def test_a_revisit_keeps_what_was_there(tmp_path: Path) -> None:
    web = compile_web(tmp_path / "web", [page(A, "x", OLD), revisit(A), gone(A, NEW)])
    assert web.page(web.number(A)).text == "x"


@pytest.mark.parametrize("order", [1, -1])
def test_a_revisit_of_another_address_leads_to_its_page(tmp_path: Path, order: int) -> None:
    captures = [page(A, "x", OLD), revisit(B, A), page(C, linking(B))][::order]
    web = compile_web(tmp_path / "web", captures)
    assert web.number(B) == web.number(A) >= 0
    assert links(web, C) == [A]


def test_a_revisit_of_a_lost_or_moved_page_is_that(tmp_path: Path) -> None:
    away = http(b"", 301, [("Location", A)])
    web = compile_web(
        tmp_path / "web",
        [page(A), revisit(B, "http://a.test/x", block=http(b"", 404)), revisit(C, D, block=away)],
    )
    assert (web.number(B), web.number(C)) == (-1, web.number(A))


def test_what_is_no_page_is_counted_by_reason(tmp_path: Path) -> None:
    web = compile_web(
        tmp_path / "web",
        [
            page(A),
            page("ftp://a.test/x"),
            record("response", B, http(b"", 500)),
            record("response", B, http(b"%PDF-1.4")),
            record("response", B, http(b"body{}", headers=()).replace(b"html", b"css", 1)),
            record("response", B, b"no http at all"),
            revisit(C),
        ],
    )
    assert web.about["left_out"] == {
        "not HTML": 2,
        "not HTTP": 1,
        "not a web address": 1,
        "revisit of a capture that is not here": 1,
        "status 500": 1,
    }
    assert len(web) == 1


def test_robots_headers_reach_the_page(tmp_path: Path) -> None:
    answer = http(b"<p>x", headers=[("X-Robots-Tag", "noindex"), ("X-Robots-Tag", "nofollow")])
    web = compile_web(tmp_path / "web", [record("response", A, answer)])
    assert web.page(0).flags == 3


# -- labels and digest ---------------------------------------------------------------------


def test_labels_are_found_by_any_spelling_or_alias(tmp_path: Path) -> None:
    web = compile_web(
        tmp_path / "web",
        [page(A), page(B), moved(C, B)],
        zebra=["HTTP://A.TEST/a", B],
        ant=[C, B],
    )
    assert web.about["labels"] == {"ant": 1, "zebra": 2}
    assert web.label("zebra").tolist() == [0, 1]
    assert web.label("ant").tolist() == [1]


def test_labels_for_unknown_pages_are_refused_or_counted(tmp_path: Path) -> None:
    rows = [(A, "x"), ("http://nowhere.test/", "x"), ("nonsense", "y"), (B, "gone")]
    captures = read(tmp_path / "x.warc", page(A) + gone(B))[0]
    for skip in (False, True):
        with Compiler(tmp_path / "web") as compiler:
            for capture in captures:
                compiler.add(capture)
            if not skip:
                with pytest.raises(BadInput, match=r"3, the first for 'http://nowhere.test/'"):
                    compiler.finish(rows)
            else:
                compiler.finish(rows, skip_unknown=True)
    about = RecordedWeb(tmp_path / "web").about
    assert about["labels"] == {"x": 1}
    assert about["left_out"] == {"label for an unknown address": 3}


def test_equal_input_has_equal_digest_and_other_input_another(tmp_path: Path) -> None:
    first = [page(A, linking(B)), page(B, "b"), moved(C, B)]
    variants = {
        "same": first,
        "text": [page(A, linking(B)), page(B, "c"), moved(C, B)],
        "order": [first[1], first[0], first[2]],
        "link": [page(A, linking(B, "/x")), page(B, linking(A)), moved(C, B)],
        "alias": first[:2],
        "lost": [*first, gone(D)],
    }
    digests = {name: compile_web(tmp_path / name, rows).digest for name, rows in variants.items()}
    digests["label"] = compile_web(tmp_path / "label", first, x=[A]).digest
    digests["renamed"] = compile_web(tmp_path / "renamed", first, y=[A]).digest
    assert compile_web(tmp_path / "again", first).digest == digests["same"]
    assert len(set(digests.values())) == len(digests)


# -- any web at all ------------------------------------------------------------------------

NAMES = st.sampled_from("abcdefgh")
ANSWERS = st.one_of(
    st.tuples(st.just("page"), NAMES, st.lists(NAMES, max_size=6)),
    st.tuples(st.just("moved"), NAMES, NAMES),
    st.tuples(st.just("gone"), NAMES, st.none()),
)


@settings(max_examples=60)
@given(st.lists(ANSWERS, min_size=1, max_size=14))
def test_every_web_agrees_with_a_browser(
    tmp_path_factory: pytest.TempPathFactory, answers: list[tuple[str, str, Any]]
) -> None:
    """Captures follow each other in time; a browser at the end sees the last of each address."""
    folder = tmp_path_factory.mktemp("any")
    last: dict[str, tuple[str, Any]] = {}
    with Compiler(folder / "web", ["any"]) as compiler:
        for when, (kind, name, rest) in enumerate(answers):
            url = f"http://a.test/{name}"
            body = linking(*(f"/{to}" for to in rest)).encode() if kind == "page" else b""
            status = {"page": 200, "moved": 301, "gone": 404}[kind]
            location = f"/{rest}" if kind == "moved" else ""
            compiler.add(Capture(url, when, status, "text/html", body=body, location=location))
            if kind != "moved" or rest != name:
                last[name] = (kind, rest)

        def follow(name: str) -> str:
            for _ in range(10):
                kind, rest = last.get(name, ("unknown", []))
                if kind != "moved":
                    return name if kind == "page" else kind
                name = str(rest)
            return "unknown"

        pages = [name for name, (kind, _) in last.items() if kind == "page"]
        if not pages:
            with pytest.raises(BadInput, match="nothing to import: no page in any"):
                compiler.finish()
            return
        compiler.finish()
    web = RecordedWeb(folder / "web")
    assert len(web) == len(pages)
    for name in "abcdefgh":
        end, number = follow(name), web.number(f"http://a.test/{name}")
        assert number == {"unknown": -2, "gone": -1}.get(end, number)
        if end in pages:
            assert web.url(number) == f"http://a.test/{end}"
    for name in pages:
        ends = dict.fromkeys(follow(to) for to in last[name][1])
        wanted = [f"http://a.test/{end}" for end in ends if end in pages and end != name]
        assert links(web, f"http://a.test/{name}") == wanted
    shutil.rmtree(folder)


# -- folders -------------------------------------------------------------------------------


def everything(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_nothing_is_left_of_an_import_that_fails(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b" / "web"

    def interrupted(compiler: Compiler) -> None:
        compiler.add(Capture(A, 0, 200, "text/html", body=b"<p>x"))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), Compiler(deep) as compiler:
        interrupted(compiler)
    assert everything(tmp_path) == []
    with Compiler(deep, ["x"]) as compiler, pytest.raises(BadInput, match="nothing to import"):
        compiler.finish()
    assert everything(tmp_path) == []


def test_what_fails_late_leaves_nothing_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(folder: Path, labels: list[str]) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(new_folder, "_digest", fail)
    with pytest.raises(OSError, match="No space left"):
        compile_web(tmp_path / "x", [page(A)])
    assert everything(tmp_path) == ["x.warc"]


def test_remains_of_a_killed_import_are_cleared_away(tmp_path: Path) -> None:
    (tmp_path / ".web.partial").mkdir()
    (tmp_path / ".web.partial" / "pages.bin").write_bytes(b"rest")
    compile_web(tmp_path / "web", [page(A)])
    assert not (tmp_path / ".web.partial").exists()


def test_a_folder_that_exists_is_kept(tmp_path: Path) -> None:
    (tmp_path / "web").mkdir()
    with pytest.raises(BadInput, match="exists already; choose another folder or remove it"):
        Compiler(tmp_path / "web")
    assert everything(tmp_path) == ["web"]


@pytest.mark.parametrize("place", ["file/web", "file/a/b/web"])
def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(BadInput, match=r"cannot write to .*file.*: Not a directory; choose"):
        Compiler(tmp_path / place)
    assert everything(tmp_path) == ["file"]
    with pytest.raises(BadInput, match="cannot write to /proc/nowhere/deep: No such file"):
        Compiler(Path("/proc/nowhere/deep/web"))


def test_memory_does_not_follow_the_size_of_the_web(tmp_path: Path) -> None:
    """Pages go to disk: ten times as many need a few bytes more for each, not their text."""
    text = " ".join(f"word{n % 150}" for n in range(1000))

    def peak(pages: int) -> int:
        tracemalloc.start()
        with Compiler(tmp_path / f"{pages}", ["x"]) as compiler:
            for n in range(pages):
                body = f"<p>{text} <a href=/{n * 7 % pages}>x</a> <a href=/{n * 3 % pages}>y</a>"
                compiler.add(Capture(f"http://a.test/{n}", 0, 200, "text/html", body=body.encode()))
            compiler.finish()
        highest = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return highest

    peak(20)  # fills the memos of words
    small, large = peak(150), peak(1500)
    assert large - small < 1350 * 1000  # bytes for each page more; its text alone has 7,000


# -- the recorded webs beside the project --------------------------------------------------


def imported(name: str, folder: Path) -> RecordedWeb:
    warc = WEBS / f"{name}.warc.gz"
    if not warc.exists():
        pytest.skip(f"{warc.name} is not in the folder shared/webs beside the project")
    file = WarcFile(warc)
    with Compiler(folder / name, [warc.name]) as compiler:
        for capture in file:
            compiler.add(capture)
        compiler.finish(read_labels(WEBS / f"{name}.labels.tsv"))
    assert (file.damaged, file.too_large, file.truncated) == (0, 0, False)
    return RecordedWeb(folder / name)


def check_graph(web: RecordedWeb) -> None:
    """The links of every page lead to the pages that the graph says."""
    starts, targets = web.graph
    for number in range(0, len(web), 37):
        row = targets[starts[number] : starts[number + 1]]
        assert web.page(number).links.urls() == [web.url(int(to)) for to in row]
        assert len(np.unique(row)) == len(row)


def test_webkb_has_the_pages_and_links_that_are_known(tmp_path: Path) -> None:
    web = imported("webkb", tmp_path)
    assert (web.about["pages"], web.about["links"]) == (8214, 15888)
    assert web.about["left_out"]["earlier capture of a page"] == 9  # written twice
    assert web.about["labels"]["course"] == len(web.label("course"))
    check_graph(web)


def test_wpcd_has_the_pages_and_links_that_are_known(tmp_path: Path) -> None:
    web = imported("wpcd", tmp_path)
    assert (web.about["pages"], web.about["links"], web.about["hosts"]) == (5232, 136417, 1)
    assert "http://schools-wikipedia.org/wp/e/Earth.htm" in web
    check_graph(web)
