"""A news site on disk: a gzipped WARC with the date of every capture, and its labels."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from wolfspider.webs.importers.captures import Capture
from wolfspider.webs.warc_writing import id_of, information, response, written_date


def save_captures(captures: Iterable[Capture], warc: Path, labels: Path, name: str) -> None:
    """Write captures as they come; equal ones and an equal name give equal bytes."""
    warc.parent.mkdir(parents=True, exist_ok=True)
    told: set[tuple[str, str]] = set()
    with warc.open("wb") as stream, labels.open("w", encoding="utf-8", newline="\n") as table:
        about = {"software": "wolfspider", "description": name}
        stream.write(information(written_date(0.0), about, id_of(name)).member())
        table.write("url\tlabel\n")
        for number, capture in enumerate(captures):
            date, id = written_date(capture.date), id_of(f"{name} {number}")
            stream.write(response(capture.url, date, capture.wire(), id).member())
            new = [(capture.url, each) for each in capture.labels]
            table.writelines(f"{url}\t{label}\n" for url, label in new if (url, label) not in told)
            told.update(new)
