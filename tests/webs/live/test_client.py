"""The client against a server that misbehaves; the names give the rows of FAULTS.md."""

from __future__ import annotations

import asyncio
import gc
import os
import re
import resource
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import trustme
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import RequestReceived
from hypothesis import given, settings
from hypothesis import strategies as st

from hostile import ANSWERS, LOOPBACK, PAGE, Hostile, answer, hostile_thread
from wolfspider.records import Exchange
from wolfspider.webs.decoding import payload
from wolfspider.webs.importers.http_message import read_message
from wolfspider.webs.live.client import Client
from wolfspider.webs.live.errors import KINDS, TRUNCATIONS
from wolfspider.webs.live.guard import Guard
from wolfspider.webs.live.limits import Limits

LLHTTP = Path(__file__).resolve().parents[4] / "shared/suites/llhttp-http-responses"
AGENT = "wolfspider-tests/1.0"
FAST = Limits(
    connect=2.0,
    first_byte=0.4,
    total=4.0,
    min_rate=100.0,
    rate_window=0.4,
    header=16 << 10,
    body=256 << 10,
    inflated=1 << 20,
)

Story = Callable[[Client, Hostile], Awaitable[Any]]


def play(story: Story, server: Hostile | None = None, **options: Any) -> Any:
    """Run a story with a client that may visit the hostile server."""

    async def run() -> Any:
        usual: dict[str, Any] = {"limits": FAST, "guard": Guard(LOOPBACK)}
        async with server or Hostile() as opened, Client(AGENT, **usual | options) as client:
            return await story(client, opened)

    return asyncio.run(run())


def fetch(path: str, raw: bytes | None = None, **options: Any) -> Exchange:
    """What the client makes of one path, or of raw bytes."""

    async def story(client: Client, server: Hostile) -> Exchange:
        if raw is not None:
            server.answers[path] = raw
        return await client.get(server.url(path))

    exchange: Exchange = play(story, **options)
    assert_sound(exchange)
    return exchange


def assert_sound(exchange: Exchange) -> None:
    """What holds for every exchange, however it went."""
    assert exchange.error in ("", *KINDS)
    assert exchange.truncated in ("", *TRUNCATIONS)
    assert bool(exchange.error) != bool(exchange.status)
    assert not (exchange.error and (exchange.head or exchange.body or exchange.truncated))
    assert not re.search(r"[\x00-\x1f\x7f]", "".join(a + b for a, b in exchange.headers))
    assert len(exchange.body) <= FAST.body
    assert read_message(exchange.head + exchange.body).status == exchange.status  # as in a WARC


def content(exchange: Exchange) -> bytes:
    return payload(exchange.headers, exchange.body, FAST.inflated).data


# What good servers send


def test_an_answer_is_kept_byte_for_byte() -> None:
    exchange = fetch("/page")
    assert exchange.status == 200
    assert exchange.head + exchange.body == answer()
    assert exchange.headers == (("content-type", "text/html"), ("content-length", str(len(PAGE))))
    assert exchange.address == "127.0.0.1"
    assert not exchange.error
    assert not exchange.truncated
    assert 0 < exchange.seconds < 2


GOOD = "/gzip /gzip-chunked /chunked /deflate /deflate-bare /br /zstd /no-length /early-hints"


@pytest.mark.parametrize("path", GOOD.split())
def test_any_coding_is_kept_raw_and_can_be_decoded(path: str) -> None:
    exchange = fetch(path)
    assert ANSWERS[path]().endswith(exchange.head + exchange.body)
    assert content(exchange) == PAGE


def test_connections_are_used_again() -> None:
    async def story(client: Client, server: Hostile) -> None:
        for _ in range(5):
            await client.get(server.url("/keeps-chunked"))
        assert (await client.get(server.url("/count"))).body == b"6"
        assert server.connections == 1

    play(story)


