"""Watches in the lab, and foragers again on a news site."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest

from command_line import run_here
from wolfspider.errors import BadInput
from wolfspider.lab.experiment import locked
from wolfspider.lab.reproduce import Reproduction, palotai_2005, write_page
from wolfspider.lab.watches import (
    _CODE,
    Watches,
    WatchSummary,
    WatchTask,
    is_watch_file,
    read_watches,
)
from wolfspider.specs import Spec
from wolfspider.watching import measures
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.recorded import RecordedWeb
from wolfspider.webs.synthetic.news import NewsSite

POLICIES = ("foragers:fleet=wl", "breadth-first-recrawl")


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("webs") / "news"
    site = NewsSite(days=2, articles_per_day=20, sections=3)
    with Compiler(folder, [repr(site)], changing=True) as compiler:
        for capture in site.captures():
            compiler.add(capture)
        compiler.finish()
    assert RecordedWeb(folder).start == site.front
    return folder


def asked(news: Path, folder: Path, repeats: int = 2) -> Watches:
    watches = Watches(folder)
    task = WatchTask("one", str(news), days=1, cost=120.0)
    watches.ask([task], map(Spec.parse, POLICIES), repeats, "a test")
    return watches


def test_runs_are_kept_and_not_repeated(news: Path, tmp_path: Path) -> None:
    watches = asked(news, tmp_path / "results")
    first = list(watches.run())
    # a policy without chance is run once
    names = [(run.key.policy, run.key.repeat) for run in first]
    assert names == [(POLICIES[0], 0), (POLICIES[0], 1), (POLICIES[1], 0)]
    assert all(len(run) == 86400 / 120 for run in first)
    assert watches.missing() == []
    again = asked(news, tmp_path / "results")
    assert list(again.run()) == []
    again.jobs[1].path(again.folder).unlink()
    (done,) = again.run()
    assert done.totals == pytest.approx(first[1].totals, nan_ok=True)
    kept = again.watched()[1]
    assert kept.key == done.key
    assert np.array_equal(kept.curves["relevant"], done.curves["relevant"])


def test_two_processes_do_the_same(news: Path, tmp_path: Path) -> None:
    one, two = (asked(news, tmp_path / name) for name in ("one", "two"))
    list(one.run())
    list(two.run(processes=2))
    for a, b in zip(one.watched(), two.watched(), strict=True):
        assert a.key == b.key
        assert a.totals == pytest.approx(b.totals, nan_ok=True)


def test_two_cannot_write_into_one_folder(news: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    watches = asked(news, out)
    before = (out / "watches.json").read_text()
    runs = watches.run()
    next(runs)
    for second in (lambda: asked(news, out, 3), lambda: list(Watches(out).run())):
        with pytest.raises(BadInput, match=r"another run is writing to .*results; wait for it"):
            second()
    assert (out / "watches.json").read_text() == before
    runs.close()  # type: ignore[attr-defined]
    assert asked(news, out, 3).about["repeats"] == 3


def test_what_another_asked_for_since_is_kept(news: Path, tmp_path: Path) -> None:
    late = Watches(tmp_path / "results")
    asked(news, tmp_path / "results")
    late.ask([WatchTask("two", str(news), days=1)], [], 1, "a test")
    kept = Watches(tmp_path / "results").about
    assert [task["name"] for task in kept["tasks"]] == ["one", "two"]
    assert kept["repeats"] == 2


def test_a_folder_that_was_only_locked_is_empty(news: Path, tmp_path: Path) -> None:
    with locked(tmp_path / "results"):
        pass
    assert asked(news, tmp_path / "results").jobs


def test_all_code_that_watches_decides_the_name_of_a_run() -> None:
    source = Path(measures.__file__).parents[1]
    found, waiting = set[str](), {"watching/simulation", "watching/registry", "watching/measures"}
    while waiting:
        found.add(name := waiting.pop())
        text = (source / f"{name}.py").read_text()
        used = re.findall(r"from wolfspider\.(watching\.\w+|webs\.history) import", text)
        waiting |= {each.replace(".", "/") for each in used} - found
    assert found == set(_CODE)


def test_the_summary_has_means_and_deviations(news: Path, tmp_path: Path) -> None:
    watches = asked(news, tmp_path / "results")
    runs = tuple(watches.run())
    table = WatchSummary(runs).table()["one"]
    both = [run.totals["relevant"] for run in runs[:2]]
    assert table[POLICIES[0]]["relevant"] == np.mean(both)
    assert table[POLICIES[0]]["relevant std"] == np.std(both)
    assert table[POLICIES[1]]["sent_efficiency"] == 1
    assert table[POLICIES[1]]["relevant"] > 10  # the articles of a day, and fronts


def test_the_command_prints_a_table(
    news: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "news.toml"
    file.write_text(f'web = "{news}"\n[[watch]]\nname = "day"\ndays = 0.5\ncost = 30\n')
    assert is_watch_file(file)
    arguments = ("lab", "run", file, "--policies", ",".join(POLICIES), "-o", tmp_path / "results")
    done = run_here(monkeypatch, *arguments)
    assert done.code == 0, done.err
    assert done.out.startswith("day\npolicy")
    with (tmp_path / "results" / "curves.csv").open(newline="") as table:
        rows = list(csv.DictReader(table))
    assert {row["policy"] for row in rows} == set(POLICIES)
    assert {float(row["days"]) for row in rows} == {0.125, 0.25, 0.375, 0.5}
    told = run_here(monkeypatch, *arguments, "--json").json
    assert told["watches"]["day"][POLICIES[1]]["downloaded"] == 1440


def test_what_is_not_defined_is_null_in_json(
    news: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first download would end after the watch, so nothing is found."""
    file = tmp_path / "news.toml"
    file.write_text(f'web = "{news}"\n[[watch]]\nname = "short"\ndays = 0.01\ncost = 3600\n')
    out = tmp_path / "results"
    done = run_here(
        *(monkeypatch, "lab", "run", file, "--policies", POLICIES[1], "-o", out, "--json")
    )
    told = json.loads(done.out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert told["watches"]["short"][POLICIES[1]]["delay_hours"] is None
    assert told["watches"]["short"][POLICIES[1]]["downloaded"] == 0


@pytest.mark.parametrize(
    ("watch", "message"),
    [
        ('name = "x"\nfrom = "soon"', "from is a date, such as 2026-01-03, not 'soon'"),
        ('name = "x"\nfrom = 1999-01-01', "begins outside of what was recorded"),
        ('name = "x"\ndays = -1', "days is a number above 0, not -1"),
        ('name = "x"\nhours = 3', "unknown key 'hours'; known: cost, days, from, name, seeds"),
        ('name = "x"\nseeds = "a"', "seeds is a list of URLs"),
        ('name = "x"\nseeds = ["http://no.test/"]', "http://no.test/ is not in"),
        ("days = 3", "every watch needs a name"),
    ],
)
def test_bad_tasks_are_sentences(
    news: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    watch: str,
    message: str,
) -> None:
    file = tmp_path / "news.toml"
    file.write_text(f'web = "{news}"\n[[watch]]\n{watch}\n')
    out = tmp_path / "results"
    done = run_here(monkeypatch, "lab", "run", file, "--policies", "change-rate", "-o", out)
    assert done.code == 2
    assert message in done.err
    assert not out.exists()


def test_other_bad_input(news: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "news.toml"
    file.write_text('[[watch]]\nname = "x"\n')
    with pytest.raises(BadInput, match="names no web"):
        read_watches(file)
    file.write_text(f'web = "{news}"\n[[watch]]\nname = "x"\ndays = 1\n')
    for policies, message in (
        ("best-first", "unknown policy 'best-first' for a watch; known: foragers, breadth-first-"),
        ("foragers:fleet=none", "fleet is one of wl, rl, wlrl, not 'none'"),
        ("foragers:most=1", "policy 'foragers': least is 2 and most 1"),
        ("foragers:colour=red", "has no setting 'colour'; it has: fleet, least, most"),
    ):
        done = run_here(
            monkeypatch, "lab", "run", file, "--policies", policies, "-o", tmp_path / "r"
        )
        assert done.code == 2
        assert message in done.err
    carrying = ("lab", "run", file, "--policies", "change-rate", "-o", tmp_path / "r", "--carry")
    assert "take no --buffer and no --carry" in run_here(monkeypatch, *carrying).err
    watches = asked(news, tmp_path / "results")
    with pytest.raises(BadInput, match="begun with another watch named 'one'"):
        watches.ask([WatchTask("one", str(news), days=2)], [], 1, "a test")


def test_palotai_from_end_to_end(tmp_path: Path) -> None:
    def again() -> tuple[Watches, Reproduction]:
        watches = palotai_2005.prepare(None, tmp_path, days=1, articles=20, cost=120.0)
        list(watches.run())
        return watches, palotai_2005.conclude(watches)

    watches, found = again()
    assert len(found.findings) == 8
    assert all(each.agrees or each.reason for each in found.findings)
    page = write_page(found, watches, tmp_path).read_text()
    assert "Fig. 3: freshness, news-rewired" in page
    runs = palotai_2005._Runs(WatchSummary(tuple(watches.watched())))
    fleets = palotai_2005.WL, palotai_2005.RL
    wl, rl = (runs.values("news", fleet, "relevant") for fleet in fleets)
    assert len(wl) == len(rl) == 3
    more = runs.more("news", *fleets, "relevant")
    assert more is (True if min(wl) > max(rl) else False if max(wl) < min(rl) else None)
    same, once_more = again()
    assert same.missing() == []
    assert once_more.findings == found.findings


def test_papers_that_need_a_web_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    done = run_here(monkeypatch, "lab", "reproduce", "menczer-2004")
    assert done.code == 2
    assert "menczer-2004 needs a web to be run on: --web FOLDER" in done.err
    done = run_here(monkeypatch, "lab", "reproduce", "palotai-2005", "--days", "0")
    assert "--days is a number from 1 on" in done.err
