"""A recording is served to real clients over loopback sockets."""

from __future__ import annotations

import asyncio
import gzip
import io
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from http.client import HTTPConnection, HTTPResponse
from itertools import chain
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordings import gone, gzipped, http, moved, page, record, zstandard
from served import served
from wolfspider.errors import BadInput, DamagedFile
from wolfspider.webs.serving import Index, Settings, serving
from wolfspider.webs.serving.requests import MOST_HEAD, Refused, cut_request, read_request
from wolfspider.webs.synthetic import Record, Synthetic, save

WEB = Synthetic(pages=120, hosts=6, topics=2, words=40, seed=4)
A, B = "http://a.test/", "http://b.test/x?id=2"
LATER = "2021-01-01T00:00:00Z"
KEPT = [
    page(A, "<p>Home."),
    page(B, "<p>Bee."),
    moved("http://a.test/old", A),
    gone("http://a.test/no"),
]
BROKEN = "http://z.test/"


def index_of(*paths: Path) -> Index:
    index = Index()
    for path in paths:
        for _ in index.add(path):
            pass
    return index


@contextmanager
def serving_records(
    folder: Path, records: list[bytes], settings: Settings | None = None
) -> Iterator[int]:
    path = folder / "some.warc.gz"
    path.write_bytes(b"".join(gzipped(records)))
    with served(index_of(path), settings) as port:
        yield port


