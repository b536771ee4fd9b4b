"""wolfspider web describe …"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wolfspider.cli.output import (
    GENERATE,
    example,
    note,
    plain,
    print_facts,
    print_json,
    result_options,
)
from wolfspider.cli.progress import Meter
from wolfspider.store.as_web import as_web
from wolfspider.webs.recorded import RecordedWeb

if TYPE_CHECKING:
    from wolfspider.lab.describe.description import Description, Settings


@click.command(
    epilog=example(
        "wolfspider web describe webs/generated --label astronomy",
        GENERATE,
    )
)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--label", help="Say where the pages with this label are, too.")
@click.option("--start", metavar="URL", help="Measure depth from this page, not from the first.")
@click.option(
    "--height",
    default=4,
    show_default=True,
    type=click.IntRange(1, 100),
    help="Links up to which ancestors of targets are counted.",
)
@click.option(
    "--sources",
    default=200,
    show_default=True,
    type=click.IntRange(1),
    help="Pages from which distances are measured; with as many as there are it is exact.",
)
@click.option("--random-seed", default=0, show_default=True, help="Same seed, same numbers.")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), help="Page to write; FOLDER.html if not given."
)
@result_options
def describe(
    folder: Path,
    label: str | None,
    start: str | None,
    height: int,
    sources: int,
    random_seed: int,
    out: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Measure a web: its graph, its hosts, where targets are, whether near pages are alike.

    Prints the numbers and writes a page with plots.
    """
    # Here, since the packages for it take a second to load.
    from wolfspider.drawing.html import demand_free
    from wolfspider.lab.describe.description import Settings
    from wolfspider.lab.describe.page import write_page

    settings = Settings(label, start, height, sources, random_seed)
    web = RecordedWeb(as_web(folder))
    path = out or _beside(folder)
    demand_free(path)
    found = _described(web, settings, quiet)
    write_page(found, path, _command(folder, settings, out))
    if as_json:
        print_json(found.as_dict() | {"page": str(path)})
        return
    _print(found)
    if not quiet:
        note(f"page with plots: {path}")


def _beside(folder: Path) -> Path:
    named = folder if folder.name not in ("", "..") else folder.resolve()
    return named.with_name(f"{named.name}.html")


def _described(web: RecordedWeb, settings: Settings, quiet: bool) -> Description:
    from wolfspider.lab.describe.description import describing

    steps = describing(web, settings)
    seen: set[str] = set()
    with Meter("describing", 1.0, unit="steps", rate=False, quiet=quiet) as meter:
        while True:
            try:
                share, what = next(steps)
            except StopIteration as end:
                found: Description = end.value
                return found
            seen.add(what)
            meter.show(share, len(seen), what)


def _print(found: Description) -> None:
    from wolfspider.lab.describe.facts import sections

    for name, facts in sections(found).items():
        if name != "web":
            print(f"\n{name}")
        print_facts({f"  {plain(key)}": value for key, value in facts.items()})


def _command(folder: Path, settings: Settings, out: Path | None) -> str:
    """The command that makes the same page again."""
    words = ["wolfspider", "web", "describe", str(folder)]
    words += ["--label", settings.label] if settings.label is not None else []
    words += ["--start", settings.start] if settings.start is not None else []
    words += ["--height", str(settings.height), "--sources", str(settings.sources)]
    words += ["--random-seed", str(settings.random_seed)]
    words += ["-o", str(out)] if out else []
    return shlex.join(words)
