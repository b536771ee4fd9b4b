"""Every test has a cache of its own; the English table is compiled once for all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from wolfspider.vectors import WordVectors


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder / "wolfspider" / "vectors"


@pytest.fixture(scope="session")
def english(tmp_path_factory: pytest.TempPathFactory) -> WordVectors:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("english")))
        return WordVectors.open()
