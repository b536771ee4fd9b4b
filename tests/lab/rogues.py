"""Policies that nobody should write; tests install them under names of their own."""

from __future__ import annotations

import os
import time
from collections.abc import Container
from pathlib import Path

from wolfspider.policies.breadth_first import BreadthFirst
from wolfspider.records import Link, Visit
from wolfspider.urls import seed_link


class Crashing(BreadthFirst):
    """Raises in the middle of a crawl."""

    def __init__(self, *, after: int = 5) -> None:
        super().__init__()
        self.left = after

    def learn(self, visit: Visit) -> None:
        self.left -= 1
        if not self.left:
            raise ZeroDivisionError("a mistake of this policy")
        super().learn(visit)


class Leaving(Crashing):
    """Wants to end the program."""

    def learn(self, visit: Visit) -> None:
        raise SystemExit("enough")


class Dying(Crashing):
    """Takes its process with it."""

    def learn(self, visit: Visit) -> None:
        self.left -= 1
        if not self.left:
            os._exit(66)
        super().learn(visit)


class Stillborn(BreadthFirst):
    """Cannot be made."""

    def __init__(self) -> None:
        raise ZeroDivisionError("before it began")


class Slow(BreadthFirst):
    """Breadth-first that takes its time, and chance into account."""

    def __init__(self, *, milliseconds: float = 10.0, seed: int = 0) -> None:
        super().__init__()
        self.seconds = milliseconds / 1000

    def learn(self, visit: Visit) -> None:
        time.sleep(self.seconds)
        super().learn(visit)


class Straying(BreadthFirst):
    """Follows every second time a link that leads nowhere."""

    def __init__(self) -> None:
        super().__init__()
        self.turns = 0

    def next(self, busy: Container[str] = ()) -> Link | None:
        self.turns += 1
        if self.turns % 2:
            return super().next(busy)
        return seed_link(f"http://nowhere.example/{self.turns}") if len(self) else None


class Returning(BreadthFirst):
    """Visits each page twice."""

    def __init__(self) -> None:
        super().__init__()
        self.again: Link | None = None

    def next(self, busy: Container[str] = ()) -> Link | None:
        link, self.again = self.again, None
        if link is None:
            link = self.again = super().next(busy)
        return link


class Idle(BreadthFirst):
    """Never follows any link."""

    def next(self, busy: Container[str] = ()) -> Link | None:
        return None


POLICIES = {
    "crashing": "lab.rogues:Crashing",
    "dying": "lab.rogues:Dying",
    "idle": "lab.rogues:Idle",
    "leaving": "lab.rogues:Leaving",
    "prying": "lab.prying:Prying",
    "returning": "lab.rogues:Returning",
    "slow": "lab.rogues:Slow",
    "stillborn": "lab.rogues:Stillborn",
    "straying": "lab.rogues:Straying",
}


def install(folder: Path) -> None:
    """Write what pip would write; then the policies are known where `folder` is on the path."""
    about = folder / "rogues-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: rogues\nVersion: 1.0\n")
    points = "".join(f"{name} = {where}\n" for name, where in POLICIES.items())
    (about / "entry_points.txt").write_text(f"[wolfspider.policies]\n{points}")
