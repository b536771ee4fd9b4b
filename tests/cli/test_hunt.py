"""wolfspider hunt."""

from __future__ import annotations

import json
import os
import pty
import signal
import sqlite3
import subprocess
import time
import tomllib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from command_line import COMMAND, Generated, Run, left, start
from recordings import compile_web, gone, moved, page

KEYS = ["policy", "pages", "relevant", "targets", "harvest_rate"]
KEYS += ["seconds", "pages_per_second", "stopped", "errors", "refused", "bytes", "waiting"]
KEYS += ["forecast"]
TOPIC = "astronomy telescope"


def rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "hunt.db")) as db:
        return db.execute(query).fetchall()


def facts(folder: Path) -> dict[str, Any]:
    told = rows(folder, "SELECT * FROM hunt WHERE name != 'began'")
    return {name: json.loads(value) for name, value in told}


def test_a_hunt_in_numbers_and_on_disk(run: Run, generated: Generated, tmp_path: Path) -> None:
    out = tmp_path / "hunts" / "astronomy"
    done = run(
        *("hunt", "--web", generated.folder, "--topic", TOPIC, "--seed", generated.start),
        *("--pages", "200", "--policy", "best-n-first", "--set", "n=16", "-o", out, "--json"),
    )
    result = done.json
    assert (done.code, list(result)) == (0, KEYS)
    assert result["policy"] == "best-n-first:n=16"
    assert (result["pages"], result["stopped"]) == (200, "budget of 200 pages used up")
    assert 0 < result["relevant"] <= result["pages"]
    assert result["harvest_rate"] == result["relevant"] / 200
    assert facts(out) == result
    counted = "SELECT count(*), sum(relevance >= 0.5), sum(target), sum(error != '') FROM pages"
    assert rows(out, counted) == [
        tuple(result[key] for key in ["pages", "relevant", "targets", "errors"])
    ]
    assert rows(out, "SELECT step, url, depth, source FROM pages LIMIT 1") == [
        (1, generated.start, 0, "")
    ]
    orphans = (
        "SELECT count(*) FROM pages WHERE source != '' AND source NOT IN (SELECT url FROM pages)"
    )
    assert rows(out, orphans) == [(0,)]
    asked = tomllib.loads((out / "hunt.toml").read_text())
    assert asked["topic"] == TOPIC
    assert asked["seeds"] == [generated.start]
    assert (asked["policy"], asked["pages"], asked["random_seed"]) == ("best-n-first:n=16", 200, 0)
    assert asked["web"] == str(generated.folder)
    assert left(out) == ["checkpoint-0.npz", "checkpoint-200.npz", "hunt.db", "hunt.toml", "lock"]


def test_words_that_nothing_is_known_of_are_named(run: Run, generated: Generated) -> None:
    hunting = ("hunt", "--web", generated.folder, "--seed", generated.start, "--pages", "30")
    never = "no word of the topic stands on any page that could count; are they spelt right?"
    known = run(*hunting, "--topic", TOPIC).err
    assert "no meaning is known" not in known
    assert never not in known
    half = run(*hunting, "--topic", "astronmy telescope")
    said = 'no meaning is known of "astronmy": it counts only where it stands on a page itself'
    assert half.err.splitlines()[0] == said
    assert never not in half.err
    neither = run(*hunting, "--topic", "astronmy 天文学")
    said = 'of "astronmy" and "天文学": they count only where they stand on a page itself'
    assert said in neither.err.splitlines()[0]
    assert never in neither.err.splitlines()
    assert run(*hunting, "--topic", "astronmy 天文学", "--quiet").err == ""
    dropped = run(*hunting, "--topic", "The C++ telescope of C# and R").err.splitlines()[0]
    assert dropped.startswith('"C++" and "C#" and "R" will not be looked for: signs, single')
    assert run(*hunting, "--topic", "天文学", "--pattern", "telescope").err.startswith("hunting: ")


def test_the_same_seed_is_the_same_hunt(run: Run, generated: Generated, tmp_path: Path) -> None:
    visited = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        run(
            *("hunt", "--web", generated.folder, "--topic", TOPIC, "--seed", generated.start),
            *(
                "--pages",
                "60",
                "--policy",
                "random",
                "--random-seed",
                str(seed),
                "-o",
                tmp_path / name,
            ),
        )
        visited.append(rows(tmp_path / name, "SELECT url FROM pages ORDER BY step"))
    assert visited[0] == visited[1] != visited[2]


