"""wolfspider web serve …"""

from __future__ import annotations

import asyncio
import sys
from contextlib import ExitStack, closing
from pathlib import Path

import click

from wolfspider.cli.interrupts import cleaning_up
from wolfspider.cli.output import example, note, print_json, result_options
from wolfspider.cli.progress import Meter
from wolfspider.errors import BadInput
from wolfspider.store.opening import is_hunt
from wolfspider.webs.serving import LOOPBACK, Index, Settings, serving


@click.command(
    epilog=example(
        "wolfspider web serve webs/generated.warc.gz --port 0 --seconds 1",
        first="wolfspider web generate -o webs/generated --pages 2000 --keep-warc",
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
    "--log",
    type=click.Path(path_type=Path),
    help="Append a line for each request: time, host, path, status.",
)
@click.option(
    "--latency",
    default=0.0,
    show_default=True,
    type=click.FloatRange(0, 3600),
    help="Seconds to wait before each answer.",
)
@click.option(
    "--broken-hosts",
    default=0,
    show_default=True,
    type=click.IntRange(0),
    help="So many hosts, the last by name, reset every connection.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    help="Stop after so long; without it, at Ctrl-C or SIGTERM.",
)
@result_options
def serve(
    recordings: tuple[Path, ...],
    port: int,
    log: Path | None,
    latency: float,
    broken_hosts: int,
    seconds: float | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Answer on 127.0.0.1 as the hosts in WARC files did.

    Every recorded address gets its recorded status, headers and body; everything else is a 404.
    Name the host in the Host header, or use the server as a proxy for http:// addresses.
    """
    recordings = tuple(file for recording in recordings for file in _files(recording))
    with cleaning_up(), closing(Index()) as index, ExitStack() as stack:
        for recording in recordings:
            _read(index, recording, quiet)
        _check(index, recordings, quiet)
        lines = stack.enter_context(log.open("a", encoding="utf-8")) if log else None
        settings = Settings(port=port, latency=latency, broken_hosts=broken_hosts, log=lines)
        asyncio.run(_serve(index, settings, seconds, as_json))


def _files(recording: Path) -> list[Path]:
    """A WARC file, or those of a hunt folder."""
    if is_hunt(recording) and (files := sorted(recording.glob("*.warc.gz"))):
        return files
    if recording.is_file():
        return [recording]
    beside = recording.with_name(f"{recording.name}.warc.gz")
    hint = f", such as {beside}" if beside.is_file() else ""
    what = "is a folder" if recording.is_dir() else "does not exist"
    raise BadInput(f"{recording} {what}; give a WARC file{hint}, or the folder of a live hunt")


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


async def _serve(index: Index, settings: Settings, seconds: float | None, as_json: bool) -> None:
    async with serving(index, settings) as port:
        _say_ready(index, port, as_json)
        await (asyncio.sleep(seconds) if seconds else asyncio.Event().wait())


def _say_ready(index: Index, port: int, as_json: bool) -> None:
    url, pages, hosts = f"http://{LOOPBACK}:{port}", index.pages, len(index.hosts)
    if as_json:
        print_json({"url": url, "port": port, "pages": pages, "hosts": hosts})
    else:
        print(f"serving {pages:,} pages of {hosts:,} hosts on {url}")
    sys.stdout.flush()  # whoever started us waits for this line
