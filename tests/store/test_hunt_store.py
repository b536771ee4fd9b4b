"""A hunt folder, read back with nothing but SQLite, TOML and readers of WARC."""

from __future__ import annotations

import asyncio
import errno
import io
import json
import os
import sqlite3
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warcs import checked_records
from wolfspider.errors import BadInput, DamagedFile
from wolfspider.forecasting import PACE, SIZES
from wolfspider.records import Exchange, Link, Page, Response, Verdict, Visit
from wolfspider.store import HuntReader, HuntStore
from wolfspider.store import warc as warc_module
from wolfspider.store.asked import toml
from wolfspider.store.hunt_store import StoreFailed
from wolfspider.store.opening import open_hunt
from wolfspider.store.rebuilding import rebuild
from wolfspider.urls import seed_link

ASKED = {"topic": "wolf spiders", "pages": 3, "seeds": ["http://a.test/"], "label": None}


def visit(number: int, *, error: str = "") -> Visit:
    url = f"http://a.test/{number}"
    link = Link(url, number + 1, "a.test", f"page {number}", "http://a.test/", 2, 0, 0.5, 0.25)
    status = 404 if error else 200
    verdict = Verdict(0.75, True)
    return Visit(link, Page(url, f"Nº {number}"), verdict, Response(url, status, error=error))


def fetched(number: int, body: bytes = b"", **more: Any) -> Visit:
    """A visit of the live web: a redirect, then the answer."""
    url, body = f"http://a.test/{number}", body or b"page %d" % number
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    moved = b"HTTP/1.1 301 Moved\r\nLocation: %s\r\n\r\n" % url.encode()
    hop = Exchange(f"{url}/old", 301, moved, (("location", url),), at=1e9)
    answer = Exchange(url, 200, head, (("content-type", "text/html"),), body, "127.0.0.1", at=1e9)
    response = Response(url, 200, digest=answer.digest(), exchanges=(hop, answer), **more)
    return Visit(seed_link(f"{url}/old"), Page(url), Verdict(1.0, True), response)


def rows(folder: Path, table: str = "pages") -> list[dict[str, Any]]:
    with closing(sqlite3.connect(f"file:{folder / 'hunt.db'}?mode=ro", uri=True)) as db:
        db.row_factory = sqlite3.Row
        return [dict(row) for row in db.execute(f"SELECT * FROM {table} ORDER BY 1")]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_hunt_is_read_back_as_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "hunts" / "spiders"
    with HuntStore.create(folder, ASKED) as store:
        for number in range(3):
            store.add(visit(number, error="gone" if number == 2 else ""))
        store.tell({"pages": 3, "stopped": "nothing left to follow", "harvest_rate": 0.5})
    assert names(folder) == ["hunt.db", "hunt.toml", "lock"]
    found = rows(folder)
    assert found[1] | {"at": 0} == {
        "step": 2,
        "url": "http://a.test/1",
        "link": "http://a.test/1",
        "title": "Nº 1",
        "relevance": 0.75,
        "target": 1,
        "status": 200,
        "error": "",
        "detail": "",
        "refused": 0,
        "depth": 2,
        "source": "http://a.test/",
        "source_relevance": 0.5,
        "position": 0,
        "anchor": "page 1",
        "score": 0.25,
        "flags": 0,
        "copy_of": "",
        "at": 0,
        "seconds": 0.0,
        "bytes": 0,
        "capture": None,
    }
    assert [(row["status"], row["error"]) for row in found] == [(200, ""), (200, ""), (404, "gone")]
    facts = {row["name"]: json.loads(row["value"]) for row in rows(folder, "hunt")}
    assert facts == {"pages": 3, "stopped": "nothing left to follow", "harvest_rate": 0.5}
    asked = tomllib.loads((folder / "hunt.toml").read_text())
    assert asked == {name: value for name, value in ASKED.items() if value is not None}


