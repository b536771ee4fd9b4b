"""What a task becomes on a web, and the sentences for tasks that become nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab.tiny import letters, number, task_of, url, web_of
from wolfspider.errors import BadInput
from wolfspider.judges import CosineJudge, KeywordJudge, TargetJudge
from wolfspider.lab.ground import Ground
from wolfspider.lab.run import run
from wolfspider.lab.tasks import Away, Task
from wolfspider.policies import Spec
from wolfspider.urls import fingerprint
from wolfspider.webs.recorded import RecordedWeb

BAD_TASKS: dict[str, dict[str, Any]] = {
    "no page of .* has the label 'nothing'; known: target": {"targets": "nothing"},
    "no page of .* has the label 'no part'": {"within": "no part"},
    "no page of .* has the label 'site:nowhere'": {"train": ("site:nowhere",)},
    "'tiny': no target can be reached from its seeds": {"seeds": (url("c"),)},
    "'tiny': its seed http://a.example/z is not among": {"seeds": (url("z"),)},
    "'tiny': its target http://a.example/z is not in": {"targets": (url("d"), url("z"))},
    "'tiny' has no target": {"targets": ()},
    "'tiny': no page of .* is exactly 4 links before a target; the farthest is 2": {
        "seeds": Away(4)
    },
}


@pytest.mark.parametrize("sentence", BAD_TASKS)
def test_a_task_that_cannot_be_laid_out_is_a_sentence(tiny: RecordedWeb, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        Ground.lay(tiny, task_of(**BAD_TASKS[sentence]))


def test_a_seed_or_target_outside_the_part_is_a_sentence(tmp_path: Path) -> None:
    web = web_of(tmp_path / "web", labels={"target": "dgh", "part": "bceg"})
    with pytest.raises(BadInput, match=r"its seed .*/a is not among the pages it may see"):
        Ground.lay(web, task_of("a", within="part"))
    assert Ground.lay(web, task_of("b", within="part")).wanted.sum() == 1
    with pytest.raises(BadInput, match="no target"):
        Ground.lay(web, task_of("b", within="part", targets=(url("d"),)))


def test_keywords_without_a_word_to_look_for_are_a_sentence(tiny: RecordedWeb) -> None:
    with pytest.raises(BadInput, match=r"'tiny': its keywords \['the', 'of'\] have no word"):
        Ground.lay(tiny, task_of(keywords=("the", "of"))).topic()


def test_seeds_keep_the_order_in_which_they_are_listed(tiny: RecordedWeb) -> None:
    ground = Ground.lay(tiny, task_of("ebea"))
    assert [link.url for link in ground.seeds()] == [url("e"), url("b"), url("a")]
    assert letters(run(ground, Spec.parse("breadth-first")), ground)[:3] == "eba"


def test_drawn_starts_are_exactly_so_far_away(recorded_web: RecordedWeb, topics: list[str]) -> None:
    seen = set()
    for repeat in range(5):
        ground = Ground.lay(recorded_web, Task("t", ("k",), topics[0], Away(2, 3)), repeat)
        targets = np.flatnonzero(ground.targets)
        assert len(set(ground.starts)) == 3
        assert ground.graph.distances_to(targets)[list(ground.starts)].tolist() == [2, 2, 2]
        seen.add(ground.starts)
    assert len(seen) > 1


def test_the_same_repeat_draws_the_same_starts(
    recorded_web: RecordedWeb, topics: list[str]
) -> None:
    task = Task("t", ("k",), topics[0], Away(2, 3))
    assert Ground.lay(recorded_web, task, 1).starts == Ground.lay(recorded_web, task, 1).starts
    other = Task("other", ("k",), topics[0], Away(2, 3))
    assert Ground.lay(recorded_web, task, 1).starts != Ground.lay(recorded_web, other, 1).starts


def test_where_there_are_few_starts_every_repeat_is_the_same_unit(tiny: RecordedWeb) -> None:
    """Only b and e are one link before a target."""
    grounds = [Ground.lay(tiny, task_of(seeds=Away(1, 10)), repeat) for repeat in range(4)]
    assert {ground.starts for ground in grounds} == {grounds[0].starts}
    assert set(grounds[0].starts) == {number(tiny, "b"), number(tiny, "e")}


def test_starts_zero_links_away_are_targets(tiny: RecordedWeb) -> None:
    ground = Ground.lay(tiny, task_of(seeds=Away(0, 10)))
    assert ground.targets[list(ground.starts)].all()


def test_a_drawn_start_within_a_cone_can_reach_its_target(recorded_web: RecordedWeb) -> None:
    label = next(name for name in recorded_web.about["labels"] if ":" not in name)
    ground = Ground.lay(recorded_web, Task("t", ("k",), label, Away(2, 1), cone=2))
    distances = ground.graph.distances_from(np.array(ground.starts))
    assert distances[ground.reachable].max() == 2
    assert ground.wanted.any()


def test_the_judge_is_the_one_that_was_asked_for(tiny: RecordedWeb) -> None:
    kinds = {"targets": TargetJudge, "keywords": KeywordJudge, "cosine": CosineJudge}
    for name, kind in kinds.items():
        task = task_of(judge=name, description="spider hunt")
        assert isinstance(Ground.lay(tiny, task).judge(), kind)


def test_the_judge_of_targets_knows_just_these(tiny: RecordedWeb) -> None:
    judge = Ground.lay(tiny, task_of()).judge()
    assert isinstance(judge, TargetJudge)
    assert judge.fingerprints == {fingerprint(url(page)) for page in "dgh"}


def test_a_seed_may_be_written_another_way(tiny: RecordedWeb) -> None:
    ground = Ground.lay(tiny, task_of(seeds=("HTTP://A.example:80/a#top",)))
    assert [link.url for link in ground.seeds()] == [url("a")]


def test_seeds_that_need_not_be_nearest_are_before_some_target(
    recorded_web: RecordedWeb, topics: list[str]
) -> None:
    task = Task("t", ("k",), topics[0], Away(3, 5, nearest=False))
    ground = Ground.lay(recorded_web, task)
    targets = np.flatnonzero(ground.targets)
    distances = [ground.graph.distances_to(np.array([target])) for target in targets]
    assert len(ground.starts) == 5
    assert all(any(each[start] == 3 for each in distances) for start in ground.starts)
    assert ground.starts == Ground.lay(recorded_web, task).starts
    assert ground.starts != Ground.lay(recorded_web, task, 1).starts
