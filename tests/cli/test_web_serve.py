"""wolfspider web serve, and what web generate records for it."""

from __future__ import annotations

import json
import signal
import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest

from command_line import Generated, Run, start
from recordings import gzipped, page

A = "http://a.test/"
SMALL = ("--pages", "60", "--hosts", "5", "--topics", "2")


@pytest.fixture
def warc(tmp_path: Path) -> Path:
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(b"".join(gzipped([page(A, "<p>Home."), page("http://b.test/")])))
    return path


@contextmanager
def started(*arguments: str | Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server in a process of its own, and the line that it prints when it is ready."""
    process = start("web", "serve", *arguments)
    assert process.stdout
    try:
        line = process.stdout.readline()
        assert line, process.communicate(timeout=20)
        yield process, line
    finally:
        process.kill()
        process.communicate(timeout=20)


def get(port: int, host: str, path: str) -> tuple[int, bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", path, headers={"Host": host})
    response = connection.getresponse()
    found = response.status, response.read()
    connection.close()
    return found


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_it_serves_until_it_is_told_to_stop(warc: Path, number: int, code: int) -> None:
    with started(warc, "--port", "0", "--json") as (process, line):
        ready = json.loads(line)
        port = ready["port"]
        ca = ready.pop("ca")
        assert Path(ca).read_bytes().startswith(b"-----BEGIN CERTIFICATE-----")
        assert ready == {"url": f"http://127.0.0.1:{port}", "port": port, "pages": 2, "hosts": 2}
        assert get(port, "a.test", "/") == (200, b"<p>Home.")
        with socket.create_connection(("127.0.0.1", port)):  # an open connection is no hindrance
            process.send_signal(number)
            out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (code, "")
    assert err.endswith("wolfspider: interrupted\n")
    assert "Traceback" not in err


def test_a_generated_web_is_served_with_its_robots_txt(generated: Generated) -> None:
    with started(generated.warc, "--port", "0", "--quiet") as (_, line):
        assert line.startswith("serving 600 pages of 20 hosts on http://127.0.0.1:")
        port = int(line.rpartition(":")[2])
        host = generated.start.split("/")[2]
        assert get(port, host, "/")[0] == 200
        status, body = get(port, host, "/robots.txt")
        assert status == 404 or body.startswith(b"User-agent: *\n")


def test_the_log_is_there_when_the_answer_is(warc: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.tsv"
    log.write_text("kept\n")
    with started(warc, "--port", "0", "--json", "--log", log) as (_, line):
        get(json.loads(line)["port"], "a.test", "/x?y=1")
        kept, row = log.read_text().splitlines()
    assert kept == "kept"
    assert row.split("\t")[1:] == ["a.test", "/x?y=1", "404"]


def test_it_can_stop_by_itself(run: Run, warc: Path) -> None:
    done = run("web", "serve", warc, "--port", "0", "--seconds", "0.1")
    assert (done.code, done.out.count("\n")) == (0, 1)
    assert "reading crawl.warc.gz: 2 records" in done.err
    assert run("web", "serve", warc, "--port", "0", "--seconds", "0.1", "--quiet").err == ""


def test_a_taken_port_is_a_sentence(run: Run, warc: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = run("web", "serve", warc, "--port", str(port), "--quiet")
    assert (refused.code, refused.out) == (2, "")
    sentence = f"port {port} is taken by another program; give another --port, or 0 for a free one"
    assert refused.err == f"wolfspider: {sentence}\n"


def test_damaged_records_are_noted(run: Run, tmp_path: Path) -> None:
    parts = gzipped([page(A), page("http://b.test/")])
    path = tmp_path / "x.warc.gz"
    path.write_bytes(parts[0] + parts[1][:-20])
    done = run("web", "serve", path, "--port", "0", "--seconds", "0.1")
    assert "left out: 1 × damaged record" in done.err
    assert "serving 1 page of 1 host" in done.out


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere.warc", "nowhere.warc does not exist; give a web folder, the folder"),
        ("empty", "empty is empty; give a WARC file"),
        ("text", "text is not a WARC file: no record can be read from it"),
        ("request.warc", "nothing to serve: no answer of a web server in request.warc"),
    ],
)
def test_bad_input_is_a_sentence(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty").touch()
    Path("text").write_text("<p>hello, this is no WARC file")
    Path("request.warc").write_bytes(page(A).replace(b"Type: response", b"Type: request"))
    refused = run("web", "serve", name, "--quiet")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith(f"wolfspider: {message}")


def test_generate_says_nothing_about_robots_txt(run: Run, tmp_path: Path) -> None:
    done = run("web", "generate", "-o", tmp_path / "x", *SMALL, "--keep-warc")
    assert "left out" not in done.err
    assert run("web", "info", tmp_path / "x", "--json").json["left_out"] == {}


def test_generate_with_plain_http(run: Run, tmp_path: Path) -> None:
    run("web", "generate", "-o", tmp_path / "x", *SMALL, "--keep-warc", "--plain-http")
    assert "https://" not in (tmp_path / "x.labels.tsv").read_text()
    known = run("web", "info", tmp_path / "x", "--json").json
    assert known["start"].startswith("http://")
    assert "plain_http=True" in known["sources"][0]


# -- the certificate --------------------------------------------------------------------------


def test_the_certificate_goes_with_the_server(
    run: Run, warc: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments in ([], ["--ca", "mine.pem"]):
        assert run("web", "serve", warc, "--port", "0", "--seconds", "0.1", *arguments).code == 0
    assert list(tmp_path.glob("*.pem")) == []


def test_a_file_of_somebody_else_is_left_alone(run: Run, warc: Path, tmp_path: Path) -> None:
    bundle, link = tmp_path / "bundle.pem", tmp_path / "link.pem"
    bundle.write_text("precious")
    link.symlink_to(bundle)
    for ca in (bundle, link):
        refused = run("web", "serve", warc, "--port", "0", "--seconds", "0.1", "-q", "--ca", ca)
        assert refused.code == 2
        assert f"{ca} exists already; give another --ca, or remove it" in refused.err
    assert bundle.read_text() == "precious"


def test_what_a_killed_server_left_is_replaced(warc: Path, run: Run, tmp_path: Path) -> None:
    ca = tmp_path / "ca.pem"
    with started(warc, "--port", "0", "--ca", ca, "-q") as (process, _):
        process.kill()
        process.wait(20)
    assert ca.exists()
    assert run("web", "serve", warc, "--port", "0", "--seconds", "0.1", "--ca", ca).code == 0
    assert not ca.exists()


def test_a_closed_terminal_ends_it_like_ctrl_c(warc: Path, tmp_path: Path) -> None:
    ca = tmp_path / "ca.pem"
    with started(warc, "--port", "0", "--ca", ca, "-q") as (process, _):
        process.send_signal(signal.SIGHUP)
        assert process.wait(20) == 129
    assert not ca.exists()


# -- what cannot be ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--at 2019-12-31", "nothing was recorded before 2020-01-01 00:00 UTC; give a later --at"),
        ("--speed 60", "all was recorded at one moment, so no time can run; leave out --speed"),
        ("--at soon", "'soon' is no date; write 2005-02-01 or 2005-02-01T12:30"),
        ("--at 9999-12-31T23:00-12:00", "is no date"),
        ("--latency nan", "'nan' is not a number to count with"),
        ("--speed inf", "'inf' is not a number to count with"),
        ("--seconds nan", "'nan' is not a number to count with"),
        ("--error-rate 1.5", "1.5 is not in the range 0<=x<=1"),
        ("--log nowhere/x.log", "cannot write nowhere/x.log: No such file or directory; give an"),
        ("--ca nowhere/ca.pem", "cannot write nowhere/ca.pem: No such file or directory; give an"),
    ],
)
def test_settings_that_make_no_sense(run: Run, warc: Path, arguments: str, message: str) -> None:
    refused = run("web", "serve", warc, "--port", "0", "--seconds", "0.1", *arguments.split())
    assert refused.code == 2
    assert message in refused.err
    assert "Traceback" not in refused.err


def test_a_moment_after_the_end_is_told(run: Run, warc: Path) -> None:
    done = run("web", "serve", warc, "--port", "0", "--seconds", "0.1", "--at", "2030-01-01")
    assert done.code == 0
    assert "the recording ends on 2020-01-01 00:00 UTC, before that date" in done.err


def test_a_web_folder_is_served_alone(run: Run, generated: Generated) -> None:
    refused = run("web", "serve", generated.folder, generated.warc)
    assert refused.code == 2
    assert "is a web folder and is served alone; import several recordings into one" in refused.err


def test_a_generated_web_has_its_robots_files(generated: Generated) -> None:
    with started(generated.folder, "--port", "0", "--json") as (_, line):
        port = json.loads(line)["port"]
        host = generated.start.split("/")[2]
        assert get(port, host, "/robots.txt")[0] == 200


def test_our_own_hunt_goes_through_it(run: Run, generated: Generated, tmp_path: Path) -> None:
    ca = tmp_path / "ca.pem"
    with started(generated.folder, "--port", "0", "--json", "--ca", ca) as (_, line):
        hunt = run(
            *("hunt", "--web", "live", "--topic", "sailing", "--seed", generated.start, "-q"),
            *("--proxy", json.loads(line)["url"], "--authorities", ca, "--json"),
            *("--contact", "https://example.org/me", "--delay", "0", "--address-delay", "0"),
            *("--pages", "120", "-o", tmp_path / "hunt"),
        )
    assert hunt.code == 0, hunt.err
    assert hunt.json["pages"] == 120
    with closing(sqlite3.connect(tmp_path / "hunt" / "hunt.db")) as db:
        rows = db.execute("SELECT url, error FROM pages").fetchall()
    assert {error for _, error in rows} <= {"", "seen", "status 404"}
    schemes = {url.partition(":")[0] for url, error in rows if not error}
    assert schemes == {"http", "https"}
