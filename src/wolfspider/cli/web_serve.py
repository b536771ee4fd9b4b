"""wolfspider web serve …"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from typing import TextIO

import click

from wolfspider.cli.interrupts import cleaning_up
from wolfspider.cli.output import GENERATE, example, note, print_json, result_options
from wolfspider.cli.parameters import Amount, Moment, minute
from wolfspider.cli.progress import Meter
from wolfspider.errors import BadInput
from wolfspider.store.as_web import recording_of
from wolfspider.store.opening import is_hunt
from wolfspider.webs.folder import is_web
from wolfspider.webs.serving import LOOPBACK, Authority, Index, Settings, is_throw_away, serving
from wolfspider.wording import several


@click.command(
    epilog=example(
        "wolfspider web serve webs/generated --port 0 --seconds 1",
        GENERATE,
    )
)
@click.argument("recordings", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--port",
    default=8080,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="On 127.0.0.1; 0 takes a free one.",
)
@click.option(
    "--ca",
    type=click.Path(path_type=Path),
    help="Where to write the certificate that clients of https have to trust; without it, "
    "wolfspider-ca-PORT.pem here. It is removed at the end.",
)
@click.option("--at", type=Moment(), help="As it was then, in UTC: 2005-02-01 or 2005-02-01T12:30.")
@click.option(
    "--speed",
    default=0.0,
    type=Amount(0),
    help="Seconds of the recording that pass in a second; 0 lets time stand still. Begins at "
    "--at, or with the first capture.",
)
@click.option(
    "--log",
    type=click.Path(path_type=Path),
    help="Append a line for each request: time, host, path, status.",
)
@click.option(
    "--latency",
    default=0.0,
    show_default=True,
    type=Amount(0, 3600),
    help="Seconds to wait before each answer.",
)
@click.option(
    "--error-rate",
    default=0.0,
    show_default=True,
    type=Amount(0, 1),
    help="Share of requests that get a 503 instead of an answer.",
)
@click.option("--random-seed", default=0, show_default=True, help="Same seed, same errors.")
@click.option(
    "--broken-hosts",
    default=0,
    show_default=True,
    type=click.IntRange(0),
    help="How many hosts reset every connection: the last ones by name.",
)
@click.option(
    "--seconds",
    type=Amount(0, min_open=True),
    help="Stop after so long; without it, at Ctrl-C or SIGTERM.",
)
@result_options
def serve(
    recordings: tuple[Path, ...],
    port: int,
    ca: Path | None,
    at: float | None,
    speed: float,
    log: Path | None,
    latency: float,
    error_rate: float,
    random_seed: int,
    broken_hosts: int,
    seconds: float | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Answer on 127.0.0.1 as the hosts of a recording did.

    Takes a web folder, the folder of a live hunt, or WARC files. Every recorded address gets its
    recorded status, headers and body; everything else is a 404. Use it as a proxy for http and
    https, or name the host in the Host header.
    """
    with cleaning_up(), closing(_index(recordings, quiet)) as index, ExitStack() as stack:
        _check(index, recordings, quiet)
        lines = stack.enter_context(_opened(log)) if log else None
        settings = Settings(
            port=port,
            latency=latency,
            error_rate=error_rate,
            seed=random_seed,
            broken_hosts=broken_hosts,
            at=_begin(index, at, speed),
            speed=speed,
            authority=Authority(),
            log=lines,
        )
        say = partial(_say_ready, index, as_json=as_json, quiet=quiet)
        asyncio.run(_serve(index, settings, ca, seconds, say))


def _index(recordings: tuple[Path, ...], quiet: bool) -> Index:
    webs = [recording for recording in recordings if is_web(recording)]
    if webs and len(recordings) > 1:
        raise BadInput(
            f"{webs[0]} is a web folder and is served alone; "
            "import several recordings into one web with: wolfspider web import"
        )
    if webs:
        return Index.of(webs[0])
    index = Index()
    for recording in recordings:
        for file in _files(recording):
            _read(index, file, quiet)
    return index


