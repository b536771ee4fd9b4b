"""The report: its charts, its files, what it says, and how it looks in a browser."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from markupsafe import Markup
from selectolax.lexbor import LexborHTMLParser

from checks import Recording
from looking import VIEWS, chromium, in_browser, show
from naughty import HOSTILE, naughty_strings
from wolfspider.cli.lab_report import report
from wolfspider.drawing.axes import Axis
from wolfspider.drawing.charts import Series, line_chart
from wolfspider.drawing.looks import Look
from wolfspider.errors import BadInput
from wolfspider.lab.experiment import Experiment
from wolfspider.lab.report import Findings, write_report
from wolfspider.lab.report.curves import BUDGET, FETCHES, REACHABLE, Curves
from wolfspider.lab.report.export import write_csv, write_parquet
from wolfspider.lab.report.findings import number, p_text, verdict
from wolfspider.lab.report.glossary import meaning, title
from wolfspider.lab.statistics import Comparison
from wolfspider.lab.summary import Summary
from wolfspider.lab.tasks import Task, TaskFile
from wolfspider.lab.trace import Trace
from wolfspider.policies import Spec
from wolfspider.webs.recorded import RecordedWeb

FILES = [
    "report.html",
    *("summary.csv", "summary.parquet"),
    *("runs.csv", "runs.parquet"),
    *("curves.csv", "curves.parquet"),
]
POLICIES = ["breadth-first", "best-first", "random", "optimal"]


def experiment_on(
    recording: Recording, folder: Path, names: list[str], budgets: list[int | None]
) -> Experiment:
    """Runs of all policies, for tasks of these names and budgets."""
    web = RecordedWeb(recording.folder)
    labels = [label for label in web.about["labels"] if ":" not in label]
    tasks = tuple(
        Task(name, (label,), label, (recording.start,), budget, description=label)
        for name, label, budget in zip(names, labels, budgets, strict=False)
    )
    experiment = Experiment(folder)
    specs = [Spec.parse(policy) for policy in POLICIES]
    experiment.ask([TaskFile(recording.folder, tasks)], specs, 1, "wolfspider lab run tasks.toml")
    assert len(list(experiment.run())) == len(tasks) * len(POLICIES)
    return experiment


@pytest.fixture(scope="module")
def experiment(recording: Recording, tmp_path_factory: pytest.TempPathFactory) -> Experiment:
    folder = tmp_path_factory.mktemp("plain") / "results"
    return experiment_on(recording, folder, ["one", "two", "three", "four"], [200] * 4)


@pytest.fixture(scope="module")
def summary(experiment: Experiment) -> Summary:
    return Summary.of(experiment)


@pytest.fixture(scope="module")
def files(experiment: Experiment, summary: Summary) -> dict[str, Path]:
    written = write_report(summary, experiment, experiment.folder)
    return {path.name: path for path in written}


@pytest.fixture(scope="module")
def hostile(recording: Recording, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report whose tasks, policies and tracebacks have names that want to do harm."""
    folder = tmp_path_factory.mktemp("hostile") / "results"
    experiment = experiment_on(recording, folder, HOSTILE, [100] * len(HOSTILE))
    renamed = {"best-first": HOSTILE[0], "random": HOSTILE[1], "optimal": "optimal:<i>=1"}
    for path in sorted((folder / "runs").iterdir()):
        trace = Trace.load(path)
        fails = trace.key.policy == "random" and trace.key.task == HOSTILE[0]
        error = "Traceback\n  File x\nValueError: <b>bad</b>" if fails else ""
        policy = renamed.get(trace.key.policy, trace.key.policy)
        replace(trace, key=replace(trace.key, policy=policy), error=error).save(path)
    return write_report(Summary.of(experiment), experiment, folder)[0]


# -- curves ------------------------------------------------------------------------------------


def test_equal_budgets_are_counted_in_fetches(summary: Summary) -> None:
    curves = Curves(summary)
    assert curves.axis == FETCHES
    curve = curves.of("best-first", "recall")
    assert curve is not None
    assert curve.x.tolist() == list(range(201))
    assert curve.mean[0] == 0
    for n in (1, 50, 200):
        values = list(summary.values("best-first", f"recall@{n}").values())
        assert curve.mean[n] == pytest.approx(np.mean(values))
        assert curve.error[n] == pytest.approx(np.std(values, ddof=1) / np.sqrt(len(values)))


