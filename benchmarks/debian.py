"""Webs to try policies on, made of packages of Debian 12; nothing is installed."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from wolfspider.lab.tasks import Task, write_tasks


def unpacked(package: str, scratch: Path) -> Path:
    """Fetch a package and unpack it; the folder `usr/share` of it."""
    here = scratch / package
    here.mkdir()
    quietly = ["-qq", "-o", "APT::Sandbox::User=root"]  # nobody else may write to `here`
    subprocess.run(["apt-get", "download", *quietly, package], cwd=here, check=True)
    [archive] = here.glob("*.deb")
    subprocess.run(["dpkg-deb", "-x", archive, here], check=True)
    archive.unlink()
    return here / "usr/share"


def import_folders(
    folders: Mapping[str, Path], labels: Iterable[tuple[str, str]], web: Path
) -> None:
    """Write a web folder of pages in folders, given by URL, and labels of pages."""
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as marks:
        marks.write("url\tlabel\n")
        marks.writelines(f"{url}\t{label}\n" for url, label in labels)
        marks.flush()
        at = [option for url in folders for option in ("--at", url)]
        wolfspider = Path(sys.executable).with_name("wolfspider")
        command: list[str | Path] = [wolfspider, "web", "import-folder", *folders.values(), *at]
        command += ["-o", web, "--labels", marks.name, "--skip-unknown-labels", "--pages-only"]
        subprocess.run(command, check=True)


def write_topics(web: Path, topics: Mapping[str, Sequence[str]], start: str, budget: int) -> None:
    """The tasks of a web, beside it: for each label of pages the keywords to find them by."""
    tasks = [
        Task(label, tuple(keywords), label, (start,), budget=budget)
        for label, keywords in topics.items()
    ]
    write_tasks(web.with_suffix(".toml"), web, tasks)


def parser(about: str | None) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=about.split("\n")[0] if about else None)
    made.add_argument("-o", "--out", type=Path, required=True, help="folder for the webs")
    return made


def build_all(
    webs: Mapping[Path, Callable[[Path, Path], None]], given: argparse.ArgumentParser
) -> None:
    """Build each web with a scratch folder of its own; none if one is there already."""
    for web in webs:
        if web.exists():
            given.error(f"{web} is there already; delete it first")
    for web, build in webs.items():
        with tempfile.TemporaryDirectory() as scratch:
            build(web, Path(scratch))
