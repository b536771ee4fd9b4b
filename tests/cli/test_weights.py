"""hunt --weights FILE: what was learned on one hunt is the beginning of the next."""

from __future__ import annotations

import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from command_line import Generated, Outcome, Run, left
from wolfspider.states import load_state, save_state

TOPIC = "astronomy telescope"
PAGES = "120"


class Hunting:
    """Hunts of one web, with or without weights."""

    def __init__(self, run: Run, web: Generated, folder: Path) -> None:
        self._run, self._web, self.folder = run, web, folder
        self.weights = folder / "astronomy.weights"

    def __call__(self, name: str, *more: str | Path, policy: str = "sarsa") -> Outcome:
        where = ("--web", self._web.folder, "--seed", self._web.start, "--topic", TOPIC)
        fixed = ("--policy", policy, "-o", self.folder / name, "--quiet", "--json")
        return self._run("hunt", *where, *fixed, *(more or ("--pages", PAGES)))

    def carrying(self, name: str, *more: str, policy: str = "sarsa") -> Outcome:
        pages = more or ("--pages", PAGES)
        return self(name, *pages, "--weights", self.weights, policy=policy)

    def visited(self, name: str) -> list[str]:
        with closing(sqlite3.connect(self.folder / name / "hunt.db")) as db:
            return [url for (url,) in db.execute("SELECT url FROM pages ORDER BY step")]

    def learned(self) -> dict[str, list[float]]:
        found: dict[str, list[float]] = load_state(self.weights)["carried"]["weights"]
        return found


@pytest.fixture
def hunting(run: Run, generated: Generated, tmp_path: Path) -> Hunting:
    return Hunting(run, generated, tmp_path)


def test_a_hunt_begins_with_what_the_one_before_has_learned(hunting: Hunting) -> None:
    fresh = hunting("fresh")
    first = hunting.carrying("first")
    assert (fresh.code, first.code) == (0, 0), first.err
    assert hunting.visited("first") == hunting.visited("fresh")  # there was nothing to begin with
    after_one = hunting.learned()
    assert any(weight for weights in after_one.values() for weight in weights)
    assert hunting.carrying("second").code == 0
    assert hunting.visited("second") != hunting.visited("fresh")
    assert hunting.visited("second")[0] == hunting.visited("fresh")[0]
    assert hunting.learned() != after_one
    assert hunting.learned().keys() == after_one.keys()


def test_a_hunt_that_learns_nothing_leaves_the_weights_as_they_were(hunting: Hunting) -> None:
    """Only its seed is fetched, and seeds have no features."""
    hunting.carrying("first")
    before = hunting.weights.read_bytes()
    assert hunting.carrying("one page", "--pages", "1").code == 0
    assert hunting.weights.read_bytes() == before


def test_weights_need_no_hunt_folder(hunting: Hunting, run: Run, generated: Generated) -> None:
    done = run(
        *("hunt", "--web", generated.folder, "--seed", generated.start, "--topic", TOPIC),
        *("--policy", "sarsa", "--pages", PAGES, "--weights", hunting.weights, "--quiet"),
    )
    assert done.code == 0, done.err
    assert left(hunting.folder) == ["astronomy.weights"]


def test_updates_of_other_kinds_share_their_weights(hunting: Hunting) -> None:
    hunting.carrying("first", policy="sarsa:update=sync")
    assert hunting.carrying("second", policy="sarsa:update=moderated").code == 0


# -- mistakes ------------------------------------------------------------------------------


def refused(hunting: Hunting, policy: str, *sentence: str) -> None:
    """The hunt says so, exits with 2 and leaves everything as it was."""
    before = left(hunting.folder)
    kept = hunting.weights.read_bytes() if hunting.weights.exists() else None
    done = hunting.carrying("refused", policy=policy)
    assert (done.code, done.out) == (2, ""), done
    assert done.err.startswith("wolfspider: ")
    assert done.err.count("\n") == 1
    for part in sentence:
        assert part in done.err
    assert left(hunting.folder) == before
    assert (hunting.weights.read_bytes() if hunting.weights.exists() else None) == kept


@pytest.mark.parametrize("policy", ["best-first", "breadth-first", "word-vector", "infospiders"])
def test_a_policy_that_carries_nothing_is_a_sentence(hunting: Hunting, policy: str) -> None:
    nothing = f"policy '{policy}' keeps nothing with which another hunt could begin"
    refused(hunting, policy, f"{nothing}; these do: sarsa, wolf, wolf-trained")


def test_weights_of_another_policy_are_a_sentence(hunting: Hunting) -> None:
    hunting.carrying("first")
    kept = load_state(hunting.weights)
    save_state(hunting.weights, kept | {"policy": "other"})
    refused(hunting, "sarsa", "astronomy.weights holds what 'other' learned, and this is 'sarsa'")


def test_weights_of_another_format_are_a_sentence(hunting: Hunting) -> None:
    hunting.carrying("first")
    save_state(hunting.weights, load_state(hunting.weights) | {"format": 99})
    refused(hunting, "sarsa", "does not hold what a hunt of this version learned")


