"""A hunt of any age, opened to look at it, and who is writing to it."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from wolfspider.errors import BadInput
from wolfspider.store import asked, schema
from wolfspider.store.lock import NAME as LOCK
from wolfspider.store.reading import HuntReader
from wolfspider.webs.recorded import RecordedWeb

# What hunts of formats 1 and 2 lack, as views that only this connection sees: nothing is written.
_AS_IF_2 = """
CREATE TEMP VIEW pages AS SELECT *, '' AS link, '' AS detail, 0 AS refused, 0 AS position,
    0.0 AS source_relevance, 0 AS flags, '' AS copy_of, 0.0 AS at, 0.0 AS seconds, 0 AS bytes,
    NULL AS capture FROM main.pages;
CREATE TEMP TABLE captures
    (id, step, url, status, kind, file, offset, length, record, at, address, truncated, digest);
CREATE TEMP TABLE files (id, name, committed);
CREATE TEMP TABLE checkpoints (step, name, at);
CREATE TEMP TABLE hosts (name, value);
"""
_AS_IF_3 = """
CREATE TEMP TABLE receipts (step, packed);
CREATE TEMP TABLE clue_kinds (id, name);
"""


def is_hunt(folder: Path) -> bool:
    return (folder / asked.NAME).is_file() or (folder / schema.NAME).is_file()


def open_hunt(folder: Path) -> HuntReader:
    """A reader that can be asked for everything, whatever version wrote the hunt.

    What an older version did not keep is empty. Bytes that are no text become question marks.
    """
    reader = HuntReader(folder)
    reader.db.text_factory = lambda data: data.decode("utf-8", "replace")
    if reader.version < 3:
        lacking = (_AS_IF_2 if reader.version < 2 else "") + _AS_IF_3
        reader.db.executescript(
            f"PRAGMA temp_store = MEMORY; PRAGMA query_only = 0; {lacking} PRAGMA query_only = 1;"
        )
    return reader


def web_named(reader: HuntReader) -> str:
    """The web folder that a hunt was on, or "live"."""
    return str(reader.asked.get("web", "live"))


def demand_web(folder: Path, web: str) -> None:
    """Refuse a web that is not where it was when the hunt in a folder was on it."""
    if web != "live" and not Path(web).exists():
        raise BadInput(
            f"the web of this hunt is not in {web} any more; bring it back, or where it was moved "
            f"put `web =` in {folder / asked.NAME} right"
        )


def web_of(reader: HuntReader) -> RecordedWeb:
    """The web that a hunt was on, if it was recorded."""
    web = web_named(reader)
    demand_web(reader.folder, web)
    folder = Path(web)
    return RecordedWeb(folder / "web" if is_hunt(folder) else folder)


def writer_of(folder: Path) -> int | None:
    """The process that is writing to a hunt; 0 if there is one that has no number yet."""
    try:
        file = os.open(folder / LOCK, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return None  # hunts of format 1 have no lock
    try:
        # Shared, so that two who look do not take each other for a hunt.
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return None
    except OSError:
        holder = os.read(file, 20).decode("ascii", "replace").strip()
        return int(holder) if holder.isdigit() else 0
    finally:
        os.close(file)  # lets go, too
