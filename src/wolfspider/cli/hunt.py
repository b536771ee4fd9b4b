"""wolfspider hunt"""

from __future__ import annotations

import heapq
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from wolfspider import __version__
from wolfspider.cli.interrupts import Interruption
from wolfspider.cli.output import example, plain, print_facts, print_json, result_options
from wolfspider.cli.progress import Meter
from wolfspider.crawl import replay
from wolfspider.errors import BadInput
from wolfspider.judges import CosineJudge, KeywordJudge, PatternJudge, TargetJudge
from wolfspider.pages import parse_html
from wolfspider.policies import Spec, make
from wolfspider.protocols import Judge
from wolfspider.records import Link, Visit
from wolfspider.store import HuntStore
from wolfspider.topics import Topic
from wolfspider.urls import seed_link
from wolfspider.webs.recorded import RecordedWeb

_BEST = 10  # pages shown at the end
_INTERRUPTED = "interrupted"


@dataclass
class Tally:
    """What a hunt has brought so far."""

    labelled: set[str] | None = None  # URLs of pages that carry the label asked for
    carrying: set[str] = field(default_factory=set)  # those of them that were fetched
    pages: int = 0
    relevant: int = 0
    targets: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    best: list[tuple[float, int, str, str]] = field(default_factory=list)  # a heap, see `add`

    def add(self, visit: Visit) -> None:
        self.pages += 1
        self.relevant += visit.verdict.relevant
        self.targets += visit.verdict.target
        if visit.failed:
            self.errors[visit.response.error] += 1
        elif self.labelled is not None and visit.page.url in self.labelled:
            self.carrying.add(visit.page.url)
        if visit.verdict.relevant:
            found = (visit.verdict.relevance, -self.pages, visit.page.url, visit.page.title)
            (heapq.heappush if len(self.best) < _BEST else heapq.heappushpop)(self.best, found)

    @property
    def harvest_rate(self) -> float:
        return self.relevant / self.pages if self.pages else 0.0

    def result(self, policy: str, seconds: float, stopped: str) -> dict[str, Any]:
        result = {
            "policy": policy,
            "pages": self.pages,
            "relevant": self.relevant,
            "targets": self.targets,
            "harvest_rate": round(self.harvest_rate, 6),
            "seconds": round(seconds, 4),
            "pages_per_second": round(self.pages / max(seconds, 1e-9), 1),
            "stopped": stopped,
            "errors": self.errors.total(),
        }
        return result if self.labelled is None else result | {"labelled": len(self.carrying)}


