"""Policies: which link next? One file for each algorithm.

They are found by the entry point group `wolfspider.policies`, so any installed package
can add one. A policy is made from a spec such as `best-n-first:n=64`.
"""

from wolfspider.policies.registry import (
    carries,
    check,
    demand_trained,
    describe,
    known,
    make,
    train,
    training_part,
    trains,
)
from wolfspider.specs import Spec

__all__ = [
    "Spec",
    "carries",
    "check",
    "demand_trained",
    "describe",
    "known",
    "make",
    "train",
    "training_part",
    "trains",
]