def test_a_dead_connection_of_the_pool_is_replaced() -> None:
    async def story(client: Client, server: Hostile) -> None:
        statuses = [(await client.get(server.url("/drops-second"))).status for _ in range(3)]
        assert statuses == [200, 200, 200]
        assert server.connections == 3

    play(story)


def test_many_requests_go_at_once() -> None:
    async def story(client: Client, server: Hostile) -> None:
        urls = [server.url("/late?seconds=0.2") for _ in range(100)]
        exchanges = await asyncio.gather(*map(client.get, urls))
        assert {exchange.status for exchange in exchanges} == {200}
        assert max(exchange.seconds for exchange in exchanges) < 2

    play(story, limits=replace(FAST, first_byte=5))


def test_a_request_says_who_asks_and_what_it_reads() -> None:
    async def story(client: Client, server: Hostile) -> None:
        exchange = await client.get(server.url("/echo"), {"If-None-Match": '"x"', "X-Empty": ""})
        lines = exchange.body.decode().split("\r\n")
        assert f"User-Agent: {AGENT}" in lines
        assert "Accept-Encoding: gzip, deflate, br, zstd" in lines
        assert 'If-None-Match: "x"' in lines
        assert "X-Empty:" in lines
        again = await client.get(server.url("/echo"))
        assert b"If-None-Match" not in again.body

    play(story)


@pytest.mark.parametrize("value", ["a\r\nCookie: b", "a\nb", "a\0b"])
def test_a_header_of_two_lines_is_a_mistake(value: str) -> None:
    async def story(client: Client, server: Hostile) -> None:
        with pytest.raises(ValueError, match="one line"):
            await client.get(server.url("/"), {"X": value})

    play(story)