@click.command(
    epilog=example(
        'wolfspider hunt --web webs/generated --topic "astronomy telescope" \\\n'
        "      --seed https://www.nithom.org.example/ --pages 500 -o hunts/astronomy",
        first="wolfspider web generate -o webs/generated --pages 2000 --keep-warc",
    )
)
@click.option("--web", "folder", type=click.Path(path_type=Path), help="Web folder to hunt on.")
@click.option("--topic", "words", required=True, help="What you look for, in a few words.")
@click.option("--seed", "seeds", multiple=True, required=True, help="Where to start; repeatable.")
@click.option("--pages", default=1000, show_default=True, help="Pages to fetch at most.")
@click.option(
    "--policy", "spec", default="best-first", show_default=True, help="See: wolfspider policies."
)
@click.option("--set", "settings", multiple=True, help="A setting of the policy: name=value.")
@click.option("--pattern", help="Relevant is what this regular expression finds.")
@click.option(
    "--like", multiple=True, help="Relevant is what resembles this text or file; repeatable."
)
@click.option(
    "--targets", type=click.Path(path_type=Path), help="Relevant are the URLs of this file."
)
@click.option("--label", help="Count fetched pages with this label, after the hunt.")
@click.option("--random-seed", default=0, show_default=True, help="Same seed, same hunt.")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Hunt folder to write.")
@result_options
def hunt(
    folder: Path | None,
    words: str,
    seeds: tuple[str, ...],
    pages: int,
    spec: str,
    settings: tuple[str, ...],
    pattern: str | None,
    like: tuple[str, ...],
    targets: Path | None,
    label: str | None,
    random_seed: int,
    out: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Hunt for pages on a topic within a budget of pages."""
    if folder is None:
        raise BadInput("give the web to hunt on with --web FOLDER; see: wolfspider web --help")
    if pages < 1:
        raise BadInput(f"a budget of {pages} pages fetches nothing; give --pages 1 or more")
    if random_seed < 0:
        raise BadInput(f"--random-seed is {random_seed}; it must be 0 or more")
    web = RecordedWeb(folder)
    topic = Topic.of(words)
    judge = _judge(topic, pattern, like, targets)
    policy_spec = Spec.parse(spec, settings)
    policy = make(policy_spec, topic=topic, seed=random_seed)
    links = _seeds(web, seeds)
    asked = {
        "wolfspider": __version__,
        "web": str(folder),
        "web_digest": web.digest,
        "topic": words,
        "seeds": list(seeds),
        "pages": pages,
        "policy": str(policy_spec),
        "pattern": pattern,
        "like": list(like),
        "targets": None if targets is None else str(targets),
        "label": label,
        "random_seed": random_seed,
    }
    tally = Tally({web.url(page) for page in web.label(label)} if label else None)
    begin = time.perf_counter()
    with Interruption() as interruption, HuntStore(out, asked) if out else nullcontext() as store:
        visits = replay(web, policy, judge, links, pages=pages)
        meter = Meter("hunting", pages, unit="pages", quiet=quiet)
        stopped = _run(visits, tally, store, meter, interruption)
        result = tally.result(str(policy_spec), time.perf_counter() - begin, stopped)
        if store is not None:
            store.finish(result)
    _show(result, tally, as_json, quiet)
    if stopped == _INTERRUPTED:
        sys.exit(128 + interruption.signal)


def _run(
    visits: Iterator[Visit],
    tally: Tally,
    store: HuntStore | None,
    meter: Meter,
    interruption: Interruption,
) -> str:
    """Hunt until something ends it; says what."""
    try:
        with meter:
            for visit in visits:
                tally.add(visit)
                if store is not None:
                    store.add(visit)
                meter.show(tally.pages, tally.pages, f"harvest rate {tally.harvest_rate:.3f}")
                if interruption.signal:
                    return _INTERRUPTED
    except KeyboardInterrupt:  # a second signal, while one step takes long
        return _INTERRUPTED
    if tally.pages == meter.total:
        return f"budget of {tally.pages:,} pages used up"
    return "nothing left to follow"


def _judge(topic: Topic, pattern: str | None, like: tuple[str, ...], targets: Path | None) -> Judge:
    given = [
        name
        for name, value in (("--pattern", pattern), ("--like", like), ("--targets", targets))
        if value
    ]
    if len(given) > 1:
        raise BadInput(f"give one of {' and '.join(given)}: a hunt has one judge")
    if pattern:
        return PatternJudge.of(pattern)
    if like:
        return CosineJudge.of([_text(each) for each in like])
    if targets:
        return TargetJudge.of(_lines(targets))
    return KeywordJudge(topic)


def _text(like: str) -> str:
    """A description as it is, or the words of the file of that name: an example page, or text."""
    path = Path(like)
    if len(like) > 255 or not path.is_file():
        return like
    body = path.read_bytes()
    if b"<" not in body[:1024]:
        return body.decode("utf-8", "replace")
    page = parse_html(body, "https://example.invalid/")
    return f"{page.title} {page.text}"


def _lines(path: Path) -> list[str]:
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot read the list of targets in {path}: {error}") from error
    urls = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not urls:
        raise BadInput(f"no URL in the list of targets {path}; write one on each line")
    return urls


def _seeds(web: RecordedWeb, seeds: tuple[str, ...]) -> list[Link]:
    """The pages to start from; an address that redirects stands for the page it leads to."""
    pages = {}
    for link in map(seed_link, seeds):
        number = web.number(link.url)
        if number < 0:
            raise BadInput(
                f"the seed {link.url} is not in {web.folder}; "
                f"start from a page of it, such as {web.url(0)}"
            )
        pages[number] = seed_link(web.url(number))
    return list(pages.values())


def _show(result: dict[str, Any], tally: Tally, as_json: bool, quiet: bool) -> None:
    if as_json:
        print_json(result)
        return
    print_facts(result)
    if quiet or not tally.best:
        return
    print("\nmost relevant pages:")
    for relevance, _, url, title in sorted(tally.best, reverse=True):
        print(f"  {relevance:.2f}  {plain(title)[:50]:<50}  {plain(url)}")