def test_who_reads_visits_knows_which_were_refused(tmp_path: Path) -> None:
    refused = replace(visit(1, error="robots"), response=Response("", error="robots", refused=True))
    with HuntStore.create(tmp_path, ASKED) as store:
        store.add(visit(0, error="gone"))
        store.add(refused)
    with HuntReader(tmp_path) as reader:
        assert [kept.refused for kept in reader.visits()] == [False, True]


def test_answers_and_redirects_become_records_that_every_reader_takes(tmp_path: Path) -> None:
    with HuntStore.create(tmp_path, ASKED) as store:
        for number in range(3):
            store.add(fetched(number))
    urls = [f"http://a.test/{n}{old}" for n in range(3) for old in ("/old", "")]
    expected = [("warcinfo", ""), *(("response", url) for url in urls)]
    assert checked_records(tmp_path / "00001.warc.gz") == expected
    with HuntReader(tmp_path) as reader:
        kept = list(reader.visits(1))
    assert len(kept) == 2
    assert kept[0].exchanges == fetched(1).response.exchanges
    assert kept[0].link.url == "http://a.test/1/old"
    assert kept[0].digest == fetched(1).response.digest


def test_row_47_a_body_that_came_before_is_a_revisit_record(tmp_path: Path) -> None:
    with HuntStore.create(tmp_path, ASKED) as store:
        store.add(fetched(1, b"same"))
        store.add(fetched(2, b"same", copied=True))
        store.flush()
        store.add(fetched(3, b"same", copied=True))
        store.add(fetched(4, b"other"))
    kinds = [kind for kind, _ in checked_records(tmp_path / "00001.warc.gz")]
    assert kinds == ["warcinfo", *["response"] * 2, *["response", "revisit"] * 2, *["response"] * 2]
    assert [row["copy_of"] for row in rows(tmp_path)] == ["", *["http://a.test/1"] * 2, ""]
    with HuntReader(tmp_path) as reader:
        assert [visit.exchanges[-1].body for visit in reader.visits()] == [b"same"] * 3 + [b"other"]


def test_a_file_that_is_large_enough_is_followed_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warc_module.WarcWriter.__init__, "__kwdefaults__", {"largest": 2000})
    with HuntStore.create(tmp_path, ASKED) as store:
        for number in range(10):
            store.add(fetched(number))
    with HuntStore.open(tmp_path) as store:
        store.add(fetched(10))
    files = sorted(tmp_path.glob("*.warc.gz"))
    assert len(files) > 2
    assert sum(len(checked_records(path)) - 1 for path in files) == 22
    with HuntReader(tmp_path) as reader:
        assert [v.exchanges[-1].body for v in reader.visits()] == [
            b"page %d" % n for n in range(11)
        ]


# -- what may happen -----------------------------------------------------------------------


def test_row_2_what_stands_behind_the_last_commit_is_cut_off(tmp_path: Path) -> None:
    with HuntStore.create(tmp_path, ASKED) as store:
        store.add(fetched(1))
    path = tmp_path / "00001.warc.gz"
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:-5])  # written, and killed before the commit
    (tmp_path / "00002.warc.gz").write_bytes(whole)
    with HuntStore.open(tmp_path) as store:
        assert store.steps == 1
        assert path.read_bytes() == whole
        store.add(fetched(2))
    assert len(checked_records(path)) == 5
    assert not (tmp_path / "00002.warc.gz").exists()


def test_files_of_others_are_never_touched(tmp_path: Path) -> None:
    mine = tmp_path / "2024-my-crawl.warc.gz"
    mine.write_bytes(b"mine")
    with pytest.raises(BadInput, match="is not empty; choose another folder"):
        HuntStore.create(tmp_path, ASKED)
    assert names(tmp_path) == [mine.name]
    folder = tmp_path / "hunt"
    HuntStore.create(folder, ASKED).close()
    others = [folder / "2024-my-crawl.warc.gz", folder / "00007.warc.gz", folder / "1.warc.gz"]
    for path in others:
        path.write_bytes(b"mine")
    with HuntStore.open(folder) as store:
        store.add(fetched(1))
    assert [path.read_bytes() for path in others] == [b"mine"] * 3


