"""Papers run again on webs of today: one file for each paper.

A reproduction states each finding of the paper, what was measured here, and whether the two
agree. Nothing is tuned until they do.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from wolfspider.lab.reproduce import (
    han_2018,
    menczer_2004,
    menczer_2004_spiders,
    palotai_2005,
    rennie_mccallum_1999,
    young_2005,
)
from wolfspider.lab.reproduce.findings import Reproduction
from wolfspider.lab.reproduce.page import write_page


@dataclass(frozen=True)
class Paper:
    """What a file of this package offers."""

    prepare: Callable[..., Any]  # an experiment, from a web and a folder, with options of its own
    conclude: Callable[[Any], Reproduction]  # when all runs are done
    measure: Callable[[Any], Iterator[tuple[int, int]]] | None = None  # what runs do not
    web: bool = True  # whether it needs one
    first: str = ""  # what it makes before the first run, if that takes long

    @property
    def options(self) -> list[str]:
        return list(inspect.signature(self.prepare).parameters)[2:]


PAPERS = {
    "han-2018": Paper(han_2018.prepare, han_2018.conclude),
    "menczer-2004": Paper(
        menczer_2004.prepare, menczer_2004.conclude, menczer_2004_spiders.run_long
    ),
    "palotai-2005": Paper(
        palotai_2005.prepare,
        palotai_2005.conclude,
        web=False,
        first="a news site and its rewired twin, which takes a minute or two the first time",
    ),
    "rennie-mccallum-1999": Paper(
        rennie_mccallum_1999.prepare, rennie_mccallum_1999.conclude, rennie_mccallum_1999.measure
    ),
    "young-2005": Paper(young_2005.prepare, young_2005.conclude, young_2005.measure),
}

__all__ = ["PAPERS", "Paper", "Reproduction", "write_page"]