def talk(port: int, data: bytes) -> bytes:
    """Everything that comes back until the server closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connected:
        connected.sendall(data)
        return b"".join(iter(lambda: connected.recv(1 << 16), b""))


def ask(port: int, url: str, method: str = "GET") -> tuple[HTTPResponse, bytes]:
    """One request by Host header, on a connection of its own."""
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        return fetch(connection, url, method)
    finally:
        connection.close()


def fetch(connection: HTTPConnection, url: str, method: str = "GET") -> tuple[HTTPResponse, bytes]:
    parts = urlsplit(url)
    target = parts._replace(scheme="", netloc="").geturl() or "/"
    connection.request(method, target, headers={"Host": parts.netloc})
    response = connection.getresponse()
    return response, response.read()


@pytest.fixture(scope="module")
def everything() -> list[Record]:
    return list(chain(WEB.records(), WEB.robots()))


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory, everything: list[Record]) -> Iterator[int]:
    """A generated web, served."""
    folder = tmp_path_factory.mktemp("served")
    save(everything, folder / "web.warc.gz", folder / "labels.tsv", "web")
    with served(index_of(folder / "web.warc.gz")) as port:
        yield port


@pytest.fixture
def small(tmp_path: Path) -> Iterator[int]:
    with serving_records(tmp_path, KEPT) as port:
        yield port


# -- answers -----------------------------------------------------------------------------------


def test_every_recorded_url_is_answered_on_one_connection(
    port: int, everything: list[Record]
) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    connection.connect()
    first = connection.sock
    for each in everything:
        response, body = fetch(connection, each.url)
        assert (response.status, body) == (each.status, each.body), each.url
        for name, value in each.headers:
            assert response.headers[name] == value
        assert connection.sock is first
    connection.close()


def test_the_index_counts_pages_and_hosts(tmp_path: Path, everything: list[Record]) -> None:
    save(everything, tmp_path / "web.warc.gz", tmp_path / "labels.tsv", "web")
    index = index_of(tmp_path / "web.warc.gz")
    assert (index.moments.pages(), len(index.moments.hosts), len(index)) == (
        120,
        6,
        len(everything),
    )
    assert not index.left_out
    index.close()


def test_a_proxy_client_gets_every_http_url(port: int, everything: list[Record]) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    plain = [each for each in everything if each.url.startswith("http://")]
    assert plain
    for each in plain:
        connection.request("GET", each.url)  # http.client takes a full URL as it is
        response = connection.getresponse()
        assert (response.status, response.read()) == (each.status, each.body)
    connection.close()


def test_a_full_url_is_taken_at_its_word(tmp_path: Path) -> None:
    with serving_records(tmp_path, [page("https://s.test/", "<p>Secure.")]) as port:
        assert ask(port, "http://s.test/")[0].status == 200  # only the host was named
        answer = talk(port, b"GET http://s.test/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 404 ")


def test_a_redirect_is_served_with_its_location(small: int) -> None:
    response, body = ask(small, "http://a.test/old")
    assert (response.status, response.reason, body) == (301, "Whatever", b"")
    assert response.headers["Location"] == A


@pytest.mark.parametrize(
    "url", ["http://a.test/new", "http://nowhere.test/", "http://a.test/robots.txt"]
)
def test_what_is_not_recorded_is_a_404_that_says_so(small: int, url: str) -> None:
    response, body = ask(small, url)
    assert response.status == 404
    assert f"not in the recording: {url}".encode() in body


def test_the_404_page_is_escaped(small: int) -> None:
    _, body = ask(small, "http://a.test/<script>")
    assert b"<script>" not in body
    assert b"&lt;script&gt;" in body


def test_two_spellings_of_an_address_have_one_answer(small: int) -> None:
    for url in ("http://A.TEST/?utm_source=x", "http://a.test:80/", f"http://a.test:{small}/"):
        assert ask(small, url)[1] == b"<p>Home.", url


def test_head_has_the_headers_and_no_body(small: int) -> None:
    response, body = ask(small, A, "HEAD")
    assert (response.status, response.headers["Content-Length"], body) == (200, "8", b"")
    raw = talk(small, b"HEAD / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n")
    assert raw.endswith(b"\r\n\r\n")


def test_bodies_are_decoded_and_fields_of_the_connection_left_out(tmp_path: Path) -> None:
    body = gzip.compress(b"<p>Packed.")
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    fields = [
        ("Content-Encoding", "gzip"),
        ("Transfer-Encoding", "chunked"),
        ("Connection", "keep-alive, X-Hop"),
        ("X-Hop", "1"),
        ("Keep-Alive", "timeout=5"),
        ("Set-Cookie", "a=1"),
        ("Set-Cookie", "b=2"),
        ("X-Split", "a\rX-Evil: 1"),
    ]
    with serving_records(tmp_path, [record("response", A, http(chunks, headers=fields))]) as port:
        response, found = ask(port, A)
    assert found == b"<p>Packed."
    assert response.getheaders() == [
        ("Content-Type", "text/html"),
        ("Set-Cookie", "a=1"),
        ("Set-Cookie", "b=2"),
        ("X-Split", "a X-Evil: 1"),
        ("Memento-Datetime", "Wed, 01 Jan 2020 00:00:00 GMT"),
        ("Content-Length", "10"),
    ]


def test_answers_without_a_body_do_not_hold_up_the_connection(tmp_path: Path) -> None:
    records = [record("response", f"{A}{s}", http(b"no", s)) for s in (204, 304)]
    with serving_records(tmp_path, [*records, page(A)]) as port:
        connection = HTTPConnection("127.0.0.1", port, timeout=20)
        for path, status in (("204", 204), ("304", 304), ("", 200)):
            assert fetch(connection, A + path)[0].status == status
        connection.close()


def test_the_latest_capture_counts(tmp_path: Path) -> None:
    records = [
        page(A, "<p>New.", LATER),
        page(A, "<p>Old."),
        page(B, "<p>Bee."),
        moved(B, A),  # at the same moment
        moved(f"{B}&utm_source=x", B, LATER),  # in a circle
        record("revisit", "http://c.test/", b"", LATER, [("WARC-Refers-To-Target-URI", B)]),
    ]
    with serving_records(tmp_path, records) as port:
        bodies = [ask(port, url)[1] for url in (A, B, "http://c.test/")]
    assert bodies == [b"<p>New.", b"<p>Bee.", b"<p>Bee."]


def test_resources_are_served(tmp_path: Path) -> None:
    made = record("resource", A, b"<p>File.").replace(
        b"application/http; msgtype=response", b"text/html"
    )
    with serving_records(tmp_path, [made]) as port:
        response, body = ask(port, A)
    assert (response.status, response.headers["Content-Type"]) == (200, "text/html")
    assert body == b"<p>File."


# -- files -------------------------------------------------------------------------------------


def forms(records: list[bytes]) -> dict[str, bytes]:
    """The same records, packed in all the ways that occur."""
    whole = b"".join(records)
    cut = len(whole) // 3
    return {
        "plain.warc": whole,
        "members.warc.gz": b"".join(gzipped(records)),
        "one_member.warc.gz": gzip.compress(whole),
        "across_members.warc.gz": gzip.compress(whole[:cut]) + gzip.compress(whole[cut:]),
        "frames.warc.zst": b"".join(zstandard(records)),
    }


@pytest.mark.parametrize("name", forms(KEPT))
def test_all_kinds_of_files(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(forms(KEPT)[name])
    with served(index_of(path)) as port:
        for _ in range(2):
            assert [ask(port, url)[1] for url in (B, A)] == [b"<p>Bee.", b"<p>Home."]
        assert ask(port, "http://a.test/no")[0].status == 404


def test_several_files_answer_together(tmp_path: Path) -> None:
    (tmp_path / "1.warc").write_bytes(page(A, "<p>One."))
    (tmp_path / "2.warc.gz").write_bytes(gzip.compress(page(B, "<p>Two.")))
    with served(index_of(tmp_path / "1.warc", tmp_path / "2.warc.gz")) as port:
        assert [ask(port, url)[1] for url in (A, B)] == [b"<p>One.", b"<p>Two."]


@pytest.mark.parametrize("pack", [gzipped, zstandard, list])
def test_damaged_records_are_passed_over_and_counted(
    tmp_path: Path, pack: Callable[[list[bytes]], list[bytes]]
) -> None:
    parts = pack(KEPT)
    parts[0] = parts[0][:-20] + parts[0][-10:]
    parts[-1] = parts[-1][:-20]
    path = tmp_path / "damaged.warc"
    path.write_bytes(b"".join([*pack([page("http://c.test/")]), *parts]))
    index = index_of(path)
    assert index.left_out == {"damaged record": 2}
    with served(index) as port:
        assert ask(port, A)[0].status == 404
        assert ask(port, B)[1] == b"<p>Bee."


def test_records_before_the_damage_in_a_member_are_served(tmp_path: Path) -> None:
    texts = [page(f"{A}{n}", "<p>" + f"{n} spiders " * 40) for n in range(40)]
    packed = gzip.compress(b"".join(texts))
    path = tmp_path / "damaged.warc.gz"
    path.write_bytes(packed[:-60] + b"\xff" * 30 + packed[-30:])
    index = index_of(path)
    assert 0 < len(index) < 40
    with served(index) as port:
        assert ask(port, A + "0")[1].startswith(b"<p>0 spiders")


@pytest.mark.parametrize("data", [b"", b"<p>no WARC file"])
def test_other_files_are_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(DamagedFile, match=r"/x is (empty|not a WARC file)"):
        index_of(tmp_path / "x")


# -- connections -------------------------------------------------------------------------------


def test_pipelined_requests_are_answered_in_their_order(small: int) -> None:
    urls = [("a.test", "/"), ("b.test", "/x?id=2"), ("a.test", "/no"), ("a.test", "/")]
    asked = [f"GET {path} HTTP/1.1\r\nHost: {host}\r\n" for host, path in urls]
    data = "\r\n".join([*asked[:-1], asked[-1] + "Connection: close\r\n\r\n"]).encode()
    answers = talk(small, data)
    assert [answers.index(each) for each in (b"Home.", b"Bee.", b"No.")] == sorted(
        answers.index(each) for each in (b"Home.", b"Bee.", b"No.")
    )
    assert (answers.count(b"HTTP/1.1 "), answers.count(b"Home.")) == (4, 2)


def test_many_pipelined_requests_to_a_client_that_reads_late(tmp_path: Path) -> None:
    big = "<p>" + "x" * 200_000
    with (
        serving_records(tmp_path, [page(A, big)]) as port,
        socket.create_connection(("127.0.0.1", port), timeout=20) as connected,
    ):
        connected.sendall(b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n" * 200)
        connected.shutdown(socket.SHUT_WR)
        found = b"".join(iter(lambda: connected.recv(1 << 20), b""))
    assert found.count(b"HTTP/1.1 200") == 200
    assert len(found) > 200 * len(big)


def test_a_request_in_small_pieces(small: int) -> None:
    with socket.create_connection(("127.0.0.1", small), timeout=20) as connected:
        for byte in b"\r\nGET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n":
            connected.send(bytes([byte]))
        assert b"Home." in b"".join(iter(lambda: connected.recv(1 << 16), b""))


def test_http_1_0_closes_unless_asked_not_to(small: int) -> None:
    assert b"\r\nConnection: close\r\n" in talk(small, b"GET / HTTP/1.0\r\nHost: a.test\r\n\r\n")
    request = b"GET / HTTP/1.0\r\nHost: a.test\r\nConnection: %s\r\n\r\n"
    answers = talk(small, request % b"keep-alive" + request % b"close")
    assert answers.count(b"Home.") == 2


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01", 400),  # TLS
        (b"PRI * HTTP/2.0\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),  # no Host
        (b"GET / HTTP/1.1\r\nHost: a.test\r\nHost: b.test\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a.test/x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost a.test\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a.test\r\n folded: x\r\n\r\n", 400),
        (b"GET x HTTP/1.1\r\nHost: a.test\r\n\r\n", 400),
        (b"GET ftp://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n", 400),
        (b"GET /a b HTTP/1.1\r\nHost: a.test\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3\r\n\r\nabc", 400),
        (b"POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3\r\n\r\nabc", 405),
        (b"CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n", 405),
        (b"OPTIONS * HTTP/1.1\r\nHost: a.test\r\n\r\n", 405),
        (b"GET / HTTP/1.1\r\nHost: a.test\r\nX: " + b"x" * MOST_HEAD + b"\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * (4 << 20), 431),
    ],
    ids=range(17),
)
def test_bad_requests_are_refused_with_a_sentence(small: int, request_: bytes, status: int) -> None:
    answer = talk(small, request_)
    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
    assert b"\r\nConnection: close\r\n" in answer
    assert (b"\r\nAllow: GET, HEAD\r\n" in answer) == (status == 405)
    assert ask(small, A)[1] == b"<p>Home."


@given(st.binary(max_size=200) | st.binary().map(lambda each: b"GET / HTTP/1.1\r\n" + each))
def test_any_bytes_are_a_request_or_refused(data: bytes) -> None:
    buffer = bytearray(data + b"\r\n\r\n")
    with suppress(Refused):
        while (head := cut_request(buffer)) is not None:
            request = read_request(head)
            assert request.path.startswith("/")
            assert request.path.isascii()
            assert request.host.isascii()


def test_a_taken_port_is_a_sentence(small: int, tmp_path: Path) -> None:
    async def again() -> None:
        async with serving(Index(), Settings(port=small)):
            pass

    with pytest.raises(BadInput, match=f"port {small} is taken by another program; give another"):
        asyncio.run(again())


def test_only_loopback_is_listened_to(small: int) -> None:
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.2", small), timeout=5).close()


# -- rehearsals --------------------------------------------------------------------------------


def test_broken_hosts_reset_the_connection(tmp_path: Path) -> None:
    log = io.StringIO()
    settings = Settings(port=0, broken_hosts=1, log=log)
    with serving_records(tmp_path, [*KEPT, page(BROKEN)], settings) as port:
        for url in (BROKEN, BROKEN + "other"):
            with pytest.raises(ConnectionResetError):
                ask(port, url)
        assert ask(port, A)[0].status == 200
    assert [line.split("\t")[1:] for line in log.getvalue().splitlines()] == [
        ["z.test", "/", "0"],
        ["z.test", "/other", "0"],
        ["a.test", "/", "200"],
    ]


def test_more_broken_hosts_than_there_are(tmp_path: Path) -> None:
    with (
        serving_records(tmp_path, KEPT, Settings(port=0, broken_hosts=9)) as port,
        pytest.raises(ConnectionResetError),
    ):
        ask(port, A)


def test_latency_keeps_the_order_and_a_client_that_has_asked_all(tmp_path: Path) -> None:
    begin = time.monotonic()
    with (
        serving_records(tmp_path, KEPT, Settings(port=0, latency=0.1)) as port,
        socket.create_connection(("127.0.0.1", port), timeout=20) as connected,
    ):
        connected.sendall(b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n" * 2)
        connected.sendall(b"GET /x?id=2 HTTP/1.1\r\nHost: b.test\r\n\r\n")
        connected.shutdown(socket.SHUT_WR)
        found = b"".join(iter(lambda: connected.recv(1 << 16), b""))
    assert time.monotonic() - begin >= 0.3
    assert (found.count(b"Home."), found.endswith(b"Bee.")) == (2, True)


def test_the_log_has_what_was_asked_for(tmp_path: Path) -> None:
    log = io.StringIO()
    with serving_records(tmp_path, KEPT, Settings(port=0, log=log)) as port:
        ask(port, B + "&utm_source=x")
        ask(port, f"http://a.test:{port}/none")
        talk(port, b"GET HTTP://A.test?q HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        talk(port, "GET /ä HTTP/1.0\r\nHost: a.test\r\n\r\n".encode())
        talk(port, b"CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n")
        talk(port, b"nonsense\r\n\r\n")
    rows = [line.split("\t") for line in log.getvalue().splitlines()]
    assert [row[1:] for row in rows] == [
        ["b.test", "/x?id=2&utm_source=x", "200"],
        ["a.test", "/none", "404"],
        ["a.test", "/?q", "404"],
        ["a.test", "/%C3%A4", "404"],
        ["a.test", "a.test", "405"],
        ["-", "-", "400"],
    ]
    assert all(len(row[0].partition(".")[2]) == 3 for row in rows)


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
def test_curl_follows_a_redirect_through_the_proxy(small: int) -> None:
    command = [
        "curl",
        "-sSL",
        "-x",
        f"http://127.0.0.1:{small}",
        "--noproxy",
        "",
        "http://a.test/old",
    ]
    done = subprocess.run(command, capture_output=True, timeout=20, check=True)
    assert done.stdout == b"<p>Home."


# -- generated webs ----------------------------------------------------------------------------


def test_most_generated_hosts_have_a_robots_txt() -> None:
    made = Synthetic(pages=900, hosts=100, topics=3, seed=1)
    files = list(made.robots())
    homes = {each.url.removesuffix("robots.txt") for each in files}
    assert len(homes) == len(files)
    assert homes <= {each.url for each in made.records()}
    assert 80 <= len(files) <= 97
    delayed = [each for each in files if b"Crawl-delay: 0.2\n" in each.body]
    assert 10 <= len(delayed) <= 35
    assert all(each.body.startswith(b"User-agent: *\nDisallow: /private/\n") for each in files)
    assert files == list(made.robots())


def test_plain_http_changes_the_schemes_and_nothing_else() -> None:
    plain = replace(WEB, plain_http=True)
    usual = list(WEB.records())
    assert any(each.url.startswith("https://") for each in usual)
    for before, after in zip(usual, plain.records(), strict=True):
        assert after.url == before.url.replace("https://", "http://")
        assert after.body == before.body.replace(b"https://", b"http://")
        assert after.labels == before.labels
