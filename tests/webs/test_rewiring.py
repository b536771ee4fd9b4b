"""Rewired: the same pages and degrees, other neighbours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wolfspider.errors import BadInput
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.recorded import RecordedWeb
from wolfspider.webs.rewiring import rewire, rewired
from wolfspider.webs.synthetic import Synthetic, capture_of


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> RecordedWeb:
    folder = tmp_path_factory.mktemp("web") / "web"
    with Compiler(folder, ["made"]) as compiler:
        for record in Synthetic(pages=200, hosts=8, topics=3, words=60, seed=2).records():
            compiler.add(capture_of(record))
        compiler.finish()
    return RecordedWeb(folder)


def edges(web: RecordedWeb) -> tuple[list[int], list[int]]:
    starts, targets = web.graph
    return np.repeat(np.arange(len(web)), np.diff(starts)).tolist(), targets.tolist()


def made(web: RecordedWeb, folder: Path, seed: int = 0) -> RecordedWeb:
    for _ in rewire(web, folder, seed):
        pass
    return RecordedWeb(folder)


def test_degrees_stay_and_neighbours_do_not(web: RecordedWeb, tmp_path: Path) -> None:
    other = made(web, tmp_path / "rewired")
    before, after = edges(web), edges(other)
    for side in (0, 1):
        assert sorted(before[side]) == sorted(after[side])
    pairs = set(zip(*before, strict=True)), set(zip(*after, strict=True))
    assert len(pairs[1]) == len(after[0])  # no link twice
    assert all(source != target for source, target in pairs[1])
    assert len(pairs[0] & pairs[1]) < len(pairs[0]) / 2


def test_links_take_their_words_along(web: RecordedWeb, tmp_path: Path) -> None:
    other = made(web, tmp_path / "rewired")

    def told(web: RecordedWeb) -> list[tuple[str, str, tuple[int, ...]]]:
        pages = [web.page(number).links for number in range(len(web))]
        return sorted(
            (url, anchor, tuple(links.bag("context")[row].tolist()))
            for links in pages
            for row, (url, anchor) in enumerate(zip(links.urls(), links.anchors(), strict=True))
        )

    assert told(web) == told(other)
    starts, targets = other.graph
    for number in range(len(other)):
        urls = other.page(number).links.urls()
        assert urls == [other.url(page) for page in targets[starts[number] : starts[number + 1]]]


def test_pages_and_labels_stay(web: RecordedWeb, tmp_path: Path) -> None:
    other = made(web, tmp_path / "rewired")
    assert other.about["labels"] == web.about["labels"]
    assert web.about["labels"]
    for label in web.about["labels"]:
        assert other.label(label).tolist() == web.label(label).tolist()
    assert [other.page(n).text for n in range(9)] == [web.page(n).text for n in range(9)]
    assert other.about["sources"] == [f"web ({web.digest}), rewired with seed 0"]


def test_the_same_seed_gives_the_same_web(web: RecordedWeb, tmp_path: Path) -> None:
    digests = [made(web, tmp_path / f"{n}", seed).digest for n, seed in enumerate((1, 1, 2))]
    assert digests[0] == digests[1] != digests[2]
    assert web.digest not in digests


def test_a_web_in_which_all_link_to_all_cannot_be_rewired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wolfspider.webs.rewiring._ROUNDS", 3)
    sources = np.repeat(np.arange(6), 5)
    targets = np.array([t for s in range(6) for t in range(6) if s != t])
    with pytest.raises(BadInput, match="link to nearly all others, so it cannot be rewired"):
        rewired(sources, targets, 6, 0)


@given(st.data())
def test_any_sparse_graph_keeps_its_degrees(data: st.DataObject) -> None:
    pairs = data.draw(st.sets(st.tuples(st.integers(0, 39), st.integers(0, 39)), max_size=60))
    sources, targets = np.array(
        sorted((a, b) for a, b in pairs if a != b) or np.empty((0, 2)), np.int64
    ).T
    try:
        origins, ends = rewired(sources, targets, 40, data.draw(st.integers(0, 99)))
    except BadInput:
        assert np.bincount(targets).max() > 10 or np.bincount(sources).max() > 10 or len(pairs) < 4
        return
    assert sorted(origins.tolist()) == sources.tolist()
    assert sorted(ends.tolist()) == list(range(len(targets)))
    assert len(set(zip(origins.tolist(), targets[ends].tolist(), strict=True))) == len(sources)
    assert (origins != targets[ends]).all()


def test_nothing_is_left_of_a_failure(web: RecordedWeb, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(BadInput, match="exists already"):
        made(web, tmp_path / "there")
    steps = rewire(web, tmp_path / "half", 0)
    next(steps)
    steps.close()  # type: ignore[attr-defined]
    assert [path.name for path in tmp_path.iterdir()] == ["there"]
