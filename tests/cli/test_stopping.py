"""Hunts that stop by themselves, on a generated web and live, and the forecasts they give."""

from __future__ import annotations

import json
import re
import sqlite3
import tomllib
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import Generated, Run, start
from hostile import Misdeed, Request, answer, hostile_thread, linked, rules
from live_hunts import change
from wolfspider.forecasting import forecasts
from wolfspider.outlook import Past
from wolfspider.store.opening import open_hunt

TOPIC = "astronomy telescope"


def asking(generated: Generated, out: Path | None, *more: str) -> list[str | Path]:
    where: list[str | Path] = ["--web", generated.folder, "--seed", generated.start]
    where += ["-o", out] if out else []
    return ["hunt", "--topic", TOPIC, *where, "--json", *more]


def verdicts(folder: Path) -> list[bool]:
    query = "SELECT relevance >= 0.5 FROM pages WHERE NOT refused ORDER BY step"
    with closing(sqlite3.connect(folder / "hunt.db")) as db:
        return [bool(row[0]) for row in db.execute(query)]


def asked_for(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "hunt.toml").read_text())


def test_a_hunt_stops_after_so_many_fetches_without_a_find(
    run: Run, generated: Generated, tmp_path: Path
) -> None:
    out = tmp_path / "hunt"
    result = run(*asking(generated, out, "--stop", "nothing for 40")).json
    assert result["stopped"] == "no relevant page among the last 40 fetches"
    seen = verdicts(out)
    assert not any(seen[-40:])
    assert seen[-41]
    assert not any(not any(seen[n : n + 40]) for n in range(len(seen) - 40))  # and not before
    assert asked_for(out)["stop"] == ["nothing for 40"]
    assert "pages" not in asked_for(out)
    assert run("status", out, "--json").json["stopped"] == result["stopped"]


def test_a_hunt_stops_when_its_yield_falls(run: Run, generated: Generated, tmp_path: Path) -> None:
    out = tmp_path / "hunt"
    result = run(*asking(generated, out, "--stop", "yield < 10%", "--stop", "pages 590")).json
    found = re.fullmatch(
        r"yield fell below 10 %: (\d+) relevant pages among the last 100 fetches", result["stopped"]
    )
    assert found
    seen = verdicts(out)
    assert sum(seen[-100:]) == int(found[1]) == 9
    assert min(sum(seen[n : n + 100]) for n in range(len(seen) - 100)) >= 10
    assert (asked_for(out)["pages"], asked_for(out)["stop"]) == (590, ["yield < 10%"])


def test_budgets_as_rules_are_budgets(run: Run, generated: Generated) -> None:
    done = run(*asking(generated, None, "--stop", "relevant 7", "--pages", "300")).json
    assert (done["relevant"], done["stopped"]) == (7, "7 relevant pages found, as asked for")
    done = run(*asking(generated, None, "--stop", "pages 20", "--pages", "300")).json
    assert (done["pages"], done["stopped"]) == (20, "budget of 20 pages used up")


