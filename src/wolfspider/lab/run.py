"""One run: a policy on a task, timed apart from the web."""

from __future__ import annotations

import time
import traceback
from collections.abc import Container, Sequence

import numpy as np

from wolfspider.crawl import replay
from wolfspider.forecasting import SIZES, Promised
from wolfspider.lab.ground import Ground
from wolfspider.lab.oracles import ORACLES, make_oracle
from wolfspider.lab.trace import RunKey, Trace
from wolfspider.lab.training import trained
from wolfspider.outlook import promised_by
from wolfspider.policies import Spec, make, training_part, trains
from wolfspider.policies.registry import load
from wolfspider.protocols import Carrying, Policy
from wolfspider.records import Link, State, Visit
from wolfspider.training.model import Model


class Timed:
    """A policy with a clock: what it spends in choosing and learning, and nothing else."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self.nanoseconds = 0

    def start(self, seeds: Sequence[Link]) -> None:
        begin = time.thread_time_ns()
        self._policy.start(seeds)
        self.nanoseconds += time.thread_time_ns() - begin

    def next(self, busy: Container[str] = ()) -> Link | None:
        begin = time.thread_time_ns()
        link = self._policy.next(busy)
        self.nanoseconds += time.thread_time_ns() - begin
        return link

    def learn(self, visit: Visit) -> None:
        begin = time.thread_time_ns()
        self._policy.learn(visit)
        self.nanoseconds += time.thread_time_ns() - begin

    def __len__(self) -> int:
        return len(self._policy)

    def state(self) -> State:
        return self._policy.state()

    def restore(self, state: State) -> None:
        self._policy.restore(state)


def make_policy(spec: Spec, ground: Ground, repeat: int) -> Policy:
    """A policy for this task; only oracles are given the ground truth.

    One that has to be trained is trained on what the task allows, once in a process.
    """
    if spec.name in ORACLES:
        return make_oracle(spec, ground)
    model = _trained(spec, ground)[0] if trains(spec.name) else None
    return make(spec, topic=ground.topic(), seed=repeat, model=model)


def _trained(spec: Spec, ground: Ground) -> tuple[Model, float]:
    return trained(ground.web.folder, ground.task, training_part(spec))


def training_seconds(spec: Spec, ground: Ground) -> float:
    """What it took to train a policy for this task; 0 for one that is not trained."""
    if spec.name in ORACLES or not trains(spec.name):
        return 0.0
    return _trained(spec, ground)[1]


def died(ground: Ground, spec: Spec, repeat: int = 0) -> Trace:
    """What is left of a run that took its process with it: no traceback, only the fact."""
    key = RunKey(ground.web.digest, ground.task.name, str(spec), repeat)
    error = "the process of this run died: out of memory, or a crash in compiled code\n"
    nothing = np.empty(0, np.int32), np.empty(0, bool)
    return Trace(key, *nothing, 0.0, 0.0, ground.starts, error)


def run(ground: Ground, spec: Spec, repeat: int = 0) -> Trace:
    """Crawl a task with a policy. A policy that crashes gives a trace with its traceback."""
    return run_lesson(ground, spec, repeat, None)[0]


def carries(spec: Spec) -> bool:
    """Whether a policy can begin with what it learned in a run before."""
    return spec.name not in ORACLES and hasattr(load(spec.name), "carried")


def run_lesson(
    ground: Ground, spec: Spec, repeat: int, carried: State | None
) -> tuple[Trace, State | None]:
    """The same, begun with what was learned before; gives what there is to carry on, too."""
    key = RunKey(ground.web.digest, ground.task.name, str(spec), repeat)
    pages: list[int] = []
    judged: list[bool] = []
    promised: list[Promised] = []
    error, learned = "", None
    begin = time.perf_counter()
    policy: Timed | None = None
    training = 0.0
    number = ground.web.number
    found: set[int] = set()
    try:
        training = training_seconds(spec, ground)
        begin = time.perf_counter()
        made = make_policy(spec, ground, repeat)
        if carried is not None and isinstance(made, Carrying):
            made.carry(carried)
        policy = Timed(made)
        for visit in replay(
            ground.view, policy, ground.judge(), ground.seeds(), pages=ground.budget
        ):
            page = -1 if visit.failed else number(visit.page.url)
            pages.append(page)
            judged.append(visit.verdict.relevant)
            if (row := promised_by(made, len(pages))) is not None:
                promised.append(row)
            if page >= 0 and ground.targets[page]:
                found.add(page)
                if len(found) == ground.task.until:
                    break
        learned = made.carried() if isinstance(made, Carrying) else None
    except (Exception, SystemExit):  # whatever a policy does, the other runs go on
        error = traceback.format_exc()
    trace = Trace(
        key,
        np.array(pages, np.int32),
        np.array(judged, bool),
        0.0 if policy is None else policy.nanoseconds / 1e9,
        time.perf_counter() - begin,
        ground.starts,
        error,
        training,
        np.array(promised, np.float32).reshape(-1, len(SIZES)),
    )
    return trace, learned