def test_other_budgets_are_shares(recording: Recording, tmp_path: Path) -> None:
    experiment = experiment_on(recording, tmp_path / "r", ["a", "b"], [40, 150])
    curves = Curves(Summary.of(experiment))
    assert curves.axis == BUDGET
    curve = curves.of("best-first", "recall")
    assert curve is not None
    assert len(curve.x) == 201
    halves = [
        curves.summary.measured(trace, f"recall@{n}")
        for trace, n in zip(_traces(curves.summary, "best-first"), (20, 75), strict=True)
    ]
    assert curve.mean[100] == pytest.approx(np.mean(halves))
    assert (
        "share of the budget"
        in write_report(curves.summary, experiment, experiment.folder)[0].read_text()
    )


def _traces(summary: Summary, policy: str) -> list[Trace]:
    return [trace for trace in summary.traces if trace.key.policy == policy]


def test_whole_webs_of_different_size_are_shares_of_what_can_be_reached(
    summary: Summary,
) -> None:
    grounds = dict(summary.grounds)
    for depth, unit in enumerate(grounds, 2):
        task = replace(grounds[unit].task, budget=None, cone=depth)
        grounds[unit] = type(grounds[unit]).lay(grounds[unit].web, task)
    if len({ground.budget for ground in grounds.values()}) == 1:
        pytest.skip("all cones of this web are of one size")
    assert Curves(replace(summary, grounds=grounds)).axis == REACHABLE


# -- files -------------------------------------------------------------------------------------


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_all_files_are_written_and_nothing_else(experiment: Experiment, files: object) -> None:
    there = {path.name for path in experiment.folder.iterdir()}
    assert there == {*FILES, "experiment.json", "runs", ".lock"}


def test_the_summary_is_tidy(files: dict[str, Path], summary: Summary) -> None:
    rows = rows_of(files["summary.csv"])
    assert list(rows[0]) == ["policy", "metric", "mean", "se", "median"]
    found = {(row["policy"], row["metric"]): row for row in rows}
    assert len(found) == len(rows)
    for policy, cells in summary.table().items():
        for name, cell in cells.items():
            for key, value in cell.items():
                text = found[policy, name][key]
                assert (float(text) if text else None) == value


def test_there_is_a_row_for_each_run(files: dict[str, Path], summary: Summary) -> None:
    rows = rows_of(files["runs.csv"])
    assert len(rows) == len(summary.traces) == 16
    keys = ["web", "task", "policy", "repeat", "pages", "seconds", "cpu", "training", "failed"]
    assert list(rows[0]) == [*keys, *summary.metric_names()]
    first, trace = rows[0], summary.traces[0]
    assert first["web"] == trace.key.web
    assert first["failed"] == "false"
    assert int(first["pages"]) == len(trace)
    assert float(first["auc"]) == summary.measured(trace, "auc")


def test_parquet_holds_what_csv_holds(files: dict[str, Path]) -> None:
    for name in ("summary", "runs", "curves"):
        table = pq.read_table(files[f"{name}.parquet"]).to_pylist()
        rows = rows_of(files[f"{name}.csv"])
        assert len(table) == len(rows)
        for typed, plain in zip(table, rows, strict=True):
            assert {key: _as_text(value) for key, value in typed.items()} == plain