@pytest.mark.parametrize(
    ("policy", "has"),
    [
        ("sarsa:coding=tiles", "this hunt has 22, coded by 'tiles'"),
        ("sarsa:related=3", "this hunt has 26, coded by 'index'"),
        ("sarsa:categories=star", "this hunt has 18, coded by 'index'"),
    ],
)
def test_weights_of_other_features_are_a_sentence(hunting: Hunting, policy: str, has: str) -> None:
    """Each category is four columns: two indexes of the page, two of the link."""
    hunting.carrying("first")
    refused(hunting, policy, "the weights are for 22 features, coded by 'index'", has)


@pytest.mark.parametrize("keep", [0, 60, -40])
def test_a_file_that_was_cut_is_a_sentence(hunting: Hunting, keep: int) -> None:
    hunting.carrying("first")
    hunting.weights.write_bytes(hunting.weights.read_bytes()[:keep])
    refused(
        hunting,
        "sarsa",
        "the weights cannot be used: ",
        "astronomy.weights is no learned.npz of a hunt, or is damaged",
    )


def test_a_file_of_something_else_is_a_sentence(hunting: Hunting) -> None:
    hunting.weights.write_text("Dear Sir or Madam")
    refused(hunting, "sarsa", "the weights cannot be used: ")
    with zipfile.ZipFile(hunting.weights, "w") as archive:
        archive.writestr("letter.txt", "Dear Sir or Madam")
    refused(hunting, "sarsa", "the weights cannot be used: ")


def test_weights_that_are_no_numbers_are_a_sentence(hunting: Hunting) -> None:
    hunting.carrying("first")
    kept = load_state(hunting.weights)
    kept["carried"]["weights"]["page: change"] = [float("nan")]
    save_state(hunting.weights, kept)
    refused(hunting, "sarsa", "the weights are damaged: some are missing or not numbers")


def test_a_folder_that_is_missing_is_a_sentence_before_the_hunt(hunting: Hunting) -> None:
    hunting.weights = hunting.folder / "nowhere" / "astronomy.weights"
    refused(hunting, "sarsa", "there is no folder", "nowhere to keep the weights astronomy.weights")


def test_a_folder_that_cannot_be_written_is_a_sentence_before_the_hunt(
    hunting: Hunting, run: Run
) -> None:
    hunting.carrying("first")
    file = hunting.folder / "first" / "hunt.toml"
    file.write_text(file.read_text().replace(str(hunting.weights), "/proc/x.weights"))
    hunting.weights = Path("/proc/x.weights")
    refused(hunting, "sarsa", "cannot write the weights to /proc/x.weights: ")
    before = hunting.visited("first")
    done = run("resume", hunting.folder / "first", "--pages", "130", "--quiet")
    assert (done.code, done.out) == (2, "")
    assert "cannot write the weights to /proc/x.weights: " in done.err
    assert hunting.visited("first") == before


def test_a_folder_for_a_file_is_a_sentence(hunting: Hunting) -> None:
    hunting.weights.mkdir()
    before = left(hunting.folder)
    done = hunting.carrying("refused")
    assert (done.code, done.out) == (2, "")
    assert "the weights cannot be used: " in done.err
    assert left(hunting.folder) == before


# -- going on ------------------------------------------------------------------------------


def test_a_hunt_goes_on_with_what_it_knew_itself(hunting: Hunting, run: Run) -> None:
    """Not with what is in the file by then; and it writes there what it knows at the end."""
    hunting.carrying("whole")
    at_once = hunting.learned()
    hunting.weights.unlink()
    hunting.carrying("parts", "--pages", "60")
    halfway = hunting.learned()
    assert halfway != at_once
    kept = load_state(hunting.weights)
    nonsense = {name: [1000.0 for _ in each] for name, each in halfway.items()}
    save_state(hunting.weights, kept | {"carried": kept["carried"] | {"weights": nonsense}})
    done = run("resume", hunting.folder / "parts", "--pages", PAGES, "--quiet", "--json")
    assert done.code == 0, done.err
    assert hunting.visited("parts") == hunting.visited("whole")
    assert hunting.learned() == at_once


def test_a_hunt_that_was_killed_before_it_began_takes_the_weights_up(
    hunting: Hunting, run: Run
) -> None:
    """There is no checkpoint then: it starts again, with the file."""
    hunting.carrying("first")
    kept = hunting.weights.read_bytes()
    hunting.carrying("second")
    expected = hunting.visited("second"), hunting.learned()
    hunting.weights.write_bytes(kept)
    hunting.carrying("killed", "--pages", "1")
    for checkpoint in (hunting.folder / "killed").glob("checkpoint-*.npz"):
        checkpoint.unlink()
    with closing(sqlite3.connect(hunting.folder / "killed" / "hunt.db")) as db, db:
        db.execute("DELETE FROM pages")
    hunting.weights.write_bytes(kept)
    done = run("resume", hunting.folder / "killed", "--pages", PAGES, "--quiet", "--json")
    assert done.code == 0, done.err
    assert hunting.visited("killed") == expected[0]
    assert np.array_equal(list(hunting.learned().values()), list(expected[1].values()))
