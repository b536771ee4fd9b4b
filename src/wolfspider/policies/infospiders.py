"""InfoSpiders: a population of agents that learn and multiply (Menczer, Pant & Srinivasan 2004).

Section 3.1.5, figure 10, equations 6 and 7; the variants without learning and without evolution
are those of section 5.
"""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

import numpy as np

from wolfspider.frontier import Frontier, Origin
from wolfspider.policies.agents import (
    STEEPEST,
    Followed,
    Inputs,
    Keywords,
    Messenger,
    Perceptron,
    network_inputs,
)
from wolfspider.policies.notes import Notes
from wolfspider.policies.scored import RandomPart
from wolfspider.records import Floats, Link, Links, Rows, State, Terms, Visit
from wolfspider.topics import Topic

_SEEDS = 1 << 16  # taken in at once: one record of links can tell so many hosts apart
_SEED_SCORE = 1.0
_WEIGHT = 1.0  # of each keyword in a new net
_BIAS = 0.0  # of a new net: it has no opinion on a link without keywords


@dataclass(slots=True, eq=False)
class Agent:
    """One of the population.

    Its waiting links stand in its frontier by the time at which they leave, the earliest first;
    `now` is when the last one left. `share` is how many may wait.
    """

    keywords: Keywords
    net: Perceptron
    frontier: Frontier
    share: int | None
    energy: float = 0.0
    now: float = 0.0
    document: Terms | None = None  # of the page on which it stands

    def state(self) -> State:
        document = self.document
        return {
            "keywords": self.keywords.state(),
            "net": self.net.state(),
            "frontier": self.frontier.state(),
            "share": self.share,
            "energy": self.energy,
            "now": self.now,
            "document": document and {name: getattr(document, name) for name in Terms.__slots__},
        }

    @classmethod
    def restored(cls, state: State) -> Agent:
        frontier, document = Frontier(), state["document"]
        frontier.restore(state["frontier"])
        return cls(
            Keywords.restored(state["keywords"]),
            Perceptron.restored(state["net"]),
            frontier,
            state["share"],
            state["energy"],
            state["now"],
            document and Terms(*(document[name] for name in Terms.__slots__)),
        )


