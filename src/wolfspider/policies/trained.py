"""What policies share that learn from maps before they hunt."""

from __future__ import annotations

from typing import ClassVar

from wolfspider.policies.scored import ScoredPolicy
from wolfspider.training.model import Model


class TrainedPolicy(ScoredPolicy):
    """Follows links by what a model says of them.

    A subclass has a class method `train`, which makes a `Model` of a `Map`. Its keyword arguments
    are the settings of the training; those of the constructor are the settings of a hunt.
    """

    name: ClassVar[str]
    raise_scores = True

    def __init__(self, *, model: Model, buffer: int | None = None) -> None:
        if model.policy != self.name:
            raise ValueError(f"the model was trained for {model.policy!r}, not for {self.name!r}")
        super().__init__(buffer=buffer)
        self.model = model

    def overlap(self) -> float | None:
        """Which share of the words met so far was known from the training; None: cannot tell."""
        return None
