"""wolfspider train, and hunts with what was learned."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from command_line import Generated, Run
from wolfspider.training.disk import digest_of, load_model

TASKS = """
web = "web"
[[task]]
name = "stars"
keywords = ["astronomy"]
targets = {{ label = "{label}" }}
seeds = ["{start}"]
within = "role:general"
train = {train}
"""


@pytest.fixture(scope="module")
def label(generated: Generated) -> str:
    return "sailing"


@pytest.fixture
def model(run: Run, generated: Generated, label: str, tmp_path: Path) -> Path:
    out = tmp_path / "model"
    done = run("train", "rl-future", "--web", generated.folder, "--label", label, "-o", out, "-q")
    assert done.code == 0, done.err
    return out


def test_a_model_is_made_explained_and_hunted_with(
    run: Run, generated: Generated, label: str, model: Path, tmp_path: Path
) -> None:
    told = run("train", "explain", model, "--json").json
    assert told["policy"] == "rl-future"
    assert told["web"] == "generated"
    assert told["targets_of"] == label
    assert 0 < told["accuracy"] <= 1
    assert len(told["words"]) == 3
    assert all(len(words) == 10 for words in told["words"].values())
    shown = run("train", "explain", model, "--words", "3").out
    assert "Q ≥ 1: leads to a target" in shown
    found = {}
    models: dict[str, list[str | Path]] = {"rl-future": ["--model", model], "breadth-first": []}
    for name, more in models.items():
        done = run(
            *("hunt", "--web", generated.folder, "--topic", "sailing", "--seed", generated.start),
            *("--pages", "100", "--policy", name, "--label", label, "--json", "-q", *more),
        )
        assert done.code == 0, done.err
        found[name] = done.json["labelled"]
    assert found["rl-future"] > found["breadth-first"]


def test_the_wolf_learns_how_far_to_heed_a_topic(
    run: Run, generated: Generated, label: str, tmp_path: Path
) -> None:
    told = {}
    asked: dict[str, list[str]] = {"with": ["--topic", "sailing boat"], "without": []}
    for name, more in asked.items():
        made = run(
            *("train", "wolf-trained", "--web", generated.folder, "--label", label),
            *("-o", tmp_path / name, "-q", "--json"),
            *more,
        )
        assert made.code == 0, made.err
        told[name] = made.json
    assert told["with"]["topic"] == "sailing boat"
    assert "topic" not in told["without"]
    assert told["with"]["digest"] != told["without"]["digest"]
    bad = run(
        *("train", "wolf-trained", "--web", generated.folder, "--label", label),
        *("--topic", "the", "-o", tmp_path / "bad"),
    )
    assert bad.code == 2
    assert "has no words to look for" in bad.err
    assert not (tmp_path / "bad").exists()


def test_a_hunt_goes_on_with_the_model_it_began_with(
    run: Run, generated: Generated, label: str, model: Path, tmp_path: Path
) -> None:
    out = tmp_path / "hunt"
    begun = run(
        *("hunt", "--web", generated.folder, "--topic", "sailing", "--seed", generated.start),
        *("--pages", "30", "--policy", "rl-future", "--model", model, "-o", out, "-q"),
    )
    assert begun.code == 0, begun.err
    assert f'model_digest = "{digest_of(load_model(model))}"' in (out / "hunt.toml").read_text()
    assert run("resume", out, "--pages", "60", "-q").code == 0
    shutil.rmtree(model)
    refused = run("resume", out, "--pages", "90", "-q")
    assert (refused.code, "there is no model in" in refused.err) == (2, True)
    learn = ("train", "rl-future", "--web", generated.folder, "-o", model, "-q", "--label")
    assert run(*learn, label).code == 0  # the same, made anew
    assert run("resume", out, "--pages", "70", "-q").code == 0
    shutil.rmtree(model)
    again = run(*learn, "medicine")
    assert again.code == 0
    refused = run("resume", out, "--pages", "90", "-q")
    assert refused.code == 2
    assert "is not the one that the hunt began with; bring that one back, or" in refused.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--label sailing", "say what to learn from: --web FOLDER --label L"),
        ("--web WEB --label nothing", "has the label 'nothing'; known: "),
        ("--web WEB --label sailing --known nothing", "has the label 'nothing'; known: "),
        ("--web WEB --label sailing --set bins=9", "bins is 9; rl-future has 3, 4 or 5"),
        ("--web WEB --label sailing --set x=9", "has no setting 'x'; it has: bins, text, gamma"),
        ("--web nowhere --label sailing", "there is no web folder nowhere"),
        ("--task tasks.toml", "--task is 'tasks.toml'; write it as FILE.toml:NAME"),
        ("--task nowhere.toml:x", "cannot read the tasks in nowhere.toml"),
    ],
)
def test_mistakes_are_sentences_and_leave_nothing(
    run: Run,
    generated: Generated,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: str,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [str(generated.folder) if word == "WEB" else word for word in arguments.split()]
    refused = run("train", "rl-future", *words, "-o", "model", "-q")
    assert (refused.code, refused.out) == (2, "")
    assert message in refused.err
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_said_before_the_training(
    run: Run, generated: Generated, label: str, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    asked = ("--web", generated.folder, "--label", label)
    refused = run("train", "rl-immediate", *asked, "-o", file / "models" / "rl")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == (
        f"wolfspider: cannot write to {file / 'models'}: Not a directory; choose another folder\n"
    )
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("train", "message"),
    [
        ('["role:hub"]', ""),
        ('["role:general"]', "would learn from 73 pages of what it is tested on, 'role:general'"),
        ("[]", "does not say what may be learned from; add a line such as: train ="),
    ],
)
def test_a_task_says_what_may_be_learned_from(
    run: Run, generated: Generated, tmp_path: Path, train: str, message: str
) -> None:
    tasks = tmp_path / "tasks.toml"
    tasks.write_text(TASKS.format(label="sailing", start=generated.start, train=train))
    done = run(
        *("train", "rl-immediate", "--task", f"{tasks}:stars", "--web", generated.folder),
        *("-o", tmp_path / "model", "-q"),
    )
    assert message in done.err
    assert done.code == (2 if message else done.code)
    other = run("train", "rl-immediate", "--task", f"{tasks}:other", "-o", tmp_path / "m", "-q")
    assert other.code == 2


@pytest.mark.parametrize(
    ("policy", "told"),
    [
        ("wolf", "policy 'wolf' is not trained; did you mean wolf-trained? these are trained: "),
        ("rl-futur", "unknown policy 'rl-futur'; did you mean rl-future? these are trained: "),
        ("breadth-first", "policy 'breadth-first' is not trained; these are trained: "),
    ],
)
def test_what_cannot_be_trained_is_answered_with_what_can(
    run: Run, tmp_path: Path, policy: str, told: str
) -> None:
    refused = run("train", policy, "--web", "w", "--label", "x", "-o", tmp_path / "model")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith(f"wolfspider: {told}")
    names = refused.err.partition("are trained: ")[2].strip().split(", ")
    assert {"rl-future", "wolf-trained"} < set(names)
    assert "wolf" not in names


def test_an_untrained_policy_cannot_hunt(run: Run, generated: Generated) -> None:
    refused = run(
        *("hunt", "--web", generated.folder, "--topic", "sailing", "--seed", generated.start),
        *("--policy", "rl-future", "-q"),
    )
    assert refused.code == 2
    assert "has to be trained first: wolfspider train rl-future … -o FOLDER" in refused.err


@pytest.mark.parametrize(
    ("policy", "subject"),
    [
        ("context-graph", "layer 0"),
        ("svm-distance", "raise the value"),
        ("svm-reward", "lower the value"),
        ("ordering", None),
    ],
)
def test_every_trained_policy_can_be_explained(
    run: Run, generated: Generated, label: str, tmp_path: Path, policy: str, subject: str | None
) -> None:
    out = tmp_path / "model"
    done = run("train", policy, "--web", generated.folder, "--label", label, "-o", out, "-q")
    assert done.code == 0, done.err
    told = run("train", "explain", out, "--json", "--words", "3").json["words"]
    assert all(len(words) == 3 for words in told.values())
    assert subject is None or subject in told
