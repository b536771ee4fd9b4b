"""What policies share that learn from maps before they hunt."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from wolfspider.policies.scored import ScoredPolicy
from wolfspider.records import State, TermIds
from wolfspider.training.model import Model

if TYPE_CHECKING:  # maps need SciPy, and those who hunt should not wait for it
    from wolfspider.training.maps import Map


Told = dict[str, list[tuple[str, str]]]  # words with the bag they are in, or a number, by subject


@dataclass(frozen=True)
class Lesson:
    """What a policy has learned from a map: its own state, and what to tell people about it."""

    state: State
    terms: TermIds  # those that it learned something about
    about: dict[str, Any] = field(default_factory=dict)


class Trained:
    """A policy that learns from a map before it hunts, and takes what it learned as a model.

    A subclass has a class method `fit`, which learns from a `Map`. Its keyword arguments are the
    settings of the training; those of the constructor are the settings of a hunt.
    """

    name: ClassVar[str]
    fit: ClassVar[Callable[..., Lesson]]  # (map, *, setting: type = default, …), a class method

    @classmethod
    def made_for(cls, model: Model) -> Model:
        """The model, if it is one of this policy."""
        if model.policy != cls.name:
            raise ValueError(f"the model was trained for {model.policy!r}, not for {cls.name!r}")
        return model

    @classmethod
    def check(cls, **settings: Any) -> None:
        """Raises ValueError with a sentence for a setting of the training out of its range."""

    @classmethod
    def train(cls, known: Map, **settings: Any) -> Model:
        """The model that settings ask for, from what a map tells."""
        settings = cls.settings_of(**settings)
        cls.check(**settings)
        lesson = cls.fit(known, **settings)
        about = {"pages": int(known.within.sum()), "targets": len(known.known_targets)}
        return Model(cls.name, settings, lesson.state, lesson.terms, {}, about | lesson.about)

    @classmethod
    def settings_of(cls, **given: Any) -> dict[str, Any]:
        """All settings of the training: those given, and else the defaults."""
        _, *parameters = inspect.signature(cls.fit).parameters.values()  # the first is the map
        defaults = {each.name: each.default for each in parameters}
        return {name: given.pop(name, default) for name, default in defaults.items()} | given

    @classmethod
    def explain(cls, model: Model, count: int) -> Told:
        """The words that say most, for people."""
        return {}

    def overlap(self) -> float | None:
        """Which share of the words met so far was known from the training; None: cannot tell."""
        return None


class TrainedPolicy(Trained, ScoredPolicy):
    """Follows links by what a model says of them."""

    raise_scores = True

    def __init__(self, *, model: Model, buffer: int | None = None) -> None:
        self.model = self.made_for(model)
        super().__init__(buffer=buffer)
