"""WARC files as others write them, as disks damage them, and as servers filled them."""

from __future__ import annotations

import gc
import gzip
import io
import warnings
import zlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from fastwarc.stream_io import (
    BrotliWriter,
    GzipWriter,
    ZstdWriter,
    zstd_train_dictionary_from_samples,
)
from fastwarc.warc import WarcRecord, WarcRecordType
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from recordings import gone, gzipped, http, moved, page, read, record, zstandard
from wolfspider.errors import BadInput, DamagedFile, WolfspiderError
from wolfspider.webs.importers import warc_records
from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.importers.http_message import read_message
from wolfspider.webs.importers.warc import WarcFile

SUITES = Path(__file__).resolve().parents[3] / "shared" / "suites"
EXAMPLE = "http://example.com/"

# file: records, damaged, truncated, and (url, status, bytes of body) of each capture
HOLDS: dict[str, tuple[int, int, bool, list[tuple[str, int, int]]]] = {
    "warcio-data/example.warc": (6, 0, False, [(EXAMPLE, 200, 1270), (EXAMPLE, 200, 0)]),
    "warcio-data/example.warc.gz": (6, 0, False, [(EXAMPLE, 200, 1270), (EXAMPLE, 200, 0)]),
    "warcio-data/example-bad-non-chunked.warc.gz": (  # one gzip member around all records
        6,
        0,
        False,
        [(EXAMPLE, 200, 1270), (EXAMPLE, 200, 0)],
    ),
    "warcio-data/example-bad.warc.gz.bad": (
        6,
        0,
        False,
        [
            ("http://example.com?example=1", 200, 1270),
            ("http://example.com?example=1", 200, 0),
            ("http://www.iana.org/domains/example", 302, 201),
        ],
    ),
    "warcio-data/example-digest.warc": (3, 1, False, []),  # one request belies its digest
    "warcio-data/example-trunc.warc": (3, 1, False, []),  # a response longer than it says
    "warcio-data/example-iana.org-chunked.warc": (
        3,
        0,
        False,
        [("http://www.iana.org/", 200, 7223)],
    ),
    "warcio-data/example-wrong-chunks.warc.gz": (2, 0, False, [(EXAMPLE, 200, 1270)]),
    "warcio-data/example-resource.warc.gz": (3, 0, False, [(EXAMPLE, 200, 1303)]),
    "warcio-data/example-space-in-target-uri.warc.gz": (
        2,
        0,
        False,
        [("file:///example with spaces.png", 200, 70)],
    ),
    "warcio-data/example-wget-bad-target-uri.warc.gz": (  # addresses in angle brackets
        6,
        0,
        False,
        [
            (EXAMPLE, 200, 1270),
            ("metadata://gnu.org/software/wget/warc/wget_arguments.txt", 200, 49),
            ("metadata://gnu.org/software/wget/warc/wget.log", 200, 471),
        ],
    ),
    "warcio-data/post-test.warc.gz": (
        6,
        0,
        False,
        [
            ("http://httpbin.org/post", 200, 545),
            ("http://httpbin.org/post", 200, 552),
            ("http://httpbin.org/post?foo=bar", 200, 551),
        ],
    ),
    "jwarc/cc.warc.gz": (1, 0, False, [("http://commoncrawl.org/", 200, 20289)]),
    "jwarc/gzip_extra_sl.warc.gz": (1, 0, False, []),  # gzip header with extra fields
}


def shared(name: str) -> Path:
    path = SUITES / name
    if not path.exists():
        pytest.skip(f"{name} is not in the folder shared/suites beside the project")
    return path


@pytest.mark.parametrize("name", HOLDS)
def test_files_of_other_projects_hold_what_is_known_of_them(name: str) -> None:
    file = WarcFile(shared(name))
    captures = [(each.url, each.status, len(each.body)) for each in file]
    assert (file.records, file.damaged, file.truncated, captures) == HOLDS[name]
    assert file.position == file.size


@pytest.mark.parametrize("name", ["bad.arc", "example.arc", "example.arc.gz"])
def test_arc_files_are_refused_by_name(name: str) -> None:
    path = shared(f"warcio-data/{name}")
    with pytest.raises(DamagedFile, match=f"{name} is not a WARC file"):
        list(WarcFile(path))


