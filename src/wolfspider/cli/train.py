"""wolfspider train …"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import click
import numpy as np

from wolfspider.cli.output import (
    GENERATE,
    example,
    note,
    plain,
    print_facts,
    print_json,
    result_options,
)
from wolfspider.errors import BadInput
from wolfspider.lab.tasks import read_tasks
from wolfspider.lab.training import map_of
from wolfspider.policies import Spec, demand_trained, known, trains
from wolfspider.policies import train as train_policy
from wolfspider.policies.registry import load
from wolfspider.store.as_web import as_web
from wolfspider.topics import Topic
from wolfspider.training.disk import digest_of, load_model, save_model
from wolfspider.training.maps import Map
from wolfspider.training.model import Model
from wolfspider.webs.new_folder import Beside
from wolfspider.webs.recorded import RecordedWeb

_PATH = click.Path(path_type=Path)


def _example(policy: str) -> str:
    out = f"models/{policy}"
    return f"wolfspider train {policy} --web webs/generated --label astronomy -o {out}"


_TRAIN = _example("rl-future")
_WORDS = 10  # shown of each bin


class _Policies(click.Group):
    """One command for each policy that is trained, and `explain`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*filter(trains, known()), "explain"]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        if cmd_name == "explain":
            return explain
        demand_trained(cmd_name)
        return _command(cmd_name)


@click.group(cls=_Policies, epilog=example(_TRAIN, GENERATE))
def train() -> None:
    """Let a policy learn from webs that are mapped, before it hunts."""


def _command(policy: str) -> click.Command:
    """Train this policy."""

    @click.command(policy, epilog=example(_example(policy), GENERATE))
    @click.option("--web", type=_PATH, help="The web to learn from; for --task, if not its own.")
    @click.option("--label", help="Targets are the pages with this label.")
    @click.option(
        "--known", multiple=True, help="Learn only from pages with this label; repeatable."
    )
    @click.option("--task", help="FILE.toml:NAME: learn what that task allows, for its targets.")
    @click.option(
        "--topic",
        help="Words you will hunt with; a task has its own. wolf-trained learns how far to heed "
        "them, the other policies do not know them.",
    )
    @click.option("--set", "settings", multiple=True, help="A setting: name=value.")
    @click.option("--random-seed", default=0, show_default=True, help="Same seed, same model.")
    @click.option("-o", "--out", required=True, type=_PATH, help="Folder to write the model to.")
    @result_options
    def command(
        web: Path | None,
        label: str | None,
        known: tuple[str, ...],
        task: str | None,
        topic: str | None,
        settings: tuple[str, ...],
        random_seed: int,
        out: Path,
        as_json: bool,
        quiet: bool,
    ) -> None:
        Beside(out).leave()  # what cannot be written is said now, and not after the training
        spec = Spec.parse(policy, settings)
        mapped = _of_task(task, web) if task else _of_labels(web, label, known)
        if topic is not None:
            mapped = replace(mapped, topic=Topic.of(topic))
        if not quiet:
            pages, targets = int(mapped.within.sum()), len(mapped.known_targets)
            note(f"learning from {pages:,} pages, {targets:,} of them targets")
        begin = time.monotonic()
        model = mapped.named(train_policy(spec, mapped, seed=random_seed))
        seconds = time.monotonic() - begin
        model = _told_where(model, mapped, task or label or "", known, seconds)
        save_model(model, out)
        _print(model, out, as_json)

    command.help = f"Train {policy} and write a model for: wolfspider hunt --policy {policy}."
    return command


def _of_task(task: str, web: Path | None) -> Map:
    """What a task of a file may learn from."""
    path, colon, name = task.rpartition(":")
    if not colon:
        raise BadInput(f"--task is {task!r}; write it as FILE.toml:NAME")
    file = read_tasks(Path(path), web)
    for each in file.tasks:
        if each.name == name:
            return map_of(RecordedWeb(file.web), each)
    names = ", ".join(each.name for each in file.tasks[:8])
    raise BadInput(f"{path} has no task {name!r}; it has: {names}")


def _of_labels(web: Path | None, label: str | None, known: tuple[str, ...]) -> Map:
    if web is None or label is None:
        raise BadInput(
            "say what to learn from: --web FOLDER --label LABEL, or --task FILE.toml:NAME"
        )
    recorded = RecordedWeb(as_web(web))
    targets, within = np.zeros(len(recorded), bool), np.full(len(recorded), not known)
    targets[recorded.label(label)] = True
    for each in known:
        within[recorded.label(each)] = True
    return Map(recorded, within, targets)


def _told_where(
    model: Model, mapped: Map, what: str, known: tuple[str, ...], seconds: float
) -> Model:
    about = {
        "web": mapped.web.folder.name,
        "web_digest": mapped.web.digest,
        "targets_of": what,
        "known": list(known),
        "seconds": round(seconds, 3),
    }
    if mapped.topic.keywords:
        about["topic"] = " ".join(mapped.topic.keywords)
    return replace(model, about=about | dict(model.about))


def _print(model: Model, folder: Path, as_json: bool) -> None:
    facts = {"policy": model.policy, "settings": dict(model.settings), **model.about}
    if as_json:
        print_json(facts | {"folder": str(folder), "digest": digest_of(model)})
        return
    settings = ", ".join(f"{name}={value}" for name, value in model.settings.items())
    plain_facts = {
        key: value for key, value in facts.items() if isinstance(value, (str, int, float))
    }
    print_facts(plain_facts | {"settings": settings, "model": str(folder)})


@click.command(epilog=example("wolfspider train explain models/rl-future", GENERATE, _TRAIN))
@click.argument("folder", type=_PATH)
@click.option(
    "--words",
    default=_WORDS,
    show_default=True,
    type=click.IntRange(min=1),
    help="How many of each bin.",
)
@result_options
def explain(folder: Path, words: int, as_json: bool, quiet: bool) -> None:
    """Say what a model has learned: how well, and by which words."""
    model = load_model(folder)
    told = load(model.policy).explain(model, words)
    if as_json:
        print_json({"policy": model.policy, **model.about, "words": told})
        return
    _print(model, folder, as_json=False)
    if model.about.get("confusion"):
        print("\nlinks of pages kept back: a row for each bin, a column for what it was taken for")
    for row in model.about.get("confusion", []):
        print("  ".join(f"{value:>7,}" for value in row))
    for name, best in told.items():
        print(f"\n{name}")
        print("  " + ", ".join(f"{plain(word)} ({bag})" for word, bag in best))
