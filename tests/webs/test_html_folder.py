"""Folders of HTML files: their addresses, what is passed over, and links between them."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.errors import BadInput
from wolfspider.pages import parse_html
from wolfspider.urls import canonical
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.importers.html_folder import HtmlFolder
from wolfspider.webs.importers.mounts import base_url, check_mounts
from wolfspider.webs.recorded import RecordedWeb

AT = "https://d.test/docs/"
PAGE = "<!doctype html><title>Spiders</title><p>Spiders hunt."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "html"
    made.mkdir()
    return made


def write(folder: Path, *names: str, text: str = PAGE) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


def html_folders(mounts: list[tuple[Path, str]]) -> list[HtmlFolder]:
    return [HtmlFolder(folder, at, mounts) for folder, at in mounts]


def captures(folder: Path, at: str = AT) -> list[Capture]:
    return list(HtmlFolder(folder, at))


def served(folder: Path, at: str = AT) -> dict[str, str]:
    """Content type, or where it leads, by path below `at`."""
    return {
        each.url.removeprefix(at): each.location.removeprefix(at) or each.content_type
        for each in captures(folder, at)
    }


def test_a_file_stands_at_its_path(folder: Path) -> None:
    write(folder, "a.html", "b/c/d.htm")
    assert served(folder) == {"a.html": "text/html", "b/c/d.htm": "text/html"}


def test_bodies_and_dates_are_those_of_the_files(folder: Path) -> None:
    (folder / "a.html").write_bytes(b"<meta charset=latin1>caf\xe9")
    os.utime(folder / "a.html", (1e9, 1e9))
    assert captures(folder) == [
        Capture(f"{AT}a.html", 1e9, 200, "text/html", body=b"<meta charset=latin1>caf\xe9")
    ]


@pytest.mark.parametrize("name", ["index.html", "index.htm"])
def test_index_is_its_directory(folder: Path, name: str) -> None:
    write(folder, name, f"sub/{name}")
    found = {each.url: each.location for each in captures(folder)}
    assert found == {
        AT: "",
        f"{AT}{name}": AT,
        "https://d.test/docs": AT,
        f"{AT}sub/": "",
        f"{AT}sub/{name}": f"{AT}sub/",
        f"{AT}sub": f"{AT}sub/",
    }


def test_the_root_of_a_host_has_no_address_without_slash(folder: Path) -> None:
    write(folder, "index.html")
    assert {each.url for each in captures(folder, "https://d.test")} == {
        "https://d.test/",
        "https://d.test/index.html",
    }


def test_of_two_indexes_the_second_is_an_ordinary_page(folder: Path) -> None:
    write(folder, "index.htm", "index.html")
    assert {each.url: each.location for each in captures(folder)} == {
        AT: "",
        f"{AT}index.html": AT,
        "https://d.test/docs": AT,
        f"{AT}index.htm": "",
    }


def test_the_index_comes_first_and_the_rest_is_sorted(folder: Path) -> None:
    write(folder, "z.html", "index.html", "a.html", "b/index.html", "B.html", "b.html")
    pages = [each.url.removeprefix(AT) for each in captures(folder) if each.status == 200]
    assert pages == ["", "B.html", "a.html", "b/", "b.html", "z.html"]


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.HTML", "x", "text/html"),
        ("a.shtml", "x", "text/html"),
        ("a.xhtml", "x", "application/xhtml+xml"),
        ("Spider", PAGE, "text/html"),
        ("Spider", "\ufeff\n<!-- wolf -->\n<html>", "text/html"),
        ("page.php?id=3", PAGE, "text/html"),
        ("LICENSE", "Permission is granted", "application/octet-stream"),
        ("Picture", "GIF89a", "application/octet-stream"),
        ("a.css", PAGE, "text/css"),
        ("a.txt", PAGE, "text/plain"),
        ("a.png", PAGE, "image/png"),
        ("a.html.gz", PAGE, "application/octet-stream"),
        ("a.unheard-of", "x", "application/octet-stream"),
    ],
)
def test_types_go_by_name_or_else_by_content(folder: Path, name: str, text: str, kind: str) -> None:
    write(folder, name, text=text)
    write(folder, "page.html")
    pages = [each for each in captures(folder) if each.status == 200]
    assert [each.content_type for each in pages if each.url != f"{AT}page.html"] == [kind]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("a b.html", "a%20b.html"),
        ("50%.html", "50%25.html"),
        ("what?.html", "what%3F.html"),
        ("c#.html", "c%23.html"),
        ("é.html", "%C3%A9.html"),
        ("back\\slash.html", "back%5Cslash.html"),
        ("%2e%2e.html", "%252e%252e.html"),
        ("a:b,c~d+e.html", "a:b,c~d+e.html"),
    ],
)
def test_names_are_quoted(folder: Path, name: str, path: str) -> None:
    write(folder, name)
    first = captures(folder)[0]
    assert first.url == AT + path
    assert canonical(first.url) == first.url


def test_both_ways_to_write_an_odd_name_lead_to_it(folder: Path) -> None:
    write(folder, "Python_(snake).html")
    assert served(folder) == {
        "Python_(snake).html": "text/html",
        "Python_%28snake%29.html": "Python_(snake).html",
    }


def test_names_that_are_not_utf_8_keep_their_bytes(folder: Path) -> None:
    (folder / os.fsdecode(b"caf\xe9.html")).write_text(PAGE)
    assert list(served(folder)) == ["caf%E9.html"]


def test_hidden_files_are_passed_over(folder: Path) -> None:
    write(folder, ".git/a.html", ".buildinfo", "a.html", ".well-known/b.html", "c/.d.html")
    file = HtmlFolder(folder, AT)
    assert [each.url.removeprefix(AT) for each in file] == [".well-known/b.html", "a.html"]
    assert not file.left_out


def test_links_to_folders_are_not_followed(folder: Path) -> None:
    write(folder, "a/b.html")
    (folder / "a" / "circle").symlink_to(folder)
    file = HtmlFolder(folder, AT)
    assert [each.url.removeprefix(AT) for each in file] == ["a/b.html"]
    assert file.left_out == {"link to a folder": 1}


def test_links_to_files_count_inside_the_folder_alone(folder: Path) -> None:
    write(folder, "a.html")
    write(folder.parent, "secret.html")
    (folder / "inside.html").symlink_to("a.html")
    (folder / "outside.html").symlink_to(folder.parent / "secret.html")
    (folder / "nowhere.html").symlink_to("not there")
    file = HtmlFolder(folder, AT)
    assert [each.url.removeprefix(AT) for each in file] == ["a.html", "inside.html"]
    assert file.left_out == {"link to a file outside the folder": 1, "link to nothing": 1}


def test_a_link_in_a_circle_costs_itself_alone(folder: Path) -> None:
    write(folder, "a.html", "index.htm")
    (folder / "index.html").symlink_to("index.html")
    file = HtmlFolder(folder, AT)
    assert [each.url.removeprefix(AT) for each in file if each.status == 200] == ["", "a.html"]
    assert file.left_out == {"link to nothing": 1}


@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="disks know no such years")
def test_a_file_of_an_impossible_year_has_no_date() -> None:
    with TemporaryDirectory(dir="/dev/shm") as folder:
        write(Path(folder), "a.html")
        os.utime(Path(folder) / "a.html", (1e12, 1e12))
        assert [each.date for each in captures(Path(folder))] == [0.0]


def test_what_cannot_be_read_is_counted(folder: Path) -> None:
    write(folder, "a.html", "b.html", "d.html")
    os.mkfifo(folder / "c.html")
    file = HtmlFolder(folder, AT)
    captures = iter(file)
    next(captures)
    (folder / "b.html").unlink()  # between listing and reading
    assert [each.url.removeprefix(AT) for each in captures] == ["d.html"]
    assert file.left_out == {
        "file that cannot be read": 1,
        "file that is not an ordinary one": 1,
    }


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_files_without_permission_are_counted(folder: Path) -> None:
    write(folder, "a.html", "b.html", "c/d.html")
    (folder / "b.html").chmod(0)
    (folder / "c").chmod(0)
    file = HtmlFolder(folder, AT)
    assert [each.url.removeprefix(AT) for each in file] == ["a.html"]
    assert file.left_out == {"file that cannot be read": 1, "folder that cannot be read": 1}
    (folder / "c").chmod(0o700)


def test_files_that_are_too_large_are_counted(folder: Path) -> None:
    write(folder, "a.html")
    with (folder / "b.html").open("wb") as file:
        file.truncate((16 << 20) + 1)
    file_ = HtmlFolder(folder, AT)
    assert [each.url.removeprefix(AT) for each in file_] == ["a.html"]
    assert file_.left_out == {"file that is too large": 1}
    assert file_.position == file_.size == len(PAGE)


def test_a_folder_without_html_is_refused(folder: Path) -> None:
    write(folder, "a.txt", "b/c.css", "sitemap.xml")
    with pytest.raises(BadInput, match=r"there is no HTML file in .*html"):
        captures(folder)


def test_what_is_no_folder_is_refused(folder: Path) -> None:
    write(folder, "a.html")
    with pytest.raises(BadInput, match=r"a\.html is no folder"):
        HtmlFolder(folder / "a.html", AT)
    with pytest.raises(BadInput, match="nowhere does not exist"):
        HtmlFolder(folder / "nowhere", AT)


@pytest.mark.parametrize(
    "at", ["", "d.test", "ftp://d.test/", "https://", "https://d.test/?a", "/x"]
)
def test_what_is_no_address_of_a_folder_is_refused(at: str) -> None:
    with pytest.raises(BadInput, match="not the address of a folder"):
        base_url(at)


def test_an_address_gets_the_slash_that_is_missing() -> None:
    assert base_url("HTTPS://D.test:443/docs") == AT
    assert base_url("https://d.test") == "https://d.test/"


def test_mounts_that_exclude_each_other_are_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    a, b = tmp_path / "a", tmp_path / "b"
    check_mounts([(a, "https://d.test/a"), (b, "https://d.test/b")])
    with pytest.raises(BadInput, match=r"the folder .*a is given twice"):
        check_mounts([(a, "https://d.test/a"), (b / ".." / "a", "https://d.test/b")])
    with pytest.raises(BadInput, match=r"two folders are to stand at https://d.test/x/"):
        check_mounts([(a, "https://d.test/x"), (b, "https://D.test/x/")])


# -- links between folders -----------------------------------------------------------------

OTHER = "https://other.test/"


@pytest.fixture
def other(tmp_path: Path) -> Path:
    made = tmp_path / "other folder"
    write(made, "index.html", "deep/page.html")
    return made


def linked(folder: Path, other: Path, *hrefs: str, name: str = "a.html") -> list[str]:
    """Where the links of a page lead on the web."""
    body = "".join(f'<p><a href="{href}">x</a>' for href in hrefs)
    write(folder, name, text=body)
    own = html_folders([(folder, AT), (other, OTHER)])[0]
    capture = next(each for each in own if each.status == 200)
    page = parse_html(capture.body, capture.url, content_type=capture.content_type)
    return [text.split(b"\n")[0].decode() for text in page.links.texts()]


@pytest.mark.parametrize(
    ("href", "to"),
    [
        ("../other%20folder/deep/page.html", "deep/page.html"),
        ("../other folder/deep/../deep/page.html#part", "deep/page.html"),
        ("../other%20folder/deep/", "deep/"),
        ("../other%20folder/", ""),
        ("../other%20folder", ""),
        ("../other%20folder/index.html", "index.html"),
        ("b/../../other%20folder/x.html?q=1", "x.html?q=1"),
        ("b c/../../other folder/x.html", "x.html"),
    ],
)
def test_links_that_climb_out_lead_to_the_other_mount(
    folder: Path, other: Path, href: str, to: str
) -> None:
    assert linked(folder, other, href) == [OTHER + to]


@pytest.mark.parametrize("scheme", ["", "file://", "FILE://localhost"])
def test_paths_on_disk_lead_to_the_other_mount(folder: Path, other: Path, scheme: str) -> None:
    assert linked(folder, other, f"{scheme}{other}/deep/page.html") == [f"{OTHER}deep/page.html"]
    assert linked(folder, other, f"{scheme}{folder}/b.html") == [f"{AT}b.html"]


def test_from_deep_below_it_takes_more_steps_to_climb_out(folder: Path, other: Path) -> None:
    hrefs = ("../../../other%20folder/x.html", "../../up.html")
    assert linked(folder, other, *hrefs, name="b/c/a.html") == [f"{OTHER}x.html", f"{AT}up.html"]


def test_a_link_that_comes_back_stays_in_its_folder(folder: Path, other: Path) -> None:
    assert linked(folder, other, "../html/b.html") == [f"{AT}b.html"]


def test_a_base_counts(folder: Path, other: Path) -> None:
    text = "<base href='../other folder/deep/'><a href=page.html>x</a><a href=https://c.test/>y</a>"
    write(folder, "a.html", text=text)
    own = html_folders([(folder, AT), (other, OTHER)])[0]
    body = next(iter(own)).body
    assert b'href="https://other.test/deep/page.html"' in body
    assert b'href="https://c.test/"' in body


def test_fragments_are_kept(folder: Path, other: Path) -> None:
    write(folder, "a.html", text="<a href='../other folder/x.html#part'>x</a>")
    own = html_folders([(folder, AT), (other, OTHER)])[0]
    assert b'href="https://other.test/x.html#part"' in next(iter(own)).body


@pytest.mark.parametrize(
    "href", ["b.html", "../elsewhere/x.html", "/x.html", "//other.test/x", "https://other.test/x"]
)
def test_other_pages_stay_byte_for_byte(folder: Path, other: Path, href: str) -> None:
    body = f"<P>caf\xe9 <A HREF={href}>x</a>".encode("latin-1")
    (folder / "a.html").write_bytes(body)
    own = html_folders([(folder, AT), (other, OTHER)])[0]
    assert [(each.body, each.content_type) for each in own] == [(body, "text/html")]


def test_a_mended_page_keeps_its_letters(folder: Path, other: Path) -> None:
    (folder / "a.html").write_bytes(
        b"<meta charset=latin1><title>caf\xe9</title><a href='../other folder/'>x</a>"
    )
    capture = next(iter(html_folders([(folder, AT), (other, OTHER)])[0]))
    assert capture.content_type == "text/html; charset=utf-8"
    page = parse_html(capture.body, capture.url, content_type=capture.content_type)
    assert page.title == "café"


def test_a_folder_inside_another_keeps_the_links_of_each(tmp_path: Path) -> None:
    outer, inner = tmp_path / "outer", tmp_path / "outer" / "inner"
    write(outer, "a.html", text="<a href=inner/b.html>x</a>")
    write(inner, "b.html", text="<a href=../a.html>x</a>")
    first, second = html_folders([(outer, "https://o.test/"), (inner, "https://i.test/")])
    assert b'"https://o.test/a.html"' in next(iter(second)).body
    assert [each.url for each in first] == ["https://o.test/a.html", "https://o.test/inner/b.html"]


def test_a_web_of_two_folders_is_one_graph(folder: Path, other: Path, tmp_path: Path) -> None:
    write(folder, "index.html", text="<a href=sub>s</a> <a href='../other folder'>o</a>")
    write(folder, "sub/index.html", text="<a href=../index.html>up</a>")
    with Compiler(tmp_path / "web") as compiler:
        for each in html_folders([(folder, AT), (other, OTHER)]):
            for capture in each:
                compiler.add(capture)
        compiler.finish()
    web = RecordedWeb(tmp_path / "web")
    assert (web.about["pages"], web.about["links"], web.about["hosts"]) == (4, 3, 2)
    assert web.about["left_out"] == {}


@given(
    st.lists(
        st.sampled_from(["..", ".", "other folder", "html", "x.html", "%2e%2e", "", "#", "?"]),
        max_size=8,
    )
)
def test_no_link_makes_the_reader_raise(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str]
) -> None:
    made = tmp_path_factory.mktemp("links")
    write(made, "html/a.html", text=f"<a href='{'/'.join(parts)}'>x</a> <a href='file://[/'>y</a>")
    write(made, "other folder/a.html")
    own = html_folders([(made / "html", AT), (made / "other folder", OTHER)])[0]
    assert [each.url for each in own] == [f"{AT}a.html"]