def test_a_warc_file_that_is_shorter_than_it_was_is_refused(tmp_path: Path) -> None:
    with HuntStore.create(tmp_path, ASKED) as store:
        store.add(fetched(1))
    path = tmp_path / "00001.warc.gz"
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(DamagedFile, match="resume --rebuild"):
        HuntStore.open(tmp_path)
    path.unlink()
    with pytest.raises(DamagedFile, match="has 0 of"):
        HuntStore.open(tmp_path)


def test_a_rebuilt_hunt_knows_its_files_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warc_module.WarcWriter.__init__, "__kwdefaults__", {"largest": 2000})
    with HuntStore.create(tmp_path, ASKED) as store:
        for number in range(10):
            store.add(fetched(number))
    (tmp_path / "00001.warc.gz").unlink()
    before = {path.name: path.read_bytes() for path in tmp_path.glob("*.warc.gz")}
    for _ in rebuild(tmp_path, lambda page: Verdict(1.0, True)):
        pass
    HuntStore.open(tmp_path).close()
    assert {path.name: path.read_bytes() for path in tmp_path.glob("*.warc.gz")} == before
    with HuntReader(tmp_path) as reader:
        assert all(visit.exchanges for visit in reader.visits())
        assert reader.damaged == 0


def test_a_folder_of_one_that_was_killed_before_it_began_is_taken(tmp_path: Path) -> None:
    HuntStore.create(tmp_path, ASKED).close()
    (tmp_path / "hunt.toml").unlink()
    HuntStore.create(tmp_path, ASKED).close()
    assert rows(tmp_path) == []


def failing(number: int) -> Callable[..., None]:
    def fail(*_: Any) -> None:
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize(
    ("number", "words"), [(errno.ENOSPC, "No space left on device"), (errno.EIO, "Input/output")]
)
def test_rows_4_and_5_what_cannot_be_synced_was_never_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    store = HuntStore.create(tmp_path, ASKED)
    store.add(fetched(1))
    store.flush()
    monkeypatch.setattr(os, "fdatasync", failing(number))
    store.add(fetched(2))
    with pytest.raises(StoreFailed, match=words):
        store.close()
    monkeypatch.undo()
    with HuntStore.open(tmp_path) as store:
        assert store.steps == 1
        store.add(fetched(2))
    assert len(checked_records(tmp_path / "00001.warc.gz")) == 5
    assert [row["url"] for row in rows(tmp_path)] == ["http://a.test/1", "http://a.test/2"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_row_4_what_a_full_disk_did_not_take_is_not_tried_again_at_the_end(tmp_path: Path) -> None:
    store = HuntStore.create(tmp_path, ASKED)
    (tmp_path / "00001.warc.gz").symlink_to("/dev/full")
    store.add(fetched(1))
    with pytest.raises(StoreFailed, match="No space left on device; what was written before is"):
        store.close()
    (tmp_path / "00001.warc.gz").unlink()
    with HuntStore.open(tmp_path) as store:  # the lock is free
        assert store.steps == 0
        store.add(fetched(1))
    assert [row["url"] for row in rows(tmp_path)] == ["http://a.test/1"]


def test_row_4_a_disk_too_full_to_begin_is_left_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warc_module, "sync_folder", failing(errno.ENOSPC))  # of the WARC file
    with pytest.raises(BadInput, match="No space left on device; choose another folder"):
        HuntStore.create(tmp_path / "hunts" / "new", ASKED | {"web": "live"})
    assert names(tmp_path) == []
    monkeypatch.undo()
    HuntStore.create(tmp_path / "hunts" / "new", ASKED | {"web": "live"}).close()


