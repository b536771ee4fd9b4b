"""wolfspider policies"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from wolfspider.cli.output import example, print_json, result_options
from wolfspider.policies import describe
from wolfspider.watching.registry import describe_watchers


@click.command(epilog=example("wolfspider policies --json"))
@result_options
def policies(as_json: bool, quiet: bool) -> None:
    """List the policies with their settings: those of hunts, then those of watches.

    A setting is changed with --set name=value, or in a spec such as pagerank:every=25.
    """
    hunting, watching = describe(), describe_watchers()
    if as_json:
        print_json({"policies": hunting, "watch": watching})
        return
    _print(hunting, quiet)
    if not quiet:
        print("\nfor wolfspider watch:")
    _print(watching, quiet)


def _print(known: Sequence[Mapping[str, Any]], quiet: bool) -> None:
    for policy in known:
        settings = ", ".join(
            f"{name}={_written(default)}" for name, default in policy["settings"].items()
        )
        if quiet:
            print(policy["name"])
        else:
            print(f"{policy['name']}\n    {policy['about']}\n    settings: {settings or 'none'}")


def _written(default: object) -> str:
    if isinstance(default, bool):
        return "on" if default else "off"
    return "none" if default in (None, "") else str(default)
