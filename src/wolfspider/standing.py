"""How a hunt stands, told from its folder: while it runs, after its end, after it was killed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from wolfspider.forecasting import forecasts
from wolfspider.outlook import Past
from wolfspider.store import HuntReader
from wolfspider.tally import Tally
from wolfspider.urls import host
from wolfspider.wording import near

LATELY = 100  # pages
_HOSTS = 10
_MINUTE = 60.0


def standing_of(reader: HuntReader, writer: int | None) -> dict[str, Any]:
    """The numbers of a hunt as JSON values; None for what is not known.

    `writer` is the process that writes to it, asked for before the reader was opened: one that
    ends meanwhile was running, and not killed.
    """
    found = {"folder": str(reader.folder)} | _state(reader, writer) | _numbers(reader)
    over = found["waiting"] == 0  # then nothing can follow
    return found | {"forecast": [] if over else _forecast(reader)}


def in_a_sentence(found: Mapping[str, Any]) -> str:
    """Whether it runs, why it stopped, or how to go on."""
    if found["state"] == "running":
        return f"running{' by process ' + str(found['process']) if found['process'] else ''}"
    if found["state"] == "stopped":
        return f"stopped: {found['stopped']}"
    return (
        "was killed, lost power or could not write; "
        f"go on with: wolfspider resume {found['folder']}"
    )


def _state(reader: HuntReader, writer: int | None) -> dict[str, Any]:
    facts = reader.facts()
    # A hunt that was stopped, resumed and then killed still has the facts of its first end.
    told = "stopped" in facts and _told(facts) == reader.count("count(*) FROM pages")
    state = "running" if writer is not None else "stopped" if told else "killed"
    asked = reader.asked
    return {
        "state": state,
        "process": writer or None,
        "stopped": facts["stopped"] if state == "stopped" else None,
        "waiting": facts.get("waiting") if state == "stopped" else None,
        **{name: asked.get(name) for name in ("topic", "policy", "web")},
        "began_with": _began_with(asked),
        "drift": facts.get("drift"),
    }


def _began_with(asked: Mapping[str, Any]) -> str | None:
    """What was known before the first page, in words."""
    if asked.get("warm_start"):
        learned = asked.get("warm_start_learned", "")
        return f"what {near(Path(asked['warm_start']))} learned: {learned}"
    if asked.get("weights"):
        return f"what there was in {near(Path(asked['weights']))}"
    if asked.get("model"):
        return f"the model {near(Path(asked['model']))}"
    return None


def _told(facts: Mapping[str, Any]) -> int:
    """Visits that there were when the facts were written."""
    return int(facts.get("pages", 0)) + int(facts.get("refused", 0))


def _numbers(reader: HuntReader) -> dict[str, Any]:
    tally = Tally.of(reader)
    first, last = reader.db.execute(
        "SELECT min(at), max(at) FROM pages WHERE at > 0 AND NOT refused"
    ).fetchone()
    hosts = _hosts(reader)
    return {
        "pages": tally.pages,
        "relevant": tally.relevant,
        "harvest_rate": round(tally.harvest_rate, 6),
        "harvest_rate_lately": _lately(reader),
        "targets": tally.targets,
        "refused": tally.refused,
        "bytes": tally.bytes,
        "started": _iso(first),
        "last_visit": _iso(last),
        "pages_per_second": _speed(reader, first, last),
        "checkpoint": _checkpoint(reader),
        "warc": [
            {"name": row["name"], "bytes": row["committed"]}
            for row in reader.db.execute("SELECT name, committed FROM files ORDER BY id")
        ],
        "hosts": len(hosts),
        "top_hosts": hosts[:_HOSTS],
        "best_hosts": sorted(hosts, key=lambda each: -each["relevant"])[:_HOSTS],
        "errors": _errors(reader),
    }


def _forecast(reader: HuntReader) -> list[dict[str, Any]]:
    return [each.as_json() for each in forecasts(*Past.of(reader))]


def _lately(reader: HuntReader) -> float | None:
    """The harvest rate of the last pages."""
    query = "SELECT relevance FROM pages WHERE NOT refused ORDER BY step DESC LIMIT ?"
    found = [row["relevance"] >= 0.5 for row in reader.db.execute(query, (LATELY,))]
    return round(sum(found) / len(found), 6) if found else None


def _speed(reader: HuntReader, first: float | None, last: float | None) -> float | None:
    """Pages a second in the last minute in which the hunt fetched any, since it last went on."""
    began: float | None = reader.facts().get("began", first)
    if began is None or last is None or began >= last:
        return None
    seconds = min(_MINUTE, last - began)
    pages = reader.count("count(*) FROM pages WHERE NOT refused AND at >= ?", last - seconds)
    return round(pages / seconds, 2)


def _checkpoint(reader: HuntReader) -> dict[str, Any] | None:
    row = reader.db.execute("SELECT step, at FROM checkpoints ORDER BY step DESC LIMIT 1")
    for step, at in row:
        return {"step": step, "at": _iso(at), "age": round(max(0.0, time.time() - at), 1)}
    return None


def _hosts(reader: HuntReader) -> list[dict[str, Any]]:
    """Those that were asked for most pages first."""
    reader.db.create_function("host", 1, host, deterministic=True)
    query = (
        "SELECT host(url) AS name, count(*) AS pages, sum(relevance >= 0.5) AS relevant "
        "FROM pages WHERE NOT refused GROUP BY name ORDER BY pages DESC, name"
    )
    keys = ("host", "pages", "relevant")
    return [dict(zip(keys, row, strict=True)) for row in reader.db.execute(query)]


def _errors(reader: HuntReader) -> list[dict[str, Any]]:
    """Kinds of failures and refusals, the most frequent first, each with its first example."""
    query = (  # with min(), SQLite takes the other columns from the row of the smallest step
        "SELECT error, refused, count(*) AS count, link, detail, min(step) FROM pages "
        "WHERE error != '' GROUP BY error, refused ORDER BY count DESC, error"
    )
    keys = ("error", "refused", "count", "url", "detail")
    found = [dict(zip(keys, row, strict=False)) for row in reader.db.execute(query)]
    return [each | {"refused": bool(each["refused"])} for each in found]


def _iso(at: float | None) -> str | None:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if at else None
