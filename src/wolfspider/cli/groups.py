"""Groups of commands that load a command when it is asked for.

Nobody who hunts should wait for the lab, and nobody who lists webs for graph libraries.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module

import click


def lazy(commands: Mapping[str, str]) -> type[click.Group]:
    """A group class for commands given as `module:function` of this package."""

    class Lazy(click.Group):
        def list_commands(self, ctx: click.Context) -> list[str]:
            return list(commands)

        def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
            if cmd_name not in commands:
                return None
            module, _, function = commands[cmd_name].partition(":")
            loaded = import_module(f"wolfspider.cli.{module}")
            command: click.Command = getattr(loaded, function or module)
            return command

        def resolve_command(
            self, ctx: click.Context, args: list[str]
        ) -> tuple[str | None, click.Command | None, list[str]]:
            if not args[0].startswith("-") and args[0] not in commands:
                alike = get_close_matches(args[0], commands, 1)
                meant = f"did you mean {alike[0]}? " if alike else ""
                ctx.fail(f"no command is called {args[0]!r}; {meant}known: {', '.join(commands)}")
            return super().resolve_command(ctx, args)

    return Lazy
