"""Watchers by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from wolfspider.errors import BadInput
from wolfspider.specs import Declared, Spec, declared, read_settings
from wolfspider.watching.records import Watcher
from wolfspider.watching.recrawl import BreadthFirstRecrawl, ChangeRate
from wolfspider.watching.reinforcing_agent import Foragers

WATCHERS: dict[str, Callable[..., Watcher]] = {
    "foragers": Foragers,
    "breadth-first-recrawl": BreadthFirstRecrawl,
    "change-rate": ChangeRate,
}
CLUSTERS = 50
_GIVEN = ("self", "seeds", "clusters", "seed")


def settings_of(name: str) -> Declared:
    """What a watcher can be told, with defaults."""
    if name not in WATCHERS:
        raise BadInput(f"unknown policy {name!r} for a watch; known: {', '.join(WATCHERS)}")
    kind: Any = WATCHERS[name]
    return declared(kind.__init__, inspect.signature(kind.__init__).parameters, _GIVEN)


def describe_watchers() -> list[dict[str, Any]]:
    """Name, first sentence, settings with their defaults, and all that is said of every watcher."""
    return [
        {
            "name": name,
            "about": (inspect.getdoc(kind) or "").split("\n")[0],
            "settings": {key: default for key, (_, default) in settings_of(name).items()},
            "doc": inspect.getdoc(kind) or "",
        }
        for name, kind in WATCHERS.items()
    ]


def make_watcher(
    spec: Spec | str, seeds: Sequence[int], *, clusters: int = CLUSTERS, seed: int = 0
) -> Watcher:
    """The watcher that a spec asks for, to begin at these addresses."""
    spec = Spec.parse(spec) if isinstance(spec, str) else spec
    values = read_settings(spec, settings_of(spec.name))
    kind = WATCHERS[spec.name]
    if takes_seed(spec.name):
        values["seed"] = seed
    try:
        return kind(seeds=seeds, clusters=clusters, **values)
    except ValueError as error:
        raise BadInput(f"policy {spec.name!r}: {error}") from error


def takes_seed(name: str) -> bool:
    """Whether another seed can make another watch."""
    return "seed" in inspect.signature(WATCHERS[name]).parameters
