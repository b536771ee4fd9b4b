"""wolfspider lab reproduce"""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from wolfspider.cli.lab_runs import run_missing
from wolfspider.cli.output import GENERATE, example, note, print_json, result_options
from wolfspider.cli.progress import Meter
from wolfspider.errors import BadInput
from wolfspider.lab.experiment import Experiment
from wolfspider.lab.reproduce import PAPERS, write_page


@click.command(
    epilog=example(
        "wolfspider lab reproduce menczer-2004 --web webs/generated --topics 2",
        GENERATE,
    )
)
@click.argument("paper")
@click.option("--web", type=click.Path(path_type=Path), help="Web folder, labelled or changing.")
@click.option("--topics", type=int, help="How many topics at most; 25 if not said.")
@click.option("--sites", help="How labels of sites begin; site: if not said.")
@click.option("--targets", help="Labels of pages to find, comma between.")
@click.option("--lists", help="Labels of pages whose list is to be found.")
@click.option("--labels", help="Labels that are searched for, comma between.")
@click.option("--parts", type=int, help="How many parts the web is cut into; 4 if not said.")
@click.option("--starts", type=int, help="Start pages of each condition at most; 24 if not said.")
@click.option("--words", help="Words that articles are about, comma between.")
@click.option("--lessons", type=int, help="Crawls in a row of each topic; 10 if not said.")
@click.option("--days", type=int, help="How long foragers watch; 8 if not said.")
@click.option("--articles", type=int, help="New articles on a day of the news site; 300.")
@click.option("--jobs", default=2, show_default=True, help="Processes.")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Folder for runs and the page.")
@result_options
def reproduce(
    paper: str,
    web: Path | None,
    topics: int | None,
    sites: str | None,
    targets: str | None,
    lists: str | None,
    labels: str | None,
    parts: int | None,
    starts: int | None,
    words: str | None,
    lessons: int | None,
    days: int | None,
    articles: int | None,
    jobs: int,
    out: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Run a paper's experiment on a web of yours: its findings beside your numbers.

    Papers: menczer-2004 (Menczer, Pant & Srinivasan, Topical Web Crawlers), with --topics;
    rennie-mccallum-1999 (Rennie & McCallum, Using Reinforcement Learning to Spider the Web
    Efficiently), with --sites, --targets and --lists, on a web whose labels tell sites apart;
    young-2005 (Young, Exploiting the Structure of the Web for Spidering), with --labels, --parts
    and --starts; han-2018 (Han, Wuillemin & Senellart, Focused Crawling through Reinforcement
    Learning), with --words and --lessons; palotai-2005 (Palotai, Farkas & Lőrincz, Is Selection
    Optimal for Scale-Free Small Worlds?), with --days and --articles, on a news site of its own
    and, with --web, on another changing web.
    """
    if paper not in PAPERS:
        raise BadInput(f"unknown paper {paper!r}; known: {', '.join(PAPERS)}")
    numbers = {"topics": topics, "parts": parts, "starts": starts, "lessons": lessons}
    numbers |= {"days": days, "articles": articles}
    for name, number in (*numbers.items(), ("jobs", jobs)):
        if number is not None and number < 1:
            raise BadInput(f"--{name} is a number from 1 on")
    asked: dict[str, Any] = numbers | {"sites": sites}
    texts = {"targets": targets, "lists": lists, "labels": labels, "words": words}
    for name, text in texts.items():
        asked[name] = _labels(name, text)
    if web is None and PAPERS[paper].web:
        raise BadInput(f"{paper} needs a web to be run on: --web FOLDER")
    begin = time.perf_counter()
    folder = out or Path("reproductions") / (f"{paper}-{web.name}" if web else paper)
    if PAPERS[paper].first and not quiet:
        note(f"making {PAPERS[paper].first}")
    experiment = PAPERS[paper].prepare(web, folder, **_options(paper, asked))
    run_missing(experiment, jobs, quiet)
    _measure(paper, experiment, quiet)
    found = PAPERS[paper].conclude(experiment)
    page = write_page(found, experiment, folder)
    if as_json:
        result = {"paper": paper, "seconds": round(time.perf_counter() - begin, 1)}
        print_json(result | {"findings": [asdict(finding) for finding in found.findings]})
        return
    for finding in found.findings:
        print(f"{finding.verdict:11}  {finding.claim}")
        if not quiet:
            print(f"{'':13}{finding.seen}")
            if finding.reason:
                print(f"{'':13}likely because {finding.reason}")
    if not quiet:
        note(f"curves and all numbers: {page}")


def _labels(option: str, text: str | None) -> list[str] | None:
    """Labels or words with a comma between, or None where the option was not given."""
    if text is None:
        return None
    labels = [part.strip() for part in text.split(",") if part.strip()]
    if not labels:
        raise BadInput(f"--{option} names nothing")
    return labels


def _options(paper: str, asked: dict[str, Any]) -> dict[str, Any]:
    """What was asked for; an option of another paper is a mistake."""
    given = {name: value for name, value in asked.items() if value is not None}
    for name in given:
        if name not in PAPERS[paper].options:
            known = ", ".join(f"--{option}" for option in PAPERS[paper].options)
            raise BadInput(f"{paper} has no --{name}; it has {known}")
    return given


def _measure(paper: str, experiment: Experiment, quiet: bool) -> None:
    """What there is to measure besides runs."""
    measure = PAPERS[paper].measure
    if measure is None:
        return
    with Meter("measuring", 1.0, unit="parts", quiet=quiet) as meter:
        for done, total in measure(experiment):
            meter.show(done / total, done)
