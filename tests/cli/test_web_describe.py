"""wolfspider web describe."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from command_line import Generated, Run, left
from recordings import compile_web, page

A, B = "http://a.test/", "http://b.test/"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Two pages that link to each other."""
    records = [page(A, f"<p>Stars. <a href={B}>b</a>"), page(B, f"<p>Moons. <a href={A}>a</a>")]
    return compile_web(tmp_path / "small", records, wanted=[B]).folder


def test_json_has_everything(run: Run, generated: Generated, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    label = next(iter(run("web", "info", generated.folder, "--json").json["labels"]))
    arguments = ("--label", label, "--sources", "50", "-o", path, "--json")
    outcome = run("web", "describe", generated.folder, *arguments)
    assert outcome.code == 0, outcome.err
    found = outcome.json
    assert found["pages"] == 600
    assert found["page"] == str(path)
    assert found["start"] == generated.start
    assert sum(count for _, count in found["in_degrees"]["counts"]) == 600
    assert found["directed"]["mean"]["low"] < found["directed"]["mean"]["value"]
    assert found["targets"]["label"] == label
    assert len(found["targets"]["heights"]) == 4
    assert {"pearson", "spearman", "by_distance"} <= set(found["content"])
    assert path.read_text().startswith("<!doctype html>")


def test_for_people_and_beside_the_folder(run: Run, small: Path, tmp_path: Path) -> None:
    before = left(tmp_path)
    outcome = run("web", "describe", small, "--label", "wanted")
    assert outcome.code == 0
    assert left(tmp_path) == sorted([*before, "small.html"])
    assert "bow-tie\n  core          2 (100 %)\n" in outcome.out
    assert "targets\n  label " in outcome.out
    assert "describing: 8 steps, comparing words, " in outcome.err
    assert "/s," not in outcome.err
    assert outcome.err.endswith(f"page with plots: {small}.html\n")


def test_quiet_says_only_the_result_and_again_overwrites(run: Run, small: Path) -> None:
    first = run("web", "describe", small, "--quiet")
    second = run("web", "describe", f"{small}/", "--quiet")
    assert (first.code, first.err) == (0, "")
    assert first.out == second.out
    assert "targets" not in first.out


def test_a_page_of_somebody_else_is_left_alone(run: Run, small: Path) -> None:
    path = small.with_name("small.html")
    path.write_text("<h1>My notes</h1>")
    others: list[list[str | Path]] = [[], ["-o", path]]
    for arguments in others:
        refused = run("web", "describe", small, *arguments)
        assert (refused.code, refused.out) == (2, "")
        assert f"{path} exists and is no page of this command; name another with -o" in refused.err
    assert path.read_text() == "<h1>My notes</h1>"
    path.unlink()
    for _ in range(2):  # its own is overwritten
        assert run("web", "describe", small, "-q").code == 0


def test_the_folder_one_stands_in_has_a_name(
    run: Run, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(small)
    assert run("web", "describe", ".", "-q").code == 0
    assert small.with_name("small.html").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--label", "other"), "has the label 'other'; known: wanted"),
        (("--start", "http://c.test/"), "the start page http://c.test/ is not in"),
        (("--sources", "0"), "Invalid value for '--sources'"),
        (("--height", "0"), "Invalid value for '--height'"),
    ],
)
def test_bad_input(run: Run, small: Path, arguments: tuple[str, ...], sentence: str) -> None:
    outcome = run("web", "describe", small, *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert sentence in outcome.err
    assert not small.with_name("small.html").exists()


def test_what_is_not_a_web_folder(run: Run, tmp_path: Path) -> None:
    assert "there is no web folder" in run("web", "describe", tmp_path / "none").err
    assert "is not a web folder" in run("web", "describe", tmp_path).err


def test_help_does_not_load_the_packages_for_it() -> None:
    code = (
        "import sys; from wolfspider.cli.web import web; "
        "print([name for name in ('powerlaw', 'matplotlib', 'rustworkx') if name in sys.modules])"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[]\n"
