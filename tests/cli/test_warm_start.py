"""hunt --warm-start: a hunt begins with what another one has learned."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import sqlite3
import tomllib
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import Generated, Outcome, Run, left, start
from live_hunts import PAGES, A, Served, rows
from wolfspider import __version__
from wolfspider.asked import Asked
from wolfspider.carrying import FOREIGN
from wolfspider.errors import BadInput
from wolfspider.hunt import Hunt
from wolfspider.states import load_state, save_state
from wolfspider.store import read_asked

TOPIC = "astronomy telescope"
NOT_LEARNED = "is no learned.npz of a hunt, or is damaged; give another file"
FOREIGN_WEB = "this web looks foreign: "


class Hunting:
    """Hunts on a generated web, in one folder; `base` has ended after 150 pages."""

    def __init__(self, run: Run, web: Generated, folder: Path) -> None:
        self.run, self.web, self.folder = run, web, folder
        self.base = folder / "base"

    def __call__(self, name: str, *more: str | Path, **given: str | Path) -> Outcome:
        options: dict[str, str | Path] = {
            "web": self.web.folder,
            "seed": self.web.start,
            "topic": TOPIC,
            "policy": "wolf",
            "pages": "150",
            "out": self.folder / name,
        }
        pairs = [(f"--{key}", value) for key, value in (options | given).items()]
        return self.run("hunt", *(part for pair in pairs for part in pair), *more, "--json")

    def warm(self, name: str, *more: str | Path, **given: str | Path) -> Outcome:
        return self(name, "--warm-start", self.base, *more, **given)

    def visited(self, name: str) -> list[str]:
        with closing(sqlite3.connect(self.folder / name / "hunt.db")) as db:
            return [url for (url,) in db.execute("SELECT url FROM pages ORDER BY step")]

    def asked(self, name: str) -> dict[str, Any]:
        return tomllib.loads((self.folder / name / "hunt.toml").read_text())

    def refused(self, *sentence: str, **given: Any) -> None:
        """The hunt says so in one line, exits with 2 and leaves everything as it was."""
        before = left(self.folder)
        more = given.pop("more", ("--warm-start", self.base))
        done = self("refused", *more, **given)
        assert (done.code, done.out) == (2, ""), done
        assert done.err.startswith("wolfspider: ")
        assert done.err.count("\n") == 1, done.err
        for part in sentence:
            assert part in done.err
        assert left(self.folder) == before


@pytest.fixture
def hunting(run: Run, generated: Generated, tmp_path: Path) -> Hunting:
    hunting = Hunting(run, generated, tmp_path)
    done = hunting("base")
    assert done.code == 0, done.err
    return hunting


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    """A web of other hosts, words and folders, with the same topic."""
    folder = tmp_path_factory.mktemp("webs") / "elsewhere"
    sizes = ("--pages", "400", "--hosts", "8", "--topics", "5", "--random-seed", "77")
    process = start("web", "generate", "-o", folder, *sizes, "--json", "--quiet")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return Generated(folder, folder, folder, json.loads(out)["start"])


# -- what is left behind -------------------------------------------------------------------


def test_a_hunt_leaves_what_it_learned_with_where_it_was_learned(hunting: Hunting) -> None:
    kept = load_state(hunting.base / "learned.npz")
    assert (kept["format"], kept["policy"]) == (1, "wolf")
    with closing(sqlite3.connect(hunting.base / "hunt.db")) as db:
        relevant = db.execute("SELECT count(*) FROM pages WHERE relevance >= 0.5").fetchone()[0]
    about = kept["about"]
    assert (about["topic"], about["web"], about["wolfspider"]) == (TOPIC, "generated", __version__)
    assert (about["pages"], about["relevant"], about["step"]) == (150, relevant, 150)
    assert 0 < relevant < 150
    assert 0 < len(about["hosts"]) <= 5
    assert kept["carried"]["visits"] == 150
    assert str(hunting.folder).encode() not in (hunting.base / "learned.npz").read_bytes()
    assert not [name for name in left(hunting.base) if "partial" in name]


def test_a_policy_that_carries_nothing_leaves_nothing(hunting: Hunting) -> None:
    assert hunting("plain", policy="best-first", pages="20").code == 0
    assert "learned.npz" not in left(hunting.folder / "plain")


def test_a_hunt_that_a_rule_ends_leaves_it_too(hunting: Hunting) -> None:
    done = hunting("ruled", "--stop", "nothing for 5")
    assert done.json["stopped"] == "no relevant page among the last 5 fetches"
    assert load_state(hunting.folder / "ruled" / "learned.npz")["about"]["pages"] < 150


def test_what_goes_on_writes_it_anew(hunting: Hunting) -> None:
    done = hunting.run("resume", hunting.base, "--pages", "200", "--quiet", "--json")
    assert done.code == 0, done.err
    assert load_state(hunting.base / "learned.npz")["about"]["pages"] == 200


# -- what is taken up ----------------------------------------------------------------------


def test_a_hunt_begins_with_what_the_other_has_learned(hunting: Hunting) -> None:
    with closing(sqlite3.connect(hunting.base / "hunt.db")) as db:
        relevant = db.execute("SELECT count(*) FROM pages WHERE relevance >= 0.5").fetchone()[0]
    done = hunting.warm("warm")
    assert done.code == 0, done.err
    learned = f'"{TOPIC}", 150 pages, {relevant} relevant'
    assert done.err.splitlines()[0] == f"begins with what {hunting.base} learned: {learned}"
    assert hunting.visited("warm")[0] == hunting.visited("base")[0]
    assert hunting.visited("warm") != hunting.visited("base")
    assert load_state(hunting.folder / "warm" / "learned.npz")["carried"]["visits"] == 150
    asked = hunting.asked("warm")
    assert asked["warm_start"] == str(hunting.base)
    assert len(asked["warm_start_digest"]) == 16
    status = hunting.run("status", hunting.folder / "warm")
    assert f"began with         what {hunting.base} learned: {learned}\n" in status.out
    found = hunting.run("status", hunting.folder / "warm", "--json").json
    assert found["drift"] == done.json["drift"]
    assert hunting.run("status", hunting.base, "--json").json["began_with"] is None


def test_folder_and_file_are_the_same_and_need_no_place_to_write(hunting: Hunting) -> None:
    hunting.warm("from folder")
    sent = hunting.folder / "sent.npz"
    sent.write_bytes((hunting.base / "learned.npz").read_bytes())
    assert hunting("from file", "--warm-start", sent).code == 0
    assert hunting.visited("from file") == hunting.visited("from folder")
    digests = {hunting.asked(name)["warm_start_digest"] for name in ("from file", "from folder")}
    assert len(digests) == 1
    web = hunting.web
    done = hunting.run(
        *("hunt", "--web", web.folder, "--seed", web.start, "--topic", TOPIC, "--pages", "9"),
        *("--policy", "wolf", "--warm-start", sent, "--quiet"),
    )
    assert (done.code, done.err) == (0, "")


def test_on_another_topic_the_words_stay_behind_and_it_is_said(hunting: Hunting) -> None:
    done = hunting.warm("other", topic="gardening", pages="40")
    assert done.code == 0, done.err
    assert "; that is another topic: only how links are weighed is taken up" in done.err
    assert "drift" not in done.json  # without its words nobody can tell
    done = hunting.warm("same", pages="40")
    assert "another topic" not in done.err


def test_sarsa_takes_up_what_sarsa_learned(hunting: Hunting) -> None:
    hunting("first", policy="sarsa")
    done = hunting("second", "--warm-start", hunting.folder / "first", policy="sarsa")
    assert done.code == 0, done.err
    assert hunting.visited("second") != hunting.visited("first")
    hunting("third", "--weights", hunting.folder / "first" / "learned.npz", policy="sarsa")
    assert hunting.visited("third") == hunting.visited("second")


def test_a_live_hunt_takes_up_what_another_learned(run: Run, site: Served, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    site.hunt(first, "--policy", "wolf")
    about = load_state(first / "learned.npz")["about"]
    assert (about["web"], about["pages"], about["relevant"]) == ("live", PAGES, 3)
    assert about["hosts"] == ["a.test", "b.test"]
    result = site.hunt(second, "--policy", "wolf", "--warm-start", str(first))
    assert (result["pages"], result["relevant"]) == (PAGES, 3)
    assert rows(second, "SELECT url FROM pages WHERE step = 1") == [(A,)]
    found = run("status", second, "--json").json
    assert found["began_with"] == f'what {first} learned: "wolf", 8 pages, 3 relevant'


# -- foreign webs --------------------------------------------------------------------------


def test_a_foreign_web_is_warned_of_while_it_is_hunted_and_at_the_end(
    hunting: Hunting, elsewhere: Generated
) -> None:
    done = hunting.warm("foreign", web=elsewhere.folder, seed=elsewhere.start)
    assert done.code == 0, done.err
    assert done.json["drift"] > FOREIGN
    warnings = [line for line in done.err.splitlines() if line.startswith(FOREIGN_WEB)]
    share = f"{100 * done.json['drift']:.0f} %"
    assert [share in line for line in warnings] == [True]  # with --json nothing is said at the end
    sentences = hunting.run(
        *("hunt", "--web", elsewhere.folder, "--seed", elsewhere.start, "--topic", TOPIC),
        *("--policy", "wolf", "--pages", "150", "--warm-start", hunting.base),
    )
    lines = sentences.err.splitlines()
    assert [line.startswith(FOREIGN_WEB) for line in lines].count(True) == 2
    assert lines[-1].startswith(FOREIGN_WEB)
    assert lines[1].startswith(FOREIGN_WEB)  # before the hunt has ended
    assert hunting.warm("quiet", "--quiet", web=elsewhere.folder, seed=elsewhere.start).err == ""


def test_the_same_web_is_not_warned_of(hunting: Hunting) -> None:
    done = hunting.warm("again")
    assert 0 <= done.json["drift"] < FOREIGN
    assert FOREIGN_WEB not in done.err
    assert "drift" not in hunting("cold").json


def test_drift_outlives_the_process(hunting: Hunting, elsewhere: Generated) -> None:
    first = hunting.warm("foreign", web=elsewhere.folder, seed=elsewhere.start, pages="60")
    done = hunting.run("resume", hunting.folder / "foreign", "--pages", "150", "--json")
    assert done.json["drift"] == first.json["drift"]
    assert FOREIGN_WEB not in done.err  # it was said before


def test_drift_is_the_same_when_visits_are_told_again(
    hunting: Hunting, elsewhere: Generated
) -> None:
    first = hunting.warm("foreign", web=elsewhere.folder, seed=elsewhere.start, pages="60")
    for each in (hunting.folder / "foreign").glob("checkpoint*.npz"):
        each.unlink()
    done = hunting.run("resume", hunting.folder / "foreign", "--pages", "150", "--json")
    assert done.json["drift"] == first.json["drift"]


# -- stopped, killed, resumed --------------------------------------------------------------


def test_a_hunt_that_was_killed_gives_what_its_checkpoint_knew(hunting: Hunting) -> None:
    hunting.warm("expected")
    (hunting.base / "learned.npz").unlink()
    before = left(hunting.base)
    done = hunting.warm("warm")
    assert "150 pages" in done.err.splitlines()[0]
    assert hunting.visited("warm") == hunting.visited("expected")
    digests = {hunting.asked(name)["warm_start_digest"] for name in ("warm", "expected")}
    assert len(digests) == 1
    assert left(hunting.base) == before
    (hunting.base / "learned.npz").write_text("half")  # spoilt is as good as none
    assert hunting.warm("spoilt").code == 0
    assert hunting.visited("spoilt") == hunting.visited("expected")


def test_a_hunt_that_went_on_and_was_killed_gives_the_later_of_both(hunting: Hunting) -> None:
    old = (hunting.base / "learned.npz").read_bytes()
    hunting.run("resume", hunting.base, "--pages", "220", "--quiet")
    (hunting.base / "learned.npz").write_bytes(old)
    assert "220 pages" in hunting.warm("warm", pages="5").err.splitlines()[0]
    with closing(sqlite3.connect(hunting.base / "hunt.db")) as db, db:
        db.execute("DELETE FROM checkpoints WHERE step > 150")
    assert "150 pages" in hunting.warm("older", pages="5").err.splitlines()[0]


def test_ctrl_c_leaves_what_was_learned(site: Served, tmp_path: Path) -> None:
    folder = tmp_path / "hunt"
    with site.hunting(folder, "--policy", "wolf") as process:
        assert "learned.npz" not in left(folder)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        assert process.returncode == 130
    assert load_state(folder / "learned.npz")["about"]["pages"] == PAGES + 1


def test_a_resumed_hunt_goes_on_from_its_checkpoint(hunting: Hunting) -> None:
    hunting.warm("whole")
    hunting.warm("parts", pages="70")
    asked = hunting.asked("parts")
    (hunting.base / "hunt.toml").unlink()  # nobody looks there again
    done = hunting.run("resume", hunting.folder / "parts", "--pages", "150", "--json")
    assert done.code == 0, done.err
    assert "begins with" not in done.err
    assert hunting.visited("parts") == hunting.visited("whole")
    assert hunting.asked("parts") == asked | {"pages": 150}


def killed_at_once(hunting: Hunting) -> Path:
    """A warm hunt that was killed before there was a visit or a checkpoint on disk."""
    hunting.warm("killed", pages="1")
    for checkpoint in (hunting.folder / "killed").glob("checkpoint-*.npz"):
        checkpoint.unlink()
    with closing(sqlite3.connect(hunting.folder / "killed" / "hunt.db")) as db, db:
        db.execute("DELETE FROM pages")
    return hunting.folder / "killed"


async def recalled(folder: Path) -> Hunt:
    async with Hunt.resume(Asked.of(read_asked(folder)), folder) as hunt:
        async for _ in hunt.recall():
            pass
        return hunt


def test_a_hunt_that_has_to_go_on_without_what_it_began_with_knows_why(hunting: Hunting) -> None:
    folder, learned = killed_at_once(hunting), hunting.base / "learned.npz"

    def began_without() -> str:
        return asyncio.run(recalled(folder)).began_without

    assert began_without() == ""
    kept, state = learned.read_bytes(), load_state(learned)
    state["carried"]["visits"] += 1
    save_state(learned, state)
    assert began_without() == "it has changed since"
    learned.write_bytes(kept)
    assert began_without() == ""
    (hunting.base / "hunt.toml").unlink()
    (hunting.base / "hunt.db").unlink()
    assert began_without().startswith(f"{hunting.base} holds no hunt;")
    hunting.base.rename(hunting.folder / "elsewhere")
    assert began_without() == "it is gone"


@pytest.mark.parametrize("there", [True, False])
def test_a_hunt_without_checkpoint_begins_again_as_it_began(hunting: Hunting, there: bool) -> None:
    hunting.warm("whole")
    hunting("cold")
    killed_at_once(hunting)
    if not there:  # then it knows nothing, but goes on
        hunting.run("resume", hunting.base, "--pages", "160", "--quiet")
    done = hunting.run("resume", hunting.folder / "killed", "--pages", "150", "--json")
    assert done.code == 0, done.err
    assert hunting.visited("killed") == hunting.visited("whole" if there else "cold")
    began = f"this hunt began with what {hunting.base} learned, and goes on without it"
    lost = [line for line in done.err.splitlines() if line.startswith(began)]
    assert lost == ([] if there else [f"{began}: it has changed since"])


def test_what_is_lost_is_said_once_and_not_with_quiet(hunting: Hunting) -> None:
    folder = killed_at_once(hunting)
    hunting.base.rename(hunting.folder / "elsewhere")
    kept = shutil.copytree(folder, hunting.folder / "kept")
    first = hunting.run("resume", folder, "--pages", "30")
    assert first.err.count(f"{hunting.base} learned, and goes on without it: it is gone\n") == 1
    again = hunting.run("resume", folder, "--pages", "40")
    assert "goes on without it" not in again.err  # it has a checkpoint now
    assert hunting.run("resume", kept, "--pages", "30", "--quiet").err == ""


# -- mistakes ------------------------------------------------------------------------------


def test_one_thing_to_begin_with_is_enough(hunting: Hunting) -> None:
    both = ("--warm-start", hunting.base, "--weights", hunting.folder / "weights")
    sentence = "are both something to begin with; give one of them"
    hunting.refused(f"--warm-start and --weights {sentence}", more=both)
    with pytest.raises(BadInput, match=f"--warm-start and --model {sentence}"):
        Asked(topic=TOPIC, seeds=(A,), model="models/stars", warm_start="hunts/stars")


def test_what_is_not_there_or_no_hunt_is_a_sentence(hunting: Hunting) -> None:
    missing = hunting.folder / "last-week"
    sentence = f"there is no {missing} to begin with; give a hunt folder, or its learned.npz"
    hunting.refused(sentence, more=("--warm-start", missing))
    missing.mkdir()
    hunting.refused(f"{missing} holds no hunt", more=("--warm-start", missing))


def test_a_hunt_that_could_fetch_nothing_has_learned_nothing(
    hunting: Hunting, site: Served
) -> None:
    lost, there = hunting.folder / "lost", ("--connect-to", f"127.0.0.1:{site.port}")
    done = hunting.run("hunt", "--topic", TOPIC, "--seed", f"{A}gone", *there, "-o", lost)
    assert done.code == 1, done
    assert "checkpoint-1.npz" in left(lost)
    sentence = f"the hunt in {lost} could fetch no page, and so has learned nothing; begin with"
    hunting.refused(sentence, more=("--warm-start", lost))


def test_what_another_policy_learned_is_a_sentence(hunting: Hunting) -> None:
    hunting("sarsa", policy="sarsa", pages="30")
    hunting("plain", policy="best-first", pages="30")
    sentence = f"{hunting.base} holds what 'wolf' learned, and this is 'sarsa'"
    hunting.refused(sentence, policy="sarsa")
    sarsa = hunting.folder / "sarsa"
    sentence = f"{sarsa} holds what 'sarsa' learned, and this is 'wolf'"
    hunting.refused(sentence, more=("--warm-start", sarsa))
    nothing = (
        "that hunt was led by 'best-first', which keeps nothing with which another could begin"
    )
    hunting.refused("policy 'best-first' keeps nothing with which", policy="best-first")
    hunting.refused(nothing, more=("--warm-start", hunting.folder / "plain"))


@pytest.mark.parametrize("keep", [0, 60, -40])
def test_a_file_that_was_cut_is_a_sentence(hunting: Hunting, keep: int) -> None:
    sent = hunting.folder / "sent.npz"
    sent.write_bytes((hunting.base / "learned.npz").read_bytes()[:keep])
    hunting.refused(f"{sent} {NOT_LEARNED}", more=("--warm-start", sent))


def test_a_file_of_something_else_is_a_sentence(hunting: Hunting) -> None:
    sent = hunting.folder / "sent.npz"
    sent.write_text("Dear Sir or Madam")
    hunting.refused(f"{sent} {NOT_LEARNED}", more=("--warm-start", sent))
    np.savez(sent, weights=np.zeros(3))
    hunting.refused(f"{sent} {NOT_LEARNED}", more=("--warm-start", sent))
    with zipfile.ZipFile(sent, "w") as archive:  # an array of a million terabytes
        archive.writestr("values.json", '{"format": 1, "carried": {"\\u0000array": 0}}')
        with archive.open("0.npy", "w") as member:
            shape = {"descr": "<f8", "fortran_order": False, "shape": (1 << 57,)}
            np.lib.format.write_array_header_1_0(member, shape)
    hunting.refused(f"{sent} {NOT_LEARNED}", more=("--warm-start", sent))
    save_state(sent, {"format": 1, "policy": "wolf"})
    hunting.refused("does not hold what a policy learned", more=("--warm-start", sent))


def test_another_version_is_a_sentence(hunting: Hunting) -> None:
    sent, kept = hunting.folder / "sent.npz", load_state(hunting.base / "learned.npz")
    save_state(sent, kept | {"format": 99})
    sentence = "does not hold what a hunt of this version learned"
    hunting.refused(sentence, more=("--warm-start", sent))
    carried = kept["carried"]
    save_state(sent, kept | {"carried": carried | {"features": carried["features"][:-1]}})
    sentence = "it was learned by another version of the wolf, and this one cannot take it up"
    hunting.refused(sentence, more=("--warm-start", sent))


@pytest.mark.parametrize(
    "spoilt",
    [
        {"rates": {"tokens": np.array([1], np.uint32), "seen": np.array([np.nan], np.float32)}},
        {"rates": {"tokens": np.array([1 << 30], np.uint32)}},
        {"weights": np.zeros(3)},
        {"usual": 0.0},
        {"usual": float("nan")},
        {"keywords": 7},
        {"speech": 7},
    ],
)
def test_what_a_wolf_cannot_have_learned_is_a_sentence(
    hunting: Hunting, spoilt: dict[str, Any]
) -> None:
    sent, kept = hunting.folder / "sent.npz", load_state(hunting.base / "learned.npz")
    save_state(sent, kept | {"carried": kept["carried"] | spoilt})
    hunting.refused(f"what is in {sent} is not what 'wolf' learns", more=("--warm-start", sent))


def test_a_hunt_that_was_killed_before_it_learned_is_a_sentence(hunting: Hunting) -> None:
    killed = hunting.folder / "killed"
    hunting("killed", pages="5")
    (killed / "learned.npz").unlink()
    (killed / "checkpoint-5.npz").unlink()
    sentence = f"the hunt in {killed} has written down nothing yet to begin with"
    hunting.refused(sentence, more=("--warm-start", killed))
    (hunting.base / "learned.npz").unlink()
    state = load_state(hunting.base / "checkpoint-150.npz")
    del state["policy"]["policy"]["opinion"]["learner"]
    save_state(hunting.base / "checkpoint-150.npz", state)
    hunting.refused("its checkpoint does not fit this version (KeyError('learner'))")


def test_where_it_was_learned_may_be_nonsense(hunting: Hunting) -> None:
    """It is for people; control characters must not reach their terminal."""
    sent, kept = hunting.folder / "sent.npz", load_state(hunting.base / "learned.npz")
    about = {"topic": "\x1b[2Jstars", "pages": "many", "relevant": -1, "hosts": [1, "a.test"]}
    save_state(sent, kept | {"about": about})
    done = hunting("warm", "--warm-start", sent, pages="5")
    assert done.code == 0, done.err
    assert done.err.splitlines()[0].endswith('learned: " [2Jstars", 0 pages, -1 relevant')
    assert "\x1b" not in hunting.run("status", hunting.folder / "warm").out
    save_state(sent, {name: kept[name] for name in ("format", "policy", "carried")})
    done = hunting("bare", "--warm-start", sent, pages="5")
    assert done.err.splitlines()[0] == f"begins with what {sent} learned: by 'wolf'"
