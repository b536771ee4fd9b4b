"""Policies by name: good specs make policies, bad ones make sentences."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from wolfspider.errors import BadInput
from wolfspider.policies import Spec, describe, known, make
from wolfspider.policies.best_n_first import BestNFirst
from wolfspider.policies.random_walk import RandomWalk
from wolfspider.policies.shark_search import SharkSearch
from wolfspider.topics import Topic

TOPIC = Topic.of("solar eclipse")

STRANGER = '''
"""A policy of somebody else."""

from typing import Literal

from wolfspider.policies.breadth_first import BreadthFirst
from wolfspider.topics import Topic


class Stranger(BreadthFirst):
    """Goes its own way."""

    def __init__(
        self,
        topic: Topic,
        way: Literal["left", "right"] = "left",
        shy: bool = False,
        pace: float | None = None,
        name="nobody",
    ) -> None:
        super().__init__()
        self.settings = (topic, way, shy, pace, name)
        if pace == 0:
            raise ValueError("pace is more than 0")
'''


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package that brings a policy."""
    (tmp_path / "a_stranger.py").write_text(STRANGER)
    about = tmp_path / "a_stranger-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: a-stranger\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[wolfspider.policies]\na-stranger = a_stranger:Stranger\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "a_stranger", raising=False)


def test_a_spec_is_read_and_written() -> None:
    spec = Spec.parse(" best-n-first:n=64:buffer=100 ", ["extra=a=b"])
    assert spec.name == "best-n-first"
    assert spec.settings == (("n", "64"), ("buffer", "100"), ("extra", "a=b"))
    assert str(spec) == "best-n-first:n=64:buffer=100:extra=a=b"
    assert Spec.parse(str(spec)) == spec


@pytest.mark.parametrize("text", ["x:n", "x:n=", "x:=5", "x:", "x:n=1:"])
def test_a_setting_that_cannot_be_read_is_named(text: str) -> None:
    with pytest.raises(BadInput, match=r"cannot read the setting .* of policy 'x'; write it as"):
        Spec.parse(text)


def test_settings_reach_the_policy() -> None:
    policy = make("best-n-first:n=64:buffer=100", topic=TOPIC, seed=7)
    assert isinstance(policy, BestNFirst)
    assert (policy.n, policy.frontier.bound, policy.topic) == (64, 100, TOPIC)
    policy = make(Spec("shark-search", (("r", "0.5"),)), topic=TOPIC)
    assert isinstance(policy, SharkSearch)
    assert policy.r == 0.5
    policy = make("random-walk:jump=1", topic=TOPIC)
    assert isinstance(policy, RandomWalk)
    assert policy.jump == 1.0


def test_an_unknown_policy_is_answered_with_those_known() -> None:
    with pytest.raises(BadInput, match=r"unknown policy 'bfs'; known: .*breadth-first, "):
        make("bfs", topic=TOPIC)
    with pytest.raises(BadInput, match=r"unknown policy 'wulf'; did you mean wolf\? known: "):
        make("wulf", topic=TOPIC)


def test_an_unknown_setting_is_answered_with_those_known() -> None:
    with pytest.raises(BadInput, match="'best-n-first' has no setting 'size'; it has: n, buffer"):
        make("best-n-first:size=3", topic=TOPIC)


@pytest.mark.parametrize("name", ["topic", "seed"])
def test_what_is_given_cannot_be_set(name: str) -> None:
    with pytest.raises(BadInput, match=f"has no setting '{name}'"):
        make(f"best-n-first:{name}=3", topic=TOPIC)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("best-n-first:n=many", "policy 'best-n-first': n is a whole number, not 'many'"),
        ("best-n-first:n=1.5", "policy 'best-n-first': n is a whole number, not '1.5'"),
        ("best-n-first:buffer=none", "buffer is a whole number, not 'none'"),
        ("shark-search:r=high", "policy 'shark-search': r is a number, not 'high'"),
        ("best-first:on=page", "on is one of source, link, both, not 'page'"),
        ("best-n-first:n=0", "policy 'best-n-first': n is the number of links in a batch"),
        ("random-walk:jump=nan", "policy 'random-walk': jump is a probability, not nan"),
        ("breadth-first:buffer=0", "policy 'breadth-first': a frontier of at most 0 links"),
    ],
)
def test_a_wrong_value_is_named(spec: str, sentence: str) -> None:
    with pytest.raises(BadInput) as raised:
        make(spec, topic=TOPIC)
    assert sentence in str(raised.value)


def test_every_policy_describes_itself() -> None:
    described = describe()
    assert [each["name"] for each in described] == sorted(known())
    for each in described:
        assert each["about"].endswith("."), f"{each['name']} has no first sentence"
        assert not {"topic", "seed", "self"} & set(each["settings"])


@pytest.mark.usefixtures("stranger")
def test_a_policy_of_another_package_is_found() -> None:
    assert "a-stranger" in known()
    [about] = [each for each in describe() if each["name"] == "a-stranger"]
    assert about["about"] == "Goes its own way."
    assert about["settings"] == {"way": "left", "shy": False, "pace": None, "name": "nobody"}


@pytest.mark.usefixtures("stranger")
def test_a_policy_of_another_package_is_made_with_its_own_settings() -> None:
    policy = make("a-stranger:way=right:shy=on:pace=2:name=me", topic=TOPIC, seed=3)
    assert getattr(policy, "settings") == (TOPIC, "right", True, 2.0, "me")  # noqa: B009
    policy = make("a-stranger:shy=off", topic=TOPIC)
    assert getattr(policy, "settings") == (TOPIC, "left", False, None, "nobody")  # noqa: B009
    with pytest.raises(BadInput, match="way is one of left, right, not 'up'"):
        make("a-stranger:way=up", topic=TOPIC)
    with pytest.raises(BadInput, match="shy is on or off, not 'maybe'"):
        make("a-stranger:shy=maybe", topic=TOPIC)
    with pytest.raises(BadInput, match="policy 'a-stranger': pace is more than 0"):
        make("a-stranger:pace=0", topic=TOPIC)


def test_a_policy_that_is_not_installed_is_not_known() -> None:
    assert "a-stranger" not in known()
