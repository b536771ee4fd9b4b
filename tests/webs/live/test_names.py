"""Addresses of names: rows 30 and 31 of FAULTS.md."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from wolfspider.webs.live.names import Answer, Names

TESTS = Path(__file__).resolve().parents[2]
UNSHARE = ["unshare", "--map-root-user", "--mount", "--net"]


def can_unshare() -> bool:
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*UNSHARE, "true"], capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    if not can_unshare():
        pytest.skip("no network namespace to be had here")
    resolv_conf = tmp_path_factory.mktemp("names") / "resolv.conf"
    command = [*UNSHARE, sys.executable, str(TESTS / "namespace.py"), str(resolv_conf)]
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_row_29_public_addresses_are_connected_to_and_inside_ones_not(
    story: dict[str, Any],
) -> None:
    assert story["public"] == [200, "", "93.184.216.34"]
    assert story["inside"] == [0, "not allowed", ""]


def test_row_29_of_good_and_bad_addresses_the_good_one_is_used(story: dict[str, Any]) -> None:
    assert story["mixed"] == [200, "", "93.184.216.34"]


def test_row_30_a_name_that_moves_inside_is_refused(story: dict[str, Any]) -> None:
    assert story["rebound"] == [200, "", "93.184.216.34"]
    assert story["rebound again"] == [0, "not allowed", ""]


def test_row_31_names_that_do_not_exist_or_fail_are_errors(story: dict[str, Any]) -> None:
    assert story["missing"] == [0, "dns", ""]
    assert story["broken"] == [0, "dns", ""]


def test_row_31_slow_names_hold_nobody_up(story: dict[str, Any]) -> None:
    assert story["beside slow names"] == [200, True]
    assert story["slow"] == ["timeout"]
    assert story["closed at once"]


def test_row_31_a_name_that_failed_is_not_asked_for_again_at_once(story: dict[str, Any]) -> None:
    assert story["slow again"] == "timeout"
    assert story["slow again is told at once"]


def test_an_answer_is_remembered() -> None:
    async def run() -> None:
        names = Names()
        assert names.known("localhost") is None
        answer = await names.look_up("localhost", 5.0)
        assert "127.0.0.1" in answer.addresses
        assert names.known("localhost") is answer
        names.close()

    asyncio.run(run())


def test_only_so_many_names_are_remembered() -> None:
    async def run() -> list[Answer | None]:
        names = Names(most=2)
        for name in ("127.0.0.1", "127.0.0.2", "127.0.0.3"):
            await names.look_up(name, 5.0)
        names.close()
        return [names.known(f"127.0.0.{number}") for number in (1, 2, 3)]

    first, second, third = asyncio.run(run())
    assert first is None
    assert second == Answer(("127.0.0.2",))
    assert third == Answer(("127.0.0.3",))


@pytest.mark.parametrize("name", ["a" * 64 + ".example", "a..example", "a" * 300, "*", "-"])
def test_odd_names_have_no_address(name: str) -> None:
    async def run() -> Answer:
        names = Names()
        answer = await names.look_up(name, 5.0)
        names.close()
        return answer

    assert asyncio.run(run()).error in ("dns", "timeout")
