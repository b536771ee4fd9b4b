"""How good forecasts are: counted by hand, and over the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from wolfspider.cli import wolfspider
from wolfspider.errors import BadInput
from wolfspider.forecasting import PACE, SIZES, Forecaster
from wolfspider.lab.forecasts import Checked, forecast_table
from wolfspider.lab.ground import Ground
from wolfspider.lab.run import run
from wolfspider.lab.tasks import TaskFile, write_tasks
from wolfspider.lab.trace import RunKey, Trace
from wolfspider.policies import Spec
from wolfspider.webs.recorded import RecordedWeb


def trace_of(verdicts: list[bool], policy: str = "best-first") -> Trace:
    pages = np.arange(len(verdicts), dtype=np.int32)
    key = RunKey("web", "task", policy, 0)
    return Trace(key, pages, np.array(verdicts, np.bool_), 0.0, 0.0, (0,))


def test_only_forecasts_that_fell_due_are_checked() -> None:
    checked = Checked.of(trace_of([False] * 30), 10)  # a look after each fetch
    assert len(checked) == 21
    assert checked.came.tolist() == [0] * 21
    assert checked.row()["coverage"] == 1.0
    assert len(Checked.of(trace_of([False] * 9), 10)) == 0
    assert len(Checked.of(trace_of([False] * 10), 10)) == 1


def test_what_came_is_what_stands_after_the_forecast() -> None:
    verdicts = [False] * 10 + [True] * 4 + [False] * 6
    checked = Checked.of(trace_of(verdicts), 5)
    assert checked.came.tolist() == [sum(verdicts[n : n + 5]) for n in range(16)]
    before = Forecaster(5)
    before.extend(np.array(verdicts[:7]))
    assert checked.expected[7] == pytest.approx(before.forecast().expected)


def test_forecasts_are_made_with_what_the_policy_promised_on_the_way() -> None:
    plain = trace_of([True] * 60 + [False] * 60)
    promised = np.full((12, len(SIZES)), 0.0, np.float32)
    promised[:5] = SIZES  # all that wait are relevant, until the fiftieth fetch
    knowing = replace(plain, promised=promised)
    before, after = Checked.of(plain, 20), Checked.of(knowing, 20)
    looks = 20 // 10
    assert after.expected[3 * PACE // looks] > before.expected[3 * PACE // looks]
    assert after.expected[6 * PACE // looks] < before.expected[6 * PACE // looks] / 10
    assert after.row()["error"] < before.row()["error"]


def test_promises_are_kept_with_the_run(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    plain = trace_of([True] * 20)
    promised = np.arange(2.0 * len(SIZES), dtype=np.float32).reshape(2, -1)
    replace(plain, promised=promised).save(path)
    assert np.array_equal(Trace.load(path).promised, promised)
    with np.load(path) as data:  # as a run of before them
        np.savez(path, **{name: data[name] for name in data if name != "promised"})
    assert Trace.load(path).promised.shape == (0, len(SIZES))


def test_the_wolf_promises_and_others_do_not(small_tasks: TaskFile) -> None:
    ground = Ground.lay(RecordedWeb(small_tasks.web), small_tasks.tasks[0])
    wolf, other = (run(ground, Spec.parse(name)) for name in ("wolf", "best-first"))
    assert wolf.error == ""
    assert wolf.promised.shape == (len(wolf) // PACE, len(SIZES))
    assert other.promised.shape == (0, len(SIZES))
    assert (np.diff(wolf.promised, axis=1) >= 0).all()
    assert (wolf.promised <= SIZES).all()
    assert wolf.promised[0, 0] > 0


def test_a_row_by_hand() -> None:
    checked = Checked(
        expected=np.array([2.0, 2.0, 4.0, 6.0]),
        low=np.array([1, 1, 2, 5]),
        high=np.array([3, 3, 6, 9]),
        came=np.array([1, 4, 6, 1]),  # in, above, in, below
    )
    assert checked.row() == {
        "forecasts": 4,
        "coverage": 0.5,
        "below": 0.25,
        "above": 0.25,
        "width": 3.0,  # (2 + 2 + 4 + 4) / 4
        "expected": 3.5,
        "came": 3.0,
        "error": 2.5,  # (1 + 2 + 2 + 5) / 4
    }


def test_a_burst_out_of_nothing_is_missed() -> None:
    row = Checked.of(trace_of([False] * 300 + [True] * 10), 10).row()
    assert row["above"] >= 5 / 301  # the last ones that could not know
    assert row["below"] == 0


def test_rows_by_policy_and_horizon_and_oracles_apart() -> None:
    runs = [trace_of([False] * 40), trace_of([False] * 12), trace_of([True] * 40, "optimal")]
    rows = {(row["policy"], row["horizon"]): row for row in forecast_table(runs, (10, 20))}
    assert list(rows) == [
        *(("best-first", 10), ("optimal", 10), ("all", 10)),
        *(("best-first", 20), ("optimal", 20), ("all", 20)),
    ]
    assert (rows["best-first", 10]["runs"], rows["best-first", 10]["forecasts"]) == (2, 31 + 3)
    assert rows["best-first", 20]["runs"] == 1  # the other is too short
    assert rows["all", 10]["came"] == 0


def test_the_command_gives_a_table_and_json(tmp_path: Path, small_tasks: TaskFile) -> None:
    tasks, out = tmp_path / "tasks.toml", tmp_path / "out"
    write_tasks(tasks, small_tasks.web, small_tasks.tasks)

    def lab(*arguments: object) -> str:
        result = CliRunner().invoke(wolfspider, ["lab", *map(str, arguments)])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.output

    lab("run", tasks, "--policies", "best-first", "-o", out, "-q")
    found = json.loads(lab("forecast", out, "--horizon", 20, "--horizon", 10, "--json"))
    assert found["share"] == 0.8
    assert [(row["policy"], row["horizon"]) for row in found["rows"]] == [
        (policy, horizon)
        for horizon in (20, 10)
        for policy in ("best-first", "breadth-first", "optimal", "all")
    ]
    for row in found["rows"]:
        assert row["coverage"] + row["below"] + row["above"] == pytest.approx(1)
        assert row["runs"] == (4 if row["policy"] == "all" else 2)
    table = lab("forecast", out, "--horizon", 20).splitlines()
    assert table[0].split()[:3] == ["policy", "horizon", "runs"]
    assert len(table) == 5
    told = lab("forecast", out, "--horizon", 20, "--horizon", 5000)
    assert len(told.splitlines()) == 6
    assert "nothing can be said of the next 5,000 fetches: all runs are shorter" in told
    with pytest.raises(BadInput, match="are shorter than what is to be forecast"):
        lab("forecast", out)
    with pytest.raises(BadInput, match="holds no results"):
        lab("forecast", tmp_path)
