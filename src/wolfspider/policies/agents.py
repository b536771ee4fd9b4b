"""What crawling agents are made of: keywords, a small neural net, and an eye for the next link.

Shared by `infospiders` (Menczer, Pant & Srinivasan 2004, section 3.1.5) and `arachnid`.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wolfspider.records import Floats, Links, State, TermIds, Terms
from wolfspider.topics import Topic

Inputs = NDArray[np.float32]  # of a net: a column for each keyword, a row for each link

REACH = 5  # links to either side whose words still count
_DISTANCES = np.abs(np.arange(-REACH, REACH + 1))
NEARNESS = 1 / (1 + _DISTANCES)  # of the words of a link, by how many links away it stands
CONTEXT = 0.5  # what a word beside an anchor counts, against one in it
STEEPEST = 30.0  # e^30: beyond it waiting times are too short to be told apart from none


@dataclass(frozen=True, slots=True, eq=False)
class Keywords:
    """What an agent looks for: terms in the order in which its line learned them."""

    ids: TermIds
    counts: Floats
    norm: float

    @classmethod
    def of(cls, ids: TermIds, counts: Floats) -> Keywords:
        return cls(ids, counts, float(np.sqrt((counts * counts).sum())))

    @classmethod
    def of_topic(cls, topic: Topic) -> Keywords:
        return cls.of(topic.terms.ids, topic.terms.counts.astype(np.float64))

    def __len__(self) -> int:
        return len(self.ids)

    def similarity(self, page: Terms) -> float:
        """The cosine of raw counts, equation 4; 0 for an empty page."""
        if not page.norm or not self.norm:
            return 0.0
        shared = float((self.counts * page.frequencies(self.ids)).sum())
        return min(shared / (self.norm * page.norm), 1.0)

    def expanded(self, page: Terms | None) -> Keywords:
        """With the most frequent term of a page that is new; of equals, that of the lowest id."""
        if page is None:
            return self
        counts = np.where(np.isin(page.ids, self.ids), 0, page.counts)
        if not counts.any():
            return self
        new = page.ids[counts.argmax()]
        return Keywords.of(np.append(self.ids, new), np.append(self.counts, 1.0))

    def state(self) -> State:
        return {"ids": self.ids, "counts": self.counts}

    @classmethod
    def restored(cls, state: State) -> Keywords:
        return cls.of(np.asarray(state["ids"], np.uint32), np.asarray(state["counts"], np.float64))


def sigmoid(values: Floats) -> Floats:
    """1 / (1 + e^-x), for any x without an overflow."""
    squashed: Floats = 0.5 * (1.0 + np.tanh(0.5 * values))
    return squashed


class Perceptron:
    """A net without hidden units: the sigmoid of the weighted inputs and a bias."""

    def __init__(self, weights: Floats, bias: float) -> None:
        self.weights = weights
        self.bias = bias

    def __call__(self, inputs: Inputs) -> Floats:
        """An output for each row."""
        # Not a product of matrices: its last bits may depend on where the arrays lie.
        return sigmoid((inputs * self.weights).sum(axis=-1) + self.bias)

    def learn(self, inputs: Inputs, target: float, rate: float) -> None:
        """One step down the gradient of (target - output)² / 2, for one row."""
        output = float(self(inputs))
        step = rate * (target - output) * output * (1 - output)
        self.weights = self.weights + step * inputs
        self.bias += step

    def extended(self, weight: float, size: int) -> Perceptron:
        """A copy with so many inputs, the new ones of this weight."""
        more = np.full(size - len(self.weights), weight)
        return Perceptron(np.concatenate([self.weights, more]), self.bias)

    def state(self) -> State:
        return {"weights": self.weights, "bias": self.bias}  # not copied: learning makes new ones

    @classmethod
    def restored(cls, state: State) -> Perceptron:
        return cls(np.array(state["weights"], np.float64), float(state["bias"]))


def network_inputs(links: Links, keywords: TermIds) -> Inputs:
    """How often each keyword stands near each link, near ones weighing more.

        input(k, l) = Σ_j (anchor(k, j) + context(k, j) / 2) / (1 + |j - l|), |j - l| ≤ 5

    j are the links of the page in their order, anchor(k, j) how often k stands in the anchor
    of j, and context(k, j) how often in the words beside it.
    """
    inputs = np.zeros((len(links), len(keywords)), np.float32)
    anchor, context = links.bags("anchor", "context")
    for column, term in enumerate(keywords.tolist()):
        here = anchor.ids == term
        if np.count_nonzero(here):
            words = anchor.sums(here) + CONTEXT * context.sums(here)
            inputs[:, column] = np.convolve(words, NEARNESS)[REACH : REACH + len(links)]
    return inputs


class Followed:
    """The latest links that were followed: by whom, and what its net saw of each.

    Somebody may say later that the page behind one was judged wrongly.
    """

    most = 10_000

    def __init__(self) -> None:
        self._links: dict[int, tuple[int, Inputs | None]] = {}

    def note(self, link: int, agent: int, inputs: Inputs | None) -> None:
        self._links[link] = agent, inputs
        if len(self._links) > self.most:
            del self._links[next(iter(self._links))]

    def of(self, link: int) -> tuple[int, Inputs | None]:
        return self._links.get(link, (-1, None))

    def state(self) -> State:
        seen = [each for _, each in self._links.values() if each is not None]
        return {
            "links": np.array(list(self._links), np.uint64),
            "agents": np.array([agent for agent, _ in self._links.values()], np.int64),
            "widths": np.array(
                [-1 if each is None else len(each) for _, each in self._links.values()], np.int64
            ),
            "inputs": np.concatenate([np.empty(0, np.float32), *seen]),
        }

    def restore(self, state: State) -> None:
        self._links, at = {}, 0
        inputs = np.asarray(state["inputs"], np.float32)
        names = ("links", "agents", "widths")
        for link, agent, width in zip(*(state[name].tolist() for name in names), strict=True):
            seen = None if width < 0 else inputs[at : at + width].copy()
            self._links[link] = agent, seen
            at += max(width, 0)


class Told:
    """Busy hosts as one of several frontiers sees them: what was freed since it last asked."""

    def __init__(self, busy: Container[str]) -> None:
        self._busy = busy
        self.news: dict[str, None] = {}

    def __contains__(self, host: object) -> bool:
        return host in self._busy

    def freed(self) -> list[str]:
        news, self.news = list(self.news), {}
        return news


class Messenger:
    """Tells several frontiers which hosts were freed; busy hosts tell it only once."""

    def __init__(self) -> None:
        self._busy: Container[str] | None = None
        self._told: list[Told] = []

    def views(self, busy: Container[str], count: int) -> Sequence[Container[str]]:
        """The busy hosts for each of so many frontiers, always the same object for each."""
        ask = getattr(busy, "freed", None)
        if ask is None:
            return [busy] * count
        if busy is not self._busy:
            self._busy, self._told = busy, []
        news = dict.fromkeys(ask())
        for told in self._told:
            told.news |= news
        while len(self._told) < count:
            self._told.append(Told(busy))
        return self._told
