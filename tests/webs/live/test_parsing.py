"""Pages parsed in child processes: row 41 of FAULTS.md, with real children."""

from __future__ import annotations

import asyncio
import gzip
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from hostile import PAGE, brotli, chunked
from wolfspider.pages import parse
from wolfspider.records import Exchange, Page, Response
from wolfspider.webs.live import parsing
from wolfspider.webs.live.parsing import Parsed, Parsers

URL = "http://a.example/dir/"
Story = Callable[[Parsers], Awaitable[Any]]


def play(story: Story, processes: int = 1, **limits: Any) -> Any:
    """Run a story with parsers that are closed at its end."""

    async def run() -> Any:
        parsers = Parsers(processes, **limits)
        try:
            return await story(parsers)
        finally:
            await parsers.aclose()

    return asyncio.run(run())


def answered(body: bytes = PAGE, kind: str = "text/html", *fields: tuple[str, str]) -> Exchange:
    return Exchange(URL, 200, headers=(("content-type", kind), *fields), body=body)


def numbered(number: int, words: int = 50) -> Exchange:
    text = " ".join(f"w{number}x{word}" for word in range(words))
    return answered(f"<title>{number}</title><p>{text}<a href='{number}'>next</a>".encode())


def sitemap(size: int) -> Exchange:
    rows = "".join(f"<url><loc>/wolf/spider/{row}{'/web' * 50}</loc></url>" for row in range(size))
    return answered(f"<urlset>{rows}</urlset>".encode(), "text/xml")


def one(exchange: Exchange, **limits: Any) -> Parsed:
    async def story(parsers: Parsers) -> Parsed:
        return await parsers.parse(URL, exchange)

    found: Parsed = play(story, **limits)
    return found


def assert_same(found: Page, expected: Page) -> None:
    assert (found.url, found.title, found.text) == (expected.url, expected.title, expected.text)
    assert found.flags == expected.flags
    assert found.links.buffer == expected.links.buffer
    assert found.terms.ids.tolist() == expected.terms.ids.tolist()
    assert found.terms.counts.tolist() == expected.terms.counts.tolist()
    assert (found.terms.length, found.terms.norm) == (expected.terms.length, expected.terms.norm)


