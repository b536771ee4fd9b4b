"""Things by name and settings, as people write them: `name:setting=value:setting=value`."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

from wolfspider.errors import BadInput

Declared = Mapping[str, tuple[Any, Any]]  # type and default of each setting


@dataclass(frozen=True)
class Spec:
    """A policy's name and settings."""

    name: str
    settings: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, text: str, more: Iterable[str] = ()) -> Spec:
        name, *parts = text.strip().split(":")
        pairs = [part.partition("=") for part in [*parts, *more]]
        for key, equals, value in pairs:
            if not (key and equals and value):
                raise BadInput(
                    f"cannot read the setting {key + equals + value!r} of policy {name!r}; "
                    "write it as name=value"
                )
        settings = tuple((key.strip(), value.strip()) for key, _, value in pairs)
        for key, count in Counter(key for key, _ in settings).items():
            if count > 1:
                raise BadInput(f"the setting {key!r} of policy {name!r} is given {count} times")
        return cls(name, settings)

    def __str__(self) -> str:
        return ":".join([self.name, *(f"{key}={value}" for key, value in self.settings)])


def declared(function: Any, parameters: Iterable[str], given: Collection[str]) -> Declared:
    """Type and default of those parameters of a function that are not handed over anyway."""
    hints = get_type_hints(function)
    known = inspect.signature(function).parameters
    return {
        name: (hints.get(name, str), known[name].default)
        for name in parameters
        if name not in given
    }


def read_settings(spec: Spec, known: Declared) -> dict[str, Any]:
    """The settings of a spec as values; a sentence for one that is unknown or of another type."""
    found = {}
    for name, text in spec.settings:
        if name not in known:
            names = ", ".join(known) or "none"
            raise BadInput(f"policy {spec.name!r} has no setting {name!r}; it has: {names}")
        found[name] = _value(spec.name, name, text, known[name][0])
    return found


def _value(policy: str, name: str, text: str, kind: Any) -> Any:
    """The text as a value of the type that the setting is declared with."""
    if get_origin(kind) is Literal:
        if text not in get_args(kind):
            allowed = ", ".join(map(str, get_args(kind)))
            raise BadInput(f"policy {policy!r}: {name} is one of {allowed}, not {text!r}")
        return text
    kinds = [k for k in get_args(kind) or (kind,) if k is not type(None)]
    if bool in kinds:
        if text.lower() not in ("on", "off", "true", "false"):
            raise BadInput(f"policy {policy!r}: {name} is on or off, not {text!r}")
        return text.lower() in ("on", "true")
    try:
        return kinds[0](text)
    except ValueError:
        what = {int: "a whole number", float: "a number"}.get(kinds[0], kinds[0].__name__)
        raise BadInput(f"policy {policy!r}: {name} is {what}, not {text!r}") from None
