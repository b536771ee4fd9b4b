"""Who does not know the way looks around: whose turn it is while nothing in sight promises much.

A share `breadth` / (1 + relevant pages found lately) of the fetches goes to the link nearest to the
seeds, as in breadth-first; half of it after ten such fetches, a third after twenty, and so on. A
find counts for a third fifty fetches later, so who has emptied one place looks around again.

    astray   for a hundred fetches and more, and hardly anything was found lately: of links that are
             as near the source pages take turns
    lost     and nothing was found at all: these turns do not get fewer. What a hunt thinks of links
             has led it to nothing, so in between guides choose, one after the other: the words of
             the topic in and around links, and how near these are to the topic in meaning
"""

from __future__ import annotations

from wolfspider.clues.book import LIKENESS, MEANING, Numbers
from wolfspider.clues.evidence import Evidence
from wolfspider.fingerprint_map import ABSENT
from wolfspider.records import State

_TURNS = 10  # of the nearest link, until it has half as many
_LATELY = 50  # fetches, after which what was paid counts for about a third
_ASTRAY = 100  # fetches, after which a hunt may be that: if what was found lately is
_FORGOTTEN = 0.1  # or less. And lost, if all that was paid is less than
_FIND = 0.5
_GUIDES = (LIKENESS, MEANING)


class LookingAround:
    """Turns of links that are not the best; `breadth` is the share of them at the beginning."""

    def __init__(self, breadth: float) -> None:
        self.breadth = breadth
        self.turns = 0  # that the nearest link had
        self._turn = 0.0  # its next, which comes at 1
        self._asked = 0  # guides
        self._lately = 0.0  # paid, the longer ago the less
        self._astray = False

    def learn(self, paid: float) -> None:
        """A page came, and paid so much."""
        self._lately = paid + self._lately * (1 - 1 / _LATELY)

    def correct(self, more: float) -> None:
        """A page that came before paid more, or less, than was known."""
        self._lately = max(0.0, self._lately + more)

    def is_due(self, evidence: Evidence) -> bool:
        """Before a fetch, while nothing promises much: whether somebody else may choose."""
        self._astray = evidence.visits >= _ASTRAY and self._lately < _FORGOTTEN
        lost = self._astray and evidence.paid < _FIND
        fewer = 1.0 if lost else 1 + self.turns / _TURNS
        self._turn += self.breadth / (1 + self._lately) / fewer
        return self._turn >= 1 or lost

    def choose(self, evidence: Evidence, waiting: Numbers) -> int:
        """The link whose turn it is, of those that may leave; ABSENT if it is that of the best."""
        if not len(waiting):  # who waits for hosts does not save up turns
            self._turn = min(1.0, self._turn)
            return ABSENT
        if self._turn < 1:
            guide, self._asked = _GUIDES[self._asked % len(_GUIDES)], self._asked + 1
            return evidence.book.most(waiting, guide)
        self._turn, self.turns = self._turn - 1, self.turns + 1
        return waiting.item(evidence.book.nearest(waiting, in_turn=self._astray))

    def state(self) -> State:
        return {
            "turn": self._turn,
            "turns": self.turns,
            "asked": self._asked,
            "lately": self._lately,
        }

    def restore(self, state: State) -> None:
        self._turn, self._lately = float(state["turn"]), float(state["lately"])
        self.turns, self._asked = int(state["turns"]), int(state["asked"])
