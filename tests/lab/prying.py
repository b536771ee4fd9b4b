"""A policy that looks into everything it is handed, as far as Python lets it."""

from __future__ import annotations

import gc
import inspect
from collections import deque
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import suppress
from types import (
    AsyncGeneratorType,
    BuiltinMethodType,
    CellType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    MethodType,
    ModuleType,
)
from typing import Any, ClassVar

import numpy as np

from wolfspider.policies.breadth_first import BreadthFirst
from wolfspider.records import Link, Visit
from wolfspider.topics import Topic

Atom = tuple[Any, ...]


class Prying(BreadthFirst):
    """Breadth-first that keeps everything it can get at, call by call, for others to look at."""

    calls: ClassVar[list[list[object]]] = []

    def __init__(self, *, topic: Topic, seed: int = 0) -> None:
        super().__init__()
        self.topic = topic
        self.seed = seed
        self.look()

    def look(self, *handed: object) -> None:
        """The topic again each time: it may have learned something since."""
        self.calls.append(list(everything(self.topic, self.seed, *handed)))

    def start(self, seeds: Sequence[Link]) -> None:
        self.look(seeds)
        super().start(seeds)

    def next(self, busy: Container[str] = ()) -> Link | None:
        self.look(busy)
        return super().next(busy)

    def learn(self, visit: Visit) -> None:
        self.look(visit)
        super().learn(visit)


def everything(*roots: object) -> Iterator[object]:
    """All objects that can be reached from these without importing anything."""
    kept = list(roots)  # what is looked at must stay alive, or another object takes its id
    seen = {id(root) for root in roots}
    queue = deque(roots)
    while queue:
        found = queue.popleft()
        yield found
        for next_ in held_by(found):
            if id(next_) not in seen and not isinstance(next_, type | ModuleType):
                seen.add(id(next_))
                kept.append(next_)
                queue.append(next_)


def held_by(found: object) -> Iterable[object]:
    match found:
        case None | str() | bytes() | int() | float() | complex():
            return ()
        case dict():
            return [*found.keys(), *found.values()]
        case np.ndarray():
            return [found.base, *(found.ravel().tolist() if found.dtype == object else ())]
        case memoryview():
            return [found.obj]
        case FunctionType():  # not its globals: those are the module's
            cells = [cell.cell_contents for cell in found.__closure__ or ()]
            return [*cells, found.__defaults__, found.__kwdefaults__, vars(found)]
        case MethodType():
            return [found.__self__, found.__func__]
        case BuiltinMethodType():
            return [found.__self__]
        case CellType():
            return [found.cell_contents]
        case GeneratorType():
            return [found.gi_frame]
        case CoroutineType():
            return [found.cr_frame]
        case AsyncGeneratorType():
            return [found.ag_frame]
        case FrameType():
            return [*found.f_locals.values(), found.f_back]
        case _:
            return [*gc.get_referents(found), *attributes(found)]


def attributes(found: object) -> Iterator[object]:
    """What `dir` shows, properties worked out; methods lead back to the object itself."""
    for name in dir(found):
        if not name.startswith("__"):
            with suppress(Exception):
                value = getattr(found, name)
                if not inspect.isroutine(value):
                    yield value


def atom(found: object) -> Atom:
    """What an object says by itself, apart from what it leads to and where it is stored."""
    if isinstance(found, str | bytes | int | float | None):
        return type(found).__name__, repr(found)
    if isinstance(found, np.ndarray):
        return type(found).__name__, found.dtype.str, found.shape, found.tobytes()
    if isinstance(found, memoryview):
        return "memoryview", found.tobytes()
    return (f"{type(found).__module__}.{type(found).__qualname__}",)
