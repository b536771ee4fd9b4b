"""What a web folder keeps of its recording: every answer, by address and date."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from recordings import compile_web, gone, http, moved, page, read, record
from wolfspider.errors import BadInput, DamagedFile
from wolfspider.webs.archive import NAME
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.history import History
from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.moments import MomentsWriter
from wolfspider.webs.recorded import RecordedWeb
from wolfspider.webs.serving import Index

A, B, C = (f"http://a.test/{name}" for name in "abc")
FIRST, SECOND, THIRD = (f"2005-01-0{day}T00:00:00Z" for day in (1, 2, 3))
DAY = 86400.0
AT = {1: 1104537600.0, 2: 1104537600.0 + DAY, 3: 1104537600.0 + 2 * DAY}
CAPTURES = [
    page(A, "<p>First.", FIRST),
    page(A, "<p>Third.", THIRD),
    moved(B, A, FIRST),
    page(B, "<p>Second.", SECOND),
    gone(B, THIRD),
    record("response", C, b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\nbody {}", SECOND),
]


def body(index: Index, url: str, at: float = math.inf) -> bytes | None:
    answer = index.answer(url, at)
    return None if answer is None else answer.body


def test_every_answer_can_be_served_again(tmp_path: Path) -> None:
    web = compile_web(tmp_path / "web", CAPTURES)
    index = Index.of(web.folder)
    assert body(index, A) == b"<p>Third."
    assert body(index, C) == b"body {}"  # no page, but an answer
    gone_now = index.answer(B)
    assert gone_now is not None
    assert gone_now.status == 404
    assert body(index, "http://a.test/none") is None
    index.close()


@pytest.mark.parametrize(
    ("day", "a", "b", "c"),
    [
        (1, b"<p>First.", b"", None),
        (2, b"<p>First.", b"<p>Second.", b"body {}"),
        (3, b"<p>Third.", b"<p>No.", b"body {}"),
    ],
)
def test_answers_by_date(tmp_path: Path, day: int, a: bytes, b: bytes, c: bytes | None) -> None:
    index = Index.of(compile_web(tmp_path / "web", CAPTURES).folder)
    assert [body(index, url, AT[day]) for url in (A, B, C)] == [a, b, c]
    assert [body(index, url, AT[1] - 1) for url in (A, B, C)] == [None] * 3
    assert index.moments.span() == (AT[1], AT[3])
    assert [index.moments.pages(AT[n]) for n in (1, 2, 3)] == [1, 2, 1]
    index.close()


def test_the_recording_is_a_warc_file_for_everybody(tmp_path: Path) -> None:
    web = compile_web(tmp_path / "web", CAPTURES)
    with (web.folder / NAME).open("rb") as stream:
        records = [
            (each.rec_type, each.rec_headers["WARC-Target-URI"]) for each in ArchiveIterator(stream)
        ]
    assert records[0] == ("warcinfo", None)
    assert records[1:] == [("response", url) for url in (A, A, B, B, B, C)]
    again = read(tmp_path / "again.warc.gz", (web.folder / NAME).read_bytes())[0]
    assert [capture.body for capture in again[:2]] == [b"<p>First.", b"<p>Third."]


def test_a_web_made_of_what_it_keeps_is_the_same_web(tmp_path: Path) -> None:
    first = compile_web(tmp_path / "first", CAPTURES)
    with Compiler(tmp_path / "second", ["first"]) as compiler:
        for capture in read(tmp_path / "kept.warc.gz", (first.folder / NAME).read_bytes())[0]:
            compiler.add(capture)
        compiler.finish()
    second = RecordedWeb(tmp_path / "second")
    assert second.digest == first.digest
    assert (second.folder / NAME).read_bytes() == (first.folder / NAME).read_bytes()


def test_packed_bodies_are_kept_packed(tmp_path: Path) -> None:
    packed = gzip.compress(b"<p>Squeezed." * 9, mtime=0)
    answer = http(packed, headers=[("Content-Encoding", "gzip")])
    web = compile_web(tmp_path / "web", [record("response", A, answer)])
    assert packed in gzip.decompress((web.folder / NAME).read_bytes())
    index = Index.of(web.folder)
    assert body(index, A) == b"<p>Squeezed." * 9
    index.close()


def test_revisits_answer_as_the_original_did(tmp_path: Path) -> None:
    again = record("revisit", C, b"", THIRD, [("WARC-Refers-To-Target-URI", A)])
    index = Index.of(compile_web(tmp_path / "web", [page(A, "<p>Once.", FIRST), again]).folder)
    assert body(index, C) == b"<p>Once."
    assert body(index, C, AT[2]) is None
    index.close()


ONE, TWO = page(A, "<p>One.", FIRST), page(A, "<p>Two.", SECOND)
FIELDS = [("WARC-Refers-To-Target-URI", A), ("WARC-Refers-To-Date", FIRST)]
AGAIN = record("revisit", A, b"", THIRD, FIELDS)


@pytest.mark.parametrize(
    "captures",
    [[ONE, TWO, AGAIN], [AGAIN, TWO, ONE], [ONE, gone(A, SECOND), AGAIN], [ONE, AGAIN, AGAIN]],
)
def test_a_revisit_names_its_original(tmp_path: Path, captures: list[bytes]) -> None:
    web = compile_web(tmp_path / "web", captures)
    assert web.page(web.number(A)).text == "One."
    index = Index.of(web.folder)
    assert body(index, A) == b"<p>One."
    assert body(index, A, AT[2]) != b"" or captures[1] == AGAIN
    index.close()


def test_a_revisit_that_names_no_date_is_of_the_last_one_before(tmp_path: Path) -> None:
    unnamed = record("revisit", A, b"", SECOND, FIELDS[:1])
    web = compile_web(tmp_path / "web", [ONE, unnamed, page(A, "<p>Three.", THIRD)])
    index = Index.of(web.folder)
    assert [body(index, A, AT[day]) for day in (1, 2, 3)] == [b"<p>One.", b"<p>One.", b"<p>Three."]
    index.close()


def test_a_revisit_of_nothing_is_counted(tmp_path: Path) -> None:
    web = compile_web(tmp_path / "web", [page(B), gone(A, FIRST), AGAIN])
    assert web.number(A) == -1
    assert web.about["left_out"] == {"revisit of a capture that is not here": 1}


def test_kept_revisits_can_be_imported_again(tmp_path: Path) -> None:
    first = compile_web(
        tmp_path / "first", [ONE, TWO, AGAIN, record("revisit", C, b"", THIRD, FIELDS)]
    )
    kept = (first.folder / NAME).read_bytes()
    captures = read(tmp_path / "kept.warc.gz", kept)[0]
    assert [capture.copy_of for capture in captures] == ["", "", A, A]
    with Compiler(tmp_path / "second", ["first"]) as compiler:
        for capture in captures:
            compiler.add(capture)
        compiler.finish()
    assert RecordedWeb(tmp_path / "second").digest == first.digest


def test_an_error_does_not_hide_a_page(tmp_path: Path) -> None:
    failed = record("response", A, http(b"<p>Busy.", 503), SECOND)
    alone = record("response", C, http(b"<p>Busy.", 503), SECOND)
    index = Index.of(compile_web(tmp_path / "web", [ONE, failed, alone]).folder)
    assert [body(index, url) for url in (A, C)] == [b"<p>One.", b"<p>Busy."]
    index.close()


ANSWERS = st.sampled_from(["page", "gone", "moved"])


@given(st.lists(st.tuples(ANSWERS, st.integers(1, 3)), min_size=1, max_size=6))
def test_all_stores_agree_on_what_counts(
    tmp_path_factory: pytest.TempPathFactory, answers: list[tuple[str, int]]
) -> None:
    """The web, its history and its server, at the end."""
    folder = tmp_path_factory.mktemp("web")
    dates = {1: FIRST, 2: SECOND, 3: THIRD}
    records = [
        {
            "page": page(A, f"<p>Number {number}.", dates[day]),
            "gone": gone(A, dates[day]),
            "moved": moved(A, B, dates[day]),
        }[kind]
        for number, (kind, day) in enumerate(answers)
    ]
    captures, _ = read(folder / "some.warc", b"".join([page(B, "<p>Bee.", FIRST), *records]))
    with Compiler(folder / "web", ["some"], changing=True) as compiler:
        for capture in captures:
            compiler.add(capture)
        compiler.finish()
    web = RecordedWeb(folder / "web")
    number = web.number(A)
    found = web.page(number).text if number >= 0 else "gone"
    past = History(folder / "web").fetch(A, AT[3])
    assert (past.page.text if past.page else past.error) == found
    index = Index.of(folder / "web")
    answer = index.answer(A)
    index.close()
    assert answer
    served = {200: answer.body.decode().removeprefix("<p>"), 301: "Bee.", 404: "gone"}
    assert served[answer.status] == found


def test_a_date_beyond_all_calendars_ends_nothing(tmp_path: Path) -> None:
    late = page(A, "<p>Late.", "9999-12-31T23:59:59-23:00")
    assert len(compile_web(tmp_path / "web", [late])) == 1


def test_one_process_at_a_time_writes_a_folder(tmp_path: Path) -> None:
    with Compiler(tmp_path / "web", ["x"]) as compiler:
        with pytest.raises(BadInput, match="web is being written by another process; wait for it"):
            Compiler(tmp_path / "web", ["y"])
        compiler.add(Capture(A, 0.0, 200, "text/html", body=b"<p>Page."))
        compiler.finish()
    assert len(RecordedWeb(tmp_path / "web")) == 1


def test_a_recording_that_was_cut_is_an_error_of_the_server(tmp_path: Path) -> None:
    web = compile_web(tmp_path / "web", [ONE])
    (web.folder / NAME).write_bytes((web.folder / NAME).read_bytes()[:-40])
    index = Index.of(web.folder)
    with pytest.raises(DamagedFile, match=r"recording.warc.gz is damaged: there is no record at"):
        index.answer(A)
    index.close()


def test_files_answer_whatever_the_query_pages_do_not(tmp_path: Path) -> None:
    index = Index.of(compile_web(tmp_path / "web", CAPTURES).folder)
    assert body(index, f"{C}?2022.1") == b"body {}"
    assert body(index, f"{A}?x=1") is None
    index.close()


def test_what_cannot_be_unpacked_is_sent_as_it_came(tmp_path: Path) -> None:
    odd = http(b"\x1f\x9dodd", headers=[("Content-Encoding", "compress")])
    broken = http(b"no gzip at all", headers=[("Content-Encoding", "gzip")])
    records = [record("response", A, odd), record("response", B, broken)]
    index = Index.of(compile_web(tmp_path / "web", [*records, page(C)]).folder)
    for url, sent, coding in ((A, b"\x1f\x9dodd", b"compress"), (B, b"no gzip at all", b"gzip")):
        answer = index.answer(url)
        assert answer
        assert answer.body == sent
        assert b"Content-Encoding: %s\r\n" % coding in answer.head
    index.close()


def test_a_web_can_do_without(tmp_path: Path) -> None:
    with Compiler(tmp_path / "web", ["x"], keep=False) as compiler:
        compiler.add(Capture(A, 0.0, 200, "text/html", body=b"<p>Page."))
        compiler.finish()
    assert not list((tmp_path / "web").glob("*.warc.gz"))
    with pytest.raises(
        BadInput, match="keeps no answers to serve: it was imported with --pages-only"
    ):
        Index.of(tmp_path / "web")
    kept = compile_web(tmp_path / "kept", [page(A, "<p>Page.")])
    assert RecordedWeb(tmp_path / "web").digest == kept.digest


def test_damage_is_a_sentence(tmp_path: Path) -> None:
    web = compile_web(tmp_path / "web", CAPTURES)
    (web.folder / "answers.npy").write_bytes(b"rubbish")
    with pytest.raises(DamagedFile, match=r"damaged \(it holds no plain arrays\); import the re"):
        Index.of(web.folder)


def test_what_is_later_is_left_out(tmp_path: Path) -> None:
    captures, _ = read(tmp_path / "some.warc", b"".join(CAPTURES))
    with Compiler(tmp_path / "web", ["some"], until=AT[2]) as compiler:
        for capture in captures:
            compiler.add(capture)
        compiler.finish()
    web = RecordedWeb(tmp_path / "web")
    assert [web.page(web.number(url)).text for url in (A, B)] == ["First.", "Second."]
    assert web.about["left_out"]["later than the date that was asked for"] == 2
    index = Index.of(web.folder)
    assert body(index, A) == b"<p>First."
    index.close()


KINDS = st.sampled_from([(200, ""), (301, C), (302, B), (404, ""), (301, f"{A}#x")])
WRITTEN = st.lists(st.tuples(st.sampled_from([A, B]), st.integers(1, 5), KINDS), max_size=12)


@given(WRITTEN, st.integers(0, 6))
def test_the_answer_at_a_moment_is_the_best_of_those_before(
    written: list[tuple[str, int, tuple[int, str]]], at: int
) -> None:
    """Against the rule, spelled out: no circles, the latest, no redirects, the last."""
    writer = MomentsWriter()
    ranked: dict[str, list[tuple[bool, int, bool, int]]] = {A: [], B: []}
    for number, (url, date, (status, location)) in enumerate(written):
        capture = Capture(url, float(date), status, "text/html", location=location)
        writer.note(url, capture, 0, (number, 0, 1))
        circle = status in (301, 302) and location.split("#")[0] == url
        moves = status in (301, 302) and not circle
        if date <= at:
            ranked[url].append((not circle, date, not moves, number))
    moments = writer.moments()
    for url, candidates in ranked.items():
        row = moments.row(url, float(at))
        found = moments.place(row)[1][0] if row >= 0 else None
        assert found == (max(candidates)[-1] if candidates else None)
