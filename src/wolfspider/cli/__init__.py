"""The command line: one file for each command."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

import click

from wolfspider.cli.groups import lazy
from wolfspider.cli.interrupts import exit_code
from wolfspider.cli.output import GENERATE, example
from wolfspider.errors import WolfspiderError

_COMMANDS = (
    *("hunt", "resume", "status", "report", "why", "feedback", "export", "watch"),
    *("lab", "policies", "train", "web"),
)


@click.group(
    cls=lazy({name: name for name in _COMMANDS}),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=example(GENERATE),
)
@click.version_option(package_name="wolfspider")
def wolfspider() -> None:
    """A web crawler that learns which links lead to the pages you want."""


def main() -> None:
    """Run a command; what a person can put right is a sentence and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a title may hold what a terminal cannot show
    try:
        code = wolfspider(standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code)
    except BrokenPipeError:  # whoever read our output has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt) as error:
        print("wolfspider: interrupted", file=sys.stderr)
        sys.exit(exit_code(error.__cause__ or error))
    except WolfspiderError as error:
        print(f"wolfspider: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:  # a full disk, a folder that went away
        what = f"{error.filename}: " if error.filename else ""
        print(f"wolfspider: {what}{error.strerror or error}", file=sys.stderr)
        sys.exit(2)
