"""ARC files of both versions, as others write them and as disks damage them."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcs import arc_page, arc_record, by_warcio, filedesc
from recordings import gzipped, http, page
from wolfspider.errors import BadInput, DamagedFile, WolfspiderError
from wolfspider.webs.importers import warc_records
from wolfspider.webs.importers.arc import ArcFile
from wolfspider.webs.importers.archives import open_archive
from wolfspider.webs.importers.captures import Capture, Recording
from wolfspider.webs.importers.opening import open_recording
from wolfspider.webs.importers.warc import WarcFile

SUITES = Path(__file__).resolve().parents[3] / "shared" / "suites" / "warcio-data"
PAGES = [
    arc_page(
        f"http://a.test/{n}",
        f"<p>Page {n} tells of wolf spiders. " + f"{n * 7919:x} " * (3 + 5 * n) + ".",
    )
    for n in range(6)
]
PARTS = [filedesc(), *PAGES]
WHOLE = {"plain": PARTS, "gzip": gzipped(PARTS)}
NAMES = {"plain": "x.arc", "gzip": "x.arc.gz"}


def read(path: Path, data: bytes) -> tuple[list[Capture], ArcFile]:
    path.write_bytes(data)
    file = ArcFile(path)
    return list(file), file


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("arc")


@pytest.fixture(scope="module")
def originals(folder: Path) -> list[Capture]:
    return read(folder / "whole.arc", b"".join(PARTS))[0]


# file: records, damaged, truncated, and (url, status, bytes of body) of each capture
HOLDS: dict[str, tuple[int, int, bool, list[tuple[str, int, int]]]] = {
    "example.arc": (2, 0, False, [("http://example.com/", 200, 1270)]),
    "example.arc.gz": (2, 0, False, [("http://example.com/", 200, 1270)]),
    "example-space-in-url.arc": (1, 0, True, []),  # lost its carriage returns, not its length
    "bad.arc": (1, 3, False, [("http://example.com/", 0, 0)]),  # lengths of -1 and abc
}


@pytest.mark.parametrize("name", HOLDS)
def test_files_of_other_projects_hold_what_is_known_of_them(name: str) -> None:
    if not (SUITES / name).exists():
        pytest.skip(f"{name} is not in the folder shared/suites beside the project")
    file = ArcFile(SUITES / name)
    captures = [(each.url, each.status, len(each.body)) for each in file]
    assert (file.records, file.damaged, file.truncated, captures) == HOLDS[name]
    assert file.position == file.size


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("kind", ["plain", "members", "one member"])
def test_every_way_of_writing_reads_alike(tmp_path: Path, version: int, kind: str) -> None:
    parts = [filedesc(version)]
    parts += [arc_page(f"http://a.test/{n}", f"<p>page {n}", version) for n in range(3)]
    data = b"".join(gzipped(parts) if kind == "members" else parts)
    captures, file = read(tmp_path / "x", gzip.compress(data) if kind == "one member" else data)
    assert [(each.url, each.body) for each in captures] == [
        (f"http://a.test/{n}", f"<p>page {n}".encode()) for n in range(3)
    ]
    assert (file.records, file.damaged, file.truncated) == (4, 0, False)


@pytest.mark.parametrize("kind", WHOLE)
def test_warcio_reads_the_same(tmp_path: Path, kind: str) -> None:
    path = tmp_path / NAMES[kind]
    captures, _ = read(path, b"".join(WHOLE[kind]))
    assert by_warcio(path) == [(each.url, "20200102030405", each.body) for each in captures]


def test_dates_are_seconds_since_1970(originals: list[Capture]) -> None:
    expected = datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert {datetime.fromtimestamp(each.date, UTC) for each in originals} == {expected}


@pytest.mark.parametrize(
    ("date", "year"),
    [
        ("20200102", 2020),
        ("20209902030405", 1970),
        ("00000102030405", 1970),
        ("99991231235959", 9999),
        ("00010101000000", 1),
    ],
)
def test_a_short_date_counts_and_an_impossible_one_is_0(
    tmp_path: Path, date: str, year: int
) -> None:
    captures, _ = read(tmp_path / "x", arc_record("http://a.test/", http(b"x"), date=date))
    assert datetime.fromtimestamp(captures[0].date, UTC).year == year


def test_lines_that_only_look_like_records_are_passed_over(tmp_path: Path) -> None:
    """At 8 MB; time quadratic in such a line would be minutes."""
    line = b"aa:" + b" - 11111111" * 740 + b"\r\r\n"
    hostile = b"damage" + PAGES[0] + line * ((8 << 20) // len(line))
    captures, file = read(tmp_path / "x.arc", PARTS[0] + hostile + b"\n" + PAGES[1])
    assert [each.url for each in captures] == ["http://a.test/1"]
    assert file.damaged >= 1


def test_the_answer_is_kept_as_it_came(originals: list[Capture]) -> None:
    assert originals[0].message == PAGES[0].split(b"\n", 1)[1][:-1]


def test_names_and_other_protocols_are_no_captures(tmp_path: Path) -> None:
    parts = [
        filedesc(),
        arc_record("dns:a.test", b"20200102030405\na.test. 300 IN A 192.0.2.1\n", "text/dns"),
        arc_record("ftp://a.test/x", b"some bytes", "text/plain"),
        arc_record("http://a.test/odd", b"<p>no HTTP head"),
        arc_page("http://a.test/"),
    ]
    captures, file = read(tmp_path / "x.arc", b"".join(parts))
    assert [(each.url, each.status) for each in captures] == [
        ("http://a.test/odd", 0),
        ("http://a.test/", 200),
    ]
    assert (file.records, file.damaged) == (5, 0)


def test_an_address_may_have_spaces(tmp_path: Path) -> None:
    captures, _ = read(tmp_path / "x.arc", PARTS[0] + arc_page("http://a.test/?q=From The Web"))
    assert [each.url for each in captures] == ["http://a.test/?q=From The Web"]


def test_a_record_begins_only_where_a_line_does(tmp_path: Path) -> None:
    for rubbish in (b"<p>", b"<p> " * 2047, b"<p>" * 1_000_000):
        data = b"".join([*PARTS[:2], rubbish, PAGES[1], PAGES[2]])
        captures, file = read(tmp_path / "x.arc", data)
        assert {each.url for each in captures} <= {"http://a.test/0", "http://a.test/2"}
        assert file.damaged >= 1


def test_the_line_end_may_stand_before_a_record(tmp_path: Path, originals: list[Capture]) -> None:
    parts = [PARTS[0][:-1], *(b"\n" + part[:-1] for part in PARTS[1:])]  # as the format's page says
    for number, data in enumerate([parts, gzipped(parts)]):
        captures, file = read(tmp_path / f"{number}", b"".join(data))
        assert captures == originals
        assert (file.damaged, file.truncated) == (0, False)


def test_records_may_cross_the_borders_of_gzip_members(
    tmp_path: Path, originals: list[Capture]
) -> None:
    data = b"".join(PARTS)
    blocks = [data[at : at + 77] for at in range(0, len(data), 77)]
    captures, file = read(tmp_path / "x", b"".join(gzipped(blocks)))
    assert captures == originals
    assert (file.damaged, file.truncated) == (0, False)


def test_a_record_that_quotes_another_is_one_record(tmp_path: Path) -> None:
    quoted = "<pre>" + PAGES[1].decode()
    captures, file = read(tmp_path / "x", PARTS[0] + arc_page("http://b.test/", quoted) + PAGES[2])
    assert [each.url for each in captures] == ["http://b.test/", "http://a.test/2"]
    assert file.damaged == 0


def test_a_record_larger_than_allowed_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warc_records, "_MOST_RECORD", 5000)
    parts = [PARTS[0], PAGES[0], arc_page("http://a.test/big", "x" * 9000), PAGES[1]]
    for number, data in enumerate([parts, gzipped(parts)]):
        captures, file = read(tmp_path / f"{number}", b"".join(data))
        assert [each.url for each in captures] == ["http://a.test/0", "http://a.test/1"]
        assert (file.too_large, file.damaged, file.truncated) == (1, 0, False)


# -- damage --------------------------------------------------------------------------------


def test_bytes_overwritten_in_a_member_cost_this_record_alone(
    folder: Path, originals: list[Capture]
) -> None:
    parts = list(WHOLE["gzip"])
    middle = len(parts[3]) // 2
    parts[3] = parts[3][:middle] + b"\xff" * 20 + parts[3][middle + 20 :]
    captures, file = read(folder / NAMES["gzip"], b"".join(parts))
    assert captures == originals[:2] + originals[3:]
    assert (file.damaged, file.truncated) == (1, False)


@pytest.mark.parametrize("wrong", [b"1", b"99999", b"-5", b"many", b""])
def test_a_wrong_length_costs_this_record_alone(
    folder: Path, originals: list[Capture], wrong: bytes
) -> None:
    line, _, block = PAGES[2].partition(b"\n")
    bad = line.rpartition(b" ")[0] + b" " + wrong + b"\n" + block
    captures, file = read(folder / "x.arc", b"".join([*PARTS[:3], bad, *PARTS[4:]]))
    assert captures == originals[:2] + originals[3:]
    assert (file.damaged, file.truncated) == (1, False)


@pytest.mark.parametrize("kind", WHOLE)
def test_padding_with_zeros_is_no_damage(folder: Path, originals: list[Capture], kind: str) -> None:
    captures, file = read(folder / NAMES[kind], b"".join(WHOLE[kind]) + bytes(5000))
    assert captures == originals
    assert (file.damaged, file.truncated) == (0, False)


@settings(max_examples=300)
@given(st.data(), st.sampled_from(sorted(WHOLE)), st.integers(0, 255))
def test_one_damaged_byte_costs_at_most_what_is_near(
    folder: Path, originals: list[Capture], data: st.DataObject, kind: str, byte: int
) -> None:
    parts = list(WHOLE[kind])
    which = data.draw(st.integers(0, len(PAGES) - 1), "page")
    at = data.draw(st.integers(0, len(parts[which + 1]) - 1), "byte")
    changed = bytearray(parts[which + 1])
    changed[at] = byte
    parts[which + 1] = bytes(changed)
    captures, file = read(folder / NAMES[kind], b"".join(parts))
    near = {which - 1, which, which + 1} if kind == "plain" else {which}
    far = [each for number, each in enumerate(originals) if number not in near]
    assert [each for each in captures if each in far] == far
    if kind == "gzip":  # checksums: what comes is right, and what does not come is counted
        assert all(each in originals for each in captures)
        assert (len(captures) < len(originals)) <= file.damaged + file.truncated


def test_what_is_left_of_a_damaged_member_may_look_like_several_records(
    folder: Path, originals: list[Capture]
) -> None:
    """Here it repeats its own first line: one record is lost, and three are counted."""
    parts = list(WHOLE["gzip"])
    parts[-1] = parts[-1][:98] + b"?" + parts[-1][99:]
    captures, file = read(folder / NAMES["gzip"], b"".join(parts))
    assert captures == originals[:-1]
    assert 1 <= file.damaged <= 3
    assert not file.truncated


@settings(max_examples=300)
@given(st.data(), st.sampled_from(sorted(WHOLE)))
def test_a_cut_costs_what_is_behind_it(
    folder: Path, originals: list[Capture], data: st.DataObject, kind: str
) -> None:
    parts = WHOLE[kind]
    whole = b"".join(parts)
    cut = data.draw(st.integers(len(parts[0]), len(whole)), "bytes left")
    captures, file = read(folder / NAMES[kind], whole[:cut])
    ends = [sum(map(len, parts[: n + 1])) for n in range(len(parts))]
    spare = 1 if kind == "plain" else 0  # the line end behind a record
    assert captures == originals[: sum(end - spare <= cut for end in ends) - 1]
    assert file.damaged == 0
    assert file.truncated == (not any(end - spare <= cut <= end for end in ends))


@given(st.data(), st.binary(min_size=1, max_size=300))
def test_a_hole_in_compressed_bytes_makes_nothing_up(
    folder: Path, originals: list[Capture], data: st.DataObject, rubbish: bytes
) -> None:
    whole = b"".join(WHOLE["gzip"])
    at = data.draw(st.integers(len(WHOLE["gzip"][0]), len(whole)), "where")
    captures, _ = read(folder / "x.arc.gz", whole[:at] + rubbish + whole[at + len(rubbish) :])
    assert all(each in originals for each in captures)


@given(st.binary(max_size=400), st.sampled_from(["", "filedesc://x ", PARTS[0].decode()]))
def test_rubbish_is_refused_and_nothing_else(folder: Path, rubbish: bytes, start: str) -> None:
    try:
        read(folder / "x", start.encode() + rubbish)
    except WolfspiderError as error:
        assert str(folder / "x") in str(error)  # noqa: PT017


@pytest.mark.parametrize("kind", WHOLE)
def test_a_file_cut_in_its_first_record_says_so(folder: Path, kind: str) -> None:
    with pytest.raises(DamagedFile, match="cut off in its first record"):
        read(folder / NAMES[kind], WHOLE[kind][0][:60])


# -- which file it is ----------------------------------------------------------------------

WARC = page("http://w.test/")


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("misnamed", b"".join(PARTS), ArcFile),
        ("misnamed.warc.gz", b"".join(PARTS), ArcFile),
        ("misnamed.warc", b"".join(WHOLE["gzip"]), ArcFile),
        ("without filedesc", PAGES[0], ArcFile),
        ("misnamed.arc", WARC, WarcFile),
        ("misnamed.arc", gzip.compress(WARC), WarcFile),
        ("damaged.arc.gz", b"rubbish" + b"".join(WHOLE["gzip"]), ArcFile),
    ],
)
def test_content_tells_what_a_file_is(
    tmp_path: Path, name: str, data: bytes, kind: type[Recording]
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    for recording in (open_archive(path), open_recording(path)):
        assert isinstance(recording, kind)
        assert next(iter(recording)).status == 200


def test_what_is_neither_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "letter.txt").write_bytes(b"Dear Sir or Madam")
    for name in ("empty", "letter.txt"):
        with pytest.raises(DamagedFile, match=f"{name} is not a WARC file.*MediaWiki dump"):
            list(open_recording(tmp_path / name))
    with pytest.raises(BadInput, match=r"cannot read .*nowhere: No such file"):
        open_recording(tmp_path / "nowhere")


@pytest.mark.parametrize(("how", "head"), [("7z", b"7z\xbc\xaf\x27\x1c"), ("xz", b"\xfd7zXZ\0")])
def test_what_has_to_be_unpacked_first_is_told(tmp_path: Path, how: str, head: bytes) -> None:
    (tmp_path / "x").write_bytes(head + bytes(50))
    with pytest.raises(DamagedFile, match=f"x is packed with {how}; unpack it first"):
        list(open_recording(tmp_path / "x"))


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_page_about_dumps_is_no_dump(tmp_path: Path, pack: type[bytes]) -> None:
    about = page("http://w.test/", "<p>It begins with <mediawiki>.")
    (tmp_path / "x").write_bytes(pack(about))
    assert isinstance(open_recording(tmp_path / "x"), WarcFile)
