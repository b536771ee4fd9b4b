"""What commands print: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from wolfspider.records import Link

GENERATE = "wolfspider web generate -o webs/generated --pages 2000 --keep-warc"
FIRST_HUNT = (
    'wolfspider hunt --web webs/generated --topic "astronomy telescope" '
    "--seed https://www.nithom.org.example/ --pages 100 -o hunts/stars"
)
Command = TypeVar("Command", bound=Callable[..., Any])


def result_options(command: Command) -> Command:
    """`--json` and `--quiet`, for every command that gives results."""
    command = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(
        command
    )
    return click.option("--quiet", "-q", is_flag=True, help="No progress, no extras.")(command)


def example(command: str, *first: str) -> str:
    """The end of a help text: an example that works, after the commands that prepare it."""
    lines = "".join(f"  {each}\n" for each in first)
    before = f"\b\nBefore the example:\n{lines}\n" if first else ""
    return f"{before}\b\nExample:\n  {command}"


def print_json(result: Mapping[str, Any]) -> None:
    plain_text = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    print(json.dumps(result, ensure_ascii=plain_text))


def print_facts(facts: Mapping[str, Any]) -> None:
    """Names and values in two columns."""
    width = max(map(len, facts))
    for name, value in facts.items():
        print(f"{plain(name):<{width}}  {_shown(value)}")


def note(text: str) -> None:
    """A remark that is not part of the result."""
    print(text, file=sys.stderr)


def promise(link: Link, expected: float | None) -> str:
    """What a waiting link promises: its expected yield, or its score where nobody expects any."""
    if not link.source and not link.depth:
        return "seed"  # it comes first, whatever it promises
    return f"{link.score:#.3g}" if expected is None else f"{100 * expected:.0f} %"


def plain(text: str) -> str:
    """Text from the web, safe on a terminal: no control characters."""
    return "".join(c if c.isprintable() else " " for c in text)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return plain(str(value))