def test_a_store_that_failed_says_so_to_those_who_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fdatasync", failing(errno.ENOSPC))
    store = HuntStore.create(tmp_path, ASKED)
    store.add(fetched(1))
    with pytest.raises(StoreFailed, match="then: wolfspider resume"):
        asyncio.run(asyncio.wait_for(store.catch_up(0), 10))
    with pytest.raises(StoreFailed):
        store.add(fetched(2))
    with pytest.raises(StoreFailed):
        store.close()


def test_row_6_a_damaged_database_is_refused_loudly(tmp_path: Path) -> None:
    with HuntStore.create(tmp_path, ASKED) as store:
        for number in range(500):
            store.add(fetched(number))
    path = tmp_path / "hunt.db"
    data = bytearray(path.read_bytes())
    for at in range(4096 * 3, len(data), 4096):
        data[at : at + 64] = os.urandom(64)
    path.write_bytes(data)
    with pytest.raises(DamagedFile, match=r"hunt.db is damaged \(.*resume --rebuild"):
        HuntStore.open(tmp_path)
    path.write_bytes(b"no database at all" * 1000)
    with pytest.raises(DamagedFile, match="is damaged"):
        HuntStore.open(tmp_path)
    path.unlink()
    with pytest.raises(DamagedFile, match="not whole"):
        HuntStore.open(tmp_path)


def test_a_database_that_no_warc_file_stands_beside_cannot_be_made_anew(tmp_path: Path) -> None:
    HuntStore.create(tmp_path, ASKED | {"web": "webs/small"}).close()
    path = tmp_path / "hunt.db"
    path.write_bytes(b"no database at all" * 1000)
    for opening in (HuntStore.open, HuntReader):
        with pytest.raises(DamagedFile, match=r"is damaged \(.*\); bring it back from a copy$"):
            opening(tmp_path)


def test_a_database_that_may_not_be_read_is_not_damaged(tmp_path: Path) -> None:
    HuntStore.create(tmp_path, ASKED).close()
    path = tmp_path / "hunt.db"
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("root may read everything")
    for opening in (HuntStore.open, HuntReader):
        with pytest.raises(BadInput, match=r"hunt.db cannot be opened: permission denied; let"):
            opening(tmp_path)


