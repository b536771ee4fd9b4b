"""Every kind of recording becomes a web by one command, and can be hunted and served."""

from __future__ import annotations

import bz2
from pathlib import Path
from zipfile import ZipFile

import pytest

from arcs import arc_page, filedesc
from command_line import Generated, Outcome, Run
from recordings import gone, gzipped, page
from wiki_dumps import head
from wiki_dumps import page as article
from wolfspider.webs.history import History
from wolfspider.webs.recorded import RecordedWeb
from wolfspider.webs.serving import Index

A, B = "http://a.test/", "http://a.test/b"
FIRST, SECOND, THIRD = (f"2005-01-0{day}T00:00:00Z" for day in (1, 2, 3))
DEBIAN = Path("/usr/share/doc")


def imported(run: Run, *arguments: str | Path) -> Outcome:
    done = run("web", *arguments, "--json", "--quiet")
    assert done.code == 0, done.err
    assert done.err == ""
    return done


# -- files -----------------------------------------------------------------------------------


def test_files_of_all_kinds_make_one_web(run: Run, tmp_path: Path) -> None:
    warc, arc, wacz, dump = (tmp_path / name for name in ("1", "2", "3", "4"))
    warc.write_bytes(b"".join(gzipped([page(A, "<a href='http://c.test/'>c")])))
    arc.write_bytes(filedesc() + arc_page("http://b.test/"))
    with ZipFile(wacz, "w") as zipped:
        zipped.writestr("archive/x.warc", page("http://c.test/"))
    dump.write_bytes(bz2.compress((head() + article("Cat", "[[Dog]]") + "</mediawiki>").encode()))
    web = imported(run, "import", warc, arc, wacz, dump, "-o", tmp_path / "web")
    assert (web.json["pages"], web.json["links"], web.json["hosts"]) == (4, 1, 4)
    assert web.json["sources"] == ["1", "2", "3", "4"]
    assert not (tmp_path / "web" / "scratch").exists()


def test_a_wiki_has_its_categories_as_labels(run: Run, tmp_path: Path) -> None:
    pages = [
        article("Cat", "A [[dog]]'s friend. [[Category:Animals]] [[Category:Pets|cat]]"),
        article("Dog", "A [[cat|pet]]. [[Category:Animals]]"),
        article("Hound", "#REDIRECT [[Dog]]", redirect="Dog"),
        article("Wolf", "Like a [[hound]]."),
    ]
    (tmp_path / "dump.xml").write_text(head() + "".join(pages) + "</mediawiki>")
    web = imported(run, "import", tmp_path / "dump.xml", "-o", tmp_path / "web").json
    assert web["labels"] == {"Animals": 2, "Pets": 1}
    assert (web["pages"], web["links"]) == (3, 3)
    found = RecordedWeb(tmp_path / "web")
    wolf = found.page(found.number("https://simple.wikipedia.org/wiki/Wolf"))
    assert wolf.links.urls() == ["https://simple.wikipedia.org/wiki/Dog"]  # not the redirect
    assert wolf.links.anchors() == ["hound"]


def test_a_dump_that_does_not_say_where_it_stands_needs_a_base(run: Run, tmp_path: Path) -> None:
    dump = tmp_path / "dump.xml"
    dump.write_text("<mediawiki>" + article("Cat", "Meow.") + "</mediawiki>")
    refused = run("web", "import", dump, "-o", tmp_path / "web")
    assert (refused.code, refused.out) == (2, "")
    assert "give --base URL, such as --base https://simple.wikipedia.org/wiki/" in refused.err
    base = ("--base", "https://wiki.test/")
    web = imported(run, "import", dump, *base, "-o", tmp_path / "web")
    assert web.json["start"] == "https://wiki.test/Cat"


@pytest.mark.parametrize("name", ["cut.xml", "cut.xml.bz2"])
def test_a_dump_that_is_cut_off(run: Run, tmp_path: Path, name: str) -> None:
    words = " ".join(str(number**3) for number in range(90_000))
    whole = (head() + article("Cat", words[: 1 << 17]) + article("Dog", words)).encode()
    dump = tmp_path / name
    dump.write_bytes(bz2.compress(whole, 1)[:-99] if name.endswith("2") else whole[:-99])
    refused = run("web", "import", dump, "-o", tmp_path / "web", "-q")
    assert refused.code == 2
    assert "is cut off after 1 whole record; get a whole copy, or give --truncated" in refused.err
    assert [path.name for path in tmp_path.iterdir()] == [name]
    taken = imported(run, "import", dump, "--truncated-ok", "-o", tmp_path / "web")
    assert taken.json["pages"] == 1


