"""What a policy learned on one hunt, in a file with which another can begin.

`hunt --weights FILE` takes up such a file and writes it again. Every hunt leaves one in its folder,
and `hunt --warm-start` takes it up from there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Protocol, runtime_checkable

import numpy as np

from wolfspider.errors import BadInput, DamagedFile
from wolfspider.policies import carries, known
from wolfspider.protocols import Carrying, Policy
from wolfspider.records import State
from wolfspider.states import add_to_digest, load_state, save_state

FORMAT = 1
FOREIGN = 0.6  # drift above which what was carried hardly fits; docs/hunt.md has the numbers
_KIN = {"wolf-trained": "wolf"}  # what one of them learned the other can take up
_NOT_OURS = (KeyError, TypeError, ValueError, AttributeError, IndexError)


@runtime_checkable
class Drifting(Protocol):
    """A policy that can tell how foreign a web is to what it began with."""

    def drift(self) -> float | None:
        """Which share of what links are known by was new; None: it cannot tell yet."""
        ...


@dataclass(frozen=True)
class About:
    """Where something was learned, for people."""

    topic: str = ""
    web: str = ""  # live, or the name of a web folder
    pages: int = 0
    relevant: int = 0
    step: int = 0  # visits of the hunt until then, refused links too
    at: str = ""  # when
    hosts: tuple[str, ...] = ()  # those that were asked for most pages
    wolfspider: str = ""  # version

    def __str__(self) -> str:
        return f'"{self.topic}", {self.pages:,} pages, {self.relevant:,} relevant'


@dataclass(frozen=True)
class Learned:
    """What a policy learned, and where."""

    policy: str
    carried: State
    about: About | None = None  # files of --weights do not say

    def __str__(self) -> str:
        return str(self.about) if self.about else f"by {self.policy!r}"

    def digest(self) -> str:
        digest = hashlib.sha256(self.policy.encode())
        add_to_digest(digest, self.carried)
        return digest.hexdigest()[:16]


# -- files ---------------------------------------------------------------------------------


def read_learned(path: Path) -> Learned:
    """What is in a file; nothing of it has met a policy yet."""
    try:
        kept = load_state(path)
    except DamagedFile as error:
        if isinstance(error.__cause__, OSError):  # it may be what it should be
            raise
        raise DamagedFile(
            f"{path} is no learned.npz of a hunt, or is damaged; give another file"
        ) from error
    if not isinstance(kept, dict) or kept.get("format") != FORMAT:
        raise BadInput(f"{path} does not hold what a hunt of this version learned; give another")
    policy, carried = kept.get("policy"), kept.get("carried")
    if not isinstance(policy, str) or not isinstance(carried, dict):
        raise DamagedFile(f"{path} does not hold what a policy learned; give another file")
    return Learned(policy, carried, _about(kept.get("about")))


def write_learned(path: Path, learned: Learned) -> None:
    """Whole or not at all."""
    state = {"format": FORMAT, "policy": learned.policy, "carried": learned.carried}
    if learned.about is not None:
        state["about"] = asdict(learned.about) | {"hosts": list(learned.about.hosts)}
    try:
        save_state(path, state)
    except OSError:
        path.with_name(f"{path.name}.partial").unlink(missing_ok=True)
        raise


def _about(told: Any) -> About | None:
    """As far as it is what it should be: the file may be from anywhere."""
    if not isinstance(told, Mapping):
        return None
    found: dict[str, Any] = {
        name: told[name]
        for name, default in asdict(About()).items()
        if name != "hosts" and type(told.get(name)) is type(default)
    }
    hosts = told.get("hosts")
    if isinstance(hosts, list):
        found["hosts"] = tuple(each for each in hosts if isinstance(each, str))
    return About(**found)


# -- from one policy to another ------------------------------------------------------------


def begin_with(learned: Learned, policy: Policy, name: str, source: object) -> bool:
    """Begin with what was learned. Tells whether it was for another topic: words stay behind."""
    carrying = carrying_of(policy, name)
    if _KIN.get(learned.policy, learned.policy) != _KIN.get(name, name):
        raise BadInput(
            f"{source} holds what {learned.policy!r} learned, and this is {name!r}; "
            f"hunt with --policy {learned.policy}, or begin with something else"
        )
    try:
        _check_numbers(learned.carried)
        carrying.carry(learned.carried)
        return _knows_words(learned.carried) and not _knows_words(carrying.carried())
    except BadInput as error:
        raise BadInput(f"{source}: {error}") from error
    except _NOT_OURS as error:
        raise DamagedFile(
            f"what is in {source} is not what {name!r} learns ({error!r}); give another one"
        ) from error


def carrying_of(policy: Policy, name: str) -> Carrying:
    if not isinstance(policy, Carrying):
        names = ", ".join(filter(carries, known()))
        raise BadInput(
            f"policy {name!r} keeps nothing with which another hunt could begin; these do: {names}"
        )
    return policy


def _knows_words(carried: State) -> bool:
    return bool(len(carried.get("rates", {}).get("tokens", ())))


def _check_numbers(state: Any) -> None:
    if isinstance(state, dict):
        for each in state.values():
            _check_numbers(each)
    elif isinstance(state, np.ndarray | float) and not np.isfinite(state).all():
        raise ValueError("some are not numbers")


# -- hunt --weights ------------------------------------------------------------------------


def take_up(path: Path, policy: Policy, name: str) -> None:
    """Begin with what is in the file, if there is one yet."""
    carrying_of(policy, name)
    demand_place(path)
    if not path.exists():
        return
    try:
        learned = read_learned(path)
    except DamagedFile as error:
        raise DamagedFile(f"the weights cannot be used: {error}") from error
    begin_with(learned, policy, name, path)


def demand_place(path: Path) -> None:
    """Refuse a file that could not be written at the end of a hunt."""
    if not path.parent.is_dir():
        raise BadInput(f"there is no folder {path.parent} to keep the weights {path.name} in")
    try:
        TemporaryFile(dir=path.parent).close()
    except OSError as error:
        raise _unwritable(path, error) from error


def put_down(path: Path, policy: Policy, name: str) -> None:
    """Keep what the policy knows now."""
    try:
        write_learned(path, Learned(name, carrying_of(policy, name).carried()))
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> BadInput:
    return BadInput(f"cannot write the weights to {path}: {error.strerror}; choose another file")
