"""The proxy and the programs it is made for: curl, Scrapy, Chromium and our own client."""

from __future__ import annotations

import asyncio
import base64
import gc
import hashlib
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from recordings import compile_web, moved, page
from served import served
from wolfspider.crawl import replay
from wolfspider.judges.targets import TargetJudge
from wolfspider.policies.breadth_first import BreadthFirst
from wolfspider.records import Exchange, Link
from wolfspider.urls import canonical, fingerprint, host
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.live.client import Client
from wolfspider.webs.recorded import RecordedWeb
from wolfspider.webs.serving import Authority, Index, Settings
from wolfspider.webs.synthetic import Synthetic, capture_of

PLAIN, SECURE = "http://a.test/", "https://b.test/x"
RECORDS = [
    page(PLAIN, f"<title>Plain</title><a href='{SECURE}'>on"),
    page(SECURE, "<title>Secure</title><p>Bee."),
    moved("https://b.test/old", SECURE),
]
SPIDER = """
import scrapy

class Everything(scrapy.Spider):
    name = "everything"
    def __init__(self, start, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [start]
    def parse(self, response):
        yield {"url": response.url}
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, self.parse)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_web(tmp_path_factory.mktemp("web") / "web", RECORDS).folder


@contextmanager
def proxy(web: Path, **settings: Any) -> Iterator[tuple[str, Authority]]:
    authority = Authority()
    with served(Index.of(web), Settings(port=0, authority=authority, **settings)) as port:
        yield f"http://127.0.0.1:{port}", authority


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    return tmp_path / "ca.pem"


def link_to(url: str) -> Link:
    return Link(url, fingerprint(url), host(url))


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not shutil.which(program), reason=f"{program} is not installed")


# -- curl ------------------------------------------------------------------------------------


def curl(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = ["curl", "-sS", "--noproxy", "", "--max-time", "20", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@needs("curl")
def test_curl_gets_http_and_https_and_follows_redirects(folder: Path, certificate: Path) -> None:
    with proxy(folder) as (url, authority):
        certificate.write_bytes(authority.certificate)
        trusting = ("-x", url, "--cacert", certificate)
        assert "<title>Plain</title>" in curl(*trusting, PLAIN).stdout
        assert "<title>Secure</title>" in curl(*trusting, SECURE).stdout
        assert "<title>Secure</title>" in curl(*trusting, "-L", "https://b.test/old").stdout
        missing = curl(*trusting, "-i", "https://b.test/none").stdout
        assert missing.startswith("HTTP/1.1 200 Connection established")
        assert "HTTP/1.1 404 Not Found" in missing
        assert "not in the recording: https://b.test/none" in missing


@needs("curl")
def test_a_tunnel_to_port_80_is_plain(folder: Path) -> None:
    with proxy(folder) as (url, _):
        assert "<title>Plain</title>" in curl("-x", url, "--proxytunnel", PLAIN).stdout


@needs("curl")
def test_who_does_not_trust_the_certificate_gets_nothing(folder: Path) -> None:
    with proxy(folder) as (url, _), proxy(folder) as (_, stranger):
        assert curl("-x", url, SECURE).returncode == 60
        other = folder.with_name("stranger.pem")
        other.write_bytes(stranger.certificate)
        assert curl("-x", url, "--cacert", other, SECURE).returncode == 60
        assert "<title>Plain</title>" in curl("-x", url, PLAIN).stdout  # nobody else is disturbed


@pytest.mark.parametrize("host", ["b.test", "*.x.test", "127.0.0.1", "::1", "n" * 63 + ".test"])
def test_certificates_hold_for_names_and_addresses(host: str) -> None:
    authority = Authority()
    client = ssl.create_default_context(cadata=authority.certificate.decode())
    inside, outside = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = authority.context(host).wrap_bio(inside, outside, server_side=True)
    theirs = client.wrap_bio(outside, inside, server_hostname=host.replace("*", "www"))
    for _ in range(4):
        for side in (theirs, ours):
            with suppress(ssl.SSLWantReadError):
                side.do_handshake()
    assert theirs.version() in ("TLSv1.2", "TLSv1.3")
    assert authority.context(host) is authority.context(host)


# -- our own client --------------------------------------------------------------------------


def test_our_client_uses_a_tunnel_again(folder: Path, certificate: Path) -> None:
    async def story(url: str) -> list[Exchange]:
        client = Client("test/1", proxy=url, authorities=str(certificate))
        async with client:
            return [await client.get(each) for each in (SECURE, SECURE, PLAIN, SECURE)]

    with proxy(folder) as (url, authority):
        certificate.write_bytes(authority.certificate)
        exchanges = asyncio.run(story(url))
    assert [(each.error, each.status) for each in exchanges] == [("", 200)] * 4
    assert b"Bee." in exchanges[1].body


# -- Scrapy ----------------------------------------------------------------------------------


def test_scrapy_fetches_what_a_replay_reaches(tmp_path: Path) -> None:
    made = Synthetic(pages=150, hosts=8, topics=3, words=60, seed=2)
    with Compiler(tmp_path / "web", ["made"]) as compiler:
        for record in made.records():
            compiler.add(capture_of(record))
        compiler.finish()
    web = RecordedWeb(tmp_path / "web")
    start = web.url(0)
    visits = replay(web, BreadthFirst(), TargetJudge(frozenset()), [link_to(start)])
    reached = {visit.response.url for visit in visits if not visit.failed}
    assert len(reached) > 140
    assert any(url.startswith("https:") for url in reached)
    with proxy(web.folder) as (url, _):
        fetched = crawl_by_scrapy(tmp_path, start, url)
    assert fetched == reached


def crawl_by_scrapy(folder: Path, start: str, url: str) -> set[str | None]:
    (folder / "spider.py").write_text(SPIDER)
    settings = ["LOG_LEVEL=ERROR", "HTTPERROR_ALLOWED_CODES=", "TELNETCONSOLE_ENABLED=False"]
    settings += ["CONCURRENT_REQUESTS_PER_DOMAIN=16", "DOWNLOAD_DELAY=0"]
    command = [sys.executable, "-m", "scrapy", "runspider", "spider.py", "-a", f"start={start}"]
    command += ["-O", "items.jsonl", *(part for each in settings for part in ("-s", each))]
    environment = os.environ | {"http_proxy": url, "https_proxy": url, "no_proxy": ""}
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = (folder / "items.jsonl").read_text().splitlines()
    return {canonical(json.loads(line)["url"]) for line in lines}


# -- Chromium --------------------------------------------------------------------------------


@needs("chromium")
def test_chromium_shows_pages_of_https_hosts(folder: Path, tmp_path: Path) -> None:
    with proxy(folder) as (url, authority):
        shown = browse(SECURE, url, authority, tmp_path)
        assert "<title>Secure</title>" in shown
        assert "not in the recording: https://b.test/none" in browse(
            "https://b.test/none", url, authority, tmp_path
        )


def browse(address: str, url: str, authority: Authority, folder: Path) -> str:
    """What the browser made of a page, when it trusts our authority and nobody else in addition."""
    key = x509.load_pem_x509_certificate(authority.certificate).public_key()
    encoded = key.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    pin = base64.b64encode(hashlib.sha256(encoded).digest()).decode()
    options = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={folder / 'profile'}",
        f"--proxy-server={url}",
        f"--ignore-certificate-errors-spki-list={pin}",
        "--dump-dom",
    ]
    done = subprocess.run(
        ["chromium", *options, address], capture_output=True, text=True, timeout=90, check=False
    )
    return done.stdout


# -- tunnels that are none -------------------------------------------------------------------


def talk(url: str, *parts: bytes) -> bytes:
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        answer = b""
        for part in parts:
            connection.sendall(part)
            answer += connection.recv(65536)
        return answer


@pytest.mark.parametrize("target", [b"b.test", b"b.test:", b"b/x:443", b":443", b"b.test:123456"])
def test_a_tunnel_needs_a_host_and_a_port(folder: Path, target: bytes) -> None:
    with proxy(folder) as (url, _):
        answer = talk(url, b"CONNECT " + target + b" HTTP/1.1\r\nHost: b.test\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"a tunnel needs a target like www.example.org:443" in answer


def test_there_is_no_tunnel_in_a_tunnel(folder: Path) -> None:
    connect = b"CONNECT a.test:80 HTTP/1.1\r\n\r\n"
    with proxy(folder) as (url, _):
        answer = talk(url, connect, connect)
    assert answer.startswith(b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 400 ")


def test_rubbish_instead_of_tls_hurts_nobody(folder: Path) -> None:
    with proxy(folder) as (url, _):
        talk(url, b"CONNECT b.test:443 HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n")
        assert b"200 Connection established" in talk(url, b"CONNECT b.test:443 HTTP/1.1\r\n\r\n")


def test_who_speaks_before_the_tunnel_stands_is_told(folder: Path) -> None:
    with proxy(folder) as (url, _):
        answer = talk(url, b"CONNECT b.test:443 HTTP/1.1\r\n\r\n\x16\x03\x01")
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"in a tunnel TLS begins when its opening was answered" in answer


def test_broken_hosts_may_have_ports(tmp_path: Path) -> None:
    web = compile_web(tmp_path / "web", [page(PLAIN), page("https://z.test:8443/")])
    with proxy(web.folder, broken_hosts=1) as (url, _), pytest.raises(ConnectionResetError):
        talk(url, b"CONNECT z.test:8443 HTTP/1.1\r\n\r\n")


def test_a_large_body_arrives_whole(tmp_path: Path) -> None:
    text = "".join(f"{number:08}" for number in range(250_000))
    web = compile_web(tmp_path / "web", [page(PLAIN, text)])
    with proxy(web.folder) as (url, _):
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=20) as connection:
            request = f"GET {PLAIN} HTTP/1.1\r\n\r\n".encode()
            last = f"GET {PLAIN} HTTP/1.1\r\nConnection: close\r\n\r\n".encode()
            connection.sendall(request + last)  # the second waits for the first
            connection.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    assert answer.count(text.encode()) == 2
    assert answer.endswith(text.encode())


def test_broken_hosts_reset_tunnels_too(folder: Path) -> None:
    with proxy(folder, broken_hosts=1) as (url, _), pytest.raises(ConnectionResetError):
        talk(url, b"CONNECT b.test:443 HTTP/1.1\r\n\r\n")


# -- time and chance -------------------------------------------------------------------------

DAY = 86400.0
CHANGING = [
    page(PLAIN, "<title>First", "2005-01-01T00:00:00Z"),
    page(PLAIN, "<title>Second", "2005-01-03T00:00:00Z"),
    page("http://a.test/new", "<title>New", "2005-01-02T00:00:00Z"),
]
FIRST = 1104537600.0


@pytest.fixture(scope="module")
def changing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_web(tmp_path_factory.mktemp("web") / "web", CHANGING).folder


def get(url: str, address: str) -> bytes:
    return talk(url, f"GET {address} HTTP/1.1\r\nConnection: close\r\n\r\n".encode())


@pytest.mark.parametrize(
    ("days", "title", "new"),
    [
        (0.0, b"First", False),
        (1.0, b"First", True),
        (1.999, b"First", True),
        (2.0, b"Second", True),
    ],
)
def test_a_recording_is_served_as_it_was(
    changing: Path, days: float, title: bytes, new: bool
) -> None:
    with proxy(changing, at=FIRST + days * DAY) as (url, _):
        assert title in get(url, PLAIN)
        answer = get(url, "http://a.test/new")
    assert answer.startswith(b"HTTP/1.1 200" if new else b"HTTP/1.1 404")
    if not new:
        assert b"not in the recording at 2005-01-01 00:00 UTC: http://a.test/new" in answer


def test_recorded_time_runs(changing: Path) -> None:
    with proxy(changing, at=FIRST, speed=DAY * 1000) as (url, _):
        for _ in range(200):
            if b"Second" in get(url, PLAIN):
                break
        else:
            pytest.fail("two days have not passed in 200 requests")


def test_errors_come_by_chance_and_by_seed(folder: Path) -> None:
    def statuses(seed: int) -> list[bytes]:
        with proxy(folder, error_rate=0.3, seed=seed) as (url, _):
            return [get(url, PLAIN)[9:12] for _ in range(60)]

    first = statuses(1)
    assert first == statuses(1) != statuses(2)
    assert set(first) == {b"200", b"503"}
    assert 5 < first.count(b"503") < 35


def test_the_server_ends_in_the_middle_of_anything(folder: Path) -> None:
    """Connections just accepted, tunnels just opened, handshakes under way: none is left open."""
    for said in (b"", b"G", b"CONNECT b.test:443 HTTP/1.1\r\n\r\n"):
        clients = []
        with proxy(folder) as (url, _):
            host, port = url.removeprefix("http://").split(":")
            for _ in range(20):
                client = socket.create_connection((host, int(port)), timeout=20)
                clients.append(client)
                if said:
                    client.sendall(said)
        for client in clients:
            client.close()
        gc.collect()  # what was left open would warn now
