"""Parts of a web: every page in one of them, whatever the web is like."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lab.tiny import task_of, web_of
from wolfspider.errors import BadInput
from wolfspider.lab.ground import Ground
from wolfspider.lab.parts import mask_of, part
from wolfspider.lab.tasks import read_tasks
from wolfspider.lab.training import map_of
from wolfspider.urls import fingerprint
from wolfspider.webs.recorded import RecordedWeb

_WORD = 2**64 - 1


def mixed(number: int) -> int:
    """The finalizer of SplitMix64 (Steele, Lea & Flood 2014), in whole numbers."""
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    number = (number ^ number >> 27) * 0x94D049BB133111EB & _WORD
    return number ^ number >> 31


@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_every_page_is_in_one_part(recorded_web: RecordedWeb, parts: int) -> None:
    masks = [mask_of(recorded_web, part(number, parts)) for number in range(1, parts + 1)]
    assert np.sum(masks, axis=0).tolist() == [1] * len(recorded_web)
    assert all(mask.mean() > 0.5 / parts for mask in masks)


def test_the_address_decides(tiny: RecordedWeb) -> None:
    for page in range(len(tiny)):
        number = mixed(fingerprint(tiny.url(page))) % 3 + 1
        assert [bool(mask_of(tiny, part(each, 3))[page]) for each in (1, 2, 3)] == [
            each == number for each in (1, 2, 3)
        ]


def test_a_part_says_nothing_about_the_fingerprint(recorded_web: RecordedWeb) -> None:
    first = np.flatnonzero(mask_of(recorded_web, part(1, 2))).tolist()
    odd = np.mean([fingerprint(recorded_web.url(page)) % 2 for page in first])
    assert abs(odd - 0.5) < 3 * 0.5 / np.sqrt(len(first))


def test_a_label_that_is_called_so_goes_first(tmp_path: Path) -> None:
    web = web_of(tmp_path / "web", labels={"target": "dgh", "part:1/2": "ab"})
    assert np.flatnonzero(mask_of(web, "part:1/2")).tolist() == [0, 1]
    assert mask_of(web, "part:2/2").sum() != len(web) - 2  # this one is a part


@pytest.mark.parametrize(
    "label", ["part:", "part:1", "part:0/2", "part:3/2", "part:1/0", "part:1/2 ", "part:a/b"]
)
def test_a_malformed_part_is_a_sentence(tiny: RecordedWeb, label: str) -> None:
    with pytest.raises(BadInput, match="write the second of three parts as part:2/3"):
        mask_of(tiny, label)
    with pytest.raises(BadInput, match="cannot read the part"):
        Ground.lay(tiny, task_of(within=label))
    with pytest.raises(BadInput, match="cannot read the part"):
        Ground.lay(tiny, task_of(train=(label,)))


def test_nothing_of_the_tested_part_is_on_the_map(
    recorded_web: RecordedWeb, topics: list[str]
) -> None:
    task = replace(task_of(), targets=topics[0], within="part:1/3", train=("part:2/3", "part:3/3"))
    known, tested = map_of(recorded_web, task), mask_of(recorded_web, "part:1/3")
    assert known.within.tolist() == (~tested).tolist()
    hidden = {recorded_web.url(page) for page in np.flatnonzero(tested).tolist()}
    seen = {url for each in known for url in (each.page.url, *each.page.links.urls())}
    assert seen
    assert hidden.isdisjoint(seen)
    with pytest.raises(BadInput, match="pages of what it is tested on, 'part:1/3'"):
        map_of(recorded_web, replace(task, train=("part:1/2",)))


def test_a_crawl_of_a_part_sees_only_that(recorded_web: RecordedWeb, topics: list[str]) -> None:
    tested = mask_of(recorded_web, "part:1/2")
    start = recorded_web.url(int(np.flatnonzero(tested)[0]))
    targets = tuple(recorded_web.url(page) for page in np.flatnonzero(tested).tolist())
    task = replace(task_of(), targets=targets, seeds=(start,), within="part:1/2")
    ground = Ground.lay(recorded_web, task)
    assert ground.reachable.any()
    assert not (ground.reachable & ~tested).any()


def test_a_task_file_may_name_parts(tiny: RecordedWeb, tmp_path: Path) -> None:
    file = tmp_path / "tasks.toml"
    file.write_text(
        '[[task]]\nname = "a"\nkeywords = ["b"]\ntargets = { label = "target" }\n'
        'seeds = ["http://a.example/a"]\nwithin = "part:1/2"\ntrain = ["part:2/2"]\n'
    )
    (task,) = read_tasks(file, tiny.folder).tasks
    assert (task.within, task.train) == ("part:1/2", ("part:2/2",))
