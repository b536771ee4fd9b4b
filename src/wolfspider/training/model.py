"""What a policy has learned from maps: plain values and arrays, with where they came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wolfspider.records import State, TermIds


@dataclass(frozen=True)
class Model:
    """The outcome of a training. `state` is the policy's own affair."""

    policy: str
    settings: Mapping[str, Any]  # of the training
    state: State
    terms: TermIds = field(default_factory=lambda: np.empty(0, np.uint32))  # it learned about
    words: dict[int, str] = field(default_factory=dict)  # of terms, for people; see `Map.named`
    about: Mapping[str, Any] = field(default_factory=dict)  # web, labels, counts, measures

    def word(self, term: int) -> str:
        """The stem behind a term id, or its number."""
        return self.words.get(term, f"#{term}")