# -- time ------------------------------------------------------------------------------------


@pytest.fixture
def changing(tmp_path: Path) -> Path:
    path = tmp_path / "changing.warc"
    captures = [
        page(A, "<title>Old</title>", FIRST),
        page(B, "<title>Bee</title>", FIRST),
        gone(B, SECOND),
        page(A, "<title>New</title>", THIRD),
    ]
    path.write_bytes(b"".join(captures))
    return path


@pytest.mark.parametrize(
    ("at", "title", "pages"),
    [
        ("2005-01-01", "Old", 2),
        ("2005-01-02T12:00", "Old", 1),
        ("2005-01-03T01:00+01:00", "New", 1),
    ],
)
def test_a_web_as_it_was(
    run: Run, changing: Path, tmp_path: Path, at: str, title: str, pages: int
) -> None:
    web = imported(run, "import", changing, "--at", at, "-o", tmp_path / "web").json
    assert web["pages"] == pages
    found = RecordedWeb(tmp_path / "web")
    assert found.page(found.number(A)).title == title


def test_a_changing_web_keeps_all_captures(run: Run, changing: Path, tmp_path: Path) -> None:
    web = imported(run, "import", changing, "--all-captures", "-o", tmp_path / "web").json
    assert (web["pages"], web["versions"]) == (1, 3)
    assert web["dates"] == [1104537600.0, 1104710400.0]
    old = History(tmp_path / "web").fetch(A, 1104537600.0).page
    assert old
    assert old.title == "Old"
    shown = run("web", "info", tmp_path / "web").out
    assert "captured  2005-01-01 to 2005-01-03\nversions  3\n" in shown


@pytest.mark.parametrize("at", ["yesterday", "2005-13-01", ""])
def test_what_is_no_date_is_refused(run: Run, changing: Path, tmp_path: Path, at: str) -> None:
    refused = run("web", "import", changing, "--at", at, "-o", tmp_path / "web")
    assert refused.code == 2
    assert f"{at!r} is no date; write 2005-02-01 or 2005-02-01T12:30" in refused.err


def test_before_everything_there_is_nothing(run: Run, changing: Path, tmp_path: Path) -> None:
    refused = run("web", "import", changing, "--at", "2004-01-01", "-o", tmp_path / "web")
    assert refused.code == 2
    assert "no page in changing.warc as on 2004-01-01 00:00 UTC (left out: 4 × later" in refused.err


# -- folders ---------------------------------------------------------------------------------


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two / "deep"):
        folder.mkdir(parents=True)
    (one / "index.html").write_text("<title>One</title><a href='page.html'>a page</a>")
    (one / "page.html").write_text("<a href='../two/deep/index.html#x'>two</a> <a href='.'>up</a>")
    (two / "deep" / "index.html").write_text("<a href='https://one.test/docs/page.html'>back</a>")
    return one, two


def test_folders_make_one_web_with_links_between_them(
    run: Run, folders: tuple[Path, Path], tmp_path: Path
) -> None:
    at = ("--at", "https://one.test/docs", "--at", "http://two.test/")
    web = imported(run, "import-folder", *folders, *at, "-o", tmp_path / "web").json
    assert (web["pages"], web["links"], web["hosts"]) == (3, 4, 2)
    assert web["start"] == "https://one.test/docs/"
    found = RecordedWeb(tmp_path / "web")
    page = found.page(found.number("https://one.test/docs/page.html"))
    assert page.links.urls() == ["http://two.test/deep/", "https://one.test/docs/"]
    index = Index.of(tmp_path / "web")
    answer = index.answer("http://two.test/deep/index.html")
    assert answer
    assert answer.status == 301
    index.close()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("one --at http://a.test/ --at http://b.test/", "1 folder and 2 addresses; give one --at"),
        ("one one --at http://a.test/ --at http://b.test/", "the folder one is given twice"),
        ("one two --at http://a.test/ --at http://a.test", "two folders are to stand at http://a"),
        ("one --at a.test", "not the address of a folder: 'a.test'; give a full one such as"),
        ("nowhere --at http://a.test/", "nowhere does not exist; give a folder with HTML files"),
        (
            "empty --at http://a.test/",
            "there is no HTML file in empty; give a folder that has some",
        ),
    ],
)
def test_mistakes_with_folders_are_sentences(
    run: Run,
    folders: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: str,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    refused = run("web", "import-folder", *arguments.split(), "-o", "web", "-q")
    assert (refused.code, refused.out) == (2, "")
    assert f"wolfspider: {message}" in refused.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "one", "two"]


