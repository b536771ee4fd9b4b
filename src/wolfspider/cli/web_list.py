"""wolfspider web list …"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wolfspider.cli.output import GENERATE, example, note, plain, print_json, result_options
from wolfspider.cli.parameters import day
from wolfspider.errors import BadInput, WolfspiderError
from wolfspider.store.as_web import NAME as WEB_OF_A_HUNT
from wolfspider.store.opening import is_hunt
from wolfspider.webs.folder import is_web
from wolfspider.webs.recorded import RecordedWeb

_HEADINGS = ("name", "pages", "links", "hosts", "labels", "captured", "size", "digest")
_LEFT = ("name", "captured", "digest")  # words; the rest are numbers


@click.command(
    "list",
    epilog=example(
        "wolfspider web list webs",
        GENERATE,
    ),
)
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path))
@result_options
def list_(folders: tuple[Path, ...], as_json: bool, quiet: bool) -> None:
    """List the web folders in webs/, or in the folders given.

    Hunts on the live web are listed when they have been used as a web. The digest names the
    content: results of the lab say on which one they were made.
    """
    folders = folders or (Path("webs"),)
    for folder in folders:
        if not folder.is_dir():
            raise BadInput(f"there is no folder {folder}; give one that holds web folders")
    rows = []
    for path in sorted({path for folder in folders for path in _webs(folder)}):
        try:
            rows.append(_row(path))
        except WolfspiderError as error:
            note(f"left out: {error}")
    if as_json:
        print_json({"webs": rows})
    elif rows:
        _print_table([_shown(row) for row in rows])
    elif not quiet:
        note(f"no web folder in {', '.join(map(str, folders))}")


def _webs(folder: Path) -> list[Path]:
    """The folder itself, or those in it that are webs."""
    candidates = [folder, *sorted(path for path in folder.iterdir() if path.is_dir())]
    candidates = [path / WEB_OF_A_HUNT if is_hunt(path) else path for path in candidates]
    return [path for path in candidates if is_web(path)]


def _row(path: Path) -> dict[str, Any]:
    about = RecordedWeb(path).about
    return {
        "folder": str(path),
        **{key: about[key] for key in ("pages", "links", "hosts")},
        "labels": len(about["labels"]),
        "dates": about.get("dates", []),
        "versions": about.get("versions", 0),
        "bytes": sum(file.stat().st_size for file in path.rglob("*") if file.is_file()),
        "digest": about["digest"],
        "sources": about["sources"],
    }


def _shown(row: dict[str, Any]) -> dict[str, str]:
    counts = {key: f"{row[key]:,}" for key in ("pages", "links", "hosts", "labels")}
    return {
        "name": plain(row["folder"]),
        **counts,
        "captured": " to ".join(dict.fromkeys(map(day, row["dates"]))) or "–",
        "size": f"{row['bytes'] / 1e6:,.0f} MB",
        "digest": row["digest"],
    }


def _print_table(rows: list[dict[str, str]]) -> None:
    lines = [dict(zip(_HEADINGS, _HEADINGS, strict=True)), *rows]
    widths = {key: max(len(line[key]) for line in lines) for key in _HEADINGS}
    for line in lines:
        cells = [
            line[key].ljust(widths[key]) if key in _LEFT else line[key].rjust(widths[key])
            for key in _HEADINGS
        ]
        print("  ".join(cells).rstrip())
