"""The crash contract: kill -9 at any moment, resume, and compare what the server was asked for,
what the database holds and what stands in the WARC file.

The number of kills is small here; `make kills` runs the same test with 200 of them, at random
moments and at chosen system calls.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from command_line import COMMAND
from warcs import checked_records
from wolfspider.webs.recorded import RecordedWeb

KILLS = int(os.environ.get("WOLFSPIDER_KILLS", "8"))
AT_ONCE = 8
PATIENCE = 300  # seconds for a whole hunt; it takes a few


@dataclass(frozen=True)
class Served:
    """A generated web that is served on loopback, and the log of what it was asked for."""

    web: RecordedWeb
    start: str
    port: int
    log: Path

    def asked(self, *, hops: bool = True, since: int = 0) -> Counter[str]:
        """How often each address was asked for, robots.txt apart; redirects too, or not.

        Since a line of the log, if it is given.
        """
        rows = [line.split("\t") for line in self.log.read_text().splitlines()[since:]]
        urls = (f"http://{h}{p}" for _, h, p, status in rows if hops or status[:1] != "3")
        return Counter(url for url in urls if not url.endswith("/robots.txt"))

    def command(self, folder: Path) -> list[str]:
        return [
            *(*COMMAND, "hunt", "--topic", "astronomy telescope", "--seed", self.start),
            *("--connect-to", f"127.0.0.1:{self.port}", "--pages", "100000", "--quiet"),
            *("--delay", "0.1", "--address-delay", "0", "--at-once", str(AT_ONCE)),
            *("-o", str(folder)),
        ]


@contextmanager
def served(folder: Path, pages: int) -> Iterator[Served]:
    generate = ["web", "generate", "-o", "web", "--pages", str(pages), "--hosts", "16", "--quiet"]
    generate += ["--keep-warc", "--plain-http", "--random-seed", "7"]
    subprocess.run([*COMMAND, *generate], cwd=folder, check=True, capture_output=True)
    log = folder / "log.tsv"
    serve = ["web", "serve", "web.warc.gz", "--port", "0", "--log", str(log), "--json", "--quiet"]
    server = subprocess.Popen([*COMMAND, *serve], cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        port = json.loads(server.stdout.readline())["port"]
        web = RecordedWeb(folder / "web")
        yield Served(web, web.url(0), port, log)
    finally:
        server.terminate()
        server.communicate(timeout=20)


def resume(folder: Path) -> list[str]:
    return [*COMMAND, "resume", str(folder), "--quiet"]


def ended(command: list[str], seconds: float | None) -> bool:
    """Whether the command ends by itself in this time; otherwise it is killed."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        _, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return False
    if process.returncode == -signal.SIGKILL:
        return False
    assert process.returncode == 0, err.decode()
    return True


def committed(folder: Path) -> set[str]:
    """Addresses whose answers the database knows."""
    if not (folder / "hunt.db").exists():  # killed before it began
        return set()
    with closing(sqlite3.connect(folder / "hunt.db")) as db, suppress(sqlite3.OperationalError):
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return {url for (url,) in db.execute("SELECT url FROM captures")}
    return set()


def check_the_end(folder: Path, site: Served, kills: int) -> None:
    """Nothing lost, nothing twice, and no more asked for again than was in flight."""
    asked, files = site.asked(), sorted(folder.glob("*.warc.gz"))
    records = [record for path in files for record in checked_records(path)]
    urls = [url for kind, url in records if kind != "warcinfo"]
    assert Counter(urls).most_common(1)[0][1] == 1, "a record twice"
    assert set(urls) == committed(folder) == set(asked), "an answer lost"
    with closing(sqlite3.connect(folder / "hunt.db")) as db:
        rows = db.execute("SELECT link, url, error FROM pages").fetchall()
        facts = dict(db.execute("SELECT name, value FROM hunt"))
    assert json.loads(facts["stopped"]) == "nothing left to follow"
    assert Counter(link for link, _, _ in rows).most_common(1)[0][1] == 1, "a visit twice"
    pages = {url for _, url, error in rows if not error}
    every = {site.web.url(page) for page in range(len(site.web))}
    assert pages == {url for url in every if "/private/" not in urlsplit(url).path}
    assert asked.total() - len(asked) <= kills * AT_ONCE


def kill_often(folder: Path, site: Served, moments: random.Random, kills: int) -> int:
    """Hunt, killing and resuming; gives how often it was killed."""
    command, done = site.command(folder), 0
    known: set[str] = set()
    lines = 0  # of the log, at the last kill
    while not ended(command, moments.uniform(0.3, 1.8) if done < kills else PATIENCE):
        done += 1
        assert known <= committed(folder), "a committed answer is gone"
        known = committed(folder)
        in_flight = set(site.asked(hops=False, since=lines)) - known  # hops are parts of a page
        assert len(in_flight) <= AT_ONCE
        lines = len(site.log.read_text().splitlines())
        if (folder / "hunt.toml").exists():
            command = resume(folder)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    return done


def test_rows_1_to_3_killed_at_random_moments(tmp_path: Path) -> None:
    pages = 100 + 40 * KILLS
    with served(tmp_path, pages) as site:
        kills = kill_often(tmp_path / "hunt", site, random.Random(KILLS), KILLS)
        check_the_end(tmp_path / "hunt", site, kills)


CALLS = ["fdatasync", "fsync", "pwrite64", "write", "ftruncate,truncate", "rename", "unlink"]


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
@pytest.mark.parametrize("call", CALLS)
def test_rows_1_to_3_killed_at_system_calls(tmp_path: Path, call: str) -> None:
    choose, rounds = random.Random(call), max(3, KILLS // len(CALLS))
    folder, kills = tmp_path / "hunt", 0
    with served(tmp_path, 120) as site:
        command = site.command(folder)
        for turn in range(rounds):
            at = (2, 1)[turn] if turn < 2 else choose.choice((1, 2, 3, 5, 8, 13, 21, 34))
            inject = f"--inject={call}:signal=SIGKILL:when={at}"
            traced = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", inject]
            kills += not ended([*traced, *command], PATIENCE)
            if (folder / "hunt.toml").exists():
                command = resume(folder)
            else:
                shutil.rmtree(folder, ignore_errors=True)
        assert ended(command, PATIENCE)
        assert kills or call in ("ftruncate,truncate", "unlink")  # not every hunt needs these
        check_the_end(folder, site, kills)
