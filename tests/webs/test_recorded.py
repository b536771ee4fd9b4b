"""A compiled web answers like a live one, opens at once, and refuses what it cannot read."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordings import compile_web, gone, moved, page
from wolfspider.errors import BadInput, DamagedFile
from wolfspider.pages import parse
from wolfspider.protocols import Web
from wolfspider.records import Response
from wolfspider.webs.folder import FORMAT, pack_page, page_url, unpack_page
from wolfspider.webs.recorded import RecordedWeb

A, B = "http://a.test/a", "http://a.test/b"


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> RecordedWeb:
    folder = tmp_path_factory.mktemp("webs") / "web"
    return compile_web(
        folder,
        [
            page(A, f"<title>Spiders</title><p>They hunt <a href={B}>here</a>."),
            page(B, "<p>There."),
            moved("http://a.test/old", B),
            gone("http://a.test/gone"),
        ],
        hunters=[A],
    )


def fetch(web: RecordedWeb, url: str) -> Response:
    return asyncio.run(web.fetch(url))


def test_it_is_a_web(web: RecordedWeb) -> None:
    assert isinstance(web, Web)


def test_a_page_comes_parsed(web: RecordedWeb) -> None:
    response = fetch(web, A)
    assert (response.url, response.status, response.error) == (A, 200, "")
    found = parse(response)
    assert (found.title, found.text, found.links.urls()) == ("Spiders", "They hunt here.", [B])


def test_a_redirect_answers_with_the_page_it_leads_to(web: RecordedWeb) -> None:
    response = fetch(web, "http://a.test/old")
    assert (response.url, response.status) == (B, 200)


def test_other_spellings_are_found(web: RecordedWeb) -> None:
    assert fetch(web, "HTTP://A.test:80/a#top").url == A
    assert "http://a.test/%61" in web


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("http://a.test/gone", "gone"),
        ("http://a.test/unknown", "not in this web"),
        ("http://elsewhere.test/", "not in this web"),
        ("nonsense", "not in this web"),
        ("", "not in this web"),
        ("http://a.test/\ud800é", "not in this web"),
    ],
)
def test_what_is_not_there_is_an_answer_with_an_error(
    web: RecordedWeb, url: str, error: str
) -> None:
    response = fetch(web, url)
    assert (response.url, response.status, response.error) == (url, 404, error)
    assert len(parse(response).links) == 0


@given(st.text())
def test_no_address_makes_it_raise(web: RecordedWeb, url: str) -> None:
    assert fetch(web, url).status == 404


def test_what_it_hands_out_is_a_copy(web: RecordedWeb) -> None:
    """No array of a page leads back to the arrays of the whole web."""
    found = web.page(0)
    for array in (found.terms.ids, found.terms.counts, found.links.fingerprints):
        base: object = array
        while isinstance(base, np.ndarray):
            base = base.base
        assert isinstance(base, bytes)


def test_labels_by_name(web: RecordedWeb) -> None:
    assert web.label("hunters").tolist() == [0]
    with pytest.raises(BadInput, match="has the label 'weavers'; known: hunters"):
        web.label("weavers")


def test_many_labels_are_not_all_listed(tmp_path: Path) -> None:
    many = compile_web(tmp_path / "web", [page(A)], **{f"l{n}": [A] for n in range(9)})
    with pytest.raises(BadInput, match=r"known: l0, l1, l2, l3, l4, l5, l6, l7, …$"):
        many.label("x")
    bare = compile_web(tmp_path / "bare", [page(A)])
    with pytest.raises(BadInput, match="known: none"):
        bare.label("x")


def test_a_page_survives_packing(web: RecordedWeb) -> None:
    first = web.page(0)
    packed = pack_page(first)
    again = unpack_page(packed, first.raw_text, first.links)
    assert page_url(packed) == first.url
    assert (again.url, again.title, again.text) == (first.url, first.title, first.text)
    assert again.terms.ids.tolist() == first.terms.ids.tolist()
    assert again.terms.norm == first.terms.norm


def test_it_opens_at_once(tmp_path: Path) -> None:
    urls = [f"http://a.test/{n}" for n in range(2000)]
    folder = compile_web(tmp_path / "web", (page(url, "x") for url in urls)).folder
    begin = time.perf_counter()
    web = RecordedWeb(folder)
    assert urls[-1] in web
    assert time.perf_counter() - begin < 1


# -- folders that are something else -------------------------------------------------------


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return compile_web(tmp_path / "web", [page(A, "text"), page(B)]).folder


def test_a_folder_of_another_format_is_refused(copy: Path) -> None:
    about = json.loads((copy / "web.json").read_text())
    (copy / "web.json").write_text(json.dumps(about | {"format": FORMAT + 1}))
    with pytest.raises(
        BadInput, match=rf"has format {FORMAT + 1}, this version reads {FORMAT}; import"
    ):
        RecordedWeb(copy)


@pytest.mark.parametrize("text", ["[]", "{}", "null", '"x"'])
def test_a_folder_of_no_format_is_refused(copy: Path, text: str) -> None:
    (copy / "web.json").write_text(text)
    with pytest.raises(BadInput, match="has format None, this version reads"):
        RecordedWeb(copy)


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe"])
def test_a_damaged_description_is_named(copy: Path, data: bytes) -> None:
    (copy / "web.json").write_bytes(data)
    with pytest.raises(DamagedFile, match=r"web\.json is damaged .*; remove .* and import"):
        RecordedWeb(copy)


@pytest.mark.parametrize(
    "name", ["addresses.npy", "address_pages.npy", "page_starts.npy", "pages.bin", "links.bin"]
)
@pytest.mark.parametrize("how", ["missing", "empty", "cut"])
def test_a_damaged_folder_is_refused(copy: Path, name: str, how: str) -> None:
    data = (copy / name).read_bytes()
    (copy / name).unlink()
    if how != "missing":
        (copy / name).write_bytes(b"" if how == "empty" else data[:-3])
    with pytest.raises(DamagedFile, match=r"the web folder .* is damaged \(.*remove it and import"):
        RecordedWeb(copy)


def test_garbage_is_no_array(copy: Path) -> None:
    (copy / "addresses.npy").write_bytes(b"garbage")
    with pytest.raises(DamagedFile, match=r"is damaged \(it holds no plain arrays\); remove it"):
        RecordedWeb(copy)


def test_what_is_no_web_folder_is_refused_with_the_way_to_one(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"there is no web folder .*nowhere; make one with: wolf"):
        RecordedWeb(tmp_path / "nowhere")
    with pytest.raises(BadInput, match="is not a web folder; make one with: wolfspider web import"):
        RecordedWeb(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadInput, match="file is not a web folder"):
        RecordedWeb(str(tmp_path / "file"))


def test_a_misspelt_name_is_answered_with_the_web_beside_it(web: RecordedWeb) -> None:
    misspelt = web.folder.with_name("wbe")
    with pytest.raises(BadInput, match=rf"no web folder {misspelt}; did you mean {web.folder}\?"):
        RecordedWeb(misspelt)
    with pytest.raises(BadInput, match=r"no web folder \S+; make one with"):
        RecordedWeb(web.folder.with_name("quite-another"))
