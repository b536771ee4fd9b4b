"""wolfspider status."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from command_line import Generated, Run, left
from live_hunts import PAGES, A, Served, change, of_format_1


@pytest.fixture(scope="module")
def hunted(site: Served, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hunts") / "wolf"
    site.hunt(folder)
    return folder


def test_a_hunt_that_stopped_in_numbers(run: Run, hunted: Path) -> None:
    found = run("status", hunted, "--json").json
    assert (found["state"], found["process"]) == ("stopped", None)
    assert found["stopped"] == "nothing left to follow"
    assert (found["topic"], found["policy"], found["web"]) == ("wolf", "wolf", "live")
    assert (found["pages"], found["relevant"], found["refused"]) == (PAGES, 3, 0)
    assert found["harvest_rate"] == found["harvest_rate_lately"] == 3 / PAGES
    assert found["waiting"] == 0
    assert found["bytes"] > 0
    assert found["pages_per_second"] > 0
    for name in ("started", "last_visit"):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", found[name])
    assert found["checkpoint"]["step"] == PAGES
    assert 0 <= found["checkpoint"]["age"] < 600
    size = (hunted / "00001.warc.gz").stat().st_size
    assert found["warc"] == [{"name": "00001.warc.gz", "bytes": size}]
    assert found["top_hosts"] == [
        {"host": "a.test", "pages": 7, "relevant": 2},
        {"host": "b.test", "pages": 1, "relevant": 1},
    ]
    assert found["best_hosts"] == found["top_hosts"]
    (error,) = found["errors"]
    assert (error["error"], error["count"], error["url"]) == ("status 404", 1, f"{A}gone")


def test_people_read_sentences_without_control_characters(
    run: Run, site: Served, tmp_path: Path
) -> None:
    folder = tmp_path / "hunt"
    site.hunt(folder)
    change(folder, "UPDATE pages SET detail = ?, error = ? WHERE error != ''", "\x1b[2J", "\x07bad")
    done = run("status", folder)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("state              stopped: nothing left to follow\n")
    assert "pages              8\n" in done.out
    assert "a.test" in done.out
    assert "bad: http://a.test/gone" in done.out
    assert "\x1b" not in done.out
    assert "\x07" not in done.out
    quiet = run("status", folder, "--quiet")
    assert "a.test" not in quiet.out


def test_a_hunt_that_runs_and_then_is_killed(run: Run, site: Served, tmp_path: Path) -> None:
    folder = tmp_path / "hunt"
    with site.hunting(folder) as process:
        found = run("status", folder, "--json").json
        assert (found["state"], found["process"]) == ("running", process.pid)
        assert (found["stopped"], found["waiting"], found["pages"]) == (None, None, PAGES + 1)
        assert run("status", folder).out.startswith(
            f"state              running by process {process.pid}\n"
        )
        assert process.poll() is None
    assert run("status", folder, "--json").json["state"] == "killed"
    shown = run("status", folder).out
    assert (
        f"was killed, lost power or could not write; go on with: wolfspider resume {folder}"
        in shown
    )


def test_a_hunt_that_went_on_and_was_killed_is_not_called_stopped(
    run: Run, site: Served, tmp_path: Path
) -> None:
    folder = tmp_path / "hunt"
    site.hunt(folder, "--pages", "3")
    assert run("status", folder, "--json").json["state"] == "stopped"
    change(
        folder,
        "INSERT INTO pages SELECT step + 100, url, title, relevance, target, status, "
        "error, depth, source, anchor, score, link, detail, refused, position, "
        "source_relevance, flags, copy_of, at, seconds, bytes, capture FROM pages LIMIT 1",
    )
    assert run("status", folder, "--json").json["state"] == "killed"


def test_a_recorded_web_and_a_hunt_of_format_1(
    run: Run, generated: Generated, tmp_path: Path
) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    asked = ("--web", generated.folder, "--seed", generated.start, "--topic", "astronomy")
    run("hunt", *asked, "--pages", "40", "-o", new, "--quiet")
    found = run("status", new, "--json").json
    assert (found["state"], found["pages"], found["warc"]) == ("stopped", 40, [])
    of_format_1(old, generated.folder)
    before = (old / "hunt.db").read_bytes()
    found = run("status", old, "--json").json
    assert (found["stopped"], found["pages"]) == ("nothing left to follow", 2)
    assert (found["started"], found["checkpoint"], found["pages_per_second"]) == (None, None, None)
    assert run("status", old).code == 0
    assert (old / "hunt.db").read_bytes() == before
    of_format_1(tmp_path / "killed", generated.folder, facts=False)
    assert run("status", tmp_path / "killed", "--json").json["state"] == "killed"


def test_a_pause_makes_a_hunt_no_slower(run: Run, generated: Generated, tmp_path: Path) -> None:
    folder = tmp_path / "hunt"
    asked = ("--web", generated.folder, "--seed", generated.start, "--topic", "astronomy")
    run("hunt", *asked, "--pages", "40", "-o", folder, "--quiet")
    change(folder, "UPDATE pages SET at = at - 50")
    run("resume", folder, "--pages", "80", "--quiet")
    assert run("status", folder, "--json").json["pages_per_second"] > 10
    run("resume", folder, "--quiet")  # there was nothing left to do
    assert run("status", folder, "--json").json["pages_per_second"] is None


def test_what_is_no_hunt_is_a_sentence(run: Run, tmp_path: Path) -> None:
    done = run("status", tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"wolfspider: {tmp_path} holds no hunt; give the folder")
    (tmp_path / "hunt.toml").write_text('topic = "wolf"\n')
    (tmp_path / "hunt.db").write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    done = run("status", tmp_path)
    assert done.code == 2
    assert "is damaged" in done.err
    assert left(tmp_path) == ["hunt.db", "hunt.toml"]
