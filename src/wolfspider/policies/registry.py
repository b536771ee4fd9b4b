"""Policies by name: what is known, what each can be told, and how to make one."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

from wolfspider.errors import BadInput, DamagedFile
from wolfspider.protocols import Policy
from wolfspider.topics import Topic
from wolfspider.training.model import Model

if TYPE_CHECKING:  # maps need SciPy, and those who hunt should not wait for it
    from wolfspider.training.maps import Map

GROUP = "wolfspider.policies"
_GIVEN = ("topic", "seed", "model")  # handed over by whoever makes the policy, not set by name


@dataclass(frozen=True)
class Spec:
    """A policy's name and settings, as written `name:setting=value:setting=value`."""

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
        return cls(name, tuple((key.strip(), value.strip()) for key, _, value in pairs))

    def __str__(self) -> str:
        return ":".join([self.name, *(f"{key}={value}" for key, value in self.settings)])


def known() -> dict[str, EntryPoint]:
    """Every policy that is installed, by name, sorted."""
    return {point.name: point for point in sorted(entry_points(group=GROUP), key=lambda p: p.name)}


def make(spec: Spec | str, *, topic: Topic, seed: int = 0, model: Model | None = None) -> Policy:
    """The policy that a spec asks for; one that has to be trained needs a model."""
    spec = Spec.parse(spec) if isinstance(spec, str) else spec
    policy = load(spec.name)
    training, values = _split(spec, policy)
    if trains(spec.name):
        _check_model(spec.name, training, model)
    elif model is not None:
        raise BadInput(f"policy {spec.name!r} is not trained and takes no model")
    given = {"topic": topic, "seed": seed, "model": model}
    accepted = inspect.signature(policy).parameters
    values |= {name: given[name] for name in _GIVEN if name in accepted}
    try:
        made: Policy = policy(**values)
    except ValueError as error:
        raise BadInput(f"policy {spec.name!r}: {error}") from error
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        if model is None:
            raise
        raise DamagedFile(
            f"the model does not fit policy {spec.name!r} ({error!r}); train it again"
        ) from error
    return made


def trains(name: str) -> bool:
    """Whether a policy learns from maps before it hunts."""
    return hasattr(load(name), "train")


def train(spec: Spec, map_: Map, *, seed: int = 0) -> Model:
    """The model that a spec asks for, from what a map tells."""
    policy = load(spec.name)
    if not hasattr(policy, "train"):
        names = ", ".join(filter(trains, known()))
        raise BadInput(f"policy {spec.name!r} is not trained; these are: {names}")
    try:
        values = _split(spec, policy)[0]
        if "seed" in inspect.signature(policy.fit).parameters:
            values["seed"] = seed
        model: Model = policy.train(map_, **values)
    except BadInput:
        raise
    except ValueError as error:
        raise BadInput(f"policy {spec.name!r}: {error}") from error
    return model


def training_part(spec: Spec) -> Spec:
    """The spec without the settings of a hunt: what decides the model."""
    training = _training(load(spec.name))
    return Spec(spec.name, tuple(each for each in spec.settings if each[0] in training))


def check(spec: Spec) -> None:
    """Raises a sentence for a setting that there is not, or that has not its type or range."""
    policy = load(spec.name)
    training, _ = _split(spec, policy)
    if hasattr(policy, "train"):
        try:
            policy.check(**policy.settings_of(**training))
        except ValueError as error:
            raise BadInput(f"policy {spec.name!r}: {error}") from error


def _split(spec: Spec, policy: type[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The settings of the training, and those of the hunt."""
    training, hunting = _training(policy), _parameters(policy)
    found: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    for name, text in spec.settings:
        if name not in training | hunting:
            names = ", ".join(training | hunting) or "none"
            raise BadInput(f"policy {spec.name!r} has no setting {name!r}; it has: {names}")
        known = training if name in training else hunting
        found[known is hunting][name] = _value(spec.name, name, text, known[name][0])
    return found


def _check_model(policy: str, training: Mapping[str, Any], model: Model | None) -> None:
    if model is None:
        raise BadInput(
            f"policy {policy!r} has to be trained first: wolfspider train {policy} … -o FOLDER; "
            "then give --model FOLDER"
        )
    for name, value in training.items():
        if model.settings.get(name) != value:
            raise BadInput(
                f"the model was trained with {name}={model.settings.get(name)}, not "
                f"{name}={value}; leave out the setting, or train another model"
            )


def load(name: str) -> type[Any]:
    points = known()
    if name not in points:
        raise BadInput(f"unknown policy {name!r}; known: {', '.join(points)}")
    policy: type[Any] = points[name].load()
    return policy


def describe() -> list[dict[str, Any]]:
    """Name, first sentence and settings with their defaults of every policy."""
    described = []
    for name in known():
        try:
            policy = load(name)
        except Exception as error:  # somebody else's package; the others are fine
            about = f"cannot be loaded: {type(error).__name__}: {error}"
            described.append({"name": name, "about": about, "settings": {}})
            continue
        line = (inspect.getdoc(policy) or "").strip().split("\n")[0]
        parameters = _training(policy) | _parameters(policy)
        settings = {key: default for key, (_, default) in parameters.items()}
        described.append({"name": name, "about": line, "settings": settings})
    return described


def _parameters(policy: type[Any]) -> dict[str, tuple[Any, Any]]:
    """Type and default of each setting of a hunt."""
    return _declared(policy.__init__, inspect.signature(policy).parameters.values())


def _training(policy: type[Any]) -> dict[str, tuple[Any, Any]]:
    """Type and default of each setting of the training; none for a policy without."""
    fit = getattr(policy, "fit", None)
    if fit is None:
        return {}
    _, *settings = inspect.signature(fit).parameters.values()  # the first is the map
    return _declared(fit, settings)


def _declared(function: Any, parameters: Iterable[inspect.Parameter]) -> dict[str, tuple[Any, Any]]:
    hints = get_type_hints(function)
    return {
        each.name: (hints.get(each.name, str), each.default)
        for each in parameters
        if each.name not in _GIVEN
    }


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