def _opened(log: Path) -> TextIO:
    try:
        return log.open("a", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"cannot write {log}: {error.strerror}; give another --log") from error


def _begin(index: Index, at: float | None, speed: float) -> float:
    """The moment at which the served time begins."""
    first, last = index.moments.span()
    if (at is not None or speed) and not last:
        raise BadInput("nothing in this recording has a date; leave out --at and --speed")
    if at is not None and at > last:
        note(f"the recording ends on {minute(last)}, before that date")
    if at is not None and at < first:
        raise BadInput(f"nothing was recorded before {minute(first)}; give a later --at")
    if at is None and speed and first == last:
        raise BadInput("all was recorded at one moment, so no time can run; leave out --speed")
    if at is not None:
        return at
    return first if speed else inf


def _files(recording: Path) -> list[Path]:
    """A WARC file, or those of a hunt folder."""
    if is_hunt(recording) and (files := sorted(recording.glob("*.warc.gz"))):
        return files
    if is_hunt(recording):
        with recording_of(recording):  # says on which web it was
            pass
    if recording.is_file():
        return [recording]
    what = "is no web folder" if recording.is_dir() else "does not exist"
    raise BadInput(
        f"{recording} {what}; give a web folder, the folder of a live hunt or WARC files"
    )


def _read(index: Index, path: Path, quiet: bool) -> None:
    size = path.stat().st_size
    with Meter(f"reading {path.name}", size, unit="records", quiet=quiet) as meter:
        for done, records in index.add(path):
            meter.show(done, records)


def _check(index: Index, recordings: tuple[Path, ...], quiet: bool) -> None:
    if not len(index):
        names = ", ".join(path.name for path in recordings)
        raise BadInput(f"nothing to serve: no answer of a web server in {names}")
    for reason, count in index.left_out.items() if not quiet else ():
        note(f"left out: {count:,} × {reason}")


async def _serve(
    index: Index,
    settings: Settings,
    ca: Path | None,
    seconds: float | None,
    say: Callable[[Settings, Path], None],
) -> None:
    async with serving(index, settings) as port:
        with _certificate(settings, ca or Path(f"wolfspider-ca-{port}.pem")) as written:
            say(replace(settings, port=port), written)
            await (asyncio.sleep(seconds) if seconds else asyncio.Event().wait())


@contextmanager
def _certificate(settings: Settings, path: Path) -> Iterator[Path]:
    """The certificate is there while the server is, and of no use afterwards."""
    assert settings.authority is not None
    certificate = settings.authority.certificate
    if path.is_symlink() or (path.exists() and not is_throw_away(path)):
        raise BadInput(f"{path} exists already; give another --ca, or remove it")
    try:
        with suppress(FileNotFoundError):
            path.unlink()  # left by a server that was killed
        with path.open("xb") as file:
            file.write(certificate)
    except OSError as error:
        raise BadInput(f"cannot write {path}: {error.strerror}; give another --ca") from error
    try:
        yield path
    finally:
        with suppress(OSError):
            if path.read_bytes() == certificate:
                path.unlink()


def _say_ready(index: Index, settings: Settings, ca: Path, as_json: bool, quiet: bool) -> None:
    url, port = f"http://{LOOPBACK}:{settings.port}", settings.port
    pages, hosts = index.moments.pages(settings.at), len(index.moments.hosts)
    if as_json:
        ready = {"url": url, "port": port, "pages": pages, "hosts": hosts, "ca": str(ca)}
        print_json(ready)
    else:
        when = "" if settings.at == inf else f" as on {minute(settings.at)}"
        pace = f", {settings.speed:g} seconds a second" if settings.speed else ""
        of = f"{several(pages, 'page')} of {several(hosts, 'host')}"
        print(f"serving {of}{when}{pace} on {url}")
    sys.stdout.flush()  # whoever started us waits for this line
    if not (as_json or quiet):
        note(f"for https, trust {ca}: curl -x {url} --cacert {ca} https://…")
