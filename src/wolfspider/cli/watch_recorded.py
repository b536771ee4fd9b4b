"""A watch of a recorded web on the command line, in simulated time."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from wolfspider.cli.interrupts import cleaning_up
from wolfspider.cli.output import note, print_facts, print_json
from wolfspider.cli.parameters import minute
from wolfspider.cli.progress import Meter
from wolfspider.errors import BadInput
from wolfspider.urls import fingerprint
from wolfspider.watching.changes import RecordedChanges
from wolfspider.watching.folder import DOCUMENTS
from wolfspider.watching.folder_records import Document
from wolfspider.watching.measures import Measured, measure
from wolfspider.watching.registry import make_watcher
from wolfspider.watching.simulation import Log, simulate
from wolfspider.webs.new_folder import Beside
from wolfspider.webs.recorded import RecordedWeb

MEASURES = "measures.json"


def watch_recorded(
    web: Path,
    seeds: Sequence[str],
    policy: str,
    random_seed: int,
    *,
    begin: float | None,
    until: float | None,
    cost: float,
    out: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Watch from one moment to another; print the totals, and write what was found if asked."""
    changes = RecordedChanges(web)
    log = Log(*_stretch(changes, begin, until))
    addresses = [changes.address(url) for url in seeds or (RecordedWeb(web).start,)]
    watcher = make_watcher(policy, addresses, clusters=changes.clusters, seed=random_seed)
    with cleaning_up():
        beside = None if out is None else Beside(out)
        try:
            with Meter("watching", log.end - log.begin, unit="downloads", quiet=quiet) as meter:
                for now in simulate(watcher, changes, log, cost):
                    meter.show(now - log.begin, len(log.times), f"{sum(log.relevant):,} documents")
            found = measure(log, changes)
            if beside is not None:
                _write(beside.path, found, log, changes, policy)
                beside.put()
        finally:
            if beside is not None:
                beside.leave()
    totals = {"policy": policy, **_plain(found.totals)}
    (print_json if as_json else print_facts)(totals)
    if out is not None and not quiet and not as_json:
        note(f"what was found: {out / DOCUMENTS}; all windows: {out / MEASURES}")


def _stretch(
    changes: RecordedChanges, begin: float | None, until: float | None
) -> tuple[float, float]:
    """From when to when, inside of what was recorded."""
    first = changes.begin if begin is None else begin
    last = changes.end if until is None else until
    recorded = f"{minute(changes.begin)} to {minute(changes.end)}"
    if not changes.begin <= first < changes.end:
        raise BadInput(f"--from {minute(first)} is outside of what was recorded: {recorded}")
    if not first < last <= changes.end:
        raise BadInput(
            f"--until {minute(last)} must come after the beginning, {minute(first)}, and not after "
            f"the end of what was recorded: {recorded}"
        )
    return first, last


def _write(folder: Path, found: Measured, log: Log, changes: RecordedChanges, policy: str) -> None:
    values = {
        "policy": policy,
        "from": log.begin,
        "until": log.end,
        "totals": _plain(found.totals),
        "windows": found.windows.tolist(),
        "curves": {name: [_number(v) for v in c.tolist()] for name, c in found.curves.items()},
    }
    (folder / MEASURES).write_text(json.dumps(values, indent=1), "utf-8")
    lines = "".join(f"{each.line()}\n" for each in _documents(log, changes))
    (folder / DOCUMENTS).write_text(lines, "utf-8", "replace")


def _documents(log: Log, changes: RecordedChanges) -> Iterator[Document]:
    """What was news, in the order in which it was sent."""
    for at, document, relevant in zip(*log.sent(), strict=True):
        if not relevant:
            continue
        page = changes.page_of(int(document))
        since = float(changes.lifetimes[0][int(document) - 1])
        address = fingerprint(page.url)
        before = changes.history.version(address, math.nextafter(since, -math.inf))
        kind = "new" if isinstance(before, str) else "changed"
        about = (page.url, page.title, since, float(at), "recording", kind)
        yield Document(address, int(document), *about)


def _plain(totals: dict[str, float]) -> dict[str, float | int | None]:
    """Counts as whole numbers; what is not defined as nothing."""
    return {name: _number(value) for name, value in totals.items()}


def _number(value: float) -> float | int | None:
    if math.isnan(value):
        return None
    return int(value) if value.is_integer() else round(value, 6)
