"""A policy that explains itself, as an installed package would bring it.

python tests/explaining.py FOLDER     # then it is known with PYTHONPATH=FOLDER:tests
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from wolfspider.policies.best_first import BestFirst
from wolfspider.protocols import Scores
from wolfspider.records import Clue, Links, Receipt, State, Visit
from wolfspider.topics import Topic

NAME = "explaining"
LIKELY, UNLIKELY = 0.75, 0.25  # expected yields: with a word of the topic, and without


class Explaining(BestFirst):
    """Best-first by the words of links; its clues are their first anchor word and tag path."""

    raise_scores = False  # a link stays where it was found first, and so do its clues

    def __init__(self, *, topic: Topic) -> None:
        super().__init__(topic=topic, on="both")
        self._told: dict[int, list[int]] = {}  # fingerprint → anchor word, tag path, on topic

    def score(self, links: Links, visit: Visit) -> Scores:
        scores = np.asarray(super().score(links, visit))
        told = zip(links.fingerprints.tolist(), links.paths.tolist(), scores, strict=True)
        anchors = links.bag("anchor")
        for row, (key, path, score) in enumerate(told):
            word = int(anchors[row][0]) if len(anchors[row]) else 0
            self._told.setdefault(key, [word, path, int(score > visit.verdict.relevance)])
        return scores

    def receipt(self, fingerprint: int) -> Receipt | None:
        if fingerprint not in self._told:
            return None
        word, path, on_topic = self._told[fingerprint]
        clues = (Clue("anchor", word, 0.5), Clue("path", path, -0.25))
        better = [link.fingerprint for link in self.frontier.best(len(self.frontier))]
        waits = fingerprint in better
        rank = 1 + better.index(fingerprint) if waits else 1
        waiting = len(better) + (not waits)
        value = LIKELY if on_topic else UNLIKELY
        return Receipt(value, rank, waiting, False, clues[0 if word else 1 :])

    def name_of(self, clue: Clue, words: Mapping[int, str]) -> str:
        word = words.get(clue.key, "?")
        return f'anchor "{word}"' if clue.kind == "anchor" else f"tag path {word}"

    def state(self) -> State:
        told = np.array([[key, *told] for key, told in self._told.items()], np.uint64)
        return super().state() | {"told": told.reshape(-1, 4)}

    def restore(self, state: State) -> None:
        super().restore(state)
        self._told = {key: told for key, *told in np.asarray(state["told"]).tolist()}


def install(folder: Path) -> Path:
    """Write what pip would write; then the policy is known where `folder` is on the path."""
    about = folder / "explaining-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: explaining\nVersion: 1.0\n")
    point = f"{NAME} = explaining:Explaining\n"
    (about / "entry_points.txt").write_text(f"[wolfspider.policies]\n{point}")
    return folder


if __name__ == "__main__":
    install(Path(sys.argv[1]))
