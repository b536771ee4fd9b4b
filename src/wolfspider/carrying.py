"""What a policy learned on one hunt, kept in a file for the next: `hunt --weights FILE`."""

from __future__ import annotations

from pathlib import Path

from wolfspider.errors import BadInput, DamagedFile
from wolfspider.protocols import Carrying, Policy
from wolfspider.states import load_state, save_state

FORMAT = 1


def take_up(path: Path, policy: Policy, name: str) -> None:
    """Begin with what is in the file, if there is one yet."""
    carrying = _carrying(policy, name)
    if not path.exists():
        if not path.parent.is_dir():
            raise BadInput(f"there is no folder {path.parent} to keep the weights {path.name} in")
        return
    try:
        kept = load_state(path)
    except DamagedFile as error:
        raise DamagedFile(f"the weights cannot be used: {error}") from error
    if not isinstance(kept, dict) or kept.get("format") != FORMAT:
        raise BadInput(f"{path} does not hold weights of this version; give another file")
    if kept.get("policy") != name:
        raise BadInput(f"{path} holds what {kept.get('policy')!r} learned, and this is {name!r}")
    try:
        carrying.carry(kept["carried"])
    except BadInput:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise DamagedFile(
            f"the weights in {path} are not what {name!r} keeps ({error!r}); give another file"
        ) from error


def put_down(path: Path, policy: Policy, name: str) -> None:
    """Keep what the policy knows now."""
    state = {"format": FORMAT, "policy": name, "carried": _carrying(policy, name).carried()}
    try:
        save_state(path, state)
    except OSError as error:
        raise BadInput(f"cannot write the weights to {path}: {error.strerror}") from error


def _carrying(policy: Policy, name: str) -> Carrying:
    if not isinstance(policy, Carrying):
        raise BadInput(f"policy {name!r} keeps nothing with which another hunt could begin")
    return policy
