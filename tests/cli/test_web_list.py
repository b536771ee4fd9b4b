"""The catalogue of webs."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import Run
from recordings import compile_web, page
from wolfspider.webs.recorded import RecordedWeb

A = "http://a.test/"


@pytest.fixture
def webs(tmp_path: Path) -> Path:
    folder = tmp_path / "webs"
    folder.mkdir()
    compile_web(folder / "one", [page(A)], first=[A], second=[A])
    compile_web(folder / "two", [page(A), page("http://b.test/", date="2021-05-06T00:00:00Z")])
    (folder / "nothing").mkdir()
    return folder


def test_webs_are_listed_for_people(run: Run, webs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(webs.parent)
    listed = run("web", "list").out.splitlines()
    assert listed[0].split() == [
        *("name", "pages", "links", "hosts", "labels", "captured", "size", "digest")
    ]
    one, two = (line.split() for line in listed[1:])
    assert one[:6] == ["webs/one", "1", "0", "1", "2", "2020-01-01"]
    assert two[:8] == ["webs/two", "2", "0", "2", "0", "2020-01-01", "to", "2021-05-06"]
    assert one[-1] == RecordedWeb(webs / "one").digest


def test_webs_are_listed_for_programs(run: Run, webs: Path) -> None:
    rows = run("web", "list", webs, "--json").json["webs"]
    assert [row["folder"] for row in rows] == [str(webs / "one"), str(webs / "two")]
    assert rows[1]["dates"] == [1577836800.0, 1620259200.0]
    assert rows[0]["bytes"] > 1000
    assert rows[0]["labels"] == 2
    only = run("web", "list", webs / "two", "--json").json["webs"]
    assert [row["folder"] for row in only] == [str(webs / "two")]


def test_a_damaged_web_does_not_hide_the_others(run: Run, webs: Path) -> None:
    (webs / "one" / "web.json").write_text("{")
    listed = run("web", "list", webs)
    assert listed.code == 0
    assert "webs/two" in listed.out
    assert "left out:" in listed.err
    assert "web.json is damaged" in listed.err


def test_no_webs_and_no_folder(run: Run, tmp_path: Path) -> None:
    assert run("web", "list", tmp_path).err == f"no web folder in {tmp_path}\n"
    assert run("web", "list", tmp_path, "--json").json == {"webs": []}
    refused = run("web", "list", tmp_path / "none")
    assert refused.code == 2
    assert "there is no folder" in refused.err