def test_a_resumed_hunt_keeps_its_rules_or_takes_others(
    run: Run, generated: Generated, tmp_path: Path
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    result = run(*asking(generated, whole, "--stop", "nothing for 40")).json
    cut = run(*asking(generated, parts, "--stop", "nothing for 40", "--stop", "pages 30")).json
    assert cut["stopped"] == "budget of 30 pages used up"
    again = run("resume", parts, "--pages", "600", "--json", "-q").json
    for key in ("pages", "relevant", "stopped", "waiting", "forecast"):
        assert again[key] == result[key], key
    over = run("resume", parts, "--json", "-q").json
    assert (over["pages"], over["stopped"]) == (result["pages"], result["stopped"])
    later = run("resume", parts, "--stop", "nothing for 60", "--json", "-q").json
    assert later["pages"] > result["pages"]
    assert asked_for(parts)["stop"] == ["nothing for 60"]
    refused = run("resume", parts, "--stop", "none", "--stop", "nothing for 9")
    assert (refused.code, refused.out) == (2, "")
    assert "--stop none takes all rules away" in refused.err
    last = run("resume", parts, "--stop", "none", "--json", "-q").json
    assert last["stopped"] in ("budget of 600 pages used up", "nothing left to follow")
    assert asked_for(parts)["stop"] == []


@pytest.mark.parametrize("others", ["none", "nothing for 500"])
def test_a_number_of_relevant_pages_is_a_rule_that_others_take_the_place_of(
    run: Run, generated: Generated, tmp_path: Path, others: str
) -> None:
    folder = tmp_path / "hunt"
    begun = run(*asking(generated, folder, "--stop", "relevant 3", "--stop", "pages 60")).json
    assert (begun["relevant"], begun["stopped"]) == (3, "3 relevant pages found, as asked for")
    later = run("resume", folder, "--stop", others, "--json", "-q").json
    assert (later["pages"], later["stopped"]) == (60, "budget of 60 pages used up")
    refused = run("resume", folder, "--pages", "59")
    assert (refused.code, refused.out) == (2, "")
    assert "has 60 pages already, and these count; give --pages more than 60" in refused.err
    found = run("status", folder, "--json").json["relevant"]
    for fewer in (("--relevant", "1"), ("--stop", "relevant 1")):
        refused = run("resume", folder, *fewer)
        assert refused.code == 2
        sentence = f"has {found} relevant pages already, and these count; give --relevant more"
        assert f"{sentence} than {found}" in refused.err


def test_who_stopped_by_a_rule_is_told_how_to_go_on(
    run: Run, generated: Generated, tmp_path: Path
) -> None:
    command = asking(generated, tmp_path / "hunt", "--stop", "nothing for 20")
    command.remove("--json")
    done = run(*command)
    assert "--stop none, or with other rules" in done.err
    assert re.search(r"^next 100 +\d+(\.\d)? \(\d+–\d+\) relevant$", done.out, re.MULTILINE)
    assert "[{" not in done.out


def test_what_is_no_rule_is_said_before_anything_is_written(
    run: Run, generated: Generated, tmp_path: Path
) -> None:
    out = tmp_path / "hunt"
    done = run(*asking(generated, out, "--stop", "yield > 1/200"))
    assert (done.code, done.out, out.exists()) == (2, "", False)
    assert done.err.startswith("wolfspider: 'yield > 1/200' is no rule to stop by; write one as ")
    run(*asking(generated, out, "--pages", "5"))
    assert "is no rule" in run("resume", out, "--stop", "soon").err
    assert asked_for(out)["stop"] == []


def expected_by(policy: str, out: Path) -> list[dict[str, Any]]:
    """Forecasts of what stands in a hunt folder; best-first promises nothing."""
    with open_hunt(out) as reader:
        past = Past.of(reader)
    assert past.relevant.tolist() == verdicts(out)
    assert np.isnan(past.promised).all() == (policy != "wolf")
    return [each.as_json() for each in forecasts(*past)]


@pytest.mark.parametrize("policy", ["best-first", "wolf"])
def test_the_forecast_is_that_of_the_verdicts_and_promises(
    run: Run, generated: Generated, tmp_path: Path, policy: str
) -> None:
    out = tmp_path / "hunt"
    result = run(*asking(generated, out, "--pages", "235", "--policy", policy)).json
    expected = expected_by(policy, out)
    assert [each["next"] for each in expected] == [100, 1000]
    assert result["forecast"] == expected
    assert run("status", out, "--json").json["forecast"] == expected
    shown = run("status", out, "--quiet").out
    assert re.search(r"^next 1,000 +\S+ \(\S+–\S+\) relevant$", shown, re.MULTILINE)
    by_the_past = [each.as_json() for each in forecasts(np.array(verdicts(out)))]
    assert (expected == by_the_past) == (policy != "wolf")
    resumed = run("resume", out, "--pages", "300", "--json").json
    assert resumed["forecast"] == expected_by(policy, out) != expected
    change(out, "UPDATE pages SET relevance = 0, target = 0")
    assert run("status", out, "--json").json["forecast"] == expected_by(policy, out)


def test_there_is_no_forecast_where_nothing_can_follow(
    run: Run, generated: Generated, tmp_path: Path
) -> None:
    out = tmp_path / "hunt"
    result = run(*asking(generated, out, "--pages", "100000")).json
    assert (result["stopped"], result["forecast"]) == ("nothing left to follow", [])
    assert run("status", out, "--json").json["forecast"] == []


@pytest.mark.parametrize("at_once", ["1", "16"])
def test_a_live_hunt_stops_by_a_rule(run: Run, tmp_path: Path, at_once: str) -> None:
    """Five pages are about wolves; some links are lost, some forbidden."""

    async def endless(request: Request) -> bool:
        if request.target.endswith("/lost"):
            await request.send(answer(b"<p>Gone", status="404 Not Found"))
            return True
        number = int(request.target[1:] or 0)
        links = [f"/{number + 1}"]
        links += [f"/{number}/lost"] if number % 4 == 0 else []
        links += [f"/no/{number}"] if number % 10 == 0 else []
        words = "The wolf spider hunts like a wolf. " if number < 5 else "Nothing to see here. "
        await request.send(answer(linked(*links, title=f"{number}", words=words * 3)))
        return True

    web: dict[str, bytes | Misdeed] = {
        "h0.test/robots.txt": rules("User-agent: *\nDisallow: /no"),
        "h0.test/*": endless,
    }
    out = tmp_path / "hunt"
    with hostile_thread() as server:
        server.web = web
        process = start(
            *("hunt", "--topic", "wolf spider", "--seed", "http://h0.test/", "-o", out, "--json"),
            *("--connect-to", server.host_and_port(), "--delay", "0", "--address-delay", "0"),
            *("--at-once", at_once, "--stop", "nothing for 30", "-q"),
        )
        printed, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    result = json.loads(printed)
    assert result["stopped"] == "no relevant page among the last 30 fetches"
    assert result["relevant"] == 5
    seen = verdicts(out)
    assert len(seen) == result["pages"]
    assert not any(seen[-30:])
    assert seen[-31]
    assert result["errors"] >= 3  # lost pages count as fetches
    assert result["refused"] >= 1  # links that were not asked for do not