def test_labels_are_counted_after_the_hunt(run: Run, generated: Generated, tmp_path: Path) -> None:
    known = run("web", "info", generated.folder, "--json").json["labels"]
    label = next(name for name in known if not name.startswith("role:"))
    arguments = ("hunt", "--web", generated.folder, "--topic", TOPIC, "--seed", generated.start)
    done = run(*arguments, "--pages", "2000", "--label", label, "--json", "-o", tmp_path / "x")
    assert list(done.json) == [*KEYS, "labelled"]
    assert done.json["stopped"] == "nothing left to follow"
    assert done.json["labelled"] == known[label]  # every page can be reached


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    records = [
        page("http://a.test/", "<p>Spiders <a href=/b>hunt</a> <a href=/old>more</a>"),
        page("http://a.test/b", "<title>\x1b[31mRed</title><p>Wolf wolf wolf"),
        page("http://a.test/c", "<p>Cats sleep all day long"),
        moved("http://a.test/old", "/c"),
        gone("http://a.test/gone"),
    ]
    return compile_web(tmp_path / "tiny", records, cats=["http://a.test/c"]).folder


@pytest.mark.parametrize(
    ("judge", "relevant"),
    [
        (["--pattern", "sle+p"], ["http://a.test/c"]),
        (["--like", "cats that sleep all day"], ["http://a.test/c"]),
        (["--like", "FILE"], ["http://a.test/b"]),
        (["--like", "PAGE"], ["http://a.test/b"]),
        (["--targets", "LIST"], ["http://a.test/", "http://a.test/c"]),
    ],
)
def test_every_judge_can_be_asked_for(
    run: Run, tiny: Path, tmp_path: Path, judge: list[str], relevant: list[str]
) -> None:
    (tmp_path / "FILE").write_text("wolf wolf")
    (tmp_path / "PAGE").write_text("<title>wolf</title><script>cats sleep</script><p>wolf")
    (tmp_path / "LIST").write_text("# wanted\nhttp://a.test/\n\nHTTP://A.TEST/old/../c\n")
    judge = [str(tmp_path / each) if each in ("FILE", "PAGE", "LIST") else each for each in judge]
    arguments = ("hunt", "--web", tiny, "--topic", "wolf", "--seed", "http://a.test/")
    done = run(*arguments, *judge, "-o", tmp_path / "out", "--json")
    assert done.json["pages"] == 3
    found = rows(tmp_path / "out", "SELECT url FROM pages WHERE relevance >= 0.5 ORDER BY url")
    assert [url for (url,) in found] == relevant
    asked = tomllib.loads((tmp_path / "out" / "hunt.toml").read_text())
    assert asked[judge[0].removeprefix("--")]


def test_a_seed_that_redirects_is_the_page_it_leads_to(run: Run, tiny: Path) -> None:
    arguments = ("hunt", "--web", tiny, "--topic", "wolf", "--json")
    once = run(*arguments, "--seed", "http://a.test/c").json
    twice = run(*arguments, "--seed", "http://a.test/old", "--seed", "http://a.test/c").json
    assert once["pages"] == twice["pages"]


def test_the_best_pages_are_shown_without_control_characters(run: Run, tiny: Path) -> None:
    arguments = ("hunt", "--web", tiny, "--topic", "wolf", "--seed", "http://a.test/")
    done = run(*arguments)
    assert "most relevant pages:\n  1.00  " in done.out
    assert "[31mRed" in done.out
    assert "\x1b" not in done.out
    assert "hunting: 3 pages, " in done.err
    assert "harvest rate 0.333" in done.err
    quiet = run(*arguments, "--quiet")
    assert "most relevant" not in quiet.out
    assert quiet.err == ""


def test_a_seed_may_be_an_alias_and_is_taken_once(run: Run, tiny: Path) -> None:
    seeds = ("--seed", "http://a.test/old", "--seed", "http://a.test/old#x")
    done = run("hunt", "--web", tiny, "--topic", "cats", *seeds, "--json", "--label", "cats")
    assert (done.json["pages"], done.json["labelled"]) == (1, 1)


