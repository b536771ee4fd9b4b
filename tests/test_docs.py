"""What the documentation says about the code is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]
PAGES += sorted((ROOT / "docs").rglob("*.md"))
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(#[^)\s]+)?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    for file, heading in _LINK.findall(page.read_text()):
        target = page.parent / file if file else page
        assert target.exists(), file
        assert not heading or heading in anchors(target), f"{file}{heading}"


def anchors(page: Path) -> set[str]:
    """Where links into a page may lead, as GitHub names its headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    kept = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
    return {"#" + heading.replace(" ", "-") for heading in kept}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_nothing_is_left_to_be_filled_in(page: Path) -> None:
    assert not re.search(r"@[A-Z]+@|TODO|FIXME", page.read_text())


def test_every_row_of_the_threat_model_names_tests_that_there_are() -> None:
    lines = (ROOT / "docs" / "threat-model.md").read_text().splitlines()
    rows = {int(line.split("|")[1]): line for line in lines if re.match(r"\| \d+ \|", line)}
    assert sorted(rows) == list(range(1, 57))
    for number, line in rows.items():
        named = re.findall(r"`([\w/.]+\.py)::(\w+)`", line)
        assert named or "no test:" in line, f"row {number}"
        for path, name in named:
            assert f"def {name}(" in (ROOT / "tests" / path).read_text(), f"row {number}: {name}"