def test_dates_are_seconds_since_1970() -> None:
    capture = next(iter(WarcFile(shared("warcio-data/example.warc"))))
    assert datetime.fromtimestamp(capture.date, UTC) == datetime(2017, 3, 6, 4, 2, 6, tzinfo=UTC)


# -- files as other programs write them ----------------------------------------------------


def by_warcio(compressed: bool) -> bytes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # warcio leaves its buffers open
        data = _by_warcio(compressed)
        gc.collect()
    return data


def _by_warcio(compressed: bool) -> bytes:
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=compressed)
    head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
    writer.write_record(writer.create_warcinfo_record("x.warc", {"software": "warcio"}))
    for number in range(3):
        body = io.BytesIO(f"<p>page {number}".encode())
        url = f"http://a.test/{number}"
        writer.write_record(writer.create_warc_record(url, "response", body, http_headers=head))
    return out.getvalue()


def by_fastwarc(kind: type[Any] | None, each: bool = True, **options: Any) -> bytes:
    """With `each` record in a frame of its own, or else one frame around all of them."""
    out = io.BytesIO()
    writer = kind(out, **options) if kind else None
    for number in range(3):
        made = WarcRecord()
        made.init_headers(WarcRecordType.response)
        made.headers["WARC-Target-URI"] = f"http://a.test/{number}"
        made.headers["Content-Type"] = "application/http; msgtype=response"
        made.set_bytes_content(http(f"<p>page {number}".encode()))
        made.write(writer or out, checksum_data=True)
        if writer and each:
            writer.finish()
    if writer:
        writer.finish()
        writer.flush()
    return out.getvalue()


DICTIONARY = zstd_train_dictionary_from_samples([page(f"http://{n}.test/") for n in range(99)], 999)


@pytest.mark.parametrize(
    "data",
    [
        by_warcio(compressed=False),
        by_warcio(compressed=True),
        gzip.compress(by_warcio(compressed=False)),
        by_fastwarc(None),
        by_fastwarc(GzipWriter),
        by_fastwarc(GzipWriter, each=False),
        by_fastwarc(ZstdWriter),
        by_fastwarc(ZstdWriter, each=False),
        by_fastwarc(ZstdWriter, dictionary=DICTIONARY),
        by_fastwarc(ZstdWriter, dictionary=DICTIONARY, compress_dictionary_frame=True),
    ],
    ids=[
        "warcio plain",
        "warcio gzip",
        "one gzip member",
        "plain",
        "gzip",
        "gzip in one",
        "zstd",
        "zstd in one",
        "zstd with a dictionary",
        "zstd with a compressed dictionary",
    ],
)
def test_every_way_of_writing_reads_alike(tmp_path: Path, data: bytes) -> None:
    captures, file = read(tmp_path / "x", data)
    assert [(each.url, each.body) for each in captures] == [
        (f"http://a.test/{n}", f"<p>page {n}".encode()) for n in range(3)
    ]
    assert (file.damaged, file.truncated) == (0, False)


def test_records_may_cross_the_borders_of_gzip_members(tmp_path: Path) -> None:
    data = b"".join(page(f"http://a.test/{n}", "<p>" + "spider " * 50) for n in range(4))
    blocks = [data[at : at + 333] for at in range(0, len(data), 333)]
    captures, file = read(tmp_path / "x", b"".join(gzipped(blocks)))
    assert [each.url for each in captures] == [f"http://a.test/{n}" for n in range(4)]
    assert (file.damaged, file.truncated) == (0, False)


def test_line_ends_without_carriage_return_are_read(tmp_path: Path) -> None:
    body = http(b"<p>x").replace(b"\r\n", b"\n")
    data = b"".join(
        b"WARC/0.18\nWARC-Type: response\nWARC-Target-URI: http://a.test/%d\n"
        b"Content-Length: %d\n\n%s\n\n" % (n, len(body), body)
        for n in range(2)
    )
    captures, file = read(tmp_path / "x", data)
    assert [(each.url, each.status, each.body) for each in captures] == [
        ("http://a.test/0", 200, b"<p>x"),
        ("http://a.test/1", 200, b"<p>x"),
    ]
    assert file.damaged == 0