class InfoSpiders:
    """Agents with keywords and a neural net of their own share the links and multiply.

    A link found by an agent whose keywords are `similarity` like the page is worth

        μ = α · similarity + (1 - α) · net(words around the link)

    and of its waiting links the agent follows each with probability e^(β·μ) / Σ e^(β·μ). The
    net learns to foretell how similar the page behind a link is. That similarity is also the
    energy of an agent; above θ it has an offspring, which takes half of its links and one more
    keyword. At most `population` agents hold at most `buffer` waiting links together. Without
    `evolution` there is one agent, without `learning` the nets stay as they are.
    """

    def __init__(
        self,
        *,
        topic: Topic,
        alpha: float = 0.5,
        beta: float = 5.0,
        temperature: float = 0.1,
        theta: float = 2.0,
        rate: float = 0.5,
        population: int = 8,
        learning: bool = True,
        evolution: bool = True,
        seed: int = 0,
        buffer: int | None = None,
    ) -> None:
        if not 0 <= alpha <= 1:
            raise ValueError(f"alpha lies between 0 and 1, not {alpha}")
        if not 0 <= beta <= STEEPEST:
            raise ValueError(f"beta lies between 0 and {STEEPEST:g}, not {beta}")
        if not 0 < temperature < math.inf:
            raise ValueError(f"temperature is above 0, not {temperature}")
        if not 0 <= theta < math.inf:
            raise ValueError(f"theta is an energy, 0 or more, not {theta}")
        if not 0 <= rate < math.inf:
            raise ValueError(f"rate is 0 or more, not {rate}")
        if population < 1:
            raise ValueError(f"population is the most agents there may be, 1 or more: {population}")
        population = population if evolution else 1
        if buffer is not None and buffer < population:
            raise ValueError(
                f"{population} agents cannot share a buffer of {buffer} links; "
                "give each of them one link or more"
            )
        self.alpha, self.beta, self.temperature = alpha, beta, temperature
        self.theta, self.rate = theta, rate
        self.population, self.learning = population, learning
        keywords = Keywords.of_topic(topic)
        net = Perceptron(np.full(len(keywords), _WEIGHT), _BIAS)
        self.agents = [Agent(keywords, net, Frontier(), buffer)]
        self._notes = Notes(len(keywords))
        self._followed = Followed()
        self._out: dict[int, tuple[int, Inputs]] = {}  # whose they are, and what its net saw
        self._turn = 0
        self._chance = RandomPart(seed)
        self._messenger = Messenger()

    def start(self, seeds: Sequence[Link]) -> None:
        """The first agent begins with all of them."""
        for at in range(0, len(seeds), _SEEDS):
            links = Links.of(seeds[at : at + _SEEDS])
            nothing = np.zeros((len(links), len(self.agents[0].keywords)), np.float32)
            self._take_in(0, links, self._new(links), _SEED_SCORE, nothing, Origin())

    def next(self, busy: Container[str] = ()) -> Link | None:
        """A link of the agent whose turn it is, or of the first after it that has one."""
        count = len(self.agents)
        views = self._messenger.views(busy, count)
        for step in range(count):
            number = (self._turn + step) % count
            agent = self.agents[number]
            link = agent.frontier.pop(views[number])
            if link is not None:
                self._turn = number + 1
                agent.now = max(agent.now, -link.score)
                score, inputs = self._notes.leave(link.fingerprint)
                self._out[link.fingerprint] = number, inputs[: len(agent.keywords)]
                return replace(link, score=score)
        return None

    def learn(self, visit: Visit) -> None:
        page = visit.page
        number, inputs = self._owner(visit)
        self._followed.note(visit.link.fingerprint, number, inputs)
        agent = self.agents[number]
        similarity = agent.keywords.similarity(page.terms)
        agent.energy += similarity
        if visit.failed:
            return
        if self.learning and inputs is not None and visit.link.source:  # seeds stood on no page
            agent.net.learn(inputs, similarity, self.rate)
        if len(new := self._new(page.links)):
            seen = network_inputs(page.links, agent.keywords.ids)[new]
            scores = self.alpha * similarity + (1 - self.alpha) * agent.net(seen)
            origin = Origin(page.url, visit.link.depth + 1, visit.verdict.relevance)
            self._take_in(number, page.links, new, scores, seen, origin)
        self._move(agent, page.terms, similarity)
        self._reproduce(number)

    def correct(self, visit: Visit) -> None:
        """A person's word in the place of the similarity: energy, and a lesson for the net."""
        number, inputs = self._followed.of(visit.link.fingerprint)
        if number < 0:
            number, inputs = self._owner(visit)
        agent, relevance = self.agents[number], visit.verdict.relevance
        agent.energy += relevance - agent.keywords.similarity(visit.page.terms)
        if self.learning and inputs is not None:
            agent.net.learn(_as_wide(inputs, agent.net), relevance, self.rate)

    def __len__(self) -> int:
        return sum(len(agent.frontier) for agent in self.agents)

    def state(self) -> State:
        width = self._notes.width
        inputs = [np.pad(each, (0, width - len(each))) for _, each in self._out.values()]
        return {
            "agents": {str(number): agent.state() for number, agent in enumerate(self.agents)},
            "notes": self._notes.state(),
            "out": {
                "fingerprints": np.array(list(self._out), np.uint64),
                "owners": [owner for owner, _ in self._out.values()],
                "inputs": np.array(inputs, np.float32).reshape(-1, width),
            },
            "followed": self._followed.state(),
            "turn": self._turn,
            "chance": self._chance.state(),
        }

    def restore(self, state: State) -> None:
        agents = state["agents"]
        self.agents = [Agent.restored(agents[str(number)]) for number in range(len(agents))]
        self._notes.restore(state["notes"])
        self._followed.restore(state["followed"])
        out = state["out"]
        links = zip(out["fingerprints"].tolist(), out["owners"], out["inputs"], strict=True)
        self._out = {
            link: (owner, inputs[: len(self.agents[owner].keywords)].copy())
            for link, owner, inputs in links
        }
        self._turn = state["turn"]
        self._chance.restore(state["chance"])
        self._messenger = Messenger()

    # -- links -----------------------------------------------------------------------------

    def _new(self, links: Links) -> Rows:
        """Those that no agent knows, the first of each."""
        fingerprints = links.fingerprints
        new = np.flatnonzero(~self._notes.knows(fingerprints))
        if len(set(fingerprints[new].tolist())) < len(new):
            new = new[np.sort(np.unique(fingerprints[new], return_index=True)[1])]
        return new

    def _take_in(
        self,
        number: int,
        links: Links,
        new: Rows,
        scores: Floats | float,
        inputs: Inputs,
        origin: Origin,
    ) -> None:
        """Let an agent have new links, with a score and inputs for each, as far as it may."""
        agent = self.agents[number]
        scores = np.broadcast_to(np.asarray(scores, np.float64), len(new))
        kept = self._make_room(number, scores)
        new, scores, inputs = new[kept], scores[kept], inputs[kept]
        if not len(new):
            return
        lifetimes = self._chance.random.exponential(size=len(new)) * np.exp(-self.beta * scores)
        times = -agent.now - lifetimes
        if len(new) == len(links):
            agent.frontier.push(links, times, origin)
        else:
            agent.frontier.add(_picked(links, new, times, origin))
        self._notes.write(links.fingerprints[new], number, scores, inputs)

    def _make_room(self, number: int, scores: Floats) -> Rows:
        """Drop the worst of old and new links until the share is kept; which new ones stay.

        The score decides, not the time to leave: so what stays is followed with the chances
        of equation 6. Of equals the latest goes first.
        """
        agent = self.agents[number]
        waiting = len(agent.frontier)
        if agent.share is None or waiting + len(scores) <= agent.share:
            return np.arange(len(scores))
        old, values = self._notes.of(number)
        best = np.argsort(-np.concatenate([values, scores]), kind="stable")
        stays = np.zeros(len(best), np.bool_)
        stays[best[: agent.share]] = True
        gone = old[~stays[:waiting]]
        if len(gone):
            agent.frontier.remove(gone)
            self._notes.drop(gone)
        return np.flatnonzero(stays[waiting:])

    def _owner(self, visit: Visit) -> tuple[int, Inputs | None]:
        """Whose visit this is, and what its net saw of the link.

        Of a link that nobody sent out it is the agent with which it waits, or else the one
        whose keywords are most like the page.
        """
        fingerprint = visit.link.fingerprint
        found = self._out.pop(fingerprint, None) or self._notes.look_up(fingerprint)
        if found is not None:
            number, inputs = found
            return number, inputs[: len(self.agents[number].keywords)]
        similar = [agent.keywords.similarity(visit.page.terms) for agent in self.agents]
        return similar.index(max(similar)), None

    # -- agents ----------------------------------------------------------------------------

    def _move(self, agent: Agent, page: Terms, similarity: float) -> None:
        """Perhaps this page becomes the agent's document; its first page always does."""
        if agent.document is not None:
            better = similarity - agent.keywords.similarity(agent.document)
            if self._chance.random.random() >= move_probability(better, self.temperature):
                return
        agent.document = page

    def _reproduce(self, number: int) -> None:
        """An offspring, if there is energy, and links and room for it."""
        parent = self.agents[number]
        if not (parent.energy > self.theta and len(self.agents) < self.population):
            return
        if len(parent.frontier) < 2 or (parent.share is not None and parent.share < 2):
            return
        keywords = parent.keywords.expanded(parent.document)
        net = parent.net.extended(_WEIGHT, len(keywords))
        share = None if parent.share is None else parent.share // 2
        child = Agent(keywords, net, Frontier(), share, now=parent.now, document=parent.document)
        if parent.share is not None and share is not None:
            parent.share -= share
        parent.energy = 0.0
        # Any half: one chosen by the times to leave would spoil the chances of equation 6.
        waiting, _ = self._notes.of(number)
        half = self._chance.random.permutation(len(waiting))[: len(waiting) // 2]
        given = waiting[np.sort(half)]
        child.frontier.add(parent.frontier.remove(given))
        self._notes.hand_over(given, len(self.agents), len(keywords))
        self.agents.append(child)


def _picked(links: Links, rows: Rows, scores: Floats, origin: Origin) -> list[Link]:
    """Some links of a page, each with the position that it has there."""
    hosts, host_of = links.hosts, links.host_of[rows].tolist()
    fingerprints = links.fingerprints[rows].tolist()
    picked = []
    for at, text in enumerate(links.texts(rows)):
        url, _, anchor = text.decode().partition("\n")
        picked.append(
            Link(
                url,
                fingerprints[at],
                hosts[host_of[at]],
                anchor,
                origin.source,
                origin.depth,
                int(rows[at]),
                origin.relevance,
                float(scores[at]),
            )
        )
    return picked


def move_probability(better: float, temperature: float) -> float:
    """Of moving to a page that is so much more similar than the current one: equation 7."""
    return 0.5 * (1.0 + math.tanh(0.5 * better / temperature))  # = 1 / (1 + e^-x), never too large


def _as_wide(inputs: Inputs, net: Perceptron) -> Inputs:
    """Inputs of a net that may have learned more keywords since."""
    seen: Inputs = np.zeros(len(net.weights), np.float32)
    seen[: len(inputs)] = inputs
    return seen
