"""A generated web, a site that is served, and a way to run commands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from command_line import Generated, Outcome, Run, run_here, start
from live_hunts import Served, served


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    def run(*arguments: str | Path) -> Outcome:
        return run_here(monkeypatch, *arguments)

    return run


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    folder = tmp_path_factory.mktemp("webs") / "generated"
    sizes = ("--pages", "600", "--hosts", "20", "--topics", "5")
    process = start("web", "generate", "-o", folder, *sizes, "--keep-warc", "--json", "--quiet")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return Generated(
        folder,
        folder.with_name("generated.warc.gz"),
        folder.with_name("generated.labels.tsv"),
        json.loads(out)["start"],
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("site")) as site:
        yield site
