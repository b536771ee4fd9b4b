"""WACZ files: what is in them, what is missing, and what is wrong with them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED, ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcs import arc_page, filedesc
from recordings import gzipped, page
from wolfspider.errors import BadInput, DamagedFile, WolfspiderError
from wolfspider.webs.importers.opening import open_recording
from wolfspider.webs.importers.wacz import WaczFile

FIRST = b"".join(gzipped([page("http://a.test/1"), page("http://a.test/2")]))
SECOND = page("http://b.test/")
OLD = b"".join(gzipped([filedesc(), arc_page("http://c.test/")]))
ALL = ["http://a.test/1", "http://a.test/2", "http://b.test/", "http://c.test/"]
MEMBERS = {
    "archive/1.warc.gz": FIRST,
    "archive/2.warc": SECOND,
    "archive/3.arc.gz": OLD,
    "pages/pages.jsonl": b'{"format": "json-pages-1.0"}\n',
    "datapackage.json": b"{}",
}


def wacz(path: Path, members: dict[str, bytes], how: int = ZIP_STORED) -> Path:
    with ZipFile(path, "w", how) as zipped:
        for name, data in members.items():
            zipped.writestr(name, data)
    return path


def urls(path: Path, scratch: Path | None = None) -> list[str]:
    return [capture.url for capture in WaczFile(path, scratch)]


@pytest.mark.parametrize("how", [ZIP_STORED, ZIP_DEFLATED])
def test_all_archives_inside_are_read(tmp_path: Path, how: int) -> None:
    file = WaczFile(wacz(tmp_path / "x.wacz", MEMBERS, how), tmp_path)
    assert [capture.url for capture in file] == ALL
    assert file.position == file.size == len(FIRST) + len(SECOND) + len(OLD)
    assert (file.records, file.truncated, +file.left_out) == (5, False, {})


def test_archives_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    backwards = dict(reversed(MEMBERS.items()))
    assert urls(wacz(tmp_path / "x.wacz", backwards)) == ALL


def test_content_tells_that_it_is_one(tmp_path: Path) -> None:
    recording = open_recording(wacz(tmp_path / "misnamed.warc.gz", MEMBERS), tmp_path)
    assert [capture.url for capture in recording] == ALL


def test_copies_are_gone_afterwards(tmp_path: Path) -> None:
    path = wacz(tmp_path / "x.wacz", MEMBERS)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    captures = iter(WaczFile(path, scratch))
    next(captures)
    assert len(list(scratch.iterdir())) == 1
    assert list(captures)
    assert not list(scratch.iterdir())


def test_copies_are_gone_when_the_reader_stops_early(tmp_path: Path) -> None:
    path = wacz(tmp_path / "x.wacz", MEMBERS)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    captures = WaczFile(path, scratch).__iter__()
    next(captures)
    captures.close()  # type: ignore[attr-defined]
    assert not list(scratch.iterdir())


def test_names_never_become_paths(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    path = wacz(inner / "x.wacz", {"archive/../../../evil.warc": SECOND, "archive/": b""})
    assert urls(path, inner) == ["http://b.test/"]
    assert [each.name for each in tmp_path.rglob("*.warc")] == []


def test_damaged_and_cut_archives_inside_are_counted(tmp_path: Path) -> None:
    members = {"archive/1.warc": b"rubbish" + SECOND, "archive/2.warc.gz": FIRST[:-20]}
    file = WaczFile(wacz(tmp_path / "x.wacz", members))
    assert [capture.url for capture in file] == ["http://b.test/", "http://a.test/1"]
    assert file.truncated
    assert +file.left_out == {"damaged record": 1, "record that is cut off": 1}


def test_an_archive_that_is_none_is_named(tmp_path: Path) -> None:
    path = wacz(tmp_path / "x.wacz", {"archive/1.warc.gz": b"Dear Sir or Madam"})
    with pytest.raises(DamagedFile, match=r"archive/1.warc.gz in .*x.wacz is not a WARC file"):
        urls(path)


def test_a_zip_without_archives_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"x\.wacz has no WARC file in a folder archive/"):
        WaczFile(wacz(tmp_path / "x.wacz", {"a.txt": b"x", "other/1.warc": SECOND}))


def test_a_wrong_checksum_is_told(tmp_path: Path) -> None:
    path = wacz(tmp_path / "x.wacz", MEMBERS)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"Spiders hunt.", b"Spiders hurt.", 1))
    with pytest.raises(DamagedFile, match=r"x\.wacz is damaged, .*CRC-32.*get a whole copy"):
        urls(path)


@pytest.mark.parametrize("how", [ZIP_DEFLATED, ZIP_BZIP2, ZIP_LZMA])
def test_a_damaged_member_gives_sentences_however_it_is_packed(tmp_path: Path, how: int) -> None:
    path = wacz(tmp_path / "x.wacz", {"archive/1.warc": SECOND * 9}, how)
    data = path.read_bytes()
    for at in range(40, 200):
        path.write_bytes(data[:at] + b"\xff\xff" + data[at + 2 :])
        with suppress(WolfspiderError):
            assert urls(path) == ["http://b.test/"] * 9  # of some bytes nothing depends


def test_a_damaged_name_is_told(tmp_path: Path) -> None:
    path = wacz(tmp_path / "x.wacz", {"archive/é.warc": SECOND})
    data = path.read_bytes()
    path.write_bytes(data.replace("é".encode(), b"\xc3\xff", 1))
    with pytest.raises(DamagedFile, match=r"x\.wacz is damaged, .*get a whole copy"):
        urls(path)


@pytest.mark.parametrize(("at", "what"), [(6, "encrypted"), (8, "compression")])
def test_a_member_that_cannot_be_unpacked_is_told(tmp_path: Path, at: int, what: str) -> None:
    path = wacz(tmp_path / "x.wacz", {"archive/1.warc": SECOND})
    data = bytearray(path.read_bytes())
    central = data.index(b"PK\1\2")  # where the fields stand two bytes later
    data[at] = data[central + at + 2] = 97 if at == 8 else 1
    path.write_bytes(data)
    with pytest.raises(BadInput, match=rf"cannot unpack .*x\.wacz: .*{what}"):
        urls(path)


def test_what_is_not_there_or_no_zip_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"cannot read .*nowhere\.wacz: No such file"):
        WaczFile(tmp_path / "nowhere.wacz")
    (tmp_path / "x.wacz").write_bytes(b"PK\3\4 and nothing else")
    with pytest.raises(DamagedFile, match=r"x\.wacz is damaged, or no WACZ file"):
        open_recording(tmp_path / "x.wacz")


def test_a_scratch_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"cannot write to .*nowhere: No such file"):
        urls(wacz(tmp_path / "x.wacz", MEMBERS), tmp_path / "nowhere")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damage")


@given(st.data(), st.binary(max_size=8))
def test_damage_is_told_or_costs_nothing(folder: Path, data: st.DataObject, rubbish: bytes) -> None:
    whole = wacz(folder / "whole.wacz", MEMBERS, ZIP_DEFLATED).read_bytes()
    at = data.draw(st.integers(0, len(whole)), "where")
    damaged = folder / "damaged.wacz"
    damaged.write_bytes(whole[:at] + rubbish + whole[at + len(rubbish) :])
    try:
        assert set(urls(damaged, folder)) <= set(ALL)
    except WolfspiderError as error:
        assert str(damaged) in str(error)  # noqa: PT017