@pytest.mark.skipif(
    not (DEBIAN / "python3-doc/html").is_dir() or not list(DEBIAN.glob("postgresql-doc-*/html")),
    reason="python3-doc and postgresql-doc are not installed",
)
def test_the_manuals_of_debian_are_a_web_to_hunt_on(run: Run, tmp_path: Path) -> None:
    python, postgres = "https://docs.python.org/3/", "https://www.postgresql.org/docs/current/"
    folders = DEBIAN / "python3-doc/html", max(DEBIAN.glob("postgresql-doc-*/html"))
    at = ("--at", python, "--at", postgres)
    web = imported(run, "import-folder", *folders, *at, "-o", tmp_path / "web").json
    assert web["pages"] > 1000
    assert web["links"] > 10_000
    assert web["hosts"] == 2
    hunt = run(
        *("hunt", "--web", tmp_path / "web", "--topic", "regular expression", "--json", "-q"),
        *("--seed", python, "--seed", postgres, "--pages", "300", "-o", tmp_path / "hunt"),
    )
    assert hunt.code == 0, hunt.err
    assert hunt.json["pages"] == 300
    assert hunt.json["relevant"] >= 5


# -- tables ----------------------------------------------------------------------------------


def test_tables_go_out_and_come_in_again(run: Run, generated: Generated, tmp_path: Path) -> None:
    out = run("web", "export-tables", generated.folder, "-o", tmp_path / "tables", "--json", "-q")
    assert out.json["files"] == [
        str(tmp_path / "tables" / f"{name}.tsv") for name in ("pages", "links")
    ]
    web = imported(run, "import-tables", *out.json["files"], "-o", tmp_path / "web").json
    before, after = RecordedWeb(generated.folder), RecordedWeb(tmp_path / "web")
    for key in ("pages", "links", "hosts", "labels"):
        assert web[key] == before.about[key]
    for number in range(0, len(before), 50):
        there = after.number(before.url(number))
        old, new = before.page(number), after.page(there)
        assert new.title == old.title
        assert sorted(new.links.urls()) == sorted(old.links.urls())
        assert sorted(new.links.anchors()) == sorted(old.links.anchors())
        assert old.text in new.text


def test_tables_of_names_stand_at_an_address(run: Run, tmp_path: Path) -> None:
    pages, links = tmp_path / "pages.tsv", tmp_path / "links.tsv"
    pages.write_text("label\ttext\turl\nanimal\tA cat purrs.\tCat\nanimal|pet\tA dog.\tBig Dog\n")
    links.write_text("anchor\tsource\ttarget\nthe dog\tCat\tBig Dog\n")
    refused = run("web", "import-tables", pages, links, "-o", tmp_path / "web", "-q")
    assert refused.code == 2
    assert "--at" in refused.err
    at = ("--at", "https://x.test/")
    web = imported(run, "import-tables", pages, links, *at, "-o", tmp_path / "web").json
    assert web["labels"] == {"animal": 2, "pet": 1}
    found = RecordedWeb(tmp_path / "web")
    cat = found.page(found.number("https://x.test/Cat"))
    assert (cat.links.urls(), cat.links.anchors()) == (["https://x.test/Big%20Dog"], ["the dog"])


# -- what is kept ----------------------------------------------------------------------------


def test_a_web_without_answers_is_smaller_and_cannot_be_served(
    run: Run, generated: Generated, tmp_path: Path
) -> None:
    small = imported(run, "import", generated.warc, "--pages-only", "-o", tmp_path / "small").json
    whole = imported(run, "import", generated.warc, "-o", tmp_path / "whole").json
    assert small["digest"] == whole["digest"]
    refused = run("web", "serve", tmp_path / "small")
    assert refused.code == 2
    assert "keeps no answers to serve" in refused.err


def test_rewired_by_command(run: Run, generated: Generated, tmp_path: Path) -> None:
    web = imported(run, "rewire", generated.folder, "-o", tmp_path / "rewired").json
    before = RecordedWeb(generated.folder)
    assert [web[key] for key in ("pages", "links", "labels")] == [
        before.about[key] for key in ("pages", "links", "labels")
    ]
    assert web["digest"] != before.digest
    refused = run("web", "serve", tmp_path / "rewired")
    assert "keeps no answers to serve" in refused.err
