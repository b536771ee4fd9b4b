"""ARACHNID: agents that live on relevant pages and die without them (Menczer 1997).

After the description in Young 2005, section 2.2: agents without a memory, chosen at random, that
learn by Q-learning. What it leaves open is filled from Menczer, Pant & Srinivasan 2004.
"""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from wolfspider.frontier import Frontier, Origin
from wolfspider.policies.agents import (
    STEEPEST,
    Followed,
    Inputs,
    Keywords,
    Perceptron,
    network_inputs,
)
from wolfspider.policies.scored import SEEDS, RandomPart
from wolfspider.records import Fingerprints, Floats, Link, Links, State, Visit
from wolfspider.topics import Topic

_WEIGHTS = 0.5  # those of a first net lie between minus and plus this
_MUTATION = 0.25  # and an offspring's differ by at most this from its parent's


@dataclass(slots=True, eq=False)
class Sight:
    """The links of the page on which an agent stands, in the order in which it wants them."""

    fingerprints: Fingerprints = field(default_factory=lambda: np.zeros(0, np.uint64))
    hosts: list[str] = field(default_factory=list)
    values: Floats = field(default_factory=lambda: np.zeros(0))
    inputs: Inputs = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    gone: int = 0  # so many in front are known to wait no longer

    def first(self, waiting: Frontier, busy: Container[str]) -> int | None:
        """The place of the first link that waits and may be followed now."""
        fingerprints, hosts = self.fingerprints, self.hosts
        while self.gone < len(hosts) and fingerprints.item(self.gone) not in waiting:
            self.gone += 1
        for at in range(self.gone, len(hosts)):
            if hosts[at] not in busy and fingerprints.item(at) in waiting:
                return at
        return None

    def state(self) -> State:
        return {
            "fingerprints": self.fingerprints,
            "hosts": self.hosts,
            "values": self.values,
            "inputs": self.inputs,
        }

    @classmethod
    def restored(cls, state: State) -> Sight:
        return cls(
            np.asarray(state["fingerprints"], np.uint64),
            list(state["hosts"]),
            np.asarray(state["values"], np.float64),
            np.asarray(state["inputs"], np.float32),
        )


@dataclass(slots=True, eq=False)
class Agent:
    """One of the population, on the page of the link that it followed last."""

    keywords: Keywords
    net: Perceptron
    energy: float
    sight: Sight = field(default_factory=Sight)

    def state(self) -> State:
        return {
            "keywords": self.keywords.state(),
            "net": self.net.state(),
            "energy": self.energy,
            "sight": self.sight.state(),
        }

    @classmethod
    def restored(cls, state: State) -> Agent:
        keywords, net = Keywords.restored(state["keywords"]), Perceptron.restored(state["net"])
        return cls(keywords, net, state["energy"], Sight.restored(state["sight"]))


