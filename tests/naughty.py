"""Names and titles that want to do harm to whoever shows them."""

from __future__ import annotations

import json
from pathlib import Path

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "=cmd|' /C calc'!A0",
    "\N{RIGHT-TO-LEFT OVERRIDE}backwards",
    "{{ 7 * 7 }}</style><b>",
    "W" * 180,
]


def naughty_strings() -> list[str]:
    """The big list, where it is at hand."""
    path = Path(__file__).resolve().parents[2] / "shared/suites/naughty-strings/blns.json"
    listed: list[str] = json.loads(path.read_text()) if path.exists() else []
    return [*HOSTILE, *listed, "\ud800 half a character", "\0"]
