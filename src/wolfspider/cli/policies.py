"""wolfspider policies"""

from __future__ import annotations

import click

from wolfspider.cli.output import example, print_json, result_options
from wolfspider.policies import describe


@click.command(epilog=example("wolfspider policies --json"))
@result_options
def policies(as_json: bool, quiet: bool) -> None:
    """List the policies with their settings.

    A setting is changed with --set name=value, or in a spec such as pagerank:every=25.
    """
    known = describe()
    if as_json:
        print_json({"policies": known})
        return
    for policy in known:
        settings = ", ".join(
            f"{name}={_written(default)}" for name, default in policy["settings"].items()
        )
        if quiet:
            print(policy["name"])
        else:
            print(f"{policy['name']}\n    {policy['about']}\n    settings: {settings or 'none'}")


def _written(default: object) -> str:
    return "none" if default is None else str(default)