def state(pid: int) -> str:
    """The letter in /proc; Z for a process that has ended and nobody has asked how."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "Z"


def ends(pid: int, seconds: float = 10.0) -> bool:
    until = time.monotonic() + seconds
    while state(pid) != "Z" and time.monotonic() < until:
        time.sleep(0.01)
    return state(pid) == "Z"


# -- what good children do


def test_a_page_is_the_one_that_parsing_here_would_give() -> None:
    html = (
        b"<title>Wolf \xe9</title><meta name=robots content=noindex><p>hunt <a href=a>\xfcber</a>"
    )
    latin = answered(html, "text/html; charset=latin-1", ("x-robots-tag", "nofollow"))
    exchanges = (latin, numbered(1), sitemap(3000), answered(b""), answered(b"%PDF-1"))

    async def story(parsers: Parsers) -> list[Parsed]:
        return [await parsers.parse(URL, exchange) for exchange in exchanges]

    for exchange, found in zip(exchanges, play(story), strict=True):
        here = parse(Response(URL, 200, exchange.headers, exchange.body))
        assert_same(found.page, here)
        assert (found.problem, found.damage) == ("", "")


def test_codings_are_undone_in_the_child() -> None:
    fields = (("content-encoding", "gzip, br"), ("transfer-encoding", "chunked"))
    found = one(answered(chunked(brotli(gzip.compress(PAGE))), "text/html", *fields))
    assert_same(found.page, parse(Response(URL, 200, body=PAGE)))
    cut = one(answered(gzip.compress(PAGE)[:-10], "text/html", ("content-encoding", "gzip")))
    assert cut.page.title == "Spiders"
    assert (cut.problem, cut.damage) == ("", "ends early")


def test_200_calls_at_once_each_get_their_page() -> None:
    async def story(parsers: Parsers) -> list[Parsed]:
        calls = (parsers.parse(f"{URL}{n}", numbered(n, 1 + 50 * (n % 40))) for n in range(200))
        found = await asyncio.gather(*calls)
        assert len(parsers.pids) == 2
        return found

    for number, found in enumerate(play(story, processes=2)):
        exchange = numbered(number, 1 + 50 * (number % 40))
        here = parse(Response(f"{URL}{number}", 200, exchange.headers, exchange.body))
        assert_same(found.page, here)
        assert not found.problem


def test_answers_without_a_page_need_no_child() -> None:
    async def story(parsers: Parsers) -> None:
        for exchange in (Exchange(URL, error="timeout"), Exchange(URL, 404, body=PAGE)):
            found = await parsers.parse(URL, exchange)
            assert (found.page.title, found.problem) == ("", "")
        assert parsers.pids == []

    play(story)


def test_a_child_has_nothing_of_its_parent_but_one_socket() -> None:
    async def story(parsers: Parsers) -> list[str]:
        with socket.socket() as secret:
            secret.set_inheritable(True)
            await parsers.parse(URL, answered())
            folder = Path(f"/proc/{parsers.pids[0]}/fd")
            return [os.readlink(each).partition(":")[0] for each in folder.iterdir()]

    assert play(story).count("socket") == 1


def test_parsers_run_on_uvloop_too() -> None:
    uvloop = pytest.importorskip("uvloop")

    async def run() -> None:
        parsers = Parsers()
        found = await asyncio.gather(*(parsers.parse(URL, numbered(n)) for n in range(50)))
        assert [each.page.title for each in found] == [str(n) for n in range(50)]
        await parsers.aclose()

    uvloop.run(run())


# -- pages that cost too much

DEEP = b"<div>" * 100_000
BIG = b"<p>wolf <a href=/a>spider</a> hunts</p>" * (50 << 20 >> 5)


@pytest.mark.parametrize("body", [DEEP, BIG, b"<table>" * 100_000, b"<font size=1>" * 50_000])
def test_row_41_wild_pages_are_read_within_the_limits(body: bytes) -> None:
    found = one(answered(body))
    assert found.problem == ""


def test_row_35_a_bomb_stays_within_the_limit() -> None:
    bomb = gzip.compress(b"<title>Boom</title>" + bytes(100 << 20))
    found = one(answered(bomb, "text/html", ("content-encoding", "gzip")), inflated=1 << 20)
    assert (found.page.title, found.problem) == ("Boom", "")
    assert "limit" in found.damage


def test_row_41_a_page_that_needs_too_much_memory_is_given_back_empty() -> None:
    async def story(parsers: Parsers) -> None:
        bomb = gzip.compress(bytes(16 << 20)) * 48
        greedy = answered(bomb, "text/html", ("content-encoding", "gzip"))
        found = await parsers.parse(URL, greedy)
        assert found.problem == "parsing needed more than 512 MB"
        assert (found.page.url, len(found.page.links)) == (URL, 0)
        assert not (await parsers.parse(URL, answered())).problem

    play(story, memory=512 << 20, inflated=2 << 30)


def test_row_41_a_page_that_takes_too_long_is_given_back_empty() -> None:
    async def story(parsers: Parsers) -> list[Parsed]:
        slow = sitemap(45_000)
        calls = [parsers.parse(URL, slow if n == 3 else numbered(n)) for n in range(10)]
        return await asyncio.gather(*calls)

    found = play(story, seconds=0.4)
    assert found[3].problem == "parsing took longer than 0.4 s"
    assert (found[3].page.url, len(found[3].page.links)) == (URL, 0)
    assert [each.problem for each in found[:3] + found[4:]] == [""] * 9


def test_row_41_a_child_that_stands_still_is_replaced() -> None:
    async def story(parsers: Parsers) -> list[Parsed]:
        await parsers.parse(URL, answered())
        (pid,) = parsers.pids
        os.kill(pid, signal.SIGSTOP)
        found = await asyncio.gather(*(parsers.parse(URL, numbered(n)) for n in range(10)))
        assert ends(pid)
        assert pid not in parsers.pids
        return found

    found = play(story, seconds=0.5)
    assert [each.problem for each in found] == ["parsing took longer than 0.5 s", *[""] * 9]
    assert [each.page.title for each in found[1:]] == [str(n) for n in range(1, 10)]


def test_a_child_that_has_nothing_to_do_may_be_silent() -> None:
    async def story(parsers: Parsers) -> None:
        await parsers.parse(URL, answered())
        pids = parsers.pids
        await asyncio.sleep(0.7)
        assert not (await parsers.parse(URL, answered())).problem
        assert parsers.pids == pids

    play(story, seconds=0.3)


def test_a_loop_that_was_held_up_does_not_blame_the_child() -> None:
    async def story(parsers: Parsers) -> list[Parsed]:
        await parsers.parse(URL, answered())
        calls = [asyncio.ensure_future(parsers.parse(URL, numbered(n))) for n in range(10)]
        await asyncio.sleep(0)
        time.sleep(1.0)  # as a policy that thinks for long
        return await asyncio.gather(*calls)

    assert [each.problem for each in play(story, seconds=0.4)] == [""] * 10


# -- children that die


def test_a_killed_child_costs_one_page() -> None:
    async def story(parsers: Parsers) -> list[Parsed]:
        await parsers.parse(URL, answered())
        calls = [asyncio.ensure_future(parsers.parse(URL, numbered(n, 2000))) for n in range(60)]
        await calls[10]
        os.kill(parsers.pids[0], signal.SIGKILL)
        return await asyncio.gather(*calls)

    found = play(story)
    failed = [each.problem for each in found if each.problem]
    assert failed in ([], ["the parser crashed"])  # [] if it died between two pages
    right = [each.page.title == str(n) for n, each in enumerate(found)]
    assert right.count(False) == len(failed)


def test_children_killed_again_and_again_lose_no_call() -> None:
    async def story(parsers: Parsers) -> list[Parsed]:
        async def kill() -> None:
            for _ in range(6):
                await asyncio.sleep(0.15)
                for pid in parsers.pids:
                    os.kill(pid, signal.SIGKILL)

        killing = asyncio.ensure_future(kill())
        found = await asyncio.gather(*(parsers.parse(URL, numbered(n, 500)) for n in range(300)))
        await killing
        return found

    found = play(story, processes=2)
    assert len(found) == 300
    assert sum(bool(each.problem) for each in found) <= 12


def test_ctrl_c_does_not_end_a_child() -> None:
    async def story(parsers: Parsers) -> None:
        await parsers.parse(URL, answered())
        (pid,) = parsers.pids
        assert os.getpgid(pid) != os.getpgid(0)
        os.kill(pid, signal.SIGINT)
        os.kill(pid, signal.SIGTERM)
        assert not (await parsers.parse(URL, answered())).problem
        assert parsers.pids == [pid]

    play(story)


def test_closing_ends_the_children() -> None:
    async def story(parsers: Parsers) -> list[int]:
        await asyncio.gather(*(parsers.parse(URL, numbered(n, 500)) for n in range(20)))
        return parsers.pids

    pids = play(story, processes=2)
    assert len(pids) == 2
    assert all(state(pid) == "Z" for pid in pids)


def test_a_child_ends_when_its_parent_dies() -> None:
    program = (
        "import asyncio, os, sys\n"
        "from wolfspider.records import Exchange\n"
        "from wolfspider.webs.live.parsing import Parsers\n"
        "async def run():\n"
        "    parsers = Parsers()\n"
        "    await parsers.parse('http://a.example/', Exchange('', 200))\n"
        "    print(*parsers.pids, flush=True)\n"
        "    os.kill(os.getpid(), 9)\n"
        "asyncio.run(run())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL
    assert ends(int(done.stdout))


# -- calls that are given up


def test_a_cancelled_call_does_not_disturb_the_others() -> None:
    async def story(parsers: Parsers) -> None:
        await parsers.parse(URL, answered())
        pids = parsers.pids
        calls = [asyncio.ensure_future(parsers.parse(URL, numbered(n, 500))) for n in range(30)]
        await asyncio.sleep(0)
        for number in (0, 2, 20):  # in the child's hands, in its queue, waiting for a place
            calls[number].cancel()
        found = await asyncio.gather(*calls, return_exceptions=True)
        for number, each in enumerate(found):
            if number in (0, 2, 20):
                assert isinstance(each, asyncio.CancelledError)
            else:
                assert isinstance(each, Parsed)
                assert each.page.title == str(number)
        assert parsers.pids == pids

    play(story)


def test_closing_gives_back_what_is_under_way() -> None:
    async def story(parsers: Parsers) -> None:
        calls = [asyncio.ensure_future(parsers.parse(URL, numbered(n))) for n in range(10)]
        await asyncio.sleep(0)
        await parsers.aclose()
        found = [*await asyncio.gather(*calls), await parsers.parse(URL, answered())]
        assert {each.problem for each in found} == {"the parsers were closed"}
        assert parsers.pids == []

    play(story)


def test_closing_does_not_wait_for_a_long_page() -> None:
    async def story(parsers: Parsers) -> None:
        await parsers.parse(URL, answered())
        (pid,) = parsers.pids
        os.kill(pid, signal.SIGSTOP)
        call = asyncio.ensure_future(parsers.parse(URL, answered()))
        await asyncio.sleep(0)
        began = time.monotonic()
        await parsers.aclose()
        assert time.monotonic() - began < 3.0
        assert (await call).problem == "the parsers were closed"
        assert state(pid) == "Z"

    play(story)


# -- children that never come up

GARBAGE = f"#!{sys.executable}\nimport os, sys\nos.write(int(sys.argv[-1]), b'\\xff' * 100)\n"


@pytest.mark.parametrize(
    ("program", "problem"),
    [
        ("", "the parser did not start: No such file or directory"),
        ("#!/bin/sh\nexit 1\n", "the parser did not start"),
        (GARBAGE, "the parser did not start"),
    ],
)
def test_each_call_is_told_when_no_child_starts(
    program: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "python"
    if program:
        path.write_text(program)
        path.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(path))

    async def story(parsers: Parsers) -> list[Parsed]:
        return await asyncio.gather(*(parsers.parse(URL, answered()) for _ in range(6)))

    assert [each.problem for each in play(story)] == [problem] * 6


def test_nothing_is_unpickled() -> None:
    source = Path(parsing.__file__).read_text("utf-8")
    assert not any(name in source for name in ("import pickle", "multiprocessing", "marshal"))
