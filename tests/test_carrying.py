"""What policies carry from hunt to hunt, in files."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from wolfspider.carrying import About, Learned, begin_with, read_learned, take_up, write_learned
from wolfspider.clues.evidence import FEATURES
from wolfspider.clues.priors import PRIOR
from wolfspider.clues.tokens import VERSION
from wolfspider.errors import BadInput
from wolfspider.policies.wolf import Wolf
from wolfspider.records import State
from wolfspider.topics import Topic

ABOUT = About("wolves", "live", 2000, 312, 2100, "2026-01-02T03:04:05Z", ("a.test",), "0.1.0")


def carried(*keywords: str) -> State:
    """Two tokens of links: one was seen three times and paid once, the other once."""
    two = {
        "tokens": np.array([3, 5], np.uint32),
        "seen": np.array([3, 1], np.float32),
        "paid": np.array([1, 1], np.float32),
    }
    return {
        "keywords": list(keywords),
        "features": list(FEATURES),
        "tokens": VERSION,
        "weights": PRIOR + 1.0,
        "rates": two,
        "speech": two,
        "visits": 40,
        "usual": 0.1,
        "paid": 4.0,
    }


def wolf(*keywords: str) -> Wolf:
    return Wolf(topic=Topic(keywords))


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    learned = Learned("wolf", carried("wolves"), ABOUT)
    write_learned(tmp_path / "learned.npz", learned)
    found = read_learned(tmp_path / "learned.npz")
    assert (found.policy, found.about) == ("wolf", ABOUT)
    assert found.digest() == learned.digest()
    assert str(found) == '"wolves", 2,000 pages, 312 relevant'
    other = carried("wolves") | {"visits": 41}
    assert Learned("wolf", other, ABOUT).digest() != learned.digest()


def test_a_file_is_whole_or_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "learned.npz"
    write_learned(path, Learned("wolf", carried("wolves"), ABOUT))
    before = path.read_bytes()

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_learned(path, Learned("wolf", carried("cats"), ABOUT))
    assert [each.name for each in tmp_path.iterdir()] == ["learned.npz"]
    assert path.read_bytes() == before


@pytest.mark.parametrize("policy", ["wolf", "wolf-trained"])
def test_a_wolf_takes_up_what_wolves_learned(policy: str) -> None:
    new = wolf("wolves")
    assert not begin_with(Learned(policy, carried("wolves")), new, "wolf", "x")
    assert new.opinion.learner.weights.tolist() == (PRIOR + 1.0).tolist()
    rates = new.carried()["rates"]
    assert rates["tokens"].tolist() == [3, 5]
    assert rates["seen"].tolist() == [3.0, 1.0]
    assert rates["paid"].tolist() == [1.0, 1.0]


def test_words_of_another_topic_stay_behind() -> None:
    new = wolf("railways")
    assert begin_with(Learned("wolf", carried("wolves")), new, "wolf", "x")
    assert new.opinion.learner.weights.tolist() == (PRIOR + 1.0).tolist()
    assert len(new.carried()["rates"]["tokens"]) == 0


def test_a_hunt_without_words_leaves_none_behind() -> None:
    nothing = {name: np.empty(0, np.float32) for name in ("tokens", "seen", "paid")}
    empty = carried("wolves") | {"rates": nothing, "speech": nothing}
    assert not begin_with(Learned("wolf", empty), wolf("railways"), "wolf", "x")


def test_another_policy_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="x holds what 'sarsa' learned, and this is 'wolf'"):
        begin_with(Learned("sarsa", {}), wolf("wolves"), "wolf", "x")


def test_weights_with_a_word_on_where_they_are_from_are_weights(tmp_path: Path) -> None:
    write_learned(tmp_path / "learned.npz", Learned("wolf", carried("wolves"), ABOUT))
    new = wolf("wolves")
    take_up(tmp_path / "learned.npz", new, "wolf")
    assert new.opinion.learner.weights.tolist() == (PRIOR + 1.0).tolist()
