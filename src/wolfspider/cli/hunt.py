"""wolfspider hunt"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from wolfspider.asked import LIVE, Asked
from wolfspider.cli.hunting import run_hunt
from wolfspider.cli.output import GENERATE, example, result_options
from wolfspider.errors import BadInput
from wolfspider.hunt import Hunt
from wolfspider.judges import ClassifierJudge
from wolfspider.pages import parse_html
from wolfspider.policies import Spec
from wolfspider.records import Terms, Visit
from wolfspider.stopping import size_of
from wolfspider.store.as_web import as_web
from wolfspider.text import terms
from wolfspider.training.disk import digest_of, load_model
from wolfspider.webs.live.pace import Pace
from wolfspider.webs.live.scope import STAYS
from wolfspider.webs.live.settings import LiveSettings
from wolfspider.webs.recorded import RecordedWeb

_PATH = click.Path(path_type=Path)
_TEXT_FILES = (".txt", ".html", ".htm", ".md")
_PAGE_FILES = (*_TEXT_FILES, ".xhtml", ".shtml")


class Size(click.ParamType[int]):
    """Bytes, as 500M or 2G."""

    name = "size"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        try:
            return size_of(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


@click.command(
    epilog=example(
        'wolfspider hunt --web webs/generated --topic "astronomy telescope" \\\n'
        "      --seed https://www.nithom.org.example/ --pages 500 -o hunts/astronomy",
        GENERATE,
    )
)
@click.option("--topic", required=True, help="What you look for, in a few words.")
@click.option("--seed", "seeds", multiple=True, required=True, help="Where to start; repeatable.")
@click.option("-o", "--out", type=_PATH, help="Hunt folder to write; needed for live hunts.")
@click.option("--web", default=LIVE, show_default=True, help="live, or a web folder.")
@click.option(
    "--pages",
    type=int,
    help="Pages to fetch at most.  [default: 1000, unless another limit or rule is given]",
)
@click.option("--relevant", type=int, help="Stop after so many relevant pages.")
@click.option(
    "--bytes", type=Size(), help="Stop after so many bytes of the live web, as 500M or 2G."
)
@click.option("--minutes", type=float, help="Stop after so many minutes.")
@click.option(
    "--stop",
    multiple=True,
    help='Stop by a rule, as "yield < 1/200", "nothing for 500" or "forecast < 5 per 1000"; '
    "repeatable.",
)
@click.option("--policy", default="wolf", show_default=True, help="See: wolfspider policies.")
@click.option("--set", "settings", multiple=True, help="A setting of the policy: name=value.")
@click.option("--model", type=_PATH, help="What the policy learned: see wolfspider train.")
@click.option(
    "--weights",
    type=_PATH,
    help="Begin with what the policy learned on the hunt before, and keep it here for the next.",
)
@click.option(
    "--warm-start",
    type=_PATH,
    help="Begin with what another hunt has learned: its folder, or its learned.npz.",
)
@click.option("--pattern", help="Relevant is what this regular expression finds.")
@click.option(
    "--like", multiple=True, help="Relevant is what resembles this text or file; repeatable."
)
@click.option("--targets", type=_PATH, help="Relevant are the URLs of this file.")
@click.option(
    "--examples",
    type=_PATH,
    multiple=True,
    help="Relevant is what looks like these pages: a folder of saved pages, a file, or a list of "
    "URLs of the recorded web; repeatable.",
)
@click.option(
    "--counter-examples",
    type=_PATH,
    multiple=True,
    help="Pages that are not wanted, for --examples to be told from; repeatable.",
)
@click.option("--label", help="Count fetched pages with this label; recorded webs only.")
@click.option("--random-seed", default=0, show_default=True, help="Same seed, same choices.")
@click.option(
    "--contact",
    envvar="WOLFSPIDER_CONTACT",
    default="",
    help="Web or e-mail address for the owners of the hosts; sent with every request. "
    "Public hosts are not asked without. Also read from WOLFSPIDER_CONTACT.",
)
@click.option(
    "--stay-on",
    type=click.Choice(STAYS),
    default="anywhere",
    show_default=True,
    help="How far to go from the seeds.",
)
@click.option("--include", multiple=True, help="Follow only URLs with this pattern; repeatable.")
@click.option("--exclude", multiple=True, help="Do not follow URLs with it; repeatable.")
@click.option(
    "--allow-host",
    "allow_hosts",
    multiple=True,
    help="A host of your own that may be asked though its address is not public; repeatable.",
)
@click.option("--delay", default=1.0, show_default=True, help="Seconds a host rests.")
@click.option(
    "--address-delay", default=0.25, show_default=True, help="Seconds an IP address rests."
)
@click.option("--connections-per-host", default=1, show_default=True)
@click.option(
    "--at-once",
    default=16,
    show_default=True,
    help="Pages in flight, all hosts. More is faster; fewer finds more on a small budget.",
)
@click.option("--tries", default=3, show_default=True, help="Of a request that fails.")
@click.option("--sitemaps/--no-sitemaps", default=True, help="Follow what robots.txt lists.")
@click.option("--cookies", is_flag=True, help="Send cookies back within a chain of redirects.")
@click.option("--proxy", default="", help="URL of a proxy.")
@click.option("--connect-to", default="", help="HOST:PORT that plays all hosts; for rehearsals.")
@click.option(
    "--authorities",
    default="",
    help="File of certificates to trust, instead of the system's.",
)
@click.option("--parsers", default=2, show_default=True, help="Processes that read pages.")
@result_options
def hunt(
    topic: str,
    seeds: tuple[str, ...],
    out: Path | None,
    web: str,
    pages: int | None,
    relevant: int | None,
    bytes: int | None,
    minutes: float | None,
    stop: tuple[str, ...],
    policy: str,
    settings: tuple[str, ...],
    model: Path | None,
    weights: Path | None,
    warm_start: Path | None,
    pattern: str | None,
    like: tuple[str, ...],
    targets: Path | None,
    examples: tuple[Path, ...],
    counter_examples: tuple[Path, ...],
    label: str | None,
    random_seed: int,
    as_json: bool,
    quiet: bool,
    **live: Any,
) -> None:
    """Hunt for pages on a topic, on the live web or a recorded one.

    On the live web, hosts are asked as their robots.txt allows, one request after the other, by a
    crawler that says who sent it:

    \b
      wolfspider hunt --topic "solar eclipse" --seed https://example.org/ \\
          --contact https://example.org/crawler --pages 5000 -o hunts/eclipse

    The hunt ends when a budget is used up, a rule of --stop comes true or nothing is left to
    follow. Ctrl-C ends it in order; wolfspider resume goes on with it.
    """
    if web == LIVE and out is None:
        raise BadInput("say where to keep what is found: -o hunts/NAME")
    if web == LIVE and label:
        raise BadInput("--label counts labels of a recorded web; the live web has none")
    if web != LIVE:
        _refuse_live_options(live)
        web = str(as_web(Path(web)))  # a hunt folder is a recording too
    good, bad = _pages(examples, web), _pages(counter_examples, web)
    budgets = (pages, relevant, bytes, minutes)
    asked = Asked(
        topic=topic,
        seeds=seeds,
        web=web,
        pages=1000 if budgets == (None, None, None, None) and not stop else pages,
        relevant=relevant,
        bytes=bytes,
        minutes=minutes,
        stop=stop,
        policy=str(Spec.parse(policy, settings)),
        model=str(model.resolve()) if model else "",
        model_digest=digest_of(load_model(model)) if model else "",
        weights=str(weights.resolve()) if weights else "",
        warm_start=str(warm_start.resolve()) if warm_start else "",
        pattern=pattern,
        like=tuple(map(_text, like)),
        targets=tuple(_lines(targets)) if targets else (),
        examples=tuple(good),
        counter_examples=tuple(bad),
        learned=ClassifierJudge.learn(good, bad).packed() if good else "",
        random_seed=random_seed,
        live=live_settings(live) if web == LIVE else LiveSettings(),
    )
    labels = _Labels(web, label)
    run_hunt(
        Hunt.begin(asked, out),
        as_json=as_json,
        quiet=quiet,
        watch=labels.see if label else None,
        more=labels.found,
    )


def _refuse_live_options(live: dict[str, Any]) -> None:
    """Whoever gives them on a recorded web expects them to do something."""
    context = click.get_current_context()
    for name in live:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = "--" + {"allow_hosts": "allow_host"}.get(name, name).replace("_", "-")
            raise BadInput(f"{option} is about the live web; leave it out, or leave --web out")


def live_settings(options: dict[str, Any]) -> LiveSettings:
    """The options of the same names as settings."""
    ours = {each.name for each in fields(Pace)}
    pace = Pace(**{name: value for name, value in options.items() if name in ours})
    rest = {name: value for name, value in options.items() if name not in ours}
    if rest.get("authorities"):  # a hunt may be resumed from elsewhere
        rest["authorities"] = str(Path(rest["authorities"]).resolve())
    return LiveSettings(**rest, pace=pace)


class _Labels:
    """Counts the fetched pages that carry a label."""

    def __init__(self, web: str, label: str | None) -> None:
        self._carrying: set[str] = set()
        self._labelled: set[str] | None = None
        if label:
            recorded = RecordedWeb(Path(web))
            self._labelled = {recorded.url(page) for page in recorded.label(label)}

    def see(self, visit: Visit) -> None:
        if not visit.failed and visit.page.url in (self._labelled or ()):
            self._carrying.add(visit.page.url)

    def found(self) -> dict[str, Any]:
        return {} if self._labelled is None else {"labelled": len(self._carrying)}


def _text(like: str) -> str:
    """A description as it is, or the words of the file of that name: an example page, or text."""
    path = Path(like)
    if len(like) > 255 or not path.is_file():
        if path.suffix in _TEXT_FILES and " " not in like:
            raise BadInput(f"there is no file {like}; give a text, or a file that is there")
        return like
    body = _readable(path)
    if b"<" not in body[:1024]:
        return body.decode("utf-8", "replace")
    page = parse_html(body, "https://example.invalid/")
    return f"{page.title} {page.text}"


def _readable(file: Path) -> bytes:
    body = file.read_bytes()
    if b"\0" in body[:1024]:
        raise BadInput(f"{file} is no page and no text; give saved pages as examples")
    return body


def _pages(paths: Sequence[Path], web: str) -> dict[str, Terms]:
    """The words of example pages, by file or URL."""
    found: dict[str, Terms] = {}
    for path in paths:
        try:
            for file in _saved(path):
                body = _readable(file)
                urls = _only_urls(body)
                found |= _recorded(urls, web, file) if urls else {str(file): _terms(body)}
        except OSError as error:
            raise BadInput(f"cannot read the example {error.filename}: {error.strerror}") from error
    return found


def _saved(path: Path) -> list[Path]:
    """A file, or those of a folder that are pages; what a browser saves beside them is not."""
    if not path.is_dir():
        return [path]
    found = [each for each in sorted(path.iterdir()) if each.suffix.lower() in _PAGE_FILES]
    if not found:
        raise BadInput(f"there is no saved page in {path}; their names end with .html, .txt or .md")
    return found


def _terms(body: bytes) -> Terms:
    if b"<" not in body[:1024]:
        return terms(body.decode("utf-8", "replace"))
    return parse_html(body, "https://example.invalid/").terms


def _only_urls(body: bytes) -> list[str]:
    """The lines of a list of URLs; none if there is anything else in it."""
    lines = [line.strip() for line in body.decode("utf-8-sig", "replace").splitlines()]
    urls = [line for line in lines if line and not line.startswith("#")]
    return urls if all(url.startswith(("http://", "https://")) for url in urls) else []


def _recorded(urls: Sequence[str], web: str, file: Path) -> dict[str, Terms]:
    if web == LIVE:
        raise BadInput(
            f"{file} is a list of URLs, which are looked up in a recorded web; for a live hunt "
            "save the pages and give their folder"
        )
    recorded = RecordedWeb(Path(web))
    numbers = {url: recorded.number(url) for url in urls}
    for url, number in numbers.items():
        if number < 0:
            raise BadInput(f"the example {url} of {file} is not in {web}")
    return {recorded.url(number): recorded.page(number).terms for number in numbers.values()}


def _lines(path: Path) -> list[str]:
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise BadInput(f"cannot read the list of targets in {path}: {reason}") from error
    urls = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not urls:
        raise BadInput(f"no URL in the list of targets {path}; write one on each line")
    return urls
