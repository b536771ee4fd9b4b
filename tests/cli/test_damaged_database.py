"""Every command that reads a hunt.db that is damaged says so, and how to make it anew."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from command_line import Run
from live_hunts import PAGES, A, Served, rows


@pytest.fixture(scope="module")
def whole(site: Served, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hunts") / "whole"
    assert site.hunt(folder)["pages"] == PAGES
    return folder


@pytest.fixture
def damaged(whole: Path, tmp_path: Path) -> Path:
    """A hunt whose database opens, but whose pages are rubbish."""
    folder = shutil.copytree(whole, tmp_path / "damaged")
    ((number,),) = rows(folder, "SELECT rootpage FROM sqlite_schema WHERE name = 'pages'")
    ((size,),) = rows(folder, "PRAGMA page_size")
    with (folder / "hunt.db").open("r+b") as file:
        file.seek((number - 1) * size + 3)
        file.write(os.urandom(size - 3))
    return folder


@pytest.mark.parametrize(
    "command",
    [
        "resume {hunt}",
        "resume {hunt} --pages 110",
        "status {hunt}",
        "report {hunt}",
        "export {hunt} -o {out}",
        "why {hunt} {url}",
        "why {hunt}",
        "feedback {hunt} {url} --relevant",
        "hunt --web {hunt} --topic wolf --seed {url} -o {out}",
        "hunt --warm-start {hunt} --topic wolf --seed {url} -o {out} --connect-to 127.0.0.1:9",
        "web import {hunt} -o {out}",
        "lab tasks {hunt} --all-labels -o {out}",
        "export {hunt} --format warc -o {out}",
    ],
)
def test_every_command_says_how_to_make_it_anew(
    run: Run, damaged: Path, tmp_path: Path, command: str
) -> None:
    out = tmp_path / "out"
    done = run(*command.format(hunt=damaged, url=f"{A}wolf", out=out).split())
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert done.err.startswith(f"wolfspider: {damaged / 'hunt.db'} is damaged (")
    assert done.err.endswith(f"with: wolfspider resume --rebuild {damaged}\n")
    assert not out.exists()
