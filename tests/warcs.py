"""WARC files as other programs see them."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fastwarc.warc import ArchiveIterator
from warcio.checker import Checker


@dataclass
class _CommandLine:
    """What warcio's checker reads its orders from."""

    inputs: Iterable[str]
    verbose: bool = False


def checked_records(path: Path) -> list[tuple[str, str]]:
    """Type and URL of every record as FastWARC reads them.

    Before, gzip must find every member whole, warcio every digest right, and no id may come twice.
    """
    gzip.decompress(path.read_bytes())
    checker = Checker(_CommandLine([str(path)]))
    checker.process_all()
    assert checker.exit_value == 0, f"warcio check finds fault with {path}"
    found, ids = [], []
    with path.open("rb") as stream:
        for record in ArchiveIterator(stream, parse_http=False):
            headers = record.headers
            found.append((str(headers["WARC-Type"]), str(headers.get("WARC-Target-URI", ""))))
            ids.append(record.record_id)
    assert len(set(ids)) == len(ids)
    return found
