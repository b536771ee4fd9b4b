"""Papers run again on webs of today: one file for each paper.

A reproduction states each finding of the paper, what was measured here, and whether the two
agree. Nothing is tuned until they do.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from wolfspider.lab.experiment import Experiment
from wolfspider.lab.reproduce import menczer_2004
from wolfspider.lab.reproduce.findings import Reproduction
from wolfspider.lab.reproduce.page import write_page


class Paper(Protocol):
    """What a file of this package offers."""

    def prepare(self, web: Path, folder: Path, *, topics: int) -> Experiment: ...

    def conclude(self, experiment: Experiment) -> Reproduction: ...


PAPERS: dict[str, Paper] = {"menczer-2004": menczer_2004}

__all__ = ["PAPERS", "Paper", "Reproduction", "write_page"]
