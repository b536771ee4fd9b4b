"""wolfspider lab …"""

from __future__ import annotations

import math
import shlex
import sys
import time
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from wolfspider.cli.interrupts import cleaning_up
from wolfspider.cli.lab_forecast import forecast
from wolfspider.cli.lab_report import opened, report
from wolfspider.cli.lab_reproduce import reproduce
from wolfspider.cli.lab_runs import run_missing
from wolfspider.cli.lab_watches import run_watches
from wolfspider.cli.output import GENERATE, example, note, plain, print_json, result_options
from wolfspider.cli.progress import Meter
from wolfspider.errors import BadInput
from wolfspider.lab.experiment import Experiment, takes_buffer
from wolfspider.lab.metrics import higher_is_better
from wolfspider.lab.summary import Summary
from wolfspider.lab.tasks import Away, read_tasks, write_tasks
from wolfspider.lab.watches import is_watch_file
from wolfspider.lab.writing import tasks_for_labels
from wolfspider.policies import Spec
from wolfspider.store import read_asked
from wolfspider.store.as_web import NAME as WEB
from wolfspider.store.as_web import making
from wolfspider.store.opening import is_hunt
from wolfspider.webs.recorded import RecordedWeb
from wolfspider.wording import several

_PATH = click.Path(path_type=Path)


@click.group(epilog=example("wolfspider lab run --help"))
def lab() -> None:
    """Fair, repeatable comparisons of policies on recorded webs."""


@lab.command(
    epilog=example(
        "wolfspider lab run tasks.toml --policies breadth-first,best-first --repeat 5 -o results/",
        "wolfspider lab tasks webs/generated --all-labels --away 2 -o tasks.toml",
    )
)
@click.argument("files", nargs=-1, required=True, type=_PATH)
@click.option("--policies", required=True, help="Specs, comma between them.")
@click.option("--repeat", default=1, show_default=True, help="Runs of each, from other seeds.")
@click.option(
    "--carry", is_flag=True, help="Begin each repeat with what the one before learned, if it can."
)
@click.option("--jobs", default=1, show_default=True, help="Processes.")
@click.option("--web", type=_PATH, help="Use this web or hunt, not the one the file names.")
@click.option("--buffer", type=int, help="At most so many waiting links, for every policy.")
@click.option("-o", "--out", required=True, type=_PATH, help="Results folder; runs there are kept.")
@result_options
def run(
    files: tuple[Path, ...],
    policies: str,
    repeat: int,
    carry: bool,
    jobs: int,
    web: Path | None,
    buffer: int | None,
    out: Path,
    as_json: bool,
    quiet: bool,
) -> None:
    """Run policies on tasks; a killed run goes on where it was."""
    if repeat < 1 or jobs < 1:
        raise BadInput("--repeat and --jobs are numbers from 1 on")
    begin = time.perf_counter()
    watching = [is_watch_file(file) for file in files]
    if any(watching):
        if not all(watching) or buffer is not None or carry:
            raise BadInput("watches are run by themselves, and take no --buffer and no --carry")
        run_watches(files, specs(policies), repeat, jobs, web, out, as_json=as_json, quiet=quiet)
        return
    web = recorded(web, quiet) if web else None
    experiment = Experiment(out)
    experiment.ask(
        [read_tasks(file, web) for file in files],
        specs(policies, buffer),
        repeat,
        shlex.join(["wolfspider", *sys.argv[1:]]),
        carry=carry,
    )
    run_missing(experiment, jobs, quiet)
    summary = Summary.of(experiment)
    result = {
        "runs": len(summary.traces) + len(summary.failed),
        "failed": len(summary.failed),
        "seconds": round(time.perf_counter() - begin, 3),
        "policies": summary.table(),
    }
    if as_json:
        print_json(strict(result))
    else:
        print_table(summary)
    for trace in summary.failed:
        note(f"failed: {trace.key.policy} on {trace.key.task}: {trace.error.splitlines()[-1]}")
    if not quiet and not as_json:
        note(f"{result['runs']:,} runs in {out}; next: wolfspider lab report {out}")


def recorded(folder: Path, quiet: bool) -> Path:
    """A web folder: the given one, or that of a hunt, made now if need be."""
    if not is_hunt(folder):
        return folder
    meter = Meter("compiling the hunt", 1.0, unit="records", quiet=quiet)
    with cleaning_up(), closing(making(folder)) as steps, meter:
        for share, count in steps:
            meter.show(share, count)
    return folder / WEB