def _as_text(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def test_curves_hold_both_metrics(files: dict[str, Path]) -> None:
    rows = rows_of(files["curves.csv"])
    assert list(rows[0]) == ["policy", "metric", "x", "mean", "se", "axis"]
    assert {row["metric"] for row in rows} == {"recall", "similarity"}
    assert {row["axis"] for row in rows} == {"fetches"}
    ends = {row["policy"]: float(row["mean"]) for row in rows if row["metric"] == "recall"}
    assert ends["optimal"] == max(ends.values())


def test_no_text_cell_is_a_formula(tmp_path: Path) -> None:
    names = naughty_strings()
    columns: dict[str, list[Any]] = {"name": names, "value": [-1.5] * len(names)}
    write_csv(columns, tmp_path / "a.csv")
    write_parquet(columns, tmp_path / "a.parquet")
    rows = rows_of(tmp_path / "a.csv")
    assert len(rows) == len(names)
    assert not [row for row in rows if row["name"].startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert rows[2]["name"] == "'" + HOSTILE[2]
    assert {row["value"] for row in rows} == {"-1.5"}, "numbers are left as they are"
    read = pq.read_table(tmp_path / "a.parquet").to_pydict()["name"]
    assert read == [name.encode(errors="replace").decode() for name in names]


# -- what it says ------------------------------------------------------------------------------


def compared(difference: float, p: float, pairs: int = 16) -> Comparison:
    interval = (difference - 1, difference + 1)
    return Comparison(difference, difference, interval, p, p, pairs, 0, pairs)


def test_better_is_a_matter_of_the_metric() -> None:
    assert verdict(compared(0.5, 0.0005), "auc") == (True, "***")
    assert verdict(compared(0.5, 0.005), "to50") == (False, "**")
    assert verdict(compared(-0.5, 0.03), "to50") == (True, "*")
    assert verdict(compared(0.5, 0.05), "auc") == (None, "")


def test_numbers_have_the_digits_of_their_column() -> None:
    assert number(0.7464, 0.9) == "0.746"
    assert number(12.25, 543) == "12"
    assert number(-0.0001, 1.0) == "0.000"
    assert number(-0.25, 1.0, sign=True) == "−0.250"
    assert number(0.000123, 0.0002) == "0.00012"
    assert number(0.0, 0.0) == "0.000"
    assert number(None, 1.0) == number(float("nan"), 1.0) == "–"
    assert p_text(0.0004) == "p\xa0<\xa00.001"


def test_the_sentence_comes_from_the_data(summary: Summary) -> None:
    findings = Findings(summary)
    best, table = findings.best, summary.table()
    assert best != "optimal"
    means = {policy: table[policy]["auc"]["mean"] or 0.0 for policy in POLICIES[:3]}
    assert best == max(means, key=lambda policy: means[policy])
    sentence = findings.headline()
    difference = summary.compare("breadth-first", "auc")[best].difference
    assert sentence.startswith(f"{best} is best by auc")
    assert f"{difference:.3f} more than breadth-first" in sentence
    assert "with 4 starts no difference can be told from chance" in sentence


def test_a_baseline_that_wins_is_said_to_win(summary: Summary) -> None:
    best = Findings(summary).best
    findings = Findings(summary, baseline=best)
    assert findings.headline().endswith("no policy here beats this baseline.")
    assert findings.runner_up() == ""


@pytest.mark.parametrize("metric", ["to50", "first_target", "cost"])
def test_low_may_be_good(summary: Summary, metric: str) -> None:
    findings = Findings(summary, metric)
    means = [findings.table[policy][metric]["mean"] or 0.0 for policy in findings.order]
    assert means == sorted(means)
    assert findings.columns[0] == metric


@pytest.mark.parametrize(
    "metric", ["gap", "gap20", "worst", "performance_cost", "similarity@50", "log_reward:0.5"]
)
def test_any_metric_can_sort(
    summary: Summary, experiment: Experiment, tmp_path: Path, metric: str
) -> None:
    page = write_report(summary, experiment, tmp_path, metric=metric)[0].read_text()
    assert f"is best by {metric} (" in page
    assert Findings(summary, metric).columns[0] == metric


def test_a_test_by_another_metric_is_called_so(summary: Summary) -> None:
    assert re.search(
        r"is best by gap \(.*\): 0\.\d+; by auc it has 0", Findings(summary, "gap").headline()
    )


def test_no_value_at_all_is_said(summary: Summary) -> None:
    nothing = [replace(trace, pages=np.full(3, -1, np.int32)) for trace in summary.traces]
    findings = Findings(replace(summary, traces=tuple(nothing)), "log_reward:0.5")
    assert "comes first, but no policy has a finite log_reward:0.5" in findings.headline()


def test_every_metric_has_words(summary: Summary) -> None:
    for name in [*summary.metric_names(), *summary.pooled("optimal")]:
        assert title(name)
        assert meaning(name).endswith(".")
    assert title("targets@1000") == "targets found in 1,000 fetches"


def test_bad_wishes_are_sentences_and_write_nothing(
    summary: Summary, experiment: Experiment, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match="unknown metric 'beauty'; known: first_target"):
        write_report(summary, experiment, tmp_path, metric="beauty")
    with pytest.raises(BadInput, match="no runs of 'bfs' in these results; known: breadth-first"):
        write_report(summary, experiment, tmp_path, baseline="bfs")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(BadInput, match="cannot write the report to"):
        write_report(summary, experiment, tmp_path / "missing")


def test_a_failure_while_writing_leaves_the_old_report(
    summary: Summary, experiment: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "report.html").write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("wolfspider.lab.report.export.pq.write_table", full)
    with pytest.raises(BadInput, match="No space left on device"):
        write_report(summary, experiment, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert (tmp_path / "report.html").read_text() == "old"


# -- the command -------------------------------------------------------------------------------


def test_the_command_prints_where_the_page_is(experiment: Experiment) -> None:
    done = CliRunner().invoke(report, [str(experiment.folder)])
    assert done.exit_code == 0
    assert done.stdout == f"{experiment.folder / 'report.html'}\n"
    assert "is best by auc" in done.stderr
    quiet = CliRunner().invoke(report, [str(experiment.folder), "--quiet"])
    assert quiet.stderr == ""


def test_the_command_speaks_json(experiment: Experiment) -> None:
    done = CliRunner().invoke(report, [str(experiment.folder), "--json", "--metric", "gap"])
    result = json.loads(done.stdout)
    assert [Path(file).name for file in result["files"]] == FILES
    assert result["result"].startswith(result["best"])


def test_a_folder_without_results_is_a_sentence(tmp_path: Path) -> None:
    done = CliRunner().invoke(report, [str(tmp_path)])
    assert isinstance(done.exception, BadInput)
    assert "holds no results" in str(done.exception)
    assert list(tmp_path.iterdir()) == []


def test_the_help_ends_with_an_example() -> None:
    lines = CliRunner().invoke(report, ["--help"]).stdout.strip().splitlines()
    assert lines[-1].strip().startswith("wolfspider lab report results/")


# -- the page ----------------------------------------------------------------------------------


def test_the_page_needs_nothing_from_elsewhere(files: dict[str, Path], hostile: Path) -> None:
    for path in (files["report.html"], hostile):
        text = path.read_text()
        tree = LexborHTMLParser(text)
        policy = tree.css_first("meta[http-equiv=Content-Security-Policy]")
        assert policy is not None
        assert policy.attributes["content"] == (
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
            "img-src data:"
        )
        for node in tree.css("[src], [href], [action], [srcset], [data]"):
            link = node.attributes.get("href") or ""
            assert link.startswith(("#", "data:")), node.html
        style = tree.css_first("style")
        assert style is not None
        assert not re.search(r"url\(|@import|expression", style.text())
        assert len(tree.css("script")) == 1
        assert not tree.css("img, iframe, object, embed, form, base")


def test_the_same_results_make_the_same_page(
    summary: Summary, experiment: Experiment, tmp_path: Path
) -> None:
    first = [path.read_bytes() for path in write_report(summary, experiment, tmp_path)]
    again = [path.read_bytes() for path in write_report(summary, experiment, tmp_path)]
    assert first == again


def test_the_page_has_its_parts_in_order(files: dict[str, Path], hostile: Path) -> None:
    usual = ["recall", "similarity", "cost", "table", "tasks", "repeat", "words"]
    for path, expected in (
        (files["report.html"], usual),
        (hostile, [*usual[:5], "failed", *usual[5:]]),
    ):
        tree = LexborHTMLParser(path.read_text())
        assert [node.attributes["id"] for node in tree.css("h2")] == expected
        for cell in tree.css("thead th, tbody th"):
            assert cell.attributes["scope"] in ("col", "row")


def test_oracles_are_marked(files: dict[str, Path]) -> None:
    tree = LexborHTMLParser(files["report.html"].read_text())
    marked = [row.text() for row in tree.css("table.main tr.is-oracle")]
    assert len(marked) == 1
    assert "optimal" in marked[0]
    assert "oracle" in marked[0]
    names = {node.attributes["data-name"] for node in tree.css("polyline.oracle")}
    assert names == {"optimal"}


def test_it_can_be_repeated_from_the_page(files: dict[str, Path], experiment: Experiment) -> None:
    text = files["report.html"].read_text()
    for fact in ("wolfspider lab run tasks.toml", "wolfspider lab report", "python 3."):
        assert fact in text
    assert all(digest in text for digest in experiment.about["webs"].values())


def test_hostile_names_are_text(hostile: Path) -> None:
    text = hostile.read_text()
    assert "<script>alert" not in text
    assert "<img" not in text
    tree = LexborHTMLParser(text)
    assert [node.text() for node in tree.css(".multiples h3")] == HOSTILE
    names = {node.text() for node in tree.css("table.main .policy")}
    assert names == {"breadth-first", "optimal:<i>=1", *HOSTILE[:2]}
    failure = tree.css_first(".failure")
    assert failure is not None
    assert "ValueError: <b>bad</b>" in failure.text()
    assert "<b>" not in (failure.html or "")


def test_a_policy_that_failed_somewhere_says_so(hostile: Path) -> None:
    tree = LexborHTMLParser(hostile.read_text())
    starts = len(tree.css(".multiples h3"))
    badges = [node.text() for node in tree.css("table.main .warn")]
    assert badges == [f"{starts - 1} of {starts} starts"]


def test_runs_that_are_missing_are_counted(recording: Recording, tmp_path: Path) -> None:
    experiment = experiment_on(recording, tmp_path / "r", ["a", "b"], [30, 30])
    total = len(experiment.jobs)
    sorted((experiment.folder / "runs").iterdir())[0].unlink()
    page = write_report(Summary.of(experiment), experiment, experiment.folder)[0].read_text()
    told = f"only {total - 1} of {total} runs are there; go on with: "
    assert 0 < page.index(told) < page.index('class="lead"')  # before it says which is best


def test_ten_policies_and_twenty_tasks_stay_small(summary: Summary, tmp_path: Path) -> None:
    """The size of a page is decided by points and lines, not by how long the crawls were."""
    x = np.arange(50_000.0)
    y = np.random.default_rng(0).random(50_000).cumsum() / 25_000
    lines = [Series(f"policy {k}", Look(k), x, y, y / 9).thinned(300) for k in range(10)]
    wide = line_chart("", lines, Axis("fetches", 5e4), Axis("", 1), size=(1000, 430))
    small = line_chart(
        "",
        [replace(line, error=None).thinned(90) for line in lines],
        Axis("", 5e4),
        Axis("", 1),
        size=(300, 190),
        labels=False,
    )
    assert isinstance(wide, Markup)
    assert 3 * len(wide) + 20 * len(small) < 1_000_000


# -- in a browser ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as driver:
        yield driver


@in_browser
@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_the_page_fits_and_is_quiet(
    browser: Any, files: dict[str, Path], hostile: Path, width: int, scheme: str
) -> None:
    for page in (files["report.html"], hostile):
        show(browser, page, width, scheme)
        browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
        wide = browser.execute_script("return document.documentElement.scrollWidth")
        assert wide <= width
        assert browser.get_log("browser") == []
        ground = "return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
        assert (max(browser.execute_script(ground)) < 60) == (scheme == "dark")


@in_browser
@pytest.mark.parametrize("width", [390, 1280])
def test_the_curves_can_be_seen(browser: Any, files: dict[str, Path], width: int) -> None:
    show(browser, files["report.html"], width)
    lines = browser.find_elements("css selector", "#recall ~ figure polyline")
    visible = [line for line in lines if line.rect["width"] > 100 and line.rect["height"] > 5]
    assert sorted(line.get_attribute("data-name") for line in visible) == sorted(POLICIES)
    for line in visible:
        stroke = "return getComputedStyle(arguments[0]).stroke"
        assert browser.execute_script(stroke, line).startswith("rgb")


@in_browser
def test_labels_do_not_overlap(browser: Any, files: dict[str, Path], hostile: Path) -> None:
    for page in (files["report.html"], hostile):
        show(browser, page)
        for chart in browser.find_elements("css selector", ".wide .chart"):
            boxes = [text.rect for text in chart.find_elements("css selector", ".label")]
            boxes.sort(key=lambda box: box["y"])
            assert len(boxes) == len(POLICIES)
            for upper, lower in pairwise(boxes):
                assert lower["y"] - upper["y"] >= 0.8 * upper["height"]
            edge = chart.rect["x"] + chart.rect["width"]
            assert all(box["x"] + box["width"] <= edge + 1 for box in boxes)


@in_browser
def test_hostile_names_are_shown_and_not_run(browser: Any, hostile: Path) -> None:
    show(browser, hostile)
    titles = [each.text for each in browser.find_elements("css selector", ".multiples h3")]
    assert titles[:2] == HOSTILE[:2]
    assert browser.execute_script("return document.scripts.length") == 1
    assert browser.execute_script("return document.images.length") == 0


@in_browser
def test_the_pointer_reads_the_curves_out(browser: Any, hostile: Path) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    show(browser, hostile)
    chart = browser.find_element("css selector", ".wide .chart")
    ActionChains(browser).move_to_element(chart).perform()
    shown_box = browser.find_element("css selector", ".readout:not([hidden])")
    assert HOSTILE[0] in shown_box.text
    assert "fetches" in shown_box.text
    assert browser.get_log("browser") == []


@in_browser
def test_the_page_is_whole_without_scripts(browser: Any, files: dict[str, Path]) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        show(browser, files["report.html"])
        assert len(browser.find_elements("css selector", "svg.chart polyline")) > 8
        assert "How to repeat it" in browser.find_element("css selector", "#repeat").text
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
