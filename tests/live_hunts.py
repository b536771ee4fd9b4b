"""A small site with something of everything, served on loopback, and hunts on it."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from command_line import start
from recordings import gone, gzipped, http, moved, page, record

A = "http://a.test/"
SLOW = "http://slow.test/"  # leads to a host that wants to rest for two minutes
_GATE = "http://gate.test/"
_WOLF = "<title>\x1b[31mRed</title><p>Wolf wolf wolf. <a href=http://b.test/>More</a>"
_LINKS = "".join(
    f"<a href=/{name}>go on</a> " for name in ("wolf", "old", "copy", "hidden", "gone", "sum")
)
_SUM = "<title>=1+2</title><p>Wolf\u2028and \x00 k\u00e4se"
SITE = [
    page(A, f"<title>Home</title><p>Spiders hunt. {_LINKS}"),
    page(f"{A}wolf", _WOLF),
    page(f"{A}copy", _WOLF),
    moved(f"{A}old", "/cats"),
    page(f"{A}cats", "<title>Cats</title><p>Cats sleep all day."),
    page(f"{A}hidden", "<meta name=robots content=noindex><p>Wolf in the dark."),
    gone(f"{A}gone"),
    record("response", f"{A}sum", http(_SUM.encode(), headers=[("X-Served-By", "test")])),
    page("http://b.test/", "<title>Wolves of b</title><p>A wolf and its pack."),
    page(SLOW, f"<p>Slow. <a href={_GATE}>go on</a>"),
    page(_GATE, "<p>Here at last."),
    record("response", f"{_GATE}robots.txt", http(b"User-agent: *\nCrawl-delay: 120")),
]
PAGES = 8  # asked for, with the one that is gone


@dataclass(frozen=True)
class Served:
    """A server of the site."""

    port: int

    def command(self, folder: Path, *more: str) -> list[str | Path]:
        return [
            *("hunt", "--topic", "wolf", "--seed", A, "-o", folder, "--quiet", "--json"),
            *("--connect-to", f"127.0.0.1:{self.port}", "--address-delay", "0"),
            *("--delay", "0.01", *more),
        ]

    def hunt(self, folder: Path, *more: str) -> dict[str, Any]:
        """A hunt from beginning to end."""
        process = start(*self.command(folder, *more))
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        result: dict[str, Any] = json.loads(out)
        return result

    @contextmanager
    def hunting(self, folder: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
        """A hunt that has one page more than usual, and waits for another."""
        process = start(*self.command(folder, "--seed", SLOW, *more))
        try:
            end = time.monotonic() + 30
            while len(rows(folder, "SELECT 1 FROM pages")) <= PAGES:
                assert process.poll() is None, process.communicate()
                assert time.monotonic() < end
                time.sleep(0.02)
            yield process
        finally:
            process.kill()
            process.communicate(timeout=20)


@contextmanager
def served(folder: Path) -> Iterator[Served]:
    path = folder / "site.warc.gz"
    path.write_bytes(b"".join(gzipped(SITE)))
    process = start("web", "serve", path, "--port", "0", "--json")
    assert process.stdout
    try:
        line = process.stdout.readline()
        assert line, process.communicate(timeout=20)
        yield Served(json.loads(line)["port"])
    finally:
        process.kill()
        process.communicate(timeout=20)


def rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    if not (folder / "hunt.toml").exists():  # not begun yet
        return []
    with closing(sqlite3.connect(folder / "hunt.db", timeout=30)) as db:
        return db.execute(query).fetchall()


def change(folder: Path, query: str, *values: Any) -> None:
    with closing(sqlite3.connect(folder / "hunt.db", timeout=30)) as db, db:
        db.execute(query, values)


def spoil(folder: Path, url: str) -> None:
    """Damage the record of an answer."""
    (place,) = rows(folder, f"SELECT offset, length FROM captures WHERE url = '{url}'")
    path = folder / "00001.warc.gz"
    data = bytearray(path.read_bytes())
    data[place[0] + place[1] // 2] ^= 0xFF
    path.write_bytes(data)


def of_format_1(folder: Path, web: Path, *, facts: bool = True) -> Path:
    """A hunt as the first version left it: two visits and no more columns than it knew."""
    folder.mkdir()
    asked = {"topic": "wolf", "seeds": [A], "web": str(web), "policy": "best-first"}
    text = "".join(f"{name} = {json.dumps(value)}\n" for name, value in asked.items())
    (folder / "hunt.toml").write_text(text)
    columns = (
        "step INTEGER PRIMARY KEY, url TEXT NOT NULL, title TEXT NOT NULL, relevance REAL NOT NULL,"
        "target INTEGER NOT NULL, status INTEGER NOT NULL, error TEXT NOT NULL, depth INTEGER "
        "NOT NULL, source TEXT NOT NULL, anchor TEXT NOT NULL, score REAL NOT NULL"
    )
    with closing(sqlite3.connect(folder / "hunt.db")) as db, db:
        db.execute("CREATE TABLE hunt (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
        db.execute(f"CREATE TABLE pages ({columns})")
        db.execute("PRAGMA user_version = 1")
        visits = [
            (1, A, "Home", 0.1, 0, 200, "", 0, "", "", 1.0),
            (2, f"{A}wolf", "Wolf", 0.9, 1, 200, "", 1, A, "wolf", 0.5),
        ]
        db.executemany(f"INSERT INTO pages VALUES ({', '.join('?' * 11)})", visits)
        if facts:
            told = [("pages", "2"), ("stopped", '"nothing left to follow"')]
            db.executemany("INSERT INTO hunt VALUES (?, ?)", told)
    return folder