GIVEN = {"--web": "tiny", "--topic": "wolf", "--seed": "http://a.test/"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"--policy": "bfs"}, "unknown policy 'bfs'; known: arachnid, best-first, best-n-first, "),
        ({"--policy": "pagerank:x=1"}, "policy 'pagerank' has no setting 'x'; it has: every,"),
        ({"--policy": "pagerank:every=x"}, "policy 'pagerank': every is a whole number, not 'x'"),
        ({"--policy": "pagerank:every"}, "cannot read the setting 'every' of policy 'pagerank'"),
        ({"--set": "n"}, "cannot read the setting 'n' of policy 'wolf'; write it as name=value"),
        (
            {"--topic": "the of and"},
            "the topic 'the of and' has no words to look for: signs",
        ),
        ({"--topic": "c++"}, "the topic 'c++' has no words to look for: signs, single letters"),
        ({"--seed": "mailto:a@a.test"}, "not a web address: 'mailto:a@a.test'; give a full URL"),
        ({"--seed": "b.test"}, "the seed http://b.test/ is not in tiny; start from a page "),
        ({"--seed": "http://"}, "not a web address: 'http://'; give a full URL"),
        (
            {"--seed": "http://b.test/"},
            "the seed http://b.test/ is not in tiny; start from a page ",
        ),
        ({"--seed": "http://a.test/gone"}, "the seed http://a.test/gone is not in tiny; start"),
        ({"--web": "nowhere"}, "there is no web folder nowhere; make one with: wolfspider web"),
        ({"--web": "file"}, "file is not a web folder; make one with: wolfspider web import"),
        ({"--pages": "0"}, "a budget of 0 pages fetches nothing; give 1 or more"),
        ({"--stop": "relevant 0"}, "a budget of 0 relevant pages fetches nothing; give 1 or more"),
        ({"--stop": "minutes 0"}, "a budget of 0 minutes cannot be kept; give a number above 0"),
        ({"--like": "picture"}, "picture is no page and no text; give saved pages as examples"),
        ({"--bytes": "10K"}, "bytes are what comes over the network, and from a recorded web none"),
        ({"--stop": "bytes 2G"}, "bytes are what comes over the network, and from a recorded web"),
        ({"--random-seed": "-1"}, "--random-seed is -1; it must be 0 or more"),
        ({"--label": "dogs"}, "no page of tiny has the label 'dogs'; known: cats"),
        ({"--pattern": "("}, "not a regular expression: '(' (missing ), unterminated"),
        ({"--pattern": "a", "--like": "b"}, "give one of --pattern and --like: a hunt has one"),
        ({"--like": "the"}, "the description or example pages have no words to compare with"),
        ({"--targets": "nowhere"}, "cannot read the list of targets in nowhere"),
        ({"--targets": "file"}, "not a web address in the list of targets: 'mine'"),
        ({"--targets": "away"}, "none of the targets is in tiny, so nothing could be found"),
        ({"--examples": "picture"}, "picture is no page and no text; give saved pages as examples"),
        ({"--pattern": ""}, "the --pattern is empty and would find everything; leave it out"),
        ({"--targets": "empty"}, "no URL in the list of targets empty; write one on each line"),
        ({"-o": "file"}, "cannot write to file: Not a directory; choose another folder with -o"),
        ({"-o": "file/a/b"}, "cannot write to file/a/b: Not a directory; choose another folder"),
        ({"-o": "/proc/nowhere/x"}, "cannot write to /proc/nowhere/x: No such file or directory"),
        ({"-o": "held"}, "held already holds a hunt; choose another folder with -o"),
    ],
)
def test_bad_input_is_a_sentence_and_leaves_nothing(
    run: Run,
    tiny: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    (tmp_path / "empty").write_text("# nothing\n")
    (tmp_path / "away").write_text("http://nowhere.test/\n")
    (tmp_path / "picture").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    (tmp_path / "held").mkdir()
    (tmp_path / "held" / "hunt.toml").touch()
    before = left(tmp_path)
    given = {"-o": "deep/er/hunt", **GIVEN, **changes}
    refused = run("hunt", *(word for pair in given.items() for word in pair))
    assert refused.code == 2
    assert refused.err.startswith(f"wolfspider: {message}")
    assert refused.out == ""
    assert left(tmp_path) == before


def test_a_hunt_on_a_recorded_web_goes_on_from_any_folder(
    run: Run, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    hunt = ("hunt", *(word for pair in GIVEN.items() for word in pair), "--pages", "1")
    assert run(*hunt, "-o", "hunt").code == 0
    text = (tmp_path / "hunt" / "hunt.toml").read_text()
    (tmp_path / "hunt" / "hunt.toml").write_text(f"{text}\nbytes = 10\n")  # of an earlier version
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert run("resume", "../hunt", "--pages", "3", "--json").json["pages"] == 3


def test_a_web_that_was_moved_can_be_put_right(
    run: Run, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    hunt = ("hunt", *(word for pair in GIVEN.items() for word in pair), "--pages", "1")
    assert run(*hunt, "-o", "hunt").code == 0
    tiny.rename("moved")
    refused = run("resume", "hunt", "--pages", "3")
    said = f"not in {tiny} any more; bring it back, or where it was moved put `web =` in hunt/hunt"
    assert said in refused.err
    asked = tmp_path / "hunt" / "hunt.toml"
    asked.write_text(asked.read_text().replace(str(tiny), str(tmp_path / "moved")))
    assert run("resume", "hunt", "--pages", "3", "--json").json["pages"] == 3


@pytest.mark.usefixtures("tiny")
def test_on_a_recorded_web_a_seed_may_leave_out_the_scheme(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = GIVEN | {"--seed": "a.test", "--pages": "1"}
    done = run("hunt", *(word for pair in given.items() for word in pair), "--json")
    assert done.json["pages"] == 1
    live = run("hunt", "--topic", "wolf", "--seed", "a.test", "-o", "hunt")
    said = "not a web address: 'a.test'; give https://a.test/ or http://a.test/\n"
    assert (live.code, live.err) == (2, f"wolfspider: {said}")


def test_a_live_hunt_without_a_folder_says_what_to_give(run: Run) -> None:
    done = run("hunt", "--topic", "wolf", "--seed", "http://a.test/")
    assert (done.code, done.err) == (
        2,
        "wolfspider: say where to keep what is found: -o hunts/NAME\n",
    )


# -- signals and terminals -----------------------------------------------------------------


def slow_hunt(generated: Generated, out: Path) -> list[str | Path]:
    """One that ranks all pages again after every page: it takes minutes."""
    return [
        *("hunt", "--web", generated.folder, "--topic", TOPIC, "--seed", generated.start),
        *("--policy", "pagerank:every=1:tolerance=1e-9", "-o", out),
    ]


def wait_until_hunting(out: Path, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 20
    while not (out / "hunt.db-wal").exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.005)
    time.sleep(0.3)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_hunt_is_a_whole_hunt(
    generated: Generated, tmp_path: Path, number: int, code: int
) -> None:
    out = tmp_path / "hunt"
    process = start(*slow_hunt(generated, out), "--json")
    wait_until_hunting(out, process)
    process.send_signal(number)
    stdout, err = process.communicate(timeout=20)
    assert process.returncode == code
    assert "Traceback" not in err
    result = json.loads(stdout)
    assert result["stopped"] == "interrupted"
    assert facts(out) == result
    assert 0 < result["pages"] < 600
    assert rows(out, "SELECT count(*), max(step) FROM pages") == [(result["pages"],) * 2]
    assert rows(out, "PRAGMA integrity_check") == [("ok",)]
    assert [name for name in left(out) if "checkpoint" not in name] == [
        "hunt.db",
        "hunt.toml",
        "lock",
    ]


def test_a_killed_hunt_leaves_a_folder_that_can_be_read(
    generated: Generated, tmp_path: Path
) -> None:
    out = tmp_path / "hunt"
    process = start(*slow_hunt(generated, out))
    wait_until_hunting(out, process)
    process.kill()
    process.communicate(timeout=20)
    assert rows(out, "PRAGMA integrity_check") == [("ok",)]
    assert facts(out) == {}


def test_a_terminal_shows_a_bar_with_rate_harvest_rate_and_time_left(
    generated: Generated, tmp_path: Path
) -> None:
    ours, theirs = pty.openpty()
    arguments = map(str, [*slow_hunt(generated, tmp_path / "hunt"), "--json"])
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    )
    os.close(theirs)
    seen = ""
    end = time.monotonic() + 20
    while "0:" not in seen and time.monotonic() < end:  # the time left comes last
        seen += os.read(ours, 65536).decode(errors="replace")
    process.send_signal(signal.SIGINT)
    while True:
        try:
            if not os.read(ours, 65536):
                break
        except OSError:  # the terminal was closed
            break
    out, _ = process.communicate(timeout=20)
    os.close(ours)
    for part in ("hunting", "━", " pages, ", "/s, harvest rate 0.", " %", "0:"):
        assert part in seen
    assert json.loads(out)["stopped"] == "interrupted"
