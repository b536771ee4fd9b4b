"""What the documentation says about the code is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]
PAGES += sorted((ROOT / "docs").rglob("*.md"))
_LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_to_a_file(page: Path) -> None:
    for target in _LINK.findall(page.read_text()):
        assert (page.parent / target).exists(), target


def test_every_row_of_the_threat_model_names_tests_that_there_are() -> None:
    lines = (ROOT / "docs" / "threat-model.md").read_text().splitlines()
    rows = {int(line.split("|")[1]): line for line in lines if re.match(r"\| \d+ \|", line)}
    assert sorted(rows) == list(range(1, 57))
    for number, line in rows.items():
        named = re.findall(r"`([\w/.]+\.py)::(\w+)`", line)
        assert named or "no test:" in line, f"row {number}"
        for path, name in named:
            assert f"def {name}(" in (ROOT / "tests" / path).read_text(), f"row {number}: {name}"
