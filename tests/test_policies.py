"""Every installed policy keeps the contract, and each does what its paper says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import checks
import pytest
from checks import PolicyCheck, Recording, policy_checks

from wolfspider.policies import describe, make
from wolfspider.protocols import Policy
from wolfspider.records import Link
from wolfspider.webs.recorded import RecordedWeb

GIVES_UP = ("fish-search", "shark-search")  # and everything with a buffer
BUFFER = ":buffer=20"
VARIANTS = (
    "best-first:on=link",
    "best-first:on=both",
    "best-n-first:n=7",
    "best-n-first:n=1",
    "pagerank:every=3",
    "random-walk:jump=1",
    "shark-search:n=5",
)
PLAIN = [each["name"] for each in describe()]
BOUNDED = [each["name"] + BUFFER for each in describe() if "buffer" in each["settings"]]
SPECS = [*PLAIN, *BOUNDED, *VARIANTS]


def gives_up(spec: str) -> bool:
    return spec.split(":")[0] in GIVES_UP or BUFFER in spec


CASES = [
    pytest.param(spec, check, id=f"{spec}-{check.__name__.removeprefix('check_')}")
    for spec in SPECS
    for check in policy_checks(gives_up=gives_up(spec))
]


@pytest.mark.parametrize(("spec", "check"), CASES)
def test_contract(
    spec: str,
    check: PolicyCheck,
    recorded_web: RecordedWeb,
    recording: Recording,
    seeds: list[Link],
) -> None:
    def maker() -> Policy:
        return make(spec, topic=recording.topic, seed=1)

    check(maker, recorded_web, seeds)


def digests(recording: Recording, hash_seed: int) -> dict[str, str]:
    words = " ".join(recording.topic.keywords)
    program = [sys.executable, checks.__file__, str(recording.folder), recording.start, words]
    environment = os.environ | {"PYTHONHASHSEED": str(hash_seed)}
    done = subprocess.run(
        [*program, *SPECS], env=environment, capture_output=True, text=True, check=True
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


def test_crawls_do_not_depend_on_hashing(recording: Recording) -> None:
    one, other = digests(recording, 1), digests(recording, 2)
    assert one == other
    assert list(one) == SPECS
