"""Policies by name: what is known, what each can be told, and how to make one."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from wolfspider.errors import BadInput, DamagedFile
from wolfspider.protocols import Policy
from wolfspider.specs import Declared, Spec, declared, read_settings
from wolfspider.topics import Topic
from wolfspider.training.model import Model

if TYPE_CHECKING:  # maps need SciPy, and those who hunt should not wait for it
    from wolfspider.training.maps import Map

GROUP = "wolfspider.policies"
_GIVEN = ("topic", "seed", "model")  # handed over by whoever makes the policy, not set by name


def known() -> dict[str, EntryPoint]:
    """Every policy that is installed, by name, sorted."""
    return {point.name: point for point in sorted(entry_points(group=GROUP), key=lambda p: p.name)}


def make(spec: Spec | str, *, topic: Topic, seed: int = 0, model: Model | None = None) -> Policy:
    """The policy that a spec asks for; one that has to be trained needs a model."""
    spec = Spec.parse(spec) if isinstance(spec, str) else spec
    policy = load(spec.name)
    training, values = _split(spec, policy)
    if hasattr(policy, "train"):
        _check_model(spec.name, training, model)
    elif model is not None:
        of = model.policy
        hint = f"; the model is one of {of}: --policy {of}" if of in known() else ""
        raise BadInput(f"policy {spec.name!r} is not trained and takes no model{hint}")
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


def carries(name: str) -> bool:
    """Whether a hunt that this policy leads may begin with what another one learned."""
    return hasattr(load(name), "carried")


def demand_trained(name: str) -> None:
    """Refuse a policy that learns nothing from maps, and name those that do."""
    names = list(filter(trains, known()))
    if name not in names:
        what = f"policy {name!r} is not trained" if name in known() else f"unknown policy {name!r}"
        raise BadInput(f"{what}; {_meant(name, names)}these are trained: {', '.join(names)}")


def train(spec: Spec, map_: Map, *, seed: int = 0) -> Model:
    """The model that a spec asks for, from what a map tells."""
    demand_trained(spec.name)
    policy = load(spec.name)
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
    values = read_settings(spec, {**training, **hunting})
    first = {name: value for name, value in values.items() if name in training}
    return first, {name: value for name, value in values.items() if name not in training}


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
        hint = _meant(name, points)
        raise BadInput(f"unknown policy {name!r}; {hint}known: {', '.join(points)}")
    policy: type[Any] = points[name].load()
    return policy


def _meant(name: str, names: Iterable[str]) -> str:
    """One that begins with the name, or looks like it; as wolf-trained does for wolf."""
    names = list(names)
    longer = [each for each in names if each.startswith(f"{name}-")]
    alike = longer or get_close_matches(name, names, 1)
    return f"did you mean {alike[0]}? " if alike else ""


def describe() -> list[dict[str, Any]]:
    """Name, first sentence, settings with their defaults, and all that is said of every policy."""
    described = []
    for name in known():
        try:
            policy = load(name)
        except Exception as error:  # somebody else's package; the others are fine
            about = f"cannot be loaded: {type(error).__name__}: {error}"
            described.append({"name": name, "about": about, "settings": {}, "doc": about})
            continue
        doc = (inspect.getdoc(policy) or "").strip()
        parameters = {**_training(policy), **_parameters(policy)}
        settings = {key: default for key, (_, default) in parameters.items()}
        line = doc.partition("\n")[0]
        described.append({"name": name, "about": line, "settings": settings, "doc": doc})
    return described


def _parameters(policy: type[Any]) -> Declared:
    """Type and default of each setting of a hunt."""
    return declared(policy.__init__, inspect.signature(policy).parameters, _GIVEN)


def _training(policy: type[Any]) -> Declared:
    """Type and default of each setting of the training; none for a policy without."""
    fit = getattr(policy, "fit", None)
    if fit is None:
        return {}
    _, *settings = inspect.signature(fit).parameters  # the first is the map
    return declared(fit, settings, _GIVEN)
