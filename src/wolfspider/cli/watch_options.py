"""Options of `watch`: those of `hunt` that are about the live web, and spans of time."""

from __future__ import annotations

import re
from collections.abc import Iterable
from copy import copy
from dataclasses import fields
from typing import Any

import click
from click.core import ParameterSource

from wolfspider.cli.hunt import hunt
from wolfspider.errors import BadInput
from wolfspider.webs.live.pace import Pace
from wolfspider.webs.live.settings import LiveSettings

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_SPAN = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([smhd]?)")
_ONE_AT_A_TIME = ("at_once", "parsers", "connections_per_host")
_NEAR = {"stay_on": "domain"}  # a watch is of a site, where a hunt goes anywhere


class Span(click.ParamType[float]):
    """A span of time as seconds: 90s, 30m, 6h or 2d."""

    name = "duration"

    def convert(
        self, value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> float:
        if isinstance(value, float):
            return value
        found = _SPAN.fullmatch(str(value).strip().lower())
        if found is None:
            self.fail(f"{value!r} is no duration; write it as 30m, 6h or 2d", param, context)
        if not found[2]:
            self.fail(f"{value!r} has no unit; write it as 30m, 6h or 2d", param, context)
        seconds = float(found[1]) * _UNITS[found[2]]
        if not 0 < seconds < 1e9:
            self.fail(f"{value!r} is no time to watch; give more than 0", param, context)
        return seconds


def live_options(command: click.Command) -> click.Command:
    """Give a command the options of a hunt that are settings of a live crawl, before its last two,
    which are those of results."""
    names = {each.name for each in (*fields(LiveSettings), *fields(Pace))} - set(_ONE_AT_A_TIME)
    command.params[-2:-2] = [_near(each) for each in hunt.params if each.name in names]
    return command


def _near(option: click.Parameter) -> click.Parameter:
    if option.name not in _NEAR:
        return option
    ours = copy(option)
    ours.default = _NEAR[option.name]
    return ours


def refuse(names: Iterable[str], why: str) -> None:
    """Whoever gives an option expects it to do something."""
    context = click.get_current_context()
    options = {each.name: each.opts[0] for each in context.command.params}
    for name in names:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise BadInput(f"{options[name]} {why}")
