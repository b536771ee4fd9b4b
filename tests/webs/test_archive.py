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


def test_a_web_can_do_without(tmp_path: Path) -> None:
    with Compiler(tmp_path / "web", ["x"], keep=False) as compiler:
        compiler.add(Capture(A, 0.0, 200, "text/html", body=b"<p>Page."))
        compiler.finish()
    assert not list((tmp_path / "web").glob("*.warc.gz"))
    with pytest.raises(BadInput, match="keeps no answers to serve; import the recording again"):
        Index.of(tmp_path / "web")
    kept = compile_web(tmp_path / "kept", [page(A, "<p>Page.")])
    assert RecordedWeb(tmp_path / "web").digest == kept.digest


def test_damage_is_a_sentence(tmp_path: Path) -> None:
    web = compile_web(tmp_path / "web", CAPTURES)
    (web.folder / "answers.npy").write_bytes(b"rubbish")
    with pytest.raises(DamagedFile, match=r"is damaged .*; import the recording again"):
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
