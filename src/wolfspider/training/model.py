"""What a policy has learned from maps: plain values and arrays, with where they came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wolfspider.records import State


@dataclass(frozen=True)
class Model:
    """The outcome of a training. `state` is the policy's own affair."""

    policy: str
    settings: Mapping[str, Any]  # of the training
    state: State
    words: dict[int, str] = field(default_factory=dict)  # of term ids, for people
    about: Mapping[str, Any] = field(default_factory=dict)  # web, labels, counts, measures

    def word(self, term: int) -> str:
        """The stem behind a term id, or its number."""
        return self.words.get(term, f"#{term}")