def test_the_environment_and_netrc_change_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login a password b\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("http_proxy", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1/")
    exchange = fetch("/echo")
    assert exchange.status == 200
    assert b"Authorization" not in exchange.body


def test_the_path_is_asked_for_as_it_is_written() -> None:
    async def story(client: Client, server: Hostile) -> None:
        paths = ["/a%2E%2E/b", "/a//b;c=1?q=%7E|x", "/%zz", "/?", "/..a/.b/"]
        for path in paths:
            await client.get(server.url(path))
        assert server.log == paths

    play(story)


def test_a_screen_refuses_a_body_before_it_is_read() -> None:
    def screen(status: int, headers: tuple[tuple[str, str], ...]) -> str:
        length = int(dict(headers)["content-length"])
        return f"{length} bytes are too many" if length > 1000 else ""

    large = fetch("/big?bytes=100000", screen=screen)
    assert (large.status, large.truncated, large.body) == (200, "unspecified", b"")
    assert large.detail == "100000 bytes are too many"
    assert fetch("/big?bytes=10", screen=screen).body == bytes(10)


def test_many_hosts_can_be_one_server() -> None:
    async def run() -> None:
        async with Hostile() as server:
            guard = Guard(frozenset({"a.example", "b.example"}))
            to = f"127.0.0.1:{server.port}"
            async with Client(AGENT, limits=FAST, guard=guard, connect_to=to) as client:
                for host in ("a.example", "b.example"):
                    exchange = await client.get(f"http://{host}/echo")
                    assert f"Host: {host}\r\n".encode() in exchange.body
                refused = await client.get("http://c.example/")
                assert refused.error == "not allowed"

    asyncio.run(run())


# Rows 25 to 28: redirects


@pytest.mark.parametrize("path", ["/loop", "/self", "/to-file", "/to-data", "/to-metadata"])
def test_rows_25_to_27_a_redirect_is_an_answer_and_not_followed(path: str) -> None:
    async def story(client: Client, server: Hostile) -> Any:
        return await client.get(server.url(path)), server.log

    exchange, log = play(story)
    assert exchange.status == 302
    assert exchange.first("location")
    assert log == [path]


def test_row_28_no_cookie_is_kept() -> None:
    async def story(client: Client, server: Hostile) -> None:
        await client.get(server.url("/self"))
        echoed = await client.get(server.url("/echo"))
        assert b"ookie" not in echoed.body

    play(story)


def test_row_28_a_password_in_the_address_is_not_sent() -> None:
    async def story(client: Client, server: Hostile) -> None:
        for login in ("user:secret", "user", ":secret"):
            exchange = await client.get(server.url("/", f"{login}@127.0.0.1"))
            assert exchange.error == "bad url"
        assert server.log == []

    play(story)


# Rows 29 to 31: addresses and names


INSIDE = """
127.0.0.1 127.1 0x7f.1 2130706433 017700000001 localhost LOCALHOST a.localhost
[::1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] 0.0.0.0 0 [::]
169.254.169.254 10.0.0.1 192.168.1.1 [fe80::1] [fd00::1] [64:ff9b::7f00:1]
[2002:7f00:1::] 127.0.0.1. %31%32%37.0.0.1 １２７.0.0.1
"""


@pytest.mark.parametrize("host", INSIDE.split())
def test_row_29_no_inside_address_is_connected_to(host: str) -> None:
    async def story(client: Client, server: Hostile) -> None:
        exchange = await client.get(server.url("/", host))
        assert exchange.error == "not allowed", exchange
        assert server.connections == 0

    play(story, guard=Guard())


NO_WEB_ADDRESSES = """
file:///etc/passwd ftp://127.0.0.1/ gopher://127.0.0.1/ data:text/html,hi dict://127.0.0.1/
javascript:alert(1) //127.0.0.1/ http:// http://[::1%25lo]/ http://a%00b/ http://:80/
http://a:99999/ x
"""


@pytest.mark.parametrize("url", [*NO_WEB_ADDRESSES.split(), "", "http://a b/"])
def test_rows_27_and_29_only_web_addresses_are_asked(url: str) -> None:
    exchange = play(lambda client, _: client.get(url))
    assert exchange.error == "bad url"


def test_row_30_a_name_that_leads_inside_is_refused_when_it_connects() -> None:
    """`connect_to` stands for a name server that now says 127.0.0.1 of a public name."""

    async def run() -> None:
        async with Hostile() as server:
            to = f"127.0.0.1:{server.port}"
            async with Client(AGENT, limits=FAST, connect_to=to) as client:
                exchange = await client.get("http://rebound.example/")
                assert exchange.error == "not allowed"
                assert exchange.detail == "rebound.example is at 127.0.0.1"
                assert server.connections == 0

    asyncio.run(run())


def test_row_30_a_connection_of_the_pool_is_for_its_host_alone() -> None:
    async def story(client: Client, server: Hostile) -> None:
        assert (await client.get(server.url("/", "localhost"))).status == 200
        assert (await client.get(server.url("/", "127.0.0.1"))).error == "not allowed"
        assert server.connections == 1

    play(story, guard=Guard(frozenset({"localhost"})))


def test_row_31_a_name_without_address_is_an_error_of_its_own() -> None:
    exchange = play(lambda client, _: client.get("http://no-such-host.invalid/"))
    assert exchange.error == "dns"


def test_a_closed_port_refuses() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        exchange = play(lambda client, _: client.get(f"http://127.0.0.1:{port}/"))
    assert exchange.error == "closed"


# Row 32: TLS


AUTHORITY = trustme.CA()


def tls_server(certificate: trustme.LeafCert, **options: Any) -> Hostile:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    certificate.configure_cert(context)
    return Hostile(tls=context, **options)


def fetch_tls(certificate: trustme.LeafCert, authority: trustme.CA = AUTHORITY) -> Exchange:
    with authority.cert_pem.tempfile() as file:
        exchange: Exchange = play(
            lambda client, server: client.get(server.url("/gzip", "localhost")),
            server=tls_server(certificate),
            authorities=file,
        )
    assert_sound(exchange)
    return exchange


def test_row_32_a_good_certificate_is_trusted() -> None:
    exchange = fetch_tls(AUTHORITY.issue_cert("localhost"))
    assert content(exchange) == PAGE


def test_row_32_an_expired_certificate_is_an_error() -> None:
    yesterday = datetime.now(UTC) - timedelta(days=1)
    exchange = fetch_tls(AUTHORITY.issue_cert("localhost", not_after=yesterday))
    assert exchange.error == "tls"
    assert "expired" in exchange.detail


def test_row_32_a_stranger_who_signs_is_an_error() -> None:
    exchange = fetch_tls(trustme.CA().issue_cert("localhost"))
    assert exchange.error == "tls"


def test_row_32_a_certificate_for_another_host_is_an_error() -> None:
    exchange = fetch_tls(AUTHORITY.issue_cert("other.example"))
    assert exchange.error == "tls"
    assert "localhost" in exchange.detail


def test_row_32_no_tls_at_all_is_an_error() -> None:
    async def story(client: Client, server: Hostile) -> Exchange:
        return await client.get(server.url("/").replace("http:", "https:"))

    assert play(story).error == "tls"


# Row 33: time


@pytest.mark.parametrize("path", ["/endless", "/endless-chunks"])
def test_row_33_an_endless_body_is_cut_at_the_limit(path: str) -> None:
    exchange = fetch(path)
    assert exchange.status == 200
    assert exchange.truncated == "length"
    assert len(exchange.body) == FAST.body


@pytest.mark.parametrize("path", ["/trickle", "/stops-in-body"])
def test_row_33_a_trickle_is_cut_by_its_rate(path: str) -> None:
    exchange = fetch(path)
    assert (exchange.status, exchange.truncated) == (200, "time")
    assert exchange.body
    assert exchange.seconds < FAST.total / 2


@pytest.mark.parametrize("path", ["/trickled-header", "/silent"])
def test_row_33_an_answer_that_does_not_come_times_out(path: str) -> None:
    exchange = fetch(path)
    assert exchange.error == "timeout"
    assert exchange.seconds < FAST.total / 2


@pytest.mark.parametrize("path", ["/trickle", "/silent", "/trickled-header", "/trickled-1xx"])
def test_row_33_the_total_time_is_the_last_word(path: str) -> None:
    exchange = fetch(path, limits=replace(FAST, total=0.5, first_byte=9, min_rate=0))
    assert exchange.error == "timeout" or exchange.truncated == "time"
    assert 0.4 < exchange.seconds < 1.5


def test_row_33_a_steady_body_may_take_its_time() -> None:
    exchange = fetch("/trickle", limits=replace(FAST, min_rate=5, total=1.5))
    assert exchange.seconds > 1.2


def test_row_33_a_host_that_never_accepts_times_out() -> None:
    with socket.socket() as full:  # a backlog that is full lets nobody in
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        waiting = [socket.socket() for _ in range(3)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(full.getsockname())
        url = f"http://127.0.0.1:{full.getsockname()[1]}/"
        limits = replace(FAST, connect=0.3)
        exchange = play(lambda client, _: client.get(url), limits=limits)
        for each in waiting:
            each.close()
    assert exchange.error == "timeout"
    assert exchange.seconds < 1


# Row 34: headers


@pytest.mark.parametrize("path", ["/endless-header", "/header-line-bomb"])
def test_row_34_a_header_without_end_is_an_error(path: str) -> None:
    assert fetch(path).error == "too large"


# Row 35: bombs


@pytest.mark.parametrize("path", ["/gzip-bomb", "/br-bomb", "/zstd-bomb", "/nested-bomb"])
def test_row_35_a_bomb_is_kept_small(path: str) -> None:
    exchange = fetch(path)
    assert exchange.status == 200
    assert len(content(exchange)) == FAST.inflated


# Row 36: damaged bodies


@pytest.mark.parametrize(
    ("path", "truncated", "text"),
    [
        ("/bad-chunk", "unspecified", b"hello"),
        ("/huge-chunk", "unspecified", b"ffffffffffffffffff\r\nhello"),
        ("/cut-chunks", "disconnect", PAGE[:20]),
        ("/short", "disconnect", PAGE),
        ("/long", "", PAGE[:10]),
        ("/reset-in-body", "disconnect", PAGE),
        ("/not-gzip", "", PAGE),
    ],
)
def test_row_36_a_damaged_body_is_kept_and_marked(path: str, truncated: str, text: bytes) -> None:
    exchange = fetch(path)
    assert (exchange.status, exchange.truncated) == (200, truncated)
    assert content(exchange) == text
    assert bool(exchange.detail) == bool(truncated)


def test_row_36_a_body_that_is_too_long_does_not_spoil_the_next_answer() -> None:
    async def story(client: Client, server: Hostile) -> None:
        await client.get(server.url("/long"))
        assert (await client.get(server.url("/page"))).body == PAGE

    play(story)


@pytest.mark.parametrize("path", ["/reset", "/nothing", "/half-header"])
def test_row_36_a_connection_that_ends_too_early_is_an_error(path: str) -> None:
    assert fetch(path).error == "reset"


# Row 37: malformed answers


MALFORMED = """
/no-status /status-2000 /status-99 /switch /two-lengths /negative-length /cr-in-header
/nul-in-header
"""


@pytest.mark.parametrize("path", MALFORMED.split())
def test_row_37_what_is_not_http_is_an_error(path: str) -> None:
    assert fetch(path).error == "bad answer"


def test_row_37_a_folded_header_is_one_line() -> None:
    exchange = fetch("/folded-header")
    assert exchange.first("x-game") == "a WARC-Type: request"
    assert b"\n WARC" not in exchange.head


def test_row_37_bare_line_feeds_are_lines() -> None:
    exchange = fetch("/bare-lf")
    assert exchange.head + exchange.body == ANSWERS["/bare-lf"]()
    assert exchange.first("content-type") == "text/html"


def test_row_37_header_bytes_are_text_whatever_they_are() -> None:
    assert fetch("/utf-8-header").first("x-name") == "Spinne Übermut"
    assert fetch("/binary-header").first("x-name") == "ÿþ "


def test_row_37_trailers_do_not_become_headers() -> None:
    exchange = fetch("/trailer")
    assert not exchange.first("set-cookie")
    assert content(exchange) == PAGE


def llhttp_answers() -> Iterator[Any]:
    if not LLHTTP.exists():
        yield pytest.param(b"", id="absent", marks=pytest.mark.skip(f"{LLHTTP.name} is absent"))
    for file in sorted(LLHTTP.glob("*.md")):
        blocks = re.findall(r"^```http\n(.*?)^```", file.read_text(), re.DOTALL | re.MULTILINE)
        for number, block in enumerate(blocks):
            yield pytest.param(raw_bytes(block), id=f"{file.stem}-{number}")


def raw_bytes(block: str) -> bytes:
    """llhttp's way to write bytes: a line is a line with CR LF unless it ends in a backslash."""
    text = block.removesuffix("\n").replace("\\\n", "").replace("\n", "\r\n")
    escapes = {"r": "\r", "n": "\n", "t": "\t", "f": "\f", '"': '"'}
    text = re.sub(r'\\([rntf"])', lambda found: escapes[found[1]], text)
    return re.sub(r"\\x([0-9a-f]{2})", lambda found: chr(int(found[1], 16)), text).encode()


@pytest.mark.parametrize("raw", list(llhttp_answers()))
def test_row_37_samples_of_llhttp_are_taken_or_refused(raw: bytes) -> None:
    exchange = fetch("/sample", raw)
    assert exchange.status == 0 or exchange.head.startswith(b"HTTP/")
    content(exchange)


PIECES = st.sampled_from(
    [
        *(b"HTTP/1.1 ", b"HTTP/1.0 200 OK", b"200 OK", b"100 Continue", b"-1", b"9" * 20, b"x"),
        *(b"Content-Length: ", b"Location: ", b"Transfer-Encoding: chunked\r\n", b"\0", b"\xff"),
        *(b"\r\n", b"\r\n\r\n", b"\n", b"\r", b":", b" ", b"5\r\nhello\r\n", b"0\r\n\r\n"),
    ]
)
ANYTHING = st.lists(st.one_of(PIECES, st.binary(max_size=8)), max_size=12).map(b"".join)


@settings(max_examples=200)
@given(ANYTHING, st.booleans())
def test_row_37_any_bytes_make_an_exchange(tail: bytes, well_begun: bool) -> None:
    fetch("/sample", (b"HTTP/1.1 200 OK\r\n" if well_begun else b"") + tail)


# Row 38: old and odd HTTP


def test_row_38_http_0_9_is_an_error() -> None:
    exchange = fetch("/http-0.9")
    assert exchange.error == "bad answer"
    assert "0.9" in exchange.detail


def test_row_38_a_flood_of_interim_answers_ends_at_the_header_limit() -> None:
    assert fetch("/1xx-flood").error == "too large"


def test_row_38_an_interim_answer_is_passed_over() -> None:
    exchange = fetch("/early-hints")
    assert exchange.head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert not exchange.first("link")


@pytest.mark.parametrize(("path", "status"), [("/204-body", 204), ("/304-body", 304)])
def test_row_38_a_body_where_none_may_be_is_ignored(path: str, status: int) -> None:
    exchange = fetch(path)
    assert (exchange.status, exchange.body) == (status, b"")


# Row 10: file descriptors; and what is left behind


@contextmanager
def no_more_files() -> Iterator[None]:
    """This process may open nothing more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(map(int, os.listdir("/proc/self/fd")))
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 1, hard))
    fillers: list[int] = []
    try:
        with suppress(OSError):
            while True:
                fillers.append(os.open(os.devnull, os.O_RDONLY))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for filler in fillers:
            os.close(filler)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_row_10_without_file_descriptors_requests_fail_and_later_ones_work() -> None:
    async def run() -> None:
        with hostile_thread() as server:
            async with Client(AGENT, limits=FAST, guard=Guard(LOOPBACK)) as client:
                await client.get(server.url("/"))
                with no_more_files():
                    urls = [server.url("/late?seconds=0.1", h) for h in ("localhost",) * 5]
                    urls += ["http://needs-a-name-server.invalid/"]
                    exchanges = await asyncio.gather(*map(client.get, urls))
                    async with Client(AGENT, guard=Guard(LOOPBACK)) as late:
                        exchanges.append(await late.get(server.url("/")))
                assert {exchange.error for exchange in exchanges} == {"no files"}
                assert (await client.get(server.url("/", "localhost"))).status == 200

    asyncio.run(run())


def open_files() -> int:
    gc.collect()
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_a_cancelled_request_leaves_nothing_behind() -> None:
    async def run() -> None:
        async with Hostile() as server:
            before = open_files()
            async with Client(AGENT, limits=FAST, guard=Guard(LOOPBACK)) as client:
                paths = ["/silent", "/trickle", "/endless-header", "/stops-in-body"] * 5
                tasks = [asyncio.create_task(client.get(server.url(path))) for path in paths]
                for moment in range(len(tasks)):
                    await asyncio.sleep(0.01)
                    tasks[moment].cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                assert (await client.get(server.url("/page"))).body == PAGE
            for _ in range(100):  # the server's ends close in their own time
                await asyncio.sleep(0.01)
                if open_files() == before:
                    break
            assert open_files() == before
            assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(run())


def test_closing_the_client_ends_what_is_under_way() -> None:
    async def run() -> None:
        async with Hostile() as server:
            client = Client(AGENT, limits=FAST, guard=Guard(LOOPBACK))
            waiting = asyncio.create_task(client.get(server.url("/silent")))
            await asyncio.sleep(0.1)
            await client.aclose()
            assert (await waiting).error == "failed"
            await client.aclose()

    asyncio.run(run())


def test_a_client_runs_on_uvloop_too() -> None:
    uvloop = pytest.importorskip("uvloop")

    async def run() -> None:
        async with Hostile() as server, Client(AGENT, guard=Guard(LOOPBACK)) as client:
            urls = [server.url(path) for path in ("/gzip", "/chunked", "/page") * 20]
            for exchange in await asyncio.gather(*map(client.get, urls)):
                assert content(exchange) == PAGE

    uvloop.run(run())


# Proxies


def test_a_proxy_is_asked_instead_of_the_host() -> None:
    async def run() -> None:
        async with (
            Hostile() as proxy,
            Client(AGENT, limits=FAST, proxy=proxy.url("")) as client,
        ):
            assert (await client.get("http://public.example/echo")).status == 200
            assert proxy.log == ["http://public.example/echo"]
            assert (await client.get("http://127.1/")).error == "not allowed"
            assert (await client.get("https://public.example/")).error == "proxy"

    asyncio.run(run())


def test_https_goes_through_a_tunnel_and_keeps_only_the_answer() -> None:
    async def story(client: Client, server: Hostile) -> Exchange:
        proxy.tunnel_to = server.port
        return await client.get("https://public.example/gzip")

    certificate = AUTHORITY.issue_cert("public.example")
    with hostile_thread() as proxy, AUTHORITY.cert_pem.tempfile() as file:
        exchange = play(
            story, server=tls_server(certificate), proxy=proxy.url(""), authorities=file
        )
    assert exchange.head + exchange.body == ANSWERS["/gzip"]()


def test_a_proxy_that_is_not_there_is_an_error() -> None:
    exchange = play(
        lambda client, _: client.get("http://public.example/"), proxy="http://127.0.0.1:1/"
    )
    assert exchange.error == "proxy"


# HTTP/2


class Http2Page(asyncio.Protocol):
    """Answers every request with a page, over HTTP/2."""

    def __init__(self) -> None:
        self.lost = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport
        self._http = H2Connection(H2Configuration(client_side=False))
        self._http.initiate_connection()
        self.data_received(b"")

    def data_received(self, data: bytes) -> None:
        for event in self._http.receive_data(data):
            if isinstance(event, RequestReceived):
                head = [(":status", "200"), ("x-name", "a"), ("content-encoding", "gzip")]
                self._http.send_headers(event.stream_id, head)
                body = ANSWERS["/gzip"]().partition(b"\r\n\r\n")[2]
                self._http.send_data(event.stream_id, body)
                self._http.send_headers(event.stream_id, [("x-late", "1")], end_stream=True)
        self._transport.write(self._http.data_to_send())

    def connection_lost(self, error: Exception | None) -> None:
        self.lost.set()


def test_http_2_is_spoken_and_written_down_like_http_1() -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    AUTHORITY.issue_cert("localhost").configure_cert(context)
    context.set_alpn_protocols(["h2"])

    async def run(file: str) -> list[Exchange]:
        loop = asyncio.get_running_loop()
        pages: list[Http2Page] = []

        def page() -> Http2Page:
            pages.append(Http2Page())
            return pages[-1]

        server = await loop.create_server(page, "127.0.0.1", 0, ssl=context)
        url = f"https://localhost:{server.sockets[0].getsockname()[1]}/"
        async with server:
            guard = Guard(LOOPBACK)
            async with Client(AGENT, limits=FAST, guard=guard, authorities=file) as client:
                found = [await client.get(url) for _ in range(2)]
            for each in pages:  # the server says goodbye
                await asyncio.wait_for(each.lost.wait(), 10)
            return found

    with AUTHORITY.cert_pem.tempfile() as file:
        exchanges = asyncio.run(run(file))
    for exchange in exchanges:
        assert_sound(exchange)
        assert exchange.head.startswith(b"HTTP/2 200 \r\nx-name: a\r\n")
        assert not exchange.first("x-late")
        assert content(exchange) == PAGE
