"""The policy of a hunt: made anew, to name clues; and as it was at the last checkpoint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wolfspider.asked import Asked
from wolfspider.errors import WolfspiderError
from wolfspider.frontier import Frontier, FrontierByKind
from wolfspider.leases import Leased
from wolfspider.policies import Spec, make
from wolfspider.protocols import Explaining, Policy
from wolfspider.records import Clue, Link, Receipt, State
from wolfspider.states import load_state
from wolfspider.store.reading import HuntReader
from wolfspider.topics import Topic


def policy_of(reader: HuntReader) -> Policy | None:
    """The policy that hunt.toml names, knowing nothing; None if it cannot be made here."""
    try:
        asked = Asked.of(reader.asked)
        return make(
            Spec.parse(asked.policy),
            topic=Topic.of(asked.topic),
            seed=asked.random_seed,
            model=asked.trained_model(),
        )
    except WolfspiderError:
        return None


def name_of(policy: object, clue: Clue, words: Mapping[int, str]) -> str:
    """A clue in the policy's words, or in plain ones if there is no policy to ask."""
    if isinstance(policy, Explaining):
        return policy.name_of(clue, words)
    word = words.get(clue.key)
    return f'{clue.kind} "{word}"' if word else clue.kind


@dataclass(frozen=True, slots=True, eq=False)
class Memory:
    """What the policy, and the web, had in mind after a step."""

    step: int
    policy: Leased
    web: State

    @classmethod
    def of(cls, reader: HuntReader) -> Memory | None:
        """At the last checkpoint that can be read; None if there is none."""
        query = "SELECT step, name FROM checkpoints ORDER BY step DESC"
        for step, name in reader.db.execute(query).fetchall():
            made = policy_of(reader)
            if made is None:
                return None
            try:
                state = load_state(reader.folder / Path(name).name)
                leased = Leased(made)
                leased.restore(state["policy"])
            except (WolfspiderError, LookupError, TypeError, ValueError):
                continue  # damaged, just replaced by the hunt that runs, or of another version
            return cls(step, leased, state.get("web", {}))
        return None

    def out(self, fingerprint: int) -> Link | None:
        """A link that was chosen and had not come back."""
        return next((link for link in self.policy.out() if link.fingerprint == fingerprint), None)

    def receipt(self, fingerprint: int) -> Receipt | None:
        """Why a waiting link is worth what it is worth."""
        policy = self.policy.policy
        return policy.receipt(fingerprint) if isinstance(policy, Explaining) else None

    def waiting(self, fingerprint: int) -> Link | None:
        """A waiting link."""
        for frontier in _frontiers(self.policy.policy):
            if fingerprint in frontier:
                if isinstance(frontier, FrontierByKind):
                    links = frontier.best(len(frontier))
                    return next((each for each in links if each.fingerprint == fingerprint), None)
                [link] = frontier.remove(np.array([fingerprint], np.uint64))
                frontier.add([link])  # as it was, for whoever asks next
                return link
        return None

    @property
    def is_bounded(self) -> bool:
        """Whether links may have been dropped because too many waited."""
        frontiers = _frontiers(self.policy.policy)
        return any(getattr(frontier, "bound", None) is not None for frontier in frontiers)

    def best(self, count: int) -> list[Link]:
        """The waiting links that would leave first, if all are in one order."""
        frontiers, done = list(_frontiers(self.policy.policy)), self.policy.done
        if len(frontiers) != 1:
            return []
        best = frontiers[0].best(count + len(done))
        return [link for link in best if link.fingerprint not in done][:count]


def _frontiers(policy: Any) -> Iterator[Frontier | FrontierByKind]:
    """Where a policy keeps its waiting links; populations have a frontier for each agent."""
    for owner in (policy, *getattr(policy, "agents", ())):
        frontier = getattr(owner, "frontier", None)
        if isinstance(frontier, Frontier | FrontierByKind):
            yield frontier
