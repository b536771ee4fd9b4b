"""wolfspider lab reproduce"""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path

import click

from wolfspider.cli.lab_runs import run_missing
from wolfspider.cli.output import GENERATE, example, note, print_json, result_options
from wolfspider.errors import BadInput
from wolfspider.lab.reproduce import PAPERS, write_page


@click.command(
    epilog=example(
        "wolfspider lab reproduce menczer-2004 --web webs/generated --topics 2",
        GENERATE,
    )
)
@click.argument("paper")
@click.option("--web", required=True, type=click.Path(path_type=Path), help="Labelled web folder.")
@click.option("--topics", default=25, show_default=True, help="How many topics at most.")
@click.option("--jobs", default=2, show_default=True, help="Processes.")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Folder for runs and the page.")
@result_options
def reproduce(
    paper: str,
    web: Path,
    topics: int,
    jobs: int,
    out: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Run a paper's experiment on a web of yours: its findings beside your numbers.

    Papers: menczer-2004 (Menczer, Pant & Srinivasan, Topical Web Crawlers).
    """
    if paper not in PAPERS:
        raise BadInput(f"unknown paper {paper!r}; known: {', '.join(PAPERS)}")
    if topics < 1 or jobs < 1:
        raise BadInput("--topics and --jobs are numbers from 1 on")
    begin = time.perf_counter()
    folder = out or Path("reproductions") / f"{paper}-{web.name}"
    experiment = PAPERS[paper].prepare(web, folder, topics=topics)
    run_missing(experiment, jobs, quiet)
    found = PAPERS[paper].conclude(experiment)
    page = write_page(found, experiment, folder)
    if as_json:
        result = {"paper": paper, "seconds": round(time.perf_counter() - begin, 1)}
        print_json(result | {"findings": [asdict(finding) for finding in found.findings]})
        return
    for finding in found.findings:
        print(f"{'agrees ' if finding.agrees else 'differs'}  {finding.claim}")
        if not quiet:
            print(f"         {finding.seen}")
            if finding.reason:
                print(f"         likely because {finding.reason}")
    if not quiet:
        note(f"curves and all numbers: {page}")
