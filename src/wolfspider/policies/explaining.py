"""Why the wolf follows a link: the receipt that it writes when it chooses one."""

from __future__ import annotations

import numpy as np

from wolfspider.clues.naming import clues_of
from wolfspider.policies.opinion import Opinion
from wolfspider.policies.ranking import NONE, TURN, Ranking
from wolfspider.records import Receipt

_RIVALS = 16  # links that a receipt compares with
_AHEAD = 0.02  # what one of these promises more, if it is to be said that it does


def receipt_of(number: int, opinion: Opinion, ranking: Ranking, chosen_at: float | None) -> Receipt:
    """Of a link that waits; or that was chosen just now, at this score.

    Whose turn had come, and who was lost, explores; so does who is chosen though others promise
    more, because more can be learned from it.
    """
    row, waits_at = opinion.row_of(number), ranking.score_of(number)
    promise, worth = (each.item() for each in opinion.weigh(row[None]))
    score = waits_at if chosen_at is None else chosen_at
    in_turn = score == TURN
    if in_turn or score == NONE:
        score = worth
    rank = 1 + ranking.count_better(score) - (waits_at > score)
    waiting = 1 + ranking.count_better(NONE) - (waits_at > NONE)
    explored = in_turn or (rank == 1 and _is_curious(promise, worth, opinion, ranking))
    weights = opinion.learner.weights_of(row)
    clues = clues_of(opinion.evidence, number, row, weights, opinion.usual)
    return Receipt(float(1 / (1 + np.exp(-promise))), rank, waiting, explored, clues)


def _is_curious(promise: float, worth: float, opinion: Opinion, ranking: Ranking) -> bool:
    """Whether others promise more, and are worth less, because less can be learned from them.

    Nobody promises more than his score, by the weights by which he was scored last.
    """
    rivals = ranking.better(promise + _AHEAD)
    if not len(rivals):
        return False
    promises, scores = opinion.weigh(opinion.rows_of(ranking.best(rivals, _RIVALS)))
    return bool(((promises > promise + _AHEAD) & (scores <= worth)).any())