def test_redirects_revisits_and_resources(tmp_path: Path) -> None:
    captures, _ = read(
        tmp_path / "x",
        moved("http://a.test/old", "/new")
        + gone("http://a.test/lost")
        + record(
            "revisit",
            "http://b.test/",
            http(),
            headers=[("WARC-Refers-To-Target-URI", "http://a.test/")],
        )
        + record("revisit", "http://c.test/", b"")
        + record("request", "http://a.test/", b"GET / HTTP/1.1\r\n\r\n")
        + record("metadata", "http://a.test/", b"x: y"),
    )
    assert captures[0].status == 301
    assert captures[0].location == "/new"
    assert captures[1].status == 404
    assert captures[2].copy_of == "http://a.test/"
    assert captures[3] == Capture("http://c.test/", captures[0].date, 200, copy_of="http://c.test/")
    assert len(captures) == 4


def test_every_robots_header_is_kept(tmp_path: Path) -> None:
    headers = [("X-Robots-Tag", "otherbot: nofollow"), ("X-Robots-Tag", "noindex")]
    captures, _ = read(
        tmp_path / "x", record("response", "http://a.test/", http(b"<p>x", headers=headers))
    )
    assert captures[0].robots == ("otherbot: nofollow", "noindex")


def test_a_record_larger_than_allowed_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warc_records, "_MOST_RECORD", 5000)
    records = [
        page("http://a.test/1"),
        page("http://a.test/2", "x" * 9000),
        page("http://a.test/3"),
    ]
    for number, data in enumerate([records, gzipped(records)]):
        captures, file = read(tmp_path / f"{number}", b"".join(data))
        assert [each.url for each in captures] == ["http://a.test/1", "http://a.test/3"]
        assert (file.too_large, file.damaged, file.truncated) == (1, 0, False)


# -- what servers send ---------------------------------------------------------------------


def bare_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def brotli(data: bytes) -> bytes:
    out = io.BytesIO()
    writer = BrotliWriter(out)
    writer.write(data)
    writer.close()
    return out.getvalue()


