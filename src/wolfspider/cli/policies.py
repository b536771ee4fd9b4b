"""wolfspider policies"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import indent
from typing import Any

import click

from wolfspider.cli.output import example, print_json, result_options
from wolfspider.policies import Spec, check, describe
from wolfspider.watching.registry import describe_watchers


@click.command(epilog=example("wolfspider policies --json"))
@click.argument("name", required=False)
@result_options
def policies(name: str | None, as_json: bool, quiet: bool) -> None:
    """List the policies with their settings: those of hunts, then those of watches.

    With a NAME: what there is to say about that one.

    A setting is changed with --set name=value, or in a spec such as pagerank:every=25.
    """
    hunting, watching = describe(), describe_watchers()
    if name is not None:
        hunting = [each for each in hunting if each["name"] == name]
        watching = [each for each in watching if each["name"] == name]
        if not hunting and not watching:
            check(Spec(name))  # says which there are
    if as_json:
        print_json({"policies": hunting, "watch": watching})
        return
    if name is not None:
        _print([*hunting, *watching], quiet, whole=True)
        return
    _print(hunting, quiet)
    if not quiet:
        print("\nfor wolfspider watch:")
    _print(watching, quiet)


def _print(known: Sequence[Mapping[str, Any]], quiet: bool, *, whole: bool = False) -> None:
    for policy in known:
        settings = ", ".join(
            f"{name}={_written(default)}" for name, default in policy["settings"].items()
        )
        if quiet:
            print(policy["name"])
        else:
            about = policy["doc"] if whole else policy["about"]
            print(f"{policy['name']}\n{indent(about, '    ')}\n    settings: {settings or 'none'}")


def _written(default: object) -> str:
    if isinstance(default, bool):
        return "on" if default else "off"
    return "none" if default in (None, "") else str(default)
