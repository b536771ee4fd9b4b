"""wolfspider web info …"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wolfspider.cli.output import GENERATE, example, print_facts, print_json, result_options
from wolfspider.cli.parameters import day
from wolfspider.store.as_web import as_web
from wolfspider.webs.recorded import RecordedWeb

_LABELS, _SOURCES = 12, 5  # shown; --json has all


@click.command(
    epilog=example(
        "wolfspider web info webs/generated --json",
        GENERATE,
    )
)
@click.argument("folder", type=click.Path(path_type=Path))
@result_options
def info(folder: Path, as_json: bool, quiet: bool) -> None:
    """Say what a web folder holds."""
    print_info(folder, as_json)


def print_info(folder: Path, as_json: bool) -> None:
    web = RecordedWeb(as_web(folder))
    about: dict[str, Any] = {"dates": [], "versions": 0} | web.about | {"start": web.start}
    if as_json:
        keys = ("pages", "links", "hosts", "labels", "digest", "start", "dates", "versions")
        print_json({key: about[key] for key in (*keys, "sources", "left_out")})
        return
    facts = {key: about[key] for key in ("pages", "links", "hosts", "digest", "start")}
    if about["dates"]:
        facts["captured"] = " to ".join(dict.fromkeys(map(day, about["dates"])))
    if about["versions"]:
        facts["versions"] = about["versions"]
    sources, more = about["sources"][:_SOURCES], len(about["sources"]) - _SOURCES
    facts["made of"] = ", ".join(sources) + (f" … and {more:,} more" if more > 0 else "")
    print_facts(facts)
    labels = sorted(about["labels"].items(), key=lambda item: -item[1])
    if labels:
        print(f"labels  {len(labels):,}, by pages:")
        print_facts({f"  {name}": count for name, count in labels[:_LABELS]})
        if len(labels) > _LABELS:
            print(f"  … and {len(labels) - _LABELS:,} more; --json lists all")
