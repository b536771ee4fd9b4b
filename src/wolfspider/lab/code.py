"""What policies and judges are written in: edited, they are others, and run anew."""

from __future__ import annotations

import ast
import hashlib
import inspect
import os
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from wolfspider.lab.ground import Ground, draw_examples
from wolfspider.lab.oracles import ORACLES, Oracle
from wolfspider.lab.parts import mask_of
from wolfspider.lab.training import map_of
from wolfspider.policies import Spec
from wolfspider.policies.registry import load
from wolfspider.vectors import readers
from wolfspider.webs.graph import Graph

_MADE_OF = tuple(
    f"wolfspider.{each}."
    for each in ("policies", "clues", "learners", "training", "vectors", "frontier", "judges")
)


def code_digest(spec: Spec) -> str:
    """Of the files that a policy is written in, and of those it uses: edited, it is another."""
    policy = Oracle if spec.name in ORACLES else load(spec.name)
    trained_on = (Graph, map_of, mask_of) if hasattr(policy, "train") else ()
    digest = _written_in(policy, *trained_on)
    for _, value in spec.settings:
        for file in _given(value):
            about = file.stat()
            digest.update(f"{about.st_size} {about.st_mtime_ns}".encode())
    return digest.hexdigest()[:12]


def judge_digest(ground: Ground) -> str:
    """Of the files that the judge of a task is written in, and of those it uses."""
    learned_from = (draw_examples,) if ground.task.judge == "classifier" else ()
    return _written_in(type(ground.judge()), *learned_from).hexdigest()[:12]


def _written_in(cls: type, *more: Any) -> hashlib._Hash:
    """A digest of the files of a class, of those it uses, and of what else is part of it."""
    digest = hashlib.sha256()
    for each in more:
        digest.update(Path(inspect.getfile(each)).read_bytes())
    for name in sorted(_modules({each.__module__ for each in cls.__mro__})):
        file = getattr(sys.modules.get(name), "__file__", None)
        digest.update(Path(file).read_bytes() if file and Path(file).is_file() else name.encode())
    return digest


def _given(value: str) -> Sequence[Path]:
    """The files of a table that a setting names: one with what belongs to it, or a folder."""
    path = os.path.expanduser(value)
    if os.path.isfile(path):
        return readers.files(Path(path))
    if os.path.isdir(path):
        return sorted(each for each in Path(path).iterdir() if each.is_file())
    return ()


def _modules(names: set[str]) -> set[str]:
    """These modules, and those that policies and judges are made of among what they import."""
    found: set[str] = set()
    waiting = names - {"builtins", "abc", "typing"}
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting |= _imported(name) - found
    return found


@lru_cache(maxsize=256)
def _imported(name: str) -> frozenset[str]:
    """What policies and judges are made of among a module's imports; of constants, too."""
    file = getattr(sys.modules.get(name), "__file__", None)
    if not file or not file.endswith(".py") or not Path(file).is_file():
        return frozenset()
    nodes = ast.walk(ast.parse(Path(file).read_bytes()))
    used = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    return frozenset(each for each in used if f"{each}.".startswith(_MADE_OF))
