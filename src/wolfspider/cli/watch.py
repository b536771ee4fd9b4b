"""wolfspider watch"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from wolfspider.cli.hunt import live_settings
from wolfspider.cli.output import example, result_options
from wolfspider.cli.parameters import Amount, Moment
from wolfspider.cli.watch_live import run_watch
from wolfspider.cli.watch_options import Span, live_options, refuse
from wolfspider.cli.watch_recorded import watch_recorded
from wolfspider.errors import BadInput
from wolfspider.specs import Spec
from wolfspider.watching.folder_asked import read_asked
from wolfspider.watching.live import Watch
from wolfspider.watching.live_asked import WatchAsked
from wolfspider.watching.simulation import COST

_PATH = click.Path(path_type=Path)
_NEWS = "wolfspider web generate-news -o webs/news --days 2 --articles 40 --sections 4"
_RECORDED = ("begin", "until", "cost")
_OF_RESUMED = ("seeds", "out", "web", "policy", "fleet", "changes", "random_seed", *_RECORDED)


@live_options
@click.command(
    epilog=example("wolfspider watch --web webs/news --fleet wl -o watches/simulated", _NEWS)
)
@click.option("--seed", "seeds", multiple=True, help="Where to begin; repeatable.")
@click.option("-o", "--out", type=_PATH, help="Watch folder to write.")
@click.option("--resume", type=_PATH, help="Go on with the watch in this folder.")
@click.option("--web", type=_PATH, help="A recorded web that changes; time is simulated.")
@click.option("--for", "seconds", type=Span(), help="Stop after so long: 30m, 6h, 2d.")
@click.option("--policy", help="foragers, breadth-first-recrawl or change-rate.  [foragers]")
@click.option("--fleet", help="Short for --policy foragers:fleet=…: wl, rl or wlrl.")
@click.option("--changes", is_flag=True, help="Report documents that changed, too.")
@click.option("--random-seed", default=0, show_default=True, help="Same seed, same choices.")
@click.option("--from", "begin", type=Moment(), help="Of a recorded web: begin then.")
@click.option("--until", type=Moment(), help="Of a recorded web: end then.")
@click.option(
    "--cost",
    type=Amount(min=0, min_open=True),
    default=COST,
    show_default=True,
    help="Of a recorded web: seconds that a download takes.",
)
@result_options
def watch(
    seeds: tuple[str, ...],
    out: Path | None,
    resume: Path | None,
    web: Path | None,
    seconds: float | None,
    policy: str | None,
    fleet: str | None,
    changes: bool,
    random_seed: int,
    begin: float | None,
    until: float | None,
    cost: float,
    as_json: bool,
    quiet: bool,
    **live: Any,
) -> None:
    """Watch a site: what is new there, and how soon do I have it?

    On the live web each new document is one line of JSON on standard output, as soon as it is
    found, and a line of documents.jsonl:

    \b
      wolfspider watch --seed https://news.example.org/ --for 6h \\
          --contact https://example.org/crawler -o watches/news

    Ctrl-C ends it in order; wolfspider watch --resume watches/news goes on. With --web a recording
    is watched, in simulated time, and what came of it is printed.
    """
    if resume is not None:
        refuse((*_OF_RESUMED, *live), "was said when the watch began; leave it out to resume it")
        asked = WatchAsked.of(read_asked(resume))
        asked = asked if seconds is None else replace(asked, seconds=seconds)
        run_watch(Watch.resume(asked, resume), resume, as_json=as_json, quiet=quiet)
        return
    spec = _spec(policy, fleet)
    if web is not None:
        refuse(live, "is about the live web; leave it out, or leave --web out")
        refuse(("changes",), "is about the live web: every version counts here; leave it out")
        refuse(("seconds",), "is about the live web; give --until, or leave --web out")
        watch_recorded(
            web,
            seeds,
            spec,
            random_seed,
            begin=begin,
            until=until,
            cost=cost,
            out=out,
            as_json=as_json,
            quiet=quiet,
        )
        return
    refuse(_RECORDED, "is about a recorded web; give --web, or leave it out")
    if out is None:
        raise BadInput("say where to keep what is found: -o watches/NAME")
    asked = WatchAsked(seeds, spec, seconds, changes, random_seed, live_settings(live))
    run_watch(Watch.begin(asked, out), out, as_json=as_json, quiet=quiet)


def _spec(policy: str | None, fleet: str | None) -> str:
    """The policy with its settings."""
    if policy and fleet:
        raise BadInput(f"--fleet is short for --policy foragers:fleet={fleet}; give one of them")
    return str(Spec.parse(f"foragers:fleet={fleet}" if fleet else policy or "foragers"))
