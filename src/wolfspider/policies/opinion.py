"""What the wolf thinks of links: what they promise, and what they score."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from wolfspider.clues.book import Numbers
from wolfspider.clues.evidence import FEATURES, Evidence
from wolfspider.clues.rates import Singles
from wolfspider.learners.prior_logistic import PriorLogistic
from wolfspider.records import State

_SOON = 64  # best of the links scored together, whose rows are kept until they are chosen
_BLOCK = 4096  # links scored at a time, because each takes a few kilobytes meanwhile


class Opinion:
    """Rows of what is known of links, weighed.

    Of links that were scored lately, and so may be chosen soon, the rows are kept until they are
    forgotten; of one that is out, the row by which it was chosen, until it is taken back. `usual`
    is a row of what is usual among the best links, so that a receipt tells what is not.
    """

    def __init__(self, evidence: Evidence, learner: PriorLogistic, curiosity: float) -> None:
        self.evidence = evidence
        self.learner = learner
        self.curiosity = curiosity
        self._rows: dict[int, Singles] = {}  # by which links were scored lately
        self._out: dict[int, Singles] = {}  # by which those were chosen that are out
        self._usual = np.zeros(len(FEATURES), np.float32)

    def score(self, numbers: Numbers) -> Singles:
        scores = np.empty(len(numbers), np.float32)
        for at in range(0, len(numbers), _BLOCK):
            some = numbers[at : at + _BLOCK]
            rows = self.evidence.rows(some)
            scores[at : at + _BLOCK] = self.weigh(rows)[1]
            if len(some) > _SOON:  # the others have long to wait, and rows take room
                best = scores[at : at + _BLOCK].argpartition(len(some) - _SOON)[-_SOON:]
                some, rows = some[best], rows[best]
            self._rows.update(zip(some.tolist(), rows, strict=True))
        return scores

    def weigh(self, rows: Singles) -> tuple[Singles, Singles]:
        """What links promise, and with how much is in doubt their scores."""
        promises, doubts = self.learner.expect(rows)
        return promises, promises + np.float32(self.curiosity) * doubts

    def forget_rows(self) -> None:
        """Of links that wait: what they say has passed."""
        self._rows = {}

    def note_what_is_usual(self) -> None:
        """Among those that were scored since rows were forgotten."""
        self._usual = _mean(self._rows)

    @property
    def usual(self) -> Singles:
        """What was usual among the best links when these were scored; or now, before that."""
        return self._usual if self._usual[0] else _mean(self._rows)

    # -- rows ------------------------------------------------------------------------------

    def row_of(self, number: int) -> Singles:
        """The row by which a link was chosen, or scored lately, or of now."""
        row = self._out.get(number, self._rows.get(number))
        return self.evidence.rows(np.array([number]))[0] if row is None else row

    def rows_of(self, numbers: Numbers) -> Singles:
        """The rows by which links that wait were scored lately, or of now."""
        found = {number: self._rows.get(number) for number in numbers.tolist()}
        missing = np.array([number for number, row in found.items() if row is None], np.intp)
        if len(missing):
            found |= zip(missing.tolist(), self.evidence.rows(missing), strict=True)
        return np.array(list(found.values()), np.float32).reshape(-1, len(FEATURES))

    def send_out(self, number: int) -> None:
        """A link was chosen by its row of now."""
        self._out[number] = self.row_of(number)
        self._rows.pop(number, None)

    def take_back(self, number: int) -> None:
        """It came back, and what was known of it before has been said."""
        self._out.pop(number, None)

    # -- on disk ---------------------------------------------------------------------------

    def state(self) -> State:
        return {
            "learner": self.learner.state(),
            "rows": _packed(self._rows),
            "out": _packed(self._out),
            "usual": self._usual.copy(),
        }

    def restore(self, state: State) -> None:
        self.learner.restore(state["learner"])
        self._rows, self._out = _unpacked(state["rows"]), _unpacked(state["out"])
        self._usual = np.array(state["usual"], np.float32)


def _mean(rows: Mapping[int, Singles]) -> Singles:
    kept = _packed(rows)["rows"]
    mean: Singles = np.add.reduce(kept, axis=0) / np.float32(max(1, len(kept)))
    return mean


def _packed(rows: Mapping[int, Singles]) -> State:
    values = np.array(list(rows.values()), np.float32).reshape(-1, len(FEATURES))
    return {"numbers": np.array(list(rows), np.int32), "rows": values}


def _unpacked(state: State) -> dict[int, Singles]:
    rows = np.array(state["rows"], np.float32).reshape(-1, len(FEATURES))
    return dict(zip(np.asarray(state["numbers"]).tolist(), rows, strict=True))
