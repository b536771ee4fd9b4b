"""wolfspider status"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from wolfspider.cli.foreseen import forecast_lines
from wolfspider.cli.opened import opened
from wolfspider.cli.output import (
    FIRST_HUNT,
    example,
    plain,
    print_facts,
    print_json,
    result_options,
)
from wolfspider.cli.why import clue_line
from wolfspider.standing import LATELY, in_a_sentence, standing_of
from wolfspider.store.opening import writer_of
from wolfspider.why import Paid, clues_that_paid
from wolfspider.wording import lasting

_CLUES = 5
_WIDE = 120  # characters of a line of the web


@click.command(epilog=example("wolfspider status hunts/stars", FIRST_HUNT))
@click.argument("folder", type=click.Path(path_type=Path))
@result_options
def status(folder: Path, as_json: bool, quiet: bool) -> None:
    """Say how a hunt goes or went; also while it runs, and after it was killed."""
    found = status_of(folder)
    if as_json:
        print_json(found)
    else:
        _print(found, quiet)


def status_of(folder: Path) -> dict[str, Any]:
    """Everything that can be said about a hunt, as JSON values; None for what is not known."""
    writer = writer_of(folder)  # first: one that ends while we read was running, and not killed
    with opened(folder) as reader:
        reader.db.execute("BEGIN")  # one moment for all that is read
        paid = clues_that_paid(reader, _CLUES).paid
        return standing_of(reader, writer) | {"clues": [asdict(each) for each in paid]}


def _short(text: str) -> str:
    return text if len(text) <= _WIDE else f"{text[: _WIDE - 1]}…"


# -- for people ----------------------------------------------------------------------------


def _print(found: Mapping[str, Any], quiet: bool) -> None:
    warc, checkpoint = found["warc"], found["checkpoint"]
    shown: dict[str, Any] = {"state": in_a_sentence(found)}
    shown |= {name: found[name] for name in ("topic", "policy", "web")}
    shown |= {"began with": found["began_with"]}
    shown |= {name: found[name] for name in ("pages", "relevant")}
    shown |= {
        "harvest rate": found["harvest_rate"],
        f"… of the last {LATELY}": found["harvest_rate_lately"],
        **{name: found[name] for name in ("targets", "refused", "bytes", "waiting", "started")},
        "drift": found["drift"],
        "last visit": found["last_visit"],
        "pages per second": found["pages_per_second"],
        "checkpoint": checkpoint
        and f"step {checkpoint['step']:,}, {lasting(checkpoint['age'])} ago",
        "WARC files": _sizes(warc) if warc else None,
    }
    shown |= forecast_lines(found["forecast"])
    print_facts({name: value for name, value in shown.items() if value is not None})
    if not quiet:
        _print_hosts(found)
        _print_clues(found)
        _print_errors(found)


def _sizes(warc: list[dict[str, Any]]) -> str:
    size = sum(file["bytes"] for file in warc)
    return f"{len(warc):,}, {size:,} bytes, the last {warc[-1]['name']}"


def _print_hosts(found: Mapping[str, Any]) -> None:
    if found["top_hosts"]:
        print(f"\nhosts  {found['hosts']:,}, by pages (of them relevant):")
    for each in found["top_hosts"]:
        print(f"  {each['pages']:>8,} ({each['relevant']:,})  {plain(each['host'])}")


def _print_clues(found: Mapping[str, Any]) -> None:
    if found["clues"]:
        print("\nclues that paid, with the relevant pages among those they spoke for:")
    for each in found["clues"]:
        print(clue_line(Paid(**each)))


def _print_errors(found: Mapping[str, Any]) -> None:
    if found["errors"]:
        print("\nfailed or refused, with the first example of each:")
    for each in found["errors"]:
        kind = plain(each["error"]) + (" (not asked for)" if each["refused"] else "")
        detail = f" — {plain(each['detail'])}" if each["detail"] else ""
        print(f"  {each['count']:>8,}  {kind}: {_short(plain(each['url']))}{_short(detail)}")