def test_row_7_a_second_process_is_told_of_the_first(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from wolfspider.store import HuntStore\n"
        "HuntStore.open(Path(sys.argv[1]))"
    )
    with HuntStore.create(tmp_path, ASKED):
        with pytest.raises(BadInput, match=rf"\(process {os.getpid()}\) is writing to"):
            HuntStore.open(tmp_path)
        done = subprocess.run(
            [sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=False
        )
        assert f"another wolfspider (process {os.getpid()}) is writing to" in done.stderr
    HuntStore.open(tmp_path).close()  # the lock has gone with its owner


FIRST_VERSION = """
CREATE TABLE hunt (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE pages (step INTEGER PRIMARY KEY, url TEXT NOT NULL, title TEXT NOT NULL,
    relevance REAL NOT NULL, target INTEGER NOT NULL, status INTEGER NOT NULL,
    error TEXT NOT NULL, depth INTEGER NOT NULL, source TEXT NOT NULL, anchor TEXT NOT NULL,
    score REAL NOT NULL);
INSERT INTO pages VALUES (1, 'http://a.test/', 'A', 0.5, 0, 200, '', 0, '', '', 1.0);
PRAGMA user_version = 1;
"""


def test_row_8_a_hunt_of_an_older_version_is_brought_up_to_date(tmp_path: Path) -> None:
    (tmp_path / "hunt.toml").write_text('topic = "a"\n')
    with closing(sqlite3.connect(tmp_path / "hunt.db")) as db:
        db.executescript(FIRST_VERSION)
    with HuntStore.open(tmp_path) as store:
        assert store.steps == 1
        store.add(fetched(2))
    assert [row["url"] for row in rows(tmp_path)] == ["http://a.test/", "http://a.test/2"]
    assert len(rows(tmp_path, "captures")) == 2


def test_promises_of_a_hunt_come_back_by_fetches(tmp_path: Path) -> None:
    row = np.arange(len(SIZES), dtype=np.float32)
    with HuntStore.create(tmp_path, ASKED) as store:
        store.add(fetched(1), (PACE, row))
        store.add(fetched(2), (3 * PACE, 2 * row))
        store.add(fetched(3), (4 * PACE, row[:2]))  # as if of other numbers of links
    with HuntReader(tmp_path) as reader:
        promised = reader.promised(4 * PACE + 3)
        assert promised.shape == (4, len(SIZES))
        assert np.array_equal(promised[[0, 2]], [row, 2 * row])
        assert np.isnan(promised[[1, 3]]).all()
        assert reader.promised(PACE - 1).shape == (0, len(SIZES))


def test_a_hunt_of_before_promises_is_read_and_goes_on(tmp_path: Path) -> None:
    HuntStore.create(tmp_path, ASKED).close()
    change = "DROP TABLE promises; PRAGMA user_version = 3; VACUUM;"
    with closing(sqlite3.connect(tmp_path / "hunt.db")) as db:
        db.executescript(change)
    for opening in (HuntReader, open_hunt):
        with opening(tmp_path) as reader:
            assert np.isnan(reader.promised(PACE)).all()
    with HuntStore.open(tmp_path) as store:
        store.add(fetched(1), (PACE, np.ones(len(SIZES), np.float32)))
    with HuntReader(tmp_path) as reader:
        assert reader.promised(PACE).tolist() == [[1.0] * len(SIZES)]


def test_row_8_a_hunt_of_a_later_version_is_refused_and_kept(tmp_path: Path) -> None:
    HuntStore.create(tmp_path, ASKED).close()
    with closing(sqlite3.connect(tmp_path / "hunt.db")) as db:
        db.execute("PRAGMA user_version = 99")
    for opening in (HuntStore.open, HuntReader):
        with pytest.raises(BadInput, match=r"later version of wolfspider .format 99"):
            opening(tmp_path)


# -- checkpoints ---------------------------------------------------------------------------

STATE = {
    "policy": {"rows": np.arange(5), "names": ["ä", "\ud800"], "none": None, "deep": {"x": 1.5}},
    "empty": np.empty((0, 3), np.uint8),
}


def test_a_checkpoint_is_read_back_as_it_was(tmp_path: Path) -> None:
    with HuntStore.create(tmp_path, ASKED) as store:
        assert store.last_checkpoint() == (0, None)
        store.add(fetched(1))
        store.checkpoint(STATE)
        store.add(fetched(2))
    with HuntStore.open(tmp_path) as store:
        step, state = store.last_checkpoint()
    assert step == 1
    assert state is not None
    assert state["policy"]["rows"].tolist() == [0, 1, 2, 3, 4]
    assert state["empty"].shape == (0, 3)
    without = {name: value for name, value in state["policy"].items() if name != "rows"}
    assert without == {"names": ["ä", "\ud800"], "none": None, "deep": {"x": 1.5}}


def test_of_an_unreadable_checkpoint_the_one_before_is_taken(tmp_path: Path) -> None:
    with HuntStore.create(tmp_path, ASKED) as store:
        for number in range(5):
            store.add(fetched(number))
            store.checkpoint({"number": number})
            store.flush()
    assert [n for n in names(tmp_path) if "checkpoint" in n] == [
        "checkpoint-4.npz",
        "checkpoint-5.npz",
    ]
    (tmp_path / "checkpoint-5.npz").write_bytes(b"PK\x03\x04 what is this")
    with HuntStore.open(tmp_path) as store:
        assert store.last_checkpoint() == (4, {"number": 3})
        (tmp_path / "checkpoint-4.npz").unlink()
        assert store.last_checkpoint() == (0, None)


def test_row_53_a_checkpoint_with_a_pickle_in_it_is_not_loaded(tmp_path: Path) -> None:
    with HuntStore.create(tmp_path, ASKED) as store:
        store.add(fetched(1))
        store.checkpoint({"a": np.arange(3)})
    path = tmp_path / "checkpoint-1.npz"
    ran = tmp_path / "ran"

    class Evil:
        def __reduce__(self) -> Any:
            return (Path.touch, (ran,))

    hostile = io.BytesIO()
    np.save(hostile, np.array([Evil()], object), allow_pickle=True)
    with zipfile.ZipFile(path, "w") as members:
        members.writestr("values.json", json.dumps({"a": {"\0array": 0}}))
        members.writestr("0.npy", hostile.getvalue())
    with HuntStore.open(tmp_path) as store:
        assert store.last_checkpoint() == (0, None)
    assert not ran.exists()


# -- beginnings ----------------------------------------------------------------------------


def test_what_is_committed_is_seen_while_the_writer_is_at_work(tmp_path: Path) -> None:
    with HuntStore.create(tmp_path / "hunt", ASKED) as store:
        for number in range(1200):
            store.add(visit(number))
        store.flush()
        assert store.behind == 0
        committed = [row["step"] for row in rows(tmp_path / "hunt")]
    assert committed == list(range(1, 1201))


def test_leaving_by_an_exception_commits_what_was_added(tmp_path: Path) -> None:
    def interrupted(store: HuntStore) -> None:
        store.add(visit(0))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), HuntStore.create(tmp_path / "hunt", ASKED) as store:
        interrupted(store)
    assert len(rows(tmp_path / "hunt")) == 1