class Arachnid:
    """Agents follow links of the page they stand on, feed on relevant pages, and die or multiply.

    Each fetch costs an agent `cost` and brings it the relevance of the page. At 0 it dies,
    unless it is the last; above `theta` it shares its energy with an offspring. Of the links
    of its page an agent follows each with probability e^(β·Q) / Σ e^(β·Q), where Q is the
    output of its net, which learns from (1 - discount) · relevance + discount · max Q of the
    new page. Without `learning`, Q is the number c of keywords around the link: c / (1 + c).
    All waiting links are in `frontier`: who finds no link on its page takes any of them.
    """

    def __init__(
        self,
        *,
        topic: Topic,
        beta: float = 5.0,
        energy: float = 1.0,
        cost: float = 0.1,
        theta: float = 2.0,
        rate: float = 0.5,
        discount: float = 0.5,
        population: int = 8,
        learning: bool = True,
        seed: int = 0,
        buffer: int | None = None,
    ) -> None:
        if not 0 <= beta <= STEEPEST:
            raise ValueError(f"beta lies between 0 and {STEEPEST:g}, not {beta}")
        if not 0 < energy < math.inf:
            raise ValueError(f"energy is what an agent begins with, above 0, not {energy}")
        for name, amount in (("cost", cost), ("theta", theta), ("rate", rate)):
            if not 0 <= amount < math.inf:
                raise ValueError(f"{name} is 0 or more, not {amount}")
        if not 0 <= discount <= 1:
            raise ValueError(f"discount lies between 0 and 1, not {discount}")
        if population < 1:
            raise ValueError(f"population is the most agents there may be, 1 or more: {population}")
        self.beta, self.energy, self.cost, self.theta = beta, energy, cost, theta
        self.rate, self.discount = rate, discount
        self.population, self.learning = population, learning
        self.frontier = Frontier(buffer)
        self.agents: dict[int, Agent] = {}  # by number, the oldest first
        self._keywords = Keywords.of_topic(topic)
        self._born = 0
        self._now = 0.0
        self._followed = Followed()
        self._out: dict[int, tuple[int, Inputs | None]] = {}  # who followed it, what its net saw
        self._chance = RandomPart(seed)

    def start(self, seeds: Sequence[Link]) -> None:
        """An agent for each seed, as long as there is room; the other seeds are left to them."""
        known = self.frontier.knows(np.array([seed.fingerprint for seed in seeds], np.uint64))
        new = {seed.fingerprint: seed for seed, old in zip(seeds, known, strict=True) if not old}
        for at in range(0, len(seeds), SEEDS):
            self._leave_behind(Links.of(seeds[at : at + SEEDS]), Origin())
        for seed in list(new.values())[: self.population - len(self.agents)]:
            agent = self._founder()
            agent.sight = self._look(agent, Links.of([seed]))
            self._settle(agent)

    def next(self, busy: Container[str] = ()) -> Link | None:
        """A link of the page of an agent, any of them; if there is none, any waiting link."""
        if not self.agents or not len(self.frontier):
            return None
        numbers = list(self.agents)
        number = numbers[int(self._chance.random.integers(len(numbers)))]
        sight = self.agents[number].sight
        at = sight.first(self.frontier, busy)
        if at is None:
            link = self.frontier.pop(busy)
            if link is None:
                return None
            self._now = max(self._now, -link.score)
            self._out[link.fingerprint] = number, None
            return replace(link, score=0.0)
        self.frontier.rescore(sight.fingerprints[at : at + 1], np.array([math.inf]))
        link = self.frontier.pop(busy)
        assert link is not None  # it waits, and its host is not busy
        self._out[link.fingerprint] = number, sight.inputs[at].copy() if link.source else None
        return replace(link, score=sight.values.item(at))

    def learn(self, visit: Visit) -> None:
        number, inputs = self._owner(visit)
        self._followed.note(visit.link.fingerprint, number, inputs)
        agent = self.agents[number]
        agent.energy -= self.cost
        if not visit.failed:
            agent.energy += visit.verdict.relevance
            self._arrive(agent, visit, inputs)
        if agent.energy <= 0:
            self._die(number)
        elif agent.energy > self.theta and len(self.agents) < self.population:
            self._reproduce(agent, visit)

    def correct(self, visit: Visit) -> None:
        """Relevance feedback: what the agent was paid for the page was wrong."""
        number, inputs = self._followed.of(visit.link.fingerprint)
        agent = self.agents.get(number)
        if agent is None:
            return  # it is dead, and has left nothing that could learn
        relevance = visit.verdict.relevance
        agent.energy += 2 * relevance - 1  # paid now, or taken back
        if self.learning and inputs is not None:
            agent.net.learn(inputs, relevance, self.rate)
        if agent.energy <= 0:
            self._die(number)

    def __len__(self) -> int:
        return len(self.frontier)

    def state(self) -> State:
        out = {
            str(link): {"agent": number, "inputs": inputs}
            for link, (number, inputs) in self._out.items()
        }
        return {
            "frontier": self.frontier.state(),
            "agents": {str(number): agent.state() for number, agent in self.agents.items()},
            "followed": self._followed.state(),
            "born": self._born,
            "now": self._now,
            "out": out,
            "chance": self._chance.state(),
        }

    def restore(self, state: State) -> None:
        self.frontier.restore(state["frontier"])
        self.agents = {int(key): Agent.restored(each) for key, each in state["agents"].items()}
        self._followed.restore(state["followed"])
        self._born, self._now = state["born"], state["now"]
        self._out = {int(k): (each["agent"], each["inputs"]) for k, each in state["out"].items()}
        self._chance.restore(state["chance"])

    # -- a visit ---------------------------------------------------------------------------

    def _owner(self, visit: Visit) -> tuple[int, Inputs | None]:
        """Who takes the visit in, and what its net saw of the link.

        The one that followed the link; if it is dead or not known, the one whose keywords are
        most like the page.
        """
        number, inputs = self._out.pop(visit.link.fingerprint, (-1, None))
        if number in self.agents:
            return number, inputs
        if not self.agents:
            self._settle(self._founder())
        similar = {
            n: agent.keywords.similarity(visit.page.terms) for n, agent in self.agents.items()
        }
        return max(similar, key=similar.__getitem__), None

    def _arrive(self, agent: Agent, visit: Visit, inputs: Inputs | None) -> None:
        """The agent learns how good its choice was, and stands on the new page."""
        links = visit.page.links
        sight = self._look(agent, links)
        if self.learning and inputs is not None:
            best = float(sight.values.max()) if len(links) else 0.0
            worth = (1 - self.discount) * visit.verdict.relevance + self.discount * best
            agent.net.learn(inputs, worth, self.rate)
        agent.sight = sight
        origin = Origin(visit.page.url, visit.link.depth + 1, visit.verdict.relevance)
        self._leave_behind(links, origin)

    def _look(self, agent: Agent, links: Links) -> Sight:
        """The links of a page in an order drawn with the chances that the agent gives them."""
        inputs = network_inputs(links, agent.keywords.ids)
        values = agent.net(inputs) if self.learning else _naive(inputs)
        times = self._chance.random.exponential(size=len(links)) * np.exp(-self.beta * values)
        order = np.argsort(times, kind="stable")
        names = links.hosts
        hosts = [names[host] for host in links.host_of[order].tolist()]
        return Sight(links.fingerprints[order], hosts, values[order], inputs[order])

    def _leave_behind(self, links: Links, origin: Origin) -> None:
        """All links of a page wait for whoever comes to them, each as likely as the other."""
        times = self._now + self._chance.random.exponential(size=len(links))
        self.frontier.push(links, -times, origin)

    # -- life and death --------------------------------------------------------------------

    def _founder(self) -> Agent:
        """An agent of the topic with a net of random weights."""
        *weights, bias = self._chance.random.uniform(-_WEIGHTS, _WEIGHTS, len(self._keywords) + 1)
        return Agent(self._keywords, Perceptron(np.array(weights), float(bias)), self.energy)

    def _settle(self, agent: Agent) -> None:
        self.agents[self._born] = agent
        self._born += 1

    def _die(self, number: int) -> None:
        """The last agent lives on, with nothing."""
        if len(self.agents) > 1:
            del self.agents[number]
        else:
            self.agents[number].energy = 0.0

    def _reproduce(self, parent: Agent, visit: Visit) -> None:
        """An offspring on the same page, with half of the energy, another word, other weights."""
        keywords = parent.keywords.expanded(visit.page.terms)
        net = parent.net.extended(0.0, len(keywords))
        *steps, step = self._chance.random.uniform(-_MUTATION, _MUTATION, len(keywords) + 1)
        net = Perceptron(net.weights + np.array(steps), net.bias + float(step))
        parent.energy /= 2
        child = Agent(keywords, net, parent.energy)
        child.sight = self._look(child, visit.page.links)
        self._settle(child)


def _naive(inputs: Inputs) -> Floats:
    """What a link is worth to an agent without a net."""
    counts = inputs.sum(axis=1, dtype=np.float64)
    worth: Floats = counts / (1 + counts)
    return worth