def chunked(data: bytes, size: int = 7) -> bytes:
    parts = [data[at : at + size] for at in range(0, len(data), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


BODY = b"<p>The wolf spider hunts without a web.</p>" * 3
CHUNKED = ("Transfer-Encoding", "chunked")


SENT: list[tuple[list[tuple[str, str]], bytes]] = [
    ([], BODY),
    ([CHUNKED], chunked(BODY)),
    ([CHUNKED], chunked(BODY).replace(b"\r\n", b" ; x=y\r\n", 1)),
    ([("Content-Encoding", "gzip")], gzip.compress(BODY)),
    ([("Content-Encoding", "x-gzip")], gzip.compress(BODY)),
    ([("Content-Encoding", "gzip")], gzip.compress(BODY[:50]) + gzip.compress(BODY[50:])),
    ([("Content-Encoding", "gzip")], gzip.compress(BODY)[:-6]),  # no checksum
    ([("Content-Encoding", "deflate")], zlib.compress(BODY)),
    ([("Content-Encoding", "deflate")], bare_deflate(BODY)),
    ([("Content-Encoding", "br")], brotli(BODY)),
    ([("Content-Encoding", "zstd")], zstandard([BODY])[0]),
    ([("Content-Encoding", "gzip, br")], brotli(gzip.compress(BODY))),
    ([CHUNKED, ("Content-Encoding", "gzip")], chunked(gzip.compress(BODY))),
    ([("Content-Encoding", "gzip")], BODY),  # recorded after decoding
    ([("Content-Encoding", "br")], BODY),
    ([("Content-Encoding", "zstd")], BODY),
    ([("Content-Encoding", "deflate")], BODY),
    ([("Content-Encoding", "identity")], BODY),
    ([("Content-Encoding", "nonsense")], BODY),
    ([CHUNKED], BODY),  # recorded after dechunking
    ([CHUNKED], chunked(BODY)[:-5]),  # the last chunk is missing
]


@pytest.mark.parametrize(("headers", "sent"), SENT, ids=map(str, range(len(SENT))))
def test_bodies_are_decoded_as_far_as_they_are_encoded(
    headers: list[tuple[str, str]], sent: bytes
) -> None:
    assert read_message(http(sent, headers=headers)).body == BODY


def test_a_body_cut_off_while_encoded_gives_what_there_is() -> None:
    long = b"".join(b"<p>line %d" % n for n in range(3000))
    cut = gzip.compress(long)[:2000]
    body = read_message(http(cut, headers=[("Content-Encoding", "gzip")])).body
    assert long.startswith(body)
    assert len(body) > 1000


def test_a_bomb_is_cut_off() -> None:
    bomb = gzip.compress(gzip.compress(bytes(200 << 20), 9), 9)
    head = [("Content-Encoding", "gzip, gzip")]
    assert len(read_message(http(bomb, headers=head)).body) == 16 << 20


def test_headers_are_read_as_browsers_do() -> None:
    message = read_message(
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 302\r\nLOCATION: /caf\xc3\xa9\r\n"
        b"X-Long: a\r\n  b\r\nnonsense\r\n\r\nbody"
    )
    assert message.status == 302
    assert message.first("location") == "/café"
    assert message.first("x-long") == "a b"
    assert message.body == b"body"
    assert (
        read_message(b"HTTP/1.1 301 x\r\nLocation: /caf\xe9\r\n\r\n").first("location") == "/café"
    )


@given(st.binary(max_size=300))
def test_no_bytes_make_the_http_reader_raise(data: bytes) -> None:
    read_message(data)
    for coding in ("gzip", "deflate", "br", "zstd", "gzip,gzip"):
        head = (
            f"HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        read_message(head.encode() + data)


# -- damage --------------------------------------------------------------------------------

PAGES = [
    page(
        f"http://a.test/{n}",
        f"<p>Page {n} tells of wolf spiders. " + f"{n * 7919:x} " * (3 + 5 * n),
    )
    for n in range(6)
]
WHOLE = {"plain": PAGES, "gzip": gzipped(PAGES), "zstd": zstandard(PAGES)}
NAMES = {"plain": "x.warc", "gzip": "x.warc.gz", "zstd": "x.warc.zst"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damage")


@pytest.fixture(scope="module")
def originals(folder: Path) -> list[Capture]:
    return read(folder / "whole", b"".join(PAGES))[0]


@pytest.mark.parametrize("kind", ["gzip", "zstd"])
def test_bytes_overwritten_in_a_member_cost_this_record_alone(
    folder: Path, originals: list[Capture], kind: str
) -> None:
    parts = list(WHOLE[kind])
    middle = len(parts[2]) // 2
    parts[2] = parts[2][:middle] + b"\xff" * 20 + parts[2][middle + 20 :]
    captures, file = read(folder / NAMES[kind], b"".join(parts))
    assert captures == originals[:2] + originals[3:]
    assert (file.records, file.damaged, file.truncated) == (5, 1, False)


@pytest.mark.parametrize("kind", WHOLE)
def test_an_overwritten_beginning_costs_this_record_alone(
    folder: Path, originals: list[Capture], kind: str
) -> None:
    for number in (0, 3):
        parts = list(WHOLE[kind])
        parts[number] = bytes(40) + parts[number][40:]
        captures, file = read(folder / NAMES[kind], b"".join(parts))
        assert captures == originals[:number] + originals[number + 1 :]
        assert (file.damaged, file.truncated) == (1, False)


@pytest.mark.parametrize("kind", ["gzip", "zstd"])
def test_two_damaged_records_are_counted_as_two(
    folder: Path, originals: list[Capture], kind: str
) -> None:
    parts = list(WHOLE[kind])
    for number in (2, 3):
        end = len(parts[number]) - 4
        parts[number] = parts[number][:end] + b"\xee" * 4
    captures, file = read(folder / NAMES[kind], b"".join(parts))
    assert captures == originals[:2] + originals[4:]
    assert file.damaged == 2


@pytest.mark.parametrize("wrong", [b"1", b"99999", b"-5", b"many", b""])
def test_a_wrong_length_costs_this_record_alone(
    folder: Path, originals: list[Capture], wrong: bytes
) -> None:
    head, _, rest = PAGES[2].partition(b"Content-Length: ")
    bad = head + b"Content-Length: " + wrong + rest[rest.index(b"\r\n") :]
    captures, file = read(folder / "x.warc", b"".join([*PAGES[:2], bad, *PAGES[3:]]))
    assert captures == originals[:2] + originals[3:]
    assert (file.damaged, file.truncated) == (1, False)


def test_a_plain_block_that_belies_its_digest_is_damaged(folder: Path) -> None:
    data = by_fastwarc(None)
    captures, file = read(folder / "x.warc", data.replace(b"page 1", b"pige 1"))
    assert [each.url for each in captures] == ["http://a.test/0", "http://a.test/2"]
    assert file.damaged == 1


@pytest.mark.parametrize("digest", ["md4:0123", "sha1", "", "sha1:nonsense of another kind"])
def test_a_gzip_checksum_outweighs_the_digest(folder: Path, digest: str) -> None:
    odd = record("response", "http://a.test/", http(), headers=[("WARC-Block-Digest", digest)])
    captures, file = read(folder / "x", gzip.compress(odd))
    assert len(captures) == 1
    assert file.damaged == 0


@pytest.mark.parametrize("kind", WHOLE)
def test_rubbish_between_records_costs_none(
    folder: Path, originals: list[Capture], kind: str
) -> None:
    parts = WHOLE[kind]
    data = b"".join([*parts[:3], b"this should not be here at all", *parts[3:]])
    captures, file = read(folder / NAMES[kind], data)
    assert captures == originals
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
    which = data.draw(st.integers(0, len(parts) - 1), "record")
    at = data.draw(st.integers(0, len(parts[which]) - 1), "byte")
    changed = bytearray(parts[which])
    changed[at] = byte
    parts[which] = bytes(changed)
    captures, file = read(folder / NAMES[kind], b"".join(parts))
    near = {which, which + 1} if kind == "plain" else {which}
    far = [each for number, each in enumerate(originals) if number not in near]
    assert [each for each in captures if each in far] == far
    if kind != "plain":  # checksums: what comes is right, and what does not come is counted
        assert all(each in originals for each in captures)
        assert (len(captures) < len(originals)) <= file.damaged + file.truncated <= 1


@settings(max_examples=300)
@given(st.data(), st.sampled_from(sorted(WHOLE)))
def test_a_cut_costs_what_is_behind_it(
    folder: Path, originals: list[Capture], data: st.DataObject, kind: str
) -> None:
    whole = b"".join(WHOLE[kind])
    cut = data.draw(st.integers(len(WHOLE[kind][0]), len(whole)), "bytes left")
    captures, file = read(folder / NAMES[kind], whole[:cut])
    ends = [sum(map(len, WHOLE[kind][: n + 1])) for n in range(len(PAGES))]
    spare = 4 if kind == "plain" else 0  # empty lines behind a record
    left = sum(end - spare <= cut for end in ends)
    assert captures == originals[:left]
    assert file.damaged == 0
    boundary = any(end - spare <= cut <= end for end in ends)
    assert file.truncated == (not boundary)


@given(st.binary(max_size=400), st.sampled_from(["", "WARC/1.0\r\n", "\x1f\x8b\x08", "(\xb5/\xfd"]))
def test_rubbish_is_refused_and_nothing_else(folder: Path, rubbish: bytes, start: str) -> None:
    try:
        read(folder / "x", start.encode("latin-1") + rubbish)
    except WolfspiderError as error:
        assert str(folder / "x") in str(error)  # noqa: PT017


@pytest.mark.parametrize("kind", WHOLE)
def test_a_file_cut_in_its_first_record_says_so(folder: Path, kind: str) -> None:
    with pytest.raises(DamagedFile, match="cut off in its first record"):
        read(folder / NAMES[kind], WHOLE[kind][0][:60])


def test_files_that_are_not_there_or_empty_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"cannot read .*nowhere\.warc: No such file"):
        WarcFile(tmp_path / "nowhere.warc")
    with pytest.raises(
        DamagedFile, match=r"empty\.warc is not a WARC file: .*; give a WARC, WACZ or"
    ):
        read(tmp_path / "empty.warc", b"")
