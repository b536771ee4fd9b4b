"""What a hunt learned: kept in its folder, found again, and what another hunt begins with.

    learned.npz     written when a hunt ends; arrays and JSON, no pickle

A hunt that was killed has none, or an old one. What it learned is then in its last checkpoint.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from wolfspider import __version__
from wolfspider.asked import LIVE, Asked
from wolfspider.carrying import (
    About,
    Learned,
    begin_with,
    carrying_of,
    read_learned,
    write_learned,
)
from wolfspider.errors import BadInput, DamagedFile, WolfspiderError
from wolfspider.policies import Spec, make
from wolfspider.protocols import Carrying, Policy
from wolfspider.records import State
from wolfspider.states import load_state
from wolfspider.store import HuntReader, schema
from wolfspider.store.opening import open_hunt
from wolfspider.topics import Topic
from wolfspider.urls import host

NAME = "learned.npz"
_HOSTS = 5
_FIRST_READ = "min(step) FROM pages WHERE error = ''"


def keep_learned(folder: Path, asked: Asked, policy: Policy, step: int) -> None:
    """Write down what the policy of a hunt has learned; nothing for one that carries nothing."""
    if not isinstance(policy, Carrying):
        return
    try:
        with open_hunt(folder) as reader:
            about = _about(reader, asked, step, time.time())
        write_learned(folder / NAME, Learned(_name(asked), policy.carried(), about))
    except (OSError, sqlite3.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise BadInput(
            f"cannot write {folder / NAME}: {reason}; the hunt itself is safe in {folder}"
        ) from error


def start_warm(asked: Asked, policy: Policy) -> tuple[Asked, str]:
    """Begin with what another hunt has learned. Gives what was asked for, with what that was
    written down in it; and the same in words."""
    path, name = Path(asked.warm_start), _name(asked)
    carrying_of(policy, name)
    learned = learned_at(path)
    words_stay = begin_with(learned, policy, name, path)
    asked = replace(asked, warm_start_digest=learned.digest(), warm_start_learned=str(learned))
    said = "; that is another topic: only how links are weighed is taken up" if words_stay else ""
    return asked, f"{learned}{said}"


def start_warm_again(asked: Asked, policy: Policy) -> str:
    """As a hunt began that left no checkpoint. Gives why that cannot be, or nothing.

    It is no error: the visits count without it, too.
    """
    path = Path(asked.warm_start)
    if not path.exists():
        return "it is gone"
    try:
        if learned_at(path).digest() != asked.warm_start_digest:
            return "it has changed since"
        start_warm(asked, policy)
    except WolfspiderError as error:
        return str(error)
    return ""


def learned_at(path: Path) -> Learned:
    """What is in a file, or what the hunt in a folder has learned so far."""
    if path.is_dir():
        return _of_hunt(path)
    if not path.exists():
        raise BadInput(f"there is no {path} to begin with; give a hunt folder, or its {NAME}")
    return read_learned(path)


def _of_hunt(folder: Path) -> Learned:
    with schema.readable(folder / schema.NAME), open_hunt(folder) as reader:
        return _newest(reader)


def _newest(reader: HuntReader) -> Learned:
    """Of what was written at an end, and the checkpoints, what knows most visits."""
    folder, asked = reader.folder, Asked.of(reader.asked)
    if reader.count("max(step) FROM pages") and not reader.count(_FIRST_READ):
        raise BadInput(
            f"the hunt in {folder} could fetch no page, and so has learned nothing; "
            "begin with another one, or without --warm-start"
        )
    try:
        written = read_learned(folder / NAME)
    except WolfspiderError:  # killed before it wrote any, or spoilt: there are checkpoints
        written = None
    known = written.about.step if written and written.about else 0
    reason = ""
    for step, state, at in _checkpoints(reader):
        if step <= known:
            break
        try:
            return Learned(_name(asked), _carried(asked, state), _about(reader, asked, step, at))
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            if isinstance(error, BadInput):
                raise
            reason = reason or f"; its checkpoint does not fit this version ({error!r})"
    if written is None:
        raise BadInput(
            f"the hunt in {folder} has written down nothing yet to begin with{reason}; if it was "
            f"killed, go on with it first: wolfspider resume {folder}"
        )
    return written


def _checkpoints(reader: HuntReader) -> Iterator[tuple[int, State, float]]:
    """Those that can be read and know of a page, with their steps and times, the last first."""
    query = f"SELECT step, name, at FROM checkpoints WHERE step >= (SELECT {_FIRST_READ})"
    rows = reader.db.execute(f"{query} ORDER BY step DESC")
    for step, name, at in rows.fetchall():
        try:
            state = load_state(reader.folder / Path(name).name)
        except DamagedFile:
            continue
        yield step, state, at


def _carried(asked: Asked, state: State) -> State:
    """What the policy of a hunt would carry from where a checkpoint was taken."""
    name, topic = _name(asked), Topic.of(asked.topic)
    model = asked.trained_model()
    policy = make(asked.policy, topic=topic, seed=asked.random_seed, model=model)
    if not isinstance(policy, Carrying):
        raise BadInput(
            f"that hunt was led by {name!r}, which keeps nothing with which another could begin"
        )
    policy.restore(state["policy"]["policy"])  # inside are the links that were out
    return policy.carried()


def _about(reader: HuntReader, asked: Asked, step: int, at: float) -> About:
    db = reader.db
    db.create_function("host", 1, host, deterministic=True)
    numbers = "SELECT count(*), sum(relevance >= 0.5) FROM pages WHERE NOT refused AND step <= ?"
    pages, relevant = db.execute(numbers, (step,)).fetchone()
    hosts = (
        "SELECT host(url) AS name FROM pages WHERE NOT refused AND step <= ? "
        "GROUP BY name ORDER BY count(*) DESC, name LIMIT ?"
    )
    return About(
        topic=asked.topic,
        web=LIVE if asked.web == LIVE else Path(asked.web).name,
        pages=pages,
        relevant=relevant or 0,
        step=step,
        at=datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        hosts=tuple(name for (name,) in db.execute(hosts, (step, _HOSTS))),
        wolfspider=__version__,
    )


def _name(asked: Asked) -> str:
    return Spec.parse(asked.policy).name
