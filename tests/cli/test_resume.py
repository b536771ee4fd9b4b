"""wolfspider resume, on a live hunt."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from command_line import Generated, Run, left, start
from live_hunts import PAGES, Served, rows
from warcs import checked_records
from wolfspider.asked import Asked
from wolfspider.store import HuntStore


def resumed(folder: Path, *more: str) -> dict[str, Any]:
    process = start("resume", folder, "--quiet", "--json", *more)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


STEPS = "SELECT url FROM pages ORDER BY step"
WHOLE = "SELECT url, title, relevance, status, error, copy_of FROM pages WHERE NOT refused"
LINKS = "SELECT link, url, relevance, error FROM pages ORDER BY link"


def test_a_hunt_in_two_parts_is_a_whole_hunt(site: Served, tmp_path: Path) -> None:
    whole = site.hunt(tmp_path / "whole")
    first = site.hunt(tmp_path / "parts", "--pages", "3")
    assert first["stopped"] == "budget of 3 pages used up"
    done = resumed(tmp_path / "parts", "--pages", "100")
    assert {key: done[key] for key in ("pages", "relevant", "refused", "stopped", "waiting")} == {
        key: whole[key] for key in ("pages", "relevant", "refused", "stopped", "waiting")
    }
    assert rows(tmp_path / "parts", LINKS) == rows(tmp_path / "whole", LINKS)
    parts, at_once = (
        sorted(checked_records(tmp_path / name / "00001.warc.gz")) for name in ("parts", "whole")
    )
    assert parts == at_once


def test_a_hunt_that_names_no_policy_goes_on_as_the_best_first_it_was(
    run: Run, generated: Generated, tmp_path: Path
) -> None:
    asked = ("--web", generated.folder, "--topic", "astronomy", "--seed", generated.start)
    visited = {}
    for policy in ("best-first", "wolf"):
        run("hunt", *asked, "--policy", policy, "--pages", "60", "-o", tmp_path / policy)
        visited[policy] = rows(tmp_path / policy, STEPS)
    assert visited["best-first"] != visited["wolf"]
    old = tmp_path / "old"
    run("hunt", *asked, "--policy", "best-first", "--pages", "20", "-o", old)
    text = (old / "hunt.toml").read_text()
    (old / "hunt.toml").write_text(text.replace('policy = "best-first"\n', ""))
    assert resumed(old, "--pages", "60")["policy"] == "best-first"
    assert rows(old, STEPS) == visited["best-first"]
    assert Asked("wolf", ("http://a.test/",)).policy == "wolf"


def test_a_checkpoint_of_another_version_is_replaced_by_the_visits(
    run: Run, generated: Generated, tmp_path: Path
) -> None:
    asked = ("--web", generated.folder, "--topic", "astronomy", "--seed", generated.start)
    folders = [tmp_path / "whole", tmp_path / "parts"]
    for folder, pages in zip(folders, ("60", "20"), strict=True):
        run("hunt", *asked, "--policy", "wolf", "--pages", pages, "-o", folder)
    with HuntStore.open(folders[1]) as store:
        _, state = store.last_checkpoint()
        assert state is not None
        del state["policy"]["policy"]["evidence"]
        store.checkpoint(state)
    assert resumed(folders[1], "--pages", "60")["pages"] == 60
    assert rows(folders[1], STEPS) == rows(folders[0], STEPS)


def test_a_hunt_that_is_over_is_over_again(site: Served, tmp_path: Path) -> None:
    first = site.hunt(tmp_path / "hunt")
    again = resumed(tmp_path / "hunt")
    for key in ("pages", "relevant", "errors", "refused", "bytes", "stopped"):
        assert again[key] == first[key]


def test_row_6_a_damaged_database_is_made_anew_from_the_warc(site: Served, tmp_path: Path) -> None:
    folder = tmp_path / "hunt"
    whole = site.hunt(folder)
    before = rows(folder, WHOLE)
    database = folder / "hunt.db"
    database.write_bytes(os.urandom(database.stat().st_size))
    refused = start("resume", folder, "--quiet")
    assert "hunt.db is damaged" in refused.communicate(timeout=60)[1]
    assert refused.returncode == 2
    with (folder / "00001.warc.gz").open("ab") as file:
        file.write(b"\x1f\x8b half a record")
    done = resumed(folder, "--rebuild")
    assert (done["pages"], done["relevant"]) == (whole["pages"], whole["relevant"])
    after = rows(folder, WHOLE)
    assert sorted(after) == sorted(before)
    assert len(checked_records(folder / "00001.warc.gz")) == PAGES + 2  # a redirect, and about it
    assert "hunt.db" in left(folder / "damaged-1")


def test_what_a_rebuild_could_not_bring_back_is_told(site: Served, tmp_path: Path) -> None:
    folder = tmp_path / "hunt"
    whole = site.hunt(folder)
    (folder / "hunt.db").unlink()
    (warc,) = folder.glob("*.warc.gz")
    with warc.open("r+b") as file:
        file.seek(warc.stat().st_size // 2)
        file.write(os.urandom(40))
    rebuilding = start("resume", folder, "--rebuild", "--json", "--pages", str(whole["pages"]))
    out, said = rebuilding.communicate(timeout=60)
    assert json.loads(out)["pages"] <= whole["pages"]
    assert "of the WARC files is damaged and lost: the visits there are not among those" in said


def test_row_3_a_rebuild_that_was_stopped_can_be_begun_again(site: Served, tmp_path: Path) -> None:
    folder = tmp_path / "hunt"
    whole = site.hunt(folder)
    (folder / "hunt.db.partial").write_bytes(b"half of it")
    (folder / "hunt.db").unlink()
    assert resumed(folder, "--rebuild")["pages"] == whole["pages"]
    assert not (folder / "hunt.db.partial").exists()


def test_a_rebuild_is_named_where_there_are_warc_files(
    run: Run, site: Served, tmp_path: Path
) -> None:
    folder = tmp_path / "hunt"
    site.hunt(folder)
    (folder / "hunt.db").rename(tmp_path / "hunt.db")
    whole = f"there is no {folder / 'hunt.db'}: this hunt folder is not whole; "
    anew = f"make it anew from the WARC files with: wolfspider resume --rebuild {folder}\n"
    for command in ("resume", "status"):
        assert run(command, folder).err.endswith(f"{whole}bring it back from a copy, or {anew}")
    (folder / "00001.warc.gz").unlink()
    assert run("resume", folder).err.endswith(f"{whole}bring it back from a copy\n")
    (tmp_path / "hunt.db").rename(folder / "hunt.db")
    assert run("resume", folder).err.endswith(" bytes: bring it back from a copy\n")


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("", "hunt.toml lacks topic, seeds, without which no hunt can go on; bring"),
        ('topic = "wolf"\nweb = "live"', "hunt.toml lacks seeds, without which no hunt can go on"),
    ],
)
def test_what_hunt_toml_lacks_is_named(run: Run, tmp_path: Path, lines: str, told: str) -> None:
    (tmp_path / "hunt.toml").write_text(lines)
    done = run("resume", tmp_path)
    assert (done.code, done.out) == (2, "")
    assert told in done.err


def test_bad_input_is_a_sentence(run: Run, site: Served, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("mine")
    site.hunt(tmp_path / "hunt", "--pages", "2")
    shutil.copytree(tmp_path / "hunt", tmp_path / "bare")
    (tmp_path / "bare" / "00001.warc.gz").unlink()
    shutil.copytree(tmp_path / "hunt", tmp_path / "unasked")
    (tmp_path / "unasked" / "hunt.toml").unlink()
    for folder, more, message in (
        ("nowhere", (), "there is no folder"),
        ("empty", (), "holds no hunt"),
        ("file", (), "is not a folder"),
        ("hunt", ("--pages", "0"), "a budget of 0 pages fetches nothing"),
        ("hunt", ("--minutes", "-1"), "a budget of -1 minutes cannot be kept"),
        ("hunt", ("--stop", "foo"), "'foo' is no rule to stop by; "),
        ("hunt", ("--stop", "foo"), '"bytes 2G"; resume takes none, too'),
        ("unasked", (), "hunt.toml is missing, which says what the hunt is for; bring it back"),
        ("bare", ("--rebuild",), "has no WARC files"),
    ):
        done = run("resume", tmp_path / folder, *more)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("wolfspider: ")
        assert message in done.err


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('pages = "many"', "pages in hunt.toml is 'many'; write a whole number"),
        ("pages = true", "pages in hunt.toml is True; write a whole number"),
        ("stop = 3", "stop in hunt.toml is 3; write a list of texts"),
        ("random_seed = 1.5", "random_seed in hunt.toml is 1.5; write a whole number"),
    ],
)
def test_what_was_written_into_hunt_toml_by_hand_is_named(
    run: Run, generated: Generated, tmp_path: Path, line: str, told: str
) -> None:
    asked = ("--web", generated.folder, "--topic", "astronomy", "--seed", generated.start)
    run("hunt", *asked, "--pages", "5", "-o", tmp_path / "hunt")
    file = tmp_path / "hunt" / "hunt.toml"
    name = line.split()[0]
    lines = [each for each in file.read_text().splitlines() if not each.startswith(f"{name} = ")]
    file.write_text("\n".join([*lines, line]))
    outcome = run("resume", tmp_path / "hunt")
    assert (outcome.code, told in outcome.err) == (2, True)
