"""The command line: one file for each command."""

from __future__ import annotations

import sys

import click

from wolfspider.cli.hunt import hunt
from wolfspider.cli.lab import lab
from wolfspider.cli.policies import policies
from wolfspider.cli.web import web
from wolfspider.errors import WolfspiderError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="wolfspider")
def wolfspider() -> None:
    """A web crawler that learns which links lead to the pages you want."""


wolfspider.add_command(hunt)
wolfspider.add_command(lab)
wolfspider.add_command(policies)
wolfspider.add_command(web)


def main() -> None:
    """Run a command; what a person can put right is a sentence and exit code 2."""
    try:
        wolfspider()
    except WolfspiderError as error:
        print(f"wolfspider: {error}", file=sys.stderr)
        sys.exit(2)
