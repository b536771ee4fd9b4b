"""A spider that learns on the way what kinds of links are worth: Han, Wuillemin & Senellart 2018.

A page is a state, a link on it an action; both are told apart by a few features only: how relevant
the page or the words of the link are to the topic and to related categories (cosine of word
vectors), how relevant their parents were, whether relevance rises or falls, how far the last
relevant page is. Each is a number in [0, 1] and is coded by two indexes of buckets. So there are a
few thousand kinds of (state, action), and the value of each is linear:

    q(s, a) = w · x(s, a)
    w ← w + α [r + γ q(s', a') − q(s, a)] x(s, a)     SARSA; without γ q(s', a') on relevant pages
    w ← w + α (1 − γ) […] x(s, a)                     "moderated"

What is scored anew when the weights have changed:

    sync        every kind that waits
    async       the kinds of the links just found
    moderated   the same, with smaller steps
    lazy        the same; and a kind that comes to the top, which has to prove that it still is
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from wolfspider.errors import BadInput
from wolfspider.fingerprint_map import ABSENT, FingerprintMap
from wolfspider.frontier import FrontierByKind, Origin
from wolfspider.policies.parents import FARTHEST, Parent, Parents
from wolfspider.policies.scored import SEEDS, RandomPart
from wolfspider.records import Floats, Link, Links, State, Visit
from wolfspider.topics import Topic
from wolfspider.vectors import Likeness, WordVectors, nearest

Update = Literal["sync", "async", "moderated", "lazy"]
Coding = Literal["index", "tiles"]
Codes = NDArray[np.uint8]

_FIVE = [0.2, 0.4, 0.6, 0.8]  # edges of buckets
_SIX = [0.1, 0.3, 0.5, 0.7, 0.9]
_EDGES = np.array(_FIVE), np.array(_SIX)
_RELATED = 20  # categories at most
_TOO_MUCH = 1000.0  # times the reward that can be had: values that large are no values


class Sarsa:
    """Follows links of the kind that has paid most so far, and keeps learning which that is."""

    def __init__(
        self,
        *,
        topic: Topic,
        seed: int = 0,
        update: Update = "lazy",
        alpha: float = 0.001,
        gamma: float = 0.9,
        epsilon: float = 0.1,
        rewards: str = "30/20/-1",
        alike: float = 0.5,
        nearly: float = 0.4,
        categories: str = "",
        related: int = 2,
        coding: Coding = "index",
        vectors: str = "",
        beta: float = 0.4,
        small: float = 0.1,
        large: float = 0.3,
        buffer: int | None = None,
    ) -> None:
        """`rewards`: of a page that is relevant or `alike`, of one `nearly` alike, and of others.

        `categories` are words, with commas between; without, the `related` nearest ones are taken.
        `small` and `large` changes of relevance (δ1, δ2) are told apart, smoothed by `beta`.
        """
        _check(update, get_args(Update), "update")
        _check(coding, get_args(Coding), "coding")
        for name, value in (("gamma", gamma), ("epsilon", epsilon), ("beta", beta)):
            if not 0 <= value <= 1:
                raise ValueError(f"{name} is {value}; it is from 0 to 1")
        if not 0 < alpha < np.inf or gamma == 1:
            raise ValueError(
                f"alpha is {alpha} and gamma {gamma}; alpha > 0 and gamma < 1 are needed"
            )
        if not 0 <= small <= large:
            raise ValueError(f"small is {small} and large {large}; 0 ≤ small ≤ large is needed")
        if not 0 <= related <= _RELATED:
            raise ValueError(f"related is {related}; it is from 0 to {_RELATED}")
        if not nearly <= alike:
            raise ValueError(f"nearly is {nearly} and alike {alike}; nearly ≤ alike is needed")
        self.frontier = FrontierByKind(buffer)
        self.weights: Floats
        self._update, self._coding = update, coding
        self._alpha = alpha * (1 - gamma if update == "moderated" else 1)
        self._gamma, self._epsilon, self._beta = gamma, epsilon, beta
        self._rewards, self._steps = _rewards(rewards), (small, large)
        self._alike, self._nearly = alike, nearly
        table = WordVectors.open(vectors or None)
        words = " ".join(topic.keywords)
        self.categories = _categories(categories) or nearest(table, words, related)
        self._likeness = Likeness(table, [words, *self.categories])
        self._chance = RandomPart(seed)
        self._parents = Parents()
        self._kinds: dict[bytes, int] = {}
        width = len(self._names())
        self._codes: Codes = np.zeros((256, width), np.uint8)  # of each kind
        self._offsets = np.arange(width) * (FARTHEST + 1)
        self.weights = np.zeros(width if coding == "index" else width * (FARTHEST + 1))
        self._out: dict[int, int] = {}  # the kind of each link that was chosen
        self._followed = FingerprintMap()  # and of those that have been visited
        self._visits = 0

    def start(self, seeds: Sequence[Link]) -> None:
        code = bytes(self._codes.shape[1])
        if code not in self._kinds:
            self._add_kinds([code])
        kind = self._kinds[code]
        for at in range(0, len(seeds), SEEDS):
            some = Links.of(seeds[at : at + SEEDS])
            self.frontier.push(some, np.full(len(some), kind), Origin())

    def next(self, busy: Container[str] = ()) -> Link | None:
        if self._epsilon and self._chance.random.random() < self._epsilon:
            found = self.frontier.pop_any(self._chance.random, busy)
        else:
            found = self.frontier.pop(busy, self._one_value if self._update == "lazy" else None)
        if found is None:
            return None
        link, self._out[link.fingerprint] = found
        return link

    def learn(self, visit: Visit) -> None:
        self._visits += 1
        page, links = visit.page, visit.page.links
        likeness = np.maximum(self._likeness.of_terms(page.terms), 0.0)
        before = self._out.pop(visit.link.fingerprint, None)
        if before is None:  # told again after a restart: the link still waits
            before = self.frontier.kind_of(visit.link.fingerprint)
        state, parent = self._state(visit, likeness)
        kinds = np.empty(0, np.int64)
        if len(links):
            averages = self._parents.add(links.fingerprints, parent)
            kinds = self._kinds_of(links, state, averages)
        if before is not None:
            self._followed.set_one(visit.link.fingerprint, before)
            self._learn(before, visit, likeness.item(0), kinds)
        if self._update == "sync":
            waiting = self.frontier.kinds()
            self.frontier.worth[waiting] = self.values(self._codes[waiting])
        if len(links):
            fresh = np.unique(kinds)
            self.frontier.worth[fresh] = self.values(self._codes[fresh])
            origin = Origin(page.url, visit.link.depth + 1, visit.verdict.relevance)
            self.frontier.push(links, kinds, origin)

    def correct(self, visit: Visit) -> None:
        """Learn once more from a page that got another verdict."""
        before = self._followed.get_one(visit.link.fingerprint)
        if before != ABSENT:
            likeness = self._likeness.of_terms(visit.page.terms).item(0)
            links = visit.page.links.fingerprints.tolist()
            waiting = [kind for kind in map(self.frontier.kind_of, links) if kind is not None]
            self._move(before, visit, likeness, np.array(waiting, np.int64))

    def values(self, codes: Codes) -> Floats:
        """q(s, a) of each row of codes."""
        if self._coding == "index":
            return codes @ self.weights
        found: Floats = self.weights[codes + self._offsets].sum(-1)
        return found

    def __len__(self) -> int:
        return len(self.frontier)

    # -- learning ----------------------------------------------------------------------------

    def _learn(self, before: int, visit: Visit, likeness: float, kinds: NDArray[np.int64]) -> None:
        """Learn from a visit, whose page has links of these kinds."""
        if len(kinds) and not visit.verdict.relevant:
            kinds = kinds[~self.frontier.left(visit.page.links.fingerprints)]
        self._move(before, visit, likeness, kinds)

    def _move(self, before: int, visit: Visit, likeness: float, kinds: NDArray[np.int64]) -> None:
        """Move the value of the kind that was followed towards what it has led to."""
        target = self.reward(visit, likeness)
        if len(kinds) and not visit.verdict.relevant:
            target += self._gamma * self._choice(self.values(self._codes[kinds]))
        code = self._codes[before]
        error = target - self.values(code[None]).item(0)
        if self._coding == "index":
            self.weights += self._alpha * error * code
        else:
            self.weights[code + self._offsets] += self._alpha * error
        self._stop_if_diverging(self.values(code[None]).item(0))

    def _choice(self, values: Floats) -> float:
        """The value of the action that an ε-greedy policy would take."""
        random = self._chance.random
        if self._epsilon and random.random() < self._epsilon:
            return values.item(int(random.integers(len(values))))
        return float(values.max())

    def reward(self, visit: Visit, likeness: float) -> float:
        """Relevant, or alike; nearly alike; or a step for nothing."""
        if visit.verdict.relevant or likeness > self._alike:
            return self._rewards[0]
        return self._rewards[1] if likeness > self._nearly else self._rewards[2]

    def _stop_if_diverging(self, value: float) -> None:
        most = max(map(abs, self._rewards)) / (1 - self._gamma)
        if not abs(value) <= _TOO_MUCH * max(most, 1.0):
            raise BadInput(
                f"sarsa diverges: after {self._visits:,} pages it takes a link to be worth "
                f"{value:.3g}, where no more than {most:g} can be had; give update=moderated, "
                f"coding=tiles, or a smaller alpha, such as alpha={min(self._alpha / 10, 0.001):g}"
            )

    # -- features ----------------------------------------------------------------------------

    def _names(self) -> list[str]:
        """What each column of a code is: of the page, then of the link."""
        topics = ["topic", *(f"category {n + 1}" for n in range(len(self.categories)))]
        both = [*topics, "parents", "relevant parents"]
        pairs = [f"{name} /{buckets}" for name in both for buckets in (5, 6)]
        return [
            *(f"page: {name}" for name in [*pairs, "change", "distance"]),
            *(f"link: {name}" for name in pairs),
        ]

    def _state(self, visit: Visit, likeness: Floats) -> tuple[bytes, Parent]:
        """The code of a page, and what its links remember of it."""
        values = likeness.tolist()
        relevance, relevant = values[0], visit.verdict.relevant
        parents = self._parents.of(visit.link.fingerprint)
        ancestors = relevance if parents.smoothed is None else parents.smoothed
        distance = 0 if relevant else min(parents.distance + 1, FARTHEST)
        smoothed = self._beta * relevance + (1 - self._beta) * ancestors
        code = bytearray()
        for value in (*values, parents.mean, parents.relevant_mean):
            code += bytes((bisect_right(_FIVE, value), bisect_right(_SIX, value)))
        code += bytes((change_index(relevance - ancestors, *self._steps), distance))
        return bytes(code), Parent(relevance, relevant, smoothed, distance)

    def _kinds_of(self, links: Links, page: bytes, averages: Floats) -> NDArray[np.int64]:
        """The number of each link's (state, action)."""
        likeness = np.maximum(self._likeness.of_bags(*links.bags("url", "anchor", "context")), 0.0)
        codes = two_indexes(np.concatenate([likeness, averages], axis=1))
        text, width = codes.tobytes(), codes.shape[1]
        codes_of = [page + text[at : at + width] for at in range(0, len(text), width)]
        kinds = list(map(self._kinds.get, codes_of))
        if None in kinds:
            self._add_kinds(list(dict.fromkeys(c for c in codes_of if c not in self._kinds)))
            kinds = [self._kinds[code] for code in codes_of]
        return np.array(kinds)

    def _add_kinds(self, codes: Sequence[bytes]) -> None:
        """Number kinds that are new."""
        first, end = len(self._kinds), len(self._kinds) + len(codes)
        self._kinds |= {code: number for number, code in enumerate(codes, first)}
        while len(self._codes) < end:
            self._codes = np.concatenate([self._codes, np.zeros_like(self._codes)])
        if len(self.frontier.worth) < len(self._codes):
            more = np.zeros(len(self._codes) - len(self.frontier.worth))
            self.frontier.worth = np.append(self.frontier.worth, more)
        new = np.frombuffer(b"".join(codes), np.uint8)
        self._codes[first:end] = new.reshape(len(codes), self._codes.shape[1])

    def _one_value(self, kind: int) -> float:
        return self.values(self._codes[kind : kind + 1]).item(0)

    # -- what is kept ------------------------------------------------------------------------

    def carried(self) -> State:
        """What the next hunt can begin with."""
        size = len(self._names())
        weights = self.weights.reshape(size, -1).tolist()
        return {"coding": self._coding, "weights": dict(zip(self._names(), weights, strict=True))}

    def carry(self, values: State) -> None:
        """Begin with what another hunt has learned."""
        names = self._names()
        theirs = list(values.get("weights", ()))
        if values.get("coding") != self._coding or theirs != names:
            raise BadInput(
                f"the weights are for {len(theirs)} features, coded by {values.get('coding')!r}; "
                f"this hunt has {len(names)}, coded by {self._coding!r}: use as many categories, "
                "and the same coding"
            )
        weights = np.array([values["weights"][name] for name in names], float).ravel()
        if weights.shape != self.weights.shape or not np.isfinite(weights).all():
            raise BadInput("the weights are damaged: some are missing or not numbers")
        self.weights = weights

    def state(self) -> State:
        return {
            "frontier": self.frontier.state(),
            "parents": self._parents.state(),
            "chance": self._chance.state(),
            "weights": self.weights.copy(),
            "codes": self._codes[: len(self._kinds)].copy(),
            "followed": self._followed.state(),
            "out": {str(link): kind for link, kind in self._out.items()},
            "visits": self._visits,
        }

    def restore(self, state: State) -> None:
        self._kinds = {}
        self._add_kinds([code.tobytes() for code in np.asarray(state["codes"], np.uint8)])
        self.frontier.restore(state["frontier"])
        self._parents.restore(state["parents"])
        self._chance.restore(state["chance"])
        self.weights = np.array(state["weights"], float)
        self._followed.restore(state["followed"])
        self._out = {int(link): kind for link, kind in state["out"].items()}
        self._visits = state["visits"]


def two_indexes(values: Floats) -> Codes:
    """For each number in [0, 1] its bucket of five and its bucket of six, side by side."""
    codes = np.empty((*values.shape[:-1], values.shape[-1] * 2), np.uint8)
    codes[..., 0::2], codes[..., 1::2] = (edges.searchsorted(values, "right") for edges in _EDGES)
    return codes


def change_index(change: float, small: float, large: float) -> int:
    """0: hardly any; 1 and 2: up, and far up; 3 and 4: down, and far down."""
    if abs(change) <= small:
        return 0
    return (1 if change > 0 else 3) + (abs(change) > large)


def _categories(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _rewards(text: str) -> tuple[float, float, float]:
    try:
        relevant, nearly, other = (float(part) for part in text.split("/"))
    except ValueError:
        raise ValueError(f"rewards is {text!r}; write three numbers, such as 30/20/-1") from None
    if not np.isfinite([relevant, nearly, other]).all():
        raise ValueError(f"rewards is {text!r}; the numbers must be finite")
    return relevant, nearly, other


def _check(value: str, allowed: Sequence[Any], name: str) -> None:
    if value not in allowed:
        raise ValueError(f"{name} is {value!r}; it is one of {', '.join(allowed)}")
