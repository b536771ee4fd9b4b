"""Waiting links: which is the next, and whose turn it is."""

from wolfspider.frontier.by_kind import FrontierByKind
from wolfspider.frontier.by_score import Frontier
from wolfspider.frontier.table import Origin

__all__ = ["Frontier", "FrontierByKind", "Origin"]