def strict(value: Any) -> Any:
    """The same with null for numbers that JSON cannot write."""
    if isinstance(value, dict):
        return {key: strict(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [strict(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def specs(policies: str, buffer: int | None = None) -> list[Spec]:
    """Specs as written on the command line, comma between, each with the buffer if it takes one."""
    texts = [part.strip() for part in policies.split(",") if part.strip()]
    if not texts:
        raise BadInput("--policies names no policy; see: wolfspider policies")
    if buffer is None:
        return [Spec.parse(text) for text in texts]
    if not any(Spec.parse(text).name == "breadth-first" for text in texts):
        texts.append("breadth-first")  # what `gap` counts from shall have the same buffer
    more = [f"buffer={buffer}"]
    return [Spec.parse(t, more if takes_buffer(Spec.parse(t)) else []) for t in texts]


def print_table(summary: Summary) -> None:
    """The numbers most people look at first, best policy on top."""
    columns = [f"targets@{summary.budget}", "auc", "gap", "gap20", "worst", "to50"]
    columns += ["first_target", "cpu_ms_per_page"]
    table = summary.table()
    order = sorted(table, key=lambda policy: -(table[policy]["auc"]["mean"] or 0))
    width = max(map(len, order), default=6)
    print(" ".join([f"{'policy':<{width}}", *(f"{name:>15}" for name in columns)]))
    for policy in order:
        cells = (_written(table[policy][name]["mean"]) for name in columns)
        print(" ".join([f"{policy:<{width}}", *(f"{each:>15}" for each in cells)]))


def _written(value: float | None) -> str:
    return "–" if value is None else f"{value:,.3f}" if abs(value) < 100 else f"{value:,.0f}"


@lab.command(
    epilog=example(
        "wolfspider lab compare results/ --baseline breadth-first --metric targets@1000",
        "wolfspider lab run tasks.toml --policies best-first -o results/",
    )
)
@click.argument("folder", type=_PATH)
@click.option("--baseline", default="breadth-first", show_default=True, help="Compare with this.")
@click.option("--metric", default="auc", show_default=True, help="E.g. targets@1000, to75.")
@result_options
def compare(folder: Path, baseline: str, metric: str, as_json: bool, quiet: bool) -> None:
    """Paired differences to a baseline: interval, Wilcoxon signed rank, Holm correction."""
    experiment, summary = opened(folder)
    summary.demand(metric)
    found = summary.compare(baseline, metric)
    if not quiet and (incomplete := experiment.incomplete()):
        note(plain(incomplete))
    if summary.failed and not quiet:
        note(f"{len(summary.failed)} failed runs are left out")
    if as_json:
        print_json(strict({policy: asdict(each) for policy, each in found.items()}))
        return
    print(f"{metric}, difference to {baseline}; 95 % interval; p by Wilcoxon signed rank, Holm")
    width = max(map(len, found), default=6)
    sign = -1 if higher_is_better(metric) else 1
    for policy, each in sorted(found.items(), key=lambda item: sign * item[1].difference):
        low, high = each.interval
        print(
            f"{policy:<{width}}  {each.difference:+10.4g}  [{low:+.4g}, {high:+.4g}]  "
            f"median {each.median:+.4g}  p {each.p:.3g}  Holm {each.p_holm:.3g}  "
            f"{each.wins} wins, {each.losses} losses of {each.pairs}"
        )


@lab.command(
    epilog=example(
        "wolfspider lab tasks webs/generated --all-labels --away 2 -o tasks.toml",
        GENERATE,
    )
)
@click.argument("folder", type=_PATH)
@click.option("--label", "labels", multiple=True, help="A task for this label; repeatable.")
@click.option("--all-labels", is_flag=True, help="A task for every label.")
@click.option("--min", "least", default=30, show_default=True, help="Pages a label must have.")
@click.option("--most", default=0, help="At most so many tasks, drawn at random; 0: all.")
@click.option("--away", default=3, show_default=True, help="Start so many links before a target.")
@click.option("--seeds", "count", default=10, show_default=True, help="Start pages of each run.")
@click.option("--budget", default=1000, show_default=True, help="Fetches of each run.")
@click.option("-o", "--out", required=True, type=_PATH, help="Task file to write.")
@result_options
def tasks(
    folder: Path,
    labels: tuple[str, ...],
    all_labels: bool,
    least: int,
    most: int,
    away: int,
    count: int,
    budget: int,
    out: Path,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write a task file for the labels of a web.

    FOLDER may be a hunt: its labels are relevant and target, its topic makes the keywords.
    """
    if out.exists():
        raise BadInput(f"{out} exists already; choose another file or remove it")
    if bool(labels) == all_labels:
        raise BadInput("say which labels: --label NAME (repeatable) or --all-labels")
    if least < 1 or most < 0 or away < 0 or count < 1 or budget < 1:
        raise BadInput(
            "--min, --seeds and --budget are numbers from 1 on, --most and --away from 0"
        )
    web = RecordedWeb(recorded(folder, quiet))
    found, left_out = tasks_for_labels(
        web, labels or None, least=least, most=most, seeds=Away(away, count), budget=budget
    )
    if not found:
        for reason in left_out:
            note(f"left out: {reason}")
        raise BadInput(f"no label of {folder} makes a task{'' if left_out else ': it has none'}")
    if is_hunt(folder):  # its labels do not say what was looked for
        keywords = tuple(read_asked(folder)["topic"].split())
        found = [replace(task, keywords=keywords) for task in found]
    write_tasks(out, folder, found)
    result: dict[str, Any] = {"file": str(out), "tasks": [t.name for t in found]}
    if as_json:
        print_json(result | {"left_out": left_out})
        return
    for reason in [] if quiet else left_out:
        note(f"left out: {reason}")
    print(f"{several(len(found), 'task')} in {out}")


lab.add_command(report)
lab.add_command(forecast)
lab.add_command(reproduce)