def test_a_folder_that_holds_a_hunt_is_refused_and_kept(tmp_path: Path) -> None:
    with HuntStore.create(tmp_path, ASKED) as store:
        store.add(visit(0))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(BadInput, match="already holds a hunt; choose another folder"):
        HuntStore.create(tmp_path, ASKED)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_folder_that_cannot_be_made_leaves_nothing_behind(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    for folder in (file, file / "hunt", file / "a" / "b"):
        with pytest.raises(BadInput, match=f"cannot write to {folder}: Not a directory"):
            HuntStore.create(folder, ASKED)
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_text() == "mine"


def test_a_database_that_cannot_be_made_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def connect(path: Path, **_: Any) -> sqlite3.Connection:
        raise sqlite3.OperationalError("disk full")

    monkeypatch.setattr(sqlite3, "connect", connect)
    with pytest.raises(BadInput, match="disk full; choose another folder"):
        HuntStore.create(tmp_path / "a" / "b", ASKED)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    with HuntStore.create(tmp_path, ASKED):
        pass
    assert rows(tmp_path) == []


def test_a_folder_without_a_hunt_is_told_apart(tmp_path: Path) -> None:
    for opening in (HuntStore.open, HuntReader):
        with pytest.raises(BadInput, match="holds no hunt"):
            opening(tmp_path)
    assert names(tmp_path) == []


def test_row_51_a_lock_that_is_a_link_elsewhere_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    folder = tmp_path / "hunt"
    folder.mkdir()
    (folder / "lock").symlink_to(elsewhere)
    with pytest.raises(BadInput, match="cannot write to"):
        HuntStore.create(folder, ASKED)
    assert elsewhere.read_text() == "mine"


TEXT = st.text(max_size=20)
VALUES = st.one_of(TEXT, st.integers(-(2**60), 2**60), st.booleans(), st.lists(TEXT, max_size=3))


@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), VALUES | st.none()))
def test_whatever_was_asked_is_valid_toml(asked: dict[str, Any]) -> None:
    kept = {name: value for name, value in asked.items() if value is not None}
    assert tomllib.loads(toml(asked)) == kept


def test_bytes_that_are_no_text_do_not_stop_a_hunt() -> None:
    assert tomllib.loads(toml({"topic": "caf\udce9"})) == {"topic": "caf?"}
