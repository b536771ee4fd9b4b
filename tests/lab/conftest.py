"""A tiny web with its ground, tasks on the small generated web, and policies to be wary of."""

from __future__ import annotations

from pathlib import Path

import pytest

from checks import Recording
from lab import rogues
from lab.tiny import task_of, web_of
from wolfspider.lab.ground import Ground
from wolfspider.lab.tasks import Away, Task, TaskFile
from wolfspider.webs.recorded import RecordedWeb


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> RecordedWeb:
    return web_of(tmp_path_factory.mktemp("tiny") / "web")


@pytest.fixture(scope="session")
def ground(tiny: RecordedWeb) -> Ground:
    return Ground.lay(tiny, task_of())


@pytest.fixture
def rogue_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The rogues are installed, here and in processes that are started from here."""
    folder = tmp_path / "site"
    rogues.install(folder)
    monkeypatch.syspath_prepend(str(folder))
    return folder


@pytest.fixture(scope="session")
def topics(recorded_web: RecordedWeb) -> list[str]:
    """Labels of the generated web that make tasks."""
    return [name for name in recorded_web.about["labels"] if ":" not in name]


@pytest.fixture(scope="session")
def small_tasks(recording: Recording, topics: list[str]) -> TaskFile:
    """Two tasks, one with a listed start and one with starts that are drawn."""
    listed = Task("listed", ("eclipse",), topics[0], (recording.start,), 60, description="a page")
    drawn = Task("drawn", ("eclipse",), topics[1], Away(2, 2), 60, description="a page")
    return TaskFile(recording.folder, (listed, drawn))
