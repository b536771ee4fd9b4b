"""wolfspider web import-folder …"""

from __future__ import annotations

from pathlib import Path

import click

from wolfspider.cli.compiling import finish, import_options, read
from wolfspider.cli.interrupts import cleaning_up
from wolfspider.cli.output import GENERATE, example, result_options
from wolfspider.cli.web_info import print_info
from wolfspider.errors import BadInput
from wolfspider.webs.compiler import Compiler
from wolfspider.webs.importers.html_folder import HtmlFolder
from wolfspider.webs.importers.mounts import check_mounts
from wolfspider.webs.labels import read_labels
from wolfspider.wording import several


@click.command(
    epilog=example(
        "wolfspider web import-folder site --at https://docs.example.org/ -o webs/site",
        GENERATE,
        "wolfspider web describe webs/generated -o site/index.html",
    )
)
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--at",
    multiple=True,
    required=True,
    metavar="URL",
    help="Address at which a folder stands; one for each folder, in the same order.",
)
@import_options
@result_options
def import_folder(
    folders: tuple[Path, ...],
    at: tuple[str, ...],
    out: Path,
    labels: Path | None,
    skip_unknown_labels: bool,
    pages_only: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Compile folders of HTML files into a web folder.

    Each stands at a web address, and an index.html is the folder it is in. Links from one folder
    into another lead there.
    """
    if len(folders) != len(at):
        raise BadInput(
            f"{several(len(folders), 'folder')} and {several(len(at), 'address', 'addresses')}; "
            "give one --at for each folder"
        )
    mounts = list(zip(folders, at, strict=True))
    check_mounts(mounts)
    rows = list(read_labels(labels)) if labels else []
    sources = [f"{folder.name} at {url}" for folder, url in mounts]
    with cleaning_up(), Compiler(out, sources, keep=not pages_only) as compiler:
        for folder, url in mounts:
            read(compiler, HtmlFolder(folder, url, mounts), quiet)
        finish(compiler, rows, skip_unknown_labels, quiet)
    print_info(out, as_json)
