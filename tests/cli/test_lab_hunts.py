"""A hunt is a recording: the lab takes its folder for a web."""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from pathlib import Path
from threading import Thread

import pytest

from command_line import Generated, Run, left, start
from live_hunts import A, Served, change, spoil
from wolfspider.errors import BadInput
from wolfspider.store.as_web import HuntRecording, as_web
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.recorded import RecordedWeb


@pytest.fixture(scope="module")
def original(site: Served, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hunts") / "wolf"
    site.hunt(folder)
    return folder


@pytest.fixture
def hunted(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "hunts" / "wolf"))


def labelled(web: RecordedWeb, label: str) -> set[str]:
    return {web.url(page) for page in web.label(label)}


def test_the_web_of_a_hunt_has_its_pages_and_verdicts(hunted: Path) -> None:
    folder = as_web(hunted)
    assert folder == hunted / "web"
    web = RecordedWeb(folder)
    assert len(web) == 6  # of a body that came twice there is one page
    assert web.number(f"{A}old") == web.number(f"{A}cats") >= 0
    assert web.number(f"{A}copy") == web.number(f"{A}wolf") >= 0
    assert web.number(f"{A}gone") == -1
    relevant = {f"{A}wolf", f"{A}sum", "http://b.test/"}
    assert labelled(web, "relevant") == relevant
    assert "target" not in web.about["labels"]  # the same pages
    assert web.about["sources"] == ["8 visits of the hunt wolf"]


def test_it_is_made_once_and_again_when_the_hunt_has_gone_on(site: Served, tmp_path: Path) -> None:
    hunt = tmp_path / "hunt"
    site.hunt(hunt, "--pages", "3")
    web = as_web(hunt)
    made = os.stat(web).st_ino
    assert len(RecordedWeb(web)) == 3
    assert os.stat(as_web(hunt)).st_ino == made
    process = start("resume", hunt, "--pages", "5", "--quiet")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert os.stat(as_web(hunt)).st_ino != made
    assert RecordedWeb(web).about["sources"] == ["5 visits of the hunt hunt"]
    assert not [name for name in left(hunt) if "new" in name or "old" in name]


def test_it_is_made_again_when_a_person_has_corrected_the_judge(run: Run, hunted: Path) -> None:
    assert f"{A}sum" in labelled(RecordedWeb(as_web(hunted)), "relevant")
    assert run("feedback", hunted, f"{A}sum", "--irrelevant").code == 0
    assert f"{A}sum" not in labelled(RecordedWeb(as_web(hunted)), "relevant")
    assert run("feedback", hunted, f"{A}sum", "--relevant").code == 0
    assert f"{A}sum" in labelled(RecordedWeb(as_web(hunted)), "relevant")


def test_what_is_no_find_cannot_be_called_one(run: Run, hunted: Path) -> None:
    for page, why in (
        ("copy", f"is a copy of {A}wolf, and copies do not count"),
        ("hidden", "asks not to be indexed"),
        ("gone", "could not be fetched"),
    ):
        done = run("feedback", hunted, f"{A}{page}", "--relevant")
        assert (done.code, why in done.err) == (2, True)
    assert not (hunted / "feedback.jsonl").exists()
    assert run("feedback", hunted, "a.test/sum", "--relevant").code == 0  # without its scheme
    assert f"did you mean {A}sum" in run("feedback", hunted, f"{A}sums", "--relevant").err


def test_only_committed_bytes_are_read_and_damage_is_passed_over(hunted: Path) -> None:
    with (hunted / "00001.warc.gz").open("ab") as file:
        file.write(b"\x1f\x8b\x08 half a record of a hunt that is under way")
    spoil(hunted, f"{A}cats")
    web = RecordedWeb(as_web(hunted))
    assert f"{A}cats" not in web
    assert len(web) == 5
    assert web.about["left_out"]["damaged record"] == 1


def test_an_answer_that_the_hunt_could_not_read_is_none_here(hunted: Path) -> None:
    change(hunted, "UPDATE pages SET error = 'parsing' WHERE url = ?", f"{A}sum")
    assert f"{A}sum" not in RecordedWeb(as_web(hunted))


def test_a_hunt_that_runs_can_be_taken(site: Served, tmp_path: Path) -> None:
    with site.hunting(tmp_path / "hunt") as process:
        assert len(RecordedWeb(as_web(tmp_path / "hunt"))) == 7
        assert process.poll() is None


def test_two_at_once_make_one_web(hunted: Path) -> None:
    threads = [Thread(target=as_web, args=(hunted,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(RecordedWeb(hunted / "web")) == 6


def test_a_killed_making_is_made_anew(hunted: Path) -> None:
    for name in ("web.new", "web.old", ".web.new.partial", "web"):
        (hunted / name).mkdir()
        (hunted / name / "web.json").write_text("{")
    assert len(RecordedWeb(as_web(hunted))) == 6
    assert not [name for name in left(hunted) if "new" in name or "old" in name]


def test_tasks_and_runs_on_a_hunt(run: Run, hunted: Path, tmp_path: Path) -> None:
    tasks, results = tmp_path / "tasks.toml", tmp_path / "results"
    options = ("--label", "relevant", "--away", "1", "--seeds", "1", "--budget", "6")
    done = run("lab", "tasks", hunted, *options, "-o", tasks, "--json")
    assert done.json["tasks"] == ["relevant"]
    assert "compiling the hunt: " in done.err
    written = tomllib.loads(tasks.read_text())
    assert written["web"] == str(hunted)
    assert written["task"][0]["keywords"] == ["wolf"]
    assert written["task"][0]["targets"] == {"label": "relevant"}
    policies = ("--policies", "breadth-first,best-first", "--json", "--quiet")
    done = run("lab", "run", tasks, *policies, "-o", results)
    assert (done.code, done.json["failed"]) == (0, 0)
    tasks.write_text(tasks.read_text().replace(str(hunted), "nowhere"))
    shutil.rmtree(hunted / "web")
    done = run("lab", "run", tasks, "--web", hunted, *policies, "-o", tmp_path / "more")
    assert (done.code, done.err) == (0, "")
    assert done.json["policies"]["best-first"]["targets@6"]["mean"] == 3
    assert json.loads((hunted / "web" / "web.json").read_text())["pages"] == 6


def test_a_hunt_can_be_imported_like_a_warc_file(hunted: Path, tmp_path: Path) -> None:
    with HuntRecording(hunted) as recording, Compiler(tmp_path / "web", ["wolf"]) as compiler:
        for capture in recording:
            compiler.add(capture)
        compiler.finish(recording.labels(), skip_unknown=True)
        assert recording.position == recording.size
    assert RecordedWeb(tmp_path / "web").digest == RecordedWeb(as_web(hunted)).digest


def test_a_hunt_without_warc_names_its_web(run: Run, generated: Generated, tmp_path: Path) -> None:
    hunt = tmp_path / "hunt"
    asked = ("--web", generated.folder, "--seed", generated.start, "--topic", "astronomy")
    run("hunt", *asked, "--pages", "30", "-o", hunt, "--quiet")
    message = (
        f"{hunt} is a hunt on a recorded web and has no WARC of its own; "
        f"its web folder is {generated.folder}: use that"
    )
    done = run("lab", "tasks", hunt, "--all-labels", "-o", tmp_path / "tasks.toml")
    assert (done.code, done.err) == (2, f"wolfspider: {message}\n")
    with pytest.raises(BadInput, match="has no WARC of its own"):
        as_web(hunt)
    assert as_web(generated.folder) == generated.folder
