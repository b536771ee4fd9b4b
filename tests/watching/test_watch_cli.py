"""wolfspider watch, as a person meets it."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from command_line import Outcome, Run, run_here, start
from hostile import Hostile, hostile_thread
from live_news import A, News, lines, rows
from recordings import gzipped, page
from warcs import checked_records

KILLS = int(os.environ.get("WOLFSPIDER_KILLS", "4"))
STORIES = 10 + KILLS
PATIENCE = 60.0  # seconds for what takes a few


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    def run(*arguments: str | Path) -> Outcome:
        return run_here(monkeypatch, *arguments)

    return run


def command(server: Hostile, folder: Path, *more: str) -> list[str | Path]:
    where = ("--connect-to", server.host_and_port(), "--address-delay", "0", "--delay", "0.01")
    return ["watch", "--seed", A, *where, "-o", folder, *more]


def wait_for(process: subprocess.Popen[str], folder: Path, documents: int) -> None:
    end = time.monotonic() + PATIENCE
    while len(lines(folder)) < documents:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)


def changing(folder: Path, run: Run, *dates: str) -> Path:
    """A web with a page that said something else at each of these times."""
    warc, web = folder / "web.warc.gz", folder / "web"
    records = [page(A, f"<title>{n}</title><p>Wolf {n}", date) for n, date in enumerate(dates)]
    # Nothing leads there; it takes words that some pages share to tell what texts are about.
    others = ("moon star", "moon star night", "river lake", "river lake water")
    records += [page(f"{A}{n}", f"<p>{text}", dates[0]) for n, text in enumerate(others)]
    warc.write_bytes(b"".join(gzipped(records)))
    done = run("web", "import", warc, "--all-captures", "-o", web, "--quiet")
    assert done.code == 0, done.err
    return web


def test_documents_are_lines_and_ctrl_c_says_how_to_go_on(tmp_path: Path) -> None:
    news = News(every=4, most=3)
    folder = tmp_path / "w"
    with hostile_thread() as server:
        server.web["news.test/*"] = news.serve
        process = start(*command(server, folder, "--policy", "breadth-first-recrawl"))
        try:
            wait_for(process, folder, 3)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert process.returncode == 130
    assert f"go on with: wolfspider watch --resume {folder}" in err
    assert "new 3" in err
    assert "ended: interrupted" in err
    assert [json.loads(line) for line in out.splitlines()] == lines(folder)
    assert [line["url"] for line in lines(folder)] == [f"{A}story/{n}" for n in (1, 2, 3)]


def test_killed_at_random_moments_nothing_is_lost_and_nothing_comes_twice(tmp_path: Path) -> None:
    """Foragers, whose paths are their own affair, watch a site where a story appears now and then.

    Every story is in documents.jsonl once; standard output may have it again.
    """
    news = News(every=15, most=STORIES)
    folder, moments = tmp_path / "w", random.Random(6)
    printed: list[str] = []
    with hostile_thread() as server:
        server.web["news.test/*"] = news.serve
        arguments = command(server, folder, "--policy", "foragers:steps=3", "--quiet")
        for kill in range(KILLS + 1):
            process = start(*arguments)
            known = len(lines(folder)) if (folder / "watch.db").exists() else 0
            try:
                wait_for(process, folder, STORIES if kill == KILLS else min(known + 1, STORIES))
                time.sleep(moments.uniform(0.0, 0.3))
            finally:
                process.kill()
                out, _ = process.communicate(timeout=PATIENCE)
            printed += [json.loads(line)["url"] for line in out.splitlines()]
            before = [line["url"] for line in lines(folder)]
            # what is behind the last commit is cut off by the next process, and only that
            committed = [url for (url,) in rows(folder, "SELECT url FROM documents ORDER BY id")]
            assert before[: len(committed)] == committed
            arguments = ["watch", "--resume", folder, "--quiet"]
        process = start("watch", "--resume", folder, "--for", "1s", "--json", "--quiet")
        result = json.loads(process.communicate(timeout=PATIENCE)[0])
    assert process.returncode == 0
    stories = {f"{A}story/{number}" for number in range(1, STORIES + 1)}
    found = Counter(line["url"] for line in lines(folder))
    assert set(found) == stories
    assert found.most_common(1)[0][1] == 1
    assert result["new"] == STORIES
    assert set(printed) >= stories
    assert len(printed) - STORIES <= KILLS + 1  # one download at a time is not committed
    records = checked_records(folder / "00001.warc.gz")
    assert len(records) - 1 == rows(folder, "SELECT count(*) FROM captures")[0][0]
    assert not any("/private/" in path for path, _ in news.log)


def test_the_warc_files_of_a_watch_can_be_imported(run: Run, tmp_path: Path) -> None:
    news = News(every=3, most=3)
    folder, web = tmp_path / "w", tmp_path / "web"
    with hostile_thread() as server:
        server.web["news.test/*"] = news.serve
        process = start(*command(server, folder, "--for", "2s", "--quiet", "--json"))
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert json.loads(out)["stopped"] == "the time is over"
    done = run("web", "import", folder, "-o", web, "--all-captures", "--json")
    assert done.code == 0, done.err
    assert done.json["pages"] == 4
    assert done.json["versions"] >= 5  # the front, before and after
    watched = run("watch", "--web", web, "--seed", A, "--cost", "0.01", "--quiet", "--json")
    assert watched.code == 0, watched.err
    assert watched.json["found_urls"] == 4


def test_a_site_that_cannot_be_had_ends_the_watch(tmp_path: Path) -> None:
    with hostile_thread() as server:
        server.web["other.test/"] = b""  # and nothing else
        process = start(*command(server, tmp_path / "w", "--tries", "1"))
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (1, "")
    assert "no page could be had: http://news.test/: status 404" in err


def test_a_recorded_web_is_watched_in_simulated_time(run: Run, tmp_path: Path) -> None:
    """Three versions at hand-made times, a download each quarter of an hour."""
    dates = ("2026-01-01T00:00:00Z", "2026-01-01T01:20:00Z", "2026-01-01T03:00:00Z")
    web = changing(tmp_path, run, *dates)
    policy = ("--policy", "breadth-first-recrawl", "--cost", "900")
    done = run("watch", "--web", web, *policy, "-o", tmp_path / "out", "--json")
    assert done.code == 0, done.err
    assert done.json["downloaded"] == 12
    assert done.json["relevant"] == 3
    assert done.json["delay_hours"] == pytest.approx((15 + 10 + 0) / 60 / 3, abs=1e-5)
    found = lines(tmp_path / "out")
    assert [(d["published"], d["found"], d["kind"]) for d in found] == [
        ("2026-01-01T00:00:00Z", "2026-01-01T00:15:00Z", "new"),
        ("2026-01-01T01:20:00Z", "2026-01-01T01:30:00Z", "changed"),
        ("2026-01-01T03:00:00Z", "2026-01-01T03:00:00Z", "changed"),
    ]
    measures = json.loads((tmp_path / "out" / "measures.json").read_text())
    assert measures["totals"]["relevant"] == 3
    assert measures["curves"]["downloaded"] == [12]
    part = ("--from", "2026-01-01T01:00", "--until", "2026-01-01T02:00")
    shown = run("watch", "--web", web, *policy, *part, "--quiet")
    assert "downloaded           4\n" in shown.out
    assert "exists already" in run("watch", "--web", web, "-o", tmp_path / "out").err


def test_a_recording_with_a_clock_that_ran_backwards_is_put_in_order(
    run: Run, tmp_path: Path
) -> None:
    """Importers sort by date: what was recorded last may be the earlier version."""
    web = changing(tmp_path, run, "2026-01-01T02:00:00Z", "2026-01-01T00:00:00Z")
    policy = ("--policy", "breadth-first-recrawl", "--cost", "1800")
    assert run("watch", "--web", web, *policy, "-o", tmp_path / "out", "-q").code == 0
    assert [line["title"] for line in lines(tmp_path / "out")] == ["1", "0"]


def test_sentences_for_what_cannot_be(run: Run, tmp_path: Path) -> None:
    once = tmp_path / "once"
    once.mkdir()
    still = changing(once, run, "2026-01-01T00:00:00Z")
    web = changing(tmp_path, run, "2026-01-01T00:00:00Z", "2026-01-01T02:00:00Z")
    seed = ("--seed", A, "--connect-to", "127.0.0.1:1", "-o", tmp_path / "w")
    for arguments, message in (
        (["--web", still], "were recorded at one moment: nothing changes there"),
        (["--web", web, "--for", "1h"], "--for is about the live web; give --until"),
        (["--web", web, "--changes"], "--changes is about the live web"),
        (["--web", web, "--delay", "2"], "--delay is about the live web"),
        (["--web", web, "--seed", "http://b.test/"], "http://b.test/ is not in"),
        (["--web", web, "--from", "2020-01-01"], "is outside of what was recorded"),
        (["--web", web, "--until", "2025-01-01"], "must come after the beginning"),
        (["--web", web, "--policy", "best-first"], "unknown policy 'best-first' for a watch"),
        ([*seed, "--for", "6"], "'6' has no unit; write it as 30m, 6h or 2d"),
        ([*seed, "--for", "soon"], "'soon' is no duration"),
        ([*seed, "--for", "0h"], "give more than 0"),
        ([*seed, "--policy", "nonsense"], "known: foragers, breadth-first-recrawl, change-rate"),
        ([*seed, "--policy", "foragers:fleet=x"], "fleet is one of wl, rl, wlrl, not 'x'"),
        ([*seed, "--policy", "foragers", "--fleet", "wl"], "give one of them"),
        ([*seed, "--cost", "2"], "--cost is about a recorded web"),
        (["--seed", A], "say where to keep what is found: -o watches/NAME"),
        (["-o", tmp_path / "w"], "say where to begin"),
        (["--seed", "mailto:x", "-o", tmp_path / "w"], "'mailto:x' is not a web address"),
        (["--seed", "https://example.org/", "-o", tmp_path / "w"], "give --contact"),
        (["--resume", tmp_path], "holds no watch"),
        (["--resume", tmp_path, "--seed", A], "--seed was said when the watch began"),
    ):
        done = run("watch", *arguments)
        assert (done.code, done.out) == (2, ""), arguments
        assert message in done.err, (arguments, done.err)
    assert not (tmp_path / "w").exists()
