"""wolfspider web import …"""

from __future__ import annotations

from math import inf
from pathlib import Path

import click

from wolfspider.cli.compiling import finish, import_options, read
from wolfspider.cli.interrupts import cleaning_up
from wolfspider.cli.output import GENERATE, example, result_options
from wolfspider.cli.parameters import Moment, minute
from wolfspider.cli.web_info import print_info
from wolfspider.errors import BadInput
from wolfspider.store.as_web import recording_of
from wolfspider.store.opening import is_hunt
from wolfspider.watching.folder_asked import is_watch
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.folder import is_web
from wolfspider.webs.importers.mounts import base_url
from wolfspider.webs.importers.opening import open_recording
from wolfspider.webs.labels import read_labels


@click.command(
    "import",
    epilog=example(
        "wolfspider web import webs/generated.warc.gz \\\n"
        "      --labels webs/generated.labels.tsv -o webs/imported",
        GENERATE,
    ),
)
@click.argument("recordings", nargs=-1, required=True, type=click.Path(path_type=Path))
@import_options
@click.option("--at", type=Moment(), help="As it was then, in UTC: 2005-02-01 or 2005-02-01T12:30.")
@click.option("--all-captures", is_flag=True, help="Keep every version of a page: a changing web.")
@click.option("--base", default="", help="URL before the titles of a dump that has none.")
@click.option("--truncated-ok", is_flag=True, help="Import what a cut-off file holds.")
@result_options
def import_(
    recordings: tuple[Path, ...],
    out: Path,
    labels: Path | None,
    skip_unknown_labels: bool,
    pages_only: bool,
    at: float | None,
    all_captures: bool,
    base: str,
    truncated_ok: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Compile a recording into a web folder that replays at once.

    A recording is one or more files, and what each is, its content says: WARC (plain, gzip,
    zstd), WACZ, ARC, or a MediaWiki XML dump (plain, bzip2, gzip), whose categories become
    labels. Of several captures of a page the latest counts. The folder of a live hunt is a
    recording, too: its pages are labelled relevant and target as the hunt judged them. So is that
    of a watch: give --all-captures to have it change.
    """
    recordings = tuple(file for each in recordings for file in _files_of(each))
    for recording in recordings:
        _check(recording)
    rows = list(read_labels(labels)) if labels else []
    until = inf if at is None else at
    base = base_url(base) if base else ""
    when = "" if at is None else f" as on {minute(at)}"
    sources = [f"{path.name}{when}" for path in recordings]
    compiler = Compiler(out, sources, until, keep=not pages_only, changing=all_captures)
    with cleaning_up(), compiler:
        for recording in recordings:
            if is_hunt(recording):
                with recording_of(recording) as hunt:
                    read(compiler, hunt, quiet)
                    rows += hunt.labels()
            else:
                file = open_recording(recording, compiler.scratch, base)
                read(compiler, file, quiet, truncated_ok)
        finish(compiler, rows, skip_unknown_labels or any(map(is_hunt, recordings)), quiet)
    print_info(out, as_json)


def _files_of(recording: Path) -> list[Path]:
    """The WARC files of a watch; anything else stands for itself."""
    return sorted(recording.glob("*.warc.gz")) if is_watch(recording) else [recording]


def _check(recording: Path) -> None:
    if recording.is_file() or is_hunt(recording):
        return
    if is_web(recording):
        raise BadInput(f"{recording} is a web folder already; use it as it is")
    if recording.is_dir():
        raise BadInput(
            f"{recording} is a folder; give files or a hunt folder, or, for a folder of HTML: "
            f"wolfspider web import-folder {recording} --at URL -o FOLDER"
        )
    raise BadInput(f"there is no file {recording}; give a recording or a hunt folder")
